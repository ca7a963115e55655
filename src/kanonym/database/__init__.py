"""Engines that hold tables by SQL: DuckDB on this machine, PostgreSQL and SQLite.

Their drivers are extras: nothing of them is needed before one of these functions is called.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanonym.data.extras import installed

if TYPE_CHECKING:
    from kanonym.relational.store import Source

__all__ = ["Database", "DuckDB", "write_table"]


def DuckDB(  # noqa: N802 - it stands for a kind of source
    table: Any,
    *,
    memory: str | None = None,
    threads: int | None = None,
    folder: str | Path | None = None,
    most_tuples: int | None = None,
) -> Source:
    """Take a table that DuckDB reads: it is counted, recoded and written there.

    Parameters
    ----------
    table
        A relation of duckdb: its own connection works, and keeps its settings. Or the path of
        a Parquet, CSV, TSV or JSON file, or a pattern of several, such as `visits/*.parquet`.
        Or a polars, pyarrow or pandas table.
    memory
        The most memory that DuckDB may take, such as `"2GB"`: what is beyond goes to files in
        `folder`. Four fifths of the machine's if None.
    threads
        The most threads; one for each processor if None.
    folder
        Where those files lie, in a folder of their own that is removed in the end; the
        system's folder for temporary files if None. They hold records of the input.
    most_tuples
        A frequency set of more tuples is not taken to this process; `relational.MOST_TUPLES`
        if None.

    Raises
    ------
    DataError
        DuckDB is not installed; or there is no such file, or it cannot be read; or a column has
        a type that cannot be used; or `memory`, `threads` and `folder` are given with a
        relation.

    Notes
    -----
    Columns come in the types that the local readers would give them: those of CSV as text,
    which is typed by the rules of `data.files`; UUIDs as text; enumerations in the order of
    their definition.

    """
    with installed("duckdb"):
        from kanonym.database import duck_source  # noqa: PLC0415 - its driver may be absent

    settings = duck_source.Settings(memory, threads, folder)
    return duck_source.source(table, settings, most_tuples)


def Database(  # noqa: N802 - it stands for a kind of source
    url: str, table: str, *, schema: str | None = None, most_tuples: int | None = None
) -> Source:
    """Take a table of a database: it is counted, recoded and written there.

    Parameters
    ----------
    url
        `postgresql://user:password@host/database`; or `sqlite:///path`, with one more stroke
        for a path from the root. Of it, only the scheme and the name of the database are ever
        shown.
    table
        The name of a table or a view, as it is, without quotes.
    schema
        The schema of the table, and of released tables; the one that the database looks in
        if None.
    most_tuples
        As of `DuckDB`.

    Raises
    ------
    DataError
        The driver is not installed; or the database does not answer, has no such table, or a
        column of it has a type that cannot be used.

    """
    with installed("sql"):
        from kanonym.database import sql  # noqa: PLC0415 - its drivers may be absent

        return sql.source(url, table, schema, most_tuples)


def write_table(frame: Any, url: str, table: str, *, schema: str | None = None) -> None:
    """Write a table of this process into a new table of a database, whole or not at all.

    Parameters
    ----------
    frame
        A polars, pyarrow or pandas table; or several polars tables of the same columns, which
        are not in memory at the same time.
    url, schema
        As of `Database`.
    table
        The name of a table that does not exist.

    Raises
    ------
    DataError
        There is a table of this name; or as `Database`; or a column has a type that the
        database cannot hold. Nothing is written then.

    """
    with installed("sql"):
        from kanonym.database import sql  # noqa: PLC0415 - its drivers may be absent

        sql.write(frame, url, table, schema)
