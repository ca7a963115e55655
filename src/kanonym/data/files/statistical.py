"""SPSS, Stata and SAS files: nominal codes as their labels, other codes as numbers.

These formats have numbers, dates, times to the second and texts, and no empty text beside null.
Cells with a user-missing code are null or kept (`user_missing`), which a warning counts by
column. SAS's own `.sas7bdat` and SPSS's `.por` are only read; `.xpt` is written. What describes
an input (labels of columns, of the values that occur, measures, missing ranges) is written with
a release of it; notes and file labels are not.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from kanonym.data.columns.values import moment_texts
from kanonym.data.errors import DataError
from kanonym.data.files import value_labels
from kanonym.data.files.text_cells import convert_decimals, require_printable
from kanonym.data.files.text_layout import few_names
from kanonym.data.loading import require_extra

WRITTEN = {"spss": ".sav", "stata": ".dta", "sas": ".xpt"}
"""The formats, and the extension under which each is written."""

STATA = 14
"""The version of Stata whose files are written: all editions since read them, and not those of 15,
which are for tables with more columns than most editions hold."""

_EXACT = 2**53
_LONG = 2**31 - 1  # above it less 27, Stata's integers are missing values
_SAS7 = b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc2\xea"
_MAGIC = ((b"$FL2", ".sav"), (b"$FL3", ".zsav"), (b"HEADER RECORD", ".xpt"), (_SAS7, ".sas7bdat"))
_PORTABLE = b"SPSSPORT"  # behind some 460 bytes of headings and of the alphabet
_UNTOLD = (".por", ".xpt")
"""Whose user-missing codes pyreadstat reads as null."""
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LabelledSource:
    """The file whose labels a table gets when it is written."""

    data: bytes
    coded: Collection[str]
    catalog: bytes | None = None


def read(data: bytes, where: str, kind: str, user_missing: str = "null") -> pl.DataFrame:
    """Read a table; whole numbers are integers, nominal codes labels, an empty text is null."""
    frame, counts = _read(data, where, kind, keep=user_missing == "keep", labelled=True)
    for name, (count, kept) in counts.items():
        fate = "kept: the column holds categories" if kept else "read as null"
        _logger.warning(
            "%s: column %r: cells with a user-missing code are %s (%d of %d)",
            *(where, name, fate, count, len(frame)),
        )
    labelled = [one.name for one in frame if isinstance(one.dtype, pl.Categorical)]
    if labelled:
        _logger.warning(
            "%s: nominal codes are read as their labels: %s", where, few_names(labelled)
        )
    return frame


def read_cells(data: bytes, where: str, kind: str, user_missing: str = "null") -> pl.DataFrame:
    """Read a table as `read`, but each cell by what the file says of its column.

    Codes of what SPSS calls nominal are their labels, others stay codes. User-missing codes that
    are kept are not counted, and do not make categories of the other cells of their column.
    """
    keep = user_missing == "keep"
    frame, described = _described(data, where, kind, keep=keep)
    cells = (value_labels.cells_without_codes(column, described, keep=keep) for column in frame)
    return pl.DataFrame([value_labels.label_cells(cell, described) for cell in cells])


def read_written(data: bytes, where: str, kind: str) -> pl.DataFrame:
    """Read a table that `write` has written, in the types that it returned."""
    return _read(data, where, kind, keep=(extension_of(data) or WRITTEN[kind]) not in _UNTOLD)[0]


def _read(
    data: bytes, where: str, kind: str, *, keep: bool, labelled: bool = False
) -> tuple[pl.DataFrame, dict[str, tuple[int, bool]]]:
    """Return a table; by column how many cells have user-missing codes, and if they are kept.

    labelled: whether nominal codes are their labels.
    """
    frame, described = _described(data, where, kind, keep=keep)
    columns, counts = [], {}
    for one in frame:
        column, count, kept = value_labels.without_codes(one, described, keep=keep)
        column = _refine_column(column)
        columns.append(value_labels.label_values(column, described) if labelled else column)
        if count:
            counts[one.name] = count, kept
    return pl.DataFrame(columns), counts


def _described(data: bytes, where: str, kind: str, *, keep: bool) -> tuple[pl.DataFrame, Any]:
    """Return the table and what describes it; refuse to keep codes that nobody reports."""
    extension = extension_of(data) or WRITTEN[kind]
    if keep and extension in _UNTOLD:
        raise DataError(
            f"{where}: user-missing codes of a {extension} file cannot be kept, because no reader "
            f"reports them; save it as .sav or .dta"
        )
    return _load(data, where, kind)


def write(
    frame: pl.DataFrame, target: Path | BytesIO, kind: str, like: LabelledSource | None = None
) -> pl.DataFrame:
    """Write a table, and return it in the types that are read again.

    like: the file whose labels, measures and missing ranges columns of the same name get.
    """
    held = pl.DataFrame(
        [_column_for_format(column, kind) for column in require_printable(frame, kind)]
    )
    with require_extra("stat"):
        import pyreadstat  # noqa: PLC0415 - it may be absent
    writers: dict[str, Any] = {
        "spss": pyreadstat.write_sav,
        "stata": partial(pyreadstat.write_dta, version=STATA),
        "sas": pyreadstat.write_xport,
    }
    written = held
    described: dict[str, Any] = {}
    if like is not None:
        held, written, described = _describe_release(held, like, kind)
    if kind == "stata":
        written = pl.DataFrame([_long_of_stata(column) for column in written])
    if kind == "spss":
        described["variable_format"] = _formats_of_integers(written)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"table{WRITTEN[kind]}"
        try:
            writers[kind](written, str(file), **described)
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


def _load(data: bytes, where: str, kind: str, **further: Any) -> tuple[pl.DataFrame, Any]:
    """Return the table and what describes it, as pyreadstat has them."""
    with require_extra("stat"):
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
    if extension not in _UNTOLD:
        further["user_missing"] = True
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"table{extension}"
        file.write_bytes(data)
        try:
            found: tuple[pl.DataFrame, Any] = readers[extension](
                str(file), output_format="polars", **further
            )
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError):
            raise DataError(f"{where} is not a file of {kind}, or is damaged") from None
    return found


def _refine_column(column: pl.Series) -> pl.Series:
    if column.dtype == pl.String:
        return column.set(column == "", None)
    if column.dtype.is_float() and column.null_count() < len(column):
        whole = (column.floor() == column).all() and (column.abs() < _EXACT).all()
        return column.cast(pl.Int64) if whole else column
    return column.cast(pl.String) if column.dtype == pl.Null else column


def _column_for_format(column: pl.Series, kind: str) -> pl.Series:
    """Return a column in a type that the format has."""
    dtype = column.dtype
    if dtype.is_decimal():
        column = convert_decimals(column)
    elif dtype == pl.Boolean:
        return column.cast(pl.Int64)
    elif dtype.is_integer():
        large = (column.cast(pl.Float64).abs() >= _EXACT).any()
        return column.cast(pl.String if large else pl.Int64)
    elif dtype == pl.Time or getattr(dtype, "time_zone", None):
        return moment_texts(column, "iso")
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


def _describe_release(
    held: pl.DataFrame, like: LabelledSource, kind: str
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Any]]:
    """Return a release as it reads back and as it is written, and what describes it."""
    source = extension_of(like.data) or ".dta"
    own = {".sav": "spss", ".zsav": "spss", ".por": "spss", ".dta": "stata"}.get(source, "sas")
    # Stata's missing letters are told by the cells, and not in what describes the file.
    letters = kind == "stata" and source not in _UNTOLD
    described = _load(like.data, "the input", own, metadataonly=not letters)[1]
    labels_of = described.variable_value_labels or _from_catalog(like.catalog, described)
    titles, measures = described.column_names_to_labels, described.variable_measure
    columns, back, labels, measured, ranges, marks = [], [], {}, {}, {}, {}
    for one in held:
        column, again, name = one, one, one.name
        if name in like.coded and kind != "sas":
            texts = labels_of.get(name, {})
            again, column, ranges[name], marks[name] = _as_codes(one, texts, described, kind)
            codes = value_labels.label_keys(column)
            known = {
                int(code) if column.dtype == pl.Int64 else code: text
                for code, text in texts.items()
                if code in codes
            }
            labels[name] = known if column.dtype != pl.String or kind == "spss" else {}
        if column.dtype.is_numeric() and measures.get(name) in ("nominal", "ordinal", "scale"):
            measured[name] = measures[name]
        columns.append(column)
        back.append(again)
    found: dict[str, Any] = {
        "column_labels": {name: titles[name] for name in held.columns if titles.get(name)},
        "variable_value_labels": {name: known for name, known in labels.items() if known},
    }
    if kind == "spss":
        found |= {"variable_measure": measured, "missing_ranges": _drop_empty(ranges)}
    elif kind == "stata":
        found["missing_user_values"] = _drop_empty(marks)
    else:
        del found["variable_value_labels"]
    return pl.DataFrame(back), pl.DataFrame(columns), found


def _as_codes(
    column: pl.Series, labels: dict[Any, str], described: Any, kind: str
) -> tuple[pl.Series, pl.Series, list[dict[str, Any]], list[str]]:
    """Return a column as it reads back and as it is written, its missing ranges and letters."""
    codes = value_labels.codes_of(column, labels) if labels else None
    if codes is None:
        return column, *value_labels.declare_missing(column, described, kind)
    written, ranges, letters = value_labels.declare_missing(codes, described, kind)
    if ranges or letters:
        return codes, written, ranges, letters
    if value_labels.missing_codes(set(codes.drop_nulls()), described, column.name):
        return column, column, [], []
    numbers = value_labels.as_numbers(codes, labels)
    return numbers, numbers, [], []


def _long_of_stata(column: pl.Series) -> pl.Series:
    """Return whole numbers in the largest type of integers that Stata has, if they fit."""
    fits = column.dtype == pl.Int64 and column.is_between(-_LONG, _LONG - 27).all()
    return column.cast(pl.Int32) if fits else column


def _formats_of_integers(frame: pl.DataFrame) -> dict[str, str]:
    """Return the formats of whole numbers in SPSS, which would show decimals."""
    widths = {
        column.name: max(len(str(column.min())), len(str(column.max())))
        for column in frame
        if column.dtype.is_integer()
    }
    return {name: f"F{max(width, 8)}.0" for name, width in widths.items()}


def _drop_empty(parts: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {name: several for name, several in parts.items() if several}


def _from_catalog(catalog: bytes | None, described: Any) -> dict[str, dict[Any, str]]:
    """Return the labels of values that a catalog of SAS has for the formats of columns."""
    if catalog is None:
        return {}
    with require_extra("stat"):
        import pyreadstat  # noqa: PLC0415 - it may be absent
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "formats.sas7bcat"
        file.write_bytes(catalog)
        try:
            known = pyreadstat.read_sas7bcat(str(file), output_format="polars")[1].value_labels
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError):
            raise DataError("the catalog is not a .sas7bcat file, or damaged") from None
    formats = described.variable_to_label
    return {name: known[form] for name, form in formats.items() if form in known}
