"""A k-d tree of weighted points that are taken out one by one: nearest and farthest ones.

Distances are squared, weighted sums over the attributes in their order. An attribute may
cap its differences: with a cap of 1, codes of a nominal attribute differ by 0 or 1. The
bound that a box gives is summed in the same way, and rounding keeps order, so no point of
a box is nearer, or farther, than its bound says: what is skipped could not have been the
answer, to the last bit. Ties go to the lower record number.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Floats, Ints
from kanonym.kernels.compile import Int, part

LEAF = 32
"""A leaf holds at most so many points."""

DEPTH = 64
"""More nodes than wait on the way down to a leaf."""

NOBODY = np.int64(np.iinfo(np.int64).max)
"""The lowest record number of an empty node."""

TOUCHED = np.int64(-1)
"""The lowest record number of a leaf that has lost points and was not measured since."""


class Tree(NamedTuple):
    """The points that are left; node 1 is the root, nodes 2 i and 2 i + 1 are those below i.

    Points of a leaf stand side by side, those that are left first.

    rows: (n, d) float64, the points by record number.
    weights: (d,) float64, at least 0: what a squared difference counts.
    points: (d, n) float64, the points by place.
    records: (n,) int64, the record at each place.
    place: (n,) int64, the place of each record, -1 for those that were taken out.
    shape: (2,) int64: number of points when the tree was built, and number of leaves; 0 before.
    counts: (n_nodes,) int64, how many points a leaf still has; 0 for other nodes.
    first: (n_nodes,) int64, the lowest record number in a node.
    boxes: (n_nodes, 2 d) float64, lowest and then highest values in a node.
    caps: (d,) float64: no difference counts for more, before it is squared.
    """

    rows: Floats
    weights: Floats
    points: Floats
    records: Ints
    place: Ints
    shape: Ints
    counts: Ints
    first: Ints
    boxes: Floats
    caps: Floats


@part
def new_tree(rows: Floats, weights: Floats) -> Tree:
    """Return a tree of all points that has yet to be built: (n, d) rows, n and d at least 1."""
    n, d = rows.shape
    n_nodes = 2
    while n_nodes * LEAF < 2 * n:
        n_nodes *= 2
    return Tree(
        rows,
        weights,
        np.empty((d, n)),
        np.empty(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(2, np.int64),
        np.zeros(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.empty((n_nodes, 2 * d)),
        np.full(d, math.inf),
    )


@part
def rebuild(tree: Tree) -> None:
    """Divide the points that are left anew, so that all leaves are full or nearly so.

    Each node is halved at the median of its widest attribute. Cost O(n d log n).
    """
    n_records, d = tree.rows.shape
    n = np.int64(0)
    for record in range(n_records):
        if tree.place[record] >= 0:
            tree.records[n] = record
            n += 1
    n_leaves = np.int64(1)
    while n_leaves * LEAF < n:
        n_leaves *= 2
    tree.shape[0] = n
    tree.shape[1] = n_leaves
    values = np.empty(n)
    box = np.empty(2 * d)
    level = np.int64(1)
    while level < n_leaves:
        for i in range(level):
            start, stop = i * n // level, (i + 1) * n // level
            for a in range(d):
                box[a] = math.inf
                box[d + a] = -math.inf
            for at in range(start, stop):
                record = tree.records[at]
                for a in range(d):
                    box[a] = min(box[a], tree.rows[record, a])
                    box[d + a] = max(box[d + a], tree.rows[record, a])
            widest, width = 0, -1.0
            for a in range(d):
                span = min(box[d + a] - box[a], tree.caps[a])
                span *= span * tree.weights[a]
                if span > width:
                    widest, width = a, span
            for at in range(start, stop):
                values[at] = tree.rows[tree.records[at], widest]
            halve(values, tree.records, start, stop, (2 * i + 1) * n // (2 * level))
        level *= 2
    for at in range(n):
        record = tree.records[at]
        tree.place[record] = at
        for a in range(d):
            tree.points[a, at] = tree.rows[record, a]
    for leaf in range(n_leaves):
        tree.counts[n_leaves + leaf] = (leaf + 1) * n // n_leaves - leaf * n // n_leaves
        _measure(tree, n_leaves + leaf)
    for node in range(n_leaves - 1, 0, -1):
        tree.counts[node] = 0
        _join(tree, node)


@part
def halve(values: Floats, records: Ints, start: Int, stop: Int, middle: Int) -> None:
    """Move the lowest values of places start to stop before `middle`, equal ones by record.

    values, records: (n,) each, moved together.
    """
    low, high = start, stop - 1
    while low < high:
        value, pivot = values[(low + high) // 2], records[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < value or (values[i] == value and records[i] < pivot):
                i += 1
            while values[j] > value or (values[j] == value and records[j] > pivot):
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                records[i], records[j] = records[j], records[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            break


@part
def sort(values: Floats, records: Ints, n: Int) -> None:
    """Sort the first n places by value, equal ones by record (Shell's sort)."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            value, record = values[i], records[i]
            j = i
            while j >= gap and (
                values[j - gap] > value or (values[j - gap] == value and records[j - gap] > record)
            ):
                values[j] = values[j - gap]
                records[j] = records[j - gap]
                j -= gap
            values[j] = value
            records[j] = record
        gap //= 3


@part
def _measure(tree: Tree, node: Int) -> None:
    """Write the box and the lowest record of a leaf."""
    d = len(tree.weights)
    n, n_leaves = tree.shape
    start = (node - n_leaves) * n // n_leaves
    stop = start + tree.counts[node]
    first = NOBODY
    for at in range(start, stop):
        first = min(first, tree.records[at])
    tree.first[node] = first
    box = tree.boxes[node]
    for a in range(d):
        low, high = math.inf, -math.inf
        for at in range(start, stop):
            low = min(low, tree.points[a, at])
            high = max(high, tree.points[a, at])
        box[a] = low
        box[d + a] = high


@part
def _join(tree: Tree, node: Int) -> bool:
    """Write the box and the lowest record of a node from the two below; say if they changed."""
    d = len(tree.weights)
    left, right = tree.boxes[2 * node], tree.boxes[2 * node + 1]
    box = tree.boxes[node]
    first = min(tree.first[2 * node], tree.first[2 * node + 1])
    changed = bool(first != tree.first[node])
    tree.first[node] = first
    for a in range(d):
        low, high = min(left[a], right[a]), max(left[d + a], right[d + a])
        changed = changed or low != box[a] or high != box[d + a]
        box[a] = low
        box[d + a] = high
    return changed


@part
def remove_points(tree: Tree, group: Ints) -> None:
    """Remove the points of some records; (m,) int64 record numbers, all of them left."""
    d = len(tree.weights)
    n, n_leaves = tree.shape
    leaves = np.empty(len(group), np.int64)
    for g in range(len(group)):
        at = tree.place[group[g]]
        node = n_leaves + ((at + 1) * n_leaves - 1) // n
        tree.counts[node] -= 1
        last = (node - n_leaves) * n // n_leaves + tree.counts[node]
        for a in range(d):
            tree.points[a, at] = tree.points[a, last]
        tree.records[at] = tree.records[last]
        tree.place[tree.records[at]] = at
        tree.place[group[g]] = -1
        leaves[g] = node
        tree.first[node] = TOUCHED
    for node in leaves:
        # A leaf that lost several points is measured once.
        if tree.first[node] == TOUCHED:
            _measure(tree, node)
            above = node // 2
            while above > 0 and _join(tree, above):
                above //= 2


@part
def _lower_bound(tree: Tree, node: Int, centre: Floats) -> float:
    """Return a distance that no point of a node is below."""
    d = len(centre)
    box = tree.boxes[node]
    total = 0.0
    for a in range(d):
        gap = min(max(box[a] - centre[a], centre[a] - box[d + a], 0.0), tree.caps[a])
        total += gap * gap * tree.weights[a]
    return total


@part
def _upper_bound(tree: Tree, node: Int, centre: Floats) -> float:
    """Return a distance that no point of a node is above."""
    d = len(centre)
    box = tree.boxes[node]
    total = 0.0
    for a in range(d):
        gap = min(max(centre[a] - box[a], box[d + a] - centre[a]), tree.caps[a])
        total += gap * gap * tree.weights[a]
    return total


@part
def squared_distance(tree: Tree, one: Floats, other: Floats) -> float:
    """Return the squared distance of two (d,) points."""
    total = 0.0
    for a in range(len(one)):
        gap = min(abs(one[a] - other[a]), tree.caps[a])
        total += gap * gap * tree.weights[a]
    return total


@part
def distances(tree: Tree, start: Int, count: Int, centre: Floats, found: Floats) -> None:
    """Write the squared distances of `count` points from place `start` on."""
    found[:count] = 0.0
    for a in range(len(centre)):
        own, weight, cap = centre[a], tree.weights[a], tree.caps[a]
        column = tree.points[a]
        for i in range(count):
            gap = min(abs(column[start + i] - own), cap)
            found[i] += gap * gap * weight


@part
def farthest(tree: Tree, centre: Floats) -> Int:
    """Return the record that is farthest from a (d,) centre; there is one left at least."""
    n, n_leaves = tree.shape
    waiting = np.empty(DEPTH, np.int64)
    bounds = np.empty(DEPTH)
    found = np.empty(LEAF)
    waiting[0] = 1
    bounds[0] = math.inf
    n_waiting = 1
    best, winner = -1.0, NOBODY
    while n_waiting > 0:
        n_waiting -= 1
        node, bound = waiting[n_waiting], bounds[n_waiting]
        if bound < best or (bound == best and tree.first[node] > winner):
            continue
        if node < n_leaves:
            near, far = 2 * node, 2 * node + 1
            low, high = -1.0, -1.0
            if tree.first[near] != NOBODY:
                low = _upper_bound(tree, near, centre)
            if tree.first[far] != NOBODY:
                high = _upper_bound(tree, far, centre)
            if low >= high:
                near, far, low, high = far, near, high, low
            # The more promising one is looked at first, of equal ones that of lower records.
            if low >= best and tree.first[near] != NOBODY:
                waiting[n_waiting] = near
                bounds[n_waiting] = low
                n_waiting += 1
            if high >= best and tree.first[far] != NOBODY:
                waiting[n_waiting] = far
                bounds[n_waiting] = high
                n_waiting += 1
            continue
        start = (node - n_leaves) * n // n_leaves
        count = tree.counts[node]
        distances(tree, start, count, centre, found)
        for i in range(count):
            if found[i] >= best:
                record = tree.records[start + i]
                if found[i] > best or record < winner:
                    best, winner = found[i], record
    return winner


@part
def nearest(tree: Tree, centre: Floats, group: Ints) -> None:
    """Write the records that are nearest to a (d,) centre, in no particular order.

    group: (m,) int64, filled; m points are left at least.
    """
    search(tree, centre, np.empty(len(group)), group, np.int64(0))


@part
def search(tree: Tree, centre: Floats, worst: Floats, group: Ints, n_found: Int) -> Int:
    """Write the nearest records and their distances as a heap; return how many there are.

    worst, group: (m,) float64 and int64, at least 1: distances and records, the farthest
    first. The first `n_found` entries, none or all, are a heap of others that nearer
    records take the place of.
    """
    n, n_leaves = tree.shape
    m = len(group)
    waiting = np.empty(DEPTH, np.int64)
    bounds = np.empty(DEPTH)
    found = np.empty(LEAF)
    waiting[0] = 1
    bounds[0] = 0.0
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        node, bound = waiting[n_waiting], bounds[n_waiting]
        if n_found == m and (
            bound > worst[0] or (bound == worst[0] and tree.first[node] > group[0])
        ):
            continue
        if node < n_leaves:
            near, far = 2 * node, 2 * node + 1
            low, high = math.inf, math.inf
            if tree.first[near] != NOBODY:
                low = _lower_bound(tree, near, centre)
            if tree.first[far] != NOBODY:
                high = _lower_bound(tree, far, centre)
            if high < low:
                near, far, low, high = far, near, high, low
            if tree.first[far] != NOBODY:
                waiting[n_waiting] = far
                bounds[n_waiting] = high
                n_waiting += 1
            if tree.first[near] != NOBODY:
                waiting[n_waiting] = near
                bounds[n_waiting] = low
                n_waiting += 1
            continue
        start = (node - n_leaves) * n // n_leaves
        count = tree.counts[node]
        distances(tree, start, count, centre, found)
        for i in range(count):
            record = tree.records[start + i]
            if n_found < m:
                n_found += 1
                _push_heap(worst, group, n_found - 1, found[i], record)
            elif found[i] < worst[0] or (found[i] == worst[0] and record < group[0]):
                _replace_heap_top(worst, group, found[i], record)
    return n_found


@part
def _push_heap(worst: Floats, group: Ints, at: Int, distance: float, record: Int) -> None:
    """Add a record to a heap at its end."""
    while at > 0:
        above = (at - 1) // 2
        if worst[above] > distance or (worst[above] == distance and group[above] > record):
            break
        worst[at] = worst[above]
        group[at] = group[above]
        at = above
    worst[at] = distance
    group[at] = record


@part
def _replace_heap_top(worst: Floats, group: Ints, distance: float, record: Int) -> None:
    """Put a record in the place of a heap's first."""
    m = len(group)
    at = 0
    while 2 * at + 1 < m:
        below = 2 * at + 1
        other = below + 1
        if other < m and (
            worst[other] > worst[below]
            or (worst[other] == worst[below] and group[other] > group[below])
        ):
            below = other
        if worst[below] < distance or (worst[below] == distance and group[below] < record):
            break
        worst[at] = worst[below]
        group[at] = group[below]
        at = below
    worst[at] = distance
    group[at] = record
