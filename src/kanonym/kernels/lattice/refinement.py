"""Search a lattice from its top: each branch refines some attributes, the others stay highest.

A node of the search is a node of the lattice, its classes, and the levels below the highest
that each open attribute may still take. An attribute is open at a level only if refining it
alone, beside what is refined already, suppresses no more records than allowed: finer nodes
suppress no fewer (the subset property of Incognito, LeFevre et al. 2005). What the open
attributes lose at the least at these levels bounds the score of all that lies below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.lattice.branch_and_bound import BEST, OPEN
from kanonym.kernels.lattice.walk import (
    BUDGET,
    HIGH,
    HIGHEST,
    LOW,
    LOWEST,
    SHIFT,
    SIZE,
    WEIGHT,
    WIDTH,
    Axes,
)

DEPTH, STEPS, CHECKED = 0, 1, 2
AT, LEAST = 0, 1

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 / golden ratio: spreads keys over the slots of a hash table."""

BLOCK = 2048
"""After so many tuples a count is compared with the limit."""

DENSE = 16
"""Up to so many cells a tuple, all cells of a block are looked through."""

SPARSE = 1000.0
"""Up to so many combinations of open labels a tuple, tuples are joined."""

NEAR = 64
"""Attributes are counted together where alone they suppress this share of what is allowed."""

SIZES = 256
"""Classes of more records are in no order."""


class Tuples(NamedTuple):
    """The records of a node that are not suppressed.

    Attributes
    ----------
    keys, counts
        (n,) uint64 codes of the lowest level, fields as `Axes` says, and (n,) int32 records.
        Codes stand for all that have their label at the level that is fixed or least.
    starts
        (n_classes + 1,) int64: the tuples of each class; small classes stand first.

    """

    keys: NDArray[np.uint64]
    counts: NDArray[np.int32]
    starts: NDArray[np.int64]


class Room(NamedTuple):
    """Memory for tables of cells.

    Attributes
    ----------
    sums
        (>= 2 * DENSE * n,) int32, zeros between two counts.
    slots, stamps
        (>= 4n,) int64: a hash table, and who wrote each slot.
    touched
        (>= n,) int64.
    stamp
        (1,) int64, the last one.

    """

    sums: NDArray[np.int32]
    slots: NDArray[np.int64]
    stamps: NDArray[np.int64]
    touched: NDArray[np.int64]
    stamp: NDArray[np.int64]


class Tables(NamedTuple):
    """What follows from the hierarchies.

    Attributes
    ----------
    widths
        (d, n_levels) int64, the number of labels.
    first
        (d, n_levels, n_codes) int64: the first code with the label of a code.
    least_more
        (d, n_levels) float64: what suppression adds to the loss of a record at the least.

    """

    widths: NDArray[np.int64]
    first: NDArray[np.int64]
    least_more: NDArray[np.float64]


@part
def _tables(axes: Axes) -> Tables:
    """Return what follows from the hierarchies."""
    d, n_levels, n_codes = axes.labels.shape
    widths = np.ones((d, n_levels), np.int64)
    first = np.zeros((d, n_levels, n_codes), np.int64)
    least_more = np.zeros((d, n_levels))
    seen = np.zeros(axes.kept.shape[2], np.int64)
    for a in range(d):
        for level in range(axes.fields[a, LOWEST], axes.fields[a, HIGHEST] + 1):
            seen[:] = -1
            for code in range(n_codes):
                label = axes.labels[a, level, code]
                if seen[label] < 0:
                    seen[label] = code
                first[a, level, code] = seen[label]
                more = axes.lost[a, level, label] - axes.kept[a, level, label]
                if code == 0 or more < least_more[a, level]:
                    least_more[a, level] = more
                widths[a, level] = max(widths[a, level], np.int64(label) + 1)
    return Tables(widths, first, least_more)


@part
def _loss(total: float, a: Int, axes: Axes) -> float:
    """Return what an attribute adds to the score."""
    scale = axes.scale[a]
    x = max(0.0, total - scale[LOW]) / scale[HIGH]
    if axes.form[1] == 1:
        x = np.floor(x * 1e10) / 1e10
    return float(x * scale[WEIGHT])


@part
def _score(losses: NDArray[np.float64], axes: Axes) -> float:
    """Put the losses of the attributes together."""
    total, product = 0.0, 1.0
    for loss in losses:
        total += loss
        product *= loss + 1.0
    return float(product ** (1.0 / len(losses)) - 1.0) if axes.form[0] == 1 else total


@part
def _field(axes: Axes, a: Int) -> tuple[np.uint64, np.uint64]:
    """Return the shift and the mask of an attribute's field; unsigned places are read faster."""
    mask = (np.uint64(1) << np.uint64(axes.fields[a, WIDTH])) - np.uint64(1)
    return np.uint64(axes.fields[a, SHIFT]), mask


