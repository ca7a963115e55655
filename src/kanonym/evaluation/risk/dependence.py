"""How strongly attributes depend on each other, as correlations of a Gaussian copula."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kanonym.evaluation.risk.normal import rectangle_probabilities
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.parallel import parallel

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

LINES = 100
"""A grid has at most about so many lines a side: rare values in a row are merged."""

STRONGEST = 1.0 - 1e-6
"""No correlation above it: attributes that determine each other would have 1."""

STEPS = 20
"""Halvings of the interval in which a correlation is sought, on Fisher's scale."""

SMALLEST_EIGENVALUE = 1e-6

WIDE = 20.0
"""Cell counts whose standard deviation is larger are expanded, not summed."""


def fit_correlation(codes: NDArray[np.int32], weights: Counts, counts: Sequence[Counts]) -> Floats:
    """Fit the correlations of a Gaussian copula to the dependence of each pair of attributes.

    codes: (n_distinct, d) int32, distinct records; values are numbered in the order that they have
    in the copula.
    weights: (n_distinct,) int64, records equal to each.
    counts: d arrays (n_values,) int64, positive: records with each value.

    Returns
    -------
    (d, d) float64, positive definite, ones on the diagonal, not negative before it is
    made positive definite.

    Notes
    -----
    The correlation of a pair is the one at which the mutual information of the copula's
    table equals that of the sample, adjusted for chance. The matrix of all pairs may be
    indefinite: its eigenvalues are raised to at least 1e-6 and its diagonal is scaled
    back to 1.

    Cost for each pair O(n_distinct + r · c), about 5 ms for tables like the census, at
    most about 60 ms of model, however many values the attributes have.

    References
    ----------
    Rocher, Hendrickx and de Montjoye (2019), Nature Communications 10:3069. Their program
    CorrectMatch draws 10,000 records to know the mutual information of the copula and
    shuffles a column once to know what chance gives; both are computed here, so nothing is
    random. It raises eigenvalues to 1e-10 and keeps the diagonal as it comes out.

    """
    d = len(counts)
    columns = [np.ascontiguousarray(codes[:, a]) for a in range(d)]

    def fit_pair(pair: tuple[int, int]) -> float:
        first, second = pair
        if min(len(counts[first]), len(counts[second])) < 2:
            return 0.0
        sizes = len(counts[first]), len(counts[second])
        cells = group_rows([columns[first], columns[second]], sizes)
        found = mutual_information(
            np.bincount(cells.labels, weights=weights).astype(np.float64),
            counts[first][cells.codes[:, 0]],
            counts[second][cells.codes[:, 1]],
        )
        found -= expected_mutual_information(counts[first], counts[second])
        return correlation_of(found, counts[first], counts[second])

    pairs = list(itertools.combinations(range(d), 2))
    matrix = np.eye(d)
    for (first, second), correlation in zip(pairs, parallel(fit_pair, pairs), strict=True):
        matrix[first, second] = matrix[second, first] = correlation
    return positive_definite(matrix)


def mutual_information(cells: Floats, first: Counts, second: Counts) -> float:
    """Return the mutual information of two attributes, in nats.

    cells, first, second: (n_cells,) positive numbers of records with both values, with the
    first and with the second.
    """
    n = cells.sum()
    return float(cells @ np.log(cells / first * (n / second)) / n)


def expected_mutual_information(first: Counts, second: Counts) -> float:
    """Return the mean of the mutual information over all shuffles of one column, in nats.

    first, second: (n_values,) int64, positive: records with each value.

    Notes
    -----
    Each cell of a shuffled table is hypergeometric: Vinh, Epps and Bailey (2010), JMLR 11,
    theorem 12. Equal counts are taken together, terms that are more than seven standard
    deviations off are left out, and wide cells are expanded around their mean to the
    fourth moment. Cost O(distinct counts squared), for n records at most O(n) · 300.

    """
    n = int(first.sum())
    log_factorials = _log_factorials(n)
    y, times = np.unique(second, return_counts=True)
    total = 0.0
    for x, repeats in zip(*np.unique(first, return_counts=True), strict=True):
        total += repeats * (times @ _expected_terms(int(x), y, n, log_factorials))
    return float(total) / n


