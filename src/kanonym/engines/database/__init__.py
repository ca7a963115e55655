"""Tables in a database: PostgreSQL and SQLite.

The drivers are extras: nothing of them is needed before one of these functions is called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kanonym.data.loading import require_extra

if TYPE_CHECKING:
    from kanonym.engines.sql.store import Source

__all__ = ["Database", "write_table", "write_tables"]


def scan_database(
    url: str, table: str, *, schema: str | None = None, most_tuples: int | None = None
) -> Source:
    """Use a table of a database: it is counted, recoded and written there.

    Parameters
    ----------
    url
        `postgresql://user:password@host/database`; or the path of a SQLite file, `.db`,
        `.sqlite` or `.sqlite3`; or `sqlite:///path`, with one more stroke for a path from the
        root. Of a URL, only the scheme and the name of the database are ever shown.
    table
        The name of a table or a view, as it is, without quotes.
    schema
        The schema of the table, and of released tables; the one that the database looks in if None.
    most_tuples
        As of `scan_duckdb`.

    Raises
    ------
    DataError
        The driver is not installed; or the database does not answer, has no such table, or a
        column of it has a type that cannot be used.
    """
    with require_extra("sql"):
        from kanonym.engines.database import sql  # noqa: PLC0415 - its drivers may be absent

        return sql.database_source(url, table, schema, most_tuples)


def table_names(url: str) -> Sequence[str]:
    """Return the names of a database's tables and views, sorted: of the schemas that it looks in.

    url: as of `scan_database`.
    """
    with require_extra("sql"):
        from kanonym.engines.database import sql  # noqa: PLC0415 - its drivers may be absent

        return sql.table_names(url)


def write_table(frame: Any, url: str, table: str, *, schema: str | None = None) -> None:
    """Write a table of this process into a new table of a database, whole or not at all."""
    with require_extra("sql"):
        from kanonym.engines.database import sql  # noqa: PLC0415 - its drivers may be absent

        sql.write(frame, url, table, schema)


def write_tables(frames: Mapping[str, Any], url: str, *, schema: str | None = None) -> None:
    """Write several tables into a database, in one transaction: all of them or none."""
    with require_extra("sql"):
        from kanonym.engines.database import sql  # noqa: PLC0415 - its drivers may be absent

        sql.write_all(frames, url, schema)
