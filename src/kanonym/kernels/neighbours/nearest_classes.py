"""The nearest classes and records of persons."""

from __future__ import annotations

import math

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.neighbours.class_tree import (
    BITS,
    TIE,
    ClassTree,
    first_distance,
    second_distance,
)
from kanonym.kernels.neighbours.kdtree import DEPTH

ROUNDING = 1 - 1e-12
"""Keeps the bound of an expected distance below it, however that is rounded."""


@part
def _first_bound(grove: ClassTree, node: Int, numbers: Floats, codes: Int32s) -> float:
    """Return what no first distance to a class of a node is below."""
    boxes = grove.boxes
    total = 0.0
    for a in range(len(numbers)):
        value = numbers[a]
        if math.isnan(value):
            total += 0.0 if grove.nulls[node, a] else 1.0
        else:
            total += min(max(boxes[node, 0, a] - value, value - boxes[node, 1, a], 0.0), 1.0)
    for b in range(len(codes)):
        if not grove.bits[node, b] >> np.uint64(codes[b] % BITS) & np.uint64(1):
            total += 1.0
    return total


@part
def _second_bound(grove: ClassTree, node: Int, numbers: Floats, codes: Int32s) -> float:
    """Return what no second distance to a class of a node is below."""
    boxes = grove.boxes
    total = 0.0
    for a in range(len(numbers)):
        value = numbers[a]
        if math.isnan(value):
            total += 0.0 if grove.nulls[node, a] else 1.0
        else:
            total += min(
                max(boxes[node, 2, a] - value, value - boxes[node, 3, a], boxes[node, 4, a]), 1.0
            )
    for b in range(len(codes)):
        if grove.bits[node, b] >> np.uint64(codes[b] % BITS) & np.uint64(1):
            total += grove.least[node, b]
        else:
            total += 1.0
    return total * ROUNDING


@kernel
def nearest_class(
    grove: ClassTree, numbers: Floats, codes: Int32s, found: Ints, first: Floats
) -> None:
    """Find the nearest class of each person; of those equally near to the last bit, the lowest.

    grove: The released classes.
    numbers, codes: (n, n_numbers) float64, NaN for a missing one, and (n, n_categorical) int32.
    found, first: (n,) int64 and float64, written: the class, and its first distance.
    """
    n, n_leaves = grove.shape
    waiting = np.empty(DEPTH, np.int64)
    bounds = np.empty(DEPTH)
    for p in range(len(numbers)):
        own, held = numbers[p], codes[p]
        best, least, winner = math.inf, math.inf, np.int64(-1)
        waiting[0] = 1
        bounds[0] = 0.0
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            node, bound = waiting[n_waiting], bounds[n_waiting]
            if bound > best or (bound == best and _second_bound(grove, node, own, held) > least):
                continue
            if node < n_leaves:
                near, far = 2 * node, 2 * node + 1
                low = _first_bound(grove, near, own, held)
                high = _first_bound(grove, far, own, held)
                if high < low or (
                    high == low
                    and _second_bound(grove, far, own, held) < _second_bound(grove, near, own, held)
                ):
                    near, far, low, high = far, near, high, low
                waiting[n_waiting] = far
                bounds[n_waiting] = high
                waiting[n_waiting + 1] = near
                bounds[n_waiting + 1] = low
                n_waiting += 2
                continue
            leaf = node - n_leaves
            for at in range(leaf * n // n_leaves, (leaf + 1) * n // n_leaves):
                away = first_distance(grove, at, own, held, best)
                if away > best:
                    continue
                beyond = second_distance(grove, at, own, held)
                i = grove.order[at]
                if away < best or beyond < least or (beyond == least and i < winner):
                    best, least, winner = away, beyond, i
        found[p] = winner
        first[p] = best


@kernel
def tied_records(
    grove: ClassTree, numbers: Floats, codes: Int32s, own: Ints, records: Ints
) -> None:
    """Count the released records that are as near to each person as those of one class.

    grove, numbers, codes: As for `nearest_class`.
    own: (n,) int64, a class of each person; -1 for none.
    records: (n,) int64, written: records that are as near as those of that class, its own among
        them; 0 where another class is nearer, or there is none.
    """
    waiting = np.empty(DEPTH, np.int64)
    bounds = np.empty(DEPTH)
    for p in range(len(numbers)):
        records[p] = 0
        if own[p] >= 0:
            records[p] = _count_tied(
                grove, numbers[p], codes[p], grove.place[own[p]], waiting, bounds
            )


@part
def _count_tied(
    grove: ClassTree, numbers: Floats, codes: Int32s, own: Int, waiting: Ints, bounds: Floats
) -> Int:
    """Return the records as near as those of the class at a place, 0 where some are nearer."""
    n, n_leaves = grove.shape
    first = first_distance(grove, own, numbers, codes, math.inf)
    second = second_distance(grove, own, numbers, codes)
    farthest, last = first * (1.0 + TIE), second * (1.0 + TIE)
    waiting[0] = 1
    bounds[0] = 0.0
    n_waiting = 1
    count = np.int64(0)
    while n_waiting > 0:
        n_waiting -= 1
        node, bound = waiting[n_waiting], bounds[n_waiting]
        # Where nothing can be nearer by the first distance, it has to be by the second.
        if bound * (1.0 + TIE) >= first and _second_bound(grove, node, numbers, codes) > last:
            continue
        if node < n_leaves:
            near, far = 2 * node, 2 * node + 1
            low = _first_bound(grove, near, numbers, codes)
            high = _first_bound(grove, far, numbers, codes)
            if high < low:
                near, far, low, high = far, near, high, low
            if high <= farthest:
                waiting[n_waiting] = far
                bounds[n_waiting] = high
                n_waiting += 1
            if low <= farthest:
                waiting[n_waiting] = near
                bounds[n_waiting] = low
                n_waiting += 1
            continue
        leaf = node - n_leaves
        for at in range(leaf * n // n_leaves, (leaf + 1) * n // n_leaves):
            away = first_distance(grove, at, numbers, codes, farthest)
            if away > farthest:
                continue
            if away * (1.0 + TIE) < first:
                return np.int64(0)
            beyond = second_distance(grove, at, numbers, codes)
            if beyond * (1.0 + TIE) < second:
                return np.int64(0)
            if beyond <= last:
                count += grove.opened.sizes[at]
    return count


@kernel
def shared_neighbours(
    groves: tuple[ClassTree, ClassTree],
    numbers: tuple[Floats, Floats],
    codes: tuple[Int32s, Int32s],
    pairs: Ints,
    wanted: Int,
    found: Ints,
) -> None:
    """Count what the nearest records by two sets of columns have in common, for each person.

    By either set a record is far (0), surely among those wanted (1), or one of the equally near
    ones of which some are (2). Cost O(n · n_classes · (d + wanted) + n · n_pairs).

    groves, numbers, codes: Classes and persons by either set of columns; classes have the same
        records.
    pairs: (n_pairs, 3) int64: a class by either set, and how many records are in both.
    wanted: How many neighbours by each set, from 1 to the number of records.
    found: (n, 3, 3) int64, written: records by what they are by the one and by the other set.
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
    grove: ClassTree, numbers: Floats, codes: Int32s, wanted: Int, away: Floats, level: Ints
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
