"""SPSS, Stata and SAS files: codes as numbers; labels of columns and values beside them.

These formats have numbers, dates, times to the second and texts, and no empty text beside null.
Cells with a user-missing code of SPSS are null, which a warning counts by column. SAS's own
`.sas7bdat` and SPSS's `.por` are only read; `.xpt` is written. What describes an input (labels
of columns, of the values that occur, measures) is written with a release of it; notes and file
labels are not.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.extras import installed
from kanonym.data.files.cells import decimals, printable

WRITTEN = {"spss": ".sav", "stata": ".dta", "sas": ".xpt"}
"""The formats, and the extension under which each is written."""

_EXACT = 2**53
_SAS7 = b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc2\xea"
_MAGIC = ((b"$FL2", ".sav"), (b"$FL3", ".zsav"), (b"HEADER RECORD", ".xpt"), (_SAS7, ".sas7bdat"))
_PORTABLE = b"SPSSPORT"  # behind some 460 bytes of headings and of the alphabet
_logger = logging.getLogger(__name__)


def read(data: bytes, where: str, kind: str) -> pl.DataFrame:
    """Read a table; whole numbers are integers, an empty text is null.

    Raises
    ------
    DataError
        pyreadstat is not installed, or the file is damaged.

    """
    frame, described = _loaded(data, where, kind)
    for name, ranges in (described.missing_ranges or {}).items():
        frame = _without_missing(frame, name, ranges, where)
    return pl.DataFrame([_refined(column) for column in frame])


def write(
    frame: pl.DataFrame, target: Path | BytesIO, kind: str, like: bytes | None = None
) -> pl.DataFrame:
    """Write a table, and return it in the types that were written.

    like: a file of these formats, whose labels and measures columns of the same name get.

    Raises
    ------
    DataError
        pyreadstat is not installed; or a name, or a column, is none that the format holds.

    """
    held = pl.DataFrame([_held(column, kind) for column in printable(frame, kind)])
    with installed("stat"):
        import pyreadstat  # noqa: PLC0415 - it may be absent
    writers: dict[str, Any] = {
        "spss": pyreadstat.write_sav,
        "stata": pyreadstat.write_dta,
        "sas": pyreadstat.write_xport,
    }
    described = {} if like is None else _descriptions(held, like, kind)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"table{WRITTEN[kind]}"
        try:
            writers[kind](held, str(file), **described)
        except pyreadstat.ReadstatError as error:
            raise DataError(f"cannot be written as {kind}: {error}; rename the column") from None
        except pyreadstat.PyreadstatError as error:
            raise DataError(f"cannot be written as {kind}: {error}") from None
        data = file.read_bytes()
    if isinstance(target, Path):
        target.write_bytes(data)
    else:
        target.write(data)
    return held


def extension_of(data: bytes) -> str | None:
    """Return the extension that the first bytes of a file tell, None where they tell none."""
    if _PORTABLE in data[:600]:
        return ".por"
    return next((one for magic, one in _MAGIC if data.startswith(magic)), None)


def _loaded(data: bytes, where: str, kind: str, **further: Any) -> tuple[pl.DataFrame, Any]:
    """Return the table and what describes it, as pyreadstat has them."""
    with installed("stat"):
        import pyreadstat  # noqa: PLC0415 - it may be absent
    extension = extension_of(data) or WRITTEN[kind]
    readers: dict[str, Any] = {
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".por": pyreadstat.read_por,
        ".dta": pyreadstat.read_dta,
        ".xpt": pyreadstat.read_xport,
        ".sas7bdat": pyreadstat.read_sas7bdat,
    }
    if extension in (".sav", ".zsav"):
        further["user_missing"] = True
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"table{extension}"
        file.write_bytes(data)
        try:
            found: tuple[pl.DataFrame, Any] = readers[extension](
                str(file), output_format="polars", **further
            )
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError):
            raise DataError(f"{where} is not a file of {kind}, or damaged") from None
    return found


def _without_missing(
    frame: pl.DataFrame, name: str, ranges: list[Mapping[str, Any]], where: str
) -> pl.DataFrame:
    """Return a table with null for the user-missing codes of a column, and warn of them."""
    column = frame[name]
    missing = pl.zeros(len(frame), pl.Boolean, eager=True)
    for one in ranges:
        missing |= column.is_between(one["lo"], one["hi"]).fill_null(value=False)
    if not missing.any():
        return frame
    _logger.warning(
        "%s: column %r: %d cells with a user-missing code are read as null",
        where,
        name,
        missing.sum(),
    )
    return frame.with_columns(column.set(missing, None))


def _refined(column: pl.Series) -> pl.Series:
    if column.dtype == pl.String:
        return column.set(column == "", None)
    if column.dtype.is_float() and column.null_count() < len(column):
        whole = (column.floor() == column).all() and (column.abs() < _EXACT).all()
        return column.cast(pl.Int64) if whole else column
    return column.cast(pl.String) if column.dtype == pl.Null else column


def _held(column: pl.Series, kind: str) -> pl.Series:
    """Return a column in a type that the format has."""
    dtype = column.dtype
    if dtype.is_decimal():
        column = decimals(column)
    elif dtype == pl.Boolean:
        return column.cast(pl.Int64)
    elif dtype.is_integer():
        large = (column.cast(pl.Float64).abs() >= _EXACT).any()
        return column.cast(pl.String if large else pl.Int64)
    elif dtype == pl.Time or getattr(dtype, "time_zone", None):
        return column.dt.to_string("iso")
    elif isinstance(dtype, pl.Categorical | pl.Enum | pl.Null):
        column = column.cast(pl.String)
    if column.dtype == pl.String and (column == "").any():
        raise DataError(
            f"column {column.name!r}: {kind} cannot tell an empty text from null; replace one of "
            "them, or write CSV or Parquet"
        )
    if column.dtype.is_float() and column.is_infinite().any():
        raise DataError(f"column {column.name!r} holds an infinite number, which {kind} cannot")
    return column


def _descriptions(held: pl.DataFrame, like: bytes, kind: str) -> dict[str, Any]:
    """Return the labels and measures of an input for the columns of a release of it.

    A column has labels of values only while it holds codes, and only those that occur.
    """
    source = extension_of(like) or ".dta"
    own = {".sav": "spss", ".zsav": "spss", ".por": "spss", ".dta": "stata"}.get(source, "sas")
    described = _loaded(like, "the input", own, metadataonly=True)[1]
    titles = described.column_names_to_labels
    found: dict[str, Any] = {
        "column_labels": {name: titles[name] for name in held.columns if titles.get(name)}
    }
    codes = {name for name, dtype in held.schema.items() if dtype.is_numeric()}
    if kind != "sas":
        found["variable_value_labels"] = {
            name: {code: label for code, label in labels.items() if code in set(held[name])}
            for name, labels in described.variable_value_labels.items()
            if name in codes
        }
    if kind == "spss":
        measures = described.variable_measure
        found["variable_measure"] = {
            name: measures[name]
            for name in codes
            if measures.get(name) in ("nominal", "ordinal", "scale")
        }
    return found
