"""Tables as people give them: where they are, and whether keys and references are in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

import numpy as np
import polars as pl

from kanonym.actions.base import cell_texts
from kanonym.data import frames
from kanonym.data.databases import DUCKDB, SQLITE, database_kind, displayable_url, sqlite_url
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.files import FORMATS, read_table, sha256, write_table
from kanonym.data.files.disk import hidden_place
from kanonym.data.hierarchy import Flat
from kanonym.data.schema import Identifier, QuasiIdentifier, Schema
from kanonym.engines.spark import collect_frame, create_frame
from kanonym.kernels.arrays import Ints
from kanonym.linked.linked_policy import (
    LinkedPolicy,
    Reference,
    TablePolicy,
    Tables,
    banded_tables,
    table_faults,
    with_below,
)
from kanonym.policy.faults import policy_error


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
    with hidden_place(path, path.resolve().parent) as hidden:
        written = Place(place.kind, str(hidden))
        try:
            _write(tables, written, extension)
            check(read_tables(written, list(tables)))
        except DataError as error:
            raise DataError(str(error).replace(str(hidden), str(path))) from None
        if place.kind == "folder" and path.exists():
            path.rmdir()
        hidden.replace(path.resolve())
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


Column = tuple[str, str]
"""A table and one of its columns."""


def polars_tables(tables: Mapping[str, Any], policy: LinkedPolicy) -> dict[str, pl.DataFrame]:
    """Return the tables that a policy names, as polars; refuse those that are elsewhere."""
    return {
        name: frame if isinstance(frame, pl.DataFrame) else _fetched(frame, name)
        for name, frame in tables.items()
        if name in policy.tables
    }


def _fetched(frame: Any, name: str) -> pl.DataFrame:
    if _is_of_spark(frame):
        return collect_frame(frame)
    if not frames.is_frame(frame) and not isinstance(frame, frames.FetchableTable):
        raise DataError(
            f"{name} is no pandas, polars, pyarrow or Spark table, but a "
            f"{type(frame).__module__.partition('.')[0]} {type(frame).__name__}: linked tables are "
            "read into memory. Convert it, such as by pl() in DuckDB"
        )
    return frames.to_polars(frames.to_eager(frame))


def like_given(released: Mapping[str, pl.DataFrame], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return released tables of the types of the tables that came in."""

    def like(frame: pl.DataFrame, given: Any) -> Any:
        if isinstance(given, pl.DataFrame | frames.FetchableTable):
            return frame
        if _is_of_spark(given):
            return create_frame(frame, given)
        rows = np.zeros(frame.height, np.int64)  # every column is new
        return frames.assemble(frames.to_eager(given), rows, frame.get_columns(), like=given)

    return {name: like(frame, given[name]) for name, frame in released.items()}


def _is_of_spark(frame: Any) -> bool:
    return type(frame).__module__.startswith("pyspark")


def check_tables(tables: Tables, policy: LinkedPolicy) -> None:
    """Refuse missing tables and columns, and bad keys and references, without telling a value."""
    missing = [name for name in policy.tables if name not in tables]
    if missing:
        raise SchemaError(f"missing tables: {', '.join(missing)}. There are: {', '.join(tables)}")
    for table in policy.tables.values():
        columns = tables[table.name].columns
        for name in table.linking:
            if name not in columns:
                raise SchemaError(
                    f"{table.name} has no column {name!r}, which is in its key or a reference. "
                    f"It has: {', '.join(columns)}"
                )
    for table in policy.tables.values():
        _check_key(tables[table.name], table)
    for table in policy.tables.values():
        for reference in table.references:
            _check_reference(tables, table, reference, policy)
    _check_cycles(tables, policy)


def parent_rows(
    tables: Tables, table: TablePolicy, reference: Reference, policy: LinkedPolicy
) -> Ints:
    """Return (n_rows,) int64: the row that each row refers to, -1 for none."""

    def keys(name: str, columns: Sequence[str]) -> pl.DataFrame:
        return pl.DataFrame(
            [as_key(tables[name][one]).alias(str(i)) for i, one in enumerate(columns)]
        )

    frame = keys(table.name, reference.columns)
    target = keys(reference.table, policy.tables[reference.table].key)
    target = target.with_row_index("row").unique(frame.columns, keep="first")
    column = frame.join(target, on=frame.columns, how="left", maintain_order="left")["row"]
    return column.cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int64)


as_key = partial(cell_texts, action="a key")
"""Returns the text of keys: 7 of one file and "7" of another are the same key."""


def _check_key(frame: pl.DataFrame, table: TablePolicy) -> None:
    where = f"{table.name}.{', '.join(table.key)}"
    key = frame.select(table.key)
    nulls = frame.height - key.drop_nulls().height
    if table.key and nulls:
        raise DataError(f"{where} is a key, and null in {_rows(nulls)}")
    repeated = int(key.is_duplicated().sum())
    if table.key and repeated:
        raise DataError(f"{where} is a key, and {_rows(repeated)} share theirs with another row")


