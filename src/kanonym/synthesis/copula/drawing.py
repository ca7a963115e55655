"""Records drawn from the copula, beside given values and within the constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from kanonym.data.errors import DataError
from kanonym.data.results.short_repr import ShortRepr
from kanonym.synthesis.copula.conditional import draw_between, draw_in_boxes, regression_on
from kanonym.synthesis.copula.coordinates import Axis, Coordinates
from kanonym.synthesis.copula.numbers import typed_numbers
from kanonym.synthesis.copula.relations import Relations, Step, gaps_of, numbers_and_presence
from kanonym.synthesis.copula.scales import Scale

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class FittedTable(ShortRepr):
    """What was fitted to a table: scales of its columns, coordinates and relations."""

    scales: tuple[Scale, ...]
    coordinates: Coordinates
    relations: Relations


@dataclass(frozen=True, eq=False, repr=False)
class KnownCoordinates(ShortRepr):
    """What is known of records before anything is drawn.

    lower, upper: (n, a) float64, normal quantiles between which each lies.
    """

    axes: tuple[Axis, ...]
    lower: Floats
    upper: Floats


def complete_records(
    fitted: FittedTable, n: int, held: Mapping[int, pl.Series], random: np.random.Generator
) -> list[pl.Series]:
    """Return n records, one series a column; `held` are given columns by number."""
    steps = fitted.relations.walk(list(held))
    asked = known_coordinates(fitted, n, held, steps)
    correlation = fitted.coordinates.among(asked.axes)
    state = draw_in_boxes(asked.lower, asked.upper, correlation, random)
    drawing = _CopulaDraw(fitted, asked.axes, correlation, state, random)
    result = dict(held)
    known: dict[int, tuple[NDArray[Any], Flags]] = {}
    for step in steps:
        if step.column in held:
            known[step.column] = numbers_and_presence(held[step.column])
            continue
        numbers, there = known[step.column] = drawing.constrained_numbers(step, known)
        scale = fitted.scales[step.column]
        result[step.column] = _null_where_absent(
            there, typed_numbers(numbers, scale.name, scale.dtype)
        )
    for column in range(len(fitted.scales)):
        if column not in result:
            result[column] = drawing.free_column(column)
    return [result[column] for column in range(len(fitted.scales))]


def known_coordinates(
    fitted: FittedTable, n: int, held: Mapping[int, pl.Series], steps: Sequence[Step]
) -> KnownCoordinates:
    """Return the coordinates that are needed, and where they lie in n records.

    A column that follows from another one by a constraint is known by the gap between them;
    where that other one is null, by its own value.
    """
    known = fitted.coordinates.axes
    intervals: dict[Axis, tuple[Floats, Floats]] = {}
    links = {step.column: step.link for step in steps}

    def require_axis(axis: Axis, low: Floats, high: Floats) -> None:
        if axis in known:
            intervals[axis] = low, high

    nothing = np.zeros(n), np.ones(n)
    for column, scale in enumerate(fitted.scales):
        given, at = held.get(column), links.get(column)
        low, high = nothing if given is None else scale.places_of(given)
        if given is None:
            require_axis(Axis("presence", column), *nothing)
        else:
            null = given.is_null().to_numpy()
            require_axis(
                Axis("presence", column),
                np.where(null, scale.present, 0.0),
                np.where(null, 1.0, scale.present),
            )
        if at is None:
            require_axis(Axis("value", column), low, high)
            continue
        link = fitted.relations.links[at]
        other = link.other(column)
        linked: Flags = np.ones(n, np.bool_)
        if other in held:
            linked = held[other].is_not_null().to_numpy()
        if given is None:
            require_axis(Axis("gap", at), *nothing)
        else:
            gaps = gaps_of(link.constraint, held[link.low], held[link.high])
            linked = gaps.is_not_null().to_numpy()
            require_axis(Axis("gap", at), *link.gaps.places_of(gaps))
        maybe_null = not linked.all() if other in held else fitted.scales[other].n_null > 0
        if maybe_null:
            require_axis(
                Axis("value", column), np.where(linked, 0.0, low), np.where(linked, 1.0, high)
            )
    axes = tuple(axis for axis in known if axis in intervals)
    lower, upper = np.empty((n, len(axes))), np.empty((n, len(axes)))
    for at, axis in enumerate(axes):
        lower[:, at], upper[:, at] = map(ndtri, intervals[axis])
    return KnownCoordinates(axes, lower, upper)


class _CopulaDraw:
    """A draw of all coordinates, and what it says of each column."""

    def __init__(
        self,
        fitted: FittedTable,
        axes: Sequence[Axis],
        correlation: Floats,
        state: Floats,
        random: np.random.Generator,
    ) -> None:
        self.fitted = fitted
        self.places = {axis: at for at, axis in enumerate(axes)}
        self.correlation = correlation
        self.state = state
        self.random = random

    def free_column(self, column: int) -> pl.Series:
        """Return a column that no constraint is about."""
        scale = self.fitted.scales[column]
        if not len(scale.values):
            return pl.Series(scale.name, [None] * len(self.state), scale.dtype)
        return _null_where_absent(
            self._is_present(column), scale.values_at(self._uniform(Axis("value", column)))
        )

    def constrained_numbers(
        self, step: Step, known: Mapping[int, tuple[NDArray[Any], Flags]]
    ) -> tuple[NDArray[Any], Flags]:
        """Return (n,) numbers of a constrained column and which of them there are.

        known: the same of the columns before it.
        """
        column = step.column
        scale, grid = self.fitted.scales[column], self.fitted.relations.grids[column]
        low, high = self.fitted.relations.bounds(column, known, len(self.state))
        ends = grid.up(low), grid.down(high)
        there = self._is_present(column)
        linked: Flags = np.zeros(len(there), np.bool_)
        numbers: NDArray[Any] = np.full(len(there), grid.low)
        if step.link is not None:
            link = self.fitted.relations.links[step.link]
            anchor, linked = known[link.other(column)]
            rows = np.flatnonzero(linked & there)
            start = _Start(anchor[rows], 1 if column == link.high else -1)
            numbers[rows] = grid.nearest(
                self._draw_within(
                    Axis("gap", step.link), link.gaps, rows, start, _ends_at(ends, rows)
                )
            )
        rows = np.flatnonzero(~linked & there)
        numbers[rows] = grid.nearest(
            self._draw_within(
                Axis("value", column),
                scale,
                rows,
                _Start(np.zeros(len(rows), numbers.dtype), 1),
                _ends_at(ends, rows),
            )
        )
        # Within the column's own range where that leaves room, within the constraints always.
        room = ends[0] <= ends[1]
        numbers = np.where(
            room, np.clip(numbers, *np.where(room, ends, grid.low)), np.clip(numbers, low, high)
        )
        none = there & (low > high)
        if none.any():
            self._refuse_no_room(none, column, known)
            there = there & ~none
        return numbers, there

    def _refuse_no_room(
        self, none: Flags, column: int, known: Mapping[int, tuple[NDArray[Any], Flags]]
    ) -> None:
        """Refuse a column without room between others, but where it can be null instead."""
        scales = self.fitted.scales
        if scales[column].n_null:
            return
        others = [f"{scales[other].name!r}" for other in known]
        raise DataError(
            f"row {np.flatnonzero(none)[0] + 1}: the given values of {', '.join(others)} leave no "
            f"room for column {scales[column].name!r}, by the constraints; correct them, or give "
            "that column too"
        )

    def _draw_within(
        self,
        axis: Axis,
        scale: Scale,
        rows: NDArray[np.int64],
        start: _Start,
        ends: tuple[NDArray[Any], NDArray[Any]],
    ) -> NDArray[Any]:
        """Return start ± what is drawn of a scale in some rows, drawn again if beyond the ends."""
        anchor, sign = start
        numbers: NDArray[Any] = anchor + sign * scale.numbers(self._uniform(axis)[rows])
        bad = np.flatnonzero((numbers < ends[0]) | (numbers > ends[1]))
        if not len(bad):
            return numbers
        low, high = _ends_at(ends, bad)
        anchor = anchor[bad]
        first, last = (low - anchor) * sign, (high - anchor) * sign
        shares = scale.share_between(np.minimum(first, last), np.maximum(first, last))
        # Where no known value fits, any that does.
        evenly = low + self.random.random(len(bad)) * (high - low)
        again = np.rint(evenly).astype(np.int64) if numbers.dtype == np.int64 else evenly
        some = np.flatnonzero(shares[0] < shares[1])
        fitting = scale.numbers(self._redraw(axis, rows[bad[some]], _ends_at(shares, some)))
        again[some] = anchor[some] + sign * fitting
        numbers[bad] = again
        return numbers

    def _redraw(self, axis: Axis, rows: NDArray[np.int64], shares: tuple[Floats, Floats]) -> Floats:
        """Return what a coordinate is in some rows, drawn between shares beside all others."""
        if axis not in self.places:
            return np.zeros(len(rows))
        own = np.array([self.places[axis]])
        others = np.delete(np.arange(len(self.places)), own)
        weights, variance = regression_on(self.correlation, own, others)
        mean = self.state[np.ix_(rows, others)] @ weights[0]
        lower, upper = ndtri(shares)
        found = draw_between(mean, float(variance[0, 0]), lower, upper, self.random)
        self.state[rows, own] = found
        uniform: Floats = ndtr(found)
        return uniform

    def _is_present(self, column: int) -> Flags:
        axis, scale = Axis("presence", column), self.fitted.scales[column]
        there: Flags = self._uniform(axis) < scale.present
        return there

    def _uniform(self, axis: Axis) -> Floats:
        """Return (n,) float64 in [0, 1], the place in the distribution; 0 if there is but one."""
        if axis not in self.places:
            return np.zeros(len(self.state))
        uniform: Floats = ndtr(self.state[:, self.places[axis]])
        return uniform


class _Start(NamedTuple):
    """From where a gap leads, (n,) numbers, and whether up (1) or down (-1)."""

    anchor: NDArray[Any]
    sign: int


def _ends_at(
    ends: tuple[NDArray[Any], NDArray[Any]], rows: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[Any]]:
    return ends[0][rows], ends[1][rows]


def _null_where_absent(there: Flags, column: pl.Series) -> pl.Series:
    """Return a column with null where nothing is."""
    if there.all():
        return column
    return pl.select(
        pl.when(pl.Series(there)).then(column).otherwise(None).alias(column.name)
    ).to_series()
