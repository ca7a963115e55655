"""Probabilities of boxes under a multivariate normal distribution, at given points."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel, part

SMALLEST = 2.0**-53
"""Uniform numbers keep this distance from 0 and 1, whose normal quantiles are infinite."""


@kernel
def mean_products(
    codes: NDArray[np.int64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    factor: NDArray[np.float64],
    points: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the (n,) mean over points of the products of conditional probabilities.

    Parameters
    ----------
    codes
        (n, d): box i has along dimension a the sides in row codes[i, a]. Each dimension
        has rows of its own. Sorted boxes take less time: a box keeps what it shares with
        the one before, the conditional probabilities up to the first other side.
    lower, upper
        (n_sides, n_points), or (n_sides, 1) where sides are the same at all points.
    factor
        (d, d), the lower Cholesky factor of the correlations.
    points
        (n_points, d - 1) in (0, 1): where in the box each dimension is conditioned on.

    Notes
    -----
    Genz (1992), J. Comput. Graph. Stat. 1(2). Cost O(n · n_points · d²), about 40 ns for
    a dimension, of boxes that share nothing.

    """
    n, d = codes.shape
    n_points = len(points)
    moves = 1 if lower.shape[1] > 1 else 0
    latent = np.empty((d, n_points))
    product = np.ones((d + 1, n_points))
    result = np.empty(n)
    for i in range(n):
        first = 0
        while i > 0 and first < d and codes[i, first] == codes[i - 1, first]:
            first += 1
        for a in range(first, d):
            side = codes[i, a]
            scale = 1.0 / factor[a, a]
            for j in range(n_points):
                mean = 0.0
                for b in range(a):
                    mean += factor[a, b] * latent[b, j]
                low = _below((lower[side, j * moves] - mean) * scale)
                within = _below((upper[side, j * moves] - mean) * scale) - low
                product[a + 1, j] = product[a, j] * within
                if a < d - 1:
                    at = low + points[j, a] * within
                    latent[a, j] = normal_quantile(min(max(at, SMALLEST), 1.0 - SMALLEST))
        total = 0.0
        for j in range(n_points):
            total += product[d, j]
        result[i] = total / n_points
    return result


@part
def _below(x: float) -> float:
    """Return the standard normal distribution function."""
    return 0.5 * math.erfc(-x * math.sqrt(0.5))


@part
def normal_quantile(p: float) -> float:
    """Return the standard normal quantile of p in (0, 1), to a relative error of 1e-7.

    Wichura (1988), algorithm AS 241 (the short form, PPND7), Appl. Stat. 37(3).
    """
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        above = ((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179
        return q * above / (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1.0)
    r = math.sqrt(-math.log(min(p, 1.0 - p)))
    if r <= 5.0:
        r -= 1.6
        above = ((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777
        value = above / ((0.12021132975 * r + 0.73700164250) * r + 1.0)
    else:
        r -= 5.0
        above = ((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150
        value = above / ((0.012258202635 * r + 0.24197894225) * r + 1.0)
    return -value if q < 0.0 else value
