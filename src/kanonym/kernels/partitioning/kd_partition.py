"""Partition by a k-d tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria, sides_satisfy
from kanonym.kernels.classes.grouping import sort_rows
from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.partitioning.mondrian import separate
from kanonym.kernels.partitioning.quantile_cuts import quantile_cut


@kernel
def cell_bounds(codes: Int32s, starts: Ints, low: Int32s, high: Int32s) -> None:
    """Find the cell of each class: the lower side of a cut ends at its own largest code.

    The upper side begins at its own smallest one. What is not cut reaches as far as the table.

    codes: (n, d) int32 records, n and d at least 1, class by class as `halve_in_turn` has left
        them.
    starts: (n_classes + 1,) int64, the first record of each class, then n.
    low, high: (n_classes, d) int32, written: the least and the largest code of each class's cell.

    Notes
    -----
    The cuts are found again: a node is cut at the first attribute in turn whose median parts its
    classes as they are. A cut that was refused never does: had it, its sides would be unions of
    classes that satisfy the models, and it would have been made. This needs models that hold of
    joined classes if they hold of each. Cost O(n d log n) where halves are halves.
    """
    d = codes.shape[1]
    for a in range(d):
        low[0, a] = codes[:, a].min()
        high[0, a] = codes[:, a].max()
    # The larger side waits: at most 64 nodes ever do. A node is its first class, the one
    # behind its last, and the attempts so far; its bounds stand at its first class.
    waiting = np.empty((64, 3), np.int64)
    waiting[0, 0] = waiting[0, 2] = 0
    waiting[0, 1] = len(starts) - 1
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        first, stop, tried = waiting[n_waiting]
        while stop - first > 1:
            middle, tried = _cut_again(codes, starts, first, stop, tried, low, high)
            waiting[n_waiting, 2] = tried
            if middle - first <= stop - middle:
                waiting[n_waiting, 0] = middle
                waiting[n_waiting, 1] = stop
                stop = middle
            else:
                waiting[n_waiting, 0] = first
                waiting[n_waiting, 1] = middle
                first = middle
            n_waiting += 1


@part
def _cut_again(
    codes: Int32s, starts: Ints, first: Int, stop: Int, tried: Int, low: Int32s, high: Int32s
) -> tuple[Int, Int]:
    """Write the bounds of a node's sides; return the upper one's first class, and the attempts."""
    begin, end = starts[first], starts[stop]
    d = codes.shape[1]
    for _ in range(d):
        a = tried % d
        tried += 1
        column = codes[begin:end, a]
        half = len(column) // 2
        cut = np.partition(column.copy(), half - 1)[half - 1]
        boundary = begin + np.sum(column <= cut)
        middle = np.searchsorted(starts, boundary)
        if boundary == end or starts[middle] != boundary:
            continue
        if codes[begin:boundary, a].max() > cut:
            continue
        low[middle] = low[first]
        high[middle] = high[first]
        high[first, a] = cut
        low[middle, a] = codes[boundary:end, a].min()
        return middle, tried
    raise ValueError("classes that no kd-tree leaves")


@kernel
def halve_in_turn(records: Int32s, criteria: Criteria, is_start: Bools, attempts: Int32s) -> None:
    """Halve nodes, attributes in turn, until none can be halved; mark where classes start.

    A node of n records is cut behind the record of rank n // 2, with all records that are equal to
    it, if both sides satisfy the criteria; else the next attribute is tried. The sides begin with
    the attribute that follows. Whether the whole satisfies them is not asked.

    records: (n, d + s + 2) int32, n and d at least 1; classes end up in depth-first order, lower
        sides first.
    criteria: Of every class.
    is_start: (n,) bool, set to True at the first record of each class.
    attempts: (n,) int32, written at the first record of each class: attributes that were tried on
        the way to it, failures included. Attempt i was of attribute i modulo d.
    """
    d = records.shape[1] - len(criteria.references) - 2
    # The larger side waits: at most 64 nodes ever do.
    waiting = np.empty((64, 3), np.int64)
    waiting[0, 0] = waiting[0, 2] = 0
    waiting[0, 1] = len(records)
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        start, stop, tried = waiting[n_waiting]
        while True:
            middle, tried = _halve(records, start, stop, tried, d, criteria)
            if middle < 0:
                break
            waiting[n_waiting, 2] = tried
            if middle - start <= stop - middle:
                waiting[n_waiting, 0] = middle
                waiting[n_waiting, 1] = stop
                stop = middle
            else:
                waiting[n_waiting, 0] = start
                waiting[n_waiting, 1] = middle
                start = middle
            n_waiting += 1
        is_start[start] = True
        attempts[start] = tried


@part
def _halve(
    records: Int32s, start: Int, stop: Int, tried: Int, d: Int, criteria: Criteria
) -> tuple[Int, Int]:
    """Cut a node; return where its upper side begins, -1 if nowhere, and the attempts so far."""
    weight_at = records.shape[1] - 2
    total = np.int64(0)
    for i in range(start, stop):
        total += records[i, weight_at]
    if total < 2 * criteria.min_size:
        return np.int64(-1), tried
    for _ in range(d):
        a = tried % d
        tried += 1
        low = high = np.int64(records[start, a])
        for i in range(start, stop):
            low = min(low, np.int64(records[i, a]))
            high = max(high, np.int64(records[i, a]))
        cut, upto, _ = quantile_cut(records, start, stop, a, low, high, total // 2)
        if total - upto >= criteria.min_size and sides_satisfy(
            records, start, stop, a, cut, criteria, np.int64(0), np.int64(1)
        ):
            return separate(records, start, stop, a, cut), tried
    return np.int64(-1), tried


def accumulated_order(
    codes: Sequence[Int32s], sizes: Sequence[int], labels: Int32s, attempts: Int32s
) -> Ints:
    """Return the order in which sorting every node, attempt by attempt, leaves the rows.

    codes, sizes: d times (n_rows,) int32, and the number of codes of each attribute.
    labels: (n_rows,) int32, the class of each row.
    attempts: (n_classes,) int32 of each class, from `halve_in_turn`.
    Returns: (n_rows,) int64 row numbers, class by class.

    Notes
    -----
    A stable sort keeps what earlier ones did among equals, so a class stands sorted by its last
    attempt, ties by the one before it, and so on; what d attempts leave equal stands as it came.
    There are at most 2 d such sequences, and one radix sort a sequence sorts all classes of it:
    cost O(n_rows · d), whatever the classes.
    """
    d = len(codes)
    counts = np.bincount(labels, minlength=len(attempts))
    starts = np.cumsum(counts) - counts
    order = np.empty(len(labels), np.int64)
    # From d attempts on, only the last d count.
    depth = np.where(attempts > d, d + attempts % max(d, 1), attempts)
    depth_of_row = depth[labels]
    for one in np.unique(depth).tolist():
        rows = np.flatnonzero(depth_of_row == one)
        keys = [(one - 1 - step) % d for step in range(min(one, d))]
        columns = [labels[rows], *(codes[a][rows] for a in keys)]
        rows = rows[sort_rows(columns, [len(attempts), *(sizes[a] for a in keys)])]
        places = starts[labels[rows]]
        # Rows of one class follow each other: each goes one place behind the one before it.
        first = np.flatnonzero(np.diff(labels[rows], prepend=-1))
        runs = np.diff(first, append=len(rows))
        order[places + np.arange(len(rows)) - np.repeat(first, runs)] = rows
    return order
