"""Which values a sensitive attribute can still take in each class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.transforms.copula import Constraint
from kanonym.transforms.copula.numbers import Grid, plain_numbers

Flags = NDArray[np.bool_]

_COMPARE: dict[str, Callable[..., Any]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Bound:
    """What a constraint asks of an attribute in each class, by a quasi-identifier's value there.

    Attributes
    ----------
    operator
        How the attribute stands to the numbers.
    numbers
        (n_classes,) int64 or float64.
    free
        (n_classes,) bool, where the quasi-identifier is null: nothing is asked.

    """

    operator: str
    numbers: NDArray[Any]
    free: Flags

    def holds(self, candidates: NDArray[Any], owners: NDArray[np.int64]) -> Flags:
        """Tell which candidates the classes of `owners` allow, by NumPy's rules of shape."""
        shape = (-1, *([1] * (candidates.ndim - 1)))
        numbers, free = self.numbers[owners].reshape(shape), self.free[owners].reshape(shape)
        found: Flags = _COMPARE[self.operator](candidates, numbers) | free
        return found


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that can be drawn of one sensitive attribute.

    Attributes
    ----------
    column
        (n_rows,) what the table has.
    values
        (m,) its different values, ascending, null last where there is one.
    reach
        (n_classes,) int64: different values that each class can have.
    grid
        What lies between the values of a column that is measured finely; None where only
        the values themselves are drawn.
    bounds
        What constraints with quasi-identifiers ask.

    """

    column: pl.Series
    values: pl.Series
    reach: NDArray[np.int64]
    grid: Grid | None
    bounds: tuple[Bound, ...]

    def allowed(self, candidates: pl.Series, owners: NDArray[np.int64]) -> Flags:
        """Tell which of m candidates each of n classes allows: (n, m) bool."""
        found = np.ones((len(owners), len(candidates)), np.bool_)
        if self.bounds:
            held = candidates.is_not_null().to_numpy()
            numbers = plain_numbers(candidates.drop_nulls())[None, :]
            for bound in self.bounds:
                found[:, held] &= bound.holds(numbers, owners)
        return found


def domain_of(
    column: pl.Series,
    most: int,
    constraints: Sequence[Constraint],
    known: Mapping[str, pl.Series],
    first: NDArray[np.int64],
) -> Domain:
    """Return what can be drawn of a sensitive attribute.

    Parameters
    ----------
    column
        (n_rows,) of the table.
    most
        Different values that the model can draw (`TableModel.reach`), null included.
    constraints
        Those of the table; here count the ones between `column` and a quasi-identifier.
    known
        (n_rows,) quasi-identifiers by name.
    first
        (n_classes,) int64 first record of each class.

    Notes
    -----
    Of a finely measured attribute with constraints, the reach may be counted two too low.
    Cost O(n_rows) and, with constraints, O(n_classes · log m).

    """
    values = column.unique().sort(nulls_last=True)
    bounds = []
    for one in constraints:
        if one.left == column.name and one.right in known:
            bounds.append(_bound(one.operator, known[one.right], first, column))
        elif one.right == column.name and one.left in known:
            bounds.append(_bound(_TURNED[one.operator], known[one.left], first, column))
    present = values.drop_nulls()
    grid = Grid.of(plain_numbers(present)) if most > len(values) else None
    reach = np.full(len(first), most, np.int64)
    if bounds:
        numbers = plain_numbers(present)
        low = np.full(len(first), 0.0)
        high = np.full(len(first), float(len(numbers) if grid is None else grid.size))
        for bound in bounds:
            place = _place(bound, numbers, grid)
            if bound.operator in ("<", "<="):
                high = np.where(bound.free, high, np.minimum(high, place))
            else:
                low = np.where(bound.free, low, np.maximum(low, place))
        null = len(values) - len(present)
        reach = np.floor(np.maximum(high - low, 0.0)).astype(np.int64) + null
    return Domain(column, values, reach, grid, tuple(bounds))


def _bound(operator: str, known: pl.Series, first: NDArray[np.int64], column: pl.Series) -> Bound:
    values = known.gather(first)
    if column.dtype.is_temporal():
        values = values.cast(column.dtype)
    free = values.is_null().to_numpy()
    numbers = plain_numbers(values.drop_nulls())
    full = np.zeros(len(values), numbers.dtype)
    full[~free] = numbers
    return Bound(operator, full, free)


def _place(bound: Bound, numbers: NDArray[Any], grid: Grid | None) -> NDArray[np.float64]:
    """Return (n_classes,) how many values of the domain lie below what a bound allows.

    Of an upper bound: how many lie within it.
    """
    upper = bound.operator in ("<", "<=")
    if grid is None:
        side: Literal["left", "right"] = "right" if bound.operator in ("<=", ">") else "left"
        found: NDArray[np.float64] = np.searchsorted(numbers, bound.numbers, side).astype(float)
        return found
    unit = (grid.high - grid.low) / max(grid.size - 1, 1)
    steps = (bound.numbers - grid.low) / unit
    return np.asarray(np.floor(steps) if upper else np.ceil(steps) + 1, np.float64)
