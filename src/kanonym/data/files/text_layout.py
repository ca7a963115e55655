"""Where the table of a text file begins and ends: header and last rows."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import polars as pl

from kanonym.data.errors import DataError

_NUMBER = r"^\s*[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?\s*$"
_DATE = r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}"
_WAY_OUT = (
    "Put a row of column names on top (no numbers or dates), or name the columns: "
    "--columns a,b,c (in Python columns=)"
)
_HEAD = 1000  # rows in which the cells of the header are looked for


def check_names(names: list[str], where: str) -> None:
    """Refuse a column without a name, and two of one name."""
    for position, name in enumerate(names, 1):
        if not name.strip():
            raise unnamed_column(position, where)
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError(
                f"{where}: column name {name!r} occurs {count} times in the header; "
                "names must differ"
            )


def unnamed_column(position: int, where: str) -> DataError:
    """Return the error about a column without a name; position: from 1."""
    return DataError(
        f"{where}: column {position} has no name in the header; name it, or leave it "
        "out (a row index of pandas: to_csv(index=False))"
    )


def refuse_missing_header(table: pl.DataFrame, where: str) -> None:
    """Refuse a first row that is evidently a record.

    Evident is a number above a column of numbers, a date above dates, or a row of
    which half the cells, at least two, occur again as texts below themselves.
    """
    position = _named_like_values(table)
    if position is not None:
        raise DataError(
            f"{where} has no header: its first row holds a value in column {position + 1}, "
            f"not a name. {_WAY_OUT}"
        )
    again = _count_recurring_names(table)
    if again:
        raise DataError(
            f"{where} has no header: {again} cells of its first row occur again below it. "
            f"{_WAY_OUT}"
        )


def refuse_names_like_values(table: pl.DataFrame, form: str) -> None:
    """Refuse to write names that `refuse_missing_header` would take for a record."""
    for name in table.columns:
        if name != name.strip():
            raise DataError(
                f"column {name!r} has blanks around its name, which readers of {form} leave out; "
                "rename it, or write Parquet"
            )
    table = table.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    position = _named_like_values(table)
    if position is not None:
        raise DataError(
            f"column {table.columns[position]!r} is named like a value, so a reader of {form} "
            "takes the header for a record; rename the column, or write Parquet"
        )
    if _count_recurring_names(table):
        raise DataError(
            f"columns are named like their own values, so a reader of {form} takes the header "
            "for a record; rename them, or write Parquet"
        )


def _named_like_values(table: pl.DataFrame) -> int | None:
    """Return the first column whose name is a number above numbers or a date above dates."""
    for position, (name, column) in enumerate(table.to_dict().items()):
        below = column.head(_HEAD).cast(pl.String).drop_nulls()
        for form in (_NUMBER, _DATE):
            if re.search(form, name) and below.str.contains(form).all():
                return position
    return None


def _count_recurring_names(table: pl.DataFrame) -> int:
    """Return how many names occur as texts below themselves, 0 if they are less than half."""
    again = sum(
        bool((column.head(_HEAD).drop_nulls() == name).any())
        for name, column in table.to_dict().items()
        if column.dtype == pl.String
    )
    return again if again > 1 and again * 2 >= table.width else 0


_logger = logging.getLogger(__name__)

_TOTAL = re.compile(
    r"(grand |sub-?|overall )?total(e?s)?( (of )?(all|general|général|geral|sum))?|sums?( total)?|"
    r"(end|zwischen)?summe|gesamt(summe|zahl|ergebnis)?|ergebnis|insgesamt|zusammen|somme|"
    r"suma( total)?|totale( complessivo)?|totaal|eindtotaal|soma|means?|averages?|mittel(wert)?|"
    r"durchschnitt|moyenne|media|promedio|count|anzahl"
)
Row: TypeAlias = tuple[str | None, ...]
_MARKS = " \t\u00a0:.-="


def may_be_no_record(last: Row) -> bool:
    """Tell whether a last row is worth a look: it is empty, or begins with a word for totals."""
    return len(last) > 1 and (_is_blank(last) or _is_total(last))


def count_records(table: pl.DataFrame) -> tuple[int, str]:
    """Return the number of rows that are records, and why those behind them are none.

    A row of totals begins with a word for it. Its numbers are the sums, means or counts of their
    columns, or it leaves cells empty that no record does. Empty rows are records if there are
    others among the records, such as in a table whose cells were suppressed.
    """
    last = table.tail(1).select(pl.all().cast(pl.String))
    if not table.height or not may_be_no_record(last.row(0)):
        return table.height, ""
    cells = table.select(pl.all().cast(pl.String))
    filled = end = body = _end_of_filled(cells)
    while body and _is_total(cells.row(body - 1)):
        body = _end_of_filled(cells.head(body - 1))
    records = cells.head(body)
    if _is_blank(last.row(0)) and not _filled_rows(records).all():
        return table.height, ""
    while end > body and (
        _is_blank(cells.row(end - 1)) or _has_totals(cells.row(end - 1), records)
    ):
        end -= 1
    if end == filled:
        return end, f"no value in {few_names(cells.columns)}"
    total = cells.row(filled - 1)
    behind = [name for name, cell in zip(cells.columns, total, strict=True) if cell][1:]
    return end, f"totals of {few_names(behind)}" if behind else "totals"


def warn_of_rows(where: str, height: int, records: int, why: str) -> None:
    """Log which rows of a file are left out, counted from 1 without the header."""
    if records < height:
        several = records + 1 < height
        rows = f"rows {records + 1} to {height} are" if several else f"row {height} is"
        _logger.warning("%s: %s left out: %s", where, rows, why)


def refuse_lost_rows(table: pl.DataFrame, form: str) -> None:
    """Refuse to write last rows that readers take for no records; form: the format."""
    records, why = count_records(table)
    if records < table.height:
        raise DataError(
            f"row {records + 1}: a reader of {form} leaves out the rows from here to the end "
            f"({why}); write Parquet, or sort the table in another way"
        )


def few_names(names: Sequence[str]) -> str:
    """Return the first five names, and whether there are more."""
    return ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")


def _end_of_filled(cells: pl.DataFrame) -> int:
    """Return the number of rows up to the last one with a value."""
    rows = _filled_rows(cells).arg_true()
    return int(rows[-1]) + 1 if len(rows) else 0


def _filled_rows(cells: pl.DataFrame) -> pl.Series:
    """Return which rows have a value."""
    filled = cells.select(pl.any_horizontal(pl.all().str.strip_chars() != "")).to_series()
    return filled.fill_null(value=False)


def _is_blank(row: Row) -> bool:
    return not any(cell and cell.strip() for cell in row)


def _is_total(row: Row) -> bool:
    """Tell whether the first cell that is not blank is a word for totals."""
    first = next((cell for cell in row if cell and cell.strip()), "")
    return _TOTAL.fullmatch(first.strip(_MARKS).casefold()) is not None


def _has_totals(row: Row, records: pl.DataFrame) -> bool:
    """Tell whether the cells behind a word for totals are such, or are empty in no record."""
    totals, behind = [], False
    for column, cell in zip(records, row, strict=True):
        if not (cell and cell.strip()):
            if records.height and (column.str.strip_chars() != "").fill_null(value=False).all():
                return True
        elif behind:
            number = _numbers(pl.Series([cell]))[0]
            totals += [] if number is None else [_is_sum_or_mean(number, cell, column)]
        else:
            behind = True
    return bool(totals) and all(totals)


def _is_sum_or_mean(number: float, cell: str, column: pl.Series) -> bool:
    values = _numbers(column).drop_nulls()
    if not len(values):
        return False
    decimals = len(re.split("[.,]", cell.strip())[-1]) if re.search("[.,]", cell) else 0
    width = 0.5 * 10.0**-decimals + 1e-9 * abs(number)
    candidates = (values.sum(), values.mean(), len(values), len(column))
    return any(abs(float(candidate) - number) <= width for candidate in candidates)  # type: ignore[arg-type]


def _numbers(texts: pl.Series) -> pl.Series:
    """Return plain numbers, and those with a decimal comma; null for all else."""
    bare = texts.str.strip_chars()
    comma = bare.str.replace_all("[.' \u00a0]", "").str.replace(",", ".", literal=True)
    return bare.cast(pl.Float64, strict=False).fill_null(comma.cast(pl.Float64, strict=False))
