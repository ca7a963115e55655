"""Files in and out: CSV, JSON, Parquet, Arrow and Excel; written whole or not at all.

Formats go by the file's extension (`FORMATS`), a further `.gz` packs the text
formats. `-` is standard input or output; there, and for a pipe without extension,
the format of the input is told from its first bytes.

What a CSV cell means is written in `delimited` and `cells`; each other format has
types of its own, and only NaN is made null.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.files import columnar, delimited, excel, records
from kanonym.data.files.cells import differing_texts, typed_texts
from kanonym.data.files.disk import (
    atomic_write,
    check_output,
    read_bytes,
    refuse_url,
    sha256,
    write_bytes,
    write_text,
)
from kanonym.data.frames import column_names, to_polars

__all__ = [
    "FORMATS",
    "atomic_write",
    "check_output",
    "check_table_output",
    "differing_texts",
    "read_table",
    "refuse_url",
    "sha256",
    "typed_texts",
    "write_bytes",
    "write_table",
    "write_text",
]

FORMATS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".xlsx": "excel",
    ".xls": "excel",
}

_TEXT = ("csv", "tsv", "jsonl", "json")
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"

Write: TypeAlias = Callable[[pl.DataFrame, Path | io.BytesIO], None]
_WRITERS: dict[str, Write] = {
    "csv": lambda frame, target: delimited.write(frame, target, ","),
    "tsv": lambda frame, target: delimited.write(frame, target, "\t"),
    "jsonl": records.write_lines,
    "json": records.write_array,
    "parquet": columnar.write_parquet,
    "feather": columnar.write_feather,
    "excel": excel.write,
}


def read_table(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the word for it, in the CLI too
    separator: str | None = None,
    texts: dict[str, pl.Series] | None = None,
) -> pl.DataFrame:
    """Read a table from a file.

    Parameters
    ----------
    path
        The file, or `-` for standard input.
    format
        One of the values of `FORMATS`; None goes by the extension, and by the
        first bytes where there is none.
    separator
        The character between the cells of a CSV file; None detects comma,
        semicolon, tab or bar.
    texts
        Filled with the columns of a text file in which several texts read as one value
        (`1` and `1.0`), as text: who reads the file as text tells them apart.

    Returns
    -------
    polars.DataFrame
        With at least one column; NaN is null.

    Raises
    ------
    DataError
        The file is missing (the nearest name is told), unreadable, empty, in
        another format, not UTF-8, has a row of another length, no header, or two
        columns of one name. The message names the file, and the line and column
        where there is one.

    Notes
    -----
    The whole file is held in memory while it is read.

    """
    where = "standard input" if str(path) == "-" else str(path)
    data = read_bytes(path)
    kind = _format(path, format)
    if data.startswith(_GZIP):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            raise DataError(f"{where} is a damaged gzip file") from None
    if not data.removeprefix(_BOM).strip():
        raise DataError(f"{where} is empty")
    kind = kind or _sniffed(data)
    if separator is not None:
        _check_separator(separator, kind)
    try:
        return to_polars(_read(data, where, kind, separator, texts))
    except DataError as error:
        raise _with_place(error, where) from None


def write_table(
    frame: pl.DataFrame,
    path: str | Path,
    format: str | None = None,  # noqa: A002 - as read_table
) -> None:
    """Write a table to a file, whole or not at all.

    Parameters
    ----------
    frame
        The table.
    path
        The file, replaced if it exists, or `-` for standard output (CSV unless
        `format` says otherwise).
    format
        One of the values of `FORMATS`; None goes by the extension.

    Raises
    ------
    DataError
        The table has no columns; the format is unknown, or cannot hold a column
        (lists in CSV, infinite numbers in JSON); the folder does not exist; the
        disk is full or the file may not be written. Nothing is left behind then,
        and a file that was there before is unchanged.

    """
    column_names(frame)  # no format can hold a table without columns
    kind = check_table_output(path, format)
    write = _WRITERS[kind]
    packed = str(path).lower().endswith(".gz")
    try:
        if str(path) == "-" or packed:
            buffer = io.BytesIO()
            write(frame, buffer)
            data = buffer.getvalue()
            write_bytes(path, gzip.compress(data, mtime=0) if packed else data)
        else:
            with atomic_write(path) as temporary:
                write(frame, temporary)
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{path} cannot be written as {kind}: {reason}") from None
    except DataError as error:
        raise _with_place(error, "standard output" if str(path) == "-" else str(path)) from None


def check_table_output(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - as read_table
) -> str:
    """Refuse an output that `write_table` could never write, before any work is done.

    Parameters
    ----------
    path, format
        As `write_table`.

    Returns
    -------
    str
        The format that will be written.

    Raises
    ------
    DataError
        The format is unknown or only read, or as `check_output`.

    """
    refuse_url(path)
    kind = _format(path, format)
    if kind is None and str(path) != "-":
        raise DataError(
            f"{path} has no extension; name the format or use one of {', '.join(FORMATS)}"
        )
    if str(path).lower().endswith(".xls"):
        raise DataError(f"{path}: the old Excel format is only read; write .xlsx")
    check_output(path)
    return kind or "csv"


def _read(
    data: bytes,
    where: str,
    kind: str,
    separator: str | None,
    texts: dict[str, pl.Series] | None,
) -> pl.DataFrame:
    if kind in ("csv", "tsv"):
        return delimited.read(data, where, separator or ("\t" if kind == "tsv" else None), texts)
    if kind in ("json", "jsonl"):
        return records.read(data, where, texts)
    if kind == "excel":
        return excel.read(data, where)
    read = columnar.read_parquet if kind == "parquet" else columnar.read_feather
    return read(data, where)


def _check_separator(separator: str, kind: str) -> None:
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
        raise DataError(f"separator {separator!r} is not one ASCII character other than a quote")
    if kind not in ("csv", "tsv"):
        raise DataError(f"separator {separator!r} is for CSV files; this is {kind}")


def _format(path: str | Path, given: str | None) -> str | None:
    """Return the format asked for, or that of the extension; None where there is none."""
    known = sorted(set(FORMATS.values()))
    if given is not None:
        if given not in known:
            raise DataError(f"format {given!r} is unknown; it is one of {', '.join(known)}")
        return given
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    packed = suffixes[-1:] == [".gz"]
    if packed:
        suffixes.pop()
    if not suffixes:
        return None
    kind = FORMATS.get(suffixes[-1])
    if kind is None or (packed and kind not in _TEXT):
        raise DataError(
            f"{path}: unknown extension; name the format ({', '.join(known)}) "
            f"or use one of {', '.join(FORMATS)}"
        )
    return kind


def _sniffed(data: bytes) -> str:
    for magic, kind in (
        (b"PAR1", "parquet"),
        (b"ARROW1", "feather"),
        (b"\xff\xff\xff\xff", "feather"),
        (b"PK\x03\x04", "excel"),
        (b"\xd0\xcf\x11\xe0", "excel"),
    ):
        if data.startswith(magic):
            return kind
    first = data.removeprefix(_BOM)[:4096].lstrip()[:1]
    return {b"[": "json", b"{": "jsonl"}.get(first, "csv")


def _with_place(error: DataError, where: str) -> DataError:
    """Name the file in errors of the layers that know columns only."""
    return error if str(error).startswith(where) else DataError(f"{where}: {error}")
