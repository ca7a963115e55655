"""Predicates that are made of released cells, and how many records each one matches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.evaluation.attacks.matching.cells import cell_codes
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair

CELLS = 1 << 24
"""Conditions times records that are looked at together: bounds the memory."""

Flags = NDArray[np.bool_]
_Holds = Callable[[Column, NDArray[np.int64], NDArray[np.int8]], Flags]


@dataclass(frozen=True, slots=True, repr=False)
class Predicates(ShortRepr):
    """Conditions on several columns at once, each of them on what a released cell leaves open.

    Attributes
    ----------
    rows
        (p,) int64, the released record whose cells each predicate takes.
    columns
        (p, c) int64, numbers of `TablePair.columns`.
    sides
        (p, c) int8: 0 for a value that the cell leaves open, -1 for at most the cell's
        lowest number, 1 for at least its highest. A cell that is null asks for null; a
        suppressed one asks for nothing.

    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    sides: NDArray[np.int8]

    def __len__(self) -> int:
        """Return the number of predicates."""
        return len(self.rows)

    def take(self, places: NDArray[np.int64]) -> Predicates:
        """Return some of them, in the order given."""
        return Predicates(self.rows[places], self.columns[places], self.sides[places])


def count_matches(pair: TablePair, predicates: Predicates) -> NDArray[np.int64]:
    """Return (p,) int64: how many persons of the original satisfy each predicate.

    A person does who has a record that does. Cost O(p · c · n_original / 64) beside
    O(distinct conditions · n_original); where persons have several records, O(p · n_original).
    """
    everybody = np.ones(pair.n_original, np.bool_)
    return _count_by_bits(pair, predicates, everybody, _persons_satisfying, pair.persons)


