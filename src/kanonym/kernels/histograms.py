"""Histograms of the sensitive values of every class, present values only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel


@kernel
def class_histograms(
    labels: NDArray[np.int32],
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    n_classes: int,
    n_values: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Count the records of each class by value.

    Parameters
    ----------
    labels
        (n,) int32 class of each tuple, below `n_classes`; negative ones are skipped.
    codes
        (n,) int32 value of each tuple, below `n_values`; negative ones are skipped.
    weights
        (n,) int64 number of records of each tuple; tuples without a record are skipped.
    n_classes, n_values
        Number of classes and of values.

    Returns
    -------
    offsets (n_classes + 1,) int64, values (n_entries,) int32 ascending within a
    class, counts (n_entries,) int64: the sparse rows of `Distribution`.

    Notes
    -----
    Two counting sorts, first by value and then by class, so that entries arrive in
    order and equal ones meet: O(n + n_classes + n_values), no comparison.

    """
    n = len(labels)
    start_of_value = np.zeros(n_values + 1, np.int64)
    start_of_class = np.zeros(n_classes + 1, np.int64)
    for i in range(n):
        if labels[i] >= 0 and codes[i] >= 0 and weights[i] > 0:
            start_of_value[codes[i] + 1] += 1
            start_of_class[labels[i] + 1] += 1
    for value in range(n_values):
        start_of_value[value + 1] += start_of_value[value]
    for label in range(n_classes):
        start_of_class[label + 1] += start_of_class[label]

    n_kept = start_of_class[n_classes]
    order = np.empty(n_kept, np.int32)  # tuples by value
    for i in range(n):
        if labels[i] >= 0 and codes[i] >= 0 and weights[i] > 0:
            order[start_of_value[codes[i]]] = i
            start_of_value[codes[i]] += 1

    values = np.empty(n_kept, np.int32)
    counts = np.empty(n_kept, np.int64)
    end_of_class = start_of_class.copy()  # of the entries so far
    for k in range(n_kept):
        i = order[k]
        label = labels[i]
        end = end_of_class[label]
        if end > start_of_class[label] and values[end - 1] == codes[i]:
            counts[end - 1] += weights[i]
        else:
            values[end] = codes[i]
            counts[end] = weights[i]
            end_of_class[label] += 1

    offsets = np.zeros(n_classes + 1, np.int64)
    end = 0
    for label in range(n_classes):
        for j in range(start_of_class[label], end_of_class[label]):
            values[end] = values[j]
            counts[end] = counts[j]
            end += 1
        offsets[label + 1] = end
    return offsets, values[:end].copy(), counts[:end].copy()