@part
def _cells(
    tuples: Tuples, axes: Axes, a: Int, level: Int, width: Int, cells: NDArray[np.int32]
) -> None:
    """Write the class of each tuple, refined by an attribute: class · width + label."""
    shift, mask = _field(axes, a)
    labels = axes.labels[a, level]
    for c in range(len(tuples.starts) - 1):
        base = np.int32(c * width)
        keys = tuples.keys[tuples.starts[c] : tuples.starts[c + 1]]
        into = cells[tuples.starts[c] : tuples.starts[c + 1]]
        for i in range(len(keys)):
            into[i] = base + labels[(keys[i] >> shift) & mask]


@part
def _suppressed(
    tuples: Tuples,
    cells: NDArray[np.int32],
    split: Int,
    axes: Axes,
    at: tuple[Int, Int, Int],
    gone: Int,
    required: NDArray[np.int64],
    room: Room,
) -> int:
    """Return the records suppressed where an attribute refines cells; more than allowed will do.

    cells, split: of `_cells`, and cells a class. at: the attribute, its level, its labels
    there. gone: records that are suppressed already. Cost O(n), less where many records go.
    """
    c, level, width = at
    starts = tuples.starts
    shift, mask = _field(axes, c)
    labels = axes.labels[c, level]
    least = np.int32(min(required[SIZE], np.iinfo(np.int32).max))
    wide = np.uint64(width)
    n_classes = len(starts) - 1
    k = 0
    while k < n_classes:
        first, begin = k, starts[k]
        while k < n_classes and starts[k] - begin < BLOCK:
            k += 1
        keys, counts = tuples.keys[begin : starts[k]], tuples.counts[begin : starts[k]]
        own = cells[begin : starts[k]]
        n, n_cells = len(keys), (k - first) * split * width
        base = np.uint64(first * split * width)
        if n_cells <= DENSE * n:
            # Two tables in turn: one increment need not wait for the one before.
            sums, also = room.sums[:n_cells], room.sums[n_cells : 2 * n_cells]
            for i in range(0, n - 1, 2):
                one = np.uint64(own[i]) * wide - base
                two = np.uint64(own[i + 1]) * wide - base
                sums[one + np.uint64(labels[(keys[i] >> shift) & mask])] += counts[i]
                also[two + np.uint64(labels[(keys[i + 1] >> shift) & mask])] += counts[i + 1]
            if n % 2:
                one = np.uint64(own[n - 1]) * wide - base
                sums[one + np.uint64(labels[(keys[n - 1] >> shift) & mask])] += counts[n - 1]
            few = 0
            for j in range(n_cells):
                size = sums[j] + also[j]
                few += size if size < least else 0
                sums[j] = 0
                also[j] = 0
            gone += few
        else:
            gone += _suppressed_sparsely(
                keys, counts, own, (shift, mask, wide), labels, least, room
            )
        if gone > required[BUDGET]:
            break
    return int(gone)


@part
def _suppressed_sparsely(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int32],
    cells: NDArray[np.int32],
    field: tuple[np.uint64, np.uint64, np.uint64],
    labels: NDArray[np.int32],
    least: np.int32,
    room: Room,
) -> int:
    """Return the records in small cells of a block, most of whose cells hold none.

    field: the shift, the mask and the labels of the attribute.
    """
    shift, mask, wide = field
    slots, stamps, sums = room.slots, room.stamps, room.sums
    down, last = _slots_of(len(keys))
    room.stamp[0] += 1
    stamp = room.stamp[0]
    n_touched = 0
    for i in range(len(keys)):
        cell = np.uint64(cells[i]) * wide + np.uint64(labels[(keys[i] >> shift) & mask])
        place = (cell * SPREAD) >> down
        while stamps[place] == stamp and np.uint64(slots[place]) != cell:
            place = (place + np.uint64(1)) & last
        if stamps[place] != stamp:
            stamps[place] = stamp
            slots[place] = np.int64(cell)
            room.touched[n_touched] = np.int64(place)
            n_touched += 1
        sums[place] += counts[i]
    few = 0
    for j in range(n_touched):
        size = sums[room.touched[j]]
        few += size if size < least else 0
        sums[room.touched[j]] = 0
    return int(few)


@part
def _slots_of(n: Int) -> tuple[np.uint64, np.uint64]:
    """Return how far a spread key is shifted, and the last slot, for a table of n entries."""
    bits = 2
    while (1 << bits) < 2 * n:
        bits += 1
    return np.uint64(64 - bits), np.uint64((1 << bits) - 1)


