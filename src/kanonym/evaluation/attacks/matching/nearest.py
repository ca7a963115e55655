"""The nearest of many points; of those equally near, the first."""

from __future__ import annotations

from typing import Literal

import numpy as np

from kanonym.kernels.arrays import Floats, Ints

Distance = Literal["euclidean", "manhattan"]

TIE = 1e-9
"""Distances that differ by less than this share are equal: the rest is rounding."""

MOST_IN_TREE = 20
"""With more columns a k-d tree compares nearly all points, slower than one by one."""

CELLS = 1 << 22
"""Distances that are held together: bounds the memory."""

_ORDERS = {"euclidean": 2.0, "manhattan": 1.0}


def nearest_points(
    points: Floats, asked: Floats, distance: Distance = "euclidean"
) -> tuple[Ints, Floats]:
    """Find the nearest point of each one asked.

    points: (m, d) float64, finite; at least one, at least one column.
    asked: (n, d) float64, finite. Returns: (n,) int64 numbers of points, the lowest of those
        equally near, and (n,) float64 distances to them.
    """
    from scipy.spatial import KDTree  # noqa: PLC0415 - takes a while to load

    distinct, first = np.unique(points, axis=0, return_index=True)
    if points.shape[1] > MOST_IN_TREE:
        # In the order of the points, the first of those equally near is the lowest number.
        order = np.argsort(first)
        numbers, distances = _compare_points(distinct[order], asked, distance)
        return first[order][numbers], distances
    tree = KDTree(distinct)
    numbers = np.empty(len(asked), np.int64)
    distances = np.empty(len(asked))
    pending = np.arange(len(asked))
    width = 2
    while len(pending):
        width = min(width, len(distinct))
        found, places = tree.query(asked[pending], k=range(1, width + 1), p=_ORDERS[distance])
        equal = found <= found[:, :1] * (1 + TIE)
        distances[pending] = found[:, 0]
        numbers[pending] = np.where(equal, first[places], len(points)).min(axis=1)
        # Where all that were asked for are equally near, there may be more of them.
        pending = pending[equal[:, -1]] if width < len(distinct) else pending[:0]
        width *= 4
    return numbers, distances


def _compare_points(points: Floats, asked: Floats, distance: Distance) -> tuple[Ints, Floats]:
    """Compare with each point."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415 - takes a while to load

    kind = "euclidean" if distance == "euclidean" else "cityblock"
    numbers, distances = np.empty(len(asked), np.int64), np.empty(len(asked))
    step = max(CELLS // len(points), 1)
    for start in range(0, len(asked), step):
        some = slice(start, start + step)
        found = cdist(asked[some], points, kind)
        distances[some] = found.min(axis=1)
        numbers[some] = (found <= distances[some, None] * (1 + TIE)).argmax(axis=1)
    return numbers, distances
