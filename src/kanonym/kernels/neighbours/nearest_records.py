"""Distances of persons to released classes, and what their nearest records have in common."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.neighbours.class_tree import TIE, ClassTree, first_distance, second_distance


@kernel
def shared_neighbours(
    groves: tuple[ClassTree, ClassTree],
    numbers: tuple[NDArray[np.float64], NDArray[np.float64]],
    codes: tuple[NDArray[np.int32], NDArray[np.int32]],
    pairs: NDArray[np.int64],
    wanted: Int,
    found: NDArray[np.int64],
) -> None:
    """Count what the nearest records by two sets of columns have in common, for each person.

    By either set a record is far (0), surely among those wanted (1), or one of the equally
    near ones of which some are (2).

    Parameters
    ----------
    groves, numbers, codes
        Classes and persons by either set of columns; classes have the same records.
    pairs
        (n_pairs, 3) int64: a class by either set, and how many records are in both.
    wanted
        How many neighbours by each set, from 1 to the number of records.
    found
        (n, 3, 3) int64, written: records by what they are by the one and by the other set.

    Notes
    -----
    Cost O(n · n_classes · (d + wanted) + n · n_pairs).

    """
    one = np.empty(len(groves[0].order), np.int64)
    other = np.empty(len(groves[1].order), np.int64)
    away = np.empty((2, max(len(one), len(other))))
    found[:] = 0
    for p in range(len(found)):
        _rank(groves[0], numbers[0][p], codes[0][p], wanted, away, one)
        _rank(groves[1], numbers[1][p], codes[1][p], wanted, away, other)
        for i in range(len(pairs)):
            found[p, one[pairs[i, 0]], other[pairs[i, 1]]] += pairs[i, 2]


@part
def _rank(
    grove: ClassTree,
    numbers: NDArray[np.float64],
    codes: NDArray[np.int32],
    wanted: Int,
    away: NDArray[np.float64],
    level: NDArray[np.int64],
) -> None:
    """Write whether each class is far (0), surely among those wanted (1), or open to be (2)."""
    n = len(grove.order)
    for at in range(n):
        away[0, at] = first_distance(grove, at, numbers, codes, math.inf)
        away[1, at] = math.nan
    level[:] = 0
    count, nearer = np.int64(0), np.int64(-1)
    while nearer < count < wanted:
        first, second = math.inf, math.inf
        for at in range(n):
            i = grove.order[at]
            if level[i] == 2:
                level[i] = 1
            if level[i] == 0:
                first = min(first, away[0, at])
        for at in range(n):
            if level[grove.order[at]] == 0 and away[0, at] <= first * (1.0 + TIE):
                if math.isnan(away[1, at]):  # of most classes nobody asks for it
                    away[1, at] = second_distance(grove, at, numbers, codes)
                second = min(second, away[1, at])
        nearer = count
        for at in range(n):
            i = grove.order[at]
            near = away[0, at] <= first * (1.0 + TIE) and away[1, at] <= second * (1.0 + TIE)
            if near and level[i] == 0:
                level[i] = 2
                count += grove.opened.sizes[at]
