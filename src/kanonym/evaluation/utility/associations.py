"""How far the relations between columns moved: pairwise distributions and associations.

All of them come of one table of sums of products over the records, so cost is
O(n · D²) for D cells of all columns; released values that leave several values open are spread
evenly, each column for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise, product
from typing import TypeVar

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair
from kanonym.evaluation.utility import Measure
from kanonym.evaluation.utility.cells import (
    Cells,
    category_cells,
    chunks,
    nothing_to_compare,
    numeric_cells,
    one_hot,
)
from kanonym.kernels.arrays import Floats
from kanonym.metrics.measured_value import Meaning, MeasuredValue

COLUMNS = 20
"""Columns whose pairs are compared: the first, quasi-identifiers before others."""

CATEGORIES = 20
"""Categories that count for themselves; the others of a column are one."""

CONSTANT = 1e-12
"""A variance below this share of the mean square is rounding."""

AnyColumn = TypeVar("AnyColumn", bound=Column)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Sums that moments are made of: a number, whether there is one, and its square."""

    column: NumericColumn
    mean: float
    reach: tuple[float, float]  # the farthest number of the original, and of the release
    size: int = 3

    def rows(self, rows: slice, *, original: bool) -> Floats:
        """Return (n_rows, 3) float64, all 0 for null."""
        values, reach = _sides(self.column, rows)[not original], self.reach[not original]
        held = ~np.isnan(values)
        scaled = np.where(held, (values - self.mean) / reach, 0.0)
        return np.stack([scaled, held, scaled**2], axis=1)


@dataclass(frozen=True, slots=True)
class _Shares:
    """Shares of cells."""

    cells: Cells

    @property
    def size(self) -> int:
        """Return the number of cells."""
        return self.cells.size

    def rows(self, rows: slice, *, original: bool) -> Floats:
        """Return (n_rows, size) float64."""
        return one_hot(self.cells, rows) if original else self.cells.released(rows)


Block = _Numbers | _Shares


def _numbers(column: NumericColumn) -> _Numbers:
    values = column.original[~np.isnan(column.original)]
    mean = float(values.mean()) if len(values) else 0.0
    first, second = (
        float(np.nanmax(np.abs(side - mean), initial=0.0)) or 1.0
        for side in _sides(column, slice(None))
    )
    return _Numbers(column, mean, (first, second))


def _sides(column: NumericColumn, rows: slice) -> tuple[Floats, Floats]:
    """Return some records' numbers in the original, and the middles of the release's."""
    return column.original[rows], (column.low[rows] + column.high[rows]) / 2


def _shares(column: Column) -> _Shares:
    if isinstance(column, NumericColumn):
        return _Shares(numeric_cells(column))
    return _Shares(category_cells(column, CATEGORIES))


def _products(
    blocks: Mapping[str, Block], n: int, *, original: bool
) -> Callable[[str, str], Floats]:
    """Sum the products of all blocks over the records of a table, as means.

    Returns a function from two blocks' names to their (size, size) float64.
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    limits = np.cumsum([0, *(block.size for block in blocks.values())]).tolist()
    place = {name: slice(*ends) for name, ends in zip(blocks, pairwise(limits), strict=True)}
    total = np.zeros((limits[-1], limits[-1]))
    for rows in chunks(n):
        each = [block.rows(rows, original=original) for block in blocks.values()]
        joined = np.concatenate(each, axis=1)
        # One thread: the order in which several add up would show in the last digits.
        with threadpool_limits(1):
            total += joined.T @ joined
    total /= n
    return lambda a, b: total[place[a], place[b]]


def two_way_variation(original: Floats, released: Floats) -> float:
    """Return half the sum of absolute differences of two tables of shares, in [0, 1]."""
    return float(np.abs(original - released).sum() / 2)


def correlation(products: Floats) -> float:
    """Return Pearson's correlation, in [-1, 1]; 0 where one of both is constant.

    products: (3, 3) means of products of `_Numbers` of two columns. Records that have
    both numbers count.
    """
    held = products[1, 1]
    if held <= 0:
        return 0.0
    first, second = products[0, 1] / held, products[1, 0] / held
    squares = products[2, 1] / held, products[1, 2] / held
    variances = squares[0] - first**2, squares[1] - second**2
    if variances[0] <= CONSTANT * squares[0] or variances[1] <= CONSTANT * squares[1]:
        return 0.0
    covariance = products[0, 0] / held - first * second
    return float(np.clip(covariance / np.sqrt(variances[0] * variances[1]), -1.0, 1.0))


def cramers_v(shares: Floats) -> float:
    """Return Cramér's V of a two-way table of shares, in [0, 1]; 0 for one row or column."""
    held = shares[shares.sum(axis=1) > 0][:, shares.sum(axis=0) > 0]
    least = min(held.shape) - 1
    if least < 1:
        return 0.0
    expected = np.outer(held.sum(axis=1), held.sum(axis=0))
    chi_squared = ((held - expected) ** 2 / expected).sum()
    return float(np.sqrt(min(chi_squared / least, 1.0)))


def correlation_ratio(products: Floats) -> float:
    """Return eta, in [0, 1]: the root of what share of a number's variance categories explain.

    products: (n_cells, 3) means of products of cells and `_Numbers`. 0 where the
    number is constant.
    """
    sums, held, squares = products.T
    count = held.sum()
    if count <= 0:
        return 0.0
    mean = sums.sum() / count
    total = squares.sum() - count * mean**2
    if total <= CONSTANT * squares.sum():
        return 0.0
    filled = held > 0
    between = (sums[filled] ** 2 / held[filled]).sum() - count * mean**2
    return float(np.sqrt(np.clip(between / total, 0.0, 1.0)))


