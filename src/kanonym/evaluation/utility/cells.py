"""Cells that both tables are counted in, and what share of each record falls in which.

A released value that leaves several values open spreads its record evenly over them: a label
over its categories, an interval over its length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.data.results import ShortRepr
from kanonym.evaluation.pair.tables import CategoricalColumn, NumericColumn, TablePair
from kanonym.evaluation.utility import Measure
from kanonym.kernels.arrays import Floats, Int32s
from kanonym.metrics.measured_value import Meaning, MeasuredValue

BINS = 20
"""Most bins of a column of numbers."""

CHUNK = 1 << 14
"""Records that are spread over cells at a time, which bounds the memory."""


@dataclass(frozen=True, slots=True, repr=False)
class NumericCells(ShortRepr):
    """Bins of a column of numbers: quantiles of the original, and one cell for null.

    original: (n_original,) int32 cells.
    low, high: (n_released,) float64, as in `NumericColumn`.
    """

    name: str
    size: int
    original: Int32s
    borders: Floats
    low: Floats
    high: Floats

    def released(self, rows: slice) -> Floats:
        """Return (n_rows, size) float64: shares of released records; rows add up to 1."""
        low = self.low[rows]
        shares = np.zeros((len(low), self.size))
        null = np.isnan(low)
        up_to = np.ones((len(low), self.size))
        up_to[:, 0] = 0.0
        up_to[:, 1:-1] = below(low, self.high[rows], self.borders)
        shares[:, :-1] = np.diff(up_to, axis=1)
        shares[null] = 0.0
        shares[null, -1] = 1.0
        return shares


@dataclass(frozen=True, slots=True, repr=False)
class CategoryCells(ShortRepr):
    """Categories of a column; where they are many, the rare ones are one cell.

    cell_of: (n_categories,) int32, the cell of each category.
    original: (n_original,) int32 cells.
    shares: (n_labels, size) float64: the share of its categories that a label has in each cell.
    """

    column: CategoricalColumn
    size: int
    cell_of: Int32s
    original: Int32s
    shares: Floats

    @property
    def name(self) -> str:
        """The attribute."""
        return self.column.name

    @property
    def labels(self) -> Int32s:
        """(n_released,) int32 labels."""
        return self.column.labels

    def released(self, rows: slice) -> Floats:
        """Return (n_rows, size) float64: shares of released records; rows add up to 1."""
        return self.shares[self.labels[rows]]


Cells = NumericCells | CategoryCells


def one_hot(cells: Cells, rows: slice) -> Floats:
    """Return (n_rows, size) float64: 1 for the cell of an original record, 0 elsewhere."""
    codes = cells.original[rows]
    found = np.zeros((len(codes), cells.size))
    found[np.arange(len(codes)), codes] = 1.0
    return found


def chunks(n: int) -> Iterator[slice]:
    """Cut n records into slices that fit into memory when spread over cells."""
    return (slice(start, min(start + CHUNK, n)) for start in range(0, n, CHUNK))


def nothing_to_compare(pair: TablePair) -> str | None:
    """Say why two tables have no distributions to compare; None where they have."""
    if not pair.columns:
        return Message("the tables have no column in common")
    if not pair.n_original:
        return Message("the original has no records")
    return None if pair.n_released else Message("the release has no records")


def numeric_cells(column: NumericColumn, bins: int = BINS) -> NumericCells:
    """Cut a column of numbers into bins of about equally many original records."""
    held = column.original[~np.isnan(column.original)]
    distinct, counts = np.unique(held, return_counts=True)
    limits = borders(distinct)
    if len(distinct) > bins:
        up_to = np.cumsum(counts)
        aims = np.arange(1, bins) * len(held) / bins
        last = np.unique(np.searchsorted(up_to, aims))
        limits = limits[last[last < len(limits)]]
    n_bins = len(limits) + 1
    original = np.searchsorted(limits, column.original, side="right").astype(np.int32)
    original[np.isnan(column.original)] = n_bins
    return NumericCells(column.name, n_bins + 1, original, limits, column.low, column.high)


def category_cells(column: CategoricalColumn, most: int) -> CategoryCells:
    """Make a cell of each category, or of the `most` most frequent and one of all others."""
    # Of a column without a record that has a value, labels still leave one category open.
    n_categories = max(len(column.categories), 1)
    cell_of = np.arange(n_categories, dtype=np.int32)
    size = n_categories
    if n_categories > most + 1:
        counts = np.bincount(column.original, minlength=n_categories)
        kept = np.argsort(-counts, kind="stable")[:most]
        cell_of = np.full(n_categories, most, np.int32)
        cell_of[np.sort(kept)] = np.arange(most, dtype=np.int32)
        size = most + 1
    n_members = np.diff(column.offsets)
    owners = np.repeat(np.arange(len(n_members)), n_members)
    found = np.bincount(owners * size + cell_of[column.members], minlength=len(n_members) * size)
    shares = found.reshape(len(n_members), size) / np.maximum(n_members, 1)[:, None]
    return CategoryCells(column, size, cell_of, cell_of[column.original], shares)


def distributions(column: NumericColumn | CategoricalColumn) -> tuple[Floats, Floats]:
    """Return the shares of each cell in the original and in the release, both (n_cells,)."""
    if isinstance(column, CategoricalColumn):
        n_categories = max(len(column.categories), 1)
        n_members = np.diff(column.offsets)
        each = np.bincount(column.labels, minlength=len(n_members)) / np.maximum(n_members, 1)
        spread = np.bincount(column.members, np.repeat(each, n_members), n_categories)
        found = np.bincount(column.original, minlength=n_categories)
        return found / len(column.original), spread / len(column.labels)
    cells = numeric_cells(column)
    sums = np.zeros(cells.size)
    for rows in chunks(len(column.low)):
        sums += cells.released(rows).sum(axis=0)
    found = np.bincount(cells.original, minlength=cells.size)
    return found / len(column.original), sums / len(column.low)


def borders(distinct: Floats) -> Floats:
    """Return what parts neighbours: (n - 1,) middles of (n,) ascending distinct numbers."""
    middles = distinct[:-1] / 2 + distinct[1:] / 2
    # Between neighbours in float64 there is no middle.
    return np.where(middles > distinct[:-1], middles, distinct[1:])


def below(low: Floats, high: Floats, limits: Floats) -> Floats:
    """Return (n, m) float64: what share of each of n spans lies below each of m limits."""
    low, width = low[:, None], (high - low)[:, None]
    wide = width > 0
    share = np.clip((limits - low) / np.where(wide, width, 1.0), 0.0, 1.0)
    return np.where(wide, share, low < limits)


NARROW = 1e-9
"""An interval below this share of the original's range counts as its middle."""


