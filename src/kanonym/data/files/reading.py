"""Tables from files: any of the formats, told by extension or first bytes."""

from __future__ import annotations

import gzip
import logging
import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from kanonym.data.databases import database_kind, displayable_url, is_remote, path_of
from kanonym.data.errors import DataError
from kanonym.data.files import delimited, statistical
from kanonym.data.files import json_records as records
from kanonym.data.files.disk import read_bytes
from kanonym.data.files.formats import (
    BOM,
    TEXT,
    Content,
    format_of,
    read_feather,
    read_parquet,
    sniff_format,
    told_apart,
)
from kanonym.data.files.text_cells import keep_differing
from kanonym.data.files.value_labels import check_choice
from kanonym.data.frames import to_polars
from kanonym.data.loading import LazyModule
from kanonym.data.text_encoding import to_utf8
from kanonym.kernels.arrays import Ints

if TYPE_CHECKING:
    from kanonym.data.columns.rebuild import Frame, TableSource
    from kanonym.data.files import excel, remote
else:
    remote = LazyModule("kanonym.data.files.remote")
    excel = LazyModule("kanonym.data.files.excel")

_logger = logging.getLogger(__name__)

_GZIP = b"\x1f\x8b"


def table_of(frame: TableSource, **options: Any) -> Frame:
    """Return the table in the file of a path, or what is a table; options: of `read_table`.

    Every public function that takes a table calls this first.
    """
    if not isinstance(frame, str | os.PathLike):
        return frame
    path = frame if isinstance(frame, str) else Path(frame)
    kind = database_kind(str(path))
    if kind is not None:
        shown = displayable_url(str(path))
        call = f"scan_duckdb({shown!r}, name=" if kind == "duckdb" else f"scan_database({shown!r}, "
        raise DataError(
            f"{shown} is a database, which may have several tables. Name the one you mean: "
            f"ka.engines.{call}'TABLE') in the place of the path"
        )
    return read_table(path, **options)


def read_table(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the word for it, in the CLI too
    separator: str | None = None,
    texts: dict[str, pl.Series] | None = None,
    *,
    sheet: str | int | None = None,
    header_row: int | None = None,
    user_missing: str | None = None,
    encoding: str | None = None,
    columns: Sequence[str] | None = None,
    declared: Iterable[str] | None = None,
    decimals: dict[str, int] | None = None,
) -> pl.DataFrame:
    """Read a table from a file.

    Parameters
    ----------
    path
        The file, or `-` for standard input; or a URL: `https://`, `s3://`, `gs://`, `az://`,
        `abfs://`.
    format
        One of the values of `FORMATS`; None goes by the extension, and by the
        first bytes where there is none.
    separator
        The character between the cells of a CSV file; None detects comma, semicolon, tab or bar.
    texts
        Filled with the columns in which several cells are read as one value, as text, for other
        readers tell them apart: `1` and `1.0`, a text and a number, NaN and null, formats and
        comments of Excel. A `CellTexts` also names what else the file has.
    sheet
        Of an Excel file: the name of a sheet, or its number from 1; None reads the first one.
    header_row
        Of an Excel file: the row of the column names, from 1; None takes the first row that is
        not empty.
    user_missing
        Of a file of SPSS, Stata or SAS: `null` (also None) reads user-missing codes as null,
        `keep` as categories of their own. A column in which codes are kept holds texts; codes
        of a column with fractions or dates are null in any case. A warning counts both.
    encoding
        Of a text file that is not UTF-8, such as `windows-1252`. UTF-16 is recognized.
    columns
        The names of the columns of a CSV file or an Excel sheet that has no header. A first row
        of these names is one.
    declared
        Under differential privacy: the columns that a policy declares. Each cell is then read
        alone, as the text or value that stands in it; no column has a type that one record could
        change. Of JSON, whose records name their columns, these are read and no others.
    decimals
        A dictionary, filled with the decimals of the columns of a CSV file whose numbers all have
        as many, some with a 0 at the end: 2 of `1.50`. They are for labels (`pipeline`).

    Returns
    -------
    polars.DataFrame
        With at least one column; NaN is null.

    Raises
    ------
    DataError
        The file is missing (the nearest name is told), unreadable, empty, in another format, not
        UTF-8, has a row of another length, no header, or two columns of one name. The message names
        the file, and the line and column where there is one.

    Notes
    -----
    The whole file is held in memory while it is read.
    """
    return read_with_content(
        path,
        format,
        separator,
        texts,
        sheet=sheet,
        header_row=header_row,
        user_missing=user_missing,
        encoding=encoding,
        columns=columns,
        declared=declared,
        decimals=decimals,
    )[0]


