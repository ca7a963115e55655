"""Numbers and the stretches of their distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from kanonym.data.hierarchy.builders.interval import numbers_of
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Floats, Ints

APART = 1.22
"""Largest Kolmogorov–Smirnov distance of a stretch, times the root of its records.

Numbers that do follow the curve are farther off once in ten times.
"""

GAP = 0.01
"""A gap so unlikely within a stretch is one where nothing is drawn."""

HEAP = 5
"""A value with so many records is one of its own among measured ones, as zero often is."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stretches(ShortRepr):
    """A distribution in stretches that are straight lines in a normal probability plot.

    shares: (s + 1,) float64 from 0 to 1, the cumulative share before each stretch.
    low, high: (s,) float64, its ends; equal for a heap of equal values.
    """

    shares: Floats
    low: Floats
    high: Floats
    rim: float

    def at(self, uniform: Floats) -> Floats:
        """Return the numbers at (n,) places of the cumulative distribution."""
        which = np.searchsorted(self.shares, uniform, side="right") - 1
        which = np.clip(which, 0, len(self.low) - 1)
        quantiles = _quantiles(self.shares, self.rim)
        start, width = quantiles[:-1], np.diff(quantiles)
        part = (_quantiles(uniform, self.rim) - start[which]) / width[which]
        low, high = self.low[which], self.high[which]
        found: Floats = np.clip(low + part * (high - low), low, high)
        return found


def stretches_of(numbers: Floats, counts: Ints) -> Stretches:
    """Return stretches that the values follow as closely as chance would have them.

    numbers: (m,) float64, distinct and ascending.
    counts: (m,) int64, records with each.

    Notes
    -----
    All values between two heaps are one stretch at first. One whose values do not follow the curve
    between its ends (test of Kolmogorov and Smirnov) is split in its middle record; one with a gap
    that they would hardly have, there, and nothing is drawn within the gap. So the draw follows the
    table as far as its records tell, and keeps neither single values nor the chance clumps between
    them.
    """
    cumulative = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    rim = 0.5 / float(counts.sum())
    heaps = np.flatnonzero(counts >= HEAP)
    found: list[tuple[int, float, float]] = []
    edges = np.concatenate([[-1], heaps, [len(numbers)]])
    for before, after in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if after - before > 1:
            found += _split_stretch(numbers, cumulative, rim, (before + 1, after))
        if after < len(numbers):
            found.append((after, float(numbers[after]), float(numbers[after])))
    starts = cumulative[[start for start, *_ in found]]
    low, high = np.array([ends for _, *ends in found]).T
    return Stretches(np.append(starts, 1.0), low, high, rim)


def _split_stretch(
    numbers: Floats, cumulative: Floats, rim: float, values: tuple[int, int]
) -> list[tuple[int, float, float]]:
    """Return first value and ends of the stretches of values from one up to another."""
    found: list[tuple[int, float, float]] = []
    quantiles = _quantiles(cumulative, rim)
    open_ = [(*values, float(numbers[values[0]]), float(numbers[values[1] - 1]))]
    while open_:
        start, stop, low, high = open_.pop()
        if stop - start == 1 or high <= low:
            found.append((start, low, high))
            continue
        before, share = cumulative[start], cumulative[stop] - cumulative[start]
        n = share / (2 * rim)
        width = quantiles[stop] - quantiles[start]
        places = (numbers[start:stop] - low) / (high - low)
        curve = (ndtr(quantiles[start] + places * width) - before) / share
        gaps = np.diff(curve)
        widest = int(gaps.argmax())
        if n * max(1.0 - gaps[widest], 0.0) ** n < GAP:
            at = start + widest + 1
            ends = float(numbers[at - 1]), float(numbers[at])
        else:
            middles = (cumulative[start:stop] + cumulative[start + 1 : stop + 1]) / 2
            apart = np.abs(curve - (middles - before) / share).max()
            if apart * np.sqrt(n) <= APART:
                found.append((start, low, high))
                continue
            half = before + share / 2
            at = int(np.searchsorted(cumulative[start + 1 : stop - 1], half)) + start + 1
            ends = (float(numbers[at - 1] / 2 + numbers[at] / 2),) * 2
        open_ += [(at, stop, ends[1], high), (start, at, low, ends[0])]
    return found


def _quantiles(shares: Floats, rim: float) -> Floats:
    """Return normal quantiles of (n,) shares in [0, 1], none beyond that of the rim."""
    found: Floats = ndtri(np.clip(shares, rim, 1.0 - rim))
    return found


MOST_DECIMALS = 12
"""Floating-point numbers with more of them are taken for measured to the last digit."""

EXACT = 2**53
"""Whole numbers below are exact in a float."""

