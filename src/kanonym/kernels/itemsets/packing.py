"""A lower bound of what hitting all itemsets costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel


@kernel
def pack(itemsets: NDArray[np.int32], costs: NDArray[np.float64]) -> float:
    """Return the weight of a fractional packing: no set that hits all itemsets costs less.

    itemsets: (n, size) int32; costs: float64, at least 0, of hitting each item; infinite ones never
    bind. Each itemset takes what the cheapest of its items has left. Cost O(n * size).
    """
    left = costs.copy()
    total = 0.0
    for i in range(len(itemsets)):
        least = np.inf
        for item in itemsets[i]:
            least = min(least, left[item])
        if least == np.inf:
            continue
        for item in itemsets[i]:
            left[item] -= least
        total += least
    return total
