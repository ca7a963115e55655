"""Sweeps over nodes of the lattice, with branch and bound."""

from __future__ import annotations

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints, UInt64s
from kanonym.kernels.classes.conditions import Criteria, Tuples, chain_satisfies
from kanonym.kernels.compile import Int, kernel
from kanonym.kernels.lattice.walk import HIGHEST, Axes, State, find_runs, generalize, try_levels


@kernel
def secret_histograms(
    class_of: Int32s,
    keys: UInt64s,
    shift: Int,
    width: Int,
    value_of: Int32s,
    records: Int32s,
    n_classes: Int,
    n_values: Int,
) -> tuple[Ints, Int32s, Ints]:
    """Count the records of each class by value, where tuples stand by class.

    O(n + n_classes), and a sort of the values that a class holds. `class_histograms` takes tuples
    in any order, for several times as long.

    class_of: (n,) int32 class of each tuple, ascending.
    keys, shift, width: (n,) uint64: the word that holds the field of sensitive values, and where.
    value_of: (n_combinations,) int32: the value that the field stands for; negative ones are
        skipped.
    records: (n,) int32 number of records of each tuple; tuples without a record are skipped.
    n_classes, n_values: Number of classes and of values.
    Returns: offsets (n_classes + 1,) int64, values (n_entries,) int32 ascending within a class,
        counts (n_entries,) int64: the sparse rows of `Distribution`.
    """
    mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    n = len(class_of)
    count = np.zeros(n_values, np.int64)
    held = np.empty(n_values, np.int32)
    offsets = np.zeros(n_classes + 1, np.int64)
    values = np.empty(n, np.int32)
    counts = np.empty(n, np.int64)
    end = 0
    i = 0
    for label in range(n_classes):
        n_held = 0
        while i < n and class_of[i] == label:
            value = value_of[np.int64((keys[i] >> np.uint64(shift)) & mask)]
            if value >= 0 and records[i] > 0:
                if count[value] == 0:
                    held[n_held] = value
                    n_held += 1
                count[value] += records[i]
            i += 1
        if n_held > 1:
            held[:n_held].sort()
        for j in range(n_held):
            values[end] = held[j]
            counts[end] = count[held[j]]
            count[held[j]] = 0
            end += 1
        offsets[label + 1] = end
    return offsets, values[:end].copy(), counts[:end].copy()


FIXED, STEPS, CHECKED = 0, 1, 2
BEST, OPEN = 0, 1
UNLIMITED = np.iinfo(np.int64).max


@kernel
def search_below(
    tuples: tuple[UInt64s, Int32s],
    axes: Axes,
    state: State,
    best_levels: Ints,
    required: Ints,
    numbers: Ints,
    scores: Floats,
    stop: Ints,
) -> None:
    """Find the least score below a branch, depth first.

    tuples: Keys and counts, as in `lattice`.
    axes, required: As in `lattice.walk.try_levels`; suppressed records leave.
    state: Of the branch.
    best_levels: (d,) int64, written: the best node's.
    numbers: (3,) int64: attributes that the branch fixes, nodes that may be checked, and, written,
        nodes checked.
    scores: (2,) float64: the best score known, to be improved; the least bound of what was left
        unsearched, to be lowered.
    stop: (1,) int64, not 0 as soon as the search has to end.
    """
    d, n_levels = axes.kept.shape[:2]
    base = numbers[FIXED]
    at = state.levels.copy()
    keys_at = [tuples[0] for _ in range(d)]
    counts_at = [tuples[1] for _ in range(d)]
    runs_at = [np.empty((0, 5), np.int64) for _ in range(d)]
    room = (
        np.empty_like(tuples[0]),
        np.empty_like(tuples[1]),
        np.empty_like(tuples[0]),
        np.empty_like(tuples[1]),
    )
    gone = np.zeros((d, n_levels), np.int64)
    losses = np.zeros((d, n_levels, d + 1))
    queue = np.zeros((d, n_levels), np.int64)
    n_queued = np.zeros(d, np.int64)
    next_one = np.zeros(d, np.int64)
    sums_at = np.zeros((d, d))
    sums_at[base] = state.sums
    left_at = np.zeros((d, 1), np.int64)
    left_at[base] = state.left
    labels_at = [state.labels_left for _ in range(d)]
    depth = base
    fresh = True
    while depth >= base:
        if fresh:
            a = np.int64(depth)
            runs_at[a] = find_runs(keys_at[a], counts_at[a], axes, a)
            here = State(at, sums_at[a], left_at[a], labels_at[a])
            found, losses_here = try_levels(keys_at[a], runs_at[a], axes, a, here, required)
            gone[a], losses[a] = found, losses_here
            n = 0
            for level in range(n_levels):
                if found[level] >= 0 and losses_here[level, d] < scores[BEST]:
                    j = n
                    while j > 0 and losses_here[queue[a, j - 1], d] > losses_here[level, d]:
                        queue[a, j] = queue[a, j - 1]
                        j -= 1
                    queue[a, j] = level
                    n += 1
                    # At its highest level an attribute is where it stood when it was open.
                    numbers[CHECKED] += level != axes.fields[a, HIGHEST]
            n_queued[a] = n
            next_one[a] = 0
            fresh = False
        if next_one[depth] == n_queued[depth]:
            depth -= 1
            continue
        level = queue[depth, next_one[depth]]
        bound = losses[depth, level, d]
        if bound >= scores[BEST]:
            depth -= 1
            continue
        if stop[0] != 0 or numbers[CHECKED] >= numbers[STEPS]:
            # Children stand by bound: the others are no better.
            scores[OPEN] = min(scores[OPEN], bound)
            depth -= 1
            continue
        next_one[depth] += 1
        at[depth] = level
        if depth == d - 1:
            scores[BEST] = bound
            best_levels[:] = at
            depth -= 1
            continue
        a = np.int64(depth)
        sums_at[a + 1] = losses[a, level, :d]
        left_at[a + 1] = gone[a, level]
        labels_at[a + 1] = labels_at[a].copy()
        pair = keys_at[a], counts_at[a]
        keys_at[a + 1], counts_at[a + 1] = generalize(
            pair, runs_at[a], axes, a, level, required, room, labels_at[a + 1]
        )
        depth += 1
        fresh = True


SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 / golden ratio: spreads keys over the slots of a hash table."""


@kernel
def next_settled_node(
    codes: Int32s,
    tuples: Tuples,
    parts: UInt64s,
    nodes: Ints,
    first: int,
    criteria: Criteria,
    slots: UInt64s,
) -> tuple[int, Bools]:
    """Return the first node with a class that satisfies the criteria, and its tuples.

    codes: (d, n) int32, the tuples by attribute.
    tuples: Their sensitive values and weights; their own codes are not read.
    parts: (d, n_levels, n_codes) uint64: random numbers, equal where labels are. The key of a tuple
        is the sum of those of its labels: equal for tuples of one class, and almost never for
        others, which the caller has to look at.
    nodes: (m, d) int64 levels.
    first: The node to begin with.
    criteria: What a class must satisfy.
    slots: (4, 2^b) uint64, at least twice as many as tuples: memory for a hash table of key, node,
        records, and last tuple; rows of zeros at the beginning of a sweep. Returns: The node, m if
        there is none; (n,) bool, the tuples of the classes that satisfy.
    """
    d, n = codes.shape
    weights = tuples.weights
    mask = slots.shape[1] - 1
    bits = 0
    while (1 << bits) <= mask:
        bits += 1
    down = np.uint64(64 - bits)
    place = np.empty(n, np.int64)
    keys = np.empty(n, np.uint64)
    marked = np.zeros(n, np.bool_)
    before = np.empty(n, np.int64)
    counts = np.zeros(criteria.references.shape[2], np.int64)
    smallest = np.uint64(criteria.min_size)
    for node in range(first, len(nodes)):
        stamp = np.uint64(node + 1)
        keys[:] = np.uint64(0)
        for a in range(d):
            part = parts[a, nodes[node, a]]
            own = codes[a]
            for i in range(n):
                keys[i] += part[own[i]]
        largest = np.uint64(0)
        for i in range(n):
            at = np.int64((keys[i] * SPREAD) >> down)
            while slots[1, at] == stamp and slots[0, at] != keys[i]:
                at = (at + 1) & mask
            before[i] = np.int64(slots[3, at])
            if slots[1, at] != stamp:
                slots[0, at] = keys[i]
                slots[1, at] = stamp
                slots[2, at] = np.uint64(0)
                before[i] = -1
            slots[2, at] += np.uint64(weights[i])
            slots[3, at] = np.uint64(i)
            largest = max(largest, slots[2, at])
            place[i] = at
        if largest < smallest:
            continue
        found = False
        for last in range(n):
            at = place[last]
            if (
                slots[3, at] == np.uint64(last)
                and slots[2, at] >= smallest
                and chain_satisfies(np.int64(last), before, tuples, criteria, counts)
            ):
                found = True
                member: Int = np.int64(last)
                while member >= 0:
                    marked[member] = True
                    member = before[member]
        if found:
            return node, marked
    return len(nodes), marked
