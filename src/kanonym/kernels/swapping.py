"""Rank swaps and shuffles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.compile import Int, kernel


@kernel
def swap_ranks(draws: Floats, reach: int) -> Ints:
    """Pair ranks with ranks above them, each with at most one.

    A Fenwick tree counts the free ranks. All ranks up to the current one are decided, so those that
    it counts up to the end of the reach are within it. Cost O(n log n).

    draws: (n,) float64 in [0, 1): which of the c free ranks within reach a rank swaps with is the
        floor of c times its draw.
    reach: How far apart two ranks that swap may be.
    Returns: (n,) int64, the partner of each rank; a rank itself where none was free.
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


BLOCK = 1 << 14
"""Random words that are drawn at once."""


def shuffle(rows: Int32s, seed: int) -> None:
    """Shuffle (n,) int32 rows in place, as numpy's generator of that seed does.

    numpy waits for each swap, as it may have to draw again before the next; here the places of
    many swaps are known before the first of them, and the memory is read ahead.
    """
    bits = np.random.default_rng(seed).bit_generator
    left = len(rows) - 1
    places = np.empty(2 * BLOCK, np.int32)
    while left > 0:
        words = np.asarray(bits.random_raw(BLOCK)).astype("<u8", copy=False).view("<u4")
        left = int(swap(rows, words, left, places))


@kernel
def swap(rows: Int32s, words: NDArray[np.uint32], left: Int, places: Int32s) -> Int:
    """Swap each row from place `left` downwards with one of no higher place; return what is left.

    rows: (n,) int32, n at most 2**31. words: (m,) random uint32; the lowest bits of each, as many
    as the place has, are a place, or are passed over where they are too high. places: (m,) int32,
    overwritten.
    """
    mask = np.int64(1)
    while mask < left:
        mask = 2 * mask + 1
    first, n_places = np.int64(left), np.int64(0)
    last = first
    for word in words:
        if last == 0:
            break
        if mask >> 1 >= last:
            mask >>= 1
        place = np.int64(word) & mask
        places[n_places] = place
        fits = np.int64(place <= last)
        n_places += fits
        last -= fits
    for i in range(n_places):
        one, other = first - i, places[i]
        rows[one], rows[other] = rows[other], rows[one]
    return last
