"""Sensitive attributes of which classes disclose more than the models of a release tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.columns.spellings import one_spelling
from kanonym.data.partition import Distribution
from kanonym.data.schema import Role
from kanonym.profiling.words import name_hints
from kanonym.verification.released_classes import SensitiveColumn
from kanonym.verification.verdict import Evidence, LargestShare, column_names_text, finding_kind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView

NEARLY_ALL = 0.95
"""A value that so many of a class have is as good as known of everybody in it: whoever
guesses it is wrong at most once in twenty, and in classes of fewer records never."""
DOUBT_LEFT = 0.5
"""The class must also leave at most half of the doubt that the whole table leaves about the
value: that 95 % of a class share what 94 % of all have tells nobody anything."""
NEAR = 0.05
"""Values are close within this share of the range that the middle `MIDDLE` of all values has."""
MIDDLE = 0.9
"""Not the whole range: one income of millions would make all others close."""
MOST_OF_TABLE = 0.5
"""An interval that holds more of the table tells little: most people have such a value."""
TEXTS = (pl.String, pl.Categorical, pl.Enum)


@finding_kind("unprotected-sensitive", "attributes")
def unprotected_sensitive(view: ReleaseView) -> Iterator[Evidence]:
    """Find sensitive attributes that no model names.

    So are columns that only `others` makes insensitive, although their names are surely those of
    sensitive attributes.
    """
    models = view.policy.models
    protected = {model.attribute for model in models}
    private = [
        name
        for name in view.unnamed
        if {hint.role for hint in name_hints(name) if hint.sure} == {Role.SENSITIVE}
    ]
    columns = [name for name in (*view.sensitive, *private) if name not in protected]
    if columns and not any(model.guarantee == "mechanism" for model in models):
        message = (
            f"no model protects {column_names_text(columns)}: a class whose records share a "
            "value discloses it. Require l-diversity or t-closeness, or declare it "
            "insensitive, by name, if it may be known"
        )
        yield columns, message, {}


def largest_share(attribute: str, distribution: Distribution) -> LargestShare | None:
    """Return the share of the commonest value in the worst class; None without a value."""
    shares, records, table_shares = _commonest_values(distribution)
    if not len(shares):
        return None
    worst = np.lexsort((records, shares))[-1]
    share, of_table = float(shares[worst]), float(table_shares[worst])
    return LargestShare(attribute, share, int(records[worst]), of_table)


class DominatedClasses(NamedTuple):
    """The classes that are nearly all one value of an attribute, of `n_classes`.

    shares, sizes: (n,) float64 and int64: the share of the value, the records that have a value.
    """

    shares: NDArray[np.float64]
    sizes: NDArray[np.int64]
    n_classes: int


def dominated_classes(distribution: Distribution, judged: NDArray[np.bool_]) -> DominatedClasses:
    """Return the classes that are nearly all one value, of those judged: (n_classes,) bool."""
    shares, records, table_shares = _commonest_values(distribution)
    slack = 1e-12
    hollow = (shares >= NEARLY_ALL - slack) & (
        1 - shares <= DOUBT_LEFT * (1 - table_shares) + slack
    )
    hollow &= shares > table_shares + slack
    hollow &= judged[np.diff(distribution.offsets) > 0]
    return DominatedClasses(shares[hollow], records[hollow], len(hollow))


def _commonest_values(
    distribution: Distribution,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the commonest value by class: its share, records with a value, share of the table."""
    offsets, counts = distribution.offsets, distribution.counts
    filled = np.flatnonzero(np.diff(offsets))
    if not len(filled):
        return np.zeros(0), np.zeros(0, np.int64), np.zeros(0)
    starts = offsets[filled]
    records = np.add.reduceat(counts, starts)
    most = np.maximum.reduceat(counts, starts)
    table = distribution.table / max(int(distribution.table.sum()), 1)
    # Of values that are equally common in a class the rarest in the table tells most.
    own = np.repeat(np.arange(len(filled)), np.diff(offsets)[filled])
    rarity = np.where(counts == most[own], table[distribution.values], np.inf)
    return most / records, records, np.minimum.reduceat(rarity, starts)


@finding_kind("dominant-value", "attributes")
def dominant_value(view: ReleaseView) -> Iterator[Evidence]:
    """Find classes that are nearly all one value."""
    for name in view.sensitive:
        shares, sizes, n_classes = view.dominated_classes(name)
        if not len(shares):
            continue
        classes, records, share = len(shares), int(sizes.sum()), float(shares.max())
        percent = "100 %" if share == 1 else f"{min(100 * share, 99.9):.1f} %"
        message = (
            f"{name}: in {classes:,} of {n_classes:,} classes ({records:,} {view.unit}) "
            f"at least {NEARLY_ALL:.0%} share one value, up to {percent}: it is "
            "practically known for everybody there. Require entropy l-diversity, a higher "
            "l, or t-closeness of it"
        )
        yield [name], message, {"share": share, "classes": classes, "records": records}


