"""How far each column's distribution moved, by four distances.

What a released value leaves open is spread evenly (`cells`). Distributions of numbers
are compared in at most 20 bins, except by Wasserstein's distance, which needs none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.pair.tables import NumericColumn, TablePair
from kanonym.evaluation.utility import Measure
from kanonym.evaluation.utility.cells import distributions, nothing_to_compare
from kanonym.metrics.measured_value import Meaning, MeasuredValue

NARROW = 1e-9
"""An interval below this share of the original's range counts as its middle."""

Shares = NDArray[np.float64]


def total_variation(original: Shares, released: Shares) -> float:
    """Return half the sum of absolute differences of two distributions, in [0, 1]."""
    return float(np.abs(original - released).sum() / 2)


def hellinger(original: Shares, released: Shares) -> float:
    """Return Hellinger's distance of two distributions, in [0, 1]."""
    return float(np.sqrt(((np.sqrt(original) - np.sqrt(released)) ** 2).sum() / 2))


def jensen_shannon(original: Shares, released: Shares) -> float:
    """Return the square root of the Jensen–Shannon divergence in bits, in [0, 1]."""
    middle = (original + released) / 2
    divergence = 0.0
    for shares in (original, released):
        mask = shares > 0
        divergence += float(shares[mask] @ np.log2(shares[mask] / middle[mask])) / 2
    return float(np.sqrt(max(divergence, 0.0)))


def wasserstein(column: NumericColumn) -> float:
    """Return the earth mover's distance of one column, in shares of the original's range.

    Notes
    -----
    Exact but for rounding: between neighbouring ends one function is constant and the other
    a line. Intervals below 1e-9 of the range count as their middle, an error of at most
    5e-10. Cost O(n log n).

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


def _areas(left: Shares, right: Shares, lengths: Shares) -> Shares:
    """Return (n,) areas between lines from left to right and zero."""
    crossing = left * right < 0
    ends = np.abs(left) + np.abs(right)
    triangles = (left**2 + right**2) / np.where(crossing, ends, 1.0)
    return np.where(crossing, triangles, ends) * lengths / 2


def _mean_over_columns(
    meaning: Meaning,
    distance: Callable[[Shares, Shares], float],
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
