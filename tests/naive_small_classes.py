"""Slow, obvious twins of enlarging small classes: every distance is computed every time."""

from __future__ import annotations

from collections.abc import Sequence

Point = Sequence[float]


def squared(one: Point, other: Point, weights: Sequence[float]) -> float:
    """Return the weighted squared distance of two points, summed in order of attributes."""
    total = 0.0
    for a, b, weight in zip(one, other, weights, strict=True):
        total += (a - b) * (a - b) * weight
    return total


def nearest(
    point: Point, among: Sequence[int], centres: Sequence[Point], weights: Sequence[float]
) -> int:
    """Return the class of the nearest centre, of equally near ones the first."""
    return min(among, key=lambda c: (squared(point, centres[c], weights), c))


def merged(
    centres: Sequence[Point], weights: Sequence[float], sizes: Sequence[int], k: int
) -> list[int]:
    """Return the class that each class ends in: the smallest joins its nearest, again and again."""
    members = {c: [c] for c in range(len(sizes))}
    size = dict(enumerate(sizes))
    while True:
        leaving = min(members, key=lambda c: (size[c], c))
        if size[leaving] >= k:
            break
        others = [c for c in members if c != leaving]
        winner = nearest(centres[leaving], others, centres, weights)
        members[winner] += members.pop(leaving)
        size[winner] += size.pop(leaving)
    ends = {c: end for end, joined in members.items() for c in joined}
    return [ends[c] for c in range(len(sizes))]
