"""Two tables side by side, as measures of utility see them: an original and a release of it.

A released value may leave several original values open: an interval, a set, a label of a
hierarchy, a suppressed cell. Columns here say which, so that a measure need not know how
tables are recoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.evaluation.pair.number_sets import NumberSets
from kanonym.evaluation.pair.sets import PairedSets


@dataclass(frozen=True, slots=True, repr=False)
class NumericColumn(ShortRepr):
    """A column of numbers or times in both tables.

    original: (n_original,) float64, NaN for null; times in their physical unit.
    low, high: (n_released,) float64: what each released record leaves open, both ends included;
    equal where it says one number (a mean may be no original value). NaN both for a null that is
    released as a value.
    suppressed: (n_released,) bool, cells that say nothing; low and high are then the smallest and
    largest number of the original.
    """

    name: str
    original: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    suppressed: NDArray[np.bool_]
    sets: NumberSets | None = None

    @property
    def released(self) -> NDArray[np.float64]:
        """(n_released,) float64: the middle of what is left open, NaN for null."""
        return (self.low + self.high) / 2

    def as_categories(self) -> CategoricalColumn:
        """Return the column with each number of the original as a category.

        A cell leaves open the numbers of its set, or those within its interval, and where there
        is none a category that no person has. Cost: a sort of the numbers, and of the cells.
        """
        line, own = np.unique(self.original, return_inverse=True)
        numbers = line[~np.isnan(line)]
        of_set = np.full(len(self.low), -1) if self.sets is None else self.sets.labels
        ends = (np.where(np.isnan(one), np.inf, one) for one in (self.low, self.high))
        cells = np.column_stack([*ends, self.suppressed, of_set])
        distinct, labels = np.unique(cells, axis=0, return_inverse=True)
        opened = []
        for low, high, suppressed, one in distinct.tolist():
            if suppressed:
                codes = np.arange(len(line))
            elif one >= 0 and self.sets is not None:
                codes = np.flatnonzero(np.isin(line, self.sets.values(int(one))))
                if self.sets.has_null(int(one)):
                    codes = np.append(codes, np.arange(len(numbers), len(line)))
            elif np.isinf(low):
                codes = np.arange(len(numbers), len(line))
            else:
                codes = np.arange(
                    np.searchsorted(numbers, low), np.searchsorted(numbers, high, side="right")
                )
            opened.append(codes if len(codes) else np.array([len(line)]))
        texts = pl.Series(self.name, numbers).cast(pl.String)
        return CategoricalColumn(
            self.name,
            texts.extend_constant(None, len(line) - len(numbers)),
            own.astype(np.int32),
            labels.reshape(-1).astype(np.int32),
            np.cumsum([0, *map(len, opened)], dtype=np.int64),
            np.concatenate([np.zeros(0, np.int64), *opened]).astype(np.int32),
            self.suppressed,
        )


@dataclass(frozen=True, slots=True, repr=False)
class CategoricalColumn(ShortRepr):
    """A column of categories in both tables.

    categories: (n_categories,) distinct values as text, null (where there is one) last; every value
    of the original, and every one that a released label leaves open.
    original: (n_original,) int32 codes of categories.
    labels: (n_released,) int32, the released label of each record.
    suppressed: (n_released,) bool, cells that say nothing: their label leaves all categories open.
    """

    name: str
    categories: pl.Series
    original: NDArray[np.int32]
    labels: NDArray[np.int32]
    offsets: NDArray[np.int64]
    members: NDArray[np.int32]
    suppressed: NDArray[np.bool_]


Column = NumericColumn | CategoricalColumn


@dataclass(frozen=True, slots=True, repr=False)
class Generalization(ShortRepr):
    """How much the released values of one quasi-identifier leave open.

    It is counted in values of the attribute's domain: the leaves of its hierarchy, without
    one the distinct values of the original; null is one of them where it occurs. A label here
    is whatever leaves the same values open: an interval, a set, a label of the hierarchy.

    original: (n_original,) int32 code of each record's value, from 0 to `size` - 1.
    labels: (n_released,) int32, what each released record leaves open.
    values: (n_labels,) int64, how many values of the domain; all for a suppressed cell. 0 for a
    value that no record of the original has, as a mean may be, where nobody knows which records it
    stands for.
    records: (n_labels,) int64, records of the original that have one of these values.
    penalties: (n_labels,) float64 in [0, 1], the normalized certainty penalty.
    spans: (n_labels,) float64 in [0, 1], the span loss (`metrics.span`).
    levels: (n_labels,) int32, the level of the hierarchy; that of the root for a suppressed cell.
    None without a hierarchy.
    below: (n_labels,) int64, the labels one level below each; 0 for values themselves. None without
    a hierarchy.
    """

    name: str
    original: NDArray[np.int32]
    size: int
    height: int | None
    labels: NDArray[np.int32]
    values: NDArray[np.int64]
    records: NDArray[np.int64]
    penalties: NDArray[np.float64]
    spans: NDArray[np.float64]
    levels: NDArray[np.int32] | None = None
    below: NDArray[np.int64] | None = None
    expected: NDArray[np.int64] | None = None
    missing: NDArray[np.int64] | None = None
    unknown: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class TablePair(ShortRepr):
    """An original table and a release of it.

    rows: (n_released,) int64, the original record of each released one; None where nobody knows, as
    after a shuffle.
    classes: (n_released,) int32 equivalence class of each released record, numbered from 0: equal
    released quasi-identifiers. None where nobody grouped them.
    persons: (n_original,) int64, whose each record of the original is, from 0 without a gap; None
    where each is another person's.
    """

    columns: tuple[Column, ...]
    quasi_identifiers: tuple[str, ...]
    n_original: int
    n_released: int
    rows: NDArray[np.int64] | None
    generalizations: tuple[Generalization, ...] = ()
    classes: NDArray[np.int32] | None = None
    new: Mapping[str, int] = field(default_factory=dict)
    persons: NDArray[np.int64] | None = None
    sets: PairedSets | None = None
    suppressed: int = 0

    @property
    def n_persons(self) -> int:
        """Persons of the original."""
        if self.persons is None:
            return self.n_original
        return int(self.persons.max(initial=-1)) + 1

    @property
    def released_persons(self) -> NDArray[np.int64] | None:
        """(n_released,) int64, whose each released record is; None where that is not known."""
        if self.rows is None:
            return None
        return self.rows if self.persons is None else self.persons[self.rows]

    def column(self, name: str) -> Column:
        """Return one column by name."""
        return next(column for column in self.columns if column.name == name)