def total_variation(original: Floats, released: Floats) -> float:
    """Return half the sum of absolute differences of two distributions, in [0, 1]."""
    return float(np.abs(original - released).sum() / 2)


def hellinger(original: Floats, released: Floats) -> float:
    """Return Hellinger's distance of two distributions, in [0, 1]."""
    return float(np.sqrt(((np.sqrt(original) - np.sqrt(released)) ** 2).sum() / 2))


def jensen_shannon(original: Floats, released: Floats) -> float:
    """Return the square root of the Jensen–Shannon divergence in bits, in [0, 1]."""
    middle = (original + released) / 2
    divergence = 0.0
    for shares in (original, released):
        mask = shares > 0
        divergence += float(shares[mask] @ np.log2(shares[mask] / middle[mask])) / 2
    return float(np.sqrt(max(divergence, 0.0)))


def wasserstein(column: NumericColumn) -> float:
    """Return the earth mover's distance of one column, in shares of the original's range.

    Exact but for rounding: between neighbouring ends one function is constant and the other a line.
    Intervals below 1e-9 of the range count as their middle, an error of at most 5e-10.
    """
    original = column.original[~np.isnan(column.original)]
    held = ~np.isnan(column.low)
    low, high = column.low[held], column.high[held]
    if not len(original) or not len(low):
        return float(bool(len(original)) != bool(len(low)))
    start, stop = float(original.min()), float(original.max())
    if start == stop:
        return float(bool((low != start).any() or (high != start).any()))
    original, low, high = ((ends - start) / (stop - start) for ends in (original, low, high))
    middles = (low + high) / 2
    wide = high - low > NARROW
    density = 1 / (high[wide] - low[wide]) / len(low)
    # Each end changes the height of a function by a jump, or its slope.
    points = middles[~wide]
    ends = np.concatenate([original, points, low[wide], high[wide]])
    jumps = np.zeros(len(ends))
    jumps[: len(original)] = 1 / len(original)
    jumps[len(original) : len(original) + len(points)] = -1 / len(low)
    slopes = np.zeros(len(ends))
    slopes[len(original) + len(points) :] = np.concatenate([-density, density])
    order = np.argsort(ends, kind="stable")
    ends = ends[order]
    lengths = np.diff(ends)
    rises = np.cumsum(slopes[order])[:-1] * lengths
    left = np.cumsum(jumps[order])[:-1] + np.append(0.0, np.cumsum(rises)[:-1])
    return min(1.0, float(_areas(left, left + rises, lengths).sum()))


