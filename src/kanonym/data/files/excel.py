"""Excel workbooks: the first sheet, names in its first row.

Excel holds floating-point numbers, dates, times to the millisecond, booleans and
texts. So, when writing, integers from 2^53 on, times with a zone, times of day and
durations become texts, and an empty text becomes null. Texts are never taken for
formulas, links or numbers. When reading, a column of whole numbers is integers.
"""

from __future__ import annotations

import io
import logging
from pathlib import Path

import fastexcel
import polars as pl
import xlsxwriter
from polars import selectors

from kanonym.data.errors import DataError
from kanonym.data.files.cells import printable
from kanonym.data.files.header import check_names, refuse_missing_header

_ROWS = 1_048_576
_COLUMNS = 16_384
_TEXT = 32_767
_EXACT = 2**53


def read(data: bytes, where: str) -> pl.DataFrame:
    """Read the first sheet of a workbook.

    Raises
    ------
    DataError
        No workbook, an empty sheet, a column without a name or with the name of
        another, or a first row that is no header.

    """
    # It warns of every column of blank cells, which are as good as any.
    logging.getLogger("fastexcel").setLevel(logging.ERROR)
    try:
        workbook = fastexcel.read_excel(data)
        header = workbook.load_sheet(0, header_row=None, n_rows=1, dtypes="string").to_polars()
        if not header.width:
            raise DataError(f"{where}: the first sheet is empty")
        frame = pl.read_excel(
            io.BytesIO(data),
            infer_schema_length=None,
            drop_empty_rows=False,
            drop_empty_cols=False,
            raise_if_empty=False,
        )
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError):
        raise DataError(f"{where} is not a workbook of Excel, or damaged") from None
    names = [name or "" for name in header.row(0)]
    check_names(names, where)
    frame.columns = names
    refuse_missing_header(frame, where)
    return frame


def write(frame: pl.DataFrame, target: Path | io.BytesIO) -> None:
    """Write a workbook of one sheet.

    Raises
    ------
    DataError
        More rows, columns or characters in a cell than Excel holds; infinite
        numbers; lists, structs, bytes or objects; or a last row of nulls only,
        which a sheet cannot tell from no row.

    """
    sheet = _expressible(frame)
    buffer = io.BytesIO()
    workbook = xlsxwriter.Workbook(
        buffer,
        {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        },
    )
    sheet.write_excel(workbook)
    workbook.close()
    if isinstance(target, Path):
        target.write_bytes(buffer.getvalue())
    else:
        target.write(buffer.getvalue())


def _expressible(frame: pl.DataFrame) -> pl.DataFrame:
    if frame.height >= _ROWS or frame.width > _COLUMNS:
        raise DataError(
            f"{frame.height} rows of {frame.width} columns: Excel holds {_ROWS - 1} of {_COLUMNS}; "
            "write CSV or Parquet"
        )
    frame = printable(frame, "Excel").with_columns(
        selectors.datetime(time_zone="*").dt.to_string("iso"),
        selectors.time().dt.to_string("iso"),
        selectors.float().fill_nan(None),
    )
    large = []
    for column in frame:
        if column.dtype.is_float() and column.is_infinite().any():
            raise DataError(f"column {column.name!r} holds an infinite number, which Excel cannot")
        if column.dtype == pl.String and (column.str.len_chars() > _TEXT).any():
            raise DataError(
                f"column {column.name!r} holds a text of over {_TEXT} characters, Excel's limit"
            )
        if column.dtype.is_integer() and (column.cast(pl.Float64).abs() >= _EXACT).any():
            large.append(column.name)
    if frame.height and all(value is None or value == "" for value in frame.row(-1)):
        raise DataError(
            "the last row is all null: a sheet of Excel would lose it; write CSV or Parquet"
        )
    return frame.with_columns(pl.col(large).cast(pl.String))
