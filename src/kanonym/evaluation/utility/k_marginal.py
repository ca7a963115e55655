"""The K-marginal score: how close the tables of every two columns are, from 0 to 1,000.

It is the main score of NIST's Collaborative Research Cycle. There every released cell has one
value; here a cell that leaves several open spreads its record evenly over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from kanonym.data.errors import gettext as _
from kanonym.data.results import ShortRepr
from kanonym.evaluation.pair.tables import Column, NumericColumn, TablePair
from kanonym.evaluation.utility import Measure
from kanonym.evaluation.utility.cells import (
    BINS,
    Cells,
    NumericCells,
    category_cells,
    chunks,
    nothing_to_compare,
    numeric_cells,
)
from kanonym.kernels.arrays import Floats, Ints
from kanonym.metrics.measured_value import Meaning, MeasuredValue

BEST = 1000
"""The score of a release whose two-way tables are the original's."""

CATEGORIES = 500
"""Categories that count for themselves; the others of a column are one."""

EVERY_PAIR = 29
"""Most columns of which every pair is compared."""

DRAWN_PAIRS = 200
"""Pairs that are drawn where there are more columns."""

SHARES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Sizes of the samples of the original that a release is compared with."""

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True, repr=False)
class TableSide(ShortRepr):
    """The cells of one column in one of the tables.

    labels: (n,) int64: the cell of each record; or what it leaves open, if `shares` says so.
    shares: (n_labels, size) float64, the share of its record that a label has in each cell; None
    where each record falls into one cell.
    """

    size: int
    labels: Ints
    shares: Floats | None = None

    def select(self, rows: Ints) -> TableSide:
        """Return the cells of some records."""
        return replace(self, labels=self.labels[rows])


def marginal_cells(column: Column) -> Cells:
    """Return the cells of a column: categories, or at most 20 bins of numbers.

    Numbers of at most 20 distinct values have a cell for each. Of more, the bins end at percentiles
    of the original, each the next higher value that occurs, and contain their upper end.
    """
    if not isinstance(column, NumericColumn):
        return category_cells(column, CATEGORIES)
    values = column.original[~np.isnan(column.original)]
    if len(np.unique(values)) <= BINS:
        return numeric_cells(column)
    least, most = values.min(), values.max()
    beyond = [least] * bool((column.low < least).any()) + [most] * bool((column.high > most).any())
    bins = BINS - len(beyond) - (len(values) < len(column.original))
    ends = np.percentile(values, np.linspace(0, 100, bins + 1), method="higher")
    limits = np.unique([*ends[(ends > least) & (ends < most)], *beyond])
    limits = np.nextafter(limits, np.inf)  # cells contain their upper end
    original = np.searchsorted(limits, column.original, side="right").astype(np.int32)
    n_bins = len(limits) + 1
    original[np.isnan(column.original)] = n_bins
    return NumericCells(column.name, n_bins + 1, original, limits, column.low, column.high)


def table_sides(column: Column) -> tuple[TableSide, TableSide]:
    """Return the cells of a column in the original and in the release."""
    cells = marginal_cells(column)
    original = TableSide(cells.size, cells.original.astype(np.int64))
    if isinstance(cells, NumericCells):
        ends = np.empty(len(cells.low), np.complex128)
        ends.real, ends.imag = (
            np.where(np.isnan(end), np.inf, end) for end in (cells.low, cells.high)
        )
        spans, labels = np.unique(ends, return_inverse=True)
        low, high = (np.where(np.isinf(end), np.nan, end) for end in (spans.real, spans.imag))
        shares = replace(cells, low=low, high=high).released(slice(None))
    else:
        used, labels = np.unique(cells.labels, return_inverse=True)
        shares = cells.shares[used]
    if (shares.max(axis=1, initial=0.0) == 1).all():
        return original, TableSide(cells.size, shares.argmax(axis=1)[labels])
    return original, TableSide(cells.size, labels, shares)


def two_way_table(first: TableSide, second: TableSide) -> Floats:
    """Return (size_a, size_b) float64: records in each two cells of two columns."""
    if first.shares is None and second.shares is None:
        places = first.labels * second.size + second.labels
        counts = np.bincount(places, minlength=first.size * second.size)
        return counts.reshape(first.size, second.size).astype(np.float64)
    from scipy.sparse import csr_array, dia_array  # noqa: PLC0415 - scipy takes a while to load

    a, b = (
        csr_array(np.eye(side.size) if side.shares is None else side.shares)
        for side in (first, second)
    )
    pairs, counts = np.unique(first.labels * b.shape[0] + second.labels, return_counts=True)
    total = np.zeros((first.size, second.size))
    for rows in chunks(len(pairs)):
        left, right = np.divmod(pairs[rows], b.shape[0])
        n = len(left)
        weights = dia_array((counts[None, rows], [0]), shape=(n, n))
        total += ((weights @ a[left]).T @ b[right]).toarray()
    return total


def table_differences(
    original: Sequence[TableSide], released: Sequence[TableSide], pairs: Pairs, n: tuple[int, int]
) -> Floats:
    """Return (n_pairs,) float64: the sum of absolute differences of each two-way table.

    original, released: the same columns, of any of the records. n: records that a share is
    taken of, in the original and in the release.
    """
    return np.array(
        [
            np.abs(
                two_way_table(original[a], original[b]) / n[0]
                - two_way_table(released[a], released[b]) / n[1]
            ).sum()
            for a, b in pairs
        ]
    )


def k_marginal(pair: TablePair, random: np.random.Generator) -> MeasuredValue:
    """Measure how close the tables of every two columns are."""
    reason = _obstacle(pair)
    if reason is not None:
        return MeasuredValue(K_MARGINAL, None, reason=reason)
    original, released = zip(*map(table_sides, pair.columns), strict=True)
    pairs = _column_pairs(len(original), random)
    n = pair.n_original
    found = _score(table_differences(original, released, pairs, (n, pair.n_released)))
    order = random.permutation(n)
    scores = []
    for share in SHARES:
        rows = order[: max(round(n * share), 1)]
        sample = [one.select(rows) for one in original]
        scores.append(_score(table_differences(original, sample, pairs, (n, len(rows)))))
    nearest = SHARES[int(np.abs(np.array(scores) - found).argmin())]
    return MeasuredValue(K_MARGINAL, found, {"as good as a sample of": nearest})


def k_marginal_by(pair: TablePair, random: np.random.Generator, column: str) -> MeasuredValue:
    """Measure how close the tables of every two columns are within each value of another one."""
    meaning = K_MARGINAL.of_column(column)
    names = [one.name for one in pair.columns]
    reason = _obstacle(pair)
    if reason is None and (column not in names or len(names) < 3):
        reason = f"the tables do not have {column!r} and two other columns in common"
    if reason is not None:
        return MeasuredValue(meaning, None, reason=reason)
    own, other = table_sides(pair.column(column))
    if other.shares is not None:
        reason = f"released cells of {column!r} leave several values open"
        return MeasuredValue(meaning, None, reason=reason)
    sides = [table_sides(one) for one in pair.columns if one.name != column]
    original, released = zip(*sides, strict=True)
    pairs = _column_pairs(len(original), random)
    n = (pair.n_original, pair.n_released)
    shares = np.bincount(own.labels, minlength=own.size) / n[0]
    differences = np.zeros((own.size, len(pairs)))
    for value in range(own.size):
        rows = (np.flatnonzero(side.labels == value) for side in (own, other))
        before, after = (
            [one.select(held) for one in table]
            for table, held in zip((original, released), rows, strict=True)
        )
        differences[value] = table_differences(before, after, pairs, n)
    mask = shares > 0
    within = np.minimum(differences[mask], shares[mask, None]).mean(axis=1)
    scores = (1 - np.minimum(within / shares[mask], 1)) * BEST
    parts = {"lowest": float(scores.min()), "mean": float(scores.mean())}
    return MeasuredValue(meaning, _score(differences.sum(axis=0)), parts)


def k_marginal_measure(column: str) -> Measure:
    """Return the measure of three-way tables of one column (see `k_marginal_by`)."""
    meaning = K_MARGINAL.of_column(column)
    return Measure(meaning, partial(k_marginal_by, column=column), slow=True)


def _obstacle(pair: TablePair) -> str | None:
    """Say why there is no two-way table to compare; None where there is one."""
    reason = nothing_to_compare(pair)
    if reason is None and len(pair.columns) < 2:
        reason = "the tables have no two columns in common"
    return reason


def _column_pairs(n: int, random: np.random.Generator) -> Pairs:
    """Return every pair of n columns, or 200 that are drawn."""
    pairs = list(combinations(range(n), 2))
    if n <= EVERY_PAIR:
        return pairs
    chosen = np.sort(random.choice(len(pairs), DRAWN_PAIRS, replace=False))
    return [pairs[one] for one in chosen.tolist()]


def _score(differences: Floats) -> float:
    """Return the score of (n_pairs,) sums of absolute differences, at least 0."""
    return max(float((2 - differences.mean()) * BEST / 2), 0.0)


K_MARGINAL = Meaning(
    name="k-marginal",
    high=float(BEST),
    better="higher",
    unit="points of 1,000: two-way tables in common, mean over pairs of columns",
    source="NIST, SDNist 2.5 (2025), K-marginal evaluation of pairs of columns; all pairs of up "
    f"to {EVERY_PAIR} columns, else {DRAWN_PAIRS} drawn ones; numbers in at most {BINS} bins, the "
    f"{CATEGORIES} most frequent categories and one for the others",
    title=_("Pairs of columns: K-marginal score"),
    counted=_("points of 1,000"),
)

MEASURES: tuple[Measure, ...] = (Measure(K_MARGINAL, k_marginal),)
