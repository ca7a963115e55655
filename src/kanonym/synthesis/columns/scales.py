"""Scales of columns, and the digits of their numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError, SchemaError
from kanonym.data.results import ShortRepr
from kanonym.data.table import encode_column, kind_of
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.synthesis.columns.numbers import (
    EXACT,
    MOST_DECIMALS,
    Grid,
    Stretches,
    plain_numbers,
    stretches_of,
    typed_numbers,
)

ULPS = 4
"""A sum of decimal numbers is off its own decimals by at most so many of a float's last steps."""

CLEAR = 1000
"""A decimal must be so many times that, or any number would be near one."""

TENS = [10**power for power in range(6, -1, -1)]
"""Units of whole numbers."""

SECONDS = [86_400, 3_600, 60, 1]
"""Units of times, each with its part of a second beside."""

PARTS = {"ms": 10**3, "us": 10**6, "ns": 10**9}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Digits(ShortRepr):
    """Which values are finer than most, and what those are rounded to.

    finer: (m,) bool, the values with more digits.
    off: (m,) float64, by how many of a float's last steps a value is off its decimals, as
    3.5799999999999996 is off 3.58.
    """

    unit: int
    decimals: int
    size: float
    finer: Bools
    off: Floats

    def at(self, numbers: NDArray[Any], codes: Ints) -> NDArray[Any]:
        """Return (n,) numbers as round as the values at their places are."""
        found: NDArray[Any] = numbers.copy()
        rows = np.flatnonzero(~self.finer[codes] & (np.abs(numbers) < EXACT))
        if self.unit:
            found[rows] = (numbers[rows] + self.unit // 2) // self.unit * self.unit
        else:
            rounded = np.round(numbers[rows], self.decimals) + 0.0  # no negative zero
            found[rows] = rounded + self.off[codes[rows]] * _last(rounded, self.size)
        return found


def digits_of(numbers: NDArray[Any], dtype: pl.DataType, step: int) -> Digits | None:
    """Return the digits of (m,) numbers, None where all are of one kind.

    Incomes that people say in thousands, prices of which few have cents, and sums such as 0.1 +
    0.2: were all drawn with the digits of the finest, digits would tell who was drawn. The kind
    that most values have is what most are rounded to; as many as are finer stay so.
    """
    units = _units(dtype)
    kinds = len(units) if step else MOST_DECIMALS + 1
    kind = np.full(len(numbers), kinds)
    off = np.zeros(len(numbers))
    size = 0.0 if step else float(np.quantile(np.abs(numbers), 0.9))
    for one in reversed(range(kinds)):
        if step:
            kind[numbers % units[one] == 0] = one
            continue
        last = _last(numbers, size)
        clear = np.flatnonzero(10.0**-one >= CLEAR * ULPS * last)
        away = (numbers[clear] - np.round(numbers[clear], one)) / last[clear]
        near = np.abs(away) <= ULPS
        kind[clear[near]], off[clear[near]] = one, away[near]
    counts = np.bincount(kind, minlength=kinds + 1)
    usual = kinds - int(counts[::-1].argmax())
    finer = kind > usual
    off[finer] = 0.0
    if usual == kinds or not (finer.any() or off.any()):
        return None
    if not step:
        return Digits(0, usual, size, finer, off)
    return None if units[usual] % step else Digits(units[usual], 0, size, finer, off)


def _last(numbers: Floats, size: float) -> Floats:
    """Return (n,) the last steps of floats as large as the numbers, or as `size`."""
    found: Floats = np.spacing(np.maximum(np.abs(numbers), size))
    return found


def _units(dtype: pl.DataType) -> list[int]:
    """Return the units that whole numbers of a type are counted in, the largest first."""
    if isinstance(dtype, pl.Datetime | pl.Duration) and dtype.time_unit is not None:
        part = PARTS[dtype.time_unit]
    elif dtype == pl.Time:
        part = PARTS["ns"]
    else:
        return TENS
    powers = [10**power for power in range(9, -1, -1)]
    return [second * part for second in SECONDS] + [one for one in powers if one < part]


TEXT = (pl.String, pl.Categorical)

FREE_TEXT = 0.5
"""Text of which more values than this share are different is no category."""

FEW = 20
"""In a table of fewer records, nothing is taken for free text."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interpolation(ShortRepr):
    """What is drawn of a column that is measured finely."""

    stretches: Stretches
    grid: Grid
    digits: Digits | None


@dataclass(frozen=True, eq=False, repr=False)
class Scale(ShortRepr):
    """The values of a column that are not null, in an order.

    values: (m,) distinct values: numbers, times and ordered categories ascending, others in the
    order that shows most of their associations.
    counts: (m,) int64, positive: records with each.
    """

    name: str
    dtype: pl.DataType
    values: pl.Series
    counts: Ints
    n_null: int
    between: Interpolation | None = None

    @property
    def is_nominal(self) -> bool:
        """Whether the values have no order of their own."""
        return kind_of(self.dtype) == "nominal"

    @cached_property
    def cumulative(self) -> Floats:
        """(m + 1,) float64 from 0 to 1: the shares of records that have smaller values."""
        total: Floats = np.concatenate([[0], np.cumsum(self.counts)]) / max(self.counts.sum(), 1)
        return total

    @property
    def present(self) -> float:
        """Share of the records that have a value."""
        there = int(self.counts.sum())
        return there / (there + self.n_null)

    @property
    def reach(self) -> int:
        """How many different values can be drawn, null included."""
        drawn = len(self.values) if self.between is None else self.between.grid.size
        return drawn + (self.n_null > 0)

    def values_at(self, uniform: Floats) -> pl.Series:
        """Return the values at (n,) places in [0, 1] of the cumulative distribution."""
        if self.between is None:
            return self.values.gather(self._at(uniform))
        return typed_numbers(self.numbers(uniform), self.name, self.dtype)

    def numbers(self, uniform: Floats) -> NDArray[Any]:
        """Return the same as (n,) int64 or float64 numbers, of a scale of numbers or times."""
        if self.between is None:
            return plain_numbers(self.values)[self._at(uniform)]
        grid, digits = self.between.grid, self.between.digits
        numbers = grid.at(self.between.stretches.at(uniform))
        if digits is None:
            return numbers
        found: NDArray[Any] = np.clip(digits.at(numbers, self._at(uniform)), grid.low, grid.high)
        return found

    def _at(self, uniform: Floats) -> Ints:
        codes = np.searchsorted(self.cumulative, uniform, side="right") - 1
        return np.clip(codes, 0, len(self.values) - 1)

    def codes_of(self, known: pl.Series) -> Int32s:
        """Return the (n,) int32 places of values on the scale, -1 for null."""
        if known.dtype.is_float():
            known = known.fill_nan(None)
        codes = np.full(len(known), -1, np.int32)
        held = known.is_not_null().to_numpy()
        if held.any() and self.is_nominal:
            texts = self.values.cast(pl.String).to_list()
            places = {text: code for code, text in enumerate(texts)}
            codes[held] = (
                known.drop_nulls().cast(pl.String).replace_strict(places, return_dtype=pl.Int32)
            )
        elif held.any():
            codes[held] = self.number_codes(plain_numbers(known.drop_nulls()))
        return codes

    def number_codes(self, numbers: NDArray[Any]) -> Int32s:
        """Return the same for (n,) numbers, none of them missing."""
        at = np.searchsorted(plain_numbers(self.values), numbers)
        return np.minimum(at, len(self.values) - 1).astype(np.int32)


def scale_of(column: pl.Series) -> tuple[Scale, Int32s]:
    """Return a column's scale and the (n,) int32 place of each record on it, -1 for null."""
    _refuse(column)
    if column.dtype.is_float():
        column = column.fill_nan(None)
    domain, codes = encode_column(column, by_value=True)
    m = len(domain.values)
    if domain.has_null:
        codes = np.where(codes == m, -1, codes).astype(np.int32)
    counts = np.bincount(codes[codes >= 0], minlength=m)
    values = _to_type(domain.values, column.dtype).alias(column.name)
    scale = Scale(column.name, column.dtype, values, counts, column.null_count())
    _refuse_free_text(scale)
    return replace(scale, between=_interpolation(scale)), codes


def _refuse(column: pl.Series) -> None:
    kind = column.dtype
    simple = kind.is_numeric() or kind.is_temporal() or kind in (*TEXT, pl.Enum, pl.Boolean)
    if not (simple or kind == pl.Null):
        raise SchemaError(
            f"column {column.name!r} holds {kind}, which cannot be imitated: drop it, or make "
            "numbers, dates or categories of it"
        )
    if kind.is_float():
        infinite = column.is_infinite().arg_true()
        if len(infinite):
            raise DataError(
                f"column {column.name!r}, row {infinite[0] + 1}: {column[int(infinite[0])]} is not "
                f"a finite number; replace it, or leave the cell empty for a missing value"
            )


def _refuse_free_text(scale: Scale) -> None:
    n = int(scale.counts.sum())
    share = len(scale.values) / max(n, 1)
    if scale.dtype in (*TEXT, pl.Enum) and n >= FEW and share > FREE_TEXT:
        raise SchemaError(
            f"column {scale.name!r} is free text: {share:.0%} of its {n} values are different, so "
            "there is nothing to imitate but the texts themselves. Drop it, or make categories, "
            "numbers or dates of it before"
        )


def _refuse_copies(scale: Scale) -> None:
    """Refuse values of a range too wide to be drawn in, of which each is one record's own."""
    n = int(scale.counts.sum())
    if n >= FEW and len(scale.values) > FREE_TEXT * n:
        raise SchemaError(
            f"column {scale.name!r} cannot be imitated: {len(scale.values)} of its {n} values are "
            "different, and they lie 2**53 units or more apart, so there is nothing to draw but "
            "the values themselves. Drop it, or round it before"
        )


def _to_type(values: pl.Series, dtype: pl.DataType) -> pl.Series:
    if dtype == pl.Boolean:
        return values == "true"
    return values.cast(dtype)


def _interpolation(scale: Scale) -> Interpolation | None:
    """Return what is drawn between values; None where most of them repeat."""
    ordered = scale.dtype.is_numeric() or scale.dtype.is_temporal()
    if not ordered or len(scale.values) < 2:
        return None
    if 2 * np.count_nonzero(scale.counts == 1) < len(scale.values):
        return None
    numbers = plain_numbers(scale.values)
    grid = Grid.of(numbers, single=scale.dtype == pl.Float32)
    beyond = scale.dtype.is_integer() and not grid.step  # 64 signed bits
    if beyond or (grid.step and grid.high - grid.low >= EXACT * grid.step):
        _refuse_copies(scale)
        return None
    digits = digits_of(numbers, scale.dtype, grid.step)
    return Interpolation(stretches_of(grid.places(numbers), scale.counts), grid, digits)
