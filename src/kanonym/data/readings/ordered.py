"""Bands, `18-24` or `65+`, quarters and weeks: texts that have an order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.readings.bounds import split_bounds
from kanonym.data.readings.numbers import UNIT

_NUMBER = r"[0-9]{1,3}(?:[,.'’ \u00a0\u202f][0-9]{3})+|[0-9]+(?:[.,][0-9]+)?"
_CURRENCY = r"(?:\p{Sc}\s?)?"
_BAND = (
    rf"(?i)^{_CURRENCY}({_NUMBER})\s*(?:{UNIT})?\s*(?:[-–—−]|to|bis|a|à|until)\s*"
    rf"{_CURRENCY}({_NUMBER})(?:\s?{UNIT})?$"
)
_ONE = rf"^{_CURRENCY}({_NUMBER})(?:\s?{UNIT})?$"
_YEAR, _WEEK = r"(?P<year>[0-9]{4})", r"(?P<part>0?[1-9]|[1-4][0-9]|5[0-3])"
_PERIODS = (
    rf"^{_YEAR}\s?[-/ ]?\s?(?P<mark>[QTqt])(?P<part>[1-4])$",
    rf"^(?P<mark>[QTqt])(?P<part>[1-4])\s?[-/ ]\s?{_YEAR}$",
    rf"^{_YEAR}\s?[-/ ]?\s?(?P<mark>[WwKk][Ww]?){_WEEK}$",
    rf"^(?P<mark>[Ww]){_WEEK}\s?[-/ ]\s?{_YEAR}$",
    (
        rf"(?i)^(?P<part>[1-4])(?:\.|º|[a-z]{{1,2}})? (?P<mark>[QT]|quarter|Quartal|trimestre)"
        rf"(?: de)? {_YEAR}$"
    ),
)
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class OrderedReading:
    """Texts in the order of what they say: bands of numbers by their ends, quarters by time.

    Examples
    --------
    >>> bands = pl.Series(["65+", "18-24", "<18", "25-44", "45-64"])
    >>> OrderedReading().settle(bands, pl.Series([1, 1, 1, 1, 1])).order
    ('<18', '18-24', '25-44', '45-64', '65+')

    """

    order: tuple[str, ...] = field(default=(), compare=False)

    kind: ClassVar[Literal["ordered"]] = "ordered"
    noun: ClassVar[str] = "ordered categories"
    form: ClassVar[None] = None
    is_plain: ClassVar[bool] = False
    separator: ClassVar[str] = ", "

    def read(self, texts: pl.Series) -> pl.Series:
        """Return texts as ordered categories; null where one is none of them."""
        bare = texts.str.strip_chars()
        order = self.order or self.settle(bare.drop_nulls().unique(), pl.Series([])).order
        return bare.set(~bare.is_in(list(order)), None).cast(pl.Enum(order))

    def settle(self, texts: pl.Series, counts: pl.Series) -> Self:
        """Return the reading with the texts of a table in their order; none where there is none.

        texts: distinct.
        """
        del counts
        bare = texts.str.strip_chars().unique()
        return replace(self, order=tuple(_periods_in_order(bare) or _bands_in_order(bare)))

    def has_bounds(self, values: pl.Series) -> bool:
        """Tell whether some values are bounds: none are."""
        del values
        return False

    def write(self, values: pl.Series) -> pl.Series:
        """Return categories as text."""
        return values.cast(pl.String)

    def read_canonical(self, texts: pl.Series) -> pl.Series:
        """Return the categories of texts; null where one is none."""
        return self.read(texts)

    def write_canonical(self, values: pl.Series) -> pl.Series:
        """Return categories as text."""
        return values.cast(pl.String)

    def in_order(self, values: pl.Series) -> pl.Series:
        """Return values as they are."""
        return values


def _periods_in_order(texts: pl.Series) -> list[str]:
    """Return quarters or weeks by time, without other texts; none where few are any."""
    best: list[str] = []
    for pattern in _PERIODS:
        parts = texts.str.extract_groups(pattern).struct.unnest()
        frame = parts.with_columns(texts.alias("text")).drop_nulls("year")
        frame = frame.with_columns(pl.col("year", "part").cast(pl.Int32))
        found = frame.sort("year", "part")["text"].to_list()
        if len(found) >= _FEWEST and len(found) > len(best) and frame["mark"].n_unique() == 1:
            best = found
    return best


def _bands_in_order(texts: pl.Series) -> list[str]:
    """Return bands by their ends, without other texts; none where they overlap or are few."""
    bare, sides = split_bounds(texts)
    ends = bare.str.extract_groups(_BAND).struct.unnest()
    column = bare.str.extract(_ONE, 1)
    low = _numbers(ends.to_series(0).fill_null(column))
    high = _numbers(ends.to_series(1).fill_null(column))
    is_band = ends.to_series(0).is_not_null().to_numpy() & (sides == 0)
    open_end = (sides != 0) & column.is_not_null().to_numpy()
    low[open_end & (sides < 0)] = -np.inf
    high[open_end & (sides > 0)] = np.inf
    read = np.isfinite(low) | np.isfinite(high)
    read &= is_band | open_end | (column.is_not_null().to_numpy() & (sides == 0))
    few = not is_band.any() or np.count_nonzero(is_band | open_end) < _FEWEST
    if few or (low[is_band] >= high[is_band]).any():
        return []
    order = np.lexsort((high, low))
    order = order[read[order]]
    if (low[order][1:] < high[order][:-1]).any():
        return []
    return texts.gather(order).to_list()


def _numbers(texts: pl.Series) -> NDArray[np.float64]:
    """Return (n,) float64 numbers, groups of three without their marks; NaN where one is none."""
    grouped = texts.str.contains(r"^[0-9]{1,3}(?:[^0-9][0-9]{3})+$").fill_null(value=False)
    decimal = texts.str.replace(",", ".", literal=True)
    plain = texts.str.replace_all("[^0-9]", "").zip_with(grouped, decimal)
    return plain.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy().copy()