def count_possible(
    pair: TablePair,
    predicates: Predicates,
    among: Flags,
    whose: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return (p,) int64: how many of some released records may satisfy each predicate.

    One may where each of its cells has a value in common with the predicate's. Cost as of
    `count_matches`, with the released records; among: (n_released,) bool, those that are counted.
    whose: (n_released,) int64, to count persons instead.
    """
    return _count_by_bits(pair, predicates, among, _records_satisfying, whose)


def _count_by_bits(
    pair: TablePair,
    predicates: Predicates,
    among: Flags,
    holds: _Holds,
    whose: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
    """Count by bits: each distinct condition looks at the records once, predicates join them."""
    n = len(among)
    words = -(-n // 64)
    counts = np.zeros(len(predicates), np.int64)
    step = max(8 * CELLS // max(n, 1), 1)
    full = np.zeros(words * 8, np.uint8)
    full[: -(-n // 8)] = np.packbits(among)
    alike: dict[int, NDArray[np.int64]] = {}
    for start in range(0, len(predicates), step):
        some = predicates.take(np.arange(start, min(start + step, len(predicates))))
        bits = np.tile(full.view(np.uint64), (len(some), 1))
        for number in np.unique(some.columns).tolist():
            owner, slot = np.nonzero(some.columns == number)
            if number not in alike:
                alike[number] = _first_equal_cells(pair.columns[number])
            rows = alike[number][some.rows[owner]]
            # Sides are -1, 0 and 1: row and side are one number, which sorts fast.
            conditions = 3 * rows + some.sides[owner, slot] + 1
            distinct, place = np.unique(conditions, return_inverse=True)
            sides = distinct % 3 - 1
            packed = _pack_conditions(
                pair.columns[number], np.column_stack([distinct // 3, sides]), n, holds
            )
            # A predicate names a column once, so no row of `bits` is written twice.
            bits[owner] &= packed[place]
        counts[start : start + len(some)] = (
            np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
            if whose is None
            else _count_owners(bits, whose)
        )
    return counts


def _count_owners(bits: NDArray[np.uint64], whose: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (p,) int64: persons with a bit; whose: (n,) int64, the person of each bit."""
    order = np.argsort(whose, kind="stable")
    starts = np.flatnonzero(np.diff(whose[order], prepend=-1))
    counts = np.zeros(len(bits), np.int64)
    step = max(CELLS // max(len(whose), 1), 1)
    for start in range(0, len(bits) if len(whose) else 0, step):
        flags = bits[start : start + step].view(np.uint8)
        held = np.unpackbits(flags, axis=1, count=len(whose))[:, order]
        counts[start : start + step] = np.maximum.reduceat(held, starts, axis=1).sum(axis=1)
    return counts


def _first_equal_cells(column: Column) -> NDArray[np.int64]:
    """Return (n_released,) int64: the first record whose cell leaves open what each one's does."""
    codes = cell_codes(column)[0]
    first = np.zeros(int(codes.max(initial=0)) + 1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last assignment stays
    return first[codes]


def _pack_conditions(
    column: Column, conditions: NDArray[np.int64], n: int, holds: _Holds
) -> NDArray[np.uint64]:
    """Return (n_conditions, n / 64) words, a bit for each record that satisfies one."""
    packed = np.zeros((len(conditions), -(-n // 64) * 8), np.uint8)
    step = max(CELLS // max(n, 1), 1)
    for start in range(0, len(conditions), step):
        rows, sides = conditions[start : start + step].T
        held = holds(column, rows, sides.astype(np.int8))
        packed[start : start + len(rows), : -(-n // 8)] = np.packbits(held, axis=1)
    return packed.view(np.uint64)


def _persons_satisfying(column: Column, rows: NDArray[np.int64], sides: NDArray[np.int8]) -> Flags:
    """Return (n_conditions, n_original) bool."""
    if isinstance(column, CategoricalColumn):
        return _open_categories(column, rows)[:, column.original]
    low, high = (end[:, None] for end in _ends(column, rows, sides))
    held = (low <= column.original) & (column.original <= high)
    held[np.isnan(low[:, 0])] = np.isnan(column.original)
    held[column.suppressed[rows]] = True
    if column.sets is not None:
        inside = sides == 0
        held[inside] = _persons_satisfying(column.as_categories(), rows[inside], sides[inside])
    return held


def _records_satisfying(column: Column, rows: NDArray[np.int64], sides: NDArray[np.int8]) -> Flags:
    """Return (n_conditions, n_released) bool."""
    if isinstance(column, CategoricalColumn):
        allowed = _open_categories(column, rows)
        shared = np.logical_or.reduceat(allowed[:, column.members], column.offsets[:-1], axis=1)
        return np.asarray(shared[:, column.labels])
    low, high = (end[:, None] for end in _ends(column, rows, sides))
    held = (low <= column.high) & (column.low <= high)
    held[np.isnan(low[:, 0])] = np.isnan(column.low)
    held[column.suppressed[rows]] = True
    if column.sets is not None:
        inside = sides == 0
        held[inside] = _records_satisfying(column.as_categories(), rows[inside], sides[inside])
    return held | column.suppressed


def _ends(
    column: NumericColumn, rows: NDArray[np.int64], sides: NDArray[np.int8]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (n_conditions,) float64 lowest and highest number; NaN where null is asked for."""
    low, high = column.low[rows], column.high[rows]
    null = np.isnan(low)
    first = np.where(sides < 0, -np.inf, np.where(sides > 0, high, low))
    last = np.where(sides > 0, np.inf, np.where(sides < 0, low, high))
    return np.where(null, np.nan, first), np.where(null, np.nan, last)


def _open_categories(column: CategoricalColumn, rows: NDArray[np.int64]) -> Flags:
    """Return (n_conditions, n_categories) bool: what each cell leaves open."""
    most = max(int(column.members.max(initial=-1)) + 1, len(column.categories))
    allowed = np.zeros((len(rows), most), np.bool_)
    for i, label in enumerate(column.labels[rows].tolist()):
        allowed[i, column.members[column.offsets[label] : column.offsets[label + 1]]] = True
    return allowed
