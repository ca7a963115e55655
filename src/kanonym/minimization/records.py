"""Records as models take them, tables or arrays: taken by row, values put in from others."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data import frames
from kanonym.data.errors import DataError
from kanonym.kernels.arrays import Ints


class Records(ABC):
    """The records that a model predicts, in the type in which they came."""

    def __init__(self, native: Any, names: Sequence[str]) -> None:
        self.native = native
        self.names = list(names)

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of records."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """What the records are held in."""

    @abstractmethod
    def column(self, name: str) -> pl.Series:
        """Return one column; null for every missing value."""

    @abstractmethod
    def take(self, rows: Ints, names: Sequence[str] | None = None) -> Records:
        """Return some of the records in some order, of some or of all columns."""

    @abstractmethod
    def with_values(self, *others: Records) -> Records:
        """Return the records with the columns of as many others in the place of their own."""


class Table(Records):
    """Records in a pandas, polars or pyarrow table."""

    @property
    def n(self) -> int:
        """Number of records."""
        return frames.n_rows(self.native)

    @property
    def kind(self) -> str:
        """What the records are held in."""
        return f"a {type(self.native).__module__.partition('.')[0]} table"

    def column(self, name: str) -> pl.Series:
        """Return one column; null for every missing value."""
        return frames.column(self.native, name)

    def take(self, rows: Ints, names: Sequence[str] | None = None) -> Records:
        """Return some of the records in some order, of some or of all columns."""
        chosen = self.names if names is None else list(names)
        if isinstance(self.native, pl.DataFrame):
            table: Any = self.native.select(chosen)[rows]
        elif hasattr(self.native, "set_column"):  # pyarrow
            table = self.native.select(chosen).take(rows)
        else:
            table = self.native[chosen].take(rows).reset_index(drop=True)
        return Table(table, chosen)

    def with_values(self, *others: Records) -> Records:
        """Return the records with the columns of as many others in the place of their own.

        Columns are taken as they are, so that each has the type that the model knows.
        """
        table: Any = self.native
        if isinstance(table, pl.DataFrame):
            table = table.with_columns(column for one in others for column in one.native)
        elif hasattr(table, "set_column"):  # pyarrow
            for other in others:
                for name in other.names:
                    table = table.set_column(
                        self.names.index(name), name, other.native.column(name)
                    )
        else:
            replaced = [name for one in others for name in one.names]
            kept = table.drop(columns=replaced).reset_index(drop=True)
            joined = kept.join([one.native.reset_index(drop=True) for one in others])[self.names]
            joined = joined.set_axis(table.index).set_axis(table.columns, axis=1)
            table = joined.__finalize__(table)
        return Table(table, self.names)


class Array(Records):
    """Records in a two-dimensional array; columns are called x0, x1 and so on."""

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.native)

    @property
    def kind(self) -> str:
        """What the records are held in."""
        return "an array"

    def column(self, name: str) -> pl.Series:
        """Return one column; null for every missing value."""
        cells = self.native[:, self.names.index(name)]
        if cells.dtype.kind in "OU":
            try:
                series = pl.Series(name, _one_type(cells.tolist()))
            except (TypeError, pl.exceptions.PolarsError):
                raise DataError(
                    f"column {name!r} of the array holds values of several types; convert them to "
                    "one"
                ) from None
        else:
            series = pl.Series(name, np.ascontiguousarray(cells))
        if series.dtype == pl.Null:
            series = series.cast(pl.String)
        return series.fill_nan(None) if series.dtype.is_float() else series

    def take(self, rows: Ints, names: Sequence[str] | None = None) -> Records:
        """Return some of the records in some order, of some or of all columns."""
        if names is None:
            return Array(self.native[rows], self.names)
        places = np.array([self.names.index(name) for name in names], np.int64)
        return Array(self.native[np.ix_(rows, places)], names)

    def with_values(self, *others: Records) -> Records:
        """Return the records with the columns of as many others in the place of their own."""
        array = self.native.copy()
        for other in others:
            array[:, [self.names.index(name) for name in other.names]] = other.native
        return Array(array, self.names)


def _one_type(cells: list[Any]) -> list[Any]:
    """Return Python's values with None for NaN, and integers among floats as floats."""
    cells = [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in cells]
    present = [cell for cell in cells if cell is not None]
    if not any(isinstance(cell, float) for cell in present):
        return cells
    if not all(isinstance(cell, Real) and not isinstance(cell, bool) for cell in present):
        return cells
    return [None if cell is None else float(cell) for cell in cells]


def records_of(given: Any) -> Records:
    """Return what was given as records."""
    if frames.is_frame(given):
        native = frames.to_eager(given)
        records: Records = Table(native, frames.column_names(native))
    else:
        array = _two_dimensional(given)
        records = Array(array, [f"x{place}" for place in range(array.shape[1])])
    if not records.n:
        raise DataError("Found no record: 0 sample(s) where a minimum of 1 is required.")
    return records


def _two_dimensional(given: Any) -> NDArray[Any]:
    """Return an array of records by columns; messages use the words of scikit-learn."""
    if hasattr(given, "toarray"):
        raise DataError("Sparse data was passed, but dense data is required: X.toarray()")
    array = np.asarray(given)
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data to one row per "
            f"record"
        )
    if array.dtype.kind not in "biufOU":
        raise DataError(f"Complex data not supported, nor any of type {array.dtype}")
    if not array.shape[1]:
        raise DataError(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return array
