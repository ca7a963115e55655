"""Overlap of confidence intervals: whether an analysis of the release comes out the same.

Karr et al. (2006): an estimate is made from both tables, each with its confidence interval.
What both intervals share is divided by the length of either, and the two are averaged.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.pair.tables import CategoricalColumn, NumericColumn, TablePair
from kanonym.evaluation.utility import Measure
from kanonym.evaluation.utility.cells import category_cells, chunks, nothing_to_compare
from kanonym.kernels.arrays import Floats
from kanonym.metrics.measured_value import Meaning, MeasuredValue

Z = NormalDist().inv_cdf(0.975)
"""Half the length of a 95 % interval in standard errors."""

CATEGORIES = 50
"""Categories whose shares are estimated; those of the others as one."""

COLUMNS = 20
"""Columns of numbers in the regressions: the first ones."""

COLLINEAR = 1e-9
"""Columns are collinear where an eigenvalue of their correlations is below."""

Ends = tuple[Floats, Floats]


def overlaps(original: Ends, released: Ends) -> Floats:
    """Return (n,) overlaps in [0, 1] of (n,) intervals, each given by both ends.

    The mean of what share of the original's interval lies in the release's, and the other way
    round; 0 where they are disjoint. An interval without length lies in the other or not.
    """
    shared = np.minimum(original[1], released[1]) - np.maximum(original[0], released[0])
    total = np.zeros(len(shared))
    for low, high in (original, released):
        length = high - low
        share = np.clip(shared, 0.0, None) / np.where(length > 0, length, 1.0)
        total += np.where(length > 0, share, shared >= 0)
    return total / 2


def mean_interval(values: Floats) -> Ends:
    """Return the 95 % interval of the mean of (n,) numbers, at least one, none NaN."""
    # Around one of them, so that equal numbers have just their mean, however many they are.
    apart = values - values[0]
    error = apart.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    mean = values[0] + apart.mean()
    return np.array([mean - Z * error]), np.array([mean + Z * error])


def share_intervals(shares: Floats, n: int) -> Ends:
    """Return 95 % intervals of (n_cells,) shares of n records (Wilson's score interval)."""
    scale = 1 + Z**2 / n
    centre = (shares + Z**2 / (2 * n)) / scale
    half = Z * np.sqrt(shares * (1 - shares) / n + Z**2 / (4 * n**2)) / scale
    return centre - half, centre + half


def slope_intervals(moments: Floats, n: int, target: int) -> Ends | None:
    """Return 95 % intervals of the slopes of one column's regression on all others.

    moments: (d, d) float64 covariances of all columns.
    """
    others = np.arange(len(moments)) != target
    inner, outer = moments[np.ix_(others, others)], moments[others, target]
    scale = np.sqrt(np.diag(inner))
    free = n - len(moments)
    if free < 1 or not moments[target, target] > 0 or not (scale > 0).all():
        return None
    correlations = inner / np.outer(scale, scale)
    if np.linalg.eigvalsh(correlations)[0] < COLLINEAR:
        return None
    inverse = np.linalg.inv(correlations) / np.outer(scale, scale)
    slopes = inverse @ outer
    variance = max(float(moments[target, target] - slopes @ outer), 0.0) / free
    half = Z * np.sqrt(variance * np.diag(inverse))
    return slopes - half, slopes + half


def _estimates(pair: TablePair, _: np.random.Generator) -> MeasuredValue:
    reason = nothing_to_compare(pair)
    if reason is not None:
        return MeasuredValue(OVERLAP, None, reason=reason)
    parts = {}
    for column in pair.columns:
        if isinstance(column, CategoricalColumn):
            parts[column.name] = _shares(column)
        elif not np.isnan(column.original).all():
            parts[column.name] = _mean(column)
    if not parts:
        return MeasuredValue(OVERLAP, None, reason=Message("the columns have no values"))
    return MeasuredValue(OVERLAP, float(np.mean(list(parts.values()))), parts)


def _mean(column: NumericColumn) -> float:
    """Return the overlap of a column's mean; 0 where the release has no numbers."""
    original = column.original[~np.isnan(column.original)]
    released = column.released[~np.isnan(column.low)]
    if not len(released):
        return 0.0
    return float(overlaps(mean_interval(original), mean_interval(released))[0])


def _shares(column: CategoricalColumn) -> float:
    """Return the mean overlap of the shares of a column's categories."""
    cells = category_cells(column, CATEGORIES)
    n_original, n_released = len(column.original), len(column.labels)
    found = np.bincount(cells.original, minlength=cells.size) / n_original
    spread = np.bincount(column.labels, minlength=len(cells.shares)) @ cells.shares / n_released
    # A sum of parts may be more than the whole by rounding.
    spread = np.clip(spread, 0.0, 1.0)
    intervals = share_intervals(found, n_original), share_intervals(spread, n_released)
    return float(overlaps(*intervals).mean())


def _regressions(pair: TablePair, _: np.random.Generator) -> MeasuredValue:
    reason = nothing_to_compare(pair)
    numbers = [column for column in pair.columns if isinstance(column, NumericColumn)][:COLUMNS]
    if reason is None and len(numbers) < 2:
        reason = Message("the tables have fewer than two columns of numbers or times")
    if reason is not None:
        return MeasuredValue(REGRESSION, None, reason=reason)
    original, n_original = _covariances(numbers, pair.n_original, original=True)
    released, n_released = _covariances(numbers, pair.n_released, original=False)
    parts = {}
    for target, column in enumerate(numbers):
        truth = slope_intervals(original, n_original, target)
        if truth is None:
            continue
        found = slope_intervals(released, n_released, target)
        parts[column.name] = 0.0 if found is None else float(overlaps(truth, found).mean())
    if not parts:
        reason = Message(
            "the original's columns of numbers are collinear or constant, or its records few"
        )
        return MeasuredValue(REGRESSION, None, reason=reason)
    return MeasuredValue(REGRESSION, float(np.mean(list(parts.values()))), parts)


def _covariances(numbers: list[NumericColumn], n: int, *, original: bool) -> tuple[Floats, int]:
    """Return (d, d) covariances over the records that have all numbers, and how many those are."""
    d = len(numbers)
    centres = np.zeros((d, 2))
    for i, column in enumerate(numbers):
        held = column.original[~np.isnan(column.original)]
        centres[i] = (held.mean(), held.std() or 1.0) if len(held) else (0.0, 1.0)
    sums, products, held_by_all = np.zeros(d), np.zeros((d, d)), 0
    for rows in chunks(n):
        values = np.stack(
            [
                number.original[rows] if original else (number.low[rows] + number.high[rows]) / 2
                for number in numbers
            ],
            axis=1,
        )
        values = (values[~np.isnan(values).any(axis=1)] - centres[:, 0]) / centres[:, 1]
        sums += values.sum(axis=0)
        products += values.T @ values
        held_by_all += len(values)
    if not held_by_all:
        return np.zeros((d, d)), 0
    means = sums / held_by_all
    covariances = products / held_by_all - np.outer(means, means)
    # A column that does not vary has a variance of rounding.
    varies = np.diag(covariances) > COLLINEAR * np.diag(products) / held_by_all
    return np.where(np.outer(varies, varies), covariances, 0.0), held_by_all


OVERLAP = Meaning(
    name="interval-overlap",
    better="higher",
    unit="overlap of 95 % confidence intervals of means and shares, mean over columns",
    source="Karr, Kohnen, Oganian, Reiter and Sanil (2006), The American Statistician 60(3), 4; "
    "disjoint intervals count 0; shares by Wilson's interval, intervals by their middle",
    title=_("Overlap of confidence intervals of means and shares"),
    counted=_("share of the confidence interval"),
)
REGRESSION = Meaning(
    name="interval-overlap-regression",
    better="higher",
    unit="overlap of 95 % confidence intervals of slopes, mean over columns of numbers",
    source="Karr, Kohnen, Oganian, Reiter and Sanil (2006), The American Statistician 60(3), 4; "
    f"each of the first {COLUMNS} columns of numbers by ordinary least squares on the others; "
    "disjoint intervals count 0, slopes that the release cannot estimate, too",
    title=_("Overlap of confidence intervals of slopes"),
    counted=_("share of the confidence interval"),
)

MEASURES: tuple[Measure, ...] = (Measure(OVERLAP, _estimates), Measure(REGRESSION, _regressions))