@finding_kind("near-values", "attributes")
def near_values(view: ReleaseView) -> Iterator[Evidence]:
    """Find classes whose numbers or dates lie close together."""
    return _alike_values(
        view,
        close_classes,
        f"differ by at most {NEAR:.0%} of the range of most values: each is known nearly for "
        "everybody there. l-diversity counts them as different; require t-closeness of it with "
        "distance: ordered",
    )


@finding_kind("similar-values", "attributes")
def similar_values(view: ReleaseView) -> Iterator[Evidence]:
    """Find classes whose texts begin alike."""
    return _alike_values(
        view,
        alike_classes,
        "begin with the same word or code: what they have in common is known for everybody there. "
        "l-diversity counts them as different; give it a hierarchy and require t-closeness with "
        "distance: hierarchical",
    )


def _alike_values(
    view: ReleaseView,
    count: Callable[[Distribution, NDArray[np.bool_]], tuple[int, int]],
    alike: str,
) -> Iterator[Evidence]:
    """Yield the attributes of which nearly all values of some classes are alike."""
    for name, distribution in view.distributions.items():
        classes, records = count(distribution, view.judged(name))
        if classes:
            message = (
                f"{name}: in {classes:,} of {len(distribution.offsets) - 1:,} classes "
                f"({records:,} {view.unit}) at least {NEARLY_ALL:.0%} of the values {alike}"
            )
            yield [name], message, {"classes": classes, "records": records}


