"""The classes of the finest node of a branch of the lattice, and sums over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel
from kanonym.kernels.lattice.walk import (
    ABOVE,
    LABEL,
    RECORDS,
    SHIFT,
    START,
    WORD,
    Axes,
    bits_from,
    differs,
    field_of,
)


@kernel
def find_finest_classes(
    keys: NDArray[np.uint64], counts: NDArray[np.int32], axes: Axes
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (n_classes,) int64 first tuples and (n_classes,) int64 records of the finest classes.

    keys, counts, axes: as in `find_runs`. Tuples of a class differ in secrets alone.
    """
    n, last = keys.shape[1], len(axes.kept) - 1
    word, mask = axes.fields[last, WORD], bits_from(axes.fields[last, SHIFT])
    first, sizes = np.empty(n, np.int64), np.zeros(n, np.int64)
    c = -1
    for i in range(n):
        if differs(keys, i, word, mask):
            c += 1
            first[c] = i
        sizes[c] += counts[0, i]
    return first[: c + 1].copy(), sizes[: c + 1].copy()


@kernel
def labels_of_classes(
    keys: NDArray[np.uint64], first: NDArray[np.int64], axes: Axes, a: Int
) -> NDArray[np.int32]:
    """Return (n_classes,) int32: the labels of attribute a, by the first tuple of each class."""
    labels = np.empty(len(first), np.int32)
    for c in range(len(first)):
        labels[c] = field_of(keys, first[c], axes, a)
    return labels


@kernel
def sum_by_run(
    floors: NDArray[np.float64], first: NDArray[np.int64], runs: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return (n_runs, n_floors) float64: (n_classes, n_floors) numbers added up in each run."""
    sums = np.zeros((len(runs) - 1, floors.shape[1]))
    r = -1
    for c in range(len(floors)):
        while runs[r + 1, START] <= first[c]:
            r += 1
        for f in range(floors.shape[1]):
            sums[r, f] += floors[c, f]
    return sums


@kernel
def sum_by_class(
    floors: NDArray[np.float64], runs: NDArray[np.int64], labels: NDArray[np.int32], least: Int
) -> tuple[NDArray[np.float64], int]:
    """Return numbers of runs added up in each class that is large enough, and lost records.

    Parameters
    ----------
    floors
        (n_runs, n_floors) float64.
    runs
        From `find_runs`.
    labels
        (n_codes,) int32: runs of a class have equal labels of their label.
    least
        Records of the smallest class that is large enough.

    Returns
    -------
    (n_kept, n_floors) float64, and the records of the other classes. Cost O(n_runs).

    """
    n_runs, n_floors = floors.shape
    sums = np.zeros((n_runs, n_floors))
    n_kept, lost, r = 0, 0, 0
    while r < n_runs:
        above, label, size = runs[r, ABOVE], labels[runs[r, LABEL]], 0
        begin = r
        while runs[r, ABOVE] == above and labels[runs[r, LABEL]] == label:
            size += runs[r, RECORDS]
            r += 1
        if size < least:
            lost += size
            continue
        for one in range(begin, r):
            for f in range(n_floors):
                sums[n_kept, f] += floors[one, f]
        n_kept += 1
    return sums[:n_kept].copy(), int(lost)
