"""Count the groups of equal rows by hash tables: their sizes, without numbering them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel

PART_BITS = 9
"""Keys are counted in as many parts as so many bits tell apart: the table of each fits a cache."""

_MIXING = np.uint64(0x9E3779B97F4A7C15)  # odd: different keys stay different


@kernel
def count_groups(key: NDArray[np.uint64]) -> tuple[int, int, int, int]:
    """Return the numbers of groups, of groups of one row, of rows of the smallest, and of pairs.

    key: (n,) uint64, equal where rows are; overwritten. Pairs are those of equal rows. Without
    a row all are 0. Cost O(n), in a second array of n keys.
    """
    n = len(key)
    down = np.uint64(64 - PART_BITS)
    starts = np.zeros((1 << PART_BITS) + 1, np.int64)
    for i in range(n):
        key[i] *= _MIXING
        starts[(key[i] >> down) + 1] += 1
    for part in range(1 << PART_BITS):
        starts[part + 1] += starts[part]
    place, keys = starts.copy(), np.empty(n, np.uint64)
    for i in range(n):
        part = key[i] >> down
        keys[place[part]] = key[i]
        place[part] += 1
    n_groups, n_alone, n_pairs, smallest = 0, 0, 0, n
    held, counts = np.empty(0, np.uint64), np.empty(0, np.int32)
    for part in range(1 << PART_BITS):
        first, last = starts[part], starts[part + 1]
        bits = 1
        while (1 << bits) < 2 * (last - first):
            bits += 1
        n_slots = 1 << bits
        if n_slots > len(held):
            held, counts = np.empty(n_slots, np.uint64), np.empty(n_slots, np.int32)
        counts[:n_slots] = 0
        mask, shift = np.uint64(n_slots - 1), np.uint64(64 - PART_BITS - bits)
        for i in range(first, last):
            slot = (keys[i] >> shift) & mask
            while counts[slot] and held[slot] != keys[i]:
                slot = (slot + np.uint64(1)) & mask
            before = int(counts[slot])
            held[slot], counts[slot] = keys[i], before + 1
            n_pairs += before
            n_groups += before == 0
            n_alone += int(before == 0) - int(before == 1)
        if n_alone == 0:
            for slot in range(n_slots):
                if 0 < counts[slot] < smallest:
                    smallest = int(counts[slot])
    return n_groups, n_alone, 1 if n_alone else smallest, n_pairs


@kernel
def exceeds_pairs(key: NDArray[np.uint64], most: int) -> bool:
    """Tell whether there are more than so many pairs of equal rows; stop as soon as there are.

    key: (n,) uint64, equal where rows are. Cost O(n), and less where there are many pairs.
    """
    n = len(key)
    bits = 1
    while (1 << bits) < 2 * n:
        bits += 1
    mask, shift = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    held, counts = np.empty(1 << bits, np.uint64), np.zeros(1 << bits, np.int32)
    n_pairs = 0
    for i in range(n):
        slot = (key[i] * _MIXING) >> shift
        while counts[slot] and held[slot] != key[i]:
            slot = (slot + np.uint64(1)) & mask
        n_pairs += counts[slot]
        if n_pairs > most:
            return True
        held[slot] = key[i]
        counts[slot] += np.int32(1)
    return False
