"""The values of a column without its nulls, and the way back into their rows."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.cells import present_numbers
from kanonym.data.errors import DataError
from kanonym.data.table import LARGEST


def rows_of(values: pl.Series) -> NDArray[np.int64]:
    """Return (m,) int64: the rows that have a value, ascending."""
    return np.flatnonzero(values.is_not_null().to_numpy())


def numbers_of(values: pl.Series, action: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
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


def put_numbers(
    values: pl.Series, rows: NDArray[np.int64], numbers: NDArray[np.float64]
) -> pl.Series:
    """Return a Float64 column that has (m,) numbers in some rows, and null elsewhere."""
    column = np.full(len(values), np.nan)
    column[rows] = numbers
    return pl.Series(values.name, column, nan_to_null=True)


def move_values(
    values: pl.Series, rows: NDArray[np.int64], origins: NDArray[np.int64]
) -> pl.Series:
    """Return the column with, in (m,) rows, the values of (m,) other rows of it."""
    index = np.arange(len(values))
    index[rows] = origins
    return values.gather(index)
