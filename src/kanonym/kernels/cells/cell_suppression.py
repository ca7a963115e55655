"""Blank cells with null as a value of its own: every released class has at least k records.

Records are placed in groups (`kernels.cells.patterns`); a group in use is a released class. Records
beyond k that a class has can be lent to a group that lacks some.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Ints
from kanonym.kernels.cells.patterns import Choices
from kanonym.kernels.compile import Int, kernel, part

STEPS = 1024
"""Groups stand in so many ranks when they are opened."""

SWEEPS = 20
"""The search for cheaper places passes over all records so many times at the most."""


class Placement(NamedTuple):
    """Where the records are.

    first: (n_tuples + 1,) int64: the records of tuple i that can be moved are first[i] to first[i +
        1] (exclusive). Of a tuple of many records, the others stay for good.
    owner: (n_records,) int64, the tuple of each record.
    group: (n_records,) int64, the group of each record; -1 before it has one.
    sizes: (n_groups,) int64 records, those that cannot be moved included.
    """

    first: Ints
    owner: Ints
    group: Ints
    sizes: Ints


@kernel
def place_records(choices: Choices, places: Placement, k: Int, dearest: Int) -> None:
    """Give every record a group, so that each group in use has at least k records.

    Records that have no group yet go to the cheapest groups that they fill, then all are moved as
    long as that costs less. `dearest` is above what any pattern costs. The last pattern blanks
    everything, and the table has at least k records.
    """
    fill_groups(choices, places, k)
    # The moves that may be taken back, their number in front.
    journal = np.zeros((4 * len(places.owner) + 8, 2), np.int64)
    improve_placement(choices, places, k, dearest, journal)


@part
def fill_groups(choices: Choices, places: Placement, k: Int) -> None:
    """Place records in groups that they fill by themselves, cheapest patterns first.

    Among patterns of equal cost, the group comes first whose records have the fewest
    other groups to go to, on average.
    """
    group_of, starts, members, _, costs = choices
    n_patterns, n_tuples = group_of.shape
    free = np.zeros(n_tuples, np.int64)
    for r in range(len(places.owner)):
        if places.group[r] < 0:
            free[places.owner[r]] += 1
    n_groups = len(starts) - 1
    counts = np.zeros(n_groups, np.int64)  # free records of each group
    needs = np.zeros(n_groups, np.int64)  # what they are owed, the more the fewer groups they have
    share = np.zeros(n_tuples, np.int64)
    queue = np.empty(STEPS + 1, np.int64)  # by rank: the first group of a linked list
    following = np.empty(n_groups, np.int64)
    queued = np.zeros(n_groups, np.bool_)
    low = 0
    while low < n_patterns:
        high = low
        while high < n_patterns and costs[high] == costs[low]:
            high += 1
        waiting = np.flatnonzero(free)
        for i in waiting:
            for p in range(low, high):
                if group_of[p, i] >= 0:
                    counts[group_of[p, i]] += free[i]
        for i in waiting:
            n_fillable = 0
            for p in range(low, high):
                if group_of[p, i] >= 0 and counts[group_of[p, i]] >= k:
                    n_fillable += 1
            share[i] = free[i] * (STEPS // max(n_fillable, 1))
            for p in range(low, high):
                if group_of[p, i] >= 0:
                    needs[group_of[p, i]] += share[i]
        queue[:] = -1
        for i in waiting:
            for p in range(low, high):
                g = group_of[p, i]
                if g >= 0 and counts[g] >= k and not queued[g]:
                    queued[g] = True
                    rank = needs[g] // counts[g]
                    following[g] = queue[rank]
                    queue[rank] = g
        rank = STEPS
        while rank >= 0:
            g = queue[rank]
            if g < 0:
                rank -= 1
                continue
            queue[rank] = following[g]
            if counts[g] < k:
                continue
            now = needs[g] // counts[g]
            if now != rank:  # some of its records have gone elsewhere
                following[g] = queue[now]
                queue[now] = g
                rank = max(rank, now)
                continue
            for i in members[starts[g] : starts[g + 1]]:
                if free[i]:
                    _place_tuple(np.int64(i), np.int64(g), places)
                    for p in range(low, high):
                        if group_of[p, i] >= 0:
                            counts[group_of[p, i]] -= free[i]
                            needs[group_of[p, i]] -= share[i]
                    free[i] = 0
        for i in waiting:
            for p in range(low, high):
                g = group_of[p, i]
                if g >= 0:
                    counts[g] = needs[g] = 0
                    queued[g] = False
                    if free[i] and places.sizes[g] >= k:
                        _place_tuple(np.int64(i), np.int64(g), places)
                        free[i] = 0
        low = high


@part
def _place_tuple(i: Int, g: Int, places: Placement) -> None:
    """Place the records of a tuple that have no group yet."""
    for r in range(places.first[i], places.first[i + 1]):
        if places.group[r] < 0:
            places.group[r] = g
            places.sizes[g] += 1


@part
def improve_placement(
    choices: Choices, places: Placement, k: Int, dearest: Int, journal: Ints
) -> None:
    """Move records until no move of the three kinds costs less.

    A record joins a cheaper class; a group is opened (`open_group`); a class is closed
    and its records join others. Records without a group cost `dearest`.
    """
    group_of, starts, _, pattern_of, costs = choices
    n_patterns, n_tuples = group_of.shape
    n_groups = len(starts) - 1
    tried = np.full(n_groups, -1, np.int32)
    touched = np.empty(len(places.owner), np.int64)
    inside = np.zeros(n_groups, np.int64)
    for sweep in range(SWEEPS):
        gained: Int = 0
        for r in range(len(places.owner)):
            g = places.group[r]
            if g >= 0 and places.sizes[g] <= k:
                continue
            before = _cost(g, choices, dearest)
            other = cheapest_class(places.owner[r], choices, places, k, g, before)
            if other >= 0:
                journal[0, 0] = 0
                _move(r, other, places, journal)
                gained += before - costs[pattern_of[other]]
        for i in range(n_tuples):
            for r in range(places.first[i], places.first[i + 1]):
                for p in range(n_patterns):
                    if costs[p] >= _cost(places.group[r], choices, dearest):
                        break
                    g = np.int64(group_of[p, i])
                    if g >= 0 and tried[g] < sweep:
                        tried[g] = sweep
                        gained += open_group(
                            g, choices, places, k, dearest, journal, touched, inside
                        )
        for g in range(n_groups):
            if 0 < places.sizes[g] < 4 * k and pattern_of[g] > 0:
                gained += close_class(g, choices, places, k, journal)
        if gained == 0:
            break


@part
def open_group(
    g: Int,
    choices: Choices,
    places: Placement,
    k: Int,
    dearest: Int,
    journal: Ints,
    touched: Ints,
    inside: Ints,
) -> Int:
    """Let a group take every record that it costs less, if the total falls; return by how much.

    What it lacks up to k it borrows from classes of more than k, at the least loss; where
    there is none, a class that lies inside of it is added whole. A class that is left with
    fewer than k gets its records back or is closed, whichever costs less.

    touched: (n_records,), inside: (n_groups,) zeros: room to work in.
    """
    _, starts, members, pattern_of, costs = choices
    first, _, group, sizes = places
    cost = costs[pattern_of[g]]
    journal[0, 0] = 0
    saved: Int = 0
    n_touched = 0
    for i in members[starts[g] : starts[g + 1]]:
        for r in range(first[i], first[i + 1]):
            source = group[r]
            before = _cost(source, choices, dearest)
            if source != g and before > cost:
                _move(r, g, places, journal)
                saved += before - cost
                if source >= 0:
                    touched[n_touched] = source
                    n_touched += 1
    if saved == 0:
        return 0
    while sizes[g] < k:
        least = dearest
        for i in members[starts[g] : starts[g + 1]]:
            for r in range(first[i], first[i + 1]):
                source = group[r]
                if source >= 0 and source != g and sizes[source] > k:
                    least = min(least, cost - costs[pattern_of[source]])
        if least == dearest:
            loss = _add_class(g, choices, places, journal, inside)
            if loss < 0 or saved <= loss:
                _undo(np.int64(0), places, journal)
                return 0
            saved -= loss
            continue
        if saved <= least * (k - sizes[g]):
            _undo(np.int64(0), places, journal)
            return 0
        for i in members[starts[g] : starts[g + 1]]:
            for r in range(first[i], first[i + 1]):
                source = group[r]
                if source < 0 or source == g or sizes[source] <= k or sizes[g] == k:
                    continue
                if cost - costs[pattern_of[source]] == least:
                    _move(r, g, places, journal)
                    saved -= least
    for z in range(n_touched):
        source = touched[z]
        lacking = k - sizes[source]
        if sizes[source] == 0 or lacking <= 0:
            continue
        # Closing is tried, and taken back where returning the records costs less.
        n_before = journal[0, 0]
        extra = _empty_class(source, choices, places, k, journal)
        back = lacking * (costs[pattern_of[source]] - cost)
        if sizes[source] > 0 or extra > back:
            _undo(n_before, places, journal)
            extra = back
            for m in range(1, n_before + 1):
                r = journal[m, 0]
                if journal[m, 1] == source and group[r] == g and sizes[source] < k:
                    _move(r, source, places, journal)
        saved -= extra
        if saved <= 0 or sizes[g] < k:
            saved = 0
            break
    if saved <= 0:
        _undo(np.int64(0), places, journal)
    return max(saved, 0)


@part
def _add_class(g: Int, choices: Choices, places: Placement, journal: Ints, inside: Ints) -> Int:
    """Add a class that lies inside of a group, at the least loss; return it, or -1 without one."""
    _, starts, members, pattern_of, costs = choices
    first, _, group, sizes = places
    best = np.int64(-1)
    least = np.int64(-1)
    for i in members[starts[g] : starts[g + 1]]:
        for r in range(first[i], first[i + 1]):
            if group[r] >= 0 and group[r] != g:
                inside[group[r]] += 1
    for i in members[starts[g] : starts[g + 1]]:
        for r in range(first[i], first[i + 1]):
            source = group[r]
            if source >= 0 and inside[source] == sizes[source]:
                loss = sizes[source] * (costs[pattern_of[g]] - costs[pattern_of[source]])
                if best < 0 or loss < least:
                    best = source
                    least = loss
            if source >= 0:
                inside[source] = 0
    if best >= 0:
        for i in members[starts[g] : starts[g + 1]]:
            for r in range(first[i], first[i + 1]):
                if group[r] == best:
                    _move(r, g, places, journal)
    return least


@part
def close_class(g: Int, choices: Choices, places: Placement, k: Int, journal: Ints) -> Int:
    """Let all records of a class join others, if the total falls; return by how much."""
    journal[0, 0] = 0
    extra = _empty_class(g, choices, places, k, journal)
    if places.sizes[g] > 0 or extra >= 0:
        _undo(np.int64(0), places, journal)
        return 0
    return -extra


@part
def _empty_class(g: Int, choices: Choices, places: Placement, k: Int, journal: Ints) -> Int:
    """Move the records of a class to their cheapest other ones; return what that costs."""
    _, starts, members, pattern_of, costs = choices
    extra: Int = 0
    for i in members[starts[g] : starts[g + 1]]:
        for r in range(places.first[i], places.first[i + 1]):
            if places.group[r] == g:
                other = cheapest_class(np.int64(i), choices, places, k, g, costs[-1] + 1)
                if other < 0:
                    return extra
                extra += costs[pattern_of[other]] - costs[pattern_of[g]]
                _move(r, other, places, journal)
    return extra


@part
def cheapest_class(
    i: Int, choices: Choices, places: Placement, k: Int, without: Int, below: Int
) -> Int:
    """Return a tuple's cheapest class of at least k records that costs less than `below`, or -1."""
    for p in range(len(choices.costs)):
        if choices.costs[p] >= below:
            break
        g = np.int64(choices.group_of[p, i])
        if g >= 0 and g != without and places.sizes[g] >= k:
            return g
    return -1


@part
def _cost(g: Int, choices: Choices, dearest: Int) -> Int:
    return dearest if g < 0 else choices.costs[choices.pattern_of[g]]


@part
def _move(r: Int, g: Int, places: Placement, journal: Ints) -> None:
    """Move a record, and note where it was."""
    source = places.group[r]
    journal[0, 0] += 1
    journal[journal[0, 0], 0] = r
    journal[journal[0, 0], 1] = source
    if source >= 0:
        places.sizes[source] -= 1
    places.group[r] = g
    places.sizes[g] += 1


@part
def _undo(n_moves: Int, places: Placement, journal: Ints) -> None:
    """Take moves back, the last one first, until so many are left."""
    while journal[0, 0] > n_moves:
        r, source = journal[journal[0, 0]]
        places.sizes[places.group[r]] -= 1
        places.group[r] = source
        if source >= 0:
            places.sizes[source] += 1
        journal[0, 0] -= 1
