"""Tables of a DuckDB file, read into this process and written from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import polars as pl
from sqlglot import exp

from kanonym.data.errors import DataError
from kanonym.engines.database.fingerprints import fingerprint_of, require_same
from kanonym.engines.duckdb.errors import translate_errors
from kanonym.engines.duckdb.files import register_frame
from kanonym.engines.duckdb.source import Settings, duckdb_source


def read_database(path: str, names: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Return tables of a DuckDB file by name.

    Raises
    ------
    DataError
        There is no such file or table, or a column has a type that cannot be used.

    """
    if not Path(path).is_file():
        raise DataError(f"{path}: no such file")
    with translate_errors(path), duckdb.connect(path, read_only=True) as connection:
        held = {
            name
            for (name,) in connection.execute(
                "SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views()"
            ).fetchall()
        }
        missing = [name for name in names if name not in held]
        if missing:
            raise DataError(f"{path} has no table {missing[0]!r}")
        nothing = Settings(None, None, None)
        return {
            name: duckdb_source(connection.table(_quoted(name)), nothing, None).to_polars()
            for name in names
        }


def write_database(tables: Mapping[str, pl.DataFrame], path: str) -> None:
    """Write tables into a new DuckDB file, and read them back.

    Raises
    ------
    DataError
        It cannot be written, or does not hold the values exactly.

    """
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


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(dialect="duckdb")
