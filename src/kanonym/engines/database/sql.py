"""Databases by their URL: their tables as sources, and new tables in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl
import pyarrow as pa

from kanonym.data.databases import database_kind, sqlite_url
from kanonym.data.errors import DataError
from kanonym.data.frames import is_frame, to_polars
from kanonym.engines.database.adbc import AdbcStore
from kanonym.engines.database.staging import BATCH_ROWS
from kanonym.engines.database.values import frame_of
from kanonym.engines.sql.store import MOST_TUPLES, Source


def database_source(url: str, table: str, schema: str | None, most_tuples: int | None) -> Source:
    """Return a table of a database; see `kanonym.engines.database.Database`."""
    store = store_of(url, schema)
    try:
        query = store.usable(table, schema)
    finally:
        store.close()  # no transaction is open until there is something to do
    most_tuples = MOST_TUPLES if most_tuples is None else most_tuples
    return Source(store, query, most_tuples=most_tuples, iso=store.name == "sqlite")


def table_names(url: str) -> Sequence[str]:
    """Return the names of tables and views; see `kanonym.engines.database.table_names`."""
    store = store_of(url)
    try:
        return store.table_names(store.schema)
    finally:
        store.close()


def write(frame: Any, url: str, table: str, schema: str | None) -> None:
    """Write a table into a database; see `kanonym.engines.database.write_table`."""
    write_all({table: frame}, url, schema)


def write_all(frames: Mapping[str, Any], url: str, schema: str | None) -> None:
    """Write tables into a database; see `kanonym.engines.database.write_tables`."""
    parts = {table: _parts(frame) for table, frame in frames.items()}
    store = store_of(url, schema)
    try:
        for table, several in parts.items():
            store.write(several, table)
        store.commit()
    finally:
        store.close()


def _parts(table: Any) -> Iterable[pl.DataFrame]:
    """Return a table in parts: a relation of DuckDB may be larger than memory."""
    if hasattr(table, "to_arrow_reader"):
        reader = table.to_arrow_reader(BATCH_ROWS)
        return (frame_of(pa.Table.from_batches([one], reader.schema)) for one in reader)
    return [to_polars(table)] if is_frame(table) else table


def store_of(url: str, schema: str | None = None) -> AdbcStore:
    """Return the store of a URL or of a SQLite file; nothing is opened yet."""
    scheme, mark, rest = url.partition("://")
    kind = database_kind(url)
    if kind == "postgresql":
        from kanonym.engines.database.postgres import PostgresStore  # noqa: PLC0415 - its driver

        return PostgresStore(url, schema)
    if kind == "sqlite":
        if not mark:
            url, rest = sqlite_url(url), f"/{url}"
        if not rest.startswith("/"):
            raise DataError(
                "a SQLite database has no user and no host: write sqlite:///path, with one more "
                "slash for an absolute path"
            )
        from kanonym.engines.database.sqlite import SqliteStore  # noqa: PLC0415 - its driver

        return SqliteStore(url, schema)
    if kind == "duckdb":
        raise DataError("a table of a DuckDB file is opened by scan_duckdb(path, name=…)")
    scheme = scheme.lower().partition("+")[0]
    reason = f"{scheme}:// is not a supported database" if mark else "this is no database"
    raise DataError(
        f"{reason}: a database is postgresql://user:password@host/database, or a SQLite file (.db, "
        ".sqlite, .sqlite3, or sqlite:///path)"
    )