@part
def _refine(
    tuples: Tuples,
    cells: NDArray[np.int32],
    split: Int,
    axes: Axes,
    levels: NDArray[np.int64],
    losses: NDArray[np.float64],
    required: NDArray[np.int64],
) -> tuple[Tuples, int]:
    """Return the tuples by cell, small classes first, without cells that are too small.

    levels: (d,), the level fixed or the least one. losses: (d, n_levels) of all records, those
    that were left so far being kept, brought up to date. Returned with the records that left.
    """
    keys, counts, starts = tuples
    d = len(levels)
    n_cells = (len(starts) - 1) * split
    number, size = np.zeros(n_cells, np.int64), np.zeros(n_cells, np.int64)
    for i in range(len(keys)):
        cell = np.uint64(cells[i])
        number[cell] += 1
        size[cell] += counts[i]
    n_of_size, tuples_of_size = np.zeros(SIZES + 1, np.int64), np.zeros(SIZES + 1, np.int64)
    gone = 0
    for j in range(n_cells):
        if size[j] < required[SIZE]:
            gone += size[j]
        else:
            s = min(size[j], SIZES)
            n_of_size[s] += 1
            tuples_of_size[s] += number[j]
    n_classes, n = 0, 0
    for s in range(SIZES + 1):
        some, more = n_of_size[s], tuples_of_size[s]
        n_of_size[s], tuples_of_size[s] = n_classes, n
        n_classes += some
        n += more
    new_starts = np.empty(n_classes + 1, np.int64)
    new_starts[n_classes] = n
    for j in range(n_cells):
        if size[j] >= required[SIZE]:
            s = min(size[j], SIZES)
            new_starts[n_of_size[s]] = tuples_of_size[s]
            n_of_size[s] += 1
            size[j] = tuples_of_size[s]
            tuples_of_size[s] += number[j]
        else:
            size[j] = -1
    new_keys, new_counts = np.empty(n, np.uint64), np.empty(n, np.int32)
    for i in range(len(keys)):
        cell = np.uint64(cells[i])
        place = size[cell]
        if place >= 0:
            new_keys[np.uint64(place)], new_counts[np.uint64(place)] = keys[i], counts[i]
            size[cell] = place + 1
            continue
        for b in range(d):
            code = _code(keys[i], axes, b)
            for level in range(levels[b], axes.fields[b, HIGHEST] + 1):
                label = axes.labels[b, level, code]
                more = axes.lost[b, level, label] - axes.kept[b, level, label]
                losses[b, level] += counts[i] * more
    return Tuples(new_keys, new_counts, new_starts), int(gone)


@part
def _code(key: np.uint64, axes: Axes, a: Int) -> int:
    """Return the code that a key holds of an attribute."""
    shift, mask = _field(axes, a)
    return int(np.int64((key >> shift) & mask))


@part
def _join_equal(
    tuples: Tuples,
    axes: Axes,
    before: NDArray[np.int64],
    levels: NDArray[np.int64],
    first: NDArray[np.int64],
    room: Room,
) -> Tuples:
    """Join tuples of a class that agree at some levels; the tuples are written over.

    before: the levels at which they were joined the last time.
    """
    keys, counts, starts = tuples
    d = len(levels)
    n_codes = first.shape[2]
    moves = np.empty((d, n_codes), np.uint64)
    shifts, masks = np.empty(d, np.uint64), np.empty(d, np.uint64)
    n_changed = 0
    for a in range(d):
        if levels[a] != before[a]:
            shifts[n_changed], masks[n_changed] = _field(axes, a)
            for code in range(n_codes):
                # A sum that wraps around: codes differ in the field alone.
                away = np.uint64(first[a, levels[a], code] - code)
                moves[n_changed, code] = away << shifts[n_changed]
            n_changed += 1
    slots, stamps = room.slots, room.stamps
    n = 0
    for c in range(len(starts) - 1):
        begin, end = starts[c], starts[c + 1]
        starts[c] = n
        down, last = _slots_of(end - begin)
        room.stamp[0] += 1
        stamp = room.stamp[0]
        for i in range(begin, end):
            key = keys[i]
            for j in range(n_changed):
                key += moves[j, (key >> shifts[j]) & masks[j]]
            place = (key * SPREAD) >> down
            while stamps[place] == stamp and keys[slots[place]] != key:
                place = (place + np.uint64(1)) & last
            if stamps[place] == stamp:
                counts[slots[place]] += counts[i]
            else:
                stamps[place] = stamp
                slots[place] = n
                keys[n], counts[n] = key, counts[i]
                n += 1
    starts[len(starts) - 1] = n
    return Tuples(keys[:n].copy(), counts[:n].copy(), starts)


@part
def _may_agree(
    tuples: Tuples, at: NDArray[np.int64], levels: NDArray[np.int64], tables: Tables
) -> bool:
    """Say whether it is worth a try to join tuples: open attributes leave few combinations."""
    most = float(len(tuples.starts) - 1)
    for a in range(len(at)):
        if levels[a] < at[a]:
            most *= tables.widths[a, levels[a]]
    return most <= SPARSE * len(tuples.keys)


