"""Databases that are reached through ADBC: columns travel as Arrow, not row by row.

A store holds one connection and one transaction from its first statement until it is closed
or a release is published: a table that others change meanwhile is counted and released as it
was at the start, and of a release nothing is seen before all of it is verified.
"""

from __future__ import annotations

import contextlib
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import adbc_driver_manager
import polars as pl
import pyarrow as pa
import pyarrow.parquet
from sqlglot import exp

from kanonym.data.databases import displayable_url, without_credentials
from kanonym.data.errors import DataError
from kanonym.data.files import FORMATS, check_table_output
from kanonym.data.files.text_cells import require_printable
from kanonym.data.files.text_layout import refuse_names_like_values
from kanonym.engines.database.staging import HiddenFile, StagedRows, rows_of_file, write_hidden
from kanonym.engines.database.temporary import TemporaryTables
from kanonym.engines.database.values import (
    Fingerprint,
    fingerprint_of,
    frame_of,
    require_same,
    to_plain_types,
)
from kanonym.engines.sql.statements import exact_column
from kanonym.engines.sql.store import Query

Connection: TypeAlias = Any  # the drivers carry no types
ArrowTable: TypeAlias = Any

_STATEMENT = re.compile(r"query '.*?': (?=[A-Z]+: )", re.DOTALL)  # within what a driver says
_QUOTED = re.compile(r'"(?:[^"]*"(?!,| |$))*[^"]*"')  # a quote may stand within what is quoted


