"""What DuckDB reads: files and frames, with columns of the types that local readers give."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
import pyarrow as pa
import pyarrow.parquet
from polars import selectors
from sqlglot import exp

from kanonym.data.credentials import displayable_url
from kanonym.data.databases import database_kind, missing_table
from kanonym.data.errors import DataError
from kanonym.data.files import FORMATS
from kanonym.engines.database.names import fresh_name, refuse_same_names
from kanonym.engines.duckdb.csv_files import csv_query
from kanonym.engines.duckdb.paths import WITHOUT_FOLDERS, file_array, files_of, read_option
from kanonym.engines.sql.statements import exact_column
from kanonym.engines.sql.store import Query

Connection: TypeAlias = Any

_TEXTS = ("UUID", "JSON", "BIT", "INTERVAL", "BIGNUM", "VARINT", "TIME WITH TIME ZONE")
"""Types that come as text: polars has none for them, or other engines have none."""

_LONG = (pl.Int128, pl.UInt128)

_REFUSED = ("UNION", "MAP", "VARIANT", "GEOMETRY")


def open_files(
    connection: Connection, path: str, columns: Sequence[str] | None = None
) -> tuple[str, bool]:
    """Make a view of files; columns: the names of those of CSV files without a header."""
    kind = _kind(path)
    files = files_of(path)
    if columns is not None and kind not in ("csv", "tsv"):
        raise DataError(f"columns are named for CSV files without a header; {path} is none")
    if kind in ("csv", "tsv"):
        query = csv_query(connection, files, "\t" if kind == "tsv" else None, columns)
    elif kind == "parquet":
        names = list(_parquet_schema(files[0]).names)
        refuse_same_names(names, files[0])
        query = read_parquet(files, names)
    else:
        whole = read_option("sample_size", exp.Literal.number(-1))
        query = exp.select("*").from_(_call("read_json", files, whole, WITHOUT_FOLDERS))
    name = fresh_name()
    connection.execute(f'CREATE TEMPORARY VIEW "{name}" AS {query.sql(dialect="duckdb")}')
    return name, kind in ("csv", "tsv")


def written_json(path: str, names: Sequence[str]) -> Query | None:
    """Return a query of files of JSON with their values as they are written; None of others.

    Null is of a key that is not there.
    """
    if _kind(path) not in ("json", "jsonl"):
        return None
    values = []
    for name in names:
        pointer = exp.Literal.string("/" + name.replace("~", "~0").replace("/", "~1"))
        value = exp.Anonymous(this="json_extract", expressions=[exact_column("json"), pointer])
        values.append(exp.alias_(exp.cast(value, "TEXT"), name, quoted=True))
    return exp.select(*values).from_(_call("read_json_objects", files_of(path)))


def attach(connection: Connection, path: str) -> str:
    """Open a DuckDB file to be read, and return the name of its database."""
    if not Path(path).is_file():
        raise DataError(f"no file {path}")
    name = fresh_name()
    file = exp.Literal.string(path).sql(dialect="duckdb")
    connection.execute(f'ATTACH {file} AS "{name}" (READ_ONLY, TYPE duckdb)')
    return name


def held_tables(connection: Connection, database: str) -> Sequence[str]:
    """Return the names of the tables and views of an attached database, sorted."""
    names = connection.execute(
        "SELECT table_name FROM information_schema.tables"
        " WHERE table_catalog = ? AND table_schema = 'main' ORDER BY table_name",
        [database],
    )
    return [name for (name,) in names.fetchall()]


def open_table(connection: Connection, database: str, table: str, path: str) -> str:
    """Make a view of a table of an attached database, and return the view's name."""
    held = held_tables(connection, database)
    if table not in held:
        raise missing_table(table, held, path)
    name = fresh_name()
    place = exp.table_(table, db="main", catalog=database, quoted=True).sql(dialect="duckdb")
    connection.execute(f'CREATE TEMPORARY VIEW "{name}" AS SELECT * FROM {place}')  # noqa: S608
    return name


