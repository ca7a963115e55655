"""k-means++: first centres of clusters, far from each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel, part


@kernel
def kmeans_starts(
    points: NDArray[np.float64],
    counts: NDArray[np.float64],
    places: NDArray[np.int64],
    bounds: NDArray[np.int64],
    first: int,
    draws: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Choose centres among points by k-means++ with several candidates each.

    Parameters
    ----------
    points
        (n, d) float64, n and d at least 1, in blocks of points that are near each other; squares of
        their differences are finite.
    counts
        (n,) float64, above 0: records of each point.
    places
        (n,) int64, where each point stands among `points`. Draws follow this order of the points.
    bounds
        (n_blocks + 1,) int64, where each block begins, and n.
    first
        The first centre, a point by its number in that order.
    draws
        (clusters - 1, n_candidates) float64, from 0 to 1, at least one candidate.

    Returns
    -------
    (clusters, d) float64, the centres; (n,) int32, the nearest of them for each of `points`, of
    equally near ones the lowest.

    Notes
    -----
    A draw picks a point with a probability of its squared distance to the nearest centre, times
    its records. Of the candidates, the one becomes a centre that leaves the least sum of these,
    the first of equal ones. Draws are used as by scikit-learn, so the centres are its own.

    A block is skipped where no point of it can be nearer to a candidate than to its centre.
    Cost O(n clusters), and for a candidate O(n d) at first, then the less the more centres there
    are, where d is small.

    Arthur and Vassilvitskii (2007), "k-means++: the advantages of careful seeding", SODA.

    """
    n, d = points.shape
    n_blocks = len(bounds) - 1
    columns = points.T.copy()
    boxes = np.empty((n_blocks, 2, d))
    widest = 0
    for b in range(n_blocks):
        widest = max(widest, bounds[b + 1] - bounds[b])
        for a in range(d):
            boxes[b, 0, a] = columns[a, bounds[b] : bounds[b + 1]].min()
            boxes[b, 1, a] = columns[a, bounds[b] : bounds[b + 1]].max()
    numbers = np.empty(n, np.int64)
    for i in range(n):
        numbers[places[i]] = i
    squares = np.empty(widest)
    nearest = np.full(n, math.inf)
    farthest = np.full(n_blocks, math.inf)
    labels = np.zeros(n, np.int32)
    # By number: how likely a point is drawn, and the sums up to it.
    chances, sums = np.empty(n), np.empty(n)
    centres = np.empty((len(draws) + 1, d))
    chosen = places[first]
    for c in range(len(centres)):
        if c > 0:
            total = 0.0
            for i in range(n):
                total += chances[i]
                sums[i] = total
            most = -math.inf
            for draw in draws[c - 1]:
                i = places[min(np.searchsorted(sums, draw * total), n - 1)]
                gain = 0.0
                for b in range(n_blocks):
                    if _from_box(points[i], boxes[b]) < farthest[b]:
                        start, stop = bounds[b], bounds[b + 1]
                        from_point(points[i], columns[:, start:stop], squares)
                        for j in range(start, stop):
                            gain += max(nearest[j] - squares[j - start], 0.0) * counts[j]
                if gain > most:
                    most, chosen = gain, i
        centres[c] = points[chosen]
        for b in range(n_blocks):
            if _from_box(centres[c], boxes[b]) < farthest[b]:
                start, stop = bounds[b], bounds[b + 1]
                from_point(centres[c], columns[:, start:stop], squares)
                farthest[b] = 0.0
                for j in range(start, stop):
                    square = squares[j - start]
                    if square < nearest[j]:
                        nearest[j] = square
                        labels[j] = c
                        chances[numbers[j]] = square * counts[j]
                    farthest[b] = max(farthest[b], nearest[j])
    return centres, labels


@part
def from_point(
    point: NDArray[np.float64], columns: NDArray[np.float64], squares: NDArray[np.float64]
) -> None:
    """Write the squared distances of a (d,) point to (d, m) others, summed in order of columns.

    squares: (m,) float64 or longer. Several are computed at once by the processor.
    """
    m = columns.shape[1]
    for j in range(m):
        squares[j] = 0.0
    for a in range(len(columns)):
        value = point[a]
        column = columns[a]
        for j in range(m):
            gap = value - column[j]
            squares[j] += gap * gap


@part
def _from_box(point: NDArray[np.float64], box: NDArray[np.float64]) -> float:
    """Return the squared distance of a (d,) point to a (2, d) box, no more than to what is in it.

    It is summed like those of points, so rounding keeps the order.
    """
    total = 0.0
    for a in range(len(point)):
        gap = max(box[0, a] - point[a], point[a] - box[1, a], 0.0)
        total += gap * gap
    return total
