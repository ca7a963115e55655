"""Cells of text files that a spreadsheet program takes for formulas.

Excel and its like run a cell that starts with `=`, `+`, `-`, `@`, a tab or a line break, or with
the wide form of these signs (OWASP, *CSV Injection*). Plain numbers such as `-5` are none.
"""

from __future__ import annotations

import re

import polars as pl

_SIGNS = "=+\\-@\t\r\n＝＋－＠"  # noqa: RUF001 - the wide forms are meant
_FORMULA = f"^[{_SIGNS}]"
_TO_MARK = f"^'*[{_SIGNS}]"  # a cell that is marked already gets one more: none become equal
_NUMBER = r"^[+-]?[0-9]+(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]+)?$"


def formula_columns(frame: pl.DataFrame) -> list[str]:
    """Return the columns that have a text, or a name, which a spreadsheet would run."""
    found = [column.name for column in _texts(frame) if _matches(column, _FORMULA).any()]
    named = [name for name in frame.columns if re.match(_FORMULA, name)]
    return list(dict.fromkeys([*found, *named]))


def with_safe_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose texts and names are no formulas: an apostrophe stands before them.

    Different texts stay different.
    """
    marked = [
        pl.select(pl.when(_matches(column, _TO_MARK)).then("'" + column).otherwise(column))
        .to_series()
        .alias(column.name)
        for column in _texts(frame)
    ]
    safe = frame.with_columns(marked)
    safe.columns = [f"'{name}" if re.match(_TO_MARK, name) else name for name in frame.columns]
    return safe


def _texts(frame: pl.DataFrame) -> list[pl.Series]:
    kinds = (pl.String, pl.Categorical, pl.Enum)
    return [column.cast(pl.String) for column in frame if column.dtype in kinds]


def _matches(texts: pl.Series, pattern: str) -> pl.Series:
    return texts.str.contains(pattern) & ~texts.str.contains(_NUMBER)