def read_with_content(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - as read_table
    separator: str | None = None,
    texts: dict[str, pl.Series] | None = None,
    *,
    sheet: str | int | None = None,
    header_row: int | None = None,
    user_missing: str | None = None,
    encoding: str | None = None,
    columns: Sequence[str] | None = None,
    declared: Iterable[str] | None = None,
    decimals: dict[str, int] | None = None,
    rows: Ints | None = None,
) -> tuple[pl.DataFrame, Content]:
    """Read a table as `read_table`, and return the hash of the bytes that were read with it.

    rows: of the records of a text file or a sheet to read, as if there were no others.
    """
    where = "standard input" if str(path) == "-" else displayable_url(str(path))
    if is_remote(path):
        # Its name says the format and stands in manifests; the rest of a URL may be a password.
        url, path = str(path), Path(path_of(str(path))).name
        kind = format_of(path, format)
        data = remote.fetch(url)
    else:
        data = read_bytes(path)
        kind = format_of(path, format)
    content = Content.from_bytes(path, data)
    data = _unpacked(data, where)
    asked, kind = kind, kind or sniff_format(data)
    if kind in TEXT:
        data = to_utf8(data, where, encoding)
        kind = asked or sniff_format(data)
    elif encoding is not None:
        raise DataError(f"encoding is for text files; this is {kind}")
    _check_options(kind, separator, columns, user_missing, sheet=sheet, header_row=header_row)
    try:
        mark = separator or ("\t" if kind == "tsv" else None)
        if declared is not None:
            place = (sheet, header_row, columns)
            cells = _read_cells(data, where, kind, mark, place, user_missing, declared)
            return cells, content
        if kind == "excel":
            frame = excel.read(data, where, sheet, header_row, columns, texts, rows)
            return to_polars(frame), content
        if kind in ("csv", "tsv"):
            return to_polars(
                delimited.read(data, where, mark, texts, columns, decimals, rows)
            ), content
        if rows is not None:
            return to_polars(records.read(data, where, rows=rows)), content
        return to_polars(_read(data, where, kind, texts, user_missing)), content
    except DataError as error:
        raise with_place(error, where) from None


def read_again(
    path: str | Path,
    content: Content | None,
    rows: Ints,
    decimals: dict[str, int],
    format: str | None = None,  # noqa: A002 - as read_table
    **options: Any,
) -> pl.DataFrame | None:
    """Read some records of a file as if there were no others.

    content: of the file as it was read. None where the file has types of its own, was changed, or
    can be read once only.
    """
    if content is None or str(path) == "-" or is_remote(path):
        return None
    kind = format_of(path, format) or sniff_format(_unpacked(read_bytes(path), str(path)))
    if kind not in TEXT and kind != "excel":
        return None
    frame, again = read_with_content(path, format, rows=rows, decimals=decimals, **options)
    return frame if again == content else None


def sheet_names(path: str | Path) -> tuple[str, ...]:
    """Return the names of the sheets of an Excel workbook, in order; of other files none."""
    if is_remote(path) or format_of(path, None) != "excel":
        return ()
    return excel.sheet_names(read_bytes(path), displayable_url(str(path)))


