"""SQLite: what is its own among the abilities of a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import adbc_driver_sqlite
import adbc_driver_sqlite.dbapi
import polars as pl
from polars import selectors
from sqlglot import exp

from kanonym.data.databases import displayable_url, missing_table
from kanonym.data.errors import DataError
from kanonym.engines.database.adbc import AdbcStore, ArrowTable, Connection
from kanonym.engines.database.staging import BATCH_ROWS
from kanonym.engines.database.values import (
    decimals_as_floats,
    fresh_name,
    refuse_types,
    times_as_text,
    to_signed,
    without_nan,
)
from kanonym.engines.sql.statements import exact_column
from kanonym.engines.sql.store import Query

_BATCH = adbc_driver_sqlite.StatementOptions.BATCH_ROWS.value
_WHOLE = str(2**31 - 2)  # rows: the types of columns are told from all of them
_FEW = 1000  # rows that mostly tell the types of all
_ROW_NUMBERS = ("rowid", "_rowid_", "oid")
_TYPES = {"integer": pl.Int64, "real": pl.Float64, "text": pl.String, "blob": pl.Binary}


class SqliteStore(AdbcStore):
    """Tables of a SQLite file.

    SQLite knows integers, floating-point numbers, text and bytes: truth values are released as
    integers, dates as text. A column of which nothing is known is text.
    """

    name = "sqlite"
    dialect = "sqlite"
    telling = ()  # SQLite has no such codes

    def fetch(self, query: Query) -> pl.DataFrame:
        """Return the rows of a query."""
        frame = super().fetch(query)
        if frame.is_empty() and query.args.get("limit") is not None:
            return frame.cast(self._types(query, frame.columns))
        return frame

    def repeat(self, query: Query, times: str) -> Query:
        """Return each row as often as its integer column `times` says, in order."""
        names = [name for name in self.columns(query) if name != times]
        # A table of numbers that is sorted by them: the join stops where `times` is reached.
        numbers, number = self._new_name(), fresh_name()
        most = self.fetch(
            exp.select(exp.alias_(exp.Max(this=exact_column(times)), "most")).from_(
                query.subquery("q")
            )
        )["most"][0]
        self._execute(f'CREATE TEMPORARY TABLE "{numbers}" ("{number}" INTEGER PRIMARY KEY)')
        if most is not None and most > 0:
            self._execute(
                f'INSERT INTO "{numbers}" WITH RECURSIVE one(i) AS '  # noqa: S608 - our own names
                f"(SELECT 1 UNION ALL SELECT i + 1 FROM one WHERE i < {int(most)}) "
                "SELECT i FROM one"
            )
        enough = exp.LTE(this=exact_column(number), expression=exact_column(times))
        return (
            exp.select(*map(exact_column, names))
            .from_(query.subquery("q"))
            .join(exp.table_(numbers, quoted=True), join_type="cross")
            .where(enough)
        )

    def table_names(self, schema: str | None) -> Sequence[str]:
        """Return the names of the tables and views of a schema, sorted."""
        self._require_file()
        names = self.query(
            "SELECT name FROM pragma_table_list WHERE schema = ? AND name NOT LIKE 'sqlite\\_%'"
            " ESCAPE '\\' ORDER BY name",
            (schema or "main",),
        )
        return [name for (name,) in names]

    def usable(self, table: str, schema: str | None) -> Query:
        """Return what reads a table with columns of usable types only."""
        self._require_file()
        names = [
            name
            for (name,) in self.query(
                "SELECT name FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1",
                (table, schema or "main"),
            )
        ]
        if not names:
            raise missing_table(table, self.table_names(schema), displayable_url(self._url))
        place = exp.table_(table, db=schema, quoted=True)
        kinds = exp.select(
            *(
                exp.alias_(exp.Max(this=_is_kind(name, kind)), f"{kind}{at}")
                for at, name in enumerate(names)
                for kind in _TYPES
            )
        ).from_(place)
        found = self.fetch(kinds).row(0, named=True)
        return exp.select(
            *(
                _usable_column(name, {kind for kind in _TYPES if found[f"{kind}{at}"]})
                for at, name in enumerate(names)
            )
        ).from_(place.copy())

    def locate(self, name: str) -> exp.Table:
        """Return a table by its name."""
        return exp.table_(name, db=self.schema, quoted=True)

    def exists(self, table: exp.Table) -> bool:
        """Tell whether there is a table or a view of a name."""
        return bool(
            self.query(
                "SELECT 1 FROM pragma_table_list WHERE schema = ? AND lower(name) = lower(?)",
                (table.db or "main", table.name),
            )
        )

    def scales(self, held: Query) -> dict[str, int]:
        """SQLite has no decimals."""
        del held
        return {}

    def parts(self, held: Query) -> Iterator[ArrowTable]:
        """Yield the rows of a table in order, some at a time."""
        names = self.columns(held)
        types = self._types(held, names)
        taken = {name.lower() for name in names}
        # SQLite's own number of a row goes by three names, each hidden by a column of that name.
        row = next((exp.column(number) for number in _ROW_NUMBERS if number not in taken), None)
        last = exp.Count(this=exp.Star()) if row is None else exp.Max(this=row)
        table = next(held.find_all(exp.Table))
        rows = self.query(self.sql(exp.select(last).from_(table.copy())))[0][0] or 0
        for start in range(0, max(rows, 1), BATCH_ROWS):
            query = held.copy()
            if row is None:
                query = query.limit(BATCH_ROWS).offset(start)
            else:
                low, high = exp.Literal.number(start + 1), exp.Literal.number(start + BATCH_ROWS)
                query = query.where(exp.Between(this=row.copy(), low=low, high=high))
            yield super().fetch(query).cast(types).to_arrow()

    def to_exact_types(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a table in types that SQLite holds exactly: times are text."""
        refuse_types(frame, "SQLite", lists=False)
        frame = times_as_text(to_signed(without_nan(frame), "SQLite"))
        return decimals_as_floats(frame, "SQLite").with_columns(selectors.boolean().cast(pl.Int64))

    def _connect(self) -> Connection:
        return adbc_driver_sqlite.dbapi.connect(self._path())

    def _require_file(self) -> None:
        """Refuse a file that is not there: SQLite would make one."""
        if not Path(self._path()).is_file():
            raise DataError(f"no file for {displayable_url(self._url)}")

    def _path(self) -> str:
        path = self._url.partition("://")[2].partition("?")[0]
        return unquote(path).removeprefix("/")

    def _read(self, sql: str) -> pl.DataFrame:
        # A column without a value is of any type.
        frame = super()._read(sql)
        empty = [name for name in frame.columns if frame[name].null_count() == len(frame)]
        return frame.cast(dict.fromkeys(empty, pl.String)) if len(frame) else frame

    def _prepare(self, cursor: Any) -> None:
        cursor.adbc_statement.set_options(**{_BATCH: _WHOLE})

    def _types(self, query: Query, names: list[str]) -> pl.Schema:
        """Return the types of a query's columns, whatever its limit leaves of the rows."""
        every = query.copy()
        every.set("limit", None)
        found: dict[str, str | None] = dict.fromkeys(names)
        for source in (every.copy().limit(_FEW), every):
            kinds = exp.select(
                *(
                    exp.alias_(exp.Max(this=_kind_of(name)), str(at), quoted=True)
                    for at, name in enumerate(names)
                )
            ).from_(source.subquery("q"))
            found = dict(zip(names, super().fetch(kinds).row(0), strict=True))
            if all(found.values()):
                break
        return pl.Schema({name: _TYPES[kind or "text"]() for name, kind in found.items()})

    def _create_index(self, name: str, group: str) -> None:
        self._execute(f'CREATE INDEX "{name}_i" ON "{name}" ({self.sql(exact_column(group))})')


def _kind_of(name: str) -> exp.Expr:
    """Return the type of a column's value; null for null."""
    given = exp.Anonymous(this="typeof", expressions=[exact_column(name)])
    return exp.Nullif(this=given, expression=exp.Literal.string("null"))


def _is_kind(name: str, kind: str) -> exp.Expr:
    given = exp.Anonymous(this="typeof", expressions=[exact_column(name)])
    return exp.EQ(this=given, expression=exp.Literal.string(kind))


def _usable_column(name: str, kinds: set[str]) -> exp.Expr:
    read: exp.Expr = exact_column(name)
    if kinds == {"integer", "real"}:
        read = exp.cast(read, "REAL")
    elif len(kinds) > 1:
        raise DataError(
            f"column {name!r} holds values of several types ({', '.join(sorted(kinds))}); make a "
            "view that converts it to one type (CAST), and take that"
        )
    elif kinds == {"text"}:
        # Whatever the column says of case and blanks: different texts are different values.
        read = exp.Collate(this=read, expression=exp.Var(this="BINARY"))
    else:
        return read
    return exp.alias_(read, name, quoted=True)
