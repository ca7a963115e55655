"""Sizes of groups, also where cells are wildcards."""

from __future__ import annotations

import numpy as np

from kanonym.kernels.arrays import Bools, Int32s, Ints, UInt64s
from kanonym.kernels.compile import kernel

PART_BITS = 9
"""Keys are counted in as many parts as so many bits tell apart: the table of each fits a cache."""

_MIXING = np.uint64(0x9E3779B97F4A7C15)  # odd: different keys stay different


@kernel
def count_groups(key: UInt64s) -> tuple[int, int, int, int]:
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
def exceeds_pairs(key: UInt64s, most: int) -> bool:
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


FEW_PAIRS = 64
"""So many pairs of tuples, or fewer, are compared one by one: a hash table costs more."""


def wildcard_sizes(codes: Int32s, weights: Ints, null_codes: Int32s) -> Ints:
    """Count, for every tuple, the records that are compatible with it, its own included.

    Two tuples are compatible where they agree in every column in which neither has a null: an
    intruder cannot tell them apart by what both say. Compatibility is not transitive, so these sets
    are no partition. Tuples with nulls in the same columns form a pattern. Tuples of two patterns
    are compatible exactly where they agree on the columns that are null in neither, so each pair of
    patterns takes one hash join: O(n_patterns * n_tuples) probes, not O(n_tuples squared).

    codes: (n_tuples, n_columns) int32, C order; tuples may repeat.
    weights: (n_tuples,) int64 number of records of each tuple.
    null_codes: (n_columns,) int32 code of null, -1 in columns without one. Returns: (n_tuples,)
        int64; the smallest is k with nulls as wildcards.
    """
    is_null = codes == null_codes
    packed = np.packbits(is_null, axis=1)
    patterns, pattern_of = np.unique(packed, axis=0, return_inverse=True)
    pattern_of = pattern_of.reshape(-1)
    order = np.argsort(pattern_of, kind="stable")
    offsets = np.searchsorted(pattern_of[order], np.arange(len(patterns) + 1))
    masks = is_null[order[offsets[:-1]]]
    sizes = np.empty(len(codes), np.int64)
    sizes[order] = _join_patterns(codes[order], weights[order], masks, offsets)
    return sizes


@kernel
def _join_patterns(codes: Int32s, weights: Ints, masks: Bools, offsets: Ints) -> Ints:
    """Return (n_tuples,) int64, the compatible records of every tuple, pattern by pattern.

    Pattern i owns the tuples offsets[i] to offsets[i + 1] (exclusive); `masks`
    (n_patterns, n_columns) bool says where it is null.
    """
    n_tuples, n_columns = codes.shape
    n_patterns = len(masks)
    sizes = np.zeros(n_tuples, np.int64)
    hashes = np.zeros(n_tuples, np.uint64)
    for i in range(n_tuples):
        for column in range(n_columns):
            hashes[i] ^= _mix(column, codes[i, column])
    left_out = np.empty(n_columns, np.int64)
    slots = np.empty(0, np.int64)  # hash table of the smaller pattern: a tuple, or -1
    small_records = np.empty(0, np.int64)  # by slot
    large_records = np.empty(0, np.int64)
    slot_of = np.empty(0, np.int64)  # by tuple of the smaller pattern
    for first in range(n_patterns):
        one = masks[first]
        for second in range(first, n_patterns):
            other = masks[second]
            start, stop = offsets[first], offsets[first + 1]
            other_start, other_stop = offsets[second], offsets[second + 1]
            if first != second and (stop - start) * (other_stop - other_start) <= FEW_PAIRS:
                for i in range(start, stop):
                    for j in range(other_start, other_stop):
                        if _agree(codes, i, j, one, other):
                            sizes[i] += weights[j]
                            sizes[j] += weights[i]
                continue
            if stop - start > other_stop - other_start:
                start, stop, other_start, other_stop = other_start, other_stop, start, stop
            n_out = 0
            for column in range(n_columns):
                if one[column] or other[column]:
                    left_out[n_out] = column
                    n_out += 1
            capacity = 2
            while capacity < 2 * (stop - start):
                capacity *= 2
            if len(slots) < capacity:
                slots = np.empty(capacity, np.int64)
                small_records = np.empty(capacity, np.int64)
                large_records = np.empty(capacity, np.int64)
                slot_of = np.empty(capacity, np.int64)
            table, out = slots[:capacity], left_out[:n_out]
            for slot in range(capacity):
                table[slot] = -1
            for i in range(start, stop):
                slot = _find(codes, i, hashes[i], out, table, one, other)
                if table[slot] < 0:
                    table[slot] = i
                    small_records[slot] = 0
                    large_records[slot] = 0
                small_records[slot] += weights[i]
                slot_of[i - start] = slot
            for i in range(other_start, other_stop):
                slot = _find(codes, i, hashes[i], out, table, one, other)
                if table[slot] >= 0:
                    large_records[slot] += weights[i]
                    sizes[i] += small_records[slot]
            if first != second:
                for i in range(start, stop):
                    sizes[i] += large_records[slot_of[i - start]]
    return sizes


@kernel
def _agree(codes: Int32s, i: int, j: int, one: Bools, other: Bools) -> bool:
    """Say whether two tuples are equal on the columns that are null in neither pattern."""
    for column in range(codes.shape[1]):
        if codes[i, column] != codes[j, column] and not one[column] and not other[column]:
            return False
    return True


@kernel
def _find(
    codes: Int32s, i: int, whole: np.uint64, left_out: Ints, table: Ints, one: Bools, other: Bools
) -> int:
    """Return the slot of a tuple that agrees with tuple i, or the free one for it.

    `whole` is the hash over all columns; the terms of those left out cancel out.
    """
    for j in range(len(left_out)):
        whole ^= _mix(left_out[j], codes[i, left_out[j]])
    slot = int(whole >> np.uint64(20)) & (len(table) - 1)
    while table[slot] >= 0 and not _agree(codes, i, table[slot], one, other):
        slot = (slot + 1) & (len(table) - 1)
    return slot


@kernel
def _mix(column: int, code: int) -> np.uint64:
    """Return the hash of one cell (the finalizer of splitmix64)."""
    state = np.uint64(column + 1) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(code)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))
