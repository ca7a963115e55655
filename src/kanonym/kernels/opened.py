"""What released classes leave open, how far that is from a person, and a k-d tree of it.

Two distances, each a sum over columns of numbers from 0 to 1. The first is to the nearest
value that a class leaves open: how far numbers are from an interval, and 1 for a category
that is not among those open. The second is the expected one to a value drawn evenly from
what is left open. A class is nearer than another by the first, then by the second distance;
distances that differ by a share of less than `TIE` are equal, because the rest is rounding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.kdtree import halve

TIE = 1e-9
"""Distances that differ by less than this share are equal."""

LEAF = 8
"""A leaf has at most so many classes."""

BITS = 64
"""Categories of a mask; category c is bit c modulo 64."""


class Opened(NamedTuple):
    """What released classes leave open, by column: numbers first, then categories.

    Attributes
    ----------
    low, high
        (n_classes, n_numbers) float64, finite, in units of the column's range; low is
        infinite and high minus infinite where the class says null.
    nullable
        (n_classes, n_numbers) bool: a missing number is left open.
    labels
        (n_classes, n_categorical) int64: label i leaves open the categories
        members[offsets[i]:offsets[i + 1]], ascending. Each column has labels of its own.
    offsets, members
        (n_labels + 1,) int64 and (n_members,) int32.
    sizes
        (n_classes,) int64, released records.

    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    nullable: NDArray[np.bool_]
    labels: NDArray[np.int64]
    offsets: NDArray[np.int64]
    members: NDArray[np.int32]
    sizes: NDArray[np.int64]


class Grove(NamedTuple):
    """The classes leaf by leaf, and what the nodes above them leave open.

    Attributes
    ----------
    opened
        The classes, leaf by leaf.
    order, place
        (n_classes,) int64: which class stands where, and where each class stands.
    masks
        (n_labels,) uint64, the bits of each label's categories.
    shape
        (2,) int64: classes and leaves; leaf i is node n_leaves + i, node 1 the root.
    boxes
        (n_nodes, 5, n_numbers) float64 of the classes below: lowest low, highest high,
        lowest and highest middle, and the least expected distance.
    nulls
        (n_nodes, n_numbers) bool: some class leaves a missing number open.
    bits
        (n_nodes, n_categorical) uint64, the bits of all categories left open.
    least
        (n_nodes, n_categorical) float64, the least expected distance.

    """

    opened: Opened
    order: NDArray[np.int64]
    place: NDArray[np.int64]
    masks: NDArray[np.uint64]
    shape: NDArray[np.int64]
    boxes: NDArray[np.float64]
    nulls: NDArray[np.bool_]
    bits: NDArray[np.uint64]
    least: NDArray[np.float64]


@kernel
def plant(opened: Opened, positions: NDArray[np.float64]) -> Grove:
    """Return the tree of some classes.

    positions: (n_classes, d) float64, finite, at least one row and column: where classes
    stand; those that stand close to each other come into one leaf. It decides about the
    time of a search, not about what is found. Cost O(n d log n).
    """
    order, n_leaves = _sorted_into_leaves(positions)
    n, n_nodes = len(order), 2 * n_leaves
    n_numbers, n_categorical = opened.low.shape[1], opened.labels.shape[1]
    masks = np.zeros(len(opened.offsets) - 1, np.uint64)
    for label in range(len(masks)):
        for at in range(opened.offsets[label], opened.offsets[label + 1]):
            masks[label] |= np.uint64(1) << np.uint64(opened.members[at] % BITS)
    opened = Opened(
        opened.low[order],
        opened.high[order],
        opened.nullable[order],
        opened.labels[order],
        opened.offsets,
        opened.members,
        opened.sizes[order],
    )
    boxes = np.empty((n_nodes, 5, n_numbers))
    boxes[:, 0] = math.inf
    boxes[:, 1] = -math.inf
    boxes[:, 2] = math.inf
    boxes[:, 3] = -math.inf
    boxes[:, 4] = 1.0
    place = np.empty(n, np.int64)
    for at in range(n):
        place[order[at]] = at
    grove = Grove(
        opened,
        order,
        place,
        masks,
        np.array([n, n_leaves]),
        boxes,
        np.zeros((n_nodes, n_numbers), np.bool_),
        np.zeros((n_nodes, n_categorical), np.uint64),
        np.ones((n_nodes, n_categorical)),
    )
    for leaf in range(n_leaves):
        for at in range(leaf * n // n_leaves, (leaf + 1) * n // n_leaves):
            _cover(grove, n_leaves + leaf, at)
    for node in range(n_leaves - 1, 0, -1):
        _cover_node(grove, node, 2 * node)
        _cover_node(grove, node, 2 * node + 1)
    return grove


@part
def _sorted_into_leaves(positions: NDArray[np.float64]) -> tuple[NDArray[np.int64], Int]:
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
def _cover(grove: Grove, node: Int, i: Int) -> None:
    """Let a node leave open what class i does."""
    opened = grove.opened
    box = grove.boxes[node]
    for a in range(opened.low.shape[1]):
        low, high = opened.low[i, a], opened.high[i, a]
        if low <= high:
            box[0, a] = min(box[0, a], low)
            box[1, a] = max(box[1, a], high)
            box[2, a] = min(box[2, a], (low + high) / 2)
            box[3, a] = max(box[3, a], (low + high) / 2)
            box[4, a] = min(box[4, a], (high - low) / 4)
        grove.nulls[node, a] |= opened.nullable[i, a]
    for b in range(opened.labels.shape[1]):
        label = opened.labels[i, b]
        count = opened.offsets[label + 1] - opened.offsets[label]
        grove.bits[node, b] |= grove.masks[label]
        grove.least[node, b] = min(grove.least[node, b], 1.0 - 1.0 / count)


@part
def _cover_node(grove: Grove, node: Int, below: Int) -> None:
    """Let a node leave open what one below it does."""
    box, inner = grove.boxes[node], grove.boxes[below]
    for a in range(box.shape[1]):
        for side in range(5):
            # Only the second and the fourth side are upper ends.
            if side in {1, 3}:
                box[side, a] = max(box[side, a], inner[side, a])
            else:
                box[side, a] = min(box[side, a], inner[side, a])
        grove.nulls[node, a] |= grove.nulls[below, a]
    for b in range(grove.bits.shape[1]):
        grove.bits[node, b] |= grove.bits[below, b]
        grove.least[node, b] = min(grove.least[node, b], grove.least[below, b])


@part
def _holds(grove: Grove, label: Int, code: Int) -> bool:
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
def first_distance(
    grove: Grove, i: Int, numbers: NDArray[np.float64], codes: NDArray[np.int32], limit: float
) -> float:
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
def second_distance(
    grove: Grove, i: Int, numbers: NDArray[np.float64], codes: NDArray[np.int32]
) -> float:
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
