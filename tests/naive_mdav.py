"""A slow, obvious twin of MDAV: every distance is computed, the nearest are found by sorting."""

from __future__ import annotations

import math
from collections.abc import Sequence

Record = Sequence[float]


def squared(one: Record, other: Record, weights: Sequence[float]) -> float:
    """Return the weighted squared distance of two records, summed in order of attributes."""
    total = 0.0
    for a, b, weight in zip(one, other, weights, strict=True):
        total += (a - b) * (a - b) * weight
    return total


def centroid(records: Sequence[Record]) -> list[float]:
    """Return the mean record; sums are rounded once."""
    return [math.fsum(column) / len(records) for column in zip(*records, strict=True)]


def farthest(centre: Record, left: Sequence[int], records: Sequence[Record], weights) -> int:
    """Return the first of the records that are farthest from a centre."""
    return max(left, key=lambda i: (squared(records[i], centre, weights), -i))


def nearest(
    centre: Record, left: Sequence[int], records: Sequence[Record], weights, k: int
) -> list[int]:
    """Return the k nearest records, of equally near ones the first."""
    return sorted(left, key=lambda i: (squared(records[i], centre, weights), i))[:k]


def mdav(records: Sequence[Record], weights: Sequence[float], k: int) -> list[list[int]]:
    """Return the groups of records by number, in the order of their formation."""
    left = list(range(len(records)))
    groups = []

    def group_around(i: int) -> None:
        groups.append(nearest(records[i], left, records, weights, k))
        left[:] = [other for other in left if other not in groups[-1]]

    while len(left) >= 3 * k:
        r = farthest(centroid([records[i] for i in left]), left, records, weights)
        group_around(r)
        group_around(farthest(records[r], left, records, weights))
    if len(left) >= 2 * k:
        group_around(farthest(centroid([records[i] for i in left]), left, records, weights))
    return [*groups, left]
