"""Hierarchies of intervals on a grid of numbers or dates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy.base import ROOT
from kanonym.data.hierarchy.builders.base import (
    Builder,
    Column,
    Level,
    Plan,
    integers_per_level,
    neighbour_runs,
    values_per_level,
)
from kanonym.data.hierarchy.labels import value_texts
from kanonym.kernels.arrays import Ints

_DIGITS = 22  # powers of ten up to here are exact in a float
_EXACT = 2**53  # whole numbers below are exact in a float


@dataclass(frozen=True, slots=True)
class Grid:
    """Widths and origin as whole multiples of a power of ten.

    Three widths of 0.1 end at 0.3, not at 0.30000000000000004: edges are computed as whole numbers
    and divided once, which gives the float nearest to the decimal that a person reads.
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
        """Return one level a width; values below `bottom` and from `top` on are groups apart."""
        numbers = numbers_of(column.values)
        start = 0 if bottom is None else int((numbers < bottom).sum())
        stop = len(numbers) if top is None else int((numbers < top).sum())
        finest = self._index(numbers[start:stop], column.name)
        coded = (start, len(numbers) - stop)
        return [self._level(width, finest, coded, (bottom, top)) for width in self.widths]

    def _index(self, numbers: NDArray[Any], name: str) -> Ints:
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
            whole: Ints = (numbers - self.origin) // width
            return whole
        index = np.floor((numbers * self.scale - self.origin) / width).astype(np.int64)
        index -= numbers < self._edges(index, width)
        index += numbers >= self._edges(index + 1, width)
        return index

    def _edges(self, index: Ints, width: int) -> NDArray[Any]:
        """Return where intervals start."""
        edges: NDArray[Any] = self.origin + index * width
        return edges if self.scale == 1 else edges / self.scale

    def _level(
        self,
        width: int,
        finest: Ints,
        coded: tuple[int, int],
        ends: tuple[float | None, float | None],
    ) -> Level:
        """Return one level: the coded values below, the intervals, the coded values above."""
        index = finest // (width // self.widths[0])
        first, last = (int(index[0]), int(index[-1])) if len(index) else (0, 0)
        groups = np.concatenate(
            [np.full(coded[0], first - 1), index, np.full(coded[1], last + 1)]
        ).astype(np.int64)

        def labels(starts: Ints, _: Ints) -> list[str]:
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


Number = float  # whole numbers included


