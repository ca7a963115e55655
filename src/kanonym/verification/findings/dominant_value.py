"""Find classes that are nearly all one value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.data.partition import Distribution
from kanonym.verification.verdict import Evidence, LargestShare, finding_kind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView

NEARLY_ALL = 0.95
"""A value that so many of a class have is as good as known of everybody in it: whoever
guesses it is wrong at most once in twenty, and in classes of fewer records never."""
DOUBT_LEFT = 0.5
"""The class must also leave at most half of the doubt that the whole table leaves about the
value: that 95 % of a class share what 94 % of all have tells nobody anything."""


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