def _read(
    data: bytes, where: str, kind: str, texts: dict[str, pl.Series] | None, user_missing: str | None
) -> pl.DataFrame:
    if kind in ("json", "jsonl"):
        return records.read(data, where, texts)
    if kind in statistical.WRITTEN:
        frame = statistical.read(data, where, kind, user_missing or "null")
        if texts is not None and user_missing != "keep":
            _tell_user_missing(data, where, kind, frame, texts)
        return frame
    read = read_parquet if kind == "parquet" else read_feather
    frame = read(data, where)
    if texts is not None:
        told_apart(frame, data, texts)
    return frame


def _tell_user_missing(
    data: bytes, where: str, kind: str, frame: pl.DataFrame, texts: dict[str, pl.Series]
) -> None:
    """Keep columns with user-missing codes, which are values to some readers and null to others."""
    try:
        kept = statistical.read(data, where, kind, "keep")
    except DataError:
        _logger.warning("%s: user-missing codes cannot be told from null in this format", where)
        return
    keep_differing(texts, ((kept[column.name].cast(pl.String), column) for column in frame))


def _read_cells(
    data: bytes,
    where: str,
    kind: str,
    separator: str | None,
    place: tuple[str | int | None, int | None, Sequence[str] | None],
    user_missing: str | None,
    declared: Iterable[str],
) -> pl.DataFrame:
    """Read each cell alone; place: the sheet, the row of its header, and names in its place."""
    if kind == "excel":
        return excel.read_cells(data, where, *place)
    if kind in ("csv", "tsv"):
        return delimited.read_cells(data, where, separator, place[2])
    if kind in ("json", "jsonl"):
        return records.read_cells(data, where, declared)
    if kind in statistical.WRITTEN:
        return statistical.read_cells(data, where, kind, user_missing or "null")
    return _read(data, where, kind, None, user_missing)  # columns that the file gives a type


def _unpacked(data: bytes, where: str) -> bytes:
    """Return the bytes of a file that is not empty, unpacked if it is gzipped."""
    if data.startswith(_GZIP):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            raise DataError(f"{where} is a damaged gzip file") from None
    if not data.removeprefix(BOM).strip():
        raise DataError(f"{where} is empty")
    return data


def _check_options(
    kind: str,
    separator: str | None,
    columns: Sequence[str] | None,
    user_missing: str | None,
    *,
    sheet: str | int | None,
    header_row: int | None,
) -> None:
    """Refuse options that the format does not have, and values that they do not take."""
    if separator is not None:
        _check_separator(separator, kind)
    if columns is not None and kind not in ("csv", "tsv", "excel"):
        raise DataError(f"columns are for CSV and Excel files without a header; this is {kind}")
    if user_missing is not None:
        _check_user_missing(user_missing, kind)
    if kind != "excel":
        _refuse_of_excel(kind, sheet=sheet, header_row=header_row)
    elif header_row is not None and header_row < 1:
        raise DataError(f"header_row is {header_row}; rows are counted from 1")


def _check_user_missing(choice: str, kind: str) -> None:
    check_choice(choice)
    if kind not in statistical.WRITTEN:
        raise DataError(f"user_missing is for files of SPSS, Stata and SAS; this is {kind}")


def _check_separator(separator: str, kind: str) -> None:
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
        raise DataError(f"separator {separator!r} is not one ASCII character other than a quote")
    if kind not in ("csv", "tsv"):
        raise DataError(f"separator {separator!r} is for CSV files; this is {kind}")


def _refuse_of_excel(kind: str, **given: str | int | None) -> None:
    for name, value in given.items():
        if value is not None:
            raise DataError(f"{name} is for Excel files; this is {kind}")


def with_place(error: DataError, where: str) -> DataError:
    """Name the file in errors of the layers that know columns only."""
    return error if str(error).startswith(where) else DataError(f"{where}: {error}")
