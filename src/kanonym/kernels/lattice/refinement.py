"""Refinement of classes from node to node."""

from __future__ import annotations

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints, UInt64s
from kanonym.kernels.compile import Int, kernel
from kanonym.kernels.lattice.refined_classes import (
    DENSE,
    Room,
    Tuples,
    count_suppressed,
    join_equal,
    loss_at,
    loss_at_least,
    make_tables,
    may_agree,
    refine,
    score_of,
    write_cells,
)
from kanonym.kernels.lattice.sweep import BEST, OPEN
from kanonym.kernels.lattice.walk import (
    ABOVE,
    BUDGET,
    LABEL,
    LOWEST,
    RECORDS,
    SHIFT,
    START,
    WORD,
    Axes,
    bits_from,
    differs,
    field_of,
)


@kernel
def find_finest_classes(keys: UInt64s, counts: Int32s, axes: Axes) -> tuple[Ints, Ints]:
    """Return (n_classes,) int64 first tuples and (n_classes,) int64 records of the finest classes.

    keys, counts, axes: as in `find_runs`. Tuples of a class differ in secrets alone.
    """
    n, last = keys.shape[1], len(axes.kept) - 1
    word, mask = axes.fields[last, WORD], bits_from(axes.fields[last, SHIFT])
    first, sizes = np.empty(n, np.int64), np.zeros(n, np.int64)
    c = -1
    for i in range(n):
        if differs(keys, i, word, mask):
            c += 1
            first[c] = i
        sizes[c] += counts[0, i]
    return first[: c + 1].copy(), sizes[: c + 1].copy()


@kernel
def labels_of_classes(keys: UInt64s, first: Ints, axes: Axes, a: Int) -> Int32s:
    """Return (n_classes,) int32: the labels of attribute a, by the first tuple of each class."""
    labels = np.empty(len(first), np.int32)
    for c in range(len(first)):
        labels[c] = field_of(keys, first[c], axes, a)
    return labels


@kernel
def sum_by_run(floors: Floats, first: Ints, runs: Ints) -> Floats:
    """Return (n_runs, n_floors) float64: (n_classes, n_floors) numbers added up in each run."""
    sums = np.zeros((len(runs) - 1, floors.shape[1]))
    r = -1
    for c in range(len(floors)):
        while runs[r + 1, START] <= first[c]:
            r += 1
        for f in range(floors.shape[1]):
            sums[r, f] += floors[c, f]
    return sums


@kernel
def sum_by_class(floors: Floats, runs: Ints, labels: Int32s, least: Int) -> tuple[Floats, int]:
    """Return numbers of runs added up in each class that is large enough, and lost records.

    floors: (n_runs, n_floors) float64.
    runs: From `find_runs`.
    labels: (n_codes,) int32: runs of a class have equal labels of their label.
    least: Records of the smallest class that is large enough.
    Returns: (n_kept, n_floors) float64, and the records of the other classes. Cost O(n_runs).
    """
    n_runs, n_floors = floors.shape
    sums = np.zeros((n_runs, n_floors))
    n_kept, lost, r = 0, 0, 0
    while r < n_runs:
        above, label, size = runs[r, ABOVE], labels[runs[r, LABEL]], 0
        begin = r
        while runs[r, ABOVE] == above and labels[runs[r, LABEL]] == label:
            size += runs[r, RECORDS]
            r += 1
        if size < least:
            lost += size
            continue
        for one in range(begin, r):
            for f in range(n_floors):
                sums[n_kept, f] += floors[one, f]
        n_kept += 1
    return sums[:n_kept].copy(), int(lost)


DEPTH, STEPS, CHECKED = 0, 1, 2
AT, LEAST = 0, 1

NEAR = 64
"""Attributes are counted together where alone they suppress this share of what is allowed."""


