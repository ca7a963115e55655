"""The correlations of the copula: those at which it would show what the table shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kanonym.evaluation.risk.dependence import (
    STRONGEST,
    correlation_of,
    expected_mutual_information,
    mutual_information,
)
from kanonym.evaluation.risk.normal import rectangle_probabilities
from kanonym.kernels.parallel import parallel
from kanonym.synthesis.copula.axes import BinnedAxis, count_bins

Floats = NDArray[np.float64]

STEPS = 40
"""Most steps of the search for a correlation; it takes about eight."""

PRECISION = 1e-6
"""Of a covariance of scores, and of a correlation on Fisher's scale."""

WEAK = 0.9
"""Up to this correlation a covariance is a short series: what is left out is below 1e-7."""


def fit_correlation(axes: Sequence[BinnedAxis], chance: Sequence[float]) -> Floats:
    """Fit the correlations of a Gaussian copula to the covariances of normal scores.

    Returns
    -------
    (d, d) float64, symmetric, ones on the diagonal, of either sign; not always positive definite.

    Notes
    -----
    Each value of an axis has the score that a normal variable has on average within its bin.
    The correlation of a pair is the one at which the copula's own table of these bins has the
    covariance of scores that the records have, so that coarse values do not weaken it. For two
    axes with two values this is the tetrachoric correlation. Covariances no larger than
    chance gives are shrunk (James and Stein's rule, each pair on its own): a pair of rare values
    that never met says little. Two nominal axes have no linear association: of the correlation
    above and the one with the mutual information of the table, adjusted for chance, theirs is
    the one whose table is nearer to the records. Records without a value on one of the axes
    count for no pair with it.

    Cost O(n · d²) for the tables, a tenth of a millisecond of model a pair, and up to 5 ms where
    the correlation is beyond ±0.9 or both axes are nominal.

    References
    ----------
    Mehler (1866), "Ueber die Entwicklung einer Function von beliebig vielen Variablen nach
    Laplaceschen Functionen höherer Ordnung", J. reine angew. Math. 66, for the covariance as a
    series in the correlation.

    Olsson (1979), "Maximum likelihood estimation of the polychoric correlation coefficient",
    Psychometrika 44(4), here by the moment of the scores instead of the likelihood, which keeps
    linear association right also where the table is no copula's.

    """
    d = len(axes)
    matrix = np.eye(d)
    pairs = list(combinations(range(d), 2))

    def fit_pair(pair: tuple[int, int]) -> float:
        first, second = axes[pair[0]], axes[pair[1]]
        return pair_correlation(first, second, chance[pair[0]] + chance[pair[1]])

    for (i, j), found in zip(pairs, parallel(fit_pair, pairs), strict=True):
        matrix[i, j] = matrix[j, i] = found
    return matrix


def pair_correlation(first: BinnedAxis, second: BinnedAxis, chance: float) -> float:
    """Return the correlation, in (-1, 1), of two axes; see `fit_correlation`."""
    table = count_bins(first, second)
    n = table.sum()
    if n < 2:
        return 0.0
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    a = first.scores - rows @ first.scores / n
    b = second.scores - columns @ second.scores / n
    covariance = float(a @ table @ b / n)
    spread = float((rows @ a**2) * (columns @ b**2)) / n**2
    if spread <= 0.0:
        return 0.0
    squared = min(covariance**2 / spread, 1.0)
    if squared == 0.0:
        return 0.0
    loose = 1.0 - squared
    covariance *= max(0.0, 1.0 - loose / (n * squared)) * math.sqrt(max(0.0, 1.0 - loose * chance))
    found = correlation_at(covariance, first, second)
    if first.is_nominal and second.is_nominal and found != 0.0:
        return _refine_nominal(table, found, first, second)
    return found


def _refine_nominal(table: Floats, found: float, first: BinnedAxis, second: BinnedAxis) -> float:
    """Return a correlation of two nominal axes, or the one of their mutual information."""
    rows, columns = (table.sum(axis=axis).astype(np.int64) for axis in (1, 0))
    if not (rows.all() and columns.all()):
        return found
    a, b = np.nonzero(table)
    information = mutual_information(table[a, b], rows[a], columns[b])
    information -= expected_mutual_information(rows, columns)
    other = math.copysign(correlation_of(information, rows, columns), found)
    shares = table / table.sum()

    def distance(correlation: float) -> float:
        cells = rectangle_probabilities(first.lines, second.lines, correlation)
        return float(np.abs(cells - shares).sum())

    return min(found, other, key=distance)


def correlation_at(covariance: float, first: BinnedAxis, second: BinnedAxis) -> float:
    """Return the correlation at which a copula's table has this covariance of scores.

    The covariance rises with the correlation. False position on Fisher's scale, with the
    Illinois rule; where no correlation gives so much, the strongest one is returned.
    """
    products = first.coefficients * second.coefficients
    powers = np.arange(1, len(products) + 1)

    def missing(at: float) -> float:
        correlation = math.tanh(at)
        if abs(correlation) <= WEAK + PRECISION:
            return float(products @ correlation**powers) - covariance
        cells = rectangle_probabilities(first.lines, second.lines, correlation)
        return float(first.scores @ cells @ second.scores) - covariance

    if abs(covariance) < 1e-12:
        return 0.0
    sign = 1.0 if covariance > 0.0 else -1.0
    low, high = 0.0, sign * math.atanh(WEAK)
    at_low, at_high = -covariance, missing(high)
    if at_high * sign <= 0.0:
        low, at_low = high, at_high
        high = sign * math.atanh(STRONGEST)
        at_high = missing(high)
        if at_high * sign <= 0.0:
            return math.tanh(high)
    for step in range(STEPS):
        ratio = 0.5 if step % 4 == 3 else at_low / (at_low - at_high)
        middle = low + (high - low) * ratio
        at_middle = missing(middle)
        if abs(at_middle) < PRECISION or abs(high - low) < PRECISION:
            break
        if at_middle * at_low > 0.0:
            low, at_low, at_high = middle, at_middle, at_high / 2
        else:
            high, at_high, at_low = middle, at_middle, at_low / 2
    return math.tanh(middle)
