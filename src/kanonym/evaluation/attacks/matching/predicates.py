"""Predicates that single out persons, as bits over the records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results import ShortRepr
from kanonym.evaluation.attacks.matching.classes import classes_by
from kanonym.evaluation.attacks.matching.lookup import find_candidates
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints, UInt64s
from kanonym.kernels.classes.grouping import dense_ranks, group_rows


def cell_codes(column: Column) -> tuple[Int32s, int]:
    """Return a number for each released cell of a column, and how many there are.

    Returns: (n_released,) int32 codes, from 0. They follow from what the cells leave open: a
        release with its records in another order has the same.
    """
    if isinstance(column, NumericColumn):
        ends = [dense_ranks(end)[1] for end in (column.low, column.high)]
        columns = [*ends, column.suppressed.astype(np.int32)]
        if column.sets is not None:
            columns.append(column.sets.labels + np.int32(1))
        groups = group_rows(columns, [int(codes.max(initial=0)) + 1 for codes in columns])
        return groups.labels, len(groups.sizes)
    held, place = np.unique(_ranks(column)[column.labels], return_inverse=True)
    return place.astype(np.int32), len(held)


def regroup_records(pair: TablePair, names: Sequence[str]) -> Int32s:
    """Return (n_released,) int32 classes of the released records that agree in some columns."""
    coded = [cell_codes(pair.column(name)) for name in names]
    if not coded or not pair.n_released:
        return np.zeros(pair.n_released, np.int32)
    return group_rows([codes for codes, _ in coded], [size for _, size in coded]).labels


def _ranks(column: CategoricalColumn) -> Ints:
    """Return (n_labels,) int64: the place of each label by what it leaves open."""
    order = column.categories.arg_sort(nulls_last=True).to_numpy()
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    ends = column.offsets.tolist()
    members = place[column.members]
    sets = [tuple(np.sort(members[first:last]).tolist()) for first, last in pairwise(ends)]
    ranks = {one: rank for rank, one in enumerate(sorted(set(sets)))}
    return np.array([ranks[one] for one in sets], np.int64)


CELLS = 1 << 24
"""Persons times classes that are looked at together: bounds the memory."""


def nearest_gaps(pair: TablePair, persons: Ints, names: Sequence[str], units: TablePair) -> Floats:
    """Return how far the nearest released record is from each person.

    persons: (n,) rows of the original.
    Returns: (n,) float64, at least 0. The distance is a sum over columns: of a number its way to
        the released interval in units, at most 1; 1 for a category that is not left open, and for
        null beside a value. 0 where some record leaves all values of the person open.
    """
    classes = regroup_records(pair, names)
    if not any(_has_sets(pair.column(name)) for name in names):
        searched = classes_by(replace(pair, classes=classes), names, units)
        apart = searched.nearest(*searched.persons(pair, persons))[1]
        return apart.astype(np.float32).astype(np.float64)
    rows = np.unique(classes, return_index=True)[1]
    fitting = find_candidates(replace(pair, classes=classes), persons, names).numbers > 0
    found = np.zeros(len(persons))
    lost = np.flatnonzero(~fitting)
    step = max(CELLS // max(len(rows), 1), 1)
    for start in range(0, len(lost), step):
        places = lost[start : start + step]
        apart = np.zeros((len(places), len(rows)), np.float32)
        for name in names:
            column = pair.column(name)
            own = column.original[persons[places]].astype(np.float64)
            # Equal values are compared once; float32 halves what has to be added up.
            values, place = np.unique(own, return_inverse=True)
            apart += _gaps(column, values, rows, units.column(name))[place]
        found[places] = apart.min(axis=1)
    return found


def _has_sets(column: Column) -> bool:
    """Whether some cells are sets of numbers."""
    return isinstance(column, NumericColumn) and column.sets is not None


def _gaps(column: Column, values: Floats, rows: Ints, unit: Column) -> NDArray[np.float32]:
    """Return (n_values, n_rows) in [0, 1]: how far each value is from what a record leaves open."""
    if isinstance(column, CategoricalColumn):
        return _categories_differ(column, values, rows).astype(np.float32)
    known = unit.original[~np.isnan(unit.original)]
    width = (float(np.ptp(known)) if len(known) else 0.0) or 1.0
    return _number_gaps(column, values, rows, width).astype(np.float32)


def _number_gaps(column: NumericColumn, values: Floats, rows: Ints, width: float) -> Floats:
    low, high = column.low[rows], column.high[rows]
    asked = values[:, None]
    apart = np.maximum(np.maximum(low - asked, asked - high), 0)
    if column.sets is not None:
        apart = np.fmax(apart, column.sets.gaps(values, rows))
    apart /= width
    apart = np.minimum(np.where(np.isnan(apart), 1.0, apart), 1.0)
    apart[np.isnan(values)] = ~np.isnan(low)
    apart[:, column.suppressed[rows]] = 0.0
    return apart


def _categories_differ(column: CategoricalColumn, values: Floats, rows: Ints) -> Bools:
    place = np.full(len(column.categories), -1, np.int64)
    place[values.astype(np.int64)] = np.arange(len(values))
    labels = np.repeat(np.arange(len(column.offsets) - 1), np.diff(column.offsets))
    asked = place[column.members]
    apart = np.ones((len(values), len(column.offsets) - 1), np.bool_)
    apart[asked[asked >= 0], labels[asked >= 0]] = False
    return apart[:, column.labels[rows]]


FEW = 1024
"""With more categories their records are compared with each condition, not kept as bits."""

EVERY = slice(None)

Rows = Ints | slice


class Packer(Protocol):
    """The records of one column, to be asked about conditions."""

    def pack(self, rows: Ints, sides: NDArray[np.int8]) -> UInt64s:
        """Return (n_conditions, n_records / 64) words, a bit for each record that satisfies one.

        rows, sides: as of `Predicates`, one a condition.
        """
        ...


def packer_of(column: Column, cells: Int32s | None, among: Rows = EVERY) -> Packer:
    """Return the original's records of a column, or with their `cell_codes` the released ones.

    among: rows of the released ones that are asked about.
    """
    if isinstance(column, CategoricalColumn):
        own = column.original if cells is None else column.labels[among]
        return _CategoryBits.of(column, own, released=cells is not None)
    return _NumberBits.of(column, cells, among)


def pack_flags(flags: Bools) -> UInt64s:
    """Return (..., n / 64) words of (..., n) flags."""
    packed = np.packbits(flags, axis=-1)
    words = np.zeros((*flags.shape[:-1], -(-flags.shape[-1] // 64) * 8), np.uint8)
    words[..., : packed.shape[-1]] = packed
    return words.view(np.uint64)


@dataclass(frozen=True, slots=True, repr=False)
class _NumberBits(ShortRepr):
    """Records of numbers or intervals: what begins before an end, and ends after a beginning.

    low, high: (n_cells,) float64, the different cells of the records; NaN for null.
    cell: (n_records,) which of them each record has.
    """

    column: NumericColumn
    low: Floats
    high: Floats
    cell: Ints
    always: UInt64s
    sets: _CategoryBits | None

    @classmethod
    def of(cls, column: NumericColumn, cells: Int32s | None, among: Rows) -> _NumberBits:
        sets = None
        if column.sets is not None:
            listed = column.as_categories()
            labels = listed.original if cells is None else listed.labels[among]
            sets = _CategoryBits.of(listed, labels, released=cells is not None)
        if cells is None:
            line, own = np.unique(column.original, return_inverse=True)
            none = np.zeros(len(own), np.bool_)
            return cls(column, line, line, own, pack_flags(none), sets)
        first = np.zeros(int(cells.max(initial=0)) + 1, np.int64)
        first[cells] = np.arange(len(cells))
        low, high = column.low[first], column.high[first]
        always = pack_flags(column.suppressed[among])
        return cls(column, low, high, cells[among].astype(np.int64), always, sets)

    def pack(self, rows: Ints, sides: NDArray[np.int8]) -> UInt64s:
        """Return the words of some conditions."""
        low, high = self.column.low[rows], self.column.high[rows]
        null = np.isnan(low)
        first = np.where(sides < 0, -np.inf, np.where(sides > 0, high, low))
        last = np.where(sides > 0, np.inf, np.where(sides < 0, low, high))
        words = np.empty((len(rows), len(self.always)), np.uint64)
        words[~null] = self._at_most(self.low, last[~null])
        words[~null] &= self._at_most(-self.high, -first[~null])
        words[null] = pack_flags(np.isnan(self.low)[self.cell])
        words[self.column.suppressed[rows]] = ~np.uint64(0)
        if self.sets is not None:
            inside = sides == 0
            words[inside] = self.sets.pack(rows[inside], sides[inside])
        words |= self.always
        return words

    def _at_most(self, ends: Floats, asked: Floats) -> UInt64s:
        """Return (n_asked, n_records / 64) words: those whose end is at most each asked number."""
        numbers, place = np.unique(asked, return_inverse=True)
        entry = np.searchsorted(numbers, ends)[self.cell]
        record = np.flatnonzero(entry < len(numbers))
        bytes_ = np.zeros((len(numbers), len(self.always) * 8), np.uint8)
        at = entry[record] * bytes_.shape[1] + record // 8
        np.add.at(bytes_.reshape(-1), at, (128 >> record % 8).astype(np.uint8))
        words = bytes_.view(np.uint64)
        np.bitwise_or.accumulate(words, axis=0, out=words)
        return words[place]


@dataclass(frozen=True, slots=True, repr=False)
class _CategoryBits(ShortRepr):
    """Records of categories: the original's have one, released ones what their label leaves open.

    own: (n_records,) the label, or the category, of each record.
    bits: (n_categories, n_records / 64) words, the records with each category; None where there are
    too many categories.
    """

    column: CategoricalColumn
    released: bool
    own: Int32s
    bits: UInt64s | None

    @classmethod
    def of(cls, column: CategoricalColumn, own: Int32s, *, released: bool) -> _CategoryBits:
        most = _number_of_categories(column)
        if most > FEW:
            return cls(column, released, own, None)
        opened = np.eye(most, dtype=np.bool_)
        if released:
            numbers = np.diff(column.offsets)
            opened = np.zeros((len(numbers), most), np.bool_)
            opened[np.repeat(np.arange(len(numbers)), numbers), column.members] = True
        bits = np.stack([pack_flags(one[own]) for one in opened.T])
        return cls(column, released, own, bits)

    def pack(self, rows: Ints, sides: NDArray[np.int8]) -> UInt64s:  # noqa: ARG002
        """Return the words of some conditions; categories have no sides."""
        words = np.empty((len(rows), -(-len(self.own) // 64)), np.uint64)
        ends = self.column.offsets.tolist()
        for word, label in zip(words, self.column.labels[rows].tolist(), strict=True):
            members = self.column.members[ends[label] : ends[label + 1]]
            if self.bits is not None:
                np.bitwise_or.reduce(self.bits[members], axis=0, out=word)
            else:
                word[:] = pack_flags(self._with_any_of(members))
        return words

    def _with_any_of(self, members: Int32s) -> Bools:
        """Return (n_records,) bool: who has one of some categories."""
        mask = np.zeros(_number_of_categories(self.column), np.bool_)
        mask[members] = True
        if self.released:
            mask = np.logical_or.reduceat(mask[self.column.members], self.column.offsets[:-1])
        return np.asarray(mask[self.own])


def _number_of_categories(column: CategoricalColumn) -> int:
    """Return how many there are, with one that no person has where a label leaves it open."""
    return max(int(column.members.max(initial=-1)) + 1, len(column.categories))


BYTES = 1 << 26
"""Bytes of predicates' bits, and of conditions' bits, that are held together."""

CELLS_AT_ONCE = 1 << 24
"""Predicates times records that are looked at together: bounds the memory."""


@dataclass(frozen=True, slots=True, repr=False)
class Predicates(ShortRepr):
    """Conditions on several columns at once, each of them on what a released cell leaves open.

    rows: (p,) int64, the released record whose cells each predicate takes.
    columns: (p, c) int64, numbers of `TablePair.columns`.
    sides: (p, c) int8: 0 for a value that the cell leaves open, -1 for at most the cell's lowest
    number, 1 for at least its highest. A cell that is null asks for null; a suppressed one asks for
    nothing.
    """

    rows: Ints
    columns: Ints
    sides: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, places: Ints) -> Predicates:
        """Return some of them, in the order given."""
        return Predicates(self.rows[places], self.columns[places], self.sides[places])


def count_matches(pair: TablePair, predicates: Predicates, codes: Int32s | None = None) -> Ints:
    """Return (p,) int64: how many persons of the original satisfy each predicate.

    A person does who has a record that does. codes: (n_released, n_columns) int32, those of
    `cell_codes`, where they are at hand.
    """
    if codes is None:
        codes = coded_cells(pair)
    return _count_by_bits(pair, predicates, codes, None, pair.persons)


def count_possible(
    pair: TablePair,
    predicates: Predicates,
    among: Bools,
    codes: Int32s | None = None,
    whose: Ints | None = None,
) -> Ints:
    """Return (p,) int64: how many of some released records may satisfy each predicate.

    One may where each of its cells has a value in common with the predicate's.
    """
    if codes is None:
        codes = coded_cells(pair)
    rows = np.flatnonzero(among)
    return _count_by_bits(pair, predicates, codes, rows, None if whose is None else whose[rows])


def coded_cells(pair: TablePair) -> Int32s:
    """Return (n_released, n_columns) int32, the `cell_codes` of each column."""
    return np.column_stack([cell_codes(column)[0] for column in pair.columns])


def _count_by_bits(
    pair: TablePair, predicates: Predicates, codes: Int32s, among: Ints | None, whose: Ints | None
) -> Ints:
    """Count by bits: each distinct condition looks at the records once, predicates join them.

    among: rows of the released records that are counted; None for all of the original's.
    whose: the person of each record that is counted.
    """
    n = pair.n_original if among is None else len(among)
    if not n or not len(predicates):
        return np.zeros(len(predicates), np.int64)
    counted = pack_flags(np.ones(n, np.bool_))
    packers: dict[int, Packer] = {}
    counts = np.zeros(len(predicates), np.int64)
    step = max(BYTES // (8 * len(counted)), 1)
    for start in range(0, len(predicates), step):
        some = predicates.take(np.arange(start, min(start + step, len(predicates))))
        bits = np.tile(counted, (len(some), 1))
        for number in np.unique(some.columns).tolist():
            owner, slot = np.nonzero(some.columns == number)
            # Sides are -1, 0 and 1: cell and side are one number, which sorts fast.
            conditions = 3 * codes[some.rows[owner], number].astype(np.int64)
            conditions += some.sides[owner, slot] + 1
            _, first, place = np.unique(conditions, return_index=True, return_inverse=True)
            if number not in packers:
                column = pair.columns[number]
                packers[number] = (
                    packer_of(column, None)
                    if among is None
                    else packer_of(column, codes[:, number], among)
                )
            packed = packers[number].pack(
                some.rows[owner[first]], some.sides[owner[first], slot[first]]
            )
            for one, condition in zip(owner.tolist(), place.tolist(), strict=True):
                np.bitwise_and(bits[one], packed[condition], out=bits[one])
        counts[start : start + len(some)] = (
            np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
            if whose is None
            else _count_owners(bits, whose)
        )
    return counts


def _count_owners(bits: UInt64s, whose: Ints) -> Ints:
    """Return (p,) int64: persons with a bit; whose: (n,) int64, the person of each bit."""
    order = np.argsort(whose, kind="stable")
    starts = np.flatnonzero(np.diff(whose[order], prepend=-1))
    counts = np.zeros(len(bits), np.int64)
    step = max(CELLS_AT_ONCE // max(len(whose), 1), 1)
    for start in range(0, len(bits) if len(whose) else 0, step):
        flags = bits[start : start + step].view(np.uint8)
        held = np.unpackbits(flags, axis=1, count=len(whose))[:, order]
        counts[start : start + step] = np.maximum.reduceat(held, starts, axis=1).sum(axis=1)
    return counts