@kernel
def search_refinements(
    root: Tuples,
    axes: Axes,
    task: Ints,
    required: Ints,
    numbers: Ints,
    scores: Floats,
    best_levels: Ints,
    stop: Ints,
) -> tuple[Ints, Floats]:
    """Find the least score below a node, depth first, or the nodes of a depth.

    root: All records, in one class.
    axes, required: As in `lattice.walk.try_levels`; `exact` and not `remembers` in `SearchSpace`.
    task: (2, d) int64: the levels of the node, and the lowest ones that attributes may take below
        it; those that are refined or to stay as they are have their own.
    numbers: (3,) int64: the number of further attributes to be refined before nodes are returned
        instead of searched, 0 for none; nodes that may be checked; and, written, nodes checked.
    scores, best_levels, stop: As in `lattice.branch_and_bound.search_below`.
    Returns: (n, 2, d) int64 tasks, (n,) float64 lower bounds of their scores.
    """
    d, n_levels = axes.kept.shape[:2]
    tables = make_tables(axes)
    n = len(root.keys)
    room = Room(
        np.zeros(2 * DENSE * n + 8, np.int32),
        np.zeros(4 * n + 8, np.int64),
        np.zeros(4 * n + 8, np.int64),
        np.zeros(n, np.int64),
        np.zeros(1, np.int64),
    )
    cells = np.empty(n, np.int32)
    none = np.zeros((0, 2, d), np.int64)
    tuples_at = [root for _ in range(d + 1)]
    at, low = np.zeros((d + 1, d), np.int64), np.zeros((d + 1, d), np.int64)
    at[0], low[0] = task[AT], task[LEAST]
    joined = np.zeros((d + 1, d), np.int64)
    joined[0] = axes.fields[:d, LOWEST]
    losses, left = np.zeros((d + 1, d, n_levels)), np.zeros(d + 1, np.int64)
    losses[0] = axes.whole
    alone = np.zeros((d + 1, d, n_levels), np.int64)
    # Of the attribute whose turn it is, with another one: as `low` and `alone`.
    pair_low, pair_gone = low.copy(), alone.copy()
    turn, level_of = np.full(d + 1, -1), np.zeros(d + 1, np.int64)
    least, others = np.zeros(d), np.zeros(d, np.int64)
    for a in range(d):
        level = at[0, a]
        width = tables.widths[a, level]
        # The first one always: all records together may be too few.
        if width > 1 or a == 0:
            write_cells(tuples_at[0], axes, a, level, width, cells)
            tuples_at[0], gone = refine(
                tuples_at[0], cells, width, axes, low[0], losses[0], required
            )
            left[0] += gone
        if left[0] > required[BUDGET]:
            return none, np.zeros(0)
    for c in range(len(tuples_at[0].starts) - 1):
        cells[tuples_at[0].starts[c] : tuples_at[0].starts[c + 1]] = c
    for c in range(d):
        for level in range(at[0, c] - 1, low[0, c] - 1, -1):
            place = c, level, tables.widths[c, level]
            gone = count_suppressed(tuples_at[0], cells, 1, axes, place, left[0], required, room)
            numbers[CHECKED] += 1
            alone[0, c, level] = gone
            if gone > required[BUDGET]:
                low[0, c] = level + 1
                break
    found: list[Ints] = [none[0] for _ in range(0)]
    bounds: list[float] = [0.0 for _ in range(0)]
    depth, fresh = 0, True
    while depth >= 0:
        tuples, loss = tuples_at[depth], losses[depth]
        if fresh:
            for c in range(d):
                least[c] = loss_at(loss[c, at[depth, c]], c, axes)
            score = score_of(least, axes)
            if score < scores[BEST]:
                scores[BEST] = score
                best_levels[:] = at[depth]
            turn[depth] = -1
            fresh = False
        a = turn[depth]
        if a < 0 or level_of[depth] < low[depth, a]:
            # The attribute stays as it is below; the next is the one that suppresses least.
            if a >= 0:
                low[depth, a] = at[depth, a]
            a, fewest = -1, required[BUDGET] + 1
            for c in range(d):
                least[c] = loss_at(loss[c, at[depth, c]], c, axes)
                for level in range(low[depth, c], at[depth, c]):
                    more = alone[depth, c, level] - left[depth]
                    least[c] = min(
                        least[c], loss_at_least(loss, (np.int64(c), level), more, axes, tables)
                    )
                if low[depth, c] < at[depth, c]:
                    gone = alone[depth, c, at[depth, c] - 1]
                    if gone < fewest:
                        a, fewest = c, gone
            bound = score_of(least, axes)
            if a < 0 or bound >= scores[BEST]:
                depth -= 1
                continue
            if stop[0] != 0 or numbers[CHECKED] >= numbers[STEPS]:
                scores[OPEN] = min(scores[OPEN], bound)
                depth -= 1
                continue
            if numbers[DEPTH] > 0 and depth == numbers[DEPTH]:
                found.append(np.stack((at[depth], low[depth])))
                bounds.append(bound)
                depth -= 1
                continue
            if turn[depth] < 0 and may_agree(tuples, at[depth], low[depth], tables):
                tuples_at[depth] = join_equal(
                    tuples, axes, joined[depth], low[depth], tables.first, room
                )
                joined[depth] = low[depth]
            turn[depth], level_of[depth] = a, at[depth, a] - 1
            pair_low[depth], pair_gone[depth] = low[depth], alone[depth]
            continue
        level = level_of[depth]
        level_of[depth] -= 1
        here = alone[depth, a, level]
        more = here - left[depth]
        n_others = 0
        for c in range(d):
            own = level if c == a else at[depth, c]
            least[c] = loss_at_least(loss, (np.int64(c), own), more, axes, tables)
            if c != a and low[depth, c] < at[depth, c]:
                # Those that suppress most alone are asked first: they end a count soon.
                j = n_others
                gone = alone[depth, c, at[depth, c] - 1]
                while j > 0 and alone[depth, others[j - 1], at[depth, others[j - 1]] - 1] < gone:
                    others[j] = others[j - 1]
                    j -= 1
                others[j] = c
                n_others += 1
                for other in range(pair_low[depth, c], at[depth, c]):
                    some = max(here, pair_gone[depth, c, other]) - left[depth]
                    least[c] = min(
                        least[c], loss_at_least(loss, (np.int64(c), other), some, axes, tables)
                    )
        if score_of(least, axes) >= scores[BEST]:
            continue
        width = tables.widths[a, level]
        write_cells(tuples, axes, a, level, width, cells)
        at[depth + 1] = at[depth]
        at[depth + 1, a] = level
        low[depth + 1] = at[depth + 1]
        worse = False
        for j in range(n_others):
            c = others[j]
            least[c] = loss_at_least(loss, (c, at[depth, c]), more, axes, tables)
            # What a coarser level of the attribute rules out, a finer one does.
            for other in range(at[depth, c] - 1, pair_low[depth, c] - 1, -1):
                gone = max(here, pair_gone[depth, c, other])
                if NEAR * (here + gone) >= required[BUDGET]:
                    beside = c, np.int64(other), tables.widths[c, other]
                    gone = count_suppressed(
                        tuples, cells, width, axes, beside, left[depth], required, room
                    )
                    numbers[CHECKED] += 1
                if gone > required[BUDGET]:
                    pair_low[depth, c] = other + 1
                    break
                pair_gone[depth, c, other] = gone
                some = gone - left[depth]
                least[c] = min(
                    least[c], loss_at_least(loss, (c, np.int64(other)), some, axes, tables)
                )
            if score_of(least, axes) >= scores[BEST]:
                worse = True
                break
        if worse:
            continue
        alone[depth + 1] = pair_gone[depth]
        for c in range(d):
            if c != a:
                low[depth + 1, c] = pair_low[depth, c]
        losses[depth + 1] = loss
        tuples_at[depth + 1], gone = refine(
            tuples, cells, width, axes, low[depth + 1], losses[depth + 1], required
        )
        numbers[CHECKED] += 1
        left[depth + 1] = left[depth] + gone
        if left[depth + 1] > required[BUDGET]:
            continue
        alone[depth + 1] = np.maximum(alone[depth + 1], left[depth + 1])
        joined[depth + 1] = joined[depth]
        depth += 1
        fresh = True
    tasks = np.zeros((len(found), 2, d), np.int64)
    for j in range(len(found)):
        tasks[j] = found[j]
    return tasks, np.array(bounds)
