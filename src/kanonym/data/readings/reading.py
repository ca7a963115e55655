"""The reading of a column: cells, missing values, and their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self

import numpy as np
import polars as pl

from kanonym.data.columns.values import text_of
from kanonym.data.readings.bounds import split_bounds
from kanonym.data.readings.dates import DateReading
from kanonym.data.readings.numbers import UNIT, NumberReading
from kanonym.kernels.arrays import Floats

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


def _numbers(texts: pl.Series) -> Floats:
    """Return (n,) float64 numbers, groups of three without their marks; NaN where one is none."""
    grouped = texts.str.contains(r"^[0-9]{1,3}(?:[^0-9][0-9]{3})+$").fill_null(value=False)
    decimal = texts.str.replace(",", ".", literal=True)
    plain = texts.str.replace_all("[^0-9]", "").zip_with(grouped, decimal)
    return plain.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy().copy()


WORDS = (
    *("", "na", "n/a", "n.a.", "n. a.", "#n/a", "nan", "null", ".", "-", "--", "?"),
    *("unknown", "missing", "not available", "not known"),
    *("unbekannt", "k. a.", "k.a.", "keine angabe", "desconocido", "no consta"),
    *("inconnu", "non renseigné"),
)
"""In lower case. `none` may be 0, and `refused`, `never` or `not applicable` are answers."""


def is_missing(texts: pl.Series, declared: Sequence[str] = (), *, words: bool) -> pl.Series:
    """Return (n,) Boolean, which texts are null.

    declared: further words and codes, exactly as they are written. words: whether `WORDS` are
    null, too.
    """
    bare = texts.str.strip_chars()
    column = bare.is_in(list(declared))
    if words:
        column |= bare.str.to_lowercase().is_in(list(WORDS))
    return column.fill_null(value=True)


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


_SAMPLE = 1000
_FREQUENT = 100


@dataclass(frozen=True, slots=True)
class Cells:
    """The distinct texts of a column that are not missing, stripped, with their numbers of cells.

    texts, counts: (n,) distinct texts by first appearance, and how many cells each is.
    """

    name: str
    texts: pl.Series
    counts: pl.Series

    @classmethod
    def of(
        cls, column: pl.Series, missing: Sequence[str] = (), counts: pl.Series | None = None
    ) -> Self:
        """Return the cells of a column of texts; counts: how many each is, 1 if not given."""
        many = pl.lit(1, pl.Int64) if counts is None else counts.cast(pl.Int64)
        texts = pl.DataFrame({"text": column}).with_columns(n=many).drop_nulls("text")
        frame = texts.group_by("text", maintain_order=True).agg(pl.col("n").sum())
        bare = frame.with_columns(pl.col("text").str.strip_chars())
        if bare["text"].is_duplicated().any():
            bare = bare.group_by("text", maintain_order=True).agg(pl.col("n").sum())
        known = bare.filter(~is_missing(bare["text"], missing, words=True))
        return cls(column.name, known["text"], known["n"])

    @property
    def total(self) -> int:
        """How many cells there are."""
        return int(self.counts.sum())

    def number(self, among: pl.Series) -> int:
        """Return how many cells have the texts that (n,) Booleans choose."""
        return int(self.counts.filter(among).sum())

    def sample(self) -> pl.Series:
        """Return some of the texts: at equal distances, and the most frequent ones."""
        step = max(len(self.texts) // _SAMPLE, 1)
        frequent = self.texts.gather(self.counts.arg_sort(descending=True).head(_FREQUENT))
        return self.texts.gather_every(step).append(frequent)

    def filter(self, among: pl.Series) -> Cells:
        """Return the cells of some texts."""
        return Cells(self.name, self.texts.filter(among), self.counts.filter(among))
