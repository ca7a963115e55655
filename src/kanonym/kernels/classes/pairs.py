"""Number equal pairs of 64-bit words: a hash table for columns of few different values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel

MOST = 1 << 17
"""More different pairs are not numbered: their table would no longer lie in a cache."""


@kernel
def number_pairs(
    pairs: NDArray[np.uint64], is_known: NDArray[np.bool_], codes: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Write numbers from 0 of equal pairs, as they appear; return the first place of each.

    pairs: (n, 2) uint64. is_known: (n,) bool, which of them count, or (0,) for all. codes: (n,)
    int32, overwritten with the numbers, -1 where a pair does not count. Of more than `MOST`
    different ones the numbering stops, and (0,) is returned.
    """
    most = min(len(pairs), MOST)
    n_slots = 1
    while n_slots < 2 * most:
        n_slots *= 2
    slots = np.full(n_slots, np.int32(-1), np.int32)
    mask = np.uint64(n_slots - 1)
    found = np.empty((most, 2), np.uint64)
    first = np.empty(most, np.int64)
    n_found = np.int32(0)
    every = len(is_known) == 0
    for i in range(len(pairs)):
        if not (every or is_known[i]):
            codes[i] = -1
            continue
        one, other = pairs[i, 0], pairs[i, 1]
        mixed = (one ^ (other * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xFF51AFD7ED558CCD)
        slot = (mixed ^ (mixed >> np.uint64(32))) & mask
        number = slots[slot]
        while number >= 0 and (found[number, 0] != one or found[number, 1] != other):
            slot = (slot + np.uint64(1)) & mask
            number = slots[slot]
        if number < 0:
            if n_found == most:
                return np.empty(0, np.int64)
            number = n_found
            slots[slot] = number
            found[number, 0], found[number, 1] = one, other
            first[number] = i
            n_found += np.int32(1)
        codes[i] = number
    return first[:n_found].copy()
