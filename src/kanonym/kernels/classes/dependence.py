"""How many values groups of records have in each column, and how many they would have by chance."""

from __future__ import annotations

import math

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.compile import kernel

LARGEST_SHARE = 1 - 1e-12
"""A value that all records have is lacking nowhere, to rounding."""


@kernel
def values_of_groups(
    labels: Int32s, weights: Ints, n_groups: int, codes: Int32s, widths: Ints
) -> Floats:
    """Return (n_columns, 2): values of the groups in sum, found and expected of random groups.

    A group of s records lacks a value with probability (1 - share)^s.

    labels, weights: (n,) the group of each row, all of `n_groups`, and its records.
    codes, widths: (n_columns, n) codes from 0, and (n_columns,) their numbers.

    Cost O(n + width log width) a column, and a power for each pair of a count of records and a
    size of groups that differ.
    """
    n = len(labels)
    sizes = np.zeros(n_groups, np.int64)
    starts = np.zeros(n_groups + 1, np.int64)
    for i in range(n):
        sizes[labels[i]] += weights[i]
        starts[labels[i] + 1] += 1
    starts = np.cumsum(starts)
    order = np.empty(n, np.int64)
    for i in range(n):
        order[starts[labels[i]]] = i
        starts[labels[i]] += 1
    sizes = np.sort(sizes)
    records = int(sizes.sum())
    result = np.zeros((len(codes), 2))
    last = np.empty(widths.max() if len(widths) else 0, np.int32)
    for column in range(len(codes)):
        counts = np.zeros(widths[column], np.int64)
        last[: widths[column]] = -1
        values = 0.0
        for place in range(n):
            row = order[place]
            code = codes[column, row]
            counts[code] += weights[row]
            if last[code] != labels[row]:
                last[code] = labels[row]
                values += 1.0
        counts = np.sort(counts)
        expected = 0.0
        each = 0.0
        for value in range(len(counts)):
            if counts[value] == 0:
                continue
            if value == 0 or counts[value] != counts[value - 1]:
                lacking = math.log1p(-min(counts[value] / records, LARGEST_SHARE))
                each = 0.0
                one = 0.0
                for group in range(n_groups):
                    if group == 0 or sizes[group] != sizes[group - 1]:
                        one = -math.expm1(sizes[group] * lacking)
                    each += one
            expected += each
        result[column, 0] = values
        result[column, 1] = expected
    return result
