"""Columns of a table, or of its distinct combinations of values with their counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.data.results.short_repr import ShortRepr
from kanonym.verification import ColumnValues, record_counts, repeats_of


@dataclass(frozen=True, slots=True, repr=False)
class FrequencySet(ShortRepr):
    """Columns of a table with a row for each record, or for each distinct combination.

    Attributes
    ----------
    column
        Gives a column by name.
    n_rows
        Number of rows.
    counts
        (n_rows,) records that each row stands for; None for one each.
    texts
        Gives a column of a text file as text where several texts read as one value.
    sets
        Gives a column of sets of items; None where an engine holds none.

    """

    column: Callable[[str], pl.Series]
    n_rows: int
    counts: NDArray[np.int64] | None = None
    texts: Callable[[str], pl.Series | None] = lambda _: None
    sets: Callable[[str], pl.Series] | None = None

    @property
    def records(self) -> int:
        """Number of records."""
        return self.n_rows if self.counts is None else int(self.counts.sum())

    def as_text(self, names: Sequence[str]) -> dict[str, pl.Series]:
        """Return those of the columns in which several texts read as one value."""
        found = {name: self.texts(name) for name in names}
        return {name: column for name, column in found.items() if column is not None}

    def aggregate_counts(self, count: str) -> NDArray[np.int64]:
        """Return the records of each row of the aggregate form, which a column counts."""
        own = record_counts(self.column(count))
        return own if self.counts is None else own * self.counts


def is_countable(dtype: pl.DataType) -> bool:
    """Whether values of a type can be counted: no lists, structs or Python objects."""
    return not dtype.is_nested() and dtype != pl.Object


def values_of(
    column: Callable[[str], pl.Series],
    name: str,
    persons: pl.Series | None = None,
    counts: NDArray[np.int64] | None = None,
) -> ColumnValues:
    """Return how often the values of a column of this process are repeated; see `repeats_of`.

    Raises
    ------
    DataError
        Its type cannot be counted.

    """
    own = column(name)
    if not is_countable(own.dtype):
        raise DataError(f"column {name!r} holds {own.dtype}, which is not counted")
    return ColumnValues(own.alias(name), repeats_of(own, counts, persons))
