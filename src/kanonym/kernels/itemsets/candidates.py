"""How many records could be a person's of whom some items are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel, part


@part
def _bits_set(word: np.uint64) -> np.int64:
    """Return how many bits of a word are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    pairs = word & np.uint64(0x3333333333333333)
    word = pairs + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def rare_known_items(
    candidates: NDArray[np.uint64], k: Int, m: Int, most: Int
) -> tuple[NDArray[np.int32], NDArray[np.int64], int, int]:
    """Find the known items with candidates, but fewer than k of them.

    candidates: (n, n_words) uint64, bit sets: the records that could be those of a person with
    each item; k, m: at most m known items; most: how many are listed. Returns (listed, m) int32,
    the items of each, filled up with -1; (listed,) int64, their candidates; how many there are in
    all; and the fewest candidates, not 0, of all that was looked at (2^62 of nothing). Sets that
    contain a rare one are left out. Cost O(n_words) for each set of at most m items that has
    candidates.
    """
    n, n_words = candidates.shape
    found = np.full((most, m), -1, np.int32)
    numbers = np.zeros(most, np.int64)
    listed = 0
    least = np.int64(1) << np.int64(62)
    held = np.empty((m + 1, n_words), np.uint64)
    held[0] = np.uint64(0xFFFFFFFFFFFFFFFF)
    place = np.zeros(m, np.int64)
    depth = 0
    while depth >= 0:
        item = place[depth]
        if item >= n:
            depth -= 1
            if depth >= 0:
                place[depth] += 1
            continue
        size = np.int64(0)
        for word in range(n_words):
            both = held[depth, word] & candidates[item, word]
            held[depth + 1, word] = both
            size += _bits_set(both)
        if size > 0:
            least = min(least, size)
        if size >= k and depth + 1 < m:
            place[depth + 1] = item + 1
            depth += 1
            continue
        if 0 < size < k:
            if listed < most:
                for z in range(depth + 1):
                    found[listed, z] = place[z]
                numbers[listed] = size
            listed += 1
        place[depth] += 1
    kept = min(listed, most)
    return found[:kept], numbers[:kept], listed, int(least)
