"""CSV and its relatives: separated cells, one record a row, names in the first row.

- UTF-8, with or without byte order mark; rows end in LF, CRLF or CR.
- The separator is the one of comma, semicolon, tab and bar that cuts the header
  and the most of the first rows into the same number of cells.
- Cells may be quoted with `"`, doubled inside; quoted cells may hold newlines.
- An empty cell is null; a quoted empty cell is an empty text.
- Blank lines are skipped, except in a table of one column: there they are nulls.
- The first row must be a header. A first row that looks like a record is an error
  rather than a guess: taken as names, a person's values would be released.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
import pyarrow as pa
import pyarrow.csv
from polars import selectors

from kanonym.data.errors import DataError
from kanonym.data.files.disk import decode
from kanonym.data.files.text.cells import (
    convert_decimals,
    differing_texts,
    require_printable,
    typed_cells,
)
from kanonym.data.files.text.header import (
    check_names,
    refuse_missing_header,
    refuse_names_like_values,
)

ArrowTable: TypeAlias = Any  # pyarrow carries no types

_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SAMPLE_BYTES = 1 << 20
_SAMPLE_ROWS = 100
_BLOCK_BYTES = 1 << 24  # no row may be longer


def read(
    data: bytes,
    where: str,
    separator: str | None = None,
    texts: dict[str, pl.Series] | None = None,
) -> pl.DataFrame:
    """Read a table of separated cells.

    Parameters
    ----------
    data
        The file's bytes, not blank.
    where
        The file's name, for messages.
    separator
        One character; None detects it.
    texts
        Filled with the columns in which several texts read as one value, as text.

    Raises
    ------
    DataError
        Not UTF-8; no header, or a column without a name or with another's name;
        a row longer or shorter than the header; a quote that is not closed.

    """
    start, separator, rows = _layout(data, where, separator)
    names = rows[0]
    if len(rows) == 1 and len(data) - start <= _SAMPLE_BYTES:
        table = pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    else:
        if data.count(b'"') % 2:
            deque(_numbered_rows(data, separator, where), maxlen=0)  # raises where one stays open
        cells = _parse_rows(memoryview(data)[start:], names, separator, data, where)
        with ThreadPoolExecutor() as threads:
            columns = threads.map(typed_cells, cells.columns)
            table = pl.DataFrame(dict(zip(names, columns, strict=True)))
        if texts is not None:
            for name, column in zip(names, cells.columns, strict=True):
                differing = differing_texts(pl.Series(name, column), table[name])
                if differing is not None:
                    texts[name] = differing
    refuse_missing_header(table, where)
    return table


def layout(data: bytes, where: str, separator: str | None = None) -> tuple[str, list[str], int]:
    """Return how a table of separated cells is laid out, for other readers of the same rules.

    Parameters
    ----------
    data, where, separator
        As of `read`; the first megabyte of the file is enough.

    Returns
    -------
    tuple
        The separator, the names of the columns, and the number of blank lines above them.

    Raises
    ------
    DataError
        Not UTF-8; a column without a name or with another's name.

    """
    start, separator, rows = _layout(data, where, separator)
    above = data[:start].removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")
    return separator, rows[0], len(above)


def write(frame: pl.DataFrame, target: Path | io.BytesIO, separator: str) -> pl.DataFrame:
    """Write a table of separated cells, quoted where they need it.

    Null is an empty cell, an empty text a quoted one. Returns the table in the types that
    were written.

    Raises
    ------
    DataError
        A column of lists, structs, bytes or objects, or a header like a record.

    """
    held = require_printable(frame, "CSV").with_columns(
        selectors.time().dt.to_string("iso"),
        selectors.by_dtype(pl.Int128, pl.UInt128).cast(pl.String),
        *[
            one
            for one in map(convert_decimals, frame.select(selectors.decimal()))
            if one.dtype == pl.String
        ],
    )
    refuse_names_like_values(held, "CSV")
    held.write_csv(target, separator=separator)
    return held


def _parse_rows(
    body: memoryview, names: list[str], separator: str, data: bytes, where: str
) -> ArrowTable:
    try:
        return pyarrow.csv.read_csv(
            pa.py_buffer(body),
            read_options=pyarrow.csv.ReadOptions(
                column_names=names, skip_rows_after_names=1, block_size=_BLOCK_BYTES
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=separator,
                newlines_in_values=b'"' in data,
                ignore_empty_lines=len(names) > 1,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except (pa.ArrowInvalid, UnicodeDecodeError):  # its message would quote the row
        raise DataError(_fault(data, len(names), separator, where)) from None


def _layout(data: bytes, where: str, separator: str | None) -> tuple[int, str, list[list[str]]]:
    """Return where the header starts, the separator, and the first rows."""
    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    while data[start : start + 1] in (b"\n", b"\r"):
        start += 1
    sample = _sample(data, start, where)
    separator = separator or _detect_separator(sample)
    rows = _rows(sample, separator)
    check_names(rows[0], where)
    return start, separator, rows


def _sample(data: bytes, start: int, where: str) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        return decoder.decode(data[start : start + _SAMPLE_BYTES])
    except UnicodeDecodeError:
        return decode(data, where)  # raises, with the place


def _detect_separator(sample: str) -> str:
    """Return the separator under which the rows agree best with a header of several cells."""
    best, best_score = ",", (0.0, 1)
    for separator in _SEPARATORS:
        widths = [len(row) for row in _rows(sample, separator) if row]
        if widths and widths[0] > 1:
            score = (widths.count(widths[0]) / len(widths), widths[0])
            if score > best_score:
                best, best_score = separator, score
    return best


def _rows(sample: str, separator: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # a cell beyond the reader's limit ends the sample
        for row in islice(reader, _SAMPLE_ROWS):
            rows.append(row)  # noqa: PERF402 - the rows before an error are kept
    if len(sample) >= _SAMPLE_BYTES // 4 and 1 < len(rows) < _SAMPLE_ROWS:
        rows.pop()  # the sample may end inside it
    return rows


def _fault(data: bytes, width: int, separator: str, where: str) -> str:
    """Say what is wrong with a file that could not be parsed: slowly, row by row."""
    for line, row in _numbered_rows(data, separator, where):
        if len(row) != width and (row or width == 1):
            name = _SEPARATORS.get(separator, repr(separator))
            return (
                f"{where}, line {line}: {len(row)} cells where the header has {width} "
                f"(separator: {name}). Fix the row, or quote a cell that contains the separator"
            )
    return f"{where} cannot be read as CSV: a row is longer than {_BLOCK_BYTES >> 20} MB"


def _numbered_rows(data: bytes, separator: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the line where it starts; raise where a quoted cell has no end.

    Such a cell would swallow all rows up to the end of the file.
    """
    text = io.StringIO(decode(data, where), newline="")
    reader = csv.reader(text, delimiter=separator, strict=True)
    limit = csv.field_size_limit(sys.maxsize)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error:
        raise DataError(
            f"{where}, line {line}: a quoted cell is not closed, or goes on after its quote. "
            'Close it, or double a " inside a quoted cell'
        ) from None
    finally:
        csv.field_size_limit(limit)
