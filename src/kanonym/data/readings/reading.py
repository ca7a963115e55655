"""How a column is read: its style, the words and codes that are null, and its exceptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from kanonym.data.columns.value_texts import text_of
from kanonym.data.readings.dates import DateReading
from kanonym.data.readings.missing import is_missing
from kanonym.data.readings.numbers import NumberReading
from kanonym.data.readings.ordered import OrderedReading

Style = NumberReading | DateReading | OrderedReading
Exceptional = Literal["keep", "null", "refuse"]

MARK = "\u2063"
"""Stands before an exception among plain labels: `172` without its unit is not the number 172."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the cells of a column become values."""

    style: Style | None = None
    missing: tuple[str, ...] = ()
    exceptional: Exceptional = "keep"
    exceptions: tuple[str, ...] | None = field(default=None, compare=False)
    is_text: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether values are written as programs write them, and all labels as they are."""
        if self.style is None:
            return True
        known = self.exceptions is not None
        return self.style.is_plain and known and not self.exceptions and not self.has_own_marks

    @property
    def has_own_marks(self) -> bool:
        """Whether a table writes numbers with bounds, signs or zeros that programs do not write."""
        style = self.style
        return isinstance(style, NumberReading) and bool(
            style.bounds or style.fewest or style.negative != "-"
        )

    def read(self, column: pl.Series) -> pl.Series:
        """Return the values of a column; null where a cell is missing or an exception.

        column: of texts; or of values, of which declared codes become null.
        """
        style = self.style
        if style is None or column.dtype != pl.String:
            known = self._without_codes(column)
            of_values = column.dtype.is_numeric() or column.dtype.is_temporal()
            return text_of(known) if self.is_text and of_values else known

        def values(texts: pl.Series) -> pl.Series:
            known = texts.set(is_missing(texts, self.missing, words=True), None)
            if self.exceptions:
                known = known.set(known.str.strip_chars().is_in(list(self.exceptions)), None)
            return style.read(known)

        return of_distinct(column, values)

    def exceptions_of(self, column: pl.Series) -> pl.Series | None:
        """Return (n,) the exceptions of a column, null where a cell is none; None without any."""
        if not self.exceptions or self.exceptional == "null" or column.dtype != pl.String:
            return None
        bare = column.str.strip_chars()
        return bare.set(~bare.is_in(list(self.exceptions)), None)

    def _without_codes(self, column: pl.Series) -> pl.Series:
        """Return a column with null for the declared codes."""
        if not self.missing:
            return column
        found = text_of(column).str.strip_chars().is_in(list(self.missing))
        if column.dtype.is_numeric():
            codes = pl.Series(self.missing).cast(pl.Float64, strict=False).drop_nulls()
            found |= column.cast(pl.Float64).is_in(codes.to_list())
        found = found.fill_null(value=False)
        return pl.select(pl.when(~found).then(column)).to_series().alias(column.name)


def of_distinct(column: pl.Series, read: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Return what a function makes of a column, asked once for each distinct text."""
    distinct = column.drop_nulls().unique()
    if 2 * len(distinct) > len(column):
        return read(column)
    values = read(distinct)
    return column.replace_strict(distinct, values, default=None, return_dtype=values.dtype).alias(
        column.name
    )
