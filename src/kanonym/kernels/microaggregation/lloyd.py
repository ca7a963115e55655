"""Lloyd's algorithm for many clusters: centres move to the means of the points nearest to them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.microaggregation.kmeans_starts import from_point

LISTED, WIDE = 32, 16
"""A centre knows so many others, the nearest, in blocks of so many: a multiple of these."""

HOPELESS = 1.5
"""Farther from its centre, in distances to the first that is not listed, a list is no use."""

ROUNDING = 1e-12
"""More of the largest distance than rounding adds to a bound in all steps."""


class Centres(NamedTuple):
    """The centres, and what each knows of the others.

    Attributes
    ----------
    points, columns
        (clusters, d) and (d, clusters) float64, where they are.
    near, apart
        (clusters, m) int64 and (clusters, m + 1) float64, the nearest others of each, nearest
        first, and how far they are; last, how far the next one is, or infinity.
    beside
        (clusters, m / WIDE, d, WIDE) float64, where these are; infinity where there is none.
    moved, drift
        (clusters,) float64, how far each has moved in this step; and the farthest of its nearest.

    """

    points: NDArray[np.float64]
    columns: NDArray[np.float64]
    near: NDArray[np.int64]
    apart: NDArray[np.float64]
    beside: NDArray[np.float64]
    moved: NDArray[np.float64]
    drift: NDArray[np.float64]


@kernel
def lloyd(
    points: NDArray[np.float64],
    counts: NDArray[np.float64],
    starts: NDArray[np.float64],
    labels: NDArray[np.int32],
    steps: int,
    tolerance: float,
) -> tuple[NDArray[np.int32], float]:
    """Improve clusters step by step, from given centres.

    Parameters
    ----------
    points
        (n, d) float64, n and d at least 1, best with near ones beside each other; squares of their
        differences are finite.
    counts
        (n,) float64, above 0: records of each point.
    starts
        (clusters, d) float64, the first centres, at least 1.
    labels
        (n,) int32, a centre for each point to begin with, best the nearest.
    steps
        At least 1: how often centres move, at most.
    tolerance
        At least 0: they stop when the squared lengths of their moves sum to no more.

    Returns
    -------
    (n,) int32, the nearest centre of each point, of equally near ones the lowest; the sum of the
    squared distances to them, times the records.

    Notes
    -----
    The steps are scikit-learn's: points go to the nearest centre, centres to the mean of their
    points, until no point changes, or centres hardly move. A centre without points goes to the
    point that is farthest from its own.

    Each point has bounds of how far its centre is, and any other at least; they follow the moves
    of the centres, and while they do not overlap, its centre is the nearest (Hamerly 2010, "Making
    k-means even faster", SDM). Otherwise centres near its own are tried, the nearest first; one is
    no nearer than its distance to the own centre, less that of the point (as in Newling and Fleuret
    2016, "Fast k-means with accurate bounds", ICML). Where the list of these does not decide, all
    are tried.

    Cost of a step O(n d), and O(clusters² d) to list centres; in many columns, where bounds help
    little, up to O(n clusters d).

    """
    n, d = points.shape
    clusters = len(starts)
    width = min((clusters + WIDE - 2) // WIDE * WIDE, LISTED)
    centres = Centres(
        starts.copy(),
        np.empty((d, clusters)),
        np.zeros((clusters, width), np.int64),
        np.empty((clusters, width + 1)),
        np.full((clusters, width // WIDE, d, WIDE), math.inf),
        np.zeros(clusters),
        np.zeros(clusters),
    )
    labels = labels.copy()
    upper, lower = np.empty(n), np.zeros(n)
    largest = 0.0
    for i in range(n):
        upper[i] = math.sqrt(_square(points, i, centres.points, np.int64(labels[i])))
        square = 0.0
        for a in range(d):
            square += points[i, a] * points[i, a]
        largest = max(largest, square)
    slack = ROUNDING * math.sqrt(largest)
    step = 0
    while True:
        _list_centres(centres)
        changed = _assign(points, centres, labels, upper, lower, slack)
        if step == steps or (step > 0 and not changed):
            break
        step += 1
        if _move_centres(points, counts, centres, labels) <= tolerance:
            step = steps
    error = 0.0
    for i in range(n):
        error += counts[i] * _square(points, i, centres.points, np.int64(labels[i]))
    return labels, error


@part
def _square(points: NDArray[np.float64], i: Int, centres: NDArray[np.float64], c: Int) -> float:
    """Return the squared distance of a point to a centre."""
    total = 0.0
    for a in range(points.shape[1]):
        gap = points[i, a] - centres[c, a]
        total += gap * gap
    return total


@part
def _list_centres(centres: Centres) -> None:
    """Find the nearest others of each centre, and how far one of them has moved."""
    points, near, apart = centres.points, centres.near, centres.apart
    clusters, d = points.shape
    m = near.shape[1]
    for c in range(clusters):
        for a in range(d):
            centres.columns[a, c] = points[c, a]
    squares = np.empty(clusters)
    for c in range(clusters):
        from_point(points[c], centres.columns, squares)
        apart[c, :] = math.inf
        for other in range(clusters):
            square = squares[other]
            if square >= apart[c, m] or other == c:
                continue
            at = m
            while at > 0 and apart[c, at - 1] > square:
                apart[c, at] = apart[c, at - 1]
                if at < m:
                    near[c, at] = near[c, at - 1]
                at -= 1
            apart[c, at] = square
            if at < m:
                near[c, at] = other
        centres.drift[c] = 0.0
        for at in range(min(m, clusters - 1)):
            other = near[c, at]
            centres.drift[c] = max(centres.drift[c], centres.moved[other])
            for a in range(d):
                centres.beside[c, at // WIDE, a, at % WIDE] = points[other, a]
        for at in range(m + 1):
            apart[c, at] = math.sqrt(apart[c, at])


@part
def _assign(
    points: NDArray[np.float64],
    centres: Centres,
    labels: NDArray[np.int32],
    upper: NDArray[np.float64],
    lower: NDArray[np.float64],
    slack: float,
) -> bool:
    """Give each point the label of its nearest centre; say whether one has changed.

    upper, lower: (n,) float64, how far a point is at most from its centre, and at least from any
    other, before centres moved; they are kept up to date. slack: more than rounding adds to them.
    """
    clusters = len(centres.points)
    near, apart, moved, drift = centres.near, centres.apart, centres.moved, centres.drift
    m = near.shape[1]
    top = moved.max()
    squares = np.empty(max(clusters, WIDE))
    changed = False
    for i in range(len(points)):
        own = np.int64(labels[i])
        far = upper[i] + moved[own]
        # Others are listed, or as far from the own centre as the first that is not.
        others = max(min(lower[i] - drift[own], apart[own, m] - far), lower[i] - top)
        upper[i], lower[i] = far, others
        if far + slack < max(others, apart[own, 0] - far):
            continue
        best = _square(points, i, centres.points, own)
        far = math.sqrt(best)
        upper[i] = far
        if far + slack < max(others, apart[own, 0] - far):
            continue
        second = math.inf
        reach = math.inf
        label = own
        at = m if apart[own, m] <= HOPELESS * far else 0
        while at < m and apart[own, at] <= reach:
            from_point(points[i], centres.beside[own, at // WIDE], squares)
            for p in range(WIDE):
                square = squares[p]
                if square > second:
                    continue
                other = near[own, at + p]
                if square < best or (square == best and other < label):
                    best, second, label = square, best, other
                else:
                    second = square
            # Whoever is farther from the own centre is farther from the point than the second.
            reach = far + math.sqrt(second) + slack
            at += WIDE
        if at >= m and apart[own, m] <= reach:
            from_point(points[i], centres.columns, squares)
            best = second = math.inf
            for c in range(clusters):
                square = squares[c]
                if square < best:
                    best, second, label = square, best, np.int64(c)
                elif square < second:
                    second = square
        if label != own:
            changed = True
            labels[i] = label
        upper[i], lower[i] = math.sqrt(best), math.sqrt(second)
    return changed


@part
def _move_centres(
    points: NDArray[np.float64],
    counts: NDArray[np.float64],
    centres: Centres,
    labels: NDArray[np.int32],
) -> float:
    """Move each centre to the mean of its points; return the sum of the squared moves."""
    n, d = points.shape
    clusters = len(centres.points)
    sums = np.zeros((clusters, d))
    held = np.zeros(clusters)
    for i in range(n):
        own = np.int64(labels[i])
        held[own] += counts[i]
        for a in range(d):
            sums[own, a] += points[i, a] * counts[i]
    if (held == 0).any():
        _fill_empty(points, counts, centres, labels, sums, held)
    total = 0.0
    for c in range(clusters):
        square = 0.0
        if held[c] > 0:
            for a in range(d):
                mean = sums[c, a] / held[c]
                gap = mean - centres.points[c, a]
                square += gap * gap
                centres.points[c, a] = mean
        total += square
        centres.moved[c] = math.sqrt(square)
    return total


@part
def _fill_empty(
    points: NDArray[np.float64],
    counts: NDArray[np.float64],
    centres: Centres,
    labels: NDArray[np.int32],
    sums: NDArray[np.float64],
    held: NDArray[np.float64],
) -> None:
    """Give each centre without points the one that is farthest from its own, by sums and counts.

    sums, held: (clusters, d) and (clusters,) float64, of the points of each centre.
    """
    n, d = points.shape
    squares = np.empty(n)
    for i in range(n):
        squares[i] = _square(points, i, centres.points, np.int64(labels[i]))
    for c in np.flatnonzero(held == 0):
        far = np.argmax(squares)
        if squares[far] <= 0.0:
            return
        squares[far] = 0.0
        old = np.int64(labels[far])
        held[old] -= counts[far]
        held[c] = counts[far]
        for a in range(d):
            sums[old, a] -= points[far, a] * counts[far]
            sums[c, a] = points[far, a] * counts[far]
