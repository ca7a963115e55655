"""Columns of which values are drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl

from kanonym.data.columns.values import text_of
from kanonym.data.hierarchy import HierarchySource, Masking
from kanonym.data.hierarchy.base import ROOT
from kanonym.data.hierarchy.labels import parse_times
from kanonym.data.results import ShortRepr
from kanonym.data.table import Domain
from kanonym.evaluation.pair.reading.released import ReleasedColumn, read_released
from kanonym.evaluation.pair.tables import CategoricalColumn, draw_categories, draw_numbers
from kanonym.kernels.arrays import Bools, Int32s, Ints

MOST_DIGITS = 15
"""Digits of the longest code that a float64 holds exactly."""


def intervals_of_masks(
    released: Sequence[pl.Series], source: HierarchySource | None
) -> tuple[pl.Series, int] | None:
    """Return masks of digits as intervals, `661**` as `[66100, 66199]`, and the codes' length.

    None where masks are no intervals: the mask is not on the right, codes have letters or several
    lengths; and where nothing is masked. What is masked whole is `*`.

    Examples
    --------
    >>> intervals_of_masks([pl.Series(["041**", "04109", "*****"])], Masking())[0].to_list()
    ['[4100, 4199]', '4109', '*']
    """
    if not isinstance(source, Masking) or source.from_ != "right" or len(released) > 1:
        return None
    character, hidden = source.character, re.escape(source.character)
    labels = released[0].cast(pl.String)
    labels = labels.set(labels.str.contains(f"^({hidden})+$"), ROOT)
    codes = labels.filter(labels != ROOT).unique()
    is_code = codes.str.contains(f"^[0-9]+({hidden})*$")
    is_masked = codes.str.contains(character, literal=True)
    width = int(codes.str.len_chars().max() or 0)  # type: ignore[arg-type]
    if not (is_masked.any() and is_code.all() and (codes.str.len_chars() == width).all()):
        return None
    if width > MOST_DIGITS:
        return None
    low, high = (
        codes.str.replace_all(character, digit, literal=True).cast(pl.Int64).cast(pl.String)
        for digit in "09"
    )
    intervals = pl.select(pl.when(low == high).then(low).otherwise("[" + low + ", " + high + "]"))
    return labels.replace(codes, intervals.to_series()), width


_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,17})")

SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}
"""Units of a type of time in a second."""


@dataclass(frozen=True, slots=True, repr=False)
class CellValues(ShortRepr):
    """How one quasi-identifier gets one value per cell.

    is_open: (n,) bool, the cells with several values to choose from.
    """

    name: str
    is_open: Bools
    is_label: bool
    draw: Callable[[Ints, np.random.Generator], pl.Series]


def values_of_labels(
    name: str,
    released: Sequence[pl.Series],
    source: HierarchySource | None,
    *,
    dates: bool,
    nulls: bool,
    dtype: pl.DataType | None = None,
) -> CellValues:
    """Draw from the values that labels leave open, all alike; parameters as of `read_released`.

    dtype: of the values in the original, where it is known. Else texts that are whole numbers
    become numbers.
    """
    masked = intervals_of_masks(released, source)
    if masked is not None:
        intervals, width = masked
        numeric = values_of_labels(name, [intervals], None, dates=False, nulls=nulls)
        if dtype is None:
            dtype = pl.String() if released[0].str.starts_with("0").any() else pl.Int64()
        return replace(numeric, draw=partial(_draw_codes, numeric, width, dtype))
    read = read_released(name, released, source, dates=dates, nulls=nulls)
    column = read.column
    is_label = len(released) > 1 or released[0].dtype == pl.String
    if isinstance(column, CategoricalColumn):
        mask = np.diff(column.offsets)[column.labels] > 1
        texts, labels = column.categories, column

        def draw_texts(records: Ints, random: np.random.Generator) -> pl.Series:
            if not len(texts):
                return pl.Series(name, [None] * len(records), dtype=pl.String)
            return typed.gather(draw_categories(labels, records, random))

        typed = _with_type(texts, dtype)
        return CellValues(name, mask, is_label, draw_texts)
    own = read.values.dtype
    step = _step(read, released)
    low, high = column.low, column.high
    # The end that an interval excludes is no value of it.
    shut = read.high_open & (high > low)
    if not (own.is_integer() or own == pl.Date):
        high = np.where(shut, np.maximum(high - step, low), high)
    numbers = replace(column, low=low, high=high)

    def draw(records: Ints, random: np.random.Generator) -> pl.Series:
        drawn = pl.Series(name, draw_numbers(numbers, records, random, step)).fill_nan(None)
        if own.is_float():
            return drawn.round(_decimals(released))
        return drawn.round().cast(pl.Int64).cast(own)

    is_open = high > low
    if column.sets is not None:  # a set of a number and null has one end
        is_open = is_open | (column.sets.labels >= 0)
    return CellValues(name, is_open, is_label, draw)


def _draw_codes(
    numbers: CellValues, width: int, dtype: pl.DataType, records: Ints, random: np.random.Generator
) -> pl.Series:
    """Return drawn numbers as codes of so many digits, in their type."""
    return numbers.draw(records, random).cast(pl.String).str.zfill(width).cast(dtype)


def _with_type(texts: pl.Series, dtype: pl.DataType | None) -> pl.Series:
    """Return texts in a type, or as they are where one of them has no value of it."""
    present = texts.drop_nulls()
    if dtype is None and len(present) and all(map(_WHOLE.fullmatch, present.to_list())):
        dtype = pl.Int64()
    if dtype is None or dtype == pl.String:
        return texts
    column = (
        parse_times(texts).cast(dtype) if dtype.is_temporal() else texts.cast(dtype, strict=False)
    )
    return texts if column.null_count() > texts.null_count() else column


def values_of_classes(domain: Domain, codes: Int32s, classes: Int32s) -> CellValues:
    """Draw from the values of the records of each class, as frequent as they are there.

    codes, classes: (n,) int32 of released records: the code that each had, and its class, from 0.
    """
    order = np.lexsort((codes, classes))
    known = codes[order]
    starts = np.searchsorted(classes[order], np.arange(int(classes.max(initial=-1)) + 2))
    values = domain.values.extend_constant(None, 1).alias(domain.name)

    def draw(records: Ints, random: np.random.Generator) -> pl.Series:
        first, last = starts[classes[records]], starts[classes[records] + 1]
        places = first + (random.random(len(records)) * (last - first)).astype(np.int64)
        return values.gather(known[places])

    several = known[starts[:-1]] != known[starts[1:] - 1]
    return CellValues(domain.name, several[classes], is_label=True, draw=draw)


def _decimals(released: Sequence[pl.Series]) -> int:
    """Return the most decimals of the numbers in labels, at most 12."""
    texts = pl.concat([text_of(one) for one in released]).drop_nulls().unique()
    numbers = texts.str.extract_all(r"\d+\.\d+").explode().drop_nulls().to_list()
    return min(max((len(number.partition(".")[2]) for number in numbers), default=0), 12)


def _step(read: ReleasedColumn, released: Sequence[pl.Series]) -> float:
    """Return the step between the values that an interval leaves open."""
    dtype = read.values.dtype
    if dtype.is_float():
        return float(10.0 ** -_decimals(released))
    return float(SECOND[dtype.time_unit]) if isinstance(dtype, pl.Datetime) else 1.0