CLOSE = 1e-6
"""A number so near to a multiple of its last decimal is one."""

WIDEST = 2**62
"""Differences of whole numbers up to here are computed without overflow."""


def plain_numbers(column: pl.Series) -> NDArray[Any]:
    """Return the (n,) int64 or float64 behind numbers and times without a null."""
    if column.dtype.is_temporal() or column.dtype == pl.Enum:
        column = column.to_physical()
    return numbers_of(column)


def typed_numbers(numbers: NDArray[Any], name: str, dtype: pl.DataType) -> pl.Series:
    """Return (n,) numbers as a column of a type of numbers or times, as `plain_numbers` read it."""
    return pl.Series(name, numbers).cast(dtype)


@dataclass(frozen=True, slots=True, repr=False)
class Grid(ShortRepr):
    """The numbers that a column could hold: multiples of a step within the observed range."""

    low: float
    high: float
    step: int
    decimals: int | None

    @classmethod
    def of(cls, values: NDArray[Any], *, single: bool = False) -> Grid:
        """Return the grid of (m,) distinct ascending numbers, at least one.

        single: the column holds floating-point numbers of 32 bits.
        """
        low, high = values[0], values[-1]
        if values.dtype == np.int64:
            if int(high) - int(low) > WIDEST:
                return cls(int(low), int(high), 1, None)
            return cls(int(low), int(high), max(int(np.gcd.reduce(values - low)), 1), None)
        return cls(float(low), float(high), 0, _decimals(values, single=single))

    def places(self, numbers: NDArray[Any]) -> Floats:
        """Return (n,) numbers as float64: whole ones counted in steps from the lowest."""
        places = (numbers - self.low) // self.step if self.step else numbers
        result: Floats = places.astype(np.float64)
        return result

    def at(self, places: Floats) -> NDArray[Any]:
        """Return the nearest numbers of the grid to (n,) places, none beyond the range."""
        numbers: NDArray[Any] = self._round(places)
        if self.step:
            numbers = self.low + np.rint(places).astype(np.int64) * self.step
        found: NDArray[Any] = np.clip(numbers, self.low, self.high)
        return found

    def nearest(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return the numbers of the grid that are nearest to (n,) others."""
        if self.step and numbers.dtype == np.int64:
            found: NDArray[Any] = np.maximum(self.down(numbers + self.step // 2), self.low)
            return found
        return self.at((numbers - self.low) / self.step if self.step else numbers)

    def up(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return the lowest numbers of the grid that are not below (n,) others."""
        if self.step:
            raised: NDArray[Any] = np.maximum(numbers, self.low)
            return self.low - (self.low - raised) // self.step * self.step
        if self.decimals is not None:
            scale = 10.0**self.decimals
            rounded = self._round(np.ceil(numbers * scale - CLOSE) / scale)
            numbers = np.maximum(rounded, numbers)
        found: NDArray[Any] = np.maximum(numbers, self.low)
        return found

    def down(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Return the highest numbers of the grid that are not above (n,) others."""
        if self.step:
            lowered: NDArray[Any] = np.minimum(numbers, self.high)
            return self.low + (lowered - self.low) // self.step * self.step
        if self.decimals is not None:
            scale = 10.0**self.decimals
            rounded = self._round(np.floor(numbers * scale + CLOSE) / scale)
            numbers = np.minimum(rounded, numbers)
        found: NDArray[Any] = np.minimum(numbers, self.high)
        return found

    def _round(self, numbers: Floats) -> Floats:
        if self.decimals is None:
            return numbers
        rounded: Floats = np.round(numbers, self.decimals) + 0.0  # no negative zero
        return rounded

    @property
    def size(self) -> int:
        """How many numbers lie on the grid, at most 2**53."""
        if self.step:
            return min(int(self.high - self.low) // self.step + 1, EXACT)
        if self.decimals is None:
            return EXACT if self.low < self.high else 1
        return min(round((self.high - self.low) * 10.0**self.decimals) + 1, EXACT)


def _decimals(values: Floats, *, single: bool) -> int | None:
    """Return the fewest decimals with which all numbers are written, None beyond twelve."""
    kind = np.float32 if single else np.float64
    typed = values.astype(kind)
    sample = np.unique(np.linspace(0, len(values) - 1, 200).astype(np.int64))
    largest = max(abs(values[0]), abs(values[-1]), 1.0)
    for decimals in range(MOST_DECIMALS + 1):
        if largest * 10.0**decimals > EXACT:
            return None
        for part in (sample, slice(None)):
            if not np.array_equal(np.round(values[part], decimals).astype(kind), typed[part]):
                break
        else:
            return decimals
    return None
