"""Sorted numbers cut into groups of least squared error: a shortest path, walked forwards."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel


@kernel
def optimal_cut(values: NDArray[np.float64], k: int) -> NDArray[np.int32]:
    """Cut sorted numbers into groups of at least k with the least sum of squared errors.

    Parameters
    ----------
    values
        (n,) float64, ascending; squares of their differences are finite.
    k
        From 1 to n.

    Returns
    -------
    (n,) int32, the group of each number, ascending; every group has k to 2 k - 1.

    Notes
    -----
    The best cut of the first j numbers ends with a group of k to 2 k - 1, for a larger one
    is worth halving, and what comes before is a best cut, too. Of equally good last
    groups the smallest is taken. Cost O(n k).

    The squared error of a group is summed from the differences to its last number, so it
    is small where the group is narrow, wherever it lies. The least error so far is
    kept in two parts, in twice the precision, and compared by differences: an outlier
    at the beginning does not drown what comes after it.

    Hansen and Mukherjee 2003, "A polynomial algorithm for optimal univariate
    microaggregation", IEEE TKDE 15(4).

    """
    n = len(values)
    # The least error of the first j numbers, and what rounding left of it.
    least = np.full(n + 1, math.inf)
    rest = np.zeros(n + 1)
    last = np.zeros(n + 1, np.int64)
    least[0] = 0.0
    for j in range(k, n + 1):
        top = values[j - 1]
        total = squares = 0.0
        for size in range(1, k):
            gap = top - values[j - size]
            total += gap
            squares += gap * gap
        # Where j is 2 k or more, the first j - k numbers can be cut; else they are none.
        base, beyond = (least[j - k], rest[j - k]) if j >= 2 * k else (0.0, 0.0)
        best = math.inf
        for size in range(k, min(2 * k - 1, j) + 1):
            gap = top - values[j - size]
            total += gap
            squares += gap * gap
            before = (least[j - size] - base) + (rest[j - size] - beyond)
            error = before + max(squares - total * total / size, 0.0)
            if error < best:
                best = error
                last[j] = size
        # Knuth's TwoSum.
        sum_ = base + best
        added = sum_ - base
        rest[j] = beyond + ((base - (sum_ - added)) + (best - added))
        least[j] = sum_
    labels = np.empty(n, np.int32)
    j = n
    n_groups = 0
    while j > 0:
        for i in range(j - last[j], j):
            labels[i] = -n_groups
        n_groups += 1
        j -= last[j]
    for i in range(n):
        labels[i] += n_groups - 1
    return labels
