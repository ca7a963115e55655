"""What names a database: the URL of a server, a file by its URL or by its path."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote

from kanonym.data.errors import DataError

Kind: TypeAlias = Literal["postgresql", "sqlite", "duckdb"]

SQLITE = (".db", ".sqlite", ".sqlite3")
"""How the names of SQLite files end."""

DUCKDB = (".duckdb", ".ddb")
"""How the names of DuckDB files end."""

_SCHEMES: dict[str, Kind] = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "sqlite": "sqlite",
}

_SHOWN = 20
"""Names of tables that a message lists at most."""


def database_kind(place: str) -> Kind | None:
    """Return what kind of database a place is; None of anything else.

    Examples
    --------
    >>> database_kind("clinic.duckdb"), database_kind("sqlite:///clinic"), database_kind("a.csv")
    ('duckdb', 'sqlite', None)

    """
    scheme, mark, _ = place.partition("://")
    if mark:
        return _SCHEMES.get(scheme.lower().partition("+")[0])
    suffix = Path(place).suffix.lower()
    if suffix in SQLITE:
        return "sqlite"
    return "duckdb" if suffix in DUCKDB else None


def sqlite_url(path: str | Path) -> str:
    """Return the URL of a SQLite file, as the path is: relative or from the root."""
    return f"sqlite:///{quote(str(path))}"


def table_list(names: Sequence[str]) -> str:
    """Return the names of a database's tables, as a message lists them."""
    if not names:
        return "it has no table"
    more = len(names) - _SHOWN
    listed = ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
    return f"its tables: {listed}"


def missing_table(name: str, names: Sequence[str], where: str) -> DataError:
    """Return the error that a database has no table of a name, and which ones it has."""
    near = difflib.get_close_matches(name, names, n=1)
    guess = f"; did you mean {near[0]!r}?" if near else ""
    return DataError(f"no table {name!r} in {where}{guess} ({table_list(names)})")
