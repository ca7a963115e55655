"""Conditions over the values of records, alone and in pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints, UInt64s
from kanonym.kernels.classes.disclosure import class_measure, holds
from kanonym.kernels.compile import Int, kernel, part

MOST = 1 << 17
"""More different pairs are not numbered: their table would no longer lie in a cache."""


@kernel
def number_pairs(pairs: UInt64s, is_known: Bools, codes: Int32s) -> Ints:
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


class Criteria(NamedTuple):
    """What every class must satisfy.

    min_size: Smallest number of records of a class.
    conditions: (n_conditions, 5) int64: measure, sensitive attribute, relation, argument, levels of
        the attribute's hierarchy (0 without one).
    thresholds: (n_conditions,) float64.
    references: (s, n_rows, n_values) float64, `disclosure.reference_shares` by attribute, padded to
        the largest.
    ancestors: (s, n_levels, n_values) int32, padded.
    chance: Probability with which a node of twice the least size is left whole, where there are
        conditions.
    key: What is drawn follows from it.
    """

    min_size: int
    conditions: Ints
    thresholds: Floats
    references: Floats
    ancestors: Int32s
    chance: float = 0.0
    key: int = 0


class Tuples(NamedTuple):
    """The tuples of a table.

    codes: (n, d) int32, of the quasi-identifiers.
    secrets: (n, s) int32, of the sensitive attributes; negative where null does not count.
    weights: (n,) int64 numbers of their records.
    """

    codes: Int32s
    secrets: Int32s
    weights: Ints


@part
def shell_sort(keys: Ints, column: Int, n: Int) -> None:
    """Sort the first n of one column of (>= n, any) int64 keys in place."""
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            key = keys[i, column]
            j = i
            while j >= gap and keys[j - gap, column] > key:
                keys[j, column] = keys[j - gap, column]
                j -= gap
            keys[j, column] = key
        gap //= 3


@part
def _values_satisfy(
    j: Int,
    touched: Ints,
    m: Int,
    total: Int,
    counts: Ints,
    values: Int32s,
    compact: Ints,
    criteria: Criteria,
) -> bool:
    """Say whether a class satisfies every condition about sensitive attribute j.

    touched: (>= m, 1) int64, the m values of the class; counts: (n_values,) int64 records of
    each value, zeroed for those of the class. total: their sum. values, compact: (>= m,) int32
    and int64, overwritten.
    """
    shell_sort(touched, np.int64(0), m)
    for i in range(m):
        values[i] = touched[i, 0]
        compact[i] = counts[touched[i, 0]]
        counts[touched[i, 0]] = 0
    return _histogram_satisfies(j, m, total, values, compact, criteria)


@part
def _histogram_satisfies(
    j: Int, m: Int, total: Int, values: Int32s, compact: Ints, criteria: Criteria
) -> bool:
    """Say whether a class satisfies every condition about sensitive attribute j.

    values, compact: (>= m,) int32 and int64, its m values, ascending, and the records of each.
    total: their sum.
    """
    for c in range(len(criteria.thresholds)):
        if criteria.conditions[c, 1] == j:
            measured = class_measure(
                criteria.conditions[c, 0],
                values,
                compact,
                m,
                total,
                criteria.references[j],
                criteria.ancestors[j][: criteria.conditions[c, 4]],
                criteria.conditions[c, 3],
            )
            if not holds(measured, criteria.conditions[c, 2], criteria.thresholds[c]):
                return False
    return True


@part
def sides_satisfy(
    records: Int32s,
    start: Int,
    stop: Int,
    a: Int,
    cut: Int,
    criteria: Criteria,
    first: Int,
    last: Int,
) -> bool:
    """Say whether sides first to last (0 left, 1 right) of a cut satisfy every condition."""
    if len(criteria.thresholds) == 0:
        return True
    s, _, n_values = criteria.references.shape
    weight_at = records.shape[1] - 2
    if n_values <= stop - start:
        return _counted_sides_satisfy(records[start:stop], a, cut, criteria, first, last)
    counts = np.zeros(n_values, np.int64)
    touched = np.empty((min(n_values, stop - start), 1), np.int64)
    values = np.empty(len(touched), np.int32)
    compact = np.empty(len(touched), np.int64)
    for turn in range(first * s, (last + 1) * s):
        j = turn % s
        right = turn >= s
        m = np.int64(0)
        total = np.int64(0)
        for i in range(start, stop):
            if (records[i, a] > cut) == right:
                value = records[i, weight_at - s + j]
                if value >= 0:
                    if counts[value] == 0:
                        touched[m, 0] = value
                        m += 1
                    counts[value] += records[i, weight_at]
                    total += records[i, weight_at]
        if not _values_satisfy(np.int64(j), touched, m, total, counts, values, compact, criteria):
            return False
    return True


@part
def _counted_sides_satisfy(
    node: Int32s, a: Int, cut: Int, criteria: Criteria, first: Int, last: Int
) -> bool:
    """Do what `sides_satisfy` does where there are few values: both sides are counted at once."""
    s, _, n_values = criteria.references.shape
    weight_at = node.shape[1] - 2
    counts = np.empty((2, n_values), np.int64)
    values = np.empty(n_values, np.int32)
    compact = np.empty(n_values, np.int64)
    for j in range(s):
        counts[:] = 0
        for i in range(len(node)):
            value = node[i, weight_at - s + j]
            if value >= 0:
                counts[np.int64(node[i, a] > cut), value] += node[i, weight_at]
        for side in range(first, last + 1):
            m = np.int64(0)
            total = np.int64(0)
            for value in range(n_values):
                if counts[side, value] > 0:
                    values[m] = value
                    compact[m] = counts[side, value]
                    total += compact[m]
                    m += 1
            if not _histogram_satisfies(np.int64(j), m, total, values, compact, criteria):
                return False
    return True


@part
def chain_satisfies(
    first: Int, following: Ints, tuples: Tuples, criteria: Criteria, counts: Ints
) -> bool:
    """Say whether a class satisfies every condition but that of its size.

    first, following: A tuple of the class, and (n,) int64 the next one after each; -1 after the
        last.
    tuples, criteria: As their types say.
    counts: (>= n_values,) int64 zeros, as they are found again.
    """
    for j in range(criteria.references.shape[0]):
        asked = False
        for c in range(len(criteria.thresholds)):
            asked |= criteria.conditions[c, 1] == j
        if not asked:
            continue
        length: Int = np.int64(0)
        i = first
        while i >= 0 and length < len(counts):
            length += 1
            i = following[i]
        touched = np.empty((length, 1), np.int64)
        values = np.empty(length, np.int32)
        compact = np.empty(length, np.int64)
        m = np.int64(0)
        total = np.int64(0)
        i = first
        while i >= 0:
            value = tuples.secrets[i, j]
            if value >= 0:
                if counts[value] == 0:
                    touched[m, 0] = value
                    m += 1
                counts[value] += tuples.weights[i]
                total += tuples.weights[i]
            i = following[i]
        if not _values_satisfy(np.int64(j), touched, m, total, counts, values, compact, criteria):
            return False
    return True
