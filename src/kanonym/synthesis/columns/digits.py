"""Digits: how round the numbers of a finely measured column are, which no correlation shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.synthesis.columns.numbers import EXACT, MOST_DECIMALS

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
    finer: NDArray[np.bool_]
    off: NDArray[np.float64]

    def at(self, numbers: NDArray[Any], codes: NDArray[np.int64]) -> NDArray[Any]:
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

    Notes
    -----
    Incomes that people say in thousands, prices of which few have cents, and sums such as
    0.1 + 0.2: were all drawn with the digits of the finest, digits would tell who was drawn. The
    kind that most values have is what most are rounded to; as many as are finer stay so. Cost
    O(m) for each of at most 13 kinds.

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


def _last(numbers: NDArray[np.float64], size: float) -> NDArray[np.float64]:
    """Return (n,) the last steps of floats as large as the numbers, or as `size`."""
    found: NDArray[np.float64] = np.spacing(np.maximum(np.abs(numbers), size))
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
