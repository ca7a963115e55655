"""Tables that DuckDB reads where they are, and its errors."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
from sqlglot import exp

from kanonym.data.errors import DataError
from kanonym.data.files.disk import hidden_path
from kanonym.data.frames import is_frame, to_polars
from kanonym.engines.database.values import (
    fingerprint_of,
    fresh_name,
    refuse_same_names,
    require_same,
)
from kanonym.engines.duckdb import files
from kanonym.engines.duckdb.files import attach, held_tables, register_frame
from kanonym.engines.duckdb.store import ArrowTable, DuckStore, Relation, translate_errors
from kanonym.engines.sql.store import MOST_TUPLES, Source


@dataclass(frozen=True)
class Settings:
    """How a connection of our own works; see `kanonym.engines.duckdb.DuckDB`."""

    memory: str | None
    threads: int | None
    folder: str | Path | None


def duckdb_source(
    table: Any,
    settings: Settings,
    most_tuples: int | None,
    name: str | None = None,
    columns: Sequence[str] | None = None,
) -> Source:
    """Return a table that DuckDB reads; see `kanonym.engines.duckdb.scan_duckdb`."""
    if name is not None:
        if not isinstance(table, (str, Path)):
            raise DataError("name is for the table of a DuckDB file: give the path of the file")
        return database_tables(str(table), [name], settings, most_tuples)[name]
    most_tuples = MOST_TUPLES if most_tuples is None else most_tuples
    if isinstance(table, duckdb.DuckDBPyRelation):
        return _relation_source(table, settings, most_tuples)
    if not isinstance(table, (str, Path)) and not is_frame(table):
        raise DataError(
            "a table of DuckDB is a relation, the path of Parquet, CSV or JSON files, or a "
            f"polars, pyarrow or pandas table; this is {type(table).__qualname__}"
        )
    connection = _connection(settings)
    store, text, written = _store(connection), False, None
    if isinstance(table, (str, Path)):
        with translate_errors(str(table)):
            name, text = files.open_files(connection, str(table), columns)
            names = connection.table(name).columns
            written = files.written_json(str(table), names)
            store.use_zone(files.zones_of_files(str(table)))
    else:
        frame = to_polars(table)
        names = frame.columns
        refuse_same_names(names, "the table")
        name = files.register_frame(connection, frame)
        store.use_zone(getattr(dtype, "time_zone", None) for dtype in frame.schema.values())
    return Source(
        store, store.usable(name, names), text=text, written=written, most_tuples=most_tuples
    )


def database_tables(
    path: str, names: Sequence[str], settings: Settings, most_tuples: int | None
) -> dict[str, Source]:
    """Return tables of a DuckDB file by name, all as of one time."""
    most_tuples = MOST_TUPLES if most_tuples is None else most_tuples
    connection = _connection(settings)
    found = {}
    with translate_errors(path):
        database = files.attach(connection, path)
        for name in names:
            view = files.open_table(connection, database, name, path)
            store = _store(connection)
            columns = connection.table(view).columns
            found[name] = Source(store, store.usable(view, columns), most_tuples=most_tuples)
    return found


def _store(connection: Any) -> DuckStore:
    def run(sql: str, kanonym_2f1c9be04d5a7e63: ArrowTable = None) -> Relation:  # noqa: ARG001 - see DuckStore
        return connection.query(sql)

    return DuckStore(run, connection)


def _relation_source(relation: Relation, settings: Settings, most_tuples: int) -> Source:
    if settings != Settings(None, None, None):
        raise DataError(
            "memory, threads and folder are for a connection of kanonym's own; a relation has "
            "its own already: set memory_limit, threads and temp_directory there"
        )
    name = fresh_name()  # by which every statement knows the relation

    def run(sql: str, kanonym_2f1c9be04d5a7e63: ArrowTable = None) -> Relation:  # noqa: ARG001 - see DuckStore
        return relation.query(name, sql)

    store = DuckStore(run)
    with translate_errors("the relation"):
        return Source(store, store.usable(name, relation.columns), most_tuples=most_tuples)


def _connection(settings: Settings) -> Any:
    """Return a connection in memory, which spills to a folder of its own."""
    try:
        folder = hidden_path(Path(settings.folder or tempfile.gettempdir()))
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise DataError(
            f"folder {settings.folder} cannot be written: {error.strerror or error}"
        ) from None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    config = {
        "temp_directory": str(folder),
        "memory_limit": settings.memory,
        "threads": settings.threads,
        # Nothing is loaded from the network, whatever a file or a statement would need.
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        connection = duckdb.connect(
            config={key: value for key, value in config.items() if value is not None}
        )
        connection.execute("SET TimeZone = 'UTC'")
        # In interactive programs DuckDB draws a bar on standard output, where a release may go.
        connection.execute("SET enable_progress_bar = false")
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0]
        raise DataError(
            f"DuckDB does not take memory {settings.memory!r} or threads {settings.threads!r}: "
            f"{reason}"
        ) from None
    return connection


def read_database(path: str, names: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Return tables of a DuckDB file by name."""
    opened = database_tables(path, names, Settings(None, None, None), None)
    return {name: source.to_polars() for name, source in opened.items()}


def table_names(path: str) -> Sequence[str]:
    """Return the names of the tables and views of a DuckDB file, sorted."""
    with translate_errors(path), duckdb.connect() as connection:
        return held_tables(connection, attach(connection, path))


def write_database(tables: Mapping[str, pl.DataFrame], path: str) -> None:
    """Write tables into a new DuckDB file, and read them back."""
    with translate_errors(path), duckdb.connect(path) as connection:
        for name, frame in tables.items():
            view = register_frame(connection, frame)
            rows = exp.select("*").from_(exp.table_(view, quoted=True))
            create = exp.Create(this=exp.table_(name, quoted=True), kind="TABLE", expression=rows)
            connection.execute(create.sql(dialect="duckdb"))
        connection.execute("CHECKPOINT")
    for name, back in read_database(path, list(tables)).items():
        written = tables[name]
        require_same(fingerprint_of([written]), fingerprint_of([back]), f"table {name!r}")