def close_classes(distribution: Distribution, judged: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the number of judged classes, (n_classes,) bool, with close values; their records.

    Notes
    -----
    A class is told where an interval of at most `NEAR` of the range holds `NEARLY_ALL` of its
    records, null counted as outside, and at most `MOST_OF_TABLE` of those of the table. Classes
    that are nearly all one value are left to `dominant-value`. The similarity attack of Li, Li,
    Venkatasubramanian (2007), section 3; the bounds are ours. Cost: O(e log e) of e entries.

    """
    if distribution.numbers is None:
        return 0, 0
    by_number = np.argsort(distribution.numbers)  # NaN, which is null, at the end
    numbers = distribution.numbers[by_number]
    numbers = numbers[~np.isnan(numbers)]
    below = np.concatenate([[0], np.cumsum(distribution.table[by_number[: len(numbers)]])])
    ends = np.searchsorted(below[1:], below[-1] * np.array([1 - MIDDLE, 1 + MIDDLE]) / 2)
    if not below[-1] or numbers[ends[0]] == numbers[ends[1]]:
        return 0, 0
    with np.errstate(over="ignore"):
        width = NEAR * float(np.diff(numbers[ends])[0])
        if not np.isfinite(width):  # infinities are far from all
            return 0, 0
        reach = np.searchsorted(numbers, numbers + width * (1 + 1e-12), side="right")

    n_classes = len(distribution.offsets) - 1
    classes = np.repeat(np.arange(n_classes), np.diff(distribution.offsets))
    records = np.bincount(classes, distribution.counts, n_classes)
    rank = np.empty(len(by_number), np.int64)
    rank[by_number] = np.arange(len(by_number))
    place = rank[distribution.values]
    keys = classes * len(by_number) + place
    order = np.argsort(keys, kind="stable")
    order = order[place[order] < len(numbers)]
    keys, classes, place = keys[order], classes[order], place[order]
    passed = np.concatenate([[0], np.cumsum(distribution.counts[order])])

    # The interval from each value of a class to the last one of the class that is near it.
    after = np.searchsorted(keys, classes * len(by_number) + reach[place])
    enough = NEARLY_ALL * records[classes] - 1e-9
    of_table = below[place[after - 1] + 1] - below[place]
    close = (passed[after] - passed[:-1] >= enough) & (of_table <= MOST_OF_TABLE * below[-1])
    return _count_judged(classes[close], classes[np.diff(passed) >= enough], records, judged)


def alike_classes(distribution: Distribution, judged: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the number of judged classes, (n_classes,) bool, that begin alike; their records.

    Notes
    -----
    A class is told where values of one beginning are `NEARLY_ALL` of its records, null counted
    apart, and at most `MOST_OF_TABLE` of those of the table. Classes that are nearly all one
    value are left to `dominant-value`. The similarity attack of Li, Li, Venkatasubramanian
    (2007), section 3, for codes and texts without a hierarchy; the rule of what is similar is
    ours. Cost: O(e) of e entries, and a sort of those of large classes and of classes in which
    all begin alike.

    """
    labels = distribution.beginnings
    if labels is None or not len(distribution.values):
        return 0, 0
    n_classes, n_labels = len(distribution.offsets) - 1, int(labels.max()) + 1
    lengths = np.diff(distribution.offsets)
    classes = np.repeat(np.arange(n_classes), lengths)
    records = np.bincount(classes, distribution.counts, n_classes)
    enough = NEARLY_ALL * records - 1e-9
    # In a class of few records all must begin alike, which shows without counting.
    starts = distribution.offsets[:-1][lengths > 0]
    of_entries = labels[distribution.values]
    is_open = records > enough + 1
    is_open[lengths > 0] |= np.minimum.reduceat(of_entries, starts) == np.maximum.reduceat(
        of_entries, starts
    )
    entries = np.flatnonzero(is_open[classes])
    keys, own = np.unique(classes[entries] * n_labels + of_entries[entries], return_inverse=True)
    alike = np.bincount(own, distribution.counts[entries])
    of_table = np.bincount(labels, distribution.table, n_labels)
    is_rare = (of_table <= MOST_OF_TABLE * distribution.table.sum())[keys % n_labels]
    beginning = (keys // n_labels)[is_rare & (alike >= enough[keys // n_labels])]
    one_value = classes[distribution.counts >= enough[classes]]
    return _count_judged(beginning, one_value, records, judged)


def _count_judged(
    classes: NDArray[np.int64],
    one_value: NDArray[np.int64],
    records: NDArray[np.int64],
    judged: NDArray[np.bool_],
) -> tuple[int, int]:
    """Return the number of classes that are judged and not all one value, and their records."""
    mask = np.zeros(len(records), np.bool_)
    mask[classes] = True
    mask[one_value] = False
    mask &= judged
    return int(mask.sum()), int(records[mask].sum())


@finding_kind("spellings", "attributes")
def spellings(view: ReleaseView) -> Iterator[Evidence]:
    """Find attributes whose models hold only for their values as they are spelled.

    A class with `flu`, `Flu` and `N/A` has three values, and discloses one. The models are asked
    again where values read alike. Attributes with a hierarchy are left out: it declares their
    values.
    """
    models, sensitive = view.models, view.checked.sensitive
    named = {model.attribute for model in models} - {model.entity for model in models}
    merged = {}
    for column in sensitive:
        name = column.values.name
        if name in named and column.hierarchy is None and column.values.dtype in TEXTS:
            distinct = column.values.cast(pl.String).unique()
            different = one_spelling(distinct).n_unique()
            if different < len(distinct):
                merged[name] = len(distinct), different
    respelled = [_respelled(one) if one.values.name in merged else one for one in sensitive]
    for name in _failing_attributes(view, respelled) if merged else ():
        if name not in merged:
            continue
        values, different = merged[name]
        message = (
            f"{name} has {values:,} values, which read as {different:,}: others differ only "
            "in case, spaces, accents, signs that look alike or are not seen, punctuation at "
            "the end, or the form of a number or a date, or are words for a missing value. "
            "Counted as one, they do not satisfy the models: correct the spelling, and leave "
            "missing cells empty"
        )
        yield [name], message, {"values": values, "different": different}


def _respelled(column: SensitiveColumn) -> SensitiveColumn:
    reference = column.reference
    return column._replace(
        values=one_spelling(column.values.cast(pl.String)),
        reference=None if reference is None else one_spelling(reference.cast(pl.String)),
    )


def _failing_attributes(view: ReleaseView, columns: list[SensitiveColumn]) -> list[str]:
    """Return the attributes of models that hold, and would not of these columns."""
    checked = view.checked
    pairs = zip(checked.checks, checked.ask(columns), strict=True)
    failing = [now.attribute for then, now in pairs if then.satisfied and not now.satisfied]
    return [name for name in dict.fromkeys(failing) if name is not None]


@finding_kind("shifted-distribution", "attributes")
def shifted_distribution(view: ReleaseView) -> Iterator[Evidence]:
    """Find attributes whose models hold beside all records, and not beside the released ones.

    An intruder has only these, and `verify` without the original compares with them.
    """
    sensitive = view.checked.sensitive
    if all(column.reference is None for column in sensitive):
        return
    plain = [one._replace(reference=None, reference_counts=None) for one in sensitive]
    if columns := _failing_attributes(view, plain):
        message = (
            f"{column_names_text(columns)}: the models hold beside the input, and fail beside "
            "the released table, from which records are suppressed: verify compares with "
            "that. Require more, or suppress less"
        )
        yield columns, message, {}
