"""Itemsets: packed keys, counts and candidates."""

from __future__ import annotations

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints, UInt64s
from kanonym.kernels.compile import Int, kernel, part


@kernel
def pack(itemsets: Int32s, costs: Floats) -> float:
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
    candidates: UInt64s, k: Int, m: Int, most: Int
) -> tuple[Int32s, Ints, int, int]:
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


_MIX = np.int64(-7046029254386353131)  # the golden ratio, as a multiplier that spreads keys


@kernel
def recode_sets(offsets: Ints, items: Int32s, rows: Ints, labels: Int32s) -> tuple[Ints, Int32s]:
    """Replace the items of some records by their labels, as sets.

    offsets: (n + 1,) int64; items: int32; rows: (m,) int64, the records; labels: int32, of each
    item, -1 where it is dropped. Returns the offsets (m + 1,) and the labels, ascending and
    distinct in each record. Cost O(items of a record squared) a record.
    """
    total = 0
    for row in rows:
        total += offsets[row + 1] - offsets[row]
    found = np.empty(total, np.int32)
    bounds = np.zeros(len(rows) + 1, np.int64)
    stop = 0
    for i in range(len(rows)):
        start = stop
        for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
            label = labels[items[j]]
            if label < 0:
                continue
            place = stop
            while place > start and found[place - 1] > label:
                place -= 1
            if place > start and found[place - 1] == label:
                continue
            for z in range(stop, place, -1):
                found[z] = found[z - 1]
            found[place] = label
            stop += 1
        bounds[i + 1] = stop
    return bounds, found[:stop]


@part
def _add(keys: Ints, counts: Ints, key: Int, amount: Int) -> bool:
    """Add to the count of a key; say whether the key is new. The table has a free place."""
    mask = np.int64(len(keys) - 1)
    place = ((key * _MIX) >> np.int64(24)) & mask
    while keys[place] != key:
        if keys[place] == -1:
            keys[place] = key
            counts[place] = amount
            return True
        place = (place + np.int64(1)) & mask
    counts[place] += amount
    return False


@kernel
def count_itemsets(
    offsets: Ints, items: Int32s, size: Int, wanted: Bools, bits: Int
) -> tuple[Ints, Ints]:
    """Count the itemsets of one size that have a wanted item.

    offsets: (n + 1,) int64; items: int32, ascending in a record; size: at least 1; wanted: bool,
    by item; bits: of an item, size * bits below 63. Returns keys and counts, int64, in no order.
    Cost: the itemsets of each record that has a wanted item.
    """
    keys = np.full(1 << 10, -1, np.int64)
    counts = np.zeros(1 << 10, np.int64)
    used = 0
    place = np.empty(size, np.int64)
    key_of = np.zeros(size + 1, np.int64)  # of the first items
    has = np.zeros(size + 1, np.int64)  # how many of them are wanted
    for i in range(len(offsets) - 1):
        start, stop = offsets[i], offsets[i + 1]
        if stop - start < size:
            continue
        last = start - 1  # the last wanted item: without one after it, a prefix is given up
        for j in range(stop - 1, start - 1, -1):
            if wanted[items[j]]:
                last = j
                break
        if last < start:
            continue
        depth = 0
        place[0] = start
        while depth >= 0:
            j = place[depth]
            if j > stop - (size - depth) or (has[depth] == 0 and j > last):
                depth -= 1
                if depth >= 0:
                    place[depth] += 1
                continue
            has[depth + 1] = has[depth] + wanted[items[j]]
            key_of[depth + 1] = (key_of[depth] << bits) | np.int64(items[j])
            if depth + 1 < size:
                depth += 1
                place[depth] = j + 1
                continue
            place[depth] += 1
            if has[size] == 0:
                continue
            if _add(keys, counts, key_of[size], np.int64(1)):
                used += 1
                if 2 * used > len(keys):
                    more = np.full(4 * len(keys), -1, np.int64)
                    tally = np.zeros(4 * len(keys), np.int64)
                    for z in range(len(keys)):
                        if keys[z] != -1:
                            _add(more, tally, keys[z], counts[z])
                    keys, counts = more, tally
    held = np.empty(used, np.int64)
    numbers = np.empty(used, np.int64)
    at = 0
    for z in range(len(keys)):
        if keys[z] != -1:
            held[at] = keys[z]
            numbers[at] = counts[z]
            at += 1
    return held, numbers