@dataclass(frozen=True, slots=True)
class Intervals(Builder):
    """Half-open intervals `[20, 30)` over a column of numbers, wider from level to level.

    At most one of `width`, `bounds` and `quantiles` says where intervals end; with none
    of them, only the ends of the range are coded. Intervals nest: each of one level
    lies within one of the next.

    Parameters
    ----------
    width
        The width of intervals, one a level, each a multiple of the one before.
    origin
        Where an interval starts when `width` is given; 0 if None.
    bounds
        Ascending numbers: the intervals `<a`, `[a, b)`, `>=b`. A list of such lists is
        one a level, each a part of the one before.
    quantiles
        Numbers of groups of about as many records each, one a level, each dividing
        the one before. An interval starts at a value of the data.
    bottom
        Bottom coding: values below become `<bottom` at every level.
    top
        Top coding: values from here on become `>=top` at every level.

    Raises
    ------
    HierarchyError
        Parameters that do not nest, are not ascending or contradict each other; when
        bound, a column that does not hold numbers.

    Examples
    --------
    >>> import polars as pl
    >>> from kanonym.data import hierarchy
    >>> ages = pl.Series("age", [3, 17, 24, 26, 95])
    >>> coded = hierarchy.intervals(width=[5, 10], bottom=18, top=90).bind(ages)
    >>> coded.generalize(1)
    ['<18', '<18', '[20, 25)', '[25, 30)', '>=90']
    >>> coded.generalize(2)
    ['<18', '<18', '[20, 30)', '[20, 30)', '>=90']
    >>> hierarchy.intervals(bounds=[18, 65]).bind(ages).generalize(1)
    ['<18', '<18', '[18, 65)', '[18, 65)', '>=65']
    >>> hierarchy.intervals(width=[10, 15])
    Traceback (most recent call last):
    kanonym.data.errors.HierarchyError: width must nest: 15 is not a multiple of 10
    """

    kind: ClassVar[str] = "intervals"

    width: Number | Sequence[Number] | None = None
    origin: Number | None = None
    bounds: Sequence[Number] | Sequence[Sequence[Number]] | None = None
    quantiles: int | Sequence[int] | None = None
    bottom: Number | None = None
    top: Number | None = None

    def __post_init__(self) -> None:
        given = [
            name for name in ("width", "bounds", "quantiles") if getattr(self, name) is not None
        ]
        ends = [number for number in (self.bottom, self.top) if number is not None]
        if len(given) > 1:
            raise HierarchyError(f"intervals take only one of {' and '.join(given)}")
        if not given and not ends:
            raise HierarchyError("intervals need width, bounds, quantiles, bottom or top")
        _require_ascending("bottom and top", ends)
        if self.origin is not None:
            _require_ascending("origin", [self.origin])
            if self.width is None:
                raise HierarchyError("origin is where intervals of a fixed width start: give width")
        if self.width is not None:
            widths = values_per_level("width", self.width)
            _require_ascending("width", widths)
            Grid.of(widths, self.origin or 0)
            object.__setattr__(self, "width", widths)
        if self.bounds is not None:
            object.__setattr__(self, "bounds", _nested_bounds(self.bounds))
        if self.quantiles is not None:
            groups = integers_per_level("quantiles", self.quantiles, least=2)
            object.__setattr__(self, "quantiles", groups)
            for more, fewer in pairwise(groups):
                if more % fewer or more == fewer:
                    raise HierarchyError(
                        f"quantiles must nest: {fewer} groups are not made of {more}"
                    )

    def plan(self, column: Column) -> Plan:
        """Return the column's numbers, and one level a width, list of bounds or quantile."""
        if not column.values.dtype.is_numeric():
            raise HierarchyError(
                f"column {column.name!r} holds {column.values.dtype}: intervals need numbers"
                + ("; use dates" if column.values.dtype.is_temporal() else "")
            )
        return Plan(column.values, list(self._levels(column)))

    def _levels(self, column: Column) -> Iterable[Level]:
        if self.width is not None:
            grid = Grid.of(values_per_level("width", self.width), self.origin or 0)
            return grid.levels(column, self.bottom, self.top)
        numbers = numbers_of(column.values)
        if self.bounds is not None:
            return [self._cut_level(numbers, cuts) for cuts in _nested_bounds(self.bounds)]
        if self.quantiles is not None:
            groups = values_per_level("quantiles", self.quantiles)
            text = _single_text if column.values.dtype.is_(pl.Float32) else number_text
            return [self._cut_level(numbers, _quantile_cuts(column, q), text) for q in groups]
        return [self._code_ends(column.values, numbers)]

    def _cut_level(
        self,
        numbers: NDArray[Any],
        cuts: Sequence[Number],
        text: Callable[[Number], str] = number_text,
    ) -> Level:
        """Return the level of intervals between cut points, ends coded; text: of a cut point."""
        low = -math.inf if self.bottom is None else self.bottom
        high = math.inf if self.top is None else self.top
        ends = {low, high} - {-math.inf, math.inf}
        points = sorted(ends | {cut for cut in cuts if low < cut < high})
        groups = np.searchsorted(np.asarray(points), numbers, side="right")

        def labels(starts: Ints, _: Ints) -> list[str]:
            names = [text(point) for point in points]
            if not names:  # quantiles of values that are mostly one
                return [ROOT] * len(starts)
            inner = (f"[{a}, {b})" for a, b in pairwise(names))
            all_labels = [f"<{names[0]}", *inner, f">={names[-1]}"]
            return [all_labels[group] for group in groups[starts]]

        return Level(groups, labels)

    def _code_ends(self, values: pl.Series, numbers: NDArray[Any]) -> Level:
        """Return the level that codes the ends of the range and keeps the values between."""
        n = len(numbers)
        groups = np.arange(n)
        names = {}
        if self.bottom is not None:
            groups[numbers < self.bottom] = -1
            names[-1] = f"<{number_text(self.bottom)}"
        if self.top is not None:
            groups[numbers >= self.top] = n
            names[n] = f">={number_text(self.top)}"

        def labels(starts: Ints, _: Ints) -> list[str]:
            kept = value_texts(values.gather(starts))
            return [
                names.get(group, text)
                for group, text in zip(groups[starts].tolist(), kept, strict=True)
            ]

        return Level(groups, labels)


def _single_text(number: Number) -> str:
    """Return a number of 32 bits as a column of such numbers writes it: 48.1, not 48.099998474."""
    return number_text(float(str(np.float32(number))))


def _quantile_cuts(column: Column, groups: int) -> list[Number]:
    """Return the values at which quantile groups start."""
    twice_middle = 2 * np.cumsum(column.counts) - column.counts
    group = twice_middle * groups // (2 * int(column.counts.sum()))
    starts, _ = neighbour_runs(group)
    cuts: list[Number] = column.values.gather(starts[1:]).to_list()
    return cuts


def _require_ascending(name: str, numbers: Sequence[Number]) -> None:
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise HierarchyError(f"{name} must be numbers, not {number!r}")
        if not abs(number) < (2**63 if isinstance(number, int) else math.inf):
            raise HierarchyError(
                f"{name} must be finite, whole numbers of at most 64 bits, not {number!r}"
            )
    if any(a >= b for a, b in pairwise(numbers)):
        raise HierarchyError(f"{name} must be ascending: {', '.join(map(str, numbers))}")


def _nested_bounds(
    given: Sequence[Number] | Sequence[Sequence[Number]],
) -> tuple[tuple[Number, ...], ...]:
    lists = values_per_level("bounds", given)
    if not isinstance(lists[0], Sequence):
        lists = (lists,)
    levels = tuple(values_per_level("bounds", level) for level in lists)
    for level in levels:
        _require_ascending("bounds", level)
    for lower, upper in pairwise(levels):
        for bound in upper:
            if bound not in lower:
                raise HierarchyError(
                    f"bounds must nest: {bound} is not a bound of the level below "
                    f"({', '.join(map(str, lower))})"
                )
    return levels