def _areas(left: Floats, right: Floats, lengths: Floats) -> Floats:
    """Return (n,) areas between lines from left to right and zero."""
    crossing = left * right < 0
    ends = np.abs(left) + np.abs(right)
    triangles = (left**2 + right**2) / np.where(crossing, ends, 1.0)
    return np.where(crossing, triangles, ends) * lengths / 2


def _mean_over_columns(
    meaning: Meaning,
    distance: Callable[[Floats, Floats], float],
    pair: TablePair,
    _: np.random.Generator,
) -> MeasuredValue:
    """Take the mean of a distance over all columns."""
    reason = nothing_to_compare(pair)
    if reason is not None:
        return MeasuredValue(meaning, None, reason=reason)
    parts = {column.name: distance(*distributions(column)) for column in pair.columns}
    return MeasuredValue(meaning, float(np.mean(list(parts.values()))), parts)


def _wasserstein(pair: TablePair, _: np.random.Generator) -> MeasuredValue:
    reason = nothing_to_compare(pair)
    numbers = [column for column in pair.columns if isinstance(column, NumericColumn)]
    if reason is None and not numbers:
        reason = Message("the tables have no column of numbers or times")
    if reason is not None:
        return MeasuredValue(WASSERSTEIN, None, reason=reason)
    parts = {column.name: wasserstein(column) for column in numbers}
    return MeasuredValue(WASSERSTEIN, float(np.mean(list(parts.values()))), parts)


TOTAL_VARIATION = Meaning(
    name="total-variation",
    unit="share of records that would have to change, mean over columns",
    source="Levin, Peres and Wilmer (2009), Markov Chains and Mixing Times, 4.1; numbers in at "
    "most 20 quantile bins of the original",
    title=_("Distributions: share of records that would have to change"),
    counted=_("share of the records"),
)
HELLINGER = Meaning(
    name="hellinger",
    unit="Hellinger distance, mean over columns",
    source="Hellinger (1909), J. reine angew. Math. 136; numbers in at most 20 quantile bins of "
    "the original",
    title=_("Distributions: Hellinger distance"),
    counted=_("share of the largest distance"),
    short="Hellinger",
)
JENSEN_SHANNON = Meaning(
    name="jensen-shannon",
    unit="square root of the divergence in bits, mean over columns",
    source="Lin (1991), IEEE Trans. Inf. Theory 37(1); its root is a distance (Endres and "
    "Schindelin 2003); numbers in at most 20 quantile bins of the original",
    title=_("Distributions: Jensen–Shannon distance"),
    counted=_("share of the largest distance"),
    short="Jensen-Shannon",
)
WASSERSTEIN = Meaning(
    name="wasserstein",
    unit="share of the original's range that a value moves, mean over columns of numbers",
    source="Vallender (1974), Theory Probab. Appl. 18(4); nulls left out, at most 1",
    title=_("Distributions: how far values move (Wasserstein)"),
    counted=_("share of the range"),
    short="Wasserstein",
)

MEASURES: tuple[Measure, ...] = (
    *(
        Measure(meaning, partial(_mean_over_columns, meaning, distance))
        for meaning, distance in (
            (TOTAL_VARIATION, total_variation),
            (HELLINGER, hellinger),
            (JENSEN_SHANNON, jensen_shannon),
        )
    ),
    Measure(WASSERSTEIN, _wasserstein),
)
