"""Intervals of fixed widths from an origin, with edges that are exact decimals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy.builders.base import Column, Level

_DIGITS = 22  # powers of ten up to here are exact in a float
_EXACT = 2**53  # whole numbers below are exact in a float


@dataclass(frozen=True, slots=True)
class Grid:
    """Widths and origin as whole multiples of a power of ten.

    Three widths of 0.1 end at 0.3, not at 0.30000000000000004: edges are computed
    as whole numbers and divided once, which gives the float nearest to the decimal
    that a person reads. A value then lies in the interval whose edges say so.
    """

    widths: tuple[int, ...]
    origin: int
    scale: int

    @classmethod
    def of(cls, widths: Sequence[float], origin: float) -> Self:
        """Return the grid of positive, ascending widths that nest."""
        numbers = [Decimal(str(number)) for number in (*widths, origin)]
        digits = max(0, *(-int(number.normalize().as_tuple().exponent) for number in numbers))
        if digits > _DIGITS:
            raise HierarchyError(f"width and origin may have {_DIGITS} decimals, not {digits}")
        *scaled, start = (int(number.scaleb(digits)) for number in numbers)
        if min(scaled) <= 0:
            raise HierarchyError(f"width must be positive, not {min(widths)}")
        for (narrow, wide), (low, high) in zip(pairwise(scaled), pairwise(widths), strict=True):
            if wide % narrow:
                raise HierarchyError(f"width must nest: {high} is not a multiple of {low}")
        return cls(tuple(scaled), start, 10**digits)

    def levels(
        self, column: Column, bottom: float | None = None, top: float | None = None
    ) -> list[Level]:
        """Return one level a width; values below `bottom` and from `top` on are groups apart.

        Cost: a few passes over the values; only kept levels have their labels written.
        """
        numbers = numbers_of(column.values)
        start = 0 if bottom is None else int((numbers < bottom).sum())
        stop = len(numbers) if top is None else int((numbers < top).sum())
        finest = self._index(numbers[start:stop], column.name)
        coded = (start, len(numbers) - stop)
        return [self._level(width, finest, coded, (bottom, top)) for width in self.widths]

    def _index(self, numbers: NDArray[Any], name: str) -> NDArray[np.int64]:
        """Return the number of the finest interval of each value."""
        width = self.widths[0]
        if not len(numbers):
            return np.zeros(0, dtype=np.int64)
        reach = max(abs(float(numbers[0])), abs(float(numbers[-1]))) * self.scale
        if reach + abs(self.origin) + self.widths[-1] >= _EXACT:
            raise HierarchyError(
                f"column {name!r} holds numbers too large for intervals of width "
                f"{width / self.scale:g}: use bounds or quantiles, or code the ends by bottom "
                "and top"
            )
        if numbers.dtype == np.int64 and self.scale == 1:
            whole: NDArray[np.int64] = (numbers - self.origin) // width
            return whole
        index = np.floor((numbers * self.scale - self.origin) / width).astype(np.int64)
        index -= numbers < self._edges(index, width)
        index += numbers >= self._edges(index + 1, width)
        return index

    def _edges(self, index: NDArray[np.int64], width: int) -> NDArray[Any]:
        """Return where intervals start."""
        edges: NDArray[Any] = self.origin + index * width
        return edges if self.scale == 1 else edges / self.scale

    def _level(
        self,
        width: int,
        finest: NDArray[np.int64],
        coded: tuple[int, int],
        ends: tuple[float | None, float | None],
    ) -> Level:
        """Return one level: the coded values below, the intervals, the coded values above."""
        index = finest // (width // self.widths[0])
        first, last = (int(index[0]), int(index[-1])) if len(index) else (0, 0)
        groups = np.concatenate(
            [np.full(coded[0], first - 1), index, np.full(coded[1], last + 1)]
        ).astype(np.int64)

        def labels(starts: NDArray[np.int64], _: NDArray[np.int64]) -> list[str]:
            chosen = groups[starts]
            chosen = chosen[(chosen >= first) & (chosen <= last)] if len(index) else chosen[:0]
            edges = self._edges(np.stack([chosen, chosen + 1]), width)
            low, high = (pl.Series(row).cast(pl.String).to_list() for row in edges)
            if low and ends[0] is not None and edges[0, 0] < ends[0]:
                low[0] = number_text(ends[0])
            if high and ends[1] is not None and edges[1, -1] > ends[1]:
                high[-1] = number_text(ends[1])
            below = [f"<{number_text(ends[0])}"] if coded[0] and ends[0] is not None else []
            above = [f">={number_text(ends[1])}"] if coded[1] and ends[1] is not None else []
            return [*below, *(f"[{a}, {b})" for a, b in zip(low, high, strict=True)), *above]

        return Level(groups, labels)


def numbers_of(values: pl.Series) -> NDArray[Any]:
    """Return numbers as int64 where they are whole and fit, else as float64."""
    if values.dtype.is_integer():
        whole = values.cast(pl.Int64, strict=False)
        if not whole.has_nulls():
            return whole.to_numpy()
    return values.cast(pl.Float64).to_numpy()


def number_text(number: float) -> str:
    """Return a number as labels show it: `20` for 20 and for 20.0."""
    if abs(number) < _EXACT and float(number).is_integer():
        return str(int(number))
    return str(number)