@part
def _at_least(
    losses: NDArray[np.float64], at: tuple[Int, Int], more: Int, axes: Axes, tables: Tables
) -> float:
    """Return what an attribute loses at a level, more records being suppressed than counted."""
    a, level = at
    return _loss(losses[a, level] + more * tables.least_more[a, level], a, axes)


@kernel
def search_refinements(
    root: Tuples,
    axes: Axes,
    task: NDArray[np.int64],
    required: NDArray[np.int64],
    numbers: NDArray[np.int64],
    scores: NDArray[np.float64],
    best_levels: NDArray[np.int64],
    stop: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Find the least score below a node, depth first, or the nodes of a depth.

    Parameters
    ----------
    root
        All records, in one class.
    axes, required
        As in `lattice.walk.try_levels`; `exact` and not `remembers` in `SearchSpace`.
    task
        (2, d) int64: the levels of the node, and the lowest ones that attributes may take
        below it; those that are refined or to stay as they are have their own.
    numbers
        (3,) int64: the number of further attributes to be refined before nodes are returned
        instead of searched, 0 for none; nodes that may be checked; and, written, nodes
        checked.
    scores, best_levels, stop
        As in `lattice.branch_and_bound.search_below`.

    Returns
    -------
    (n, 2, d) int64 tasks, (n,) float64 lower bounds of their scores.

    """
    d, n_levels = axes.kept.shape[:2]
    tables = _tables(axes)
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
            _cells(tuples_at[0], axes, a, level, width, cells)
            tuples_at[0], gone = _refine(
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
            gone = _suppressed(tuples_at[0], cells, 1, axes, place, left[0], required, room)
            numbers[CHECKED] += 1
            alone[0, c, level] = gone
            if gone > required[BUDGET]:
                low[0, c] = level + 1
                break
    found: list[NDArray[np.int64]] = [none[0] for _ in range(0)]
    bounds: list[float] = [0.0 for _ in range(0)]
    depth, fresh = 0, True
    while depth >= 0:
        tuples, loss = tuples_at[depth], losses[depth]
        if fresh:
            for c in range(d):
                least[c] = _loss(loss[c, at[depth, c]], c, axes)
            score = _score(least, axes)
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
                least[c] = _loss(loss[c, at[depth, c]], c, axes)
                for level in range(low[depth, c], at[depth, c]):
                    more = alone[depth, c, level] - left[depth]
                    least[c] = min(
                        least[c], _at_least(loss, (np.int64(c), level), more, axes, tables)
                    )
                if low[depth, c] < at[depth, c]:
                    gone = alone[depth, c, at[depth, c] - 1]
                    if gone < fewest:
                        a, fewest = c, gone
            bound = _score(least, axes)
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
            if turn[depth] < 0 and _may_agree(tuples, at[depth], low[depth], tables):
                tuples_at[depth] = _join_equal(
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
            least[c] = _at_least(loss, (np.int64(c), own), more, axes, tables)
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
                        least[c], _at_least(loss, (np.int64(c), other), some, axes, tables)
                    )
        if _score(least, axes) >= scores[BEST]:
            continue
        width = tables.widths[a, level]
        _cells(tuples, axes, a, level, width, cells)
        at[depth + 1] = at[depth]
        at[depth + 1, a] = level
        low[depth + 1] = at[depth + 1]
        worse = False
        for j in range(n_others):
            c = others[j]
            least[c] = _at_least(loss, (c, at[depth, c]), more, axes, tables)
            # What a coarser level of the attribute rules out, a finer one does.
            for other in range(at[depth, c] - 1, pair_low[depth, c] - 1, -1):
                gone = max(here, pair_gone[depth, c, other])
                if NEAR * (here + gone) >= required[BUDGET]:
                    beside = c, np.int64(other), tables.widths[c, other]
                    gone = _suppressed(
                        tuples, cells, width, axes, beside, left[depth], required, room
                    )
                    numbers[CHECKED] += 1
                if gone > required[BUDGET]:
                    pair_low[depth, c] = other + 1
                    break
                pair_gone[depth, c, other] = gone
                some = gone - left[depth]
                least[c] = min(least[c], _at_least(loss, (c, np.int64(other)), some, axes, tables))
            if _score(least, axes) >= scores[BEST]:
                worse = True
                break
        if worse:
            continue
        alone[depth + 1] = pair_gone[depth]
        for c in range(d):
            if c != a:
                low[depth + 1, c] = pair_low[depth, c]
        losses[depth + 1] = loss
        tuples_at[depth + 1], gone = _refine(
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
