"""Rank swapping: each value goes to a record whose own value is near in rank."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.perturbation.places import move_values, rows_of
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.message import Message
from kanonym.kernels.rank_swap import swap_ranks
from kanonym.models.base import check_number


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

    Raises
    ------
    PolicyError
        `percent` is out of its range.

    Notes
    -----
    Equal values are ranked at random among themselves. Where all values within reach
    have been swapped already, a value stays; the last of an odd number always does.
    Cost O(n log n).

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
        """Return the column with swapped values, its type untouched.

        Raises
        ------
        SchemaError
            The column holds words without an order.
        DataError
            The percentage of the records is less than one rank.

        """
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
