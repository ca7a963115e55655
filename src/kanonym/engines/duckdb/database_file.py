"""Tables of a DuckDB file: opened to be read, and written from this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb
import polars as pl
from sqlglot import exp

from kanonym.engines.database.fingerprints import fingerprint_of, require_same
from kanonym.engines.duckdb.errors import translate_errors
from kanonym.engines.duckdb.files import attach, held_tables, register_frame
from kanonym.engines.duckdb.source import Settings, database_tables


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
