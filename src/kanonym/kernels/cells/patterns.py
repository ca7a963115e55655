"""Patterns of suppressed cells, hitting sets, and cells that are restored."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.compile import Int, kernel, part


@kernel
def unblank_pieces(moves: Ints, sizes: Ints, weights: Ints, least: Int) -> Bools:
    """Say which pieces can show a cell, one after the other, and leave no class too small.

    moves: (n_combinations, 2, n_pieces) int64: the class of each piece in each combination of
        attributes that the cell is in, with the cell blank and with it shown.
    sizes: (n_classes,) int64 records of each class, brought up to date.
    weights: (n_pieces,) int64 records.
    least: Records of the smallest class.
    Returns: (n_pieces,) bool. Cost O(n_combinations · n_pieces).
    """
    shown = np.zeros(len(weights), np.bool_)
    for i in range(len(weights)):
        records = weights[i]
        fits = True
        for c in range(len(moves)):
            left = sizes[moves[c, 0, i]] - records
            if 0 < left < least or sizes[moves[c, 1, i]] + records < least:
                fits = False
                break
        if fits:
            shown[i] = True
            for c in range(len(moves)):
                sizes[moves[c, 0, i]] -= records
                sizes[moves[c, 1, i]] += records
    return shown


STEPS = 2000
"""So many branches are looked at for each tuple; the best set found by then is taken."""


@kernel
def cheapest_hitting_sets(rare: Bools, subsets: Bools, costs: Ints, order: Ints) -> Bools:
    """Find, for every tuple, the cheapest attributes that are in each of its rare subsets.

    Branch and bound: the first rare subset that is not hit yet is hit by each of its attributes in
    turn, by those that hit more for what they cost first. Exact as long as `STEPS` suffice.

    rare: (n_subsets, n_tuples) bool; subsets: (n_subsets, d) bool, none empty; costs: (d,) int64;
        order: (d,) int64, the attributes in the order in which ties take them. Returns (n_tuples,
        d) bool.
    """
    n_subsets, n_tuples = rare.shape
    d = len(costs)
    chosen = np.zeros((n_tuples, d), np.bool_)
    own = np.empty(n_subsets, np.int64)
    hits = np.empty(d, np.float64)
    ranked = np.empty(d, np.int64)
    now = np.empty(d, np.bool_)
    barred = np.empty(d, np.int64)  # depth at which an earlier branch had it, -1 for none
    asked = np.empty(d + 1, np.int64)  # by depth: the subset that is branched on
    branch = np.empty(d + 1, np.int64)  # by depth: the place in `ranked` that is taken, or -1
    for t in range(n_tuples):
        n_own = 0
        hits[:] = 0
        for s in range(n_subsets):
            if rare[s, t]:
                own[n_own] = s
                n_own += 1
                for a in range(d):
                    hits[a] += subsets[s, a] / costs[a]
        if n_own == 0:
            continue
        for place in range(d):  # by insertion: ties stay in their order
            z = place
            while z > 0 and hits[ranked[z - 1]] < hits[order[place]]:
                ranked[z] = ranked[z - 1]
                z -= 1
            ranked[z] = order[place]
        now[:] = False
        barred[:] = -1
        cost = np.int64(0)
        best = np.iinfo(np.int64).max
        depth = 0
        asked[0] = 0
        branch[0] = -1
        for _ in range(STEPS):
            z = branch[depth]
            if z >= 0:
                # Back at this depth: the branch was looked at; go on without its attribute.
                now[ranked[z]] = False
                barred[ranked[z]] = depth
                cost -= costs[ranked[z]]
            z += 1
            while z < d:
                a = ranked[z]
                if subsets[own[asked[depth]], a] and barred[a] < 0 and cost + costs[a] < best:
                    break
                z += 1
            if z == d:
                for a in range(d):
                    if barred[a] == depth:
                        barred[a] = -1
                depth -= 1
                if depth < 0:
                    break
                continue
            branch[depth] = z
            now[ranked[z]] = True
            cost += costs[ranked[z]]
            s = asked[depth] + 1
            while s < n_own and _is_hit(subsets[own[s]], now):
                s += 1
            if s == n_own:
                best = cost
                chosen[t] = now
            else:
                depth += 1
                asked[depth] = s
                branch[depth] = -1
    return chosen


@part
def _is_hit(subset: Bools, chosen: Bools) -> bool:
    """Say whether one of the attributes chosen is in a subset; both are (d,) bool."""
    for a in range(len(subset)):  # noqa: SIM110, numba has no any() of a generator
        if subset[a] and chosen[a]:
            return True
    return False


@kernel
def split_top_down(codes: Int32s, weights: Ints, sizes: Ints, costs: Ints, k: Int) -> Bools:
    """Find a pattern of blanks for every tuple by splitting the table top down.

    A node keeps the attribute that keeps most cells, weighted by their costs, in values
    of at least k records: each such value is a node of its own, and the records of all
    others go on together, without the attribute.

    codes: (n, d) int32; weights: (n,) int64 records; sizes: (d,) int64, codes run below
    them; costs: (d,) int64 of a blanked cell. Returns (n, d) bool, the blanks. At least k
    records agree on what a tuple shows, if the table has as many. Cost O(n * d^2).
    """
    n, d = codes.shape
    blanks = np.ones((n, d), np.bool_)
    order = np.arange(n)
    buffer = np.empty(n, np.int64)
    counts = np.zeros(sizes.max() if d else 0, np.int64)
    # Open nodes have no tuple in common, so there are n at the most.
    bounds = np.empty((n + 1, 2), np.int64)
    decided = np.zeros((n + 1, d), np.bool_)
    bounds[0] = (0, n)
    n_open = 1 if n else 0
    while n_open:
        n_open -= 1
        start, stop = bounds[n_open]
        done = decided[n_open].copy()
        best = -1
        most = 0
        for a in range(d):
            if done[a]:
                continue
            keeps = 0
            for i in order[start:stop]:
                counts[codes[i, a]] += weights[i]
            for i in order[start:stop]:
                if counts[codes[i, a]] >= k:
                    keeps += counts[codes[i, a]]
                counts[codes[i, a]] = 0
            if keeps * costs[a] > most:
                best = a
                most = keeps * costs[a]
        if best < 0:
            continue
        done[best] = True
        # Values of at least k records come first, then the records of all others.
        for i in order[start:stop]:
            counts[codes[i, best]] += weights[i]
        middle = start
        for i in order[start:stop]:
            if counts[codes[i, best]] >= k:
                buffer[middle] = i
                middle += 1
        rest = middle
        for i in order[start:stop]:
            if counts[codes[i, best]] < k:
                buffer[rest] = i
                rest += 1
        for i in order[start:stop]:
            counts[codes[i, best]] = 0
        if middle < stop:
            order[middle:stop] = buffer[middle:stop]
            bounds[n_open] = (middle, stop)
            decided[n_open] = done
            n_open += 1
        front = buffer[start:middle]
        keys = np.empty(len(front), np.int64)
        for z in range(len(front)):
            keys[z] = codes[front[z], best]
            blanks[front[z], best] = False
        order[start:middle] = front[np.argsort(keys, kind="mergesort")]
        first = start
        for i in range(start + 1, middle + 1):
            if i == middle or codes[order[i], best] != codes[order[first], best]:
                bounds[n_open] = (first, i)
                decided[n_open] = done
                n_open += 1
                first = i
    return blanks


@kernel
def grow_patterns(
    codes: Int32s, weights: Ints, costs: Ints, k: Int, tuples: Ints, starts: Ints
) -> Bools:
    """Let tuples show more and more attributes, as long as at least k records agree with them.

    The next one is that in which most of the records agree that agreed so far, weighted
    by what its cells cost.

    codes: (n, d) int32; weights: (n,) int64 records; costs: (d,) int64 of a blanked cell;
    tuples: (m,) int64, which to try; starts: (m,) int64, the attribute that each shows
    first, -1 for any. Returns (m, d) bool, the blanks. Cost O(m * n), as a rule.
    """
    n, d = codes.shape
    blanks = np.ones((len(tuples), d), np.bool_)
    agreeing = np.empty(n, np.int64)
    for q in range(len(tuples)):
        own = codes[tuples[q]]
        n_agreeing = n
        for i in range(n):
            agreeing[i] = i
        shown = starts[q]
        while True:
            most = 0
            for a in range(d):
                if not blanks[q, a] or (starts[q] >= 0 and blanks[q, starts[q]] and a != starts[q]):
                    continue
                total = 0
                for i in agreeing[:n_agreeing]:
                    if codes[i, a] == own[a]:
                        total += weights[i]
                if total >= k and total * costs[a] > most:
                    most = total * costs[a]
                    shown = a
            if most == 0:
                break
            blanks[q, shown] = False
            n_left = 0
            for i in agreeing[:n_agreeing]:
                if codes[i, shown] == own[shown]:
                    agreeing[n_left] = i
                    n_left += 1
            n_agreeing = n_left
    return blanks


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
