"""The classes of nodes whose attributes are refined one after the other, and what they suppress."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints, UInt64s
from kanonym.kernels.compile import Int, part
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

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 / golden ratio: spreads keys over the slots of a hash table."""

BLOCK = 2048
"""After so many tuples a count is compared with the limit."""

DENSE = 16
"""Up to so many cells a tuple, all cells of a block are looked through."""

SPARSE = 1000.0
"""Up to so many combinations of open labels a tuple, tuples are joined."""

SIZES = 256
"""Classes of more records are in no order."""


class Tuples(NamedTuple):
    """The records of a node that are not suppressed.

    keys, counts: (n,) uint64 codes of the lowest level, fields as `Axes` says, and (n,) int32
        records. Codes stand for all that have their label at the level that is fixed or least.
    starts: (n_classes + 1,) int64: the tuples of each class; small classes stand first.
    """

    keys: UInt64s
    counts: Int32s
    starts: Ints


class Room(NamedTuple):
    """Memory for tables of cells.

    sums: (>= 2 * DENSE * n,) int32, zeros between two counts.
    slots, stamps: (>= 4n,) int64: a hash table, and who wrote each slot.
    touched: (>= n,) int64.
    stamp: (1,) int64, the last one.
    """

    sums: Int32s
    slots: Ints
    stamps: Ints
    touched: Ints
    stamp: Ints


class Tables(NamedTuple):
    """What follows from the hierarchies.

    widths: (d, n_levels) int64, the number of labels.
    first: (d, n_levels, n_codes) int64: the first code with the label of a code.
    least_more: (d, n_levels) float64: what suppression adds to the loss of a record at the least.
    """

    widths: Ints
    first: Ints
    least_more: Floats


@part
def make_tables(axes: Axes) -> Tables:
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
def loss_at(total: float, a: Int, axes: Axes) -> float:
    """Return what an attribute adds to the score."""
    scale = axes.scale[a]
    x = max(0.0, total - scale[LOW]) / scale[HIGH]
    if axes.form[1] == 1:
        x = np.floor(x * 1e10) / 1e10
    return float(x * scale[WEIGHT])


@part
def score_of(losses: Floats, axes: Axes) -> float:
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
def write_cells(tuples: Tuples, axes: Axes, a: Int, level: Int, width: Int, cells: Int32s) -> None:
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
def count_suppressed(
    tuples: Tuples,
    cells: Int32s,
    split: Int,
    axes: Axes,
    at: tuple[Int, Int, Int],
    gone: Int,
    required: Ints,
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
    keys: UInt64s,
    counts: Int32s,
    cells: Int32s,
    field: tuple[np.uint64, np.uint64, np.uint64],
    labels: Int32s,
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
def refine(
    tuples: Tuples,
    cells: Int32s,
    split: Int,
    axes: Axes,
    levels: Ints,
    losses: Floats,
    required: Ints,
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
def join_equal(
    tuples: Tuples, axes: Axes, before: Ints, levels: Ints, first: Ints, room: Room
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
def may_agree(tuples: Tuples, at: Ints, levels: Ints, tables: Tables) -> bool:
    """Say whether it is worth a try to join tuples: open attributes leave few combinations."""
    most = float(len(tuples.starts) - 1)
    for a in range(len(at)):
        if levels[a] < at[a]:
            most *= tables.widths[a, levels[a]]
    return most <= SPARSE * len(tuples.keys)


@part
def loss_at_least(
    losses: Floats, at: tuple[Int, Int], more: Int, axes: Axes, tables: Tables
) -> float:
    """Return what an attribute loses at a level, more records being suppressed than counted."""
    a, level = at
    return loss_at(losses[a, level] + more * tables.least_more[a, level], a, axes)