class AdbcStore(TemporaryTables):
    """Tables of a database."""

    telling: ClassVar[tuple[str, ...]]
    """Starts of the SQLSTATE codes of errors that speak of names, rights and the machine."""

    def __init__(self, url: str, schema: str | None = None) -> None:
        super().__init__()
        self._url = url
        self.schema = schema
        self._open: Connection = None

    def __repr__(self) -> str:
        return f"<{self.name} store of {displayable_url(self._url)}>"

    def require_place(self, place: str | None) -> None:
        """Refuse no place, a table that exists, and a file that cannot be written."""
        place = self._table_name(place)
        if is_file(place):
            check_table_output(place)
        else:
            self.free_table(place)

    def stage(self, query: Query, place: str | None) -> StagedRows:
        """Write a table of this database, or a hidden file."""
        place = self._table_name(place)
        if is_file(place):
            return self._staged_file(query, place)
        self.check_names(self.columns(query))
        name = self.free_table(place)
        self._execute(f"CREATE TABLE {self.sql(name)} AS {self.sql(query)}")
        reads = exp.select("*").from_(name.copy())

        def publish() -> str:
            self.commit()
            return place

        return StagedRows(reads, publish, self.rollback)

    def _table_name(self, place: str | None) -> str:
        if place is None:
            raise DataError(
                f"a release of {self.name} needs a place: name a table to be created, or a file"
            )
        return place

    def free_table(self, place: str) -> exp.Table:
        """Return the name of a table to be created."""
        table = self.locate(place)
        if self.exists(table):
            raise DataError(
                f"table {place!r} exists in {displayable_url(self._url)}; drop it, or name another "
                "one (nothing was changed)"
            )
        return table

    @abstractmethod
    def table_names(self, schema: str | None) -> Sequence[str]:
        """Return the names of the tables and views of a schema, sorted."""

    @abstractmethod
    def usable(self, table: str, schema: str | None) -> Query:
        """Return what reads a table with columns of usable types only."""

    @abstractmethod
    def locate(self, name: str) -> exp.Table:
        """Return a table by its name, which may start with that of a schema."""

    @abstractmethod
    def exists(self, table: exp.Table) -> bool:
        """Tell whether there is a table or a view of a name."""

    @abstractmethod
    def scales(self, held: Query) -> dict[str, int]:
        """Return the digits behind the point of the decimals of a held table."""

    @abstractmethod
    def parts(self, held: Query) -> Iterator[ArrowTable]:
        """Yield the rows of a held table in order, some at a time."""

    @abstractmethod
    def to_exact_types(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a table in types that the database holds exactly."""

    def write(self, parts: Iterable[pl.DataFrame], place: str) -> None:
        """Write a table, and read it back; others see it after `commit`.

        parts: of the same columns. place: the name of the table.
        """
        table = self.free_table(place)
        written = Fingerprint()
        schema: pl.Schema | None = None
        for part in parts:
            if schema is None:
                self.check_names(part.columns)
            fitted = self.to_exact_types(to_plain_types(part))
            fitted = fitted if schema is None else fitted.cast(schema)
            self.load(
                table.name,
                fitted,
                append=schema is not None,
                temporary=False,
                schema=table.db or None,
            )
            schema = fitted.schema
            written.add(fitted)
        if schema is not None:
            reads = exp.select(*map(exact_column, schema)).from_(table)
            fingerprint = fingerprint_of(part.cast(schema) for part in self.frames(reads))
            require_same(written, fingerprint, f"table {place!r} of {displayable_url(self._url)}")

    def commit(self) -> None:
        """End the transaction: what was written is there for everyone."""
        with self.translate_errors():
            self.connection().commit()

    def rollback(self) -> None:
        """End the transaction: nothing was written, temporary tables are gone, too."""
        self._tables.clear()
        with self.translate_errors():
            self.connection().rollback()

    def close(self) -> None:
        """Leave the database; what was not published was never there."""
        self._tables.clear()
        if self._open is not None:
            with contextlib.suppress(adbc_driver_manager.Error):
                self._open.close()
            self._open = None

    def __del__(self) -> None:
        self.close()

    def connection(self) -> Connection:
        """Return the connection, opened if it is not."""
        if self._open is None:
            with self.translate_errors(_strip_quotes):
                self._open = self._connect()
        return self._open

    @abstractmethod
    def _connect(self) -> Connection:
        """Open a connection, in a transaction."""

    @contextlib.contextmanager
    def translate_errors(self, shortened: Callable[[str], str] = str) -> Iterator[None]:
        """Turn errors of the driver into ours, without values and without credentials.

        shortened: what to do with a reason before it is told.
        """
        try:
            yield
        except (adbc_driver_manager.Error, pa.ArrowException) as error:
            if _is_interrupt(error):
                self.close()
                raise KeyboardInterrupt from None
            # Repeated texts would hold the statement and, beside it, values.
            reason = _reason(str(error))
            state = getattr(error, "sqlstate", None) or ""
            if not isinstance(error, adbc_driver_manager.Error) or not self._has_state(state):
                reason = f"a value could not be read or computed (SQLSTATE {state or 'unknown'})"
            self.close()
            told = shortened(without_credentials(reason, self._url))
            raise DataError(f"{self.name} ({displayable_url(self._url)}): {told}") from None

    def _has_state(self, state: str) -> bool:
        return not state or state.startswith(self.telling)

    def query(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Run a query of our own with values beside it; return its rows."""
        with self.translate_errors(), self.connection().cursor() as cursor:
            cursor.execute(sql, parameters)
            return list(cursor.fetchall())

    def _read(self, sql: str) -> pl.DataFrame:
        connection = self.connection()
        with self.translate_errors(), connection.cursor() as cursor:
            self._prepare(cursor)
            cursor.execute(sql)
            return frame_of(cursor.fetch_arrow_table())

    def _prepare(self, cursor: Any) -> None:
        """Set what a driver needs before a query."""

    def _execute(self, sql: str) -> None:
        connection = self.connection()
        with self.translate_errors(), connection.cursor() as cursor:
            cursor.execute(sql)

    def _ingest(self, name: str, table: pl.DataFrame, *, append: bool) -> None:
        self.load(name, self.to_exact_types(table), append=append, temporary=True)

    def load(
        self,
        name: str,
        table: pl.DataFrame,
        *,
        append: bool,
        temporary: bool,
        schema: str | None = None,
    ) -> None:
        """Create a table of a frame whose types are exact, or add its rows to one."""
        connection = self.connection()
        with self.translate_errors(), connection.cursor() as cursor:
            cursor.adbc_ingest(
                name,
                table.to_arrow(compat_level=pl.CompatLevel.oldest()),
                mode="append" if append else "create",
                temporary=temporary,
                db_schema_name=schema,
            )

    def _staged_file(self, query: Query, place: str) -> StagedRows:
        """Write the rows of a query, held in the database, to a hidden file."""
        kind = check_table_output(place)
        packed = place.lower().endswith(".gz")
        held = self.hold(query)
        hidden = HiddenFile(place)
        rows: Callable[[], Iterable[pl.DataFrame]]
        with hidden.open_for_writing() as path:
            if kind in ("parquet", "csv", "tsv") and not packed:
                written, schema = self._write(held, path, kind)
                rows = partial(rows_of_file, path, kind, schema)
                require_same(written, fingerprint_of(rows()), place)
            else:
                frame = self.fetch(held)
                write_hidden(frame, path, kind, packed=packed)
                rows = partial(iter, [frame])
        return StagedRows(held, hidden.publish, hidden.discard, rows)

    def frames(self, held: Query) -> Iterator[pl.DataFrame]:
        """Yield the rows of a table in order, some at a time, all of the same types.

        held: selects columns of one table.
        """
        scales = self.scales(held)
        schema = None
        for part in self.parts(held):
            frame = frame_of(part, scales=scales)
            schema = schema or frame.schema
            yield frame.cast(schema)

    def _write(self, held: Query, path: Path, kind: str) -> tuple[Fingerprint, pl.Schema]:
        """Write a file in parts; return what stands in it, and the types of its columns."""
        writer = None
        written = Fingerprint()
        schema = pl.Schema()
        try:
            with path.open("wb") as file:
                for part in self.frames(held):
                    frame = part if kind == "parquet" else require_printable(part, "CSV")
                    schema = frame.schema
                    written.add(frame)
                    if kind != "parquet":
                        if not file.tell():
                            refuse_names_like_values(frame, "CSV")
                        frame.write_csv(
                            file,
                            separator="\t" if kind == "tsv" else ",",
                            include_header=file.tell() == 0,
                        )
                        continue
                    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
                    writer = writer or pyarrow.parquet.ParquetWriter(
                        file, table.schema, compression="zstd"
                    )
                    writer.write_table(table)
                if writer is not None:
                    writer.close()
        except OSError as error:
            raise DataError(f"the file cannot be written: {error.strerror or error}") from None
        return written, schema


def _is_interrupt(error: Exception) -> bool:
    """Tell whether a statement ended because the user pressed Ctrl-C: drivers catch that."""
    cancelled = adbc_driver_manager.AdbcStatusCode.CANCELLED
    return isinstance(error.__cause__, KeyboardInterrupt) or (
        getattr(error, "status_code", None) == cancelled and "user request" in str(error)
    )


def _reason(message: str) -> str:
    """Return what a driver said, without the statement that it repeats."""
    return _STATEMENT.sub("query: ", message).partition("\n")[0]


def _strip_quotes(reason: str) -> str:
    """Return why a connection failed, without what is quoted: it may be a part of a password."""
    return _QUOTED.sub('"***"', reason)


def is_file(place: str) -> bool:
    """Tell a path from a table's name: it has a known extension, or a folder, or is `-`."""
    suffix = Path(place.lower().removesuffix(".gz")).suffix
    return place == "-" or "/" in place or "\\" in place or suffix in FORMATS
