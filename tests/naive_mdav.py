"""A slow, obvious twin of MDAV: every distance is computed, the nearest are found by sorting."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from kanonym.kernels.microaggregation.centroid import NOMINAL, NUMBER

Record = Sequence[float]


@dataclass(frozen=True)
class Space:
    """Records, what attributes weigh, and of which kind each is: all numbers unless said."""

    records: Sequence[Record]
    weights: Sequence[float]
    kinds: Sequence[int] | None = None

    def kind(self, a: int) -> int:
        """Return the kind of an attribute."""
        return NUMBER if self.kinds is None else self.kinds[a]

    def squared(self, one: Record, other: Record) -> float:
        """Return the weighted squared distance of two records, summed in order of attributes."""
        total = 0.0
        for a, weight in enumerate(self.weights):
            gap = one[a] - other[a]
            if self.kind(a) == NOMINAL:
                gap = 0.0 if one[a] == other[a] else 1.0
            total += gap * gap * weight
        return total

    def centroid(self, group: Sequence[int]) -> list[float]:
        """Return mean, lower median or most frequent value; sums are rounded once."""
        columns = zip(*(self.records[i] for i in group), strict=True)
        return [centre(column, self.kind(a)) for a, column in enumerate(columns)]

    def farthest(self, centre: Record, left: Sequence[int]) -> int:
        """Return the first of the records that are farthest from a centre."""
        return max(left, key=lambda i: (self.squared(self.records[i], centre), -i))

    def nearest(self, centre: Record, left: Sequence[int], k: int) -> list[int]:
        """Return the k nearest records, of equally near ones the first."""
        return sorted(left, key=lambda i: (self.squared(self.records[i], centre), i))[:k]


def centre(column: Sequence[float], kind: int) -> float:
    """Return the mean of numbers, the lower median of ranks, the lowest of nominal modes."""
    if kind == NUMBER:
        return math.fsum(column) / len(column)
    return min(statistics.multimode(column)) if kind == NOMINAL else statistics.median_low(column)


def mdav(
    records: Sequence[Record],
    weights: Sequence[float],
    k: int,
    kinds: Sequence[int] | None = None,
) -> list[list[int]]:
    """Return the groups of records by number, in the order of their formation."""
    space = Space(records, weights, kinds)
    left = list(range(len(records)))
    groups = []

    def group_around(i: int) -> None:
        groups.append(space.nearest(records[i], left, k))
        left[:] = [other for other in left if other not in groups[-1]]

    while len(left) >= 3 * k:
        r = space.farthest(space.centroid(left), left)
        group_around(r)
        group_around(space.farthest(records[r], left))
    if len(left) >= 2 * k:
        group_around(space.farthest(space.centroid(left), left))
    return [*groups, left]
