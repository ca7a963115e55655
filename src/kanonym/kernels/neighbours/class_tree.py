"""What released classes leave open, how far that is from a person, and a k-d tree of it.

Two distances, each a sum over columns of numbers from 0 to 1. The first is to the nearest
value that a class leaves open: how far numbers are from an interval, and 1 for a category
that is not among those open. The second is the expected one to a value drawn evenly from
what is left open. A class is nearer than another by the first, then by the second distance;
distances that differ by a share of less than `TIE` are equal, because the rest is rounding.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints, UInt64s
from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.neighbours.kdtree import halve

TIE = 1e-9
"""Distances that differ by less than this share are equal."""

LEAF = 8
"""A leaf has at most so many classes."""

BITS = 64
"""Categories of a mask; category c is bit c modulo 64."""


class ClassBounds(NamedTuple):
    """What released classes leave open, by column: numbers first, then categories.

    low, high: (n_classes, n_numbers) float64, finite, in units of the column's range; low is
        infinite and high minus infinite where the class says null.
    nullable: (n_classes, n_numbers) bool: a missing number is left open.
    labels: (n_classes, n_categorical) int64: label i leaves open the categories
        members[offsets[i]:offsets[i + 1]], ascending. Each column has labels of its own.
    offsets, members: (n_labels + 1,) int64 and (n_members,) int32.
    sizes: (n_classes,) int64, released records.
    """

    low: Floats
    high: Floats
    nullable: Bools
    labels: Ints
    offsets: Ints
    members: Int32s
    sizes: Ints


class ClassTree(NamedTuple):
    """The classes leaf by leaf, and what the nodes above them leave open.

    opened: The classes, leaf by leaf.
    order, place: (n_classes,) int64: which class stands where, and where each class stands.
    masks: (n_labels,) uint64, the bits of each label's categories.
    shape: (2,) int64: classes and leaves; leaf i is node n_leaves + i, node 1 the root.
    boxes: (n_nodes, 5, n_numbers) float64 of the classes below: lowest low, highest high, lowest
        and highest middle, and the least expected distance.
    nulls: (n_nodes, n_numbers) bool: some class leaves a missing number open.
    bits: (n_nodes, n_categorical) uint64, the bits of all categories left open.
    least: (n_nodes, n_categorical) float64, the least expected distance.
    """

    opened: ClassBounds
    order: Ints
    place: Ints
    masks: UInt64s
    shape: Ints
    boxes: Floats
    nulls: Bools
    bits: UInt64s
    least: Floats


def build_class_tree(opened: ClassBounds, positions: Floats) -> ClassTree:
    """Return the tree of some classes.

    positions: (n_classes, d) float64, finite, at least one row and column: where classes
    stand; those that stand close to each other come into one leaf. It decides about the
    time of a search, not about what is found. Cost O(n d log n).
    """
    order, n_leaves = _sort_into_leaves(positions)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    opened = opened._replace(
        low=opened.low[order],
        high=opened.high[order],
        nullable=opened.nullable[order],
        labels=opened.labels[order],
        sizes=opened.sizes[order],
    )
    counts = np.diff(opened.offsets)
    masks = np.zeros(len(counts), np.uint64)
    bits = np.uint64(1) << (opened.members % BITS).astype(np.uint64)
    np.bitwise_or.at(masks, np.repeat(np.arange(len(counts)), counts), bits)
    leaf_starts = np.arange(n_leaves) * len(order) // n_leaves

    def cover(operation: np.ufunc, values: NDArray[Any]) -> NDArray[Any]:
        """Combine the classes of each leaf, then the leaves below each node."""
        nodes = np.empty((2 * n_leaves, values.shape[1]), values.dtype)
        nodes[n_leaves:] = operation.reduceat(values, leaf_starts, axis=0)
        first = n_leaves
        while first > 1:
            below = nodes[first : 2 * first]
            first //= 2
            nodes[first : 2 * first] = operation(below[::2], below[1::2])
        nodes[0] = nodes[1]
        return nodes

    numbered = opened.low <= opened.high
    middle = np.add(opened.low, opened.high, where=numbered, out=np.zeros(numbered.shape)) / 2
    expected = np.subtract(opened.high, opened.low, where=numbered, out=np.ones(numbered.shape)) / 4
    sides = [
        cover(np.minimum, opened.low),
        cover(np.maximum, opened.high),
        cover(np.minimum, np.where(numbered, middle, math.inf)),
        cover(np.maximum, np.where(numbered, middle, -math.inf)),
        cover(np.minimum, np.where(numbered, expected, 1.0)),
    ]
    return ClassTree(
        opened,
        order,
        place,
        masks,
        np.array([len(order), n_leaves]),
        np.stack(sides, axis=1),
        cover(np.bitwise_or, opened.nullable),
        cover(np.bitwise_or, masks[opened.labels]),
        cover(np.minimum, (1.0 - 1.0 / counts)[opened.labels]),
    )


@kernel
def _sort_into_leaves(positions: Floats) -> tuple[Ints, Int]:
    """Return classes leaf by leaf, and how many leaves: nodes are halved where they are widest."""
    n, d = positions.shape
    n_leaves = np.int64(1)
    while n_leaves * LEAF < n:
        n_leaves *= 2
    order = np.arange(n)
    values = np.empty(n)
    level = np.int64(1)
    while level < n_leaves:
        for i in range(level):
            start, stop = i * n // level, (i + 1) * n // level
            widest, width = 0, -1.0
            for a in range(d):
                low, high = math.inf, -math.inf
                for at in range(start, stop):
                    value = positions[order[at], a]
                    low, high = min(low, value), max(high, value)
                if high - low > width:
                    widest, width = a, high - low
            for at in range(start, stop):
                values[at] = positions[order[at], widest]
            halve(values, order, start, stop, (2 * i + 1) * n // (2 * level))
        level *= 2
    return order, n_leaves


@part
def _holds(grove: ClassTree, label: Int, code: Int) -> bool:
    """Say whether a label leaves a category open."""
    if not grove.masks[label] >> np.uint64(code % BITS) & np.uint64(1):
        return False
    low, stop = grove.opened.offsets[label], grove.opened.offsets[label + 1]
    while stop - low > 1:
        middle = (low + stop) // 2
        if grove.opened.members[middle] <= code:
            low = middle
        else:
            stop = middle
    return bool(grove.opened.members[low] == code)


@part
def first_distance(grove: ClassTree, i: Int, numbers: Floats, codes: Int32s, limit: float) -> float:
    """Return how far the nearest value open at place i is; above the limit, any such number."""
    opened = grove.opened
    total = 0.0
    for a in range(len(numbers)):
        value = numbers[a]
        if math.isnan(value):
            total += 0.0 if opened.nullable[i, a] else 1.0
        else:
            total += min(max(opened.low[i, a] - value, value - opened.high[i, a], 0.0), 1.0)
    if total > limit:
        return total
    for b in range(len(codes)):
        if not _holds(grove, opened.labels[i, b], codes[b]):
            total += 1.0
    return total


@part
def second_distance(grove: ClassTree, i: Int, numbers: Floats, codes: Int32s) -> float:
    """Return the expected distance to a value drawn evenly from what is open at place i."""
    opened = grove.opened
    total = 0.0
    for a in range(len(numbers)):
        value, low, high = numbers[a], opened.low[i, a], opened.high[i, a]
        if math.isnan(value):
            total += 0.0 if low > high else 1.0
        elif low < value < high:
            away = (value - low) * (value - low) + (high - value) * (high - value)
            total += min(away / (2 * (high - low)), 1.0)
        elif low <= high:
            total += min(abs(value - (low + high) / 2), 1.0)
        else:
            total += 1.0
    for b in range(len(codes)):
        label = opened.labels[i, b]
        if _holds(grove, label, codes[b]):
            total += 1.0 - 1.0 / (opened.offsets[label + 1] - opened.offsets[label])
        else:
            total += 1.0
    return total
