"""What an engine outside of this process can do: eight abilities, everything else is built of them.

Queries are sqlglot expressions, never text: names are quoted for each dialect, and values
travel in tables (`Store.put`), so that neither can become SQL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, TypeAlias, runtime_checkable

import polars as pl
from sqlglot import exp

from kanonym.data.errors import DataError
from kanonym.data.files import parse_temporal, values_of_file, values_of_json
from kanonym.data.frames import FetchableTable
from kanonym.data.readings import Reading, canonical_table, typed_table

Query: TypeAlias = exp.Query
"""A SELECT; `sql.statements` writes them."""

MOST_TUPLES = 1 << 23
"""Frequency sets of up to so many tuples are taken to this process, unless a source says so."""


@runtime_checkable
class StagedTable(Protocol):
    """A release that is written but not yet seen: it is verified first."""

    query: Query
    rows: Callable[[], Iterable[pl.DataFrame]] | None

    def publish(self) -> Any:
        """Put the release in its place, whole, and return it: a path, or the engine's own table."""
        ...

    def discard(self) -> None:
        """Take everything away that was written."""
        ...


class Store(Protocol):
    """An engine that holds tables and answers queries."""

    name: str
    dialect: str

    def fetch(self, query: Query) -> pl.DataFrame:
        """Return the rows of a query: few, for they come to this process."""
        ...

    def put(self, table: pl.DataFrame) -> Query:
        """Give the engine a table of this process; return what reads it."""
        ...

    def hold(self, query: Query) -> Query:
        """Compute a query once for several uses; return what reads its result."""
        ...

    def repeat(self, query: Query, times: str) -> Query:
        """Return each row as often as its integer column `times` says, without that column."""
        ...

    def by_group(
        self,
        query: Query,
        group: str,
        function: Callable[[pl.DataFrame], pl.DataFrame],
        schema: Mapping[str, pl.DataType],
    ) -> Query:
        """Apply a function to the rows of each group, by itself; return what reads all results.

        group: an integer column without null. The function gets all rows of one group, in no
        particular order, and returns a frame of the given schema. It is a module's function,
        or a `functools.partial` of one with arguments that can be pickled: where the engine
        has workers, it runs there.
        """
        ...

    def require_place(self, place: str | None) -> None:
        """Refuse a place that `stage` would refuse, before there is something to write."""
        ...

    def stage(self, query: Query, place: str | None) -> StagedTable:
        """Write the rows of a query to where nobody takes them for a release.

        place: where `StagedTable.publish` is to put them: a path, a table's name; or None, for a
        table of the engine that is computed when it is read.
        """
        ...

    def close(self) -> None:
        """Take away everything that `put` and `hold` left behind."""
        ...


_ISO_TIME = r"^[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?$"


@dataclass(frozen=True)
class Source(FetchableTable):
    """A table that stays where it is.

    text, json: columns are the cells of a CSV file, or the values of JSON, as they are written.
    written: reads files of JSON in this way.
    """

    store: Store
    query: Query
    text: bool = False
    most_tuples: int = MOST_TUPLES
    typed: frozenset[str] = frozenset()
    iso: bool = False
    readings: Mapping[str, Reading] = field(default_factory=dict)
    released: bool = False
    json: bool = False
    written: Query | None = None

    def read(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return columns with the values that local readers would give them."""
        known = {name: one for name, one in self.readings.items() if name not in self.typed}
        read = pl.DataFrame([row if row.name in known else self._read_column(row) for row in rows])
        if not known or not rows.width:
            return read
        try:
            if self.released:
                return canonical_table(read, known)
            # The shares that allow exceptions are those of records: `SqlEngine.read` knows them.
            strict = {
                name: one
                if one.exceptional == "null" or one.exceptions is not None
                else replace(one, exceptional="refuse")
                for name, one in known.items()
            }
            return typed_table(read, strict)
        except DataError as error:
            raise DataError(without_rows(str(error))) from None

    def as_released(self) -> Self:
        """Return the table as `verify` reads it: with all that readers of its files tell apart."""
        found = replace(self, released=True)
        return found if self.written is None else replace(found, query=self.written, json=True)

    def _read_column(self, column: pl.Series) -> pl.Series:
        if column.name in self.typed or column.dtype != pl.String:
            return column
        if self.json:
            return values_of_json(column)
        if self.text:
            return values_of_file(column)
        return _iso_values(column).alias(column.name) if self.iso else column

    def to_polars(self) -> pl.DataFrame:
        """Return all rows, in this process, with the types of local tables."""
        try:
            rows = self.store.fetch(self.query)
        except MemoryError:
            raise DataError(
                "the table is too large for the memory of this process: take a sample of it, for "
                "example in a view"
            ) from None
        finally:
            self.store.close()
        return self.read(rows)


def without_rows(sentence: str) -> str:
    """Return a sentence about distinct values: their numbers are none of rows."""
    return re.sub(r"(?<=;) row [0-9,]+ has|, row [0-9,]+", _without_row, sentence)


def _without_row(match: re.Match[str]) -> str:
    return " one has" if match[0].endswith("has") else ""


def _iso_values(texts: pl.Series) -> pl.Series:
    """Return texts as dates, datetimes or times where all of them are in ISO 8601."""
    values = parse_temporal(texts)
    if values.dtype != pl.String or not texts.str.contains(_ISO_TIME).all():
        return values
    times = texts.str.to_time("%H:%M:%S%.f", strict=False)
    return times if times.null_count() == texts.null_count() < len(texts) else texts
