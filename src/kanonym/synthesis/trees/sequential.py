"""Sequential trees: each column is drawn from a tree of the columns before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.results.short_repr import ShortRepr
from kanonym.kernels.parallel import parallel
from kanonym.models.base import check_integer
from kanonym.policy.faults import unknown_name
from kanonym.synthesis.copula import Constraint
from kanonym.synthesis.copula.numbers import Grid, plain_numbers, typed_numbers
from kanonym.synthesis.copula.relations import Link, numbers_and_presence, relate_columns
from kanonym.synthesis.copula.scales import Codes, Scale, scale_of
from kanonym.synthesis.trees.column_tree import ColumnTree, grow_tree

LEAST = 5
"""Records in a leaf, at least: a leaf of one record publishes it."""

LEAF = 20
"""Records in a leaf unless others are asked for: where inference risk stayed below 0.1."""


@dataclass(frozen=True, slots=True)
class SequentialTrees:
    """Sequential classification and regression trees (CART).

    The first column is drawn from its distribution. Each further one has a tree of the columns
    before it; a drawn record goes down the tree to a leaf, and takes the value of one of the
    real records there. So what several columns show together is kept, which a copula loses.
    It gives no guarantee of privacy.

    Attributes
    ----------
    leaf
        Records in a leaf of a tree, at least 5. More records say less of single ones.
    order
        Columns that are drawn first; the others follow in the order of the table.

    Raises
    ------
    PolicyError
        A leaf may hold fewer than 5 records; or, when it learns, the order is none of the table.

    Notes
    -----
    Values that repeat are drawn as they are. Of a column of numbers or times of which most
    values occur once, a number near the real one is drawn, with the digits of the column, as
    by the copula. A column that a constraint joins to one before it is drawn as the gap between
    both; where a record has further constraints, it is drawn again until they hold.

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
        if len(columns[0]) < self.leaf:
            raise DataError(
                f"the table has {len(columns[0])} records, and a leaf needs {self.leaf}: give "
                "more records, or use the method copula"
            )
        read = parallel(scale_of, columns)
        scales = [scale for scale, _ in read]
        relations, gaps = relate_columns(columns, scales, constraints)
        order = self._places([column.name for column in columns])
        seeds = random.integers(1 << 31, size=(len(order), 2)).tolist()

        def step(at: int) -> Step:
            place, before = order[at], order[:at]
            known = [read[one] for one in before]
            tree = grow_tree(read[place], known, self.leaf, seeds[at][0])
            for link, codes in zip(relations.links, gaps, strict=True):
                rows = np.flatnonzero(codes >= 0)
                if place in link[1:3] and link.other(place) in before and len(rows) >= self.leaf:
                    held = [(scale, every[rows]) for scale, every in known]
                    gap = grow_tree((link.gaps, codes[rows]), held, self.leaf, seeds[at][1])
                    return Step(place, tree, (link, gap, relations.grids[place]))
            return Step(place, tree, None)

        return LearnedByTrees(tuple(scales), tuple(parallel(step, range(len(order)))))

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
    gap: tuple[Link, ColumnTree, Grid] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearnedByTrees(ShortRepr):
    """What sequential trees learned of a table."""

    scales: tuple[Scale, ...]
    steps: tuple[Step, ...]

    def sample(self, n: int, random: np.random.Generator) -> list[pl.Series]:
        """Return n records. Constraints that join a column to a second one may be broken."""
        drawn: dict[int, Codes] = {}
        columns: dict[int, pl.Series] = {}
        for step in self.steps:
            scale, given = self.scales[step.place], list(drawn.values())
            codes = step.tree.draw(n, given, random)
            column = _values(scale, codes, random)
            if step.gap is not None:
                link, tree, grid = step.gap
                other = columns[link.other(step.place)]
                rows = np.flatnonzero((codes >= 0) & other.is_not_null().to_numpy())
                gaps = tree.draw(len(rows), [one[rows] for one in given], random)
                sign = 1 if step.place == link.high else -1
                moved = numbers_and_presence(other)[0][rows] + sign * _numbers(
                    link.gaps, gaps, random
                )
                numbers = grid.nearest(moved)
                column = column.scatter(rows, typed_numbers(numbers, scale.name, scale.dtype))
                codes[rows] = _nearest_codes(scale, numbers)
            drawn[step.place], columns[step.place] = codes, column
        return [columns[place] for place in range(len(self.scales))]


def _values(scale: Scale, codes: Codes, random: np.random.Generator) -> pl.Series:
    """Return the (n,) values of codes; of a finely measured column, numbers near them."""
    if scale.between is None:
        # -1 is null, which follows the values.
        return scale.values.extend_constant(None, 1).gather(
            np.where(codes < 0, len(scale.values), codes)
        )
    near = scale.values_at(_uniform(scale, codes, random))
    return pl.select(pl.when(pl.Series(codes >= 0)).then(near).alias(scale.name)).to_series()


def _numbers(scale: Scale, codes: Codes, random: np.random.Generator) -> NDArray[Any]:
    """Return the same as (n,) int64 or float64 numbers, of codes without null."""
    if scale.between is None:
        numbers: NDArray[Any] = plain_numbers(scale.values)[codes]
        return numbers
    return scale.numbers(_uniform(scale, codes, random))


def _uniform(scale: Scale, codes: Codes, random: np.random.Generator) -> NDArray[np.float64]:
    """Return (n,) float64 places in the distribution of a column, at the records of codes."""
    low = scale.cumulative[np.maximum(codes, 0)]
    high = scale.cumulative[np.maximum(codes, 0) + 1]
    places = low + random.random(len(codes)) * (high - low)
    found: NDArray[np.float64] = np.minimum(places, np.nextafter(high, 0))
    return found


def _nearest_codes(scale: Scale, numbers: NDArray[Any]) -> NDArray[np.int64]:
    """Return (n,) codes of the values at numbers, or of the next ones above."""
    known = plain_numbers(scale.values)
    return np.minimum(np.searchsorted(known, numbers), len(known) - 1)
