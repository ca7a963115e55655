"""The first row of a file without types: the names of the columns, or an error.

A person's record that is taken for the header would be released as column names.
So a first row that looks like a record is refused.
"""

from __future__ import annotations

import re
from collections import Counter

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
