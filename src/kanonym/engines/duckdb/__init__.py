"""Tables that DuckDB reads: files, relations, and tables of this process.

The driver is an extra: nothing of it is needed before `scan_duckdb` is called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanonym.data.loading import require_extra

if TYPE_CHECKING:
    import polars as pl

    from kanonym.engines.sql.store import Source

__all__ = ["DuckDB"]


def scan_duckdb(
    table: Any,
    *,
    name: str | None = None,
    memory: str | None = None,
    threads: int | None = None,
    folder: str | Path | None = None,
    most_tuples: int | None = None,
    columns: Sequence[str] | None = None,
) -> Source:
    """Use a table that DuckDB reads: it is counted, recoded and written there.

    Parameters
    ----------
    table
        A relation of duckdb: its own connection works, and keeps its settings. Or the path of
        a Parquet, CSV, TSV or JSON file, or a pattern of several, such as `visits/*.parquet`.
        Or a polars, pyarrow or pandas table. Or the path of a DuckDB file, with `name`.
    name
        The table or view of a DuckDB file, which is opened to be read only.
    memory
        The most memory that DuckDB may take, such as `"2GB"`: what is beyond goes to files in
        `folder`. Four fifths of the machine's if None.
    threads
        The most threads; one for each processor if None.
    folder
        Where those files lie, in a folder of their own that is removed in the end; the
        system's folder for temporary files if None. They hold records of the input.
    most_tuples
        A frequency set of more tuples is not taken to this process; 8,388,608 if None.
    columns
        Names of the columns of CSV files without a header.

    Raises
    ------
    DataError
        DuckDB is not installed; or there is no such file or table, or it cannot be read; or a
        column has a type that cannot be used; or `memory`, `threads` and `folder` are given with
        a relation.

    Notes
    -----
    Columns come in the types that the local readers would give them: those of CSV as text,
    which is typed by the rules of `data.files`; UUIDs as text; enumerations in the order of
    their definition.
    """
    with require_extra("duckdb"):
        from kanonym.engines.duckdb import source  # noqa: PLC0415 - its driver may be absent

    settings = source.Settings(memory, threads, folder)
    return source.duckdb_source(table, settings, most_tuples, name, columns)


def read_database(path: str, names: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Return tables of a DuckDB file by name, in this process."""
    with require_extra("duckdb"):
        from kanonym.engines.duckdb import source as database_file  # noqa: PLC0415 - as above

    return database_file.read_database(path, names)


def table_names(path: str) -> Sequence[str]:
    """Return the names of the tables and views of a DuckDB file, sorted."""
    with require_extra("duckdb"):
        from kanonym.engines.duckdb import source as database_file  # noqa: PLC0415 - as above

    return database_file.table_names(path)


def write_database(tables: Mapping[str, pl.DataFrame], path: str) -> None:
    """Write tables of this process into a new DuckDB file."""
    with require_extra("duckdb"):
        from kanonym.engines.duckdb import source as database_file  # noqa: PLC0415 - as above

    database_file.write_database(tables, path)
