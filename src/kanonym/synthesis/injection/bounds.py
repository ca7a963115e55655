"""Which values a sensitive attribute can still take in each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.synthesis.columns.numbers import Grid, plain_numbers
from kanonym.synthesis.trees import LearnedByTrees

Numbers = NDArray[Any]


@dataclass(frozen=True, slots=True, repr=False)
class Domain(ShortRepr):
    """The values that can be drawn of one sensitive attribute.

    column: (n_rows,) what the table has.
    values: (m,) its different values, ascending, null last where there is one.
    reach: (n_classes,) int64: different values that each class can have.
    """

    column: pl.Series
    values: pl.Series
    reach: NDArray[np.int64]
    grid: Grid | None


def domain_of(
    model: LearnedByTrees, column: pl.Series, known: Sequence[pl.Series], first: NDArray[np.int64]
) -> Domain:
    """Return what can be drawn of a sensitive attribute.

    column: (n_rows,) of the table.
    known: (n_rows,) quasi-identifiers.
    first: (n_classes,) int64 first record of each class.

    Notes
    -----
    Of a class, those values count that constraints with its quasi-identifiers leave open, also
    by way of a third column. Cost O(n_rows) and, with constraints, O(n_classes · log m).

    """
    most = model.reach(column.name)
    values = column.unique().sort(nulls_last=True)
    present = values.drop_nulls()
    grid = Grid.of(plain_numbers(present)) if most > len(values) else None
    reach = np.full(len(first), most, np.int64)
    limits = model.limits(column.name, [one.gather(first) for one in known])
    if limits is not None:
        numbers = plain_numbers(present)
        reach = count_within(numbers, limits) if grid is None else _count_on_grid(grid, limits)
        reach += len(values) - len(present)
    return Domain(column, values, reach, grid)


def count_within(numbers: Numbers, limits: tuple[Numbers, Numbers]) -> NDArray[np.int64]:
    """Return (n,) int64, how many of (m,) ascending numbers lie between each two limits."""
    below = np.searchsorted(numbers, limits[0], side="left")
    up_to = np.searchsorted(numbers, limits[1], side="right")
    found: NDArray[np.int64] = np.maximum(up_to - below, 0)
    return found


def _count_on_grid(grid: Grid, limits: tuple[Numbers, Numbers]) -> NDArray[np.int64]:
    """Return the same of the numbers of a grid."""
    unit = (grid.high - grid.low) / max(grid.size - 1, 1)
    width = np.asarray(grid.down(limits[1]) - grid.up(limits[0]), np.float64)
    found: NDArray[np.int64] = np.maximum(np.rint(width / unit).astype(np.int64) + 1, 0)
    return found
