"""Guesses of a secret from the nearest records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl

from kanonym.data.results import ShortRepr
from kanonym.evaluation.attacks.matching.lookup import TIE, Candidates
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints


@dataclass(frozen=True, slots=True, repr=False)
class Values(ShortRepr):
    """One attribute of persons and of released records, coded alike.

    own: (n_original,) int32 code of each person's value, below `size`.
    released: (n_released,) int32 code of each released value; `size` where the cell says nothing.
    line: (size,) float64, the numbers, NaN for null; None where values are categories.
    """

    own: Int32s
    released: Int32s
    size: int
    line: Floats | None


def values_of(pair: TablePair, name: str) -> Values:
    """Code an attribute; cost O(n log n) for the sort of the values."""
    column = pair.column(name)
    coded = _numbers([column]) if isinstance(column, NumericColumn) else _categories([column])
    return coded[0]


def shared_values(first: TablePair, second: TablePair, name: str) -> tuple[Values, Values] | None:
    """Code an attribute in two pairs alike; None where only one of them holds numbers."""
    columns = first.column(name), second.column(name)
    numbers = [column for column in columns if isinstance(column, NumericColumn)]
    categories = [column for column in columns if isinstance(column, CategoricalColumn)]
    if numbers and categories:
        return None
    values, other = _numbers(numbers) if numbers else _categories(categories)
    return values, other


def _numbers(columns: Sequence[NumericColumn]) -> list[Values]:
    """Code columns of numbers; a cell that leaves a range open says nothing."""
    both = [part for column in columns for part in (column.original, column.low)]
    line = np.unique(np.concatenate(both))
    found = []
    for column in columns:
        released = np.searchsorted(line, column.low).astype(np.int32)
        ranges = ~np.isnan(column.low) & (column.low != column.high)
        released[column.suppressed | ranges] = len(line)
        own = np.searchsorted(line, column.original).astype(np.int32)
        found.append(Values(own, released, len(line), line))
    return found


def _categories(columns: Sequence[CategoricalColumn]) -> list[Values]:
    """Code columns of categories; a cell that leaves several open says nothing."""
    texts = [column.categories.cast(pl.String).alias("value") for column in columns]
    known = pl.concat(texts).unique().sort(nulls_last=True)
    code = {text: i for i, text in enumerate(known.to_list())}
    found = []
    for column, held in zip(columns, texts, strict=True):
        codes = np.array([code[text] for text in held.to_list()], np.int32)
        alone = np.diff(column.offsets) == 1
        label = np.full(len(alone), len(known), np.int32)
        label[alone] = codes[column.members[column.offsets[:-1][alone]]]
        found.append(Values(codes[column.original], label[column.labels], len(known), None))
    return found


TOLERANCE = 0.05
"""The share of the middle 90 % of the original's numbers by which a guess may be off."""


class Secret(Protocol):
    """One attribute: what the intruder knows of it from the release, and the truth."""

    @property
    def has_value(self) -> Bools:
        """(n_original,) bool, the persons who have a value."""
        ...

    def guess(self, records: Ints, weights: Floats) -> float:
        """Return the value that most of the weight of released records speaks for.

        Of values equally likely the lowest; NaN where no record says anything.
        """
        ...

    def are_right(self, guesses: Floats, persons: Ints) -> Bools:
        """Return (n,) bool: whether each guess is the value of each person."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class Categories(ShortRepr):
    """A secret of categories: one category is guessed, and right if it is the person's."""

    column: CategoricalColumn

    @property
    def has_value(self) -> Bools:
        """(n_original,) bool, the persons who have a value."""
        null = self.column.categories.is_null().to_numpy()
        return np.asarray(~null[self.column.original])

    def guess(self, records: Ints, weights: Floats) -> float:
        """Return the code of the category with the most weight."""
        mask = ~self.column.suppressed[records]
        votes = np.bincount(
            self.column.labels[records[mask]], weights[mask], minlength=len(self.column.offsets) - 1
        )
        numbers = np.diff(self.column.offsets)
        each = np.repeat(votes / numbers, numbers)
        total = np.bincount(self.column.members, each, minlength=len(self.column.categories))
        if self.column.categories.null_count():
            total[len(self.column.categories) - 1] = 0.0  # null is the last one
        most = total.max(initial=0.0)
        if not most:
            return np.nan
        return float((total >= most * (1 - TIE)).argmax())

    def are_right(self, guesses: Floats, persons: Ints) -> Bools:
        """Return (n,) bool: whether it is the category of the person."""
        return np.asarray(self.column.original[persons] == guesses)


@dataclass(frozen=True, slots=True, repr=False)
class Numbers(ShortRepr):
    """A secret of numbers: a guess is right within `reach` of the person's."""

    column: NumericColumn
    reach: float

    @property
    def has_value(self) -> Bools:
        """(n_original,) bool, the persons who have a value."""
        return ~np.isnan(self.column.original)

    def guess(self, records: Ints, weights: Floats) -> float:
        """Return the number with the most weight around it."""
        values = self.column.released[records]
        mask = ~(np.isnan(values) | self.column.suppressed[records])
        values, place = np.unique(values[mask], return_inverse=True)
        if not len(values):
            return np.nan
        summed = np.concatenate([[0.0], np.cumsum(np.bincount(place, weights[mask]))])
        reach = self.reach * (1 + TIE)
        near = (
            summed[np.searchsorted(values, values + reach, side="right")]
            - summed[np.searchsorted(values, values - reach)]
        )
        return float(values[(near >= near.max() * (1 - TIE)).argmax()])

    def are_right(self, guesses: Floats, persons: Ints) -> Bools:
        """Return (n,) bool: whether the number of the person is within reach."""
        apart = np.abs(self.column.original[persons] - guesses)
        return np.asarray(apart <= self.reach * (1 + TIE))


def secret_of(column: Column, reach: float) -> Secret:
    """Return a column as a secret; reach: of numbers, in their unit."""
    if isinstance(column, NumericColumn):
        return Numbers(column, reach)
    return Categories(column)


def reach_of(column: Column) -> float:
    """Return how far a guess may be off: 5 % of the middle 90 % of the original's numbers."""
    if not isinstance(column, NumericColumn) or np.isnan(column.original).all():
        return 0.0
    low, high = np.nanquantile(column.original, [0.05, 0.95])
    return float(TOLERANCE * (high - low))


def guess_values(secret: Secret, found: Candidates, classes: Int32s, weights: Floats) -> Floats:
    """Guess each person's value from the records of the classes that may be the person's.

    classes: (n_released,) int32 class of each released record.
    weights: (n_released,) float64, how much each record counts; those of one class are equal.
    Returns: (n_persons,) float64 guesses, as `Secret.are_right` takes them; NaN where there is
        none.
    """
    order = np.argsort(classes, kind="stable")
    starts = np.searchsorted(classes[order], np.arange(int(classes.max(initial=-1)) + 2))
    known: dict[bytes, float] = {}
    values = np.full(len(found.offsets) - 1, np.nan)
    for person in range(len(values)):
        own = found.classes[found.offsets[person] : found.offsets[person + 1]]
        key = own.tobytes()
        if key not in known:
            parts = [order[starts[one] : starts[one + 1]] for one in own.tolist()]
            records = np.concatenate(parts) if parts else np.zeros(0, np.int64)
            known[key] = secret.guess(records, weights[records])
        values[person] = known[key]
    return values
