"""Columns of a table, or of its distinct combinations of values with their counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.data.frames import exceptions_of
from kanonym.data.results.short_repr import ShortRepr


class Repeats(NamedTuple):
    """How often the values of a column are repeated; null is no value."""

    records: int
    values: int
    alone: int


def repeats_of(
    column: pl.Series, counts: NDArray[np.int64] | None = None, persons: pl.Series | None = None
) -> Repeats:
    """Count records, distinct values, and those of a single record, or of one of persons."""
    frame = pl.DataFrame({"value": column, **({} if counts is None else {"n": counts})})
    records = pl.len() if counts is None else pl.col("n").sum()
    holders = records
    if persons is not None:
        frame = frame.with_columns(persons.alias("person"))
        holders = pl.col("person").n_unique()
    found = (
        frame.lazy()
        .drop_nulls("value")
        .group_by("value")
        .agg(holders.alias("holders"), records.alias("records"))
        .select(
            pl.col("records").sum(),
            pl.len().alias("values"),
            (pl.col("holders") == 1).sum().alias("alone"),
        )
        .collect()
    )
    return Repeats(*found.row(0))


class ColumnValues(NamedTuple):
    """The values of a column, wherever it is."""

    sample: pl.Series
    repeats: Repeats


@dataclass(frozen=True, slots=True, repr=False)
class FrequencySet(ShortRepr):
    """Columns of a table with a row for each record, or for each distinct combination."""

    column: Callable[[str], pl.Series]
    n_rows: int
    counts: NDArray[np.int64] | None = None  # (n_rows,) records of each row; None: one each
    texts: Callable[[str], pl.Series | None] = lambda _: None
    sets: Callable[[str], pl.Series] | None = None

    @property
    def records(self) -> int:
        """Number of records."""
        return self.n_rows if self.counts is None else int(self.counts.sum())

    def coded(self, name: str) -> pl.Series:
        """Return a column with its exceptions, where it has some (`frames.with_exceptions`)."""
        raw = None if self.sets is None else self.sets(name)
        return self.column(name) if raw is None or exceptions_of(raw) is None else raw

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
    """Return how often values of a column are repeated (`repeats_of`), lists by content."""
    own = column(name)
    counted = own
    if not is_countable(own.dtype):
        counted = pl.Series(name, [None if one is None else repr(one) for one in own.to_list()])
    return ColumnValues(own.alias(name), repeats_of(counted, counts, persons))


class Columns(Protocol):
    """The columns of a table, whether it is in this process or on an engine."""

    @property
    def columns(self) -> list[str]:
        """Their names, in order."""
        ...

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return some of the columns; `DataError` if too many combinations would come here."""
        ...

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a column are repeated; `DataError` of mixed types."""
        ...


class Table(Columns, Protocol):
    """The columns of a table of which records can be looked at."""

    def sample(self, names: Sequence[str]) -> pl.DataFrame:
        """Return at most 10,000 records, not drawn at random, without nested columns."""
        ...

    def records(self) -> pl.DataFrame:
        """Return the columns whose values can be counted; of a large table whole groups of rows."""
        ...


@dataclass(frozen=True)
class AggregatedTable:
    """A table of which a column counts the records of each row."""

    table: Table
    count: str

    @property
    def columns(self) -> list[str]:
        """The columns without the count."""
        return [name for name in self.table.columns if name != self.count]

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return some columns, with the records of each row."""
        rows = self.table.take([*names, self.count])
        return replace(rows, counts=rows.aggregate_counts(self.count))

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a column are repeated in records."""
        rows = self.take([name])
        return values_of(rows.column, name, counts=rows.counts)


def record_counts(column: pl.Series) -> NDArray[np.int64]:
    """Return (n_rows,) int64 records that each row of the aggregate form stands for."""
    whole = column.cast(pl.Int64, strict=False)
    exact = whole if column.dtype == pl.String else column
    wrong = (whole.is_null() | (whole < 1) | (whole != exact)).arg_true()
    if len(wrong):
        raise DataError(
            f"column {column.name!r}, row {wrong[0] + 1}: {column[wrong[0]]!r} counts no records; "
            "it must be a whole number of at least 1"
        )
    return whole.to_numpy()
