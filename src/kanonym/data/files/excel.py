"""Excel workbooks: one sheet, names in the first row of its table.

Excel holds floating-point numbers, dates from March 1900 on, times to the millisecond, booleans and
texts. So, when writing, a column of dates or times beyond these, of times with a zone, of times of
day, durations, integers from 2^53 on or decimals that floats would round becomes texts. Texts are
never taken for formulas, links or numbers. When reading, a column of whole numbers is integers.
"""

from __future__ import annotations

import datetime as dt
import io
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from polars import selectors

from kanonym.data.columns.values import moment_texts
from kanonym.data.errors import DataError
from kanonym.data.files import text_layout
from kanonym.data.files.sheets import (
    HEAD,
    LONGEST,
    header_of,
    long_text_error,
    refuse_long_texts,
    refuse_notes,
    sheet_cells,
)
from kanonym.data.files.text_cells import (
    CellTexts,
    convert_decimals,
    keep_differing,
    require_printable,
)
from kanonym.data.readings import DateReading, detect
from kanonym.kernels.arrays import Ints

if TYPE_CHECKING:
    import fastexcel


_logger = logging.getLogger(__name__)

_ROWS = 1_048_576
_COLUMNS = 16_384
_TEXT = 32_767  # units of UTF-16
_EXACT = 2**53
_COVER_COLUMNS = 2  # a cover sheet has no more
_MIDNIGHT = r"^([0-9]{4}-[0-9]{2}-[0-9]{2}) 00:00:00$"
_NO_DATES = [dt.date(1899, 12, 30), dt.date(1899, 12, 31), dt.date(1904, 1, 1)]
"""The dates of times of day, which have none."""
_FIRST_DAY = dt.date(1900, 3, 1)  # before it, Excel counts a day that never was
_DATE = "yyyy-mm-dd"
_TIME = "yyyy-mm-dd hh:mm:ss.000"
_BOOLEANS = ("true", "false")
_TIME_OF_DAY = "^1899-12-3[01] "
"""What stands before a time of day: day 0 of Excel."""


def read(
    data: bytes,
    where: str,
    sheet: str | int | None = None,
    header_row: int | None = None,
    columns: Sequence[str] | None = None,
    texts: dict[str, pl.Series] | None = None,
    rows: Ints | None = None,
) -> pl.DataFrame:
    """Read a sheet of a workbook; rows: as of `delimited.read`."""
    workbook = _open_workbook(data, where)
    name = _sheet_name(workbook.sheet_names, sheet, where)
    names, frame, header = _cells(workbook, name, where, header_row, columns, rows)
    if rows is None and sheet is None and len(workbook.sheet_names) > 1:
        _refuse_cover(workbook, frame, where)
        others = ", ".join(map(repr, workbook.sheet_names[1:]))
        _logger.warning("%s: the sheet %r is read; others: %s (--sheet NAME)", where, name, others)
    while len(names) > 1 and not names[-1] and frame.to_series(-1).is_null().all():
        frame = frame[:, :-1]
        names.pop()
    text_layout.check_names(names, where)
    frame.columns = names
    refuse_notes(frame, header, where)
    frame = pl.DataFrame([_refine_column(one) for one in frame])
    if columns is None:
        text_layout.refuse_missing_header(frame, where)
    if texts is not None:
        cells = sheet_cells(data, name)
        if cells is not None:
            keep_differing(texts, cells.texts(frame, header))
        if isinstance(texts, CellTexts):
            other = ["formats and comments of cells, since the workbook is no .xlsx"]
            texts.unread += other if cells is None else cells.unread
    return frame


def read_cells(
    data: bytes,
    where: str,
    sheet: str | int | None = None,
    header_row: int | None = None,
    columns: Sequence[str] | None = None,
) -> pl.DataFrame:
    """Read a sheet with the value of each cell, whatever stands in others; the rest as of `read`.

    Numbers and booleans are such, dates, times and all others their texts: a time of day has no
    date. No row is taken for totals or a note by what stands in it.
    """
    workbook = _open_workbook(data, where)
    name = _sheet_name(workbook.sheet_names, sheet, where)
    names, header, _ = _header(workbook, name, where, header_row, columns)
    while len(names) > 1 and not names[-1]:
        names.pop()
    text_layout.check_names(names, where)
    texts, floats, truths = (
        _load(workbook, name, where, header_row=header, dtypes=kind)
        for kind in ("string", "float", "boolean")
    )
    cells = []
    for place, title in enumerate(names):
        # Numbers can be read as booleans; texts, dates and errors cannot.
        numeric = truths.to_series(place).is_not_null()
        values = [
            text if not is_number else text == "true" if text in _BOOLEANS else number
            for text, number, is_number in zip(
                texts.to_series(place).str.replace(_TIME_OF_DAY, ""),
                floats.to_series(place),
                numeric,
                strict=True,
            )
        ]
        cells.append(pl.Series(title, values, dtype=pl.Object))
    return pl.DataFrame(cells)