def _check_reference(
    tables: Tables, table: TablePolicy, reference: Reference, policy: LinkedPolicy
) -> None:
    frame = tables[table.name]
    empty = frame.select(pl.any_horizontal(pl.col(reference.columns).is_null())).to_series()
    where = f"{table.name}.{reference.text}"
    if reference == table.owner and empty.any():
        raise DataError(
            f"{where} is null in {_rows(int(empty.sum()))}: nobody knows whose they are. Remove "
            "them, or fill the reference in"
        )
    orphans = pl.Series(parent_rows(tables, table, reference, policy) < 0) & ~empty
    if orphans.any():
        values = frame.filter(orphans).select(reference.columns).n_unique()
        target = f"{reference.table}.{', '.join(policy.tables[reference.table].key)}"
        raise DataError(
            f"{where} has {values} value{'s' * (values != 1)} that {target} lacks "
            f"({_rows(int(orphans.sum()))})"
        )


def _check_cycles(tables: Tables, policy: LinkedPolicy) -> None:
    """Refuse references that go round where none of them is ever null: no row could be first."""
    filled = {
        name: [
            reference
            for reference in table.references
            if tables[name].height
            and not any(tables[name][c].null_count() for c in reference.columns)
        ]
        for name, table in policy.tables.items()
    }
    try:
        targets = {name: [one.table for one in several] for name, several in filled.items()}
        TopologicalSorter(targets).prepare()
    except CycleError as error:
        ring = [name for name in filled if name in error.args[1]]
        steps = [(name, one) for name in ring for one in filled[name] if one.table in ring]
        way = ", ".join(f"{name}.{one.text} → {one.table}" for name, one in steps)
        raise DataError(
            f"the references {way} go round, and none of them is ever null: no row could be "
            "written first. Leave one of them out of the policy, or allow null in it"
        ) from None


def _rows(number: int) -> str:
    return f"{number:,} row{'s' * (number != 1)}"


def with_column_roles(policy: LinkedPolicy, tables: Tables, *, whole: bool = False) -> LinkedPolicy:
    """Give unnamed columns the role of `others`; whole: refuse named columns that tables lack."""
    found = {}
    for name, table in policy.tables.items():
        columns = tables[name].columns
        free = [one for one in columns if one not in table.linking]
        named = {
            column: role
            for column, role in table.attributes.items()
            if column not in table.linking and (whole or column in columns)
        }
        try:
            further = Schema.resolve(free, named, policy.others).attributes
        except SchemaError as error:
            raise SchemaError(f"{name}: {error}") from None
        found[name] = replace(table, attributes={**table.attributes, **further})
    several = found.values() if policy.others is not None else ()
    faults = [fault for table in several for fault in table_faults(table, policy.person, found)]
    if faults:
        raise policy_error([fault.below(("tables",)) for fault in faults], "")
    return replace(policy, tables=found)


def band_column(table: str) -> str:
    """Return the column of the table of persons that says how many rows a person has."""
    return f"{table}_rows"


def banded_policy(policy: LinkedPolicy) -> LinkedPolicy:
    """Return the policy of a release: a number of rows in the place of each banded table."""
    banded = banded_tables(policy.tables)
    gone = with_below(banded, policy.tables)
    tables = {name: one for name, one in policy.tables.items() if name not in gone}
    for table in tables.values():
        for reference in table.references:
            if reference.table in gone:
                raise PolicyError(
                    f"{table.name}.{reference.text} refers to {reference.table}, which band does "
                    "not release"
                )
    person = tables[policy.person]
    counted = {band_column(name): QuasiIdentifier(hierarchy=Flat()) for name in banded}
    tables[policy.person] = replace(person, attributes={**person.attributes, **counted})
    return replace(policy, tables=tables)


def is_plain(table: TablePolicy, column: str) -> bool:
    """Whether a column of a key has no role, or is an identifier without an action."""
    attribute = table.attributes.get(column)
    return attribute is None or (isinstance(attribute, Identifier) and not attribute.action)


def released_policy(policy: LinkedPolicy, tables: Tables) -> LinkedPolicy:
    """Return the policy of released tables, without what band and dropping took away."""
    if not {*policy.tables} <= {*tables}:
        policy = banded_policy(policy)
    owning = {one.owner.table for one in policy.tables.values() if one.owner}
    keyless = {
        name
        for name, table in policy.tables.items()
        if not table.key
        or (name in tables and name not in owning and not {*table.key} <= {*tables[name].columns})
    }
    found = {}
    for name, table in policy.tables.items():
        columns = {*tables[name].columns} if name in tables else {*table.linking}
        dropped = {one for one in table.linking if one not in columns and is_plain(table, one)}
        kept = tuple(
            reference
            for reference in table.references
            if reference == table.owner
            or (reference.table not in keyless and not dropped & {*reference.columns})
        )
        key = () if name in keyless else table.key
        found[name] = replace(table, references=kept, key=key)
    return replace(policy, tables=found)
