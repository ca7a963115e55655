"""Where sets of tables are: folders of files, SQLite, DuckDB, a schema of PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

import polars as pl

from kanonym.data.credentials import displayable_url
from kanonym.data.databases import DUCKDB, SQLITE, database_kind, sqlite_url
from kanonym.data.errors import DataError
from kanonym.data.files import FORMATS, read_table, sha256, write_table
from kanonym.data.files.hidden import hidden_path


@dataclass(frozen=True, slots=True)
class Place:
    """Where a set of tables is, or is to be: a path, or the URL of a server and a schema there."""

    kind: Literal["folder", "sqlite", "duckdb", "postgresql"]
    given: str
    schema: str | None = None

    @classmethod
    def of(cls, given: str, schema: str | None = None) -> Place:
        """Return the place that a path or a URL names; refuse what holds no set of tables."""
        scheme, mark, rest = given.partition("://")
        kind = database_kind(given)
        if kind == "postgresql":
            return cls("postgresql", given, schema)
        if schema is not None:
            raise DataError("a schema is for postgresql://… only")
        if mark and kind == "sqlite":
            return cls("sqlite", unquote(rest.partition("?")[0]).removeprefix("/"))
        if kind is not None and not mark:
            return cls(kind, given)
        if mark or (Path(given).suffix and not Path(given).is_dir()):
            raise DataError(
                f"{f'{scheme}://' if mark else given} holds no set of tables: name a folder of "
                f"files, a SQLite or DuckDB file ({', '.join([*SQLITE, *DUCKDB])}), or "
                "postgresql://…"
            )
        return cls("folder", given)

    @property
    def display_name(self) -> str:
        """What may be printed of it: no user, password or host."""
        return displayable_url(self.given)

    @property
    def name(self) -> str:
        """Its name without folders, as reports and manifests tell it."""
        return self.display_name if self.path is None else self.path.name

    @property
    def path(self) -> Path | None:
        """Its file or folder; None on a server."""
        return None if self.kind == "postgresql" else Path(self.given)

    @property
    def url(self) -> str:
        """Its URL, of a server or a SQLite file."""
        if self.path is None:
            return self.given
        if not self.path.parent.is_dir():
            raise DataError(f"{self.path}: no such file")
        return sqlite_url(self.path.resolve())


def read_tables(place: Place, names: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Return tables by name; those that a folder lacks are left out."""
    if place.kind == "folder":
        found = _files_of(Path(place.given), names)
        return {name: read_table(str(file)) for name, file in found.items()}
    if place.kind == "duckdb":
        from kanonym.engines.duckdb import read_database  # noqa: PLC0415 - an extra

        return read_database(place.given, names)
    from kanonym.engines.database import scan_database  # noqa: PLC0415 - an extra

    return {name: scan_database(place.url, name, schema=place.schema).to_polars() for name in names}


def require_free(place: Place) -> None:
    """Refuse a place where something is already, or that cannot be written."""
    path = place.path
    if path is None:
        return
    if path.exists() and not (place.kind == "folder" and path.is_dir() and not any(path.iterdir())):
        raise DataError(f"{path} exists: remove it, or name another place (nothing was changed)")
    if not path.resolve().parent.is_dir():
        raise DataError(f"{path} cannot be written: the folder {path.parent} does not exist")


def write_tables(
    tables: Mapping[str, pl.DataFrame],
    place: Place,
    check: Callable[[Mapping[str, pl.DataFrame]], object],
    extension: str = ".csv",
) -> dict[str, str]:
    """Write all tables or none, as `check` of what was read back says; return SHA-256 by file."""
    require_free(place)
    path = place.path
    if path is None:
        _write(tables, place, extension)
        return {}
    hidden = hidden_path(path.resolve().parent)
    written = Place(place.kind, str(hidden))
    try:
        _write(tables, written, extension)
        check(read_tables(written, list(tables)))
        if place.kind == "folder" and path.exists():
            path.rmdir()
        hidden.replace(path.resolve())
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {error.strerror or error}; nothing was written"
        ) from None
    except DataError as error:
        raise DataError(str(error).replace(str(hidden), str(path))) from None
    finally:
        if hidden.is_dir():
            shutil.rmtree(hidden, ignore_errors=True)
        hidden.unlink(missing_ok=True)
    return hashes_of(place, list(tables))


def hashes_of(place: Place, names: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256 of each file of a place: of a folder by table."""
    if place.kind == "folder":
        return {name: sha256(file) for name, file in _files_of(Path(place.given), names).items()}
    return {} if place.path is None else {place.path.name: sha256(place.path)}


def extension_of(place: Place, names: Sequence[str]) -> str:
    """Return the extension of a folder's files; .csv of another place."""
    files = _files_of(Path(place.given), names) if place.kind == "folder" else {}
    return next((file.suffix for file in files.values()), ".csv")


def _write(tables: Mapping[str, pl.DataFrame], place: Place, extension: str) -> None:
    if place.kind == "folder":
        Path(place.given).mkdir()
        for name, frame in tables.items():
            write_table(frame, str(Path(place.given) / f"{name}{extension}"))
    elif place.kind == "duckdb":
        from kanonym.engines.duckdb import write_database  # noqa: PLC0415 - an extra

        write_database(tables, place.given)
    else:
        from kanonym.engines import database  # noqa: PLC0415 - an extra

        database.write_tables(tables, place.url, schema=place.schema)


def _files_of(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    """Return the file of each table that a folder has; refuse two files of one table."""
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder")
    found: dict[str, Path] = {}
    for file in sorted(folder.iterdir()):
        stem = Path(file.name.removesuffix(".gz"))
        name, suffix = stem.stem, stem.suffix.lower()
        if name not in names or suffix not in FORMATS:
            continue
        if name in found:
            raise DataError(f"{folder} has two files of {name}: {found[name].name}, {file.name}")
        found[name] = file
    return found
