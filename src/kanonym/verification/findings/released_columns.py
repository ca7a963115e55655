"""Released columns that tell who somebody is, although no model looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.free_text import TYPES as SCRUBBING
from kanonym.actions.registry import unwrap
from kanonym.data.errors import DataError
from kanonym.data.files import typed_texts
from kanonym.data.hierarchy.labels import list_lengths
from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.schema import Insensitive, Role, Sensitive
from kanonym.data.table import value_codes
from kanonym.profiling.words import name_hints
from kanonym.verification.released_classes import ColumnValues
from kanonym.verification.verdict import Evidence, column_names_text, finding_kind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView

MANY_VALUES = 20
"""A column of more values is an amount or the like, not a category."""
OWN_SHARE = 0.1
"""Of texts, so many records must have a value of their own: a rare category names nobody who
is not known to have it, a comment or a code of one record does."""
FEW = 5
"""So many records must have a list, a struct or bytes of their own, however small the table is."""
NAMED = 10_000
"""Distinct texts that are read as numbers, to tell whether a column of texts holds amounts."""
MANY_LISTED = 10
"""A label that lists more values is found."""
LEAST_ROWS = 50
"""Of fewer rows nothing is said: any two columns agree by chance."""
TOLD = 0.8
"""Share of the doubt about one column that the other one takes away."""
RANKED = 0.95
"""Rank correlation of numbers or dates that are nearly the same scale."""
LEAST_VALUES = 10
"""Of fewer different numbers, ranks say little."""
_COUNTED = 1 << 18
"""Pairs of values that are counted in an array; more of them by sorting."""


@finding_kind("identifying-amount", "identity")
def identifying_amount(view: ReleaseView) -> Iterator[Evidence]:
    """Find released columns whose values single out their owners.

    Columns with noise are left out: nobody knows their numbers. Lists, structs and bytes are no
    categories, however few there are.
    """
    owned = {
        name: values.repeats
        for name, (values, scrubbed) in _unprotected_values(view).items()
        if not scrubbed and not _is_free_text(values.sample) and _names_owners(values)
    }
    if owned:
        worst = max(owned, key=lambda name: owned[name].alone)
        alone = owned[worst].alone
        message = (
            f"{column_names_text(list(owned))}: released, although {alone:,} of the "
            f"{owned[worst].values:,} values of {worst} have a single owner, whom anybody who "
            "knows the value can identify. Make it an identifier, which is dropped, or a "
            "quasi-identifier, or round or top-code it by an action"
        )
        yield tuple(owned), message, {"records": alone}


def _names_owners(values: ColumnValues) -> bool:
    """Return whether released values single out who is known to have them."""
    sample, repeats = values
    dtype = sample.dtype
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        return repeats.alone >= max(OWN_SHARE * repeats.records, FEW)
    if repeats.values <= MANY_VALUES or not repeats.alone:
        return False
    if dtype.is_numeric() or dtype.is_temporal():
        return True
    if dtype == pl.String and typed_texts(sample.unique().head(NAMED)).dtype.is_numeric():
        return True
    return repeats.alone >= OWN_SHARE * repeats.records


@finding_kind("free-text", "identity")
def free_text(view: ReleaseView) -> Iterator[Evidence]:
    """Find released sentences, in which anybody may be named; scrubbed columns apart."""
    texts: dict[bool, list[str]] = {False: [], True: []}
    for name, (values, scrubbed) in _unprotected_values(view).items():
        # What a policy scrubs is free text, however short it is.
        if scrubbed or _is_free_text(values.sample):
            texts[scrubbed].append(name)
    for scrubbed, columns in texts.items():
        what = (
            "identifiers that were found in it were replaced, and what was not found remains. Read "
            "a sample before you share it"
            if scrubbed
            else "names and whole stories may be written in it, and no model protects them. Drop "
            "it, or replace what identifies by the action scrub-text"
        )
        if columns:
            message = f"{column_names_text(columns)}: free text is released; {what}"
            yield columns, message, {"scrubbed": int(scrubbed)}


def _unprotected_values(view: ReleaseView) -> dict[str, tuple[ColumnValues, bool]]:
    """Return the values of columns that are released without noise, and which are scrubbed."""
    columns = {}
    for name, attribute in view.attributes.items():
        actions = unwrap(attribute.action)
        noisy = any(action.perturbs for action in actions)
        if not isinstance(attribute, Sensitive | Insensitive) or noisy:
            continue
        try:
            values = view.released.values(name)
        except DataError:
            continue
        columns[name] = values, any(action.type in SCRUBBING for action in actions)
    return columns


def _is_free_text(column: pl.Series) -> bool:
    """Whether the values are sentences that differ from record to record."""
    if column.dtype != pl.String:
        return False
    from kanonym.profiling.identifiers.free_text import find_free_text  # noqa: PLC0415 - slow
    from kanonym.profiling.identifiers.sample import Sample  # noqa: PLC0415

    return bool(find_free_text(Sample.of(column), frozenset()))


@finding_kind("dependent-column", "identity", needs_original=True)
def dependent_column(view: ReleaseView) -> Iterator[Evidence]:
    """Find unprotected columns that depend on a quasi-identifier: a birth year beside the age.

    With them classes are smaller than is required. Pairs of columns only: what several
    quasi-identifiers tell together is not found.
    """
    for name, others in _dependent_columns(view).items():
        records = view.records_in_small_classes([name]) if name in view.released.columns else 0
        if records:
            message = (
                f"{name} is released as it is, although {' and '.join(others)} can be "
                f"told from it, or it from {'them' if len(others) > 1 else 'that'}. "
                f"Counted with the quasi-identifiers, up to {records:,} {view.unit} are "
                f"in classes of fewer than {view.k}: make it a quasi-identifier, or drop it"
            )
            yield [name], message, {"records": records, "k": view.k}


def _dependent_columns(view: ReleaseView) -> dict[str, list[str]]:
    """Return the unprotected columns that depend on quasi-identifiers, each with these."""
    dependent: dict[str, list[str]] = {}
    for sampled in view.sampled_columns():
        columns = {column.name: Doubt.of(column) for column in sampled.sample}
        known = [name for name in sampled.known if name in columns]
        for name in sampled.unprotected:
            if name in columns:
                others = [one for one in known if are_dependent(columns[name], columns[one])]
                if others:
                    dependent.setdefault(name, []).extend(others)
    return dependent


@dataclass(frozen=True, slots=True, repr=False)
class Doubt(ShortRepr):
    """What is uncertain about a column.

    codes: (n_rows,) int64, equal for equal values; null is a value.
    """

    codes: NDArray[np.int64]
    size: int
    entropy: float
    scale: pl.Series | None

    @classmethod
    def of(cls, column: pl.Series) -> Doubt:
        """Look at a column of values that can be counted."""
        codes = np.unique_inverse(value_codes(column)[0]).inverse_indices
        size = int(codes.max(initial=-1)) + 1
        ordered = column.dtype.is_numeric() or column.dtype.is_temporal()
        scale = column if ordered and size >= LEAST_VALUES else None
        return cls(codes, size, _entropy(codes, size), scale)


def are_dependent(left: Doubt, right: Doubt) -> bool:
    """Return whether one of two columns of the same rows nearly determines the other one.

    Notes
    -----
    By entropy: the uncertainty coefficient (Theil 1970), in either direction, is at least `TOLD`
    after the part that a random order of one column reaches as well, which is much where values
    are rare. Numbers and dates also by Spearman's rank correlation, at least `RANKED`.
    Cost: O(n log n).

    """
    if len(left.codes) < LEAST_ROWS:
        return False
    return _share_told(left, right) >= TOLD or _rank_correlation(left, right) >= RANKED


def _share_told(left: Doubt, right: Doubt) -> float:
    doubts = left.entropy, right.entropy
    told = _shared_entropy(left, right, right.codes)
    if not min(doubts) or told < TOLD * min(doubts):
        return 0.0
    chance = _shared_entropy(left, right, np.random.default_rng(0).permutation(right.codes))
    return max(
        ((told - chance) / (doubt - chance) for doubt in doubts if doubt - chance > doubt / 4),
        default=0.0,
    )


def _shared_entropy(left: Doubt, right: Doubt, codes: NDArray[np.int64]) -> float:
    both = _entropy(left.codes * right.size + codes, left.size * right.size)
    return left.entropy + right.entropy - both


def _entropy(codes: NDArray[np.int64], size: int) -> float:
    counts = np.bincount(codes) if size <= _COUNTED else np.unique_counts(codes).counts
    shares = counts[counts > 0] / len(codes)
    return float(-(shares * np.log(shares)).sum())


def _rank_correlation(left: Doubt, right: Doubt) -> float:
    if left.scale is None or right.scale is None:
        return 0.0
    both = pl.DataFrame([left.scale.alias("left"), right.scale.alias("right")]).drop_nulls()
    if len(both) < LEAST_ROWS or min(column.n_unique() for column in both) < LEAST_VALUES:
        return 0.0
    ranks = both.select(pl.all().rank())  # dates and decimals have no type in common
    return abs(float(ranks.select(pl.corr("left", "right")).item()))


@finding_kind("knowable-column", "identity")
def knowable_column(view: ReleaseView) -> Iterator[Evidence]:
    """Find columns that only `others` makes insensitive, with names of quasi-identifiers.

    With them, classes are smaller than is required. Who knows better names them in the policy.
    """
    names = [
        name
        for name in view.unnamed
        if Role.QUASI_IDENTIFIER in {hint.role for hint in name_hints(name) if hint.sure}
    ]
    records = view.records_in_small_classes(names) if names else 0
    if records:
        message = (
            f"{column_names_text(names)}: released as they are, because others is "
            "insensitive; by their names, people may know them. Counted with the "
            f"quasi-identifiers, up to {records:,} {view.unit} are in classes of fewer than "
            f"{view.k}: make them quasi-identifiers, drop them, or declare them insensitive, "
            "by name, in the attributes of the policy"
        )
        yield names, message, {"records": records, "k": view.k}


@finding_kind("long-list", "identity")
def long_list(view: ReleaseView) -> Iterator[Evidence]:
    """Find labels that list many values of people, where a range would cover them."""
    sizes = view.checked.classes.sizes
    texts = pl.DataFrame([label for label in view.checked.labels if label.dtype == pl.String])
    lists = texts.select(pl.all().str.starts_with("{").any())
    for column in (text for text in texts if lists[text.name].any()):
        lengths = list_lengths(column)
        many = lengths > MANY_LISTED
        if not many.any():
            continue
        longest, records = int(lengths.max()), int(sizes[many].sum())
        message = (
            f"{column.name}: labels of {records:,} {view.unit} list more than {MANY_LISTED} "
            f"values, up to {longest:,}: every value in a list belongs to a real person. "
            "Give the column a hierarchy, or recode it as intervals"
        )
        yield [column.name], message, {"longest": longest, "records": records}


@finding_kind("copied-column", "identity", needs_original=True, linked=True)
def copied_column(view: ReleaseView) -> Iterator[Evidence]:
    """Find columns that repeat a hidden column of a linked table that they refer to."""
    for shown, hidden in view.copied_columns():
        message = (
            f"{shown} repeats {hidden}, which is generalized, replaced or dropped, and is "
            "released as it is: drop it (identifier), or give both one role, hierarchy and action"
        )
        yield [shown], message, {}


@finding_kind("date-intervals", "identity")
def date_intervals(view: ReleaseView) -> Iterator[Evidence]:
    """Find times between shifted dates of linked tables that set persons apart."""
    intervals = view.interval_persons()
    if intervals is not None:
        (columns, few, persons), k = intervals, max(view.k, 2)
        message = (
            f"{', '.join(columns)}: the times between the shifted dates of a person stay as "
            f"they are and do not count: {few:,} of {persons:,} persons are in classes of "
            f"fewer than {k} for somebody who knows them. Make the dates quasi-identifiers "
            "with a hierarchy of months or years, or drop them"
        )
        yield columns, message, {"persons": few, "k": k}


@finding_kind("unshifted-dates", "identity")
def unshifted_dates(view: ReleaseView) -> Iterator[Evidence]:
    """Find dates of persons in linked tables that stay as they are beside shifted ones."""
    if columns := view.unshifted_dates():
        message = (
            f"{column_names_text(columns)}: dates are released that do not shift with the "
            "other dates of the person: where both are about one event, the difference tells "
            "the shift. Shift them too, generalize them to years, or drop them"
        )
        yield columns, message, {}
