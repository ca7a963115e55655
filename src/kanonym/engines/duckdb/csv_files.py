"""CSV files under DuckDB, by the rules of `data.files.delimited`: every cell is text.

The separator and the header are found in the first megabyte of each file, by the same code;
DuckDB's own guesses are off. An empty cell is null, a quoted empty one an empty text. Types
are found later, from the distinct values of a column: digits with leading zeros stay text.
"""

from __future__ import annotations

import csv
import glob
import gzip
import re
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
from sqlglot import exp

from kanonym.data.databases import displayable_url
from kanonym.data.errors import DataError
from kanonym.data.files.delimited import Layout, layout
from kanonym.data.files.text_layout import count_records, refuse_missing_header
from kanonym.engines.database.values import frame_of, refuse_same_names
from kanonym.engines.sql.statements import exact_column, subquery
from kanonym.engines.sql.store import Query


def files_of(path: str) -> list[str]:
    """Return the files that a path names: itself, or all that its pattern matches."""
    if "://" in path:
        raise DataError(
            f"{displayable_url(path)}: DuckDB reads files of this machine here. Copy the file, "
            "read it without an engine, or give a relation of a connection that has loaded httpfs"
        )
    if Path(path).is_dir():
        raise DataError(f"{path} is a folder; name its files: {path}/*.parquet")
    if Path(path).exists():
        return [path]
    if not glob.has_magic(path):
        raise DataError(f"no file {displayable_url(path)}")
    found = sorted(glob.glob(path, recursive=True))  # noqa: PTH207 - a pattern from the root, too
    files = [one for one in found if not Path(one).is_dir()]
    if not files:
        raise DataError(f"no file matches {displayable_url(path)}")
    return files


def file_array(files: Sequence[str]) -> exp.Array:
    """Return files as a list of DuckDB, which takes some characters for patterns, `~` for home."""
    paths = [exp.Literal.string(glob.escape(str(Path(one).absolute()))) for one in files]
    return exp.Array(expressions=paths)


def read_option(name: str, value: exp.Expr) -> exp.PropertyEQ:
    """Return an option of one of DuckDB's functions that read files."""
    return exp.PropertyEQ(this=exp.to_identifier(name), expression=value)


WITHOUT_FOLDERS = read_option("hive_partitioning", exp.false())
"""The names of folders are no columns."""


Connection: TypeAlias = Any

_SAMPLE_BYTES = 1 << 20
_LAST_BYTES = 1 << 16
_LONGEST_ROW = 1 << 24  # bytes, as the local reader has it
_END = re.compile(rb"\r\n|\r|\n")
_HEAD = 1000  # rows in which the cells of the header are looked for


def csv_query(
    connection: Connection,
    files: Sequence[str],
    separator: str | None,
    columns: Sequence[str] | None = None,
) -> Query:
    """Return a query of all cells of CSV files, as text; columns: of files without a header."""
    layouts = {}
    for one in files:
        head = _head(one)
        layouts[one] = replace(layout(head, one, separator, columns), start=0)
        refuse_same_names(layouts[one].names, one)
        _check_ends(head, layouts[one].lines_above, one)
        _check_last_row(one, layouts[one])
    first = layouts[files[0]]
    for one, other in layouts.items():
        if other != first:
            raise DataError(
                f"{one} has another header or separator than {files[0]}; read them one by one"
            )
    mark = f"{first.separator} " if first.blank else first.separator
    query = read_csv(files, first.all_names, mark, skip=first.lines_above, header=first.header)
    if first.unnamed:
        everything = query
        query = exp.select(*map(exact_column, first.names)).from_(subquery(everything, "t"))
        _check_unnamed(connection, everything, first, files[0])
    _check_head(connection, query, files[0])
    return query


def read_csv(
    files: Sequence[str],
    names: list[str],
    separator: str,
    types: list[str] | None = None,
    skip: int = 0,
    *,
    header: bool = True,
) -> Query:
    """Return a query of CSV files by our rules.

    names: of the columns. types: DuckDB's, text if None. skip: lines above the header.
    """
    columns = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.Literal.string(name), expression=exp.Literal.string(dtype))
            for name, dtype in zip(names, types or ["VARCHAR"] * len(names), strict=True)
        ]
    )
    options: dict[str, exp.Expr] = {
        "columns": columns,
        "auto_detect": exp.false(),
        "header": exp.true() if header else exp.false(),
        "skip": exp.Literal.number(skip),
        "delim": exp.Literal.string(separator),
        "quote": exp.Literal.string('"'),
        "escape": exp.Literal.string('"'),
        "nullstr": exp.Literal.string(""),
        "allow_quoted_nulls": exp.false(),
        "max_line_size": exp.Literal.number(_LONGEST_ROW),
        "strict_mode": exp.true(),
    }
    arguments = [file_array(files), *(read_option(name, value) for name, value in options.items())]
    call = exp.Anonymous(this="read_csv", expressions=[*arguments, WITHOUT_FOLDERS])
    return exp.select("*").from_(exp.Table(this=call))


def _head(path: str) -> bytes:
    try:
        with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
            data = file.read(_SAMPLE_BYTES)
    except (EOFError, zlib.error):
        raise DataError(f"{path} is a damaged gzip file") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    if not data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise DataError(f"{path} is empty")
    return data


def _check_head(connection: Connection, query: Query, where: str) -> None:
    """Refuse a first row that is a person's record."""
    text = query.limit(_HEAD).sql(dialect="duckdb")
    refuse_missing_header(frame_of(connection.query(text).to_arrow_table()), where)


def _check_unnamed(connection: Connection, query: Query, form: Layout, where: str) -> None:
    """Refuse values in columns without a name."""
    counts = exp.select(*(exp.Max(this=exact_column(name)) for name in form.all_names))
    text = counts.from_(subquery(query, "t")).sql(dialect="duckdb")
    values = frame_of(connection.query(text).to_arrow_table())
    values.columns = form.all_names
    form.without_unnamed(values, where)


def _check_last_row(path: str, form: Layout) -> None:
    """Refuse a last row of empty cells or of totals, which is no record."""
    if path.endswith(".gz"):
        return
    head = _head(path)
    with Path(path).open("rb") as file:
        file.seek(max(file.seek(0, 2) - _LAST_BYTES, 0))
        lines = file.read().decode(errors="replace").splitlines()
    last = next((line for line in reversed(lines) if line), "")
    texts = [
        *head.decode(errors="replace").splitlines()[form.lines_above + form.header :][:_HEAD],
        last,
    ]
    rows = [
        row
        for row in csv.reader(texts, delimiter=form.separator, skipinitialspace=form.blank)
        if len(row) == len(form.all_names)
    ]
    table = pl.DataFrame(rows, [(name, pl.String) for name in form.all_names], orient="row")
    records, why = count_records(table)
    if records < table.height:
        raise DataError(f"{path}: delete the last row, which is no record: {why}")


def _check_ends(head: bytes, skip: int, where: str) -> None:
    """Refuse blank lines above the header that end otherwise than it: DuckDB would lose rows."""
    if skip and len(set(_END.findall(head)[: skip + 1])) > 1:
        raise DataError(
            f"{where}: the blank lines above the header end differently from the header; remove "
            f"them"
        )
