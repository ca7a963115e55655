"""A slow, obvious twin of k-means: all distances, at every step."""

from __future__ import annotations

import math
from collections.abc import Sequence

Point = Sequence[float]


def squared(one: Point, other: Point) -> float:
    """Return the squared distance of two points, summed in order of columns."""
    total = 0.0
    for a, b in zip(one, other, strict=True):
        total += (a - b) * (a - b)
    return total


def nearest(point: Point, centres: Sequence[Point]) -> int:
    """Return the nearest centre, of equally near ones the lowest."""
    squares = [squared(point, centre) for centre in centres]
    return squares.index(min(squares))


def potential(points, counts, centres):
    """Return the squared distance of each point to the nearest centre, times its records."""
    return [
        count * min(squared(point, centre) for centre in centres)
        for point, count in zip(points, counts, strict=True)
    ]


def starts(points, counts, first, draws):
    """Return the centres that k-means++ takes of points, by draws in their order."""
    centres = [points[first]]
    for row in draws:
        chances = potential(points, counts, centres)
        total, sums = 0.0, []
        for chance in chances:
            total += chance
            sums.append(total)
        found = []
        for draw in row:
            at = next((i for i, upto in enumerate(sums) if upto >= draw * total), len(points) - 1)
            found.append((sum(potential(points, counts, [*centres, points[at]])), at))
        least = min(left for left, _ in found)
        centres.append(next(points[at] for left, at in found if left == least))
    return centres


def lloyd(points, counts, centres, steps, tolerance):
    """Return the label of each point, and the squared error, after so many steps or fewer."""
    centres = [list(centre) for centre in centres]
    labels = [nearest(point, centres) for point in points]
    for _ in range(steps):
        sums = [[0.0] * len(points[0]) for _ in centres]
        held = [0.0] * len(centres)
        for point, count, label in zip(points, counts, labels, strict=True):
            held[label] += count
            sums[label] = [
                total + value * count for total, value in zip(sums[label], point, strict=True)
            ]
        far = [squared(point, centres[label]) for point, label in zip(points, labels, strict=True)]
        for c in [c for c, count in enumerate(held) if not count]:
            i = far.index(max(far))
            if far[i] <= 0:
                break
            far[i] = 0.0
            held[labels[i]] -= counts[i]
            held[c] = counts[i]
            own = [value * counts[i] for value in points[i]]
            sums[labels[i]] = [a - b for a, b in zip(sums[labels[i]], own, strict=True)]
            sums[c] = own
        moved = [
            [total / count for total in sums[c]] if count else centres[c]
            for c, count in enumerate(held)
        ]
        shift = 0.0
        for one, other in zip(moved, centres, strict=True):
            shift += squared(one, other)
        centres = moved
        before, labels = labels, [nearest(point, centres) for point in points]
        if labels == before or shift <= tolerance:
            break
    return labels, math.fsum(
        count * squared(point, centres[label])
        for point, count, label in zip(points, counts, labels, strict=True)
    )
