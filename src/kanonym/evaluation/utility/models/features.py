"""Records of both tables as vectors of numbers, for models that learn from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.evaluation.pair.drawing import draw_categories, draw_numbers
from kanonym.evaluation.pair.tables import Column, NumericColumn
from kanonym.evaluation.utility.cells import CategoryCells, category_cells, chunks

CATEGORIES = 50
"""Categories that have a feature each; the others of a column share one."""


@dataclass(frozen=True, slots=True, repr=False)
class Features(ShortRepr):
    """Features of both tables, on one scale.

    A number is standardized by the original's mean and deviation, a released interval by its
    middle; where one table has nulls, they are 0 with a flag. A category is 1 in its own
    feature; a label that leaves several open has an equal share in each.
    """

    numbers: tuple[NumericColumn, ...]
    flagged: tuple[NumericColumn, ...]
    categories: tuple[CategoryCells, ...]

    @property
    def size(self) -> int:
        """Return the number of features."""
        return (
            len(self.numbers)
            + len(self.flagged)
            + sum(category.size for category in self.categories)
        )

    @property
    def attributes(self) -> list[tuple[int, int]]:
        """Return the first feature of each column of categories, and the one after its last."""
        ends = np.cumsum([category.size for category in self.categories]) + len(self.numbers)
        ends += len(self.flagged)
        return [
            (int(end) - one.size, int(end)) for one, end in zip(self.categories, ends, strict=True)
        ]

    def original(self, records: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (n_records, size) float64 features of records of the original."""
        found = self._zeros(records)
        for i, column in enumerate(self.numbers):
            found[:, i] = _standardize(column, column.original[records])
        start = len(self.numbers)
        for i, column in enumerate(self.flagged, start):
            found[:, i] = np.isnan(column.original[records])
        start += len(self.flagged)
        for cells in self.categories:
            found[np.arange(len(records)), start + cells.original[records]] = 1.0
            start += cells.size
        return found

    def released(self, records: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (n_records, size) float64 features of released records."""
        found = self._zeros(records)
        for i, column in enumerate(self.numbers):
            found[:, i] = _standardize(column, (column.low[records] + column.high[records]) / 2)
        start = len(self.numbers)
        for i, column in enumerate(self.flagged, start):
            found[:, i] = np.isnan(column.low[records])
        start += len(self.flagged)
        for cells in self.categories:
            found[:, start : start + cells.size] = cells.shares[cells.labels[records]]
            start += cells.size
        return found

    def value_order(self, n: int) -> NDArray[np.int64]:
        """Return the n released records in an order that their values alone decide.

        What is drawn for them then does not depend on how the release was shuffled. Cost: as
        `released` of all, in chunks.
        """
        weights = np.random.default_rng(0).random(self.size + len(self.numbers))
        keys = np.zeros(n)
        for rows in chunks(n):
            records = np.arange(n)[rows]
            widths = [
                _standardize(number, number.high[rows]) - _standardize(number, number.low[rows])
                for number in self.numbers
            ]
            # A sum for each row by itself: its rounding is the same wherever the row stands.
            parts = np.column_stack([self.released(records), *widths]) * weights
            keys[rows] = parts.sum(axis=1)
        return np.argsort(keys, kind="stable")

    def sample(
        self, records: NDArray[np.int64], random: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return (n_records, size) float64 features of one value drawn from what each leaves open.

        Numbers are uniform in their interval, categories equally likely: a released record
        then looks like an original one, not like a label.
        """
        found = self.released(records)
        for i, column in enumerate(self.numbers):
            found[:, i] = _standardize(column, draw_numbers(column, records, random))
        start = len(self.numbers) + len(self.flagged)
        for cells in self.categories:
            drawn = cells.cell_of[draw_categories(cells.column, records, random)]
            found[:, start : start + cells.size] = 0.0
            found[np.arange(len(records)), start + drawn] = 1.0
            start += cells.size
        return found

    def _zeros(self, records: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.zeros((len(records), self.size))


def features_of(columns: Sequence[Column]) -> Features:
    """Find the features of some columns. Cost O(n) a column."""
    numbers = tuple(column for column in columns if isinstance(column, NumericColumn))
    flagged = tuple(
        column
        for column in numbers
        if np.isnan(column.original).any() or np.isnan(column.low).any()
    )
    categories = tuple(
        category_cells(column, CATEGORIES)
        for column in columns
        if not isinstance(column, NumericColumn)
    )
    return Features(numbers, flagged, categories)


def draw_records(n: int, most: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return all of n records, or `most` drawn ones, ascending."""
    if n <= most:
        return np.arange(n)
    return np.sort(random.choice(n, most, replace=False))


def _standardize(column: NumericColumn, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standardize values by the original's mean and deviation; null is the mean."""
    held = column.original[~np.isnan(column.original)]
    mean, deviation = (held.mean(), held.std()) if len(held) else (0.0, 0.0)
    return np.where(np.isnan(values), 0.0, (values - mean) / (deviation or 1.0))