def sheet_names(data: bytes, where: str) -> tuple[str, ...]:
    """Return the names of a workbook's sheets, in order."""
    return tuple(_open_workbook(data, where).sheet_names)


def load(data: bytes, where: str) -> tuple[list[str], pl.DataFrame]:
    """Return the cells of the first row of the first sheet, and the table below, unchecked."""
    workbook = _open_workbook(data, where)
    import fastexcel  # noqa: PLC0415 - as above

    name = workbook.sheet_names[0]
    try:
        head = workbook.load_sheet(name, header_row=None, skip_rows=0, n_rows=1, dtypes="string")
        frame = workbook.load_sheet(name, header_row=0, schema_sample_rows=None).to_polars()
        names = [cell or "" for cell in head.to_polars().row(0)]
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError):
        raise DataError(f"{where} is not an Excel workbook, or is damaged") from None
    return names, pl.DataFrame([_refine_column(one) for one in frame])


def _open_workbook(data: bytes, where: str) -> fastexcel.ExcelReader:
    import fastexcel  # noqa: PLC0415 - only workbooks wait for it

    # It warns of every column of blank cells, which are as good as any.
    logging.getLogger("fastexcel").setLevel(logging.ERROR)
    refuse_long_texts(data, where)
    try:
        return fastexcel.read_excel(data)
    except fastexcel.FastExcelError:
        raise DataError(f"{where} is not an Excel workbook, or is damaged") from None


def _cells(
    workbook: fastexcel.ExcelReader,
    name: str,
    where: str,
    header_row: int | None,
    columns: Sequence[str] | None = None,
    rows: Ints | None = None,
) -> tuple[list[str], pl.DataFrame, int]:
    """Return the names of a sheet, the records below, and the place of its header, from 0."""
    names, header, first = _header(workbook, name, where, header_row, columns)
    frame = _load_typed(workbook, name, where, header)
    if rows is not None:
        return names, _with_own_types(workbook, name, where, header, frame, rows), first - 1
    records, why = text_layout.count_records(frame)
    if records < frame.height:
        text_layout.warn_of_rows(where, frame.height, records, why)
        frame = _load_typed(workbook, name, where, header, records)  # may have other types
    return names, frame, first - 1


def _header(
    workbook: fastexcel.ExcelReader,
    name: str,
    where: str,
    header_row: int | None,
    columns: Sequence[str] | None,
) -> tuple[list[str], int | None, int]:
    """Return the names of a sheet, the row that holds them, if any, and the first record's."""
    asked = header_row or 1
    rows = _load(
        workbook, name, where, header_row=None, skip_rows=0, n_rows=asked + HEAD, dtypes="string"
    )
    if not rows.width:
        others = ", ".join(repr(one) for one in workbook.sheet_names if one != name)
        instead = f"; name another one (--sheet): {others}" if others else ""
        raise DataError(f"{where}: the sheet {name!r} is empty{instead}")
    header = asked - 1
    if header_row is None:
        header = header_of(rows.rows(), where, named=columns is not None)
    if header >= rows.height:
        raise DataError(f"{where}: the sheet {name!r} has no row {asked}")
    names = [(cell or "").strip() for cell in rows.row(header)]
    if columns is None or names == list(columns):
        return names, header, header + 1
    if len(columns) != len(names):
        raise DataError(
            f"{where} has {len(names)} columns, but {len(columns)} are named; name each"
        )
    return list(columns), None, header


def _load(workbook: fastexcel.ExcelReader, name: str, where: str, **options: Any) -> pl.DataFrame:
    from fastexcel import FastExcelError  # noqa: PLC0415 - only workbooks wait for it

    try:
        frame: pl.DataFrame = workbook.load_sheet(name, **options).to_polars()
    except (FastExcelError, pl.exceptions.PolarsError):
        raise DataError(f"{where} is not an Excel workbook, or is damaged") from None
    header = options["header_row"]
    first = 1 if header is None else header + 2
    for place, column in enumerate(frame.get_columns(), 1):
        if column.dtype != pl.String:
            continue
        long = (column.str.len_bytes() > LONGEST).arg_true()
        if len(long):
            raise long_text_error(
                f"{where}: the sheet {name!r}, row {first + long[0]}, column {place}"
            )
    return frame


