"""Draws from a multivariate normal distribution of which some coordinates lie in intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Floats = NDArray[np.float64]

SMALLEST = 1e-12
"""No variance below it: what is left of a coordinate that others determine."""

ROUNDS = 25
"""Rounds of Gibbs sampling after a start that is drawn one coordinate after the other."""


def draw_in_boxes(
    lower: Floats, upper: Floats, correlation: Floats, random: np.random.Generator
) -> Floats:
    """Draw from a normal distribution within boxes.

    lower, upper: (n, d) float64, lower <= upper, infinite where nothing is known.
    correlation: (d, d) float64, positive definite, ones on the diagonal.

    Returns
    -------
    (n, d) float64, each record within its box.

    Notes
    -----
    Coordinates that are bounded in some record are drawn by Gibbs sampling, all records side
    by side: each from its distribution given the others, 25 rounds. The rest is normal given
    these. Cost O(n · (25 g + d) · d) for g bounded coordinates.

    References
    ----------
    Geweke (1991), "Efficient simulation from the multivariate normal and Student-t
    distributions subject to linear constraints", section 3: Gibbs sampling of a truncated
    normal distribution; the start is the sequential draw of Genz (1992).

    """
    n, d = lower.shape
    bounded = np.isfinite(lower).any(axis=0) | np.isfinite(upper).any(axis=0)
    known, rest = np.flatnonzero(bounded), np.flatnonzero(~bounded)
    result = np.empty((n, d))
    of_known = correlation[np.ix_(known, known)]
    for state in gibbs_states(lower[:, known], upper[:, known], of_known, random, 1):
        result[:, known] = state
    if len(rest):
        weights, covariance = regression_on(correlation, rest, known)
        factor: Floats = np.linalg.cholesky(covariance).astype(np.float64)
        noise = random.standard_normal((n, len(rest))) @ factor.T
        result[:, rest] = result[:, known] @ weights.T + noise
    return result


def regression_on(
    correlation: Floats, of: NDArray[np.int64], on: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return the (a, b) weights and the (a, a) remaining covariance of coordinates on others."""
    between = correlation[np.ix_(of, on)]
    weights = np.linalg.solve(correlation[np.ix_(on, on)], between.T).T.astype(np.float64)
    remaining: Floats = correlation[np.ix_(of, of)] - weights @ between.T
    return weights, remaining


def gibbs_states(
    lower: Floats, upper: Floats, correlation: Floats, random: np.random.Generator, count: int
) -> Iterator[Floats]:
    """Give `count` states of Gibbs sampling, (n, d) each within its box, after 25 rounds.

    The array is the same one each time. With a single coordinate, states do not depend on each
    other, and none is left out.
    """
    n, d = lower.shape
    state = np.zeros((n, d))
    everything = np.arange(d)

    def move(a: int, on: NDArray[np.int64], weights: Floats, variance: Floats) -> None:
        mean = state[:, on] @ weights[0]
        state[:, a] = draw_between(mean, float(variance[0, 0]), lower[:, a], upper[:, a], random)

    for a in range(d):
        move(a, everything[:a], *regression_on(correlation, everything[a : a + 1], everything[:a]))
    others = [np.delete(everything, a) for a in range(d)]
    models = [regression_on(correlation, everything[a : a + 1], others[a]) for a in range(d)]
    for round_ in range(ROUNDS * (d > 1) + count):
        for a in range(d):
            move(a, others[a], *models[a])
        if round_ >= ROUNDS * (d > 1):
            yield state


def draw_between(
    mean: Floats, variance: float, lower: Floats, upper: Floats, random: np.random.Generator
) -> Floats:
    """Return (n,) normal draws between (n,) bounds, by inversion in the tail that they are in."""
    deviation = math.sqrt(max(variance, SMALLEST))
    low, high = (lower - mean) / deviation, (upper - mean) / deviation
    # Far above the mean, probabilities are too near to 1 to be told apart: mirror.
    mirrored = low > 0.0
    low, high = np.where(mirrored, -high, low), np.where(mirrored, -low, high)
    below, above = ndtr(low), ndtr(high)
    standard = ndtri(below + random.random(len(mean)) * (above - below))
    # Beyond all probabilities, what is nearest to the mean is the most likely.
    standard = np.where(np.isfinite(standard), np.clip(standard, low, high), high)
    found: Floats = mean + deviation * np.where(mirrored, -standard, standard)
    return np.clip(found, lower, upper)