def _expected_terms(x: int, y: Counts, n: int, log_factorials: Floats) -> Floats:
    """Return E[K log(n K / (x y))] of hypergeometric K, for each y of (n_values,)."""
    mean = x * y / n
    variance = mean * (n - x) / n * (n - y) / max(n - 1, 1)
    deviation = np.sqrt(variance)
    skew = variance * (n - 2.0 * x) * (n - 2.0 * y) / (n * max(n - 2.0, 1.0))
    terms: Floats = variance / (2 * mean) - skew / (6 * mean**2) + variance**2 / (4 * mean**3)

    narrow = np.flatnonzero(deviation <= WIDE)
    y, mean, reach = y[narrow], mean[narrow], 7 * deviation[narrow] + 20
    low = np.maximum(np.maximum(1, x + y - n), np.floor(mean - reach)).astype(np.int64)
    high = np.minimum(np.minimum(x, y), np.ceil(mean + reach)).astype(np.int64)
    span = int((high - low).max(initial=-1)) + 1
    k = np.minimum(low[:, None] + np.arange(span), high[:, None])
    y = y[:, None]
    of = log_factorials
    log_probability = of[x] - of[k] - of[x - k] + of[n - x] - of[y - k] - of[n - x - y + k]
    log_probability += of[y] + of[n - y] - of[n]
    each = k * np.log(k / mean[:, None]) * np.exp(log_probability)
    each[low[:, None] + np.arange(span) > high[:, None]] = 0.0
    terms[narrow] = each.sum(axis=1)
    return terms


def _log_factorials(n: int) -> Floats:
    from scipy.special import gammaln  # noqa: PLC0415

    result: Floats = gammaln(np.arange(1.0, n + 2.0))
    return result


def correlation_of(information: float, first: Counts, second: Counts) -> float:
    """Return the correlation in [0, 1) at which a copula has this mutual information.

    first, second: (n_values,) int64: records with each value, in the copula's order of the values.

    Notes
    -----
    The mutual information of the cells rises with the correlation; the interval is halved
    twenty times. Where the two orders allow no table that is so dependent, the largest
    correlation is returned. Cost O(r · c), r and c at most about 100.

    """
    if information <= 0.0:
        return 0.0
    lines = [_lines(first), _lines(second)]
    independent = np.outer(np.diff(lines[0]), np.diff(lines[1]))
    low, high = 0.0, math.atanh(STRONGEST)
    for _ in range(STEPS):
        middle = (low + high) / 2
        cells = rectangle_probabilities(lines[0], lines[1], math.tanh(middle))
        there = cells > 0.0
        if cells[there] @ np.log(cells[there] / independent[there]) < information:
            low = middle
        else:
            high = middle
    return math.tanh(low) if low > 0.0 else 0.0


def _lines(counts: Counts) -> Floats:
    """Return the ascending cumulative probabilities from 0 to 1 that part the values."""
    cumulative: Floats = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    if len(counts) <= LINES:
        return cumulative
    kept: Floats = cumulative[np.diff(np.floor(cumulative * LINES), prepend=-1.0) > 0.0]
    return kept


def positive_definite(matrix: Floats) -> Floats:
    """Return a (d, d) correlation matrix near a symmetric one with ones on the diagonal."""
    values, vectors = np.linalg.eigh(matrix)
    if values[0] >= SMALLEST_EIGENVALUE:
        return matrix
    raised = (vectors * np.maximum(values, SMALLEST_EIGENVALUE)) @ vectors.T
    scale = np.sqrt(np.diag(raised))
    result: Floats = raised / np.outer(scale, scale)
    np.fill_diagonal(result, 1.0)
    return result
