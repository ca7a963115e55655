"""Files that DuckDB reads and writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray
from polars import selectors
from sqlglot import exp

from kanonym.data.databases import database_kind, displayable_url, missing_table
from kanonym.data.errors import DataError
from kanonym.data.files import FORMATS
from kanonym.engines.database.staging import BATCH_ROWS
from kanonym.engines.database.values import SEED, Fingerprint, fresh_name, refuse_same_names
from kanonym.engines.duckdb.csv_files import (
    WITHOUT_FOLDERS,
    csv_query,
    file_array,
    files_of,
    read_option,
)
from kanonym.engines.sql.statements import exact_column
from kanonym.engines.sql.store import Query

ArrowBatch: TypeAlias = Any  # pyarrow carries no types
ArrowColumn: TypeAlias = Any
ArrowReader: TypeAlias = Any

EXACT = frozenset(
    {"enum", "boolean", "double", "float", "date"}
    | {f"{sign}{kind}int" for sign in ("", "u") for kind in ("tiny", "small", "", "big")}
    | {"integer", "uinteger"}
)
"""Types whose values Parquet holds whoever writes them."""


def write_parquet(reader: ArrowReader, path: Path) -> Fingerprint:
    """Write what a reader gives, a group of rows a batch, and return its fingerprint.

    reader: of columns of the types `EXACT`; its enumerations are dictionaries of texts. The file
    holds texts, and of each enumeration only those that its rows have.
    """
    fingerprint = Fingerprint()
    with pyarrow.parquet.ParquetWriter(
        path, reader.schema, compression="zstd", store_schema=False
    ) as writer:
        for batch in _joined(reader):
            fingerprint.add_hashes(_hashes(batch))
            columns = [_without_unused(column) for column in batch.columns]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=reader.schema))
    return fingerprint


def fingerprint_of_file(path: Path, coded: Iterable[str]) -> Fingerprint:
    """Return the fingerprint of a Parquet file, as pyarrow reads it.

    coded: columns of texts with few different values.
    """
    fingerprint = Fingerprint()
    try:
        file = pyarrow.parquet.ParquetFile(path, read_dictionary=list(coded))
        for batch in _joined(file.iter_batches(BATCH_ROWS)):
            fingerprint.add_hashes(_hashes(batch))
    except pa.ArrowException:  # its texts quote values
        raise DataError(
            "what was written as parquet cannot be read back; nothing was released. Choose "
            "another format"
        ) from None
    return fingerprint


def _joined(batches: Iterable[ArrowBatch]) -> Iterator[ArrowBatch]:
    """Yield the same rows in larger batches: DuckDB streams few at a time."""
    waiting: list[ArrowBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(len(one) for one in waiting) >= BATCH_ROWS:
            yield pa.concat_batches(waiting)
            waiting = []
    if waiting:
        yield pa.concat_batches(waiting)


def _hashes(batch: ArrowBatch) -> pl.DataFrame:
    """Return the hash of each value; of enumerations, each text is hashed once."""
    hashes = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            words = pl.Series([*column.dictionary.to_pylist(), None], dtype=pl.String)
            own = pl.Series(words.hash(seed=SEED).to_numpy()[_codes(column)])
        else:
            own = pl.Series(column).hash(seed=SEED)
        hashes.append(own.alias(name))
    return pl.DataFrame(hashes)


def _codes(column: ArrowColumn) -> NDArray[np.intp]:
    """Return the numbers of an enumeration's values; of null, the one behind the last."""
    codes = pl.Series(column.indices)
    if codes.null_count():
        codes = codes.cast(pl.Int64).fill_null(len(column.dictionary))
    return codes.to_numpy().astype(np.intp, copy=False)


def _without_unused(column: ArrowColumn) -> ArrowColumn:
    """Return a column; if an enumeration, without the texts that none of its values has."""
    if not pa.types.is_dictionary(column.type):
        return column
    codes, n = _codes(column), len(column.dictionary)
    is_used = np.zeros(n + 1, bool)
    is_used[codes] = True
    used = np.flatnonzero(is_used[:n])
    place = np.zeros(n + 1, column.type.index_type.to_pandas_dtype())
    place[used] = np.arange(len(used))
    indices = pa.array(place[codes], mask=codes == n if column.null_count else None)
    return pa.DictionaryArray.from_arrays(indices, column.dictionary.take(pa.array(used)))


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
    """Return a query of files of JSON with their values as they are written; None of others."""
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

    DuckDB takes enumerations of Arrow for texts: they become its own, in their order.
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
