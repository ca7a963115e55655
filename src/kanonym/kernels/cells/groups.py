"""Which cells to blank: groups of tuples that agree on what a pattern of blanks leaves.

A pattern is a set of attributes whose cells are blanked. The tuples that agree on the
other attributes are a group of the pattern; one of at least k records can be released.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.compile import Int, kernel, part


class Choices(NamedTuple):
    """The groups among which each tuple can be released.

    group_of: (n_patterns, n_tuples) int32, the group of each tuple in each pattern; -1 where the
        group is too small or of no use.
    starts, members: (n_groups + 1,) int64 and (n_entries,) int32: the tuples of group g are
        members[starts[g]:starts[g + 1]], ascending.
    pattern_of: (n_groups,) int32.
    costs: (n_patterns,) int64, ascending: what the blanks of a pattern cost a record.
    """

    group_of: Int32s
    starts: Ints
    members: Int32s
    pattern_of: Int32s
    costs: Ints


@kernel
def feasible_groups(
    codes: Int32s, weights: Ints, is_null: Bools, patterns: Bools, k: Int, group_of: Int32s
) -> Ints:
    """Find the groups of each pattern that can be released and may be of use.

    A group has at least k records, and holds a tuple of fewer, or one that has nulls
    where the pattern has blanks, and so stays as it is. A tuple with a null elsewhere
    is in no group of the pattern: it reads as one with a further blank.

    codes: (n, d) int32; weights: (n,) int64 records; is_null: (n, d) bool; patterns:
    (m, d) bool. Writes group_of, (m, n) int32, numbered from 0 in each pattern, -1 for
    none, and returns their (m,) int64 numbers. Cost O(m * n * d).
    """
    n, d = codes.shape
    capacity = 2
    while capacity < 2 * n:
        capacity *= 2
    slots = np.empty(capacity, np.int32)
    hashes = np.empty((n, d), np.uint64)
    whole = np.zeros(n, np.uint64)
    for i in range(n):
        for a in range(d):
            hashes[i, a] = _mix(a, codes[i, a])
            whole[i] ^= hashes[i, a]
    blank = np.empty(d, np.int64)
    kept = np.empty(d, np.int64)
    totals = np.empty(n, np.int64)
    useful = np.empty(n, np.bool_)
    number = np.empty(n, np.int32)
    counts = np.empty(len(patterns), np.int64)
    for p in range(len(patterns)):
        n_blank = n_kept = n_groups = 0
        for a in range(d):
            if patterns[p, a]:
                blank[n_blank] = a
                n_blank += 1
            else:
                kept[n_kept] = a
                n_kept += 1
        slots[:] = -1
        for i in range(n):
            group_of[p, i] = -1
            fits = True
            for z in range(n_kept):
                fits &= not is_null[i, kept[z]]
            if not fits:
                continue
            key = whole[i]
            at_home = True
            for z in range(n_blank):
                key ^= hashes[i, blank[z]]
                at_home &= is_null[i, blank[z]]
            slot = np.int64(key >> np.uint64(20)) & (capacity - 1)
            while slots[slot] >= 0:
                agrees = True
                for z in range(n_kept):
                    agrees &= codes[i, kept[z]] == codes[slots[slot], kept[z]]
                if agrees:
                    break
                slot = (slot + 1) & (capacity - 1)
            if slots[slot] < 0:
                slots[slot] = i
                group_of[p, i] = n_groups
                totals[n_groups] = 0
                useful[n_groups] = False
                n_groups += 1
            g = group_of[p, slots[slot]]
            group_of[p, i] = g
            totals[g] += weights[i]
            useful[g] |= at_home or weights[i] < k
        counts[p] = 0
        for g in range(n_groups):
            number[g] = -1
            if totals[g] >= k and useful[g]:
                number[g] = counts[p]
                counts[p] += 1
        for i in range(n):
            if group_of[p, i] >= 0:
                group_of[p, i] = number[group_of[p, i]]
    return counts


@part
def _mix(attribute: Int, code: Int) -> np.uint64:
    """Return the hash of one cell (the finalizer of splitmix64)."""
    state = np.uint64(attribute + 1) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(code)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@kernel
def gather_members(group_of: Int32s, counts: Ints) -> tuple[Ints, Int32s, Int32s]:
    """Return starts, members and patterns of all groups (`Choices`), by a counting sort.

    Groups are numbered over all patterns: group_of, (m, n) int32, is rewritten so.
    counts: (m,) int64 groups of each pattern.
    """
    n_groups = counts.sum()
    starts = np.zeros(n_groups + 1, np.int64)
    pattern_of = np.empty(n_groups, np.int32)
    offset = 0
    for p in range(len(counts)):
        for i in range(group_of.shape[1]):
            if group_of[p, i] >= 0:
                group_of[p, i] += offset
                starts[group_of[p, i] + 1] += 1
        pattern_of[offset : offset + counts[p]] = p
        offset += counts[p]
    for g in range(n_groups):
        starts[g + 1] += starts[g]
    place = starts.copy()
    members = np.empty(starts[n_groups], np.int32)
    for p in range(len(counts)):
        for i in range(group_of.shape[1]):
            g = group_of[p, i]
            if g >= 0:
                members[place[g]] = i
                place[g] += 1
    return starts, members, pattern_of
