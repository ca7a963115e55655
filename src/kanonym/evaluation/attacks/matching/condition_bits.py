"""Which records satisfy conditions on one column, as bits: 64 records a word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn

FEW = 1024
"""With more categories their records are compared with each condition, not kept as bits."""

EVERY = slice(None)

Flags = NDArray[np.bool_]
Rows = NDArray[np.int64] | slice
Words = NDArray[np.uint64]


class Packer(Protocol):
    """The records of one column, to be asked about conditions."""

    def pack(self, rows: NDArray[np.int64], sides: NDArray[np.int8]) -> Words:
        """Return (n_conditions, n_records / 64) words, a bit for each record that satisfies one.

        rows, sides: as of `Predicates`, one a condition.
        """
        ...


def packer_of(column: Column, cells: NDArray[np.int32] | None, among: Rows = EVERY) -> Packer:
    """Return the original's records of a column, or with their `cell_codes` the released ones.

    among: rows of the released ones that are asked about.
    """
    if isinstance(column, CategoricalColumn):
        own = column.original if cells is None else column.labels[among]
        return _CategoryBits.of(column, own, released=cells is not None)
    return _NumberBits.of(column, cells, among)


def pack_flags(flags: Flags) -> Words:
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
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    cell: NDArray[np.int64]
    always: Words
    sets: _CategoryBits | None

    @classmethod
    def of(cls, column: NumericColumn, cells: NDArray[np.int32] | None, among: Rows) -> _NumberBits:
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

    def pack(self, rows: NDArray[np.int64], sides: NDArray[np.int8]) -> Words:
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

    def _at_most(self, ends: NDArray[np.float64], asked: NDArray[np.float64]) -> Words:
        """Return (n_asked, n_records / 64) words: records whose end is at most each asked number.

        Each record is entered at the smallest number that it satisfies; the larger ones inherit.
        """
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
    own: NDArray[np.int32]
    bits: Words | None

    @classmethod
    def of(
        cls, column: CategoricalColumn, own: NDArray[np.int32], *, released: bool
    ) -> _CategoryBits:
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

    def pack(self, rows: NDArray[np.int64], sides: NDArray[np.int8]) -> Words:  # noqa: ARG002
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

    def _with_any_of(self, members: NDArray[np.int32]) -> Flags:
        """Return (n_records,) bool: who has one of some categories."""
        mask = np.zeros(_number_of_categories(self.column), np.bool_)
        mask[members] = True
        if self.released:
            mask = np.logical_or.reduceat(mask[self.column.members], self.column.offsets[:-1])
        return np.asarray(mask[self.own])


def _number_of_categories(column: CategoricalColumn) -> int:
    """Return how many there are, with one that no person has where a label leaves it open."""
    return max(int(column.members.max(initial=-1)) + 1, len(column.categories))
