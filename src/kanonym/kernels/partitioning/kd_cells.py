"""The cells of SIGO's kd-tree: what its cuts leave of the table's span, read off its classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel, part


@kernel
def cell_bounds(
    codes: NDArray[np.int32],
    starts: NDArray[np.int64],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
) -> None:
    """Find the cell of each class: the lower side of a cut ends at its own largest code.

    The upper side begins at its own smallest one. What is not cut reaches as far as the table.

    Parameters
    ----------
    codes
        (n, d) int32 records, n and d at least 1, class by class as `halve_in_turn` has left
        them.
    starts
        (n_classes + 1,) int64, the first record of each class, then n.
    low, high
        (n_classes, d) int32, written: the least and the largest code of each class's cell.

    Notes
    -----
    The cuts are found again: a node is cut at the first attribute in turn whose median parts its
    classes as they are. A cut that was refused never does: had it, its sides
    would be unions of classes that satisfy the models, and it would have been made. This needs
    models that hold of joined classes if they hold of each. Cost O(n d log n) where halves are
    halves.

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
    codes: NDArray[np.int32],
    starts: NDArray[np.int64],
    first: Int,
    stop: Int,
    tried: Int,
    low: NDArray[np.int32],
    high: NDArray[np.int32],
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
