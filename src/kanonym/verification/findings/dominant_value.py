"""The commonest sensitive value of each class: how much of the class it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.data.partition import Distribution
from kanonym.verification.finding import Finding, FindingKind
from kanonym.verification.verdict import LargestShare

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView

NEARLY_ALL = 0.95
"""A value that so many of a class have is as good as known of everybody in it: whoever
guesses it is wrong at most once in twenty, and in classes of fewer records never."""
DOUBT_LEFT = 0.5
"""The class must also leave at most half of the doubt that the whole table leaves about the
value: that 95 % of a class share what 94 % of all have tells nobody anything."""


class _CommonestValue(NamedTuple):
    """The commonest value of each class that has a value.

    shares, records, table_shares: (n,) float64, int64, float64: of the class, its records with a
    value, of the table.
    """

    shares: NDArray[np.float64]
    records: NDArray[np.int64]
    table_shares: NDArray[np.float64]


def largest_share(attribute: str, distribution: Distribution) -> LargestShare | None:
    """Return the share of the commonest value in the worst class; None without a value."""
    found = _commonest(distribution)
    if not len(found.shares):
        return None
    worst = np.lexsort((found.records, found.shares))[-1]
    return LargestShare(
        attribute,
        float(found.shares[worst]),
        int(found.records[worst]),
        float(found.table_shares[worst]),
    )


class DominantValue(FindingKind):
    """Classes that are nearly all one value."""

    type = "dominant-value"
    part = "attributes"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return a finding of each sensitive attribute of which classes have nearly one value."""
        found = []
        for name in view.sensitive:
            shares, sizes, n_classes = view.dominated_classes(name)
            if not len(shares):
                continue
            classes, records, share = len(shares), int(sizes.sum()), float(shares.max())
            found.append(
                self.finding(
                    [name],
                    f"{name}: in {classes:,} of {n_classes:,} classes ({records:,} {view.unit}) "
                    f"at least {NEARLY_ALL:.0%} share one value, up to {_percent(share)}: it is "
                    "practically known for everybody there. Require entropy l-diversity, a higher "
                    "l, or t-closeness of it",
                    {"share": share, "classes": classes, "records": records},
                )
            )
        return found


class DominatedClasses(NamedTuple):
    """The classes that are nearly all one value of an attribute.

    shares, sizes: (n,) float64 and int64: the share of the value, and the records that have a
    value.
    """

    shares: NDArray[np.float64]
    sizes: NDArray[np.int64]
    n_classes: int


def dominated_classes(distribution: Distribution, judged: NDArray[np.bool_]) -> DominatedClasses:
    """Return the classes that are nearly all one value.

    judged: (n_classes,) bool, the classes that are looked at.
    """
    found = _commonest(distribution)
    doubt, left = 1 - found.table_shares, 1 - found.shares
    slack = 1e-12
    hollow = (found.shares >= NEARLY_ALL - slack) & (left <= DOUBT_LEFT * doubt + slack)
    hollow &= found.shares > found.table_shares + slack
    hollow &= judged[np.diff(distribution.offsets) > 0]
    return DominatedClasses(found.shares[hollow], found.records[hollow], len(hollow))


def _commonest(distribution: Distribution) -> _CommonestValue:
    offsets, counts = distribution.offsets, distribution.counts
    held = np.flatnonzero(np.diff(offsets))
    if not len(held):
        none = np.zeros(0)
        return _CommonestValue(none, np.zeros(0, np.int64), none)
    starts = offsets[held]
    records = np.add.reduceat(counts, starts)
    most = np.maximum.reduceat(counts, starts)
    table = distribution.table / max(int(distribution.table.sum()), 1)
    # Of values that are equally common in a class the rarest in the table tells most.
    own = np.repeat(np.arange(len(held)), np.diff(offsets)[held])
    rarity = np.where(counts == most[own], table[distribution.values], np.inf)
    return _CommonestValue(most / records, records, np.minimum.reduceat(rarity, starts))


def _percent(share: float) -> str:
    return "100 %" if share == 1 else f"{min(100 * share, 99.9):.1f} %"