def read_parquet(files: Sequence[str], names: Sequence[str]) -> Query:
    """Return a query of Parquet files.

    names: the columns of the first. DuckDB makes columns of folders called `year=2020`, too:
    where a file has a column of that name, it stays as it is.
    """
    folders = {part.partition("=")[0].lower() for part in Path(files[0]).parts if "=" in part}
    own = folders & {name.lower() for name in names}
    return exp.select("*").from_(_call("read_parquet", files, *([WITHOUT_FOLDERS] if own else [])))


def register_frame(connection: Connection, frame: pl.DataFrame) -> str:
    """Make a view of a frame of this process, and return its name; nothing is copied.

    DuckDB takes enumerations of Arrow for texts: they become its own, in their order. Integers of
    128 bits, which Arrow lacks, go as decimals.
    """
    name = fresh_name()
    connection.register(name, _without_long_integers(frame).to_arrow())
    picked: list[exp.Expr] = []
    for each, dtype in frame.schema.items():
        picked.append(exact_column(each))
        if dtype in _LONG:
            picked[-1] = exp.alias_(exp.cast(exact_column(each), "INT128"), each, quoted=True)
        if isinstance(dtype, pl.Enum):
            kind, words = fresh_name(), fresh_name()
            categories = pl.DataFrame({"word": dtype.categories}).with_row_index("place")
            connection.register(words, categories.to_arrow())
            connection.execute(
                f"CREATE TYPE {kind} AS ENUM (SELECT word FROM {words} ORDER BY place)"  # noqa: S608
            )
            connection.unregister(words)
            cast = exp.cast(exact_column(each), exp.DataType.build(kind, udt=True))
            picked[-1] = exp.alias_(cast, each, quoted=True)
    if not any(isinstance(dtype, pl.Enum) or dtype in _LONG for dtype in frame.schema.values()):
        return name
    view = exp.select(*picked).from_(exp.table_(name, quoted=True)).sql(dialect="duckdb")
    connection.execute(f'CREATE TEMPORARY VIEW "{name}_e" AS {view}')
    return f"{name}_e"


def _without_long_integers(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with decimals in the place of integers of 128 bits."""
    for column in frame.select(selectors.by_dtype(*_LONG)):
        try:
            frame = frame.with_columns(column.cast(pl.Decimal(38, 0)))
        except pl.exceptions.PolarsError:
            raise DataError(
                f"column {column.name!r} holds whole numbers of more than 38 digits, which DuckDB "
                "does not give back exactly; convert it to text"
            ) from None
    return frame


def usable_column(name: str, dtype: str) -> exp.Expr:
    """Return a column as a type that polars has."""
    read = exact_column(name)
    if dtype.startswith(_REFUSED):
        raise DataError(
            f"column {name!r} has the type {dtype.partition('(')[0]}, which cannot be used; "
            "leave it out, or convert it"
        )
    if dtype in _TEXTS:
        return exp.alias_(exp.cast(read, "TEXT"), name, quoted=True)
    if dtype == "UHUGEINT":
        return exp.alias_(exp.cast(read, "INT128"), name, quoted=True)
    return read


def _kind(path: str) -> str:
    bare = path.removesuffix(".gz").removesuffix(".zst")
    if database_kind(path) == "duckdb":
        raise DataError(f"{path} is a DuckDB file: name its table")
    kind = FORMATS.get(os.path.splitext(bare)[1].lower())  # noqa: PTH122 - of a pattern or URL, too
    if kind not in ("csv", "tsv", "parquet", "json", "jsonl"):
        raise DataError(
            f"{displayable_url(path)}: DuckDB reads Parquet, CSV, TSV and JSON files; name them by "
            ".parquet, .csv, .tsv, .json or .jsonl"
        )
    return kind


def zones_of_files(path: str) -> list[str | None]:
    """Return the time zones that the columns of Parquet files name; of other files none."""
    if _kind(path) != "parquet":
        return []
    return [getattr(kind, "tz", None) for kind in _parquet_schema(files_of(path)[0]).types]


def _parquet_schema(path: str) -> Any:
    try:
        return pyarrow.parquet.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{path} cannot be read as a Parquet file: {reason}") from None


def _call(function: str, files: Sequence[str], *options: exp.Expr) -> exp.Table:
    return exp.Table(this=exp.Anonymous(this=function, expressions=[file_array(files), *options]))
