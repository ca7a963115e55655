"""What one column holds: type, values, nulls, codes for missing values, outliers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data.columns.texts import stands_for_missing
from kanonym.data.errors import DataError, HierarchyError
from kanonym.data.hierarchy import Automatic, Suggestion
from kanonym.data.hierarchy.labels import parse_times
from kanonym.data.results import ShortRepr
from kanonym.data.table import LARGEST, encode_column
from kanonym.kernels.arrays import Floats, Ints
from kanonym.metrics.certainty import are_codes
from kanonym.profiling.groupings import CodedColumn
from kanonym.profiling.minimal import Separation

RUNNING = 50
"""A column that counts up along the file holds at least so many numbers, and"""
RUNNING_SHARE = 0.05
"""at least so many for each record: sorted ages are no running number."""

SCALE = range(3, 12)
"""So many answers have scales, from 0 or 1 on."""
FIRST = 100
"""Texts that are looked at before all of them are."""

_TYPES: Mapping[Any, str] = MappingProxyType(
    {
        pl.Boolean: "yes or no",
        pl.Date: "date",
        pl.Datetime: "date and time",
        pl.Time: "time",
        pl.Duration: "duration",
        pl.Categorical: "categories",
        pl.Enum: "ordered categories",
        pl.String: "text",
    }
)
_TRUE_OR_FALSE = (
    {"true", "false"},
    {"yes", "no"},
    {"y", "n"},
    {"ja", "nein"},
    {"j", "n"},
    {"ja", "nee"},
    {"sí", "no"},
    {"si", "no"},
    {"sim", "não"},
    {"oui", "non"},
    {"sì", "no"},
    {"tak", "nie"},
)
"""Words of a column of truth values, in lower case."""
_DATE_TEXT = r"^\s*\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})(\s.*)?$"
_NUMBER_TEXT = (  # thousands in groups of three: neither a version nor a pair of coordinates
    r"^\s*[+-]?(\d+([.,]\d+)?|\d{1,3}(\.\d{3})+(,\d+)?|\d{1,3}(,\d{3})+(\.\d+)?)\s*$"
)
_ZERO_TEXT = r"^0\d+$"


@dataclass(frozen=True, slots=True, repr=False)
class Content(ShortRepr):
    """What one column holds; no value of it but codes for missing values."""

    _shown: ClassVar[tuple[str, ...]] = ("name", "type")

    name: str
    type: str
    counted: Separation
    nulls: int = 0
    largest: int = 0
    sentinels: tuple[Sentinel, ...] = ()
    outliers: Outliers | None = None
    rounding: Rounding | None = None
    suggestion: Suggestion | None = None
    traits: frozenset[str] = field(default_factory=frozenset)
    trouble: str = ""

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers."""
        return self.type in ("integer", "real number")

    @property
    def constant(self) -> bool:
        """Whether all records, of two or more, have one value."""
        return self.counted.distinct == 1 < self.counted.records


def content_of(column: pl.Series) -> tuple[Content, CodedColumn]:
    """Return what a column holds, and its codes.

    column: (n_rows,) as `data.frames.column` gives it.
    """
    domain, codes = encode_column(column, by_value=True)
    counts = np.bincount(codes, minlength=domain.size)
    values, held = domain.values, counts[: len(domain.values)]
    kind, trouble = _type(column.dtype, values), ""
    sentinels: tuple[Sentinel, ...] = ()
    outliers: Outliers | None = None
    rounding: Rounding | None = None
    suggestion: Suggestion | None = None
    if column.dtype.is_numeric() and _has_infinite_squares(values):
        trouble = "it holds numbers that are infinite or beyond 1e150: replace them by nulls"
    else:
        places = sentinel_places(values, held)
        sentinels = sentinels_of(values, held, places)
        if column.dtype.is_numeric():
            numbers = values.cast(pl.Float64).to_numpy()
            outliers = outliers_of(np.delete(numbers, places), np.delete(held, places))
            rounding = rounding_of(values, held)
        suggestion = _suggest_hierarchy(values, held)
    content = Content(
        name=column.name,
        type=kind,
        counted=Separation.from_sizes(counts[counts > 0]),
        nulls=column.null_count(),
        largest=int(counts.max(initial=0)),
        sentinels=sentinels,
        outliers=outliers,
        rounding=rounding,
        suggestion=suggestion,
        traits=_traits(column, values),
        trouble=trouble,
    )
    return content, CodedColumn.of(domain, codes)


