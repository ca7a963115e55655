"""Predicates that are made of released cells, and how many records each one matches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.evaluation.attacks.matching.cells import cell_codes
from kanonym.evaluation.attacks.matching.condition_bits import (
    Flags,
    Packer,
    pack_flags,
    packer_of,
)
from kanonym.evaluation.pair.tables import TablePair

BYTES = 1 << 26
"""Bytes of predicates' bits, and of conditions' bits, that are held together."""

CELLS = 1 << 24
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

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    sides: NDArray[np.int8]

    def __len__(self) -> int:
        """Return the number of predicates."""
        return len(self.rows)

    def take(self, places: NDArray[np.int64]) -> Predicates:
        """Return some of them, in the order given."""
        return Predicates(self.rows[places], self.columns[places], self.sides[places])


def count_matches(
    pair: TablePair, predicates: Predicates, codes: NDArray[np.int32] | None = None
) -> NDArray[np.int64]:
    """Return (p,) int64: how many persons of the original satisfy each predicate.

    A person does who has a record that does. codes: (n_released, n_columns) int32, those of
    `cell_codes`, where they are at hand. Cost O(p · c · n_original / 64); where persons have
    several records, O(p · n_original).
    """
    if codes is None:
        codes = coded_cells(pair)
    return _count_by_bits(pair, predicates, codes, None, pair.persons)


def count_possible(
    pair: TablePair,
    predicates: Predicates,
    among: Flags,
    codes: NDArray[np.int32] | None = None,
    whose: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return (p,) int64: how many of some released records may satisfy each predicate.

    One may where each of its cells has a value in common with the predicate's. Cost as of
    `count_matches`, with those released records; among: (n_released,) bool, those that are counted.
    whose: (n_released,) int64, to count persons instead.
    """
    if codes is None:
        codes = coded_cells(pair)
    rows = np.flatnonzero(among)
    return _count_by_bits(pair, predicates, codes, rows, None if whose is None else whose[rows])


def coded_cells(pair: TablePair) -> NDArray[np.int32]:
    """Return (n_released, n_columns) int32, the `cell_codes` of each column."""
    return np.column_stack([cell_codes(column)[0] for column in pair.columns])


def _count_by_bits(
    pair: TablePair,
    predicates: Predicates,
    codes: NDArray[np.int32],
    among: NDArray[np.int64] | None,
    whose: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
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
