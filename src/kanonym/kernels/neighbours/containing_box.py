"""The first box that contains a point, found in a tree of bounding boxes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.compile import Int, kernel, part

LEAF = 8
"""So many boxes, or fewer, are looked at one by one."""

DEPTH = 64
"""Nodes that wait on the way down: at most one a level, and levels halve the boxes."""


class Boxes(NamedTuple):
    """Boxes over the integers, bounds included, that hold some values of some dimensions only.

    low, high: (n_boxes, d) int32.
    listed: (d,) int64: the number of a dimension among those with lists, -1 for one without: there
        a box holds all from `low` to `high`.
    offsets, members: Box i holds in listed dimension j the values members[offsets[j * n_boxes + i]]
        to members[offsets[j * n_boxes + i + 1]] (exclusive), int32, ascending; offsets int64.
    """

    low: Int32s
    high: Int32s
    listed: Ints
    offsets: Ints
    members: Int32s


class Tree(NamedTuple):
    """Boxes in a tree: node i has the children 2 i and 2 i + 1, the root is 1.

    order: (n_boxes,) int64, boxes so that those of a node stand together.
    ranges: (2 n_leaves, 2) int64, where in `order` those of each node start and stop.
    bounds: (2 n_leaves, 2, d) int32, what the boxes of each node span.
    """

    order: Ints
    ranges: Ints
    bounds: Int32s


@kernel
def build_box_tree(boxes: Boxes, n_leaves: Int) -> Tree:
    """Return the tree of at least one box; n_leaves: a power of two.

    Each node is halved along the dimension in which the middles of its boxes spread most,
    as a share of the whole. Cost O(n log² n · d).
    """
    n, d = boxes.low.shape
    order = np.arange(n)
    ranges = np.zeros((2 * n_leaves, 2), np.int64)
    bounds = np.zeros((2 * n_leaves, 2, d), np.int32)
    ranges[1, 1] = n
    whole = np.ones(d)
    for node in range(1, 2 * n_leaves):
        start, stop = ranges[node]
        if start == stop:
            continue
        widest, most = np.int64(-1), 0.0
        for a in range(d):
            low, high = boxes.low[order[start], a], boxes.high[order[start], a]
            least = largest = np.int64(low) + np.int64(high)
            for at in range(start, stop):
                own = np.int64(boxes.low[order[at], a]) + np.int64(boxes.high[order[at], a])
                least, largest = min(least, own), max(largest, own)
                low = min(low, boxes.low[order[at], a])
                high = max(high, boxes.high[order[at], a])
            bounds[node, 0, a] = low
            bounds[node, 1, a] = high
            if node == 1 and largest > least:
                whole[a] = largest - least
            spread = (largest - least) / whole[a]
            if spread > most:
                widest, most = np.int64(a), spread
        if node >= n_leaves:
            continue
        if widest >= 0:
            keys = np.empty(stop - start, np.int64)
            for at in range(start, stop):
                box = order[at]
                keys[at - start] = np.int64(boxes.low[box, widest]) + boxes.high[box, widest]
            order[start:stop] = order[start:stop][np.argsort(keys, kind="mergesort")]
        half = (start + stop) // 2
        ranges[2 * node] = start, half
        ranges[2 * node + 1] = half, stop
    return Tree(order, ranges, bounds)


@kernel
def find_containing(points: Int32s, boxes: Boxes, tree: Tree, n_leaves: Int) -> Ints:
    """Return (n,) int64: the lowest number of a box that contains each point, -1 for none.

    points: (n, d) int32.
    boxes, tree, n_leaves: At least one box, and their tree from `build_box_tree`.
    """
    found = np.full(len(points), -1, np.int64)
    waiting = np.empty(DEPTH, np.int64)
    for i in range(len(points)):
        point = points[i]
        best = len(boxes.low)
        waiting[0] = 1
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            start, stop = tree.ranges[node]
            if start == stop or not _is_within(tree.bounds[node, 0], tree.bounds[node, 1], point):
                continue
            if node < n_leaves:
                waiting[n_waiting] = 2 * node + 1
                waiting[n_waiting + 1] = 2 * node
                n_waiting += 2
                continue
            for at in range(start, stop):
                box = tree.order[at]
                if (
                    box < best
                    and _is_within(boxes.low[box], boxes.high[box], point)
                    and _lists(boxes, box, point)
                ):
                    best = box
        if best < len(boxes.low):
            found[i] = best
    return found


@part
def _is_within(low: Int32s, high: Int32s, point: Int32s) -> bool:
    """Return whether a point lies within bounds."""
    for a in range(len(point)):  # noqa: SIM110 - compiled: no generators
        if point[a] < low[a] or point[a] > high[a]:
            return False
    return True


@part
def _lists(boxes: Boxes, box: Int, point: Int32s) -> bool:
    """Return whether a box holds a point's values in the dimensions where it lists them."""
    for a in range(len(point)):
        if boxes.listed[a] < 0:
            continue
        row = boxes.listed[a] * len(boxes.low) + box
        own = boxes.members[boxes.offsets[row] : boxes.offsets[row + 1]]
        at = np.searchsorted(own, point[a])
        if at == len(own) or own[at] != point[a]:
            return False
    return True