def _refuse_cover(workbook: fastexcel.ExcelReader, table: pl.DataFrame, where: str) -> None:
    """Refuse a narrow or empty first sheet before one of more columns and records."""
    if table.height and table.width > _COVER_COLUMNS:
        return
    first, *others = workbook.sheet_names
    for other in others:
        sheet = workbook.load_sheet(other, header_row=0, dtypes="string")
        if sheet.width > table.width and sheet.height > table.height:
            raise DataError(
                f"{where}: the first sheet, {first!r}, has {table.height} rows of {table.width} "
                f"columns, and {other!r} has more of both. Name the one to read: "
                f"--sheet {other!r} (sheet={other!r} in Python)"
            )


def _load_typed(
    workbook: fastexcel.ExcelReader,
    name: str,
    where: str,
    header: int | None,
    records: int | None = None,
) -> pl.DataFrame:
    """Return the records of a sheet; texts where words stand among numbers or dates."""
    options: dict[str, Any] = {"header_row": header, "n_rows": records}
    frame = _load(workbook, name, where, **options, schema_sample_rows=None)
    doubtful = [
        place
        for place, one in enumerate(frame)
        if one.dtype not in (pl.String, pl.Null) and 0 < one.null_count() < len(one)
    ]
    if not doubtful:
        return frame
    dtypes = dict.fromkeys(doubtful, "string")
    texts = _load(workbook, name, where, **options, use_columns=doubtful, dtypes=dtypes)
    columns = frame.get_columns()
    for place, column in zip(doubtful, texts, strict=True):
        if column.null_count() < columns[place].null_count():
            columns[place] = column
    return pl.DataFrame(columns)


def _with_own_types(
    workbook: fastexcel.ExcelReader,
    name: str,
    where: str,
    header: int | None,
    frame: pl.DataFrame,
    rows: Ints,
) -> pl.DataFrame:
    """Return some records; columns that others make texts or floats have the type of these."""
    columns = frame[rows].get_columns()
    mixed = (pl.String, pl.Float64)
    places = [place for place, one in enumerate(columns) if one.dtype in mixed]
    if not places:
        return pl.DataFrame(columns)
    loaded = (
        _load(workbook, name, where, header_row=header, use_columns=places, dtypes=kind)[rows]
        for kind in ("string", "boolean", "float", "datetime")
    )
    for place, text, truth, number, time in zip(places, *loaded, strict=True):
        # Numbers can be read as booleans and times; texts cannot.
        numeric, boolean = truth.is_not_null(), text.is_in(_BOOLEANS)
        for own, held in (
            (truth, numeric & boolean),
            (number, numeric & ~boolean),
            (time, time.is_not_null() & ~numeric),
        ):
            if text.count() and (held | text.is_null()).all():
                columns[place] = own
    return pl.DataFrame(columns)


def _sheet_name(names: list[str], sheet: str | int | None, where: str) -> str:
    """Return the name of the sheet that is meant: a name before a number."""
    if sheet is None:
        return names[0]
    if sheet in names:
        return str(sheet)
    number = int(sheet) if str(sheet).isdecimal() else 0
    if 1 <= number <= len(names):
        return names[number - 1]
    raise DataError(
        f"{where} has no sheet {sheet!r}. It has: "
        + ", ".join(f"{place} {name!r}" for place, name in enumerate(names, 1))
    )


def write(frame: pl.DataFrame, target: Path | io.BytesIO) -> pl.DataFrame:
    """Write a workbook of one sheet, and return the table in the types that were written."""
    import xlsxwriter  # noqa: PLC0415 - every command would wait for it

    held = _expressible_frame(frame)
    text_layout.refuse_names_like_values(held, "Excel")
    buffer = io.BytesIO()
    workbook = xlsxwriter.Workbook(buffer, {"in_memory": True})
    sheet = workbook.add_worksheet()
    sheet.freeze_panes(1, 0)
    formats = {
        pl.Date: workbook.add_format({"num_format": _DATE}),
        pl.Datetime: workbook.add_format({"num_format": _TIME}),
    }
    head = workbook.add_format({"bold": True})
    for place, column in enumerate(held):
        sheet.write_string(0, place, column.name, head)
        form = formats.get(column.dtype.base_type())
        arguments = () if form is None else (form,)
        values = column.to_list()
        if form is not None:
            put = sheet.write_datetime
            sheet.set_column(place, place, 12 if column.dtype == pl.Date else 24)
        elif column.dtype == pl.String:
            put = sheet.write_string
        elif column.dtype == pl.Boolean:
            put = sheet.write_boolean
        else:
            put = sheet.write_number
            values = [None if value is None else _Exact(value) for value in values]
        for row, value in enumerate(values, 1):
            if value is not None:
                put(row, place, value, *arguments)
    workbook.close()
    if isinstance(target, Path):
        target.write_bytes(buffer.getvalue())
    else:
        target.write(buffer.getvalue())
    return held


