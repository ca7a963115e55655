"""Values at the ends of a column: codes for missing values, and outliers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl

from kanonym.data.columns.texts import stands_for_missing
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Floats, Ints

LEAST_RECORDS = 5
"""A value is named as a code for missing values only if so many records share it."""
MOST_SENTINELS = 3
"""Codes that may stand at one end of a column, such as 97, 98 and 99."""
FEW = 20
"""Numbers of no more values have no outliers."""
NEAR, FAR = 1.5, 3.0
"""Fences of box plots, in interquartile ranges beyond the quartiles."""

EXACT = 2.0**53
"""Larger numbers are no amounts, and floating point does not hold all of them."""
TAILS = (0.0, 0.005, 0.01, 0.02)
"""Shares of the records that may be coded at each end of a rounded column."""
DETACHED = 5.0
"""Spreads of all others between these and codes that are not known as such."""

# Codes that are shown to a reader, and so must not be somebody's number.
_LIMITS = {float(sign * 2**bits - (sign > 0)) for bits in (15, 31) for sign in (1, -1)}
_ROUND = {float(10**power) for power in range(6, 13)} | {float("9" * n) for n in range(7, 13)}
_NEGATIVE = {float(f"-{digit * length}") for digit in "189" for length in (1, 2, 3, 4, 5, 6)}
_POSITIVE = {float("9" * length + last) for last in "6789" for length in (0, 1, 2, 3, 4, 5)}
_KNOWN = _NEGATIVE | _POSITIVE | {float(digit * length) for digit in "78" for length in range(1, 7)}
_SHOWN = _KNOWN | _LIMITS | _ROUND | {365243.0}
_SHOWN |= {-number for number in _ROUND}
_DATES = frozenset(
    date.fromisoformat(day)
    for day in (
        *("1111-11-11", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1900-01-02"),
        *("1901-01-01", "1960-01-01", "1970-01-01", "2099-12-31", "2999-12-31", "9999-12-31"),
        *("0001-01-01", "9999-01-01"),
    )
)


@dataclass(frozen=True, slots=True, repr=False)
class Sentinel(ShortRepr):
    """A value that seems to stand for a missing one."""

    value: str | None
    records: int


@dataclass(frozen=True, slots=True, repr=False)
class Outliers(ShortRepr):
    """Numbers beyond the fences of a box plot (Tukey 1977, Exploratory data analysis, 2D)."""

    near: int
    far: int
    low: int
    high: int
    records: int

    @property
    def advice(self) -> str:
        """The action that would hide the far ones; empty where there are none.

        The shares are rounded up, so that as few further records as may be are coded.
        """
        if not self.far:
            return ""
        low, high = _share(self.low, self.records), _share(self.high, self.records)
        return f"{{type: top-bottom, quantiles: [{low:g}, {1 - high:g}]}}"


@dataclass(frozen=True, slots=True, repr=False)
class Rounding(ShortRepr):
    """The finest rounding after which no number of a column has a single owner.

    step, tail: multiples of what, and the share of the records at each end that are coded.
    values, largest: distinct values and records of the most frequent one afterwards.
    """

    step: float
    tail: float
    values: int
    largest: int

    @property
    def actions(self) -> list[dict[str, object]]:
        """The actions of a policy that do it."""
        whole = int(self.step) if self.step == int(self.step) else self.step
        ends: dict[str, object] = {
            "type": "top-bottom",
            "quantiles": [self.tail, round(1 - self.tail, 3)],
        }
        return [{"type": "round", "to": whole}, *([ends] if self.tail else [])]


def rounding_of(values: pl.Series, counts: Ints) -> Rounding | None:
    """Return the rounding that a column of amounts needs, or None.

    None where there are few numbers, no number has a single owner, or no rounding helps. Steps are
    1, 2 and 5 times powers of ten; at most 2 % of the records are coded at each end.

    values: (n_values,) numbers, distinct, ascending, without null.
    counts: (n_values,) int64 numbers of records.
    """
    if len(values) <= FEW or not (counts == 1).any():
        return None
    numbers = values.cast(pl.Float64).to_numpy()
    span, n = float(numbers[-1] - numbers[0]), int(counts.sum())
    if max(abs(numbers[0]), abs(numbers[-1])) > EXACT or not span:
        return None
    power = math.floor(math.log10(span / len(numbers)))
    steps = [10.0**at * times for at in range(power, power + 8) for times in (1, 2, 5)]
    for step in steps:
        if step > span or (values.dtype.is_integer() and step < 2):
            continue
        rounded = np.rint(numbers / step)
        starts = np.flatnonzero(np.diff(rounded, prepend=rounded[0] - 1))
        sums = np.add.reduceat(counts, starts)
        for tail in TAILS:
            counted = _tail_counts(sums, math.ceil(tail * n), math.ceil(round(1 - tail, 3) * n))
            if len(counted) > 1 and counted.min() > 1:
                return Rounding(float(f"{step:g}"), tail, len(counted), int(counted.max()))
    return None


def _tail_counts(counts: Ints, low: int, high: int) -> Ints:
    """Return the numbers of records of values after those beyond two ranks are coded."""
    steps = np.cumsum(counts)
    first, last = np.searchsorted(steps, max(low, 1)), np.searchsorted(steps, high)
    middle = counts[first : last + 1].copy()
    if len(middle):
        middle[0] += counts[:first].sum()
        middle[-1] += counts[last + 1 :].sum()
    return middle


def outliers_of(numbers: Floats, counts: Ints) -> Outliers | None:
    """Count the outliers of a column of numbers.

    numbers: (n_values,) float64, ascending and different.
    counts: (n_values,) int64 numbers of records.

    Notes
    -----
    Quartiles are those of Hyndman and Fan's first definition (1996): numbers of the column.

    """
    if len(numbers) <= FEW:
        return None
    steps = np.cumsum(counts)
    n = int(steps[-1])
    first, third = (numbers[np.searchsorted(steps, share * n)] for share in (0.25, 0.75))
    if third == first:
        return None

    def beyond(fence: float) -> tuple[int, int]:
        reach = fence * (third - first)
        low, high = numbers < first - reach, numbers > third + reach
        return int(counts[low].sum()), int(counts[high].sum())

    low, high = beyond(FAR)
    return Outliers(sum(beyond(NEAR)), low + high, low, high, n)


def sentinels_of(values: pl.Series, counts: Ints, places: Sequence[int]) -> tuple[Sentinel, ...]:
    """Return what seems to stand for missing values, with the values that may be shown.

    Notes
    -----
    Shown are -1, -9, -99, 9, 97, 99, 999 and their like, 365243, millions and their like, limits
    of integers, and the dates and texts that are known. Salaries of 987,654,321 that five persons
    have lie far from all others, too: they are counted, and not shown.

    """
    column = values.gather(list(places))
    shown = [True] * len(column)
    if values.dtype.is_numeric():
        shown = [float(one) in _SHOWN for one in column]
    texts = column.cast(pl.String).to_list()
    return tuple(
        Sentinel(text if show else None, int(counts[place]))
        for text, show, place in zip(texts, shown, places, strict=True)
    )


def sentinel_places(values: pl.Series, counts: Ints) -> list[int]:
    """Return the places of the values that seem to stand for a missing one.

    values: (n_values,) distinct, ascending, without null.
    counts: (n_values,) int64 numbers of records.

    Notes
    -----
    Numbers: up to three at one end that lie far from all others, five times as far as those
    spread, or once for 97, 999, -99 and their like; and -1, -9, -99 and their like where no
    other number is negative. Dates and texts: those that are known for it, the dates only at an
    end. Each has at least `LEAST_RECORDS` records.

    """
    dtype = values.dtype
    places: set[int] = set()
    if dtype.is_numeric():
        numbers = values.cast(pl.Float64).to_numpy()
        above = (len(numbers) - 1 - at for at in _detached_places(-numbers[::-1]))
        places = {*_detached_places(numbers), *above, *_negative_codes(numbers)}
    elif dtype in (pl.Date, pl.Datetime):
        ends = {0, len(values) - 1} if len(values) > MOST_SENTINELS else set()
        places = {at for at in ends if values.dt.date()[at] in _DATES}
    elif dtype in (pl.String, pl.Categorical, pl.Enum):
        places = set(stands_for_missing(values.cast(pl.String)).arg_true().to_list())
    return sorted(at for at in places if counts[at] >= LEAST_RECORDS)


def _negative_codes(numbers: Floats) -> list[int]:
    """Return the places of the negative ones of ascending numbers if all are known codes."""
    n = int(np.searchsorted(numbers, 0.0))
    known = 0 < n <= MOST_SENTINELS and n < len(numbers)
    return list(range(n)) if known and set(numbers[:n].tolist()) <= _NEGATIVE else []


def _detached_places(numbers: Floats) -> list[int]:
    """Return the places of the first few ascending numbers if they lie far below the others."""
    n = len(numbers)
    for few in range(1, MOST_SENTINELS + 1):
        if n - few < MOST_SENTINELS:
            break
        gap, spread = numbers[few] - numbers[few - 1], numbers[-1] - numbers[few]
        # Numbers come with their signs turned where the upper end is looked at.
        known = {*numbers[:few].tolist()} <= _KNOWN or {*(-numbers[:few]).tolist()} <= _KNOWN
        if gap > spread * (1 if known else DETACHED) and numbers[few - 1] - numbers[0] < gap:
            return list(range(few))
    return []


def _share(count: int, records: int) -> float:
    """Return a round share of the records that is at least count / records."""
    if not count:
        return 0.0
    rounds = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25)
    return next((one for one in rounds if one * records >= count), 0.3)