def unreadable_content(name: str, error: DataError, n_rows: int) -> Content:
    """Return the content of a column that kanonym does not read: lists, bytes, mixtures."""
    counted = Separation(n_rows, 0, 0, 0, 0)
    return Content(name, "other", counted, trouble=str(error).removeprefix(f"column {name!r} "))


def _type(dtype: pl.DataType, values: pl.Series) -> str:
    """Return what values are, in a word or two; two words for true and false are truth values."""
    if dtype in (pl.String, pl.Categorical) and len(values) == 2:
        words = {word.strip().lower() for word in values.cast(pl.String)}
        if words in _TRUE_OR_FALSE:
            return _TYPES[pl.Boolean]
    if dtype.is_numeric():
        return "integer" if dtype.is_integer() else "real number"
    return _TYPES.get(dtype.base_type(), "other")


def _has_infinite_squares(values: pl.Series) -> bool:
    """Whether one of ascending numbers is beyond what quasi-identifiers may hold."""
    return bool(len(values)) and max(-float(values[0]), float(values[-1])) > LARGEST


def _suggest_hierarchy(values: pl.Series, counts: Ints) -> Suggestion | None:
    try:
        return Automatic().suggest(values, counts) if len(values) else None
    except HierarchyError:
        return None


def _traits(column: pl.Series, values: pl.Series) -> frozenset[str]:
    if not len(values):
        return frozenset()
    if column.dtype.is_numeric():
        traits = {"positive"} if values[0] > 0 else set()
        if len(values) in SCALE and values.to_list() in (
            [*range(len(values))],
            [*range(1, len(values) + 1)],
        ):
            traits.add(f"scale from {values[0]:g} to {values[-1]:g}")
        return frozenset(
            traits | ({"running"} if _is_running_number(column, len(values)) else set())
        )
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return frozenset()
    codes = {"codes"} if are_codes(values) else set()
    return frozenset(codes | _forms(values.cast(pl.String)))


def _forms(texts: pl.Series) -> set[str]:
    """Return the traits of a column of texts that tell what they are written for."""
    if _all_match(texts, lambda some: parse_times(some).is_not_null()):
        return {"dates as text"}
    if _all_match(texts, lambda some: some.str.contains(_DATE_TEXT)):
        return {"dates as other text"}
    if not _all_match(texts, lambda some: some.str.contains(_NUMBER_TEXT)):
        return set()
    zeros = texts.str.contains(_ZERO_TEXT).any()
    return {"leading zeros" if zeros else "numbers as text"}


def _all_match(texts: pl.Series, test: Callable[[pl.Series], pl.Series]) -> bool:
    """Whether a test holds of all texts; mostly the first of them tell that it does not."""
    return bool(test(texts.head(FIRST)).all()) and bool(test(texts).all())


def _is_running_number(column: pl.Series, n_values: int) -> bool:
    """Whether integers number the records, or their groups, along the file or otherwise."""
    n = len(column)
    if not column.dtype.is_integer() or column.null_count():
        return False
    if n_values < max(RUNNING, RUNNING_SHARE * n):
        return False
    before, after = column[:-1], column[1:]
    # Exact in any type of integers: of a larger number and a smaller one, a difference that
    # wraps round is not 1.
    if ((after == before) | ((after > before) & (after - before == 1))).all():
        return True
    low, high = column.min(), column.max()
    return n_values == n and int(high) - int(low) == n - 1  # type: ignore[arg-type]


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
        """The action that would hide the far ones; empty where there are none."""
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

    Quartiles are those of Hyndman and Fan's first definition (1996): numbers of the column.

    numbers: (n_values,) float64, ascending and different.
    counts: (n_values,) int64 numbers of records.
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

    Shown are -1, -9, -99, 9, 97, 99, 999 and their like, 365243, millions and their like, limits of
    integers, and the dates and texts that are known. Salaries of 987,654,321 that five persons have
    lie far from all others, too: they are counted, and not shown.
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
