"""Sequential trees: each column is drawn from a tree of the columns before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.parallel import parallel
from kanonym.models.base import check_integer
from kanonym.policy.faults import unknown_name
from kanonym.synthesis.columns import Constraint
from kanonym.synthesis.columns.numbers import Grid, plain_numbers, typed_numbers
from kanonym.synthesis.columns.relations import (
    Link,
    Relations,
    numbers_and_presence,
    relate_columns,
)
from kanonym.synthesis.columns.scales import Scale, scale_of
from kanonym.synthesis.trees.column_tree import ColumnTree, grow_tree

Numbers = dict[int, tuple[NDArray[Any], Bools]]
"""By constrained column, (n,) numbers and which of them there are."""

LEAST = 5
"""Records in a leaf, at least: a leaf of one record publishes it."""

LEAF = 20
"""Records in a leaf unless others are asked for: where inference risk stayed below 0.1."""

TRIES = 10
"""Rounds in which a number that breaks a constraint is drawn again from the same leaf."""


@dataclass(frozen=True, slots=True)
class SequentialTrees:
    """Sequential classification and regression trees (CART).

    The first column is drawn from its distribution. Each further one has a tree of the columns
    before it; a drawn record goes down the tree to a leaf, and takes the value of one of the real
    records there. So what several columns show together is kept. It gives no guarantee of privacy.

    Attributes
    ----------
    leaf
        Records in a leaf of a tree, at least 5. More records say less of single ones. A table
        of fewer records has each column drawn by itself.
    order
        Columns that are drawn first; the others follow in the order of the table.

    Raises
    ------
    PolicyError
        A leaf may hold fewer than 5 records; or, when it learns, the order is none of the table.

    Notes
    -----
    Values that repeat are drawn as they are. Of a column of numbers or times of which most
    values occur once, a number near the real one is drawn, along normal curves that the values
    follow in stretches (`columns.stretches`), with the decimals or in the unit of the column and
    as many round numbers (`columns.digits`). A column that a constraint joins to one before it
    is drawn as the gap between both. What breaks a constraint with a column before is drawn
    again from its leaf, and at last evenly from what constraints leave open.

    Cost: one tree per column, O(n · d² · log² n) for d columns.

    References
    ----------
    Reiter (2005), "Using CART to generate partially synthetic public use microdata", Journal of
    Official Statistics 21(3); Nowok, Raab and Dibben (2016), "synthpop", Journal of Statistical
    Software 74(11). Deviations: leaves hold at least 20 records instead of 5; a category of a
    given column has a place in an order instead of a side in every cut.
    """

    name: ClassVar[str] = "trees"
    leaf: int = LEAF
    order: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse leaves that publish records."""
        check_integer(self.name, "leaf", self.leaf, 1)
        if self.leaf < LEAST:
            raise PolicyError(
                f"{self.name}: leaf is {self.leaf}; it must be at least {LEAST}. A tree with "
                "smaller leaves learns single records by heart, and the synthetic table "
                "publishes them"
            )
        if isinstance(self.order, str):
            raise PolicyError(f"{self.name}: order is a list of columns, not {self.order!r}")

    def fit(
        self,
        columns: Sequence[pl.Series],
        constraints: Sequence[Constraint],
        random: np.random.Generator,
    ) -> LearnedByTrees:
        """Learn a table, the gaps of constraints included."""
        read = parallel(scale_of, columns)
        scales = [scale for scale, _ in read]
        relations, gaps = relate_columns(columns, scales, constraints)
        order = self._places([column.name for column in columns])
        seeds = random.integers(1 << 31, size=(len(order), 2)).tolist()
        least = min(self.leaf, len(columns[0]))

        known_before: list[list[tuple[Scale, Int32s]]] = [[]]
        for at, place in enumerate(order):
            after = [
                (link.gaps, gaps[number])
                for number, link in enumerate(relations.links)
                if link.joins(place, order[:at])
            ]
            known_before.append([*known_before[at], read[place], *after])

        def step(at: int) -> Step:
            place, before, known = order[at], order[:at], known_before[at]
            tree = grow_tree(read[place], known, self.leaf, seeds[at][0])
            for link, codes in zip(relations.links, gaps, strict=True):
                rows = np.flatnonzero(codes >= 0)
                if link.joins(place, before) and len(rows) >= least:
                    held = [(scale, every[rows]) for scale, every in known]
                    gap = grow_tree((link.gaps, codes[rows]), held, self.leaf, seeds[at][1])
                    return Step(place, tree, (link, gap))
            return Step(place, tree, None)

        steps = tuple(parallel(step, range(len(order))))
        return LearnedByTrees(tuple(scales), steps, relations)

    def _places(self, names: list[str]) -> list[int]:
        """Return the columns by number, in the order in which they are drawn."""
        for at, name in enumerate(self.order):
            if name not in names:
                raise SchemaError(f"order: {unknown_name('column', name, names)}")
            if name in self.order[:at]:
                raise SchemaError(f"order: {name!r} is named twice")
        return [names.index(name) for name in dict.fromkeys((*self.order, *names))]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Step(ShortRepr):
    """How one column is drawn after those of the steps before."""

    place: int
    tree: ColumnTree
    gap: tuple[Link, ColumnTree] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearnedByTrees(ShortRepr):
    """What sequential trees learned of a table.

    Columns that are given are the first ones in the order of the trees, in that order.
    """

    scales: tuple[Scale, ...]
    steps: tuple[Step, ...]
    relations: Relations

    def sample(self, n: int, random: np.random.Generator) -> list[pl.Series]:
        """Return n records, each of which keeps all constraints."""
        return self._in_order(_Draw(self, n, [], random).columns_up_to(len(self.steps)))

    def complete(self, given: Sequence[pl.Series], random: np.random.Generator) -> list[pl.Series]:
        """Return records that hold given values, and in all other columns what goes with them."""
        drawing = _Draw(self, len(given[0]), given, random)
        return self._in_order(drawing.columns_up_to(len(self.steps)))

    def next_column(self, given: Sequence[pl.Series], random: np.random.Generator) -> pl.Series:
        """Return what `complete` draws of the column that follows the given ones."""
        drawing = _Draw(self, len(given[0]), given, random)
        return drawing.columns_up_to(len(given) + 1)[-1]

    def next_probabilities(self, given: Sequence[pl.Series]) -> tuple[pl.Series, Floats]:
        """Return the values of the column that follows the given ones, and how likely each is.

        Returns
        -------
        The (m,) values, null last if the table has any, and (n, m) float64 of which each row sums
        to 1: the shares in the leaf of a record, which counts as one record more that has any
        value as likely as in the table.
        """
        step = self.steps[len(given)]
        scale = self.scales[step.place]
        drawing = _Draw(self, len(given[0]), given, np.random.default_rng(0))
        drawing.columns_up_to(len(given))
        m = len(scale.values)
        in_table = np.append(scale.counts, scale.n_null)
        counts = step.tree.leaf_counts(drawing.codes, m) + in_table / in_table.sum()
        shares = counts / counts.sum(axis=1, keepdims=True)
        if scale.n_null:
            return scale.values.extend_constant(None, 1), shares
        return scale.values, shares[:, :m]

    def limits(
        self, name: str, given: Sequence[pl.Series]
    ) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Return what constraints leave open to a column beside given ones.

        Returns
        -------
        (n,) the lowest and (n,) the highest number that each record can have, times in the unit
        of their type; None where no constraint is about the column.
        """
        place = self._place(name)
        if place not in self.relations.grids:
            return None
        held = {
            self._place(column.name): numbers_and_presence(column)
            for column in given
            if self._place(column.name) in self.relations.grids
        }
        return self.relations.bounds(place, held, len(given[0]))

    def reach(self, name: str) -> int:
        """Return how many different values of a column can be drawn, null included, at most 2**53.

        Values that repeat are drawn as they are; of a column that is measured finely, all numbers
        with its decimals or of its unit that lie in its range.
        """
        return self.scales[self._place(name)].reach

    def _place(self, name: str) -> int:
        return [scale.name for scale in self.scales].index(name)

    def _in_order(self, drawn: Sequence[pl.Series]) -> list[pl.Series]:
        """Return columns that were drawn one after the other in the order of the table."""
        places = {step.place: at for at, step in enumerate(self.steps)}
        return [drawn[places[place]] for place in range(len(self.scales))]


class _Draw:
    """Records that are drawn column by column.

    codes: (n,) int32 of each column so far, and behind it of the gaps to columns before it.
    """

    def __init__(
        self,
        learned: LearnedByTrees,
        n: int,
        given: Sequence[pl.Series],
        random: np.random.Generator,
    ) -> None:
        self.learned = learned
        self.n = n
        self.random = random
        self.given = given
        self.codes: list[Int32s] = []
        self.numbers: Numbers = {}

    def columns_up_to(self, count: int) -> list[pl.Series]:
        """Return so many columns, in the order of the trees."""
        columns: list[pl.Series] = []
        for step in self.learned.steps[:count]:
            scale = self.learned.scales[step.place]
            constrained = step.place in self.learned.relations.grids
            at = len(columns)
            if at < len(self.given):
                column, codes = self.given[at], scale.codes_of(self.given[at])
                if constrained:
                    self.numbers[step.place] = numbers_and_presence(column)
            elif constrained:
                column, codes = self._constrained_column(step, scale)
            else:
                codes = step.tree.draw(self.n, self.codes, self.random)
                column = _values(scale, codes, self.random)
            self.codes.append(codes)
            before = [known.place for known in self.learned.steps[:at]]
            for link in self.learned.relations.links:
                if link.joins(step.place, before):
                    self.codes.append(self._gap_codes(link))
            columns.append(column)
        return columns

    def _constrained_column(self, step: Step, scale: Scale) -> tuple[pl.Series, Int32s]:
        """Return a column that keeps the constraints with those before it."""
        relations = self.learned.relations
        grid = relations.grids[step.place]
        low, high = relations.bounds(step.place, self.numbers, self.n)
        first, last = grid.up(low), grid.down(high)
        codes = step.tree.draw(self.n, self.codes, self.random)
        there = codes >= 0
        numbers: NDArray[Any] = np.full(self.n, grid.low)
        rows = np.flatnonzero(there)
        numbers[rows] = _numbers(scale, codes[rows], self.random)
        for _ in range(TRIES):
            self._draw_gaps(step, grid, rows, numbers)
            rows = rows[(numbers[rows] < first[rows]) | (numbers[rows] > last[rows])]
            if not len(rows):
                break
            again = step.tree.draw(len(rows), [code[rows] for code in self.codes], self.random)
            present = again >= 0
            numbers[rows[present]] = _numbers(scale, again[present], self.random)
        fits = first[rows] <= last[rows]
        numbers[rows[fits]] = self._even_numbers(grid, first[rows[fits]], last[rows[fits]])
        # Within the column's own range where that leaves room, within the constraints always.
        numbers[rows[~fits]] = np.clip(numbers[rows[~fits]], low[rows[~fits]], high[rows[~fits]])
        without = there & (low > high)
        if without.any():
            self._refuse_no_room(without, scale)
            there = there & ~without
        column = typed_numbers(numbers, scale.name, scale.dtype)
        self.numbers[step.place] = np.where(there, numbers, 0), there
        column = pl.select(
            pl.when(pl.Series(there)).then(column).otherwise(None).alias(scale.name)
        ).to_series()
        return column, scale.codes_of(column)

    def _gap_codes(self, link: Link) -> Int32s:
        """Return (n,) int32 places of the gap between two columns that are drawn."""
        codes = np.full(self.n, -1, np.int32)
        if link.low in self.numbers and link.high in self.numbers and len(link.gaps.values):
            (low, low_there), (high, high_there) = self.numbers[link.low], self.numbers[link.high]
            both = low_there & high_there
            codes[both] = link.gaps.number_codes((high - low)[both])
        return codes

    def _draw_gaps(self, step: Step, grid: Grid, rows: Ints, numbers: NDArray[Any]) -> None:
        """Draw the numbers of some rows as the gap to the column that the step is linked to."""
        if step.gap is None:
            return
        link, tree = step.gap
        other, other_there = self.numbers[link.other(step.place)]
        rows = rows[other_there[rows]]
        gaps = tree.draw(len(rows), [code[rows] for code in self.codes], self.random)
        sign = 1 if step.place == link.high else -1
        numbers[rows] = grid.nearest(other[rows] + sign * _numbers(link.gaps, gaps, self.random))

    def _even_numbers(self, grid: Grid, first: NDArray[Any], last: NDArray[Any]) -> NDArray[Any]:
        """Return (n,) numbers of a grid, drawn evenly between two others of it."""
        evenly = first + self.random.random(len(first)) * (last - first)
        if grid.step:
            evenly = np.rint(evenly).astype(np.int64)
        found: NDArray[Any] = np.clip(grid.nearest(evenly), first, last)
        return found

    def _refuse_no_room(self, without: Bools, scale: Scale) -> None:
        """Refuse a column without room between others, but where it can be null instead."""
        if scale.n_null:
            return
        others = [f"{self.learned.scales[other].name!r}" for other in self.numbers]
        raise DataError(
            f"row {np.flatnonzero(without)[0] + 1}: the values of {', '.join(others)} leave no "
            f"room for column {scale.name!r}, by the constraints; draw that column before them"
        )


def _values(scale: Scale, codes: Int32s, random: np.random.Generator) -> pl.Series:
    """Return the (n,) values of codes; of a finely measured column, numbers near them."""
    if scale.between is None:
        # -1 is null, which follows the values.
        return scale.values.extend_constant(None, 1).gather(
            np.where(codes < 0, len(scale.values), codes)
        )
    near = scale.values_at(_uniform(scale, codes, random))
    return pl.select(pl.when(pl.Series(codes >= 0)).then(near).alias(scale.name)).to_series()


def _numbers(scale: Scale, codes: Int32s, random: np.random.Generator) -> NDArray[Any]:
    """Return the same as (n,) int64 or float64 numbers, of codes without null."""
    if scale.between is None:
        numbers: NDArray[Any] = plain_numbers(scale.values)[codes]
        return numbers
    return scale.numbers(_uniform(scale, codes, random))


def _uniform(scale: Scale, codes: Int32s, random: np.random.Generator) -> Floats:
    """Return (n,) float64 places in the distribution of a column, at the records of codes."""
    low = scale.cumulative[np.maximum(codes, 0)]
    high = scale.cumulative[np.maximum(codes, 0) + 1]
    places = low + random.random(len(codes)) * (high - low)
    found: Floats = np.minimum(places, np.nextafter(high, 0))
    return found
