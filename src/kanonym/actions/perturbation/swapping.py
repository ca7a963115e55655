"""Values that change places: swaps, shuffles and rank swaps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.actions.base import Action, Context, present_numbers
from kanonym.data.errors import DataError, Message, PolicyError, SchemaError
from kanonym.data.table import LARGEST
from kanonym.kernels.arrays import Floats, Ints
from kanonym.kernels.swapping import swap_ranks
from kanonym.models.base import check_number


def rows_of(values: pl.Series) -> Ints:
    """Return (m,) int64: the rows that have a value, ascending."""
    return np.flatnonzero(values.is_not_null().to_numpy())


def numbers_of(values: pl.Series, action: str) -> tuple[Ints, Floats]:
    """Return (m,) int64 rows that have a value, and their (m,) float64 numbers."""
    held, present = present_numbers(values, action)
    rows, numbers = np.flatnonzero(held), present.astype(np.float64)
    large = np.abs(numbers) > LARGEST
    if large.any():
        first = int(large.argmax())
        raise DataError(
            f"column {values.name!r}, row {int(rows[first]) + 1}: {action} cannot process "
            f"{numbers[first]}; replace it, or leave the cell empty for a missing value"
        )
    return rows, numbers


def put_numbers(values: pl.Series, rows: Ints, numbers: Floats) -> pl.Series:
    """Return a Float64 column that has (m,) numbers in some rows, and null elsewhere."""
    column = np.full(len(values), np.nan)
    column[rows] = numbers
    return pl.Series(values.name, column, nan_to_null=True)


def move_values(values: pl.Series, rows: Ints, origins: Ints) -> pl.Series:
    """Return the column with, in (m,) rows, the values of (m,) other rows of it."""
    index = np.arange(len(values))
    index[rows] = origins
    return values.gather(index)


def sample_rows(n: int, share: float, random: np.random.Generator) -> Ints:
    """Draw rows of a table at random, without replacement.

    It protects against who knows that a person is in the table: a unique record of the sample need
    not be unique in the table. Whoever is drawn is released as they are, so on its own it protects
    nobody of them. Simple random sampling.

    Returns: (m,) int64, ascending: share · n rounded to a whole number of them. All sets of that
        size are equally likely.

    Examples
    --------
    >>> sample_rows(10, 0.3, np.random.default_rng(0))
    array([5, 6, 9])
    """
    check_number("sample", "share", share, above=0, maximum=1)
    return np.sort(random.choice(n, round(share * n), replace=False, shuffle=False))


@dataclass(frozen=True, slots=True)
class Swap(Action):
    """Rearrange the values of a column at random within each equivalence class.

    Each class has the same values as before, so all that is counted by classes stays. Each
    column is rearranged on its own: relations between columns within a class are lost.
    As SIGO's `swapping`, but seeded.

    Notes
    -----
    Every rearrangement of a class is equally likely, the one that changes nothing
    included. Cost: two sorts of the records.

    References
    ----------
    Dalenius and Reiss (1982), "Data-swapping: a technique for disclosure control", in its
    simplest form; Fienberg and McIntyre (2004), "Data swapping: variations on a theme by
    Dalenius and Reiss".

    Examples
    --------
    >>> Swap()
    Swap()
    """

    type: ClassVar[str] = "swap"
    keeps_values: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    perturbs: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "Within its class, a value is no longer tied to its record, nor to the record's values "
        "in other columns."
    )
    exposes: ClassVar[str] = Message(
        "Every value is released exactly and stays in its class: what all records of a class share "
        "is known for each of them, and combinations of values remain distinct, so "
        "swapping alone is not k-anonymity."
    )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the column rearranged, its type untouched."""
        if context.classes is None:
            raise PolicyError(
                f"{self.type} of column {values.name!r} needs equivalence classes, and there are "
                "none before the algorithm; apply it after, or use shuffle for the whole table"
            )
        rows = rows_of(values)
        drawn = context.random.permutation(rows)
        # Both lists have the records of a class in the same places, one in random order.
        targets = rows[np.argsort(context.classes[rows], kind="stable")]
        origins = drawn[np.argsort(context.classes[drawn], kind="stable")]
        return move_values(values, targets, origins)


