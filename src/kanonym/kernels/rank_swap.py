"""Who swaps with whom among sorted values, within a reach of ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel


@kernel
def swap_ranks(draws: NDArray[np.float64], reach: int) -> NDArray[np.int64]:
    """Pair ranks with ranks above them, each with at most one.

    Parameters
    ----------
    draws
        (n,) float64 in [0, 1): which of the c free ranks within reach a rank swaps with
        is the floor of c times its draw.
    reach
        How far apart two ranks that swap may be.

    Returns
    -------
    (n,) int64, the partner of each rank; a rank itself where none was free.

    Notes
    -----
    A Fenwick tree counts the free ranks. All ranks up to the current one are decided, so
    those that it counts up to the end of the reach are within it. Cost O(n log n).

    """
    n = len(draws)
    partner = np.arange(n)
    free = np.empty(n + 1, np.int64)
    for node in range(n + 1):
        free[node] = node & -node
    top = 1
    while 2 * top <= n:
        top *= 2
    for rank in range(n):
        if partner[rank] != rank:
            continue
        node = rank + 1
        while node <= n:
            free[node] -= 1
            node += node & -node
        count = 0
        node = min(rank + 1 + reach, n)
        while node > 0:
            count += free[node]
            node -= node & -node
        if count == 0:
            continue
        # The free rank that has `left` free ones before it.
        left = int(draws[rank] * count)
        other = 0
        step = top
        while step > 0:
            if other + step <= n and free[other + step] <= left:
                other += step
                left -= free[other]
            step //= 2
        partner[rank] = other
        partner[other] = rank
        node = other + 1
        while node <= n:
            free[node] -= 1
            node += node & -node
    return partner
