"""Minimal sample uniques: the smallest sets of attributes on which a record is alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.compile import Int, kernel, part

BLOCK = 8
"""So many sets of a record stand side by side: they are compared in one step."""

COMBINATIONS = 1 << 24
"""Combinations of values of two attributes that are counted side by side, one byte each."""


class Uniques(NamedTuple):
    """The minimal sample uniques of the different records of a table.

    tuples: (n_rows,) int32, which of the different records a row is.
    counts: (n_tuples,) int64, rows of each.
    starts: (n_tuples + 1,) int64: the sets of tuple t are `sets[starts[t] : starts[t + 1]]`, none
        where the tuple has more than one row.
    sets: int32, bit a for attribute a.
    """

    tuples: Int32s
    counts: Ints
    starts: Ints
    sets: Int32s


class FoundSets(NamedTuple):
    """The sets found so far, in blocks that are chained by tuple, the newest first.

    newest: (n_tuples,) int32, the newest block of each tuple, or -1.
    held: (n_tuples,) int32, the sets of each tuple.
    blocks: (room, BLOCK) int32, -1 where nothing stands yet.
    links: (room,) int32, the next older block of the same tuple, or -1.
    used: (1,) int64, number of blocks in use.
    """

    newest: Int32s
    held: Int32s
    blocks: Int32s
    links: Int32s
    used: Ints


def minimal_uniques(codes: Int32s, largest: int) -> Uniques:
    """Find every minimal set of attributes on which a record is unique in the table.

    codes: (n_rows, d) int32 from 0, with d from 1 to 31.
    largest: Sets of more attributes are not looked for.

    Notes
    -----
    As SUDA2 (Manning, Haglin and Keane 2008) depth first over values, with deviations. Attributes
    are added in falling order of their number of values, which brings all parts of a set before it:
    a set is minimal if none found before is within it, and records outside the class at hand are
    not looked at. A class that agrees on an attribute is not followed with it: it would be
    superfluous in every set. Equal records are one tuple, which has no set. Sets of one and two
    attributes alone are counted by value: all combinations of the values of each two attributes, in
    one pass over the tuples where they stand. Cost: the sizes of all classes of two or more tuples
    over all sets of at most `largest` attributes, at worst 2^d · n_rows but far less where records
    are alone early; and for each set on which a record is met alone, the sets that it has.
    """
    n_rows, d = codes.shape
    if n_rows == 0:
        empty = np.empty(0, np.int64)
        return Uniques(empty.astype(np.int32), empty, np.zeros(1, np.int64), empty.astype(np.int32))
    if n_rows == 1:  # unique on no attribute at all: each attribute is more than it takes
        one = np.ones(1, np.int64)
        sets = np.left_shift(1, np.arange(d), dtype=np.int32)
        return Uniques(np.zeros(1, np.int32), one, np.array([0, d]), sets)
    sizes = codes.max(axis=0).astype(np.int64) + 1
    groups = group_rows([np.ascontiguousarray(codes[:, a]) for a in range(d)], sizes.tolist())
    order = np.argsort(sizes, kind="stable")
    starts, sets = _search(
        np.ascontiguousarray(groups.codes.T[order]),
        sizes[order],
        groups.sizes == 1,
        order,
        np.int64(largest),
    )
    return Uniques(groups.labels, groups.sizes, starts, sets)


@kernel
def _search(
    codes: Int32s, sizes: Ints, single: Bools, order: Ints, largest: Int
) -> tuple[Ints, Int32s]:
    """Return where the sets of each tuple start, and the sets.

    codes: (d, n) int32, different in every column, n from 2; sizes: (d,) int64, number of
    codes of each attribute, rising; single: (n,) bool, which tuples may be unique; order:
    (d,) int64, the bit that stands for each attribute.
    """
    d, n = codes.shape
    sets = FoundSets(
        np.full(n, -1, np.int32),
        np.zeros(n, np.int32),
        np.empty((n + 2 * d, BLOCK), np.int32),
        np.empty(n + 2 * d, np.int32),
        np.zeros(1, np.int64),
    )
    if largest == 2 and sizes[d - 1] * sizes[max(d - 2, 0)] <= COMBINATIONS:
        sets = _add_pairs(sets, codes, sizes, single)
        return _order_sets(sets, order)
    counts = np.zeros(sizes[d - 1], np.int64)
    values = np.empty(sizes[d - 1], np.int32)
    # By depth: tuples[depth, start:end] is a class; tuples[depth + 1] holds the same tuples
    # ordered by attribute `by`, of which the classes before `at` have been looked at. All agree
    # on the attributes `chosen`, as bits; those that may be added are before `below`.
    tuples = np.empty((d + 1, n), np.int32)
    for t in range(n):
        tuples[0, t] = t
    stack = np.zeros((6, d + 1), np.int64)
    start, end, at = stack[0], stack[1], stack[2]
    by, below, chosen = stack[3], stack[4], stack[5]
    end[0], at[0], by[0], below[0] = n, n, -1, d
    depth = 0
    while depth >= 0:
        if at[depth] == end[depth]:
            by[depth] += 1
            if by[depth] == below[depth]:
                depth -= 1
                continue
            column = codes[by[depth]]
            inside = tuples[depth, start[depth] : end[depth]]
            if depth + 1 == largest:
                if sets.used[0] + len(inside) > len(sets.links):
                    sets = _double_capacity(sets)
                attributes = chosen[depth] | (1 << by[depth])
                _add_unique(sets, column, inside, single, counts, tuples[d], attributes)
            elif _split(
                column, inside, tuples[depth + 1, start[depth] : end[depth]], counts, values
            ):
                at[depth] = start[depth]
            continue
        a = by[depth]
        inside = tuples[depth + 1]
        first = at[depth]
        value = codes[a, inside[first]]
        last = first
        alive = False
        while last < end[depth] and codes[a, inside[last]] == value:
            alive |= single[inside[last]]
            last += 1
        at[depth] = last
        if not alive:
            continue
        attributes = chosen[depth] | (1 << a)
        if last - first > 2:
            depth += 1
            start[depth], end[depth], at[depth] = first, last, last
            by[depth], below[depth], chosen[depth] = -1, a, attributes
            continue
        if sets.used[0] + 2 * d > len(sets.links):
            sets = _double_capacity(sets)
        if last - first == 1:
            _add(sets, inside[first], attributes)
            continue
        for b in range(a):  # each attribute in which two tuples differ parts them
            if codes[b, inside[first]] != codes[b, inside[first + 1]]:
                for i in range(first, last):
                    if single[inside[i]]:
                        _add(sets, inside[i], attributes | (1 << b))
    return _order_sets(sets, order)


@part
def _add_pairs(found: FoundSets, codes: Int32s, sizes: Ints, single: Bools) -> FoundSets:
    """Add all sets of one and of two attributes; parameters as of `_search`."""
    d, n = codes.shape
    seen = np.empty(sizes[d - 1] * sizes[max(d - 2, 0)], np.uint8)  # 2 stands for more
    for width in range(1, 3):
        for a in range(width - 1, d):
            for b in range(a if width == 2 else 1):
                if found.used[0] + n > len(found.links):
                    found = _double_capacity(found)
                by = sizes[b] if width == 2 else 1
                seen[: sizes[a] * by] = 0
                for t in range(n):
                    value = codes[a, t] * by + (codes[b, t] if width == 2 else 0)
                    seen[value] = min(seen[value] + 1, 2)
                attributes = (1 << a) | (1 << b if width == 2 else 0)
                for t in range(n):
                    value = codes[a, t] * by + (codes[b, t] if width == 2 else 0)
                    if seen[value] == 1 and single[t]:
                        _add(found, t, attributes)
    return found


@part
def _split(column: Int32s, tuples: Int32s, ordered: Int32s, counts: Ints, values: Int32s) -> bool:
    """Write the tuples ordered by their codes in a column; say whether there are several codes.

    column: (n,) int32; tuples, ordered: (size,) int32; counts: zeros for every code, as
    they are left; values: room for every code.
    """
    n_values = 0
    for t in tuples:
        code = column[t]
        if counts[code] == 0:
            values[n_values] = code
            n_values += 1
        counts[code] += 1
    place = 0
    for v in range(n_values):
        size = counts[values[v]]
        counts[values[v]] = place
        place += size
    if n_values > 1:
        for t in tuples:
            code = column[t]
            ordered[counts[code]] = t
            counts[code] += 1
    for v in range(n_values):
        counts[values[v]] = 0
    return n_values > 1


@part
def _add_unique(
    found: FoundSets,
    column: Int32s,
    tuples: Int32s,
    single: Bools,
    counts: Ints,
    own: Int32s,
    attributes: Int,
) -> None:
    """Add a set for those of the tuples that are alone with their code in a column.

    column, single: (n,); tuples: (size,) int32; counts: zeros for every code, as they are left;
    own: (size,) int32 at least, room for codes: the column is read once, for each tuple elsewhere.
    """
    for i in range(len(tuples)):
        code = column[tuples[i]]
        own[i] = code
        counts[code] += 1
    for i in range(len(tuples)):
        if counts[own[i]] == 1 and single[tuples[i]]:
            _add(found, tuples[i], attributes)
    for i in range(len(tuples)):
        counts[own[i]] = 0


@part
def _add(found: FoundSets, t: Int, attributes: Int) -> None:
    """Add a set on which a tuple is unique, unless one found before is within it."""
    others = ~np.int32(attributes)
    block = found.newest[t]
    while block >= 0:
        superfluous = False
        for j in range(BLOCK):
            superfluous |= found.blocks[block, j] & others == 0
        if superfluous:
            return
        block = found.links[block]
    j = found.held[t] % BLOCK
    if j == 0:
        block = found.used[0]
        for place in range(BLOCK):
            found.blocks[block, place] = -1
        found.links[block] = found.newest[t]
        found.newest[t] = block
        found.used[0] += 1
    found.blocks[found.newest[t], j] = attributes
    found.held[t] += 1


@part
def _double_capacity(found: FoundSets) -> FoundSets:
    """Return the same sets with room for twice as many."""
    room = len(found.links)
    blocks = np.empty((2 * room, BLOCK), np.int32)
    links = np.empty(2 * room, np.int32)
    for block in range(found.used[0]):
        links[block] = found.links[block]
        for j in range(BLOCK):
            blocks[block, j] = found.blocks[block, j]
    return FoundSets(found.newest, found.held, blocks, links, found.used)


@part
def _order_sets(found: FoundSets, order: Ints) -> tuple[Ints, Int32s]:
    """Return where the sets of each tuple start, and all sets in the order of their finding."""
    n = len(found.held)
    starts = np.zeros(n + 1, np.int64)
    for t in range(n):
        starts[t + 1] = starts[t] + found.held[t]
    sets = np.zeros(starts[n], np.int32)
    for t in range(n):
        block = found.newest[t]
        n_left = found.held[t]
        while block >= 0:
            first = (n_left - 1) // BLOCK * BLOCK
            for j in range(n_left - first):
                for a in range(len(order)):
                    if found.blocks[block, j] >> a & 1:
                        sets[starts[t] + first + j] |= np.int32(1 << order[a])
            n_left = first
            block = found.links[block]
    return starts, sets