def _first(pair: TablePair, columns: Iterable[AnyColumn]) -> list[AnyColumn]:
    """Return the first of some columns, quasi-identifiers before others."""
    order = sorted(columns, key=lambda column: column.name not in pair.quasi_identifiers)
    return order[:COLUMNS]


def _numbers_of(columns: Iterable[Column]) -> list[NumericColumn]:
    return [column for column in columns if isinstance(column, NumericColumn)]


def _categories_of(columns: Iterable[Column]) -> list[CategoricalColumn]:
    return [column for column in columns if isinstance(column, CategoricalColumn)]


def _two_way(pair: TablePair, _: np.random.Generator) -> MeasuredValue:
    columns = _first(pair, pair.columns)
    blocks = {column.name: _shares(column) for column in columns}
    return _compare(pair, PAIRWISE, blocks, combinations(blocks, 2), two_way_variation)


def _correlations(pair: TablePair, _: np.random.Generator) -> MeasuredValue:
    columns = _first(pair, _numbers_of(pair.columns))
    blocks = {column.name: _numbers(column) for column in columns}
    change = partial(_change, correlation)
    return _compare(pair, CORRELATION, blocks, combinations(blocks, 2), change)


def _contingencies(pair: TablePair, _: np.random.Generator) -> MeasuredValue:
    columns = _first(pair, _categories_of(pair.columns))
    blocks = {column.name: _shares(column) for column in columns}
    change = partial(_change, cramers_v)
    return _compare(pair, CRAMERS_V, blocks, combinations(blocks, 2), change)


def _ratios(pair: TablePair, _: np.random.Generator) -> MeasuredValue:
    columns = _first(pair, pair.columns)
    categories = {column.name: _shares(column) for column in _categories_of(columns)}
    numbers = {column.name: _numbers(column) for column in _numbers_of(columns)}
    change = partial(_change, correlation_ratio)
    return _compare(pair, ETA, {**categories, **numbers}, product(categories, numbers), change)


def _change(association: Callable[[Floats], float], original: Floats, released: Floats) -> float:
    return abs(association(original) - association(released))


def _compare(
    pair: TablePair,
    meaning: Meaning,
    blocks: Mapping[str, Block],
    couples: Iterable[tuple[str, str]],
    difference: Callable[[Floats, Floats], float],
) -> MeasuredValue:
    """Take the mean difference over couples of blocks."""
    chosen = list(couples)
    reason = nothing_to_compare(pair)
    if reason is None and not chosen:
        reason = Message("the tables have no {columns} in common", columns=_COUPLES[meaning.name])
    if reason is not None:
        return MeasuredValue(meaning, None, reason=reason)
    original = _products(blocks, pair.n_original, original=True)
    released = _products(blocks, pair.n_released, original=False)
    parts = {f"{a} × {b}": difference(original(a, b), released(a, b)) for a, b in chosen}
    return MeasuredValue(meaning, float(np.mean(list(parts.values()))), parts)


_LIMITS = f"of the first {COLUMNS} columns, quasi-identifiers before others"

PAIRWISE = Meaning(
    name="pairwise-total-variation",
    unit="share of records that would have to change in a two-way table, mean over pairs",
    source="Levin, Peres and Wilmer (2009), Markov Chains and Mixing Times, 4.1; "
    f"{_LIMITS}; numbers in at most 20 quantile bins of the original, the 20 most frequent "
    "categories and one for the others",
    title=_("Pairs of columns: share of records that would have to change"),
    counted=_("share of the records"),
)
CORRELATION = Meaning(
    name="correlation-difference",
    high=2.0,
    unit="absolute difference of Pearson's correlation, mean over pairs of columns of numbers",
    source=f"Domingo-Ferrer and Torra (2001), 5.2: information loss by correlations; {_LIMITS}; "
    "intervals by their middle, 0 for a constant column",
    title=_("Change of correlations"),
    counted=_("difference of coefficients"),
)
CRAMERS_V = Meaning(
    name="cramers-v-difference",
    unit="absolute difference of Cramér's V, mean over pairs of columns of categories",
    source=f"Cramér (1946), Mathematical Methods of Statistics, 21.9; {_LIMITS}; without "
    "correction for bias, the 20 most frequent categories and one for the others",
    title=_("Change of associations of categories (Cramér’s V)"),
    counted=_("difference of coefficients"),
    short="Cramér's V difference",
)
ETA = Meaning(
    name="correlation-ratio-difference",
    unit="absolute difference of the correlation ratio, mean over pairs of categories and numbers",
    source=f"Fisher (1925), Statistical Methods for Research Workers, 45; {_LIMITS}; intervals by "
    "their middle, the 20 most frequent categories and one for the others",
    title=_("Change of correlation ratios"),
    counted=_("difference of coefficients"),
)

_COUPLES = {
    PAIRWISE.name: Message("two columns"),
    CORRELATION.name: Message("two columns of numbers or times"),
    CRAMERS_V.name: Message("two columns of categories"),
    ETA.name: Message("column of categories and column of numbers or times"),
}

MEASURES: tuple[Measure, ...] = (
    Measure(PAIRWISE, _two_way),
    Measure(CORRELATION, _correlations),
    Measure(CRAMERS_V, _contingencies),
    Measure(ETA, _ratios),
)