@dataclass(frozen=True, slots=True)
class Shuffle(Action):
    """Rearrange the values of a column at random over the whole table.

    The column has the same values as before, but no relation to other columns. Missing values stay
    where they are.

    Notes
    -----
    Every rearrangement is equally likely. Cost O(n). This is a plain permutation, not
    the data shuffling of Muralidhar and Sarathy (2006), which keeps rank correlations.

    Examples
    --------
    >>> Shuffle()
    Shuffle()
    """

    type: ClassVar[str] = "shuffle"
    keeps_values: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    perturbs: ClassVar[bool] = True
    protects: ClassVar[str] = Message("A value says nothing about its record.")
    exposes: ClassVar[str] = Message(
        "Every value is released exactly: a value that only one person can have still reveals that "
        "this person is in the table."
    )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the column in random order, its type untouched."""
        rows = rows_of(values)
        return move_values(values, rows, context.random.permutation(rows))


@dataclass(frozen=True, slots=True)
class RankSwap(Action):
    """Swap values whose ranks differ by at most a share of the number of records.

    The column has the same values as before. Going up the ranks, a value that has not
    been swapped yet is swapped with one above it within reach, chosen at random
    among those that have not been either.

    Parameters
    ----------
    percent
        The reach in percent of the records that have a value, above 0 and at most 100:
        10 of 200 values reaches 20 ranks.

    Notes
    -----
    Equal values are ranked at random among themselves. Where all values within reach have been
    swapped already, a value stays; the last of an odd number always does. Cost O(n log n).

    References
    ----------
    Moore (1996), "Controlled data-swapping techniques for masking public use microdata
    sets", section 3.

    Examples
    --------
    >>> RankSwap(5)
    RankSwap(percent=5)
    >>> RankSwap(0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    kanonym.data.errors.PolicyError: rank-swap: percent is 0; it must be a number above 0 and ...
    """

    percent: float

    type: ClassVar[str] = "rank-swap"
    keeps_values: ClassVar[bool] = True
    by_value: ClassVar[bool] = True
    draws: ClassVar[bool] = True
    perturbs: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "A released value is that of another record; it is unknown which, except that its rank is "
        "within reach."
    )
    exposes: ClassVar[str] = Message(
        "Every value is released exactly, and near its original rank: with a small percentage the "
        "nearest record is still often the right one, and the largest value stays with one of the "
        "largest."
    )

    def __post_init__(self) -> None:
        """Refuse a percentage out of its range."""
        check_number(self.type, "percent", self.percent, above=0, maximum=100)

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the column with swapped values, its type untouched."""
        if not (
            values.dtype.is_numeric()
            or values.dtype.is_temporal()
            or values.dtype in (pl.Enum, pl.Boolean)
        ):
            raise SchemaError(
                f"column {values.name!r} holds {values.dtype}, which has no ranks; "
                "use swap, shuffle or pram, or make it ordered categories"
            )
        rows = rows_of(values)
        n = len(rows)
        reach = int(self.percent * n / 100 + 1e-9)
        if n < 2:
            return values.clone()
        if reach < 1:
            raise DataError(
                f"column {values.name!r}: {self.type} with percent {self.percent:g} of {n} values "
                f"reaches no other rank; use at least {math.ceil(100_000 / n) / 1000:g}"
            )
        column = values.drop_nulls()
        ranks = (
            (column.to_physical() if column.dtype == pl.Enum else column).rank("dense").to_numpy()
        )
        order = rows[np.lexsort((context.random.random(n), ranks))]
        return move_values(values, order, order[swap_ranks(context.random.random(n), reach)])
