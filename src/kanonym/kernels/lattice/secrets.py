"""Histograms of sensitive values, class by class, where the tuples of a branch stand so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel


@kernel
def secret_histograms(
    class_of: NDArray[np.int32],
    keys: NDArray[np.uint64],
    shift: Int,
    width: Int,
    value_of: NDArray[np.int32],
    records: NDArray[np.int32],
    n_classes: Int,
    n_values: Int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Count the records of each class by value, where tuples stand by class.

    Parameters
    ----------
    class_of
        (n,) int32 class of each tuple, ascending.
    keys, shift, width
        (n,) uint64: the word that holds the field of sensitive values, and where.
    value_of
        (n_combinations,) int32: the value that the field stands for; negative ones are skipped.
    records
        (n,) int32 number of records of each tuple; tuples without a record are skipped.
    n_classes, n_values
        Number of classes and of values.

    Returns
    -------
    offsets (n_classes + 1,) int64, values (n_entries,) int32 ascending within a class, counts
    (n_entries,) int64: the sparse rows of `Distribution`.

    Notes
    -----
    O(n + n_classes), and a sort of the values that a class holds. `class_histograms` takes tuples
    in any order, for several times as long.

    """
    mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    n = len(class_of)
    count = np.zeros(n_values, np.int64)
    held = np.empty(n_values, np.int32)
    offsets = np.zeros(n_classes + 1, np.int64)
    values = np.empty(n, np.int32)
    counts = np.empty(n, np.int64)
    end = 0
    i = 0
    for label in range(n_classes):
        n_held = 0
        while i < n and class_of[i] == label:
            value = value_of[np.int64((keys[i] >> np.uint64(shift)) & mask)]
            if value >= 0 and records[i] > 0:
                if count[value] == 0:
                    held[n_held] = value
                    n_held += 1
                count[value] += records[i]
            i += 1
        if n_held > 1:
            held[:n_held].sort()
        for j in range(n_held):
            values[end] = held[j]
            counts[end] = count[held[j]]
            count[held[j]] = 0
            end += 1
        offsets[label + 1] = end
    return offsets, values[:end].copy(), counts[:end].copy()
