"""A hierarchy suggested from the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.data.hierarchy.builders.base import Builder, Column, Level, Plan
from kanonym.data.hierarchy.builders.calendar_date import Dates
from kanonym.data.hierarchy.builders.codes import Masking, Prefix
from kanonym.data.hierarchy.builders.group import Frequency
from kanonym.data.hierarchy.builders.interval import Intervals, numbers_of
from kanonym.data.hierarchy.labels import parse_times, value_texts
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Ints

FEW = 5  # up to here, a root over the values is the whole hierarchy
INTERVALS = 20  # about so many intervals at the finest level
CROWDED = 0.5  # share of records in one interval from which widths do not fit
FINE = 1e-9  # spread of numbers, absolute and relative, below which edges are not exact
LARGE = 2.0**52  # numbers up to here are exact as floats, with room for an edge above
MASKABLE = 16  # characters: longer codes would make too many levels


@dataclass(frozen=True, slots=True)
class Flat(Builder):
    """The root over the values and nothing between."""

    kind: ClassVar[str] = "flat"

    def plan(self, column: Column) -> Plan:
        """Return the values, without a level."""
        levels: list[Level] = []
        return Plan(column.values, levels)


@dataclass(frozen=True, slots=True, repr=False)
class Suggestion(ShortRepr):
    """The builder that `Automatic` chose for one column, and why."""

    column: str
    builder: Builder
    reason: str

    def describe(self) -> str:
        """Return the choice and its reason, which counts values, in one line."""
        return f"{self.column}: {self.parameters}, because {self.reason}"

    @property
    def parameters(self) -> str:
        """The builder and its parameters."""
        (kind, given), *_ = self.builder.to_dict().items()
        how = ", ".join(f"{name} {value}" for name, value in given.items())
        return f"{kind} ({how})" if how else kind


@dataclass(frozen=True, slots=True)
class Automatic(Builder):
    """The builder that fits the type and the values of the column; the first that applies.

    - No more than 5 distinct values: the root alone (`flat`).
    - Dates, also as ISO text: `dates` by month, quarter, year and decade.
    - Numbers: `intervals` of 1, 2 or 5 times a power of ten, about 20 of them at the
      finest level, twice as wide at each further one; `quantiles` 16, 8, 4, 2 where one
      such interval would hold more than half of the records.
    - Text with a digit in every value: `masking` where all have the same length, up to
      16 characters, else `prefix`.
    - Other values: `frequency`.

    It suggests from what the data shows, not from what it means: a hierarchy made by
    someone who knows the attribute loses less.

    Examples
    --------
    >>> import polars as pl
    >>> from kanonym.data import hierarchy
    >>> ages = pl.Series("age", range(17, 91))
    >>> print(hierarchy.automatic().describe(ages))
    age: intervals (width [5, 10, 20, 40]), because it has 74 distinct numbers
    """

    kind: ClassVar[str] = "automatic"

    def plan(self, column: Column) -> Plan:
        """Return the plan of the suggested builder."""
        return suggest(column).builder.plan(column)

    def suggest(self, values: pl.Series, counts: Ints | None = None) -> Suggestion:
        """Return the builder for a column, and why; parameters as in `bind`."""
        return suggest(Column.of(values, counts))

    def describe(self, values: pl.Series, counts: Ints | None = None) -> str:
        """Return the choice for a column in one line; parameters as in `bind`."""
        return self.suggest(values, counts).describe()


def suggest(column: Column) -> Suggestion:
    """Return the first builder that applies to a column."""
    n, dtype = len(column.values), column.values.dtype
    builder: Builder
    if n <= FEW:
        builder, reason = Flat(), f"it has {n} distinct value{'s' * (n != 1)}"
    elif dtype in (pl.Date, pl.Datetime):
        builder, reason = Dates(_CALENDAR), "it has dates"
    elif dtype.is_numeric():
        builder, reason = _numbers(column)
    elif dtype in (pl.String, pl.Categorical, pl.Enum):
        builder, reason = _text(value_texts(column.values))
    else:
        builder, reason = Frequency(), f"it has {n} distinct values"
    return Suggestion(column.name, builder, reason)


_QUANTILES = Intervals(quantiles=(16, 8, 4, 2))
_CALENDAR = ("month", "quarter", "year", "decade")


def _text(values: pl.Series) -> tuple[Builder, str]:
    """Return the builder for more than a few texts."""
    if not parse_times(values).has_nulls():
        return Dates(_CALENDAR), "every text is an ISO date"
    lengths = values.str.len_chars()
    if values.str.contains(r"\d").all():
        if lengths.n_unique() == 1 and lengths[0] <= MASKABLE:
            return Masking(), f"it has codes of {lengths[0]} characters"
        return Prefix(), "it has codes of different lengths"
    return Frequency(), f"it has {len(values)} distinct texts"


def _numbers(column: Column) -> tuple[Builder, str]:
    """Return the builder for more than a few numbers."""
    numbers = numbers_of(column.values)
    low, high = float(numbers[0]), float(numbers[-1])
    count = f"it has {len(numbers)} distinct numbers"
    largest, spread = max(abs(low), abs(high)), high - low
    if largest >= LARGE or spread <= FINE * max(1, largest):
        return _QUANTILES, f"{count}, too large or too close together for widths"
    width = _nice(spread / INTERVALS)
    if column.values.dtype.is_integer():
        width = max(1, round(width))
    interval = np.floor(numbers / width)
    edges = np.flatnonzero(np.diff(interval)) + 1
    fullest = max(int(part.sum()) for part in np.split(column.counts, edges))
    if fullest > CROWDED * int(column.counts.sum()):
        return _QUANTILES, f"{count}, most of them close together"
    widths = [width]
    while widths[-1] * 2 < spread:
        widths.append(widths[-1] * 2)
    return Intervals(width=widths), count


def _nice(width: float) -> float:
    """Return 1, 2 or 5 times a power of ten: the smallest that is at least `width`."""
    exponent = math.floor(math.log10(width))
    candidates = (float(f"{factor}e{exponent}") for factor in (1, 2, 5, 10))
    return next(number for number in candidates if number >= width * (1 - 1e-9))