class _Exact(float):
    """A number that is written with all of its digits: xlsxwriter's own format rounds to 16."""

    __slots__ = ()

    def __format__(self, _: str) -> str:
        return repr(float(self))


def _refine_column(column: pl.Series) -> pl.Series:
    """Return numbers without fraction as integers, times at midnight as dates, nulls as texts."""
    if column.dtype == pl.Null:
        return column.cast(pl.String)
    if not len(column) or column.null_count() == len(column):
        return column
    if column.dtype.is_float():
        whole = (column.floor() == column).all() and (column.abs() < 2.0**63).all()
        return column.cast(pl.Int64) if whole else column
    if column.dtype == pl.String:
        return _plain_dates(column)
    if isinstance(column.dtype, pl.Datetime):
        if column.cast(pl.Date).is_in(_NO_DATES).all():
            return column.dt.time()
        if (column.dt.truncate("1d") == column).all():
            return column.cast(pl.Date)
    return column


def _plain_dates(texts: pl.Series) -> pl.Series:
    """Return texts in which dates are ISO 8601, where most of the dates are cells of that type."""
    dates = texts.str.contains(_MIDNIGHT).fill_null(value=False)
    if not dates.any():
        return texts
    plain = texts.str.replace(_MIDNIGHT, "$1")
    others = texts.filter(~dates & texts.is_not_null())
    if not len(others) or 2 * dates.sum() < texts.count():
        return plain
    try:
        reading = detect(others)
    except DataError:  # two readings are possible
        return plain
    if reading is None or not isinstance(reading.style, DateReading) or reading.style.has_time:
        return plain
    read = reading.read(texts.set(dates, None)).dt.to_string("%Y-%m-%d")
    return read.zip_with(read.is_not_null(), plain).alias(texts.name)


def _expressible_frame(frame: pl.DataFrame) -> pl.DataFrame:
    if frame.height >= _ROWS or frame.width > _COLUMNS:
        raise DataError(
            f"{frame.height} rows of {frame.width} columns: Excel holds {_ROWS - 1} of {_COLUMNS}; "
            "write CSV or Parquet"
        )
    held = pl.DataFrame([_excel_column(column) for column in require_printable(frame, "Excel")])
    for name in held.columns:
        _check_length(pl.Series(name, [name]))
    for column in held.select(selectors.string()):
        empty = (column == "").arg_true()
        if len(empty):
            raise DataError(
                f"column {column.name!r}, row {empty[0] + 1}: Excel cannot tell an empty text from "
                "null; replace one of them, or write CSV or Parquet"
            )
        _check_length(column)
    if held.height and all(value is None for value in held.row(-1)):
        raise DataError(
            "the last row is all null: an Excel sheet would lose it; write CSV or Parquet"
        )
    text_layout.refuse_lost_rows(held, "Excel")
    return held


def _excel_column(column: pl.Series) -> pl.Series:
    """Return a column in a type that Excel has."""
    dtype = column.dtype
    if dtype.is_decimal():
        column = convert_decimals(column)
    elif dtype.is_integer() and (column.cast(pl.Float64).abs() >= _EXACT).any():
        return column.cast(pl.String)
    elif isinstance(dtype, pl.Datetime | pl.Date | pl.Time):
        return column if _is_date_of_excel(column) else moment_texts(column, "iso")
    elif isinstance(dtype, pl.Categorical | pl.Enum | pl.Null):
        return column.cast(pl.String)
    if column.dtype.is_float() and column.is_infinite().any():
        raise DataError(f"column {column.name!r} holds an infinite number, which Excel cannot")
    return column


def _is_date_of_excel(column: pl.Series) -> bool:
    """Tell whether Excel holds every date or time of a column exactly."""
    if isinstance(column.dtype, pl.Time) or getattr(column.dtype, "time_zone", None):
        return False
    days = column.cast(pl.Date)
    if (days < _FIRST_DAY).any() or (days > dt.date.max).any():
        return False
    return bool(column.dtype == pl.Date or (column.dt.truncate("1ms") == column).all())


def _check_length(texts: pl.Series) -> None:
    """Refuse texts longer than a cell; only those of many bytes are counted as Excel counts."""
    long = texts.filter(texts.str.len_bytes() > _TEXT)
    if any(len(text.encode("utf-16-le")) > 2 * _TEXT for text in long):
        raise DataError(
            f"column {texts.name!r} holds a text of over {_TEXT} characters, Excel's limit; "
            "write CSV or Parquet"
        )
