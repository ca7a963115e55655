"""V-MDAV: groups that grow by records which belong to them rather than to others."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.microaggregation.centroid import NOMINAL, Totals, add, locate, totals_of_none
from kanonym.kernels.neighbours.kdtree import (
    NOBODY,
    Tree,
    nearest,
    new_tree,
    rebuild,
    remove_points,
    search,
    sort,
    squared_distance,
)


@kernel
def v_mdav(
    rows: NDArray[np.float64],
    weights: NDArray[np.float64],
    k: int,
    kinds: NDArray[np.int8],
    gamma: float,
) -> tuple[NDArray[np.int32], int]:
    """Divide records into groups of k to 2 k - 1, and up to k - 1 more in all.

    Parameters
    ----------
    rows, weights, k, kinds
        As of `kernels.microaggregation.mdav`.
    gamma
        At least 0: a group grows by a record whose distance to it is less than gamma
        times the distance to any other record that is left.

    Returns
    -------
    (n,) int32, the group of each record in the order of their formation; their number.

    Notes
    -----
    As long as k records are left, a group is made of the record farthest from the centroid
    of all records and its k - 1 nearest. It then grows up to 2 k - 1: the record that is
    nearest to any of its members joins if it is near enough; where no other is left, it
    is. Records that are left in the end join the group of the nearest centroid, as this
    was before, of equally near ones the first. Ties go to the lower record number.
    A k-d tree answers what is nearest. Cost O(n²d) at the worst.

    """
    n, d = rows.shape
    labels = np.full(n, -1, np.int32)
    tree = new_tree(rows, weights)
    for a in range(d):
        if kinds[a] == NOMINAL:
            tree.caps[a] = 1.0
    totals = totals_of_none(rows, kinds)
    centre = np.empty(d)
    for record in range(n):
        add(totals, rows, record, 1.0)
    locate(totals, n, centre)
    outermost = np.arange(n)
    reach = np.empty(n)
    for record in range(n):
        reach[record] = -squared_distance(tree, rows[record], centre)
    sort(reach, outermost, n)
    group = np.empty(k, np.int64)
    members = np.empty(2 * k - 1, np.int64)
    n_groups = 0
    built = 2 * n
    left = n
    head = 0
    while left >= k:
        if 2 * left <= built:
            rebuild(tree)
            built = left
        while tree.place[outermost[head]] < 0:
            head += 1
        nearest(tree, rows[outermost[head]], group)
        remove_points(tree, group)
        members[:k] = group
        size = _extend_group(tree, members, k, left - k, gamma)
        for record in members[:size]:
            labels[record] = n_groups
        n_groups += 1
        left -= size
    if left > 0:
        totals.sums[:] = 0.0
        totals.counts[:] = 0
        _join_remaining(tree, totals, labels, n_groups)
    return labels, n_groups


@part
def _extend_group(
    tree: Tree, members: NDArray[np.int64], size: Int, left: Int, gamma: float
) -> Int:
    """Let a group grow; members: (2 k - 1,) int64, the first `size` are in use. Return its size."""
    joining, d_in = np.empty(1, np.int64), np.empty(1)
    pair, d_out = np.empty(2, np.int64), np.empty(2)
    # Nothing that is left is nearer to a member.
    least = np.zeros(len(members))
    while gamma > 0 and size < len(members) and left > 0:
        joining[0] = NOBODY
        d_in[0] = math.inf
        for i in range(size):
            if least[i] <= d_in[0]:
                search(tree, tree.rows[members[i]], d_in, joining, np.int64(1))
                least[i] = d_in[0]
        d_out[0] = math.inf
        if left > 1:
            # The nearest but one: it is among those that are left itself, at distance 0.
            search(tree, tree.rows[joining[0]], d_out, pair, np.int64(0))
        if math.sqrt(d_in[0]) >= gamma * math.sqrt(d_out[0]):
            break
        remove_points(tree, joining)
        members[size] = joining[0]
        size += 1
        left -= 1
    return size


@part
def _join_remaining(tree: Tree, totals: Totals, labels: NDArray[np.int32], n_groups: Int) -> None:
    """Put records without a group, whose label is -1, into that of the nearest centroid."""
    n, d = tree.rows.shape
    # The records group by group, those without a group first.
    starts = np.zeros(n_groups + 2, np.int64)
    for record in range(n):
        starts[labels[record] + 2] += 1
    starts = np.cumsum(starts)
    ordered = np.empty(n, np.int64)
    place = starts.copy()
    for record in range(n):
        ordered[place[labels[record] + 1]] = record
        place[labels[record] + 1] += 1
    rest = ordered[: starts[1]]
    best = np.full(len(rest), math.inf)
    centre = np.empty(d)
    for group in range(n_groups):
        own = ordered[starts[group + 1] : starts[group + 2]]
        for record in own:
            add(totals, tree.rows, record, 1.0)
        locate(totals, len(own), centre)
        for record in own:
            add(totals, tree.rows, record, -1.0)
        for i in range(len(rest)):
            distance = squared_distance(tree, tree.rows[rest[i]], centre)
            if distance < best[i]:
                best[i] = distance
                labels[rest[i]] = group
