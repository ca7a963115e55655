"""DuckDB: tables larger than memory, on one machine, without a server."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import duckdb
import polars as pl
import pyarrow as pa
from sqlglot import exp

from kanonym.data.files import check_table_output
from kanonym.engines.database.names import fresh_name, read_query, table_of
from kanonym.engines.database.staging import BATCH_ROWS
from kanonym.engines.database.temporary import TemporaryTables
from kanonym.engines.database.values import frame_of, to_plain_types
from kanonym.engines.duckdb import files
from kanonym.engines.duckdb.errors import translate_errors
from kanonym.engines.duckdb.staging import (
    enumerable_columns,
    enumeration_of,
    stage_file,
    stage_table,
)
from kanonym.engines.sql.statements import exact_column
from kanonym.engines.sql.store import Query, StagedTable

Relation: TypeAlias = Any  # duckdb tells its types, but none of the result of a statement
ArrowTable: TypeAlias = Any  # pyarrow carries no types
Connection: TypeAlias = Any
Run: TypeAlias = Callable[..., Relation]

_BATCHES = 1000  # of a table that is put, or more:
_MOST_ROWS = 2048  # in a batch
_LIST = 1024  # the longest list that a row is unnested from


class DuckStore(TemporaryTables):
    """Tables of a DuckDB connection."""

    name = "duckdb"
    dialect = "duckdb"

    def __init__(self, run: Run, connection: Connection = None) -> None:
        super().__init__()
        self._run = run
        self._connection = connection
        self._registered: list[str] = []
        self._kinds: list[str] = []
        self._zone = "UTC"

    def close(self) -> None:
        """Drop the temporary tables and enumerations; forget the tables of this process."""
        super().close()
        while self._kinds:
            self._execute(f'DROP TYPE IF EXISTS "{self._kinds.pop()}"')
        while self._registered:
            self._connection.unregister(self._registered.pop())

    def use_zone(self, zones: Iterable[str | None]) -> None:
        """Give moments in the zone of all columns that have one, as a local reader does.

        DuckDB knows one zone at a time: columns of several zones, or of an offset without a name,
        stay in UTC.
        """
        named = set(zones) - {None}
        if len(named) == 1 and self._connection is not None:
            with contextlib.suppress(duckdb.Error):
                self._set_zone(str(named.pop()))

    @contextlib.contextmanager
    def in_utc(self) -> Iterator[None]:
        """Write moments in UTC meanwhile: of some zones DuckDB writes offsets with seconds."""
        zone = self._zone
        self._set_zone("UTC")
        try:
            yield
        finally:
            self._set_zone(zone)

    def _set_zone(self, zone: str) -> None:
        if self._connection is not None:
            self._connection.execute(f"SET TimeZone = '{zone}'")
            self._zone = zone

    def put(self, table: pl.DataFrame) -> Query:
        """Let DuckDB read a table of this process where it is; without a connection, copy it.

        DuckDB writes the rows of each batch together: of small batches, it keeps few rows
        at a time, and in order.
        """
        if self._connection is None:
            return super().put(table)
        rows = min(_MOST_ROWS, max(1, len(table) // _BATCHES))
        arrow = to_plain_types(table).to_arrow()
        self._registered.append(fresh_name())
        self._connection.register(
            self._registered[-1],
            pa.Table.from_batches(arrow.to_batches(max_chunksize=rows), arrow.schema),
        )
        return read_query(self._registered[-1], table.columns)

    def repeat(self, query: Query, times: str) -> Query:
        """Return each row as often as its integer column `times` says, in order.

        DuckDB makes a list as long as `times` for each of many rows at once: a row is taken
        apart into rows of at most `_LIST` first. Texts of few values are repeated as
        enumerations, and cast to text at last.
        """
        names = [name for name in self.columns(query) if name != times]
        coded = self._enumerate(query, names)
        number, part, one = exact_column(times), fresh_name(), fresh_name()
        most = exp.Literal.number(_LIST)
        parts = exp.IntDiv(
            this=exp.paren(exp.Add(this=number, expression=exp.Literal.number(_LIST - 1))),
            expression=most,
        )
        before = exp.Mul(this=most, expression=exact_column(part))
        rest = exp.Least(this=most, expressions=[exp.Sub(this=number, expression=before)])
        given = (
            exp.alias_(exp.cast(exact_column(name), coded[name]), name, quoted=True)
            if name in coded
            else exact_column(name)
            for name in names
        )
        apart = (
            exp.select(*given, number)
            .select(exp.alias_(_unnest(parts), part, quoted=True))
            .from_(query.subquery("q"))
        )
        repeated = (
            exp.select(*map(exact_column, names))
            .select(exp.alias_(_unnest(rest), one, quoted=True))
            .from_(apart.subquery("q"))
        )
        texts = (
            exp.alias_(exp.cast(exact_column(name), "TEXT"), name, quoted=True)
            if name in coded
            else exact_column(name)
            for name in names
        )
        return exp.select(*texts).from_(repeated.subquery("q"))

    def require_place(self, place: str | None) -> None:
        """Refuse a file that cannot be written."""
        if place is not None:
            check_table_output(place)

    def stage(self, query: Query, place: str | None) -> StagedTable:
        """Write a hidden file beside `place`, or a temporary table for None.

        What `publish` returns for None is a relation; its table stays until the connection
        is closed.
        """
        return stage_table(self, query) if place is None else stage_file(self, query, place)

    def relation(self, query: Query) -> Relation:
        """Return a query as a relation of duckdb."""
        with translate_errors():
            return self._run(self.sql(query))

    def frames(self, query: Query) -> Iterator[pl.DataFrame]:
        """Yield the rows of a query in parts, enumerations as text; the first part has no rows."""
        with translate_errors():
            reader = self._run(self.sql(query)).to_arrow_reader(BATCH_ROWS)
            yield to_plain_types(pl.DataFrame(reader.schema.empty_table()))
            for batch in reader:
                yield to_plain_types(pl.DataFrame(pa.Table.from_batches([batch])))

    def usable(self, name: str, names: list[str]) -> Query:
        """Return what reads a table with columns of usable types only."""
        relation = self.relation(read_query(name, names))
        picked = [
            files.usable_column(each, str(dtype))
            for each, dtype in zip(names, relation.types, strict=True)
        ]
        return exp.select(*picked).from_(exp.table_(name, quoted=True))

    def keep(self, query: Query) -> None:
        """Leave the table of a query of `hold` behind when the store is closed."""
        self._tables.remove(table_of(query))

    def _enumerate(self, query: Query, names: list[str]) -> dict[str, exp.DataType]:
        """Return an enumeration of the values of each column of texts that has few."""
        coded = {}
        for name in enumerable_columns(self, query, names):
            self._kinds.append(fresh_name())
            self._execute(enumeration_of(query, name, self._kinds[-1]))
            coded[name] = exp.DataType.build(self._kinds[-1], udt=True)
        return coded

    def _read(self, sql: str) -> pl.DataFrame:
        with translate_errors():
            relation = self._run(sql)
            kinds = zip(relation.columns, relation.types, strict=True)
            words = {name: kind.children[0][1] for name, kind in kinds if kind.id == "enum"}
            return frame_of(relation.to_arrow_table(), words=words)

    def _execute(self, sql: str) -> None:
        with translate_errors():
            self._run(sql)

    def _ingest(self, name: str, table: pl.DataFrame, *, append: bool) -> None:
        verb = f'INSERT INTO "{name}"' if append else f'CREATE TEMPORARY TABLE "{name}" AS'
        with translate_errors():
            self._run(f"{verb} SELECT * FROM kanonym_2f1c9be04d5a7e63", table.to_arrow())  # noqa: S608 - our own


def _unnest(times: exp.Expr) -> exp.Expr:
    return exp.Unnest(expressions=[exp.func("range", times)])
