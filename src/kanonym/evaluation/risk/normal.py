"""Probabilities of boxes under a multivariate normal distribution."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.parallel import parallel
from kanonym.kernels.risk.boxes import SMALLEST, mean_products

Floats = NDArray[np.float64]

CHUNKS = 64
"""Into so many parts the boxes are parted, that all cores have work to the end."""


class Sides(NamedTuple):
    """Where the sides of boxes lie along one dimension.

    lower, upper: (n_values, n_points) float64 normal quantiles, infinite allowed: the side that
    each value has at each integration point. (n_values, 1) where it is the same at all of them.
    """

    lower: Floats
    upper: Floats


def lattice(n_points: int, n_dimensions: int, seed: int) -> Floats:
    """Return (n_points, n_dimensions) float64 in (0, 1): Richtmyer's lattice, folded.

    Multiples of the square roots of the primes, modulo one, moved by one random shift,
    then folded (the baker's transformation 1 - |2u - 1|), which makes the integrand
    periodic.

    Richtmyer (1951), LANL report LA-1342; Genz and Bretz (2009), "Computation of
    Multivariate Normal and t Probabilities", section 4.2.2. Cost O(points · dimensions).
    """
    roots = np.sqrt(_primes(n_dimensions))
    shift = np.random.default_rng(seed).random(n_dimensions)
    uniform = (np.arange(1, n_points + 1)[:, None] * roots + shift) % 1.0
    folded: Floats = 1.0 - np.abs(2.0 * uniform - 1.0)
    return np.clip(folded, SMALLEST, 1.0 - SMALLEST)


def box_probabilities(
    codes: NDArray[np.int32], sides: Sequence[Sides], correlation: Floats, points: Floats
) -> Floats:
    """Return (n,) float64 in [0, 1]: the probability of each box.

    codes: (n, d) int32: box i has along dimension a the sides of value codes[i, a]. Sorted boxes
    take less time.
    correlation: (d, d) float64, positive definite, ones on the diagonal.
    points: (n_points, d - 1) float64 in (0, 1), C order, integration points.

    Notes
    -----
    Genz's transformation: along the Cholesky factor, each dimension is drawn from its
    conditional distribution within the box, and the probability is the mean over the
    points of the product of the conditional probabilities. With a single dimension, or
    where the dimensions are independent, the result is exact. Cost O(n · points · d²),
    about 40 ns for a dimension, on every core.

    References
    ----------
    Genz (1992), "Numerical computation of multivariate normal probabilities", J. Comput.
    Graph. Stat. 1(2). Gibson, Glasbey and Elston (1994) order the dimensions of each
    box; here all boxes share one order, and one factor.

    """
    factor = np.linalg.cholesky(correlation).astype(np.float64)
    offsets = np.cumsum([0] + [len(side.lower) for side in sides[:-1]])
    rows = codes.astype(np.int64) + offsets
    lower = np.concatenate([side.lower for side in sides])
    upper = np.concatenate([side.upper for side in sides])
    starts = np.linspace(0, len(codes), min(CHUNKS, len(codes)) + 1).astype(np.int64)
    found = parallel(
        lambda part: mean_products(rows[part], lower, upper, factor, points),
        [slice(start, end) for start, end in itertools.pairwise(starts.tolist())],
    )
    return np.concatenate(found) if found else np.empty(0)


def rectangle_probabilities(first: Floats, second: Floats, correlation: float) -> Floats:
    """Return (r, c) float64: the probability of each cell of a grid, in two dimensions.

    first, second: (r + 1,) and (c + 1,) float64, cumulative probabilities from 0 to 1, ascending:
    the grid's lines are their normal quantiles.

    Notes
    -----
    The distribution function by Owen's T (Owen 1956, Ann. Math. Stat. 27(4)), exact to
    about 1e-15. Cost O(r · c).

    """
    from scipy.special import ndtri, owens_t  # noqa: PLC0415

    below = np.zeros((len(first), len(second)))
    below[:, -1] = first
    below[-1, :] = second
    # An inner line at 0 exactly is moved by nothing that counts: the formula divides by it.
    h = ndtri(first[1:-1])[:, None]
    k = ndtri(second[1:-1])[None, :]
    h = np.where(h == 0.0, np.finfo(float).tiny, h)
    k = np.where(k == 0.0, np.finfo(float).tiny, k)
    rest = math.sqrt((1.0 - correlation) * (1.0 + correlation))
    inner = (first[1:-1, None] + second[None, 1:-1]) / 2.0 - (h * k < 0.0) / 2.0
    with np.errstate(over="ignore"):
        inner -= owens_t(h, (k / h - correlation) / rest)
        inner -= owens_t(k, (h / k - correlation) / rest)
    below[1:-1, 1:-1] = inner
    cells: Floats = np.diff(np.diff(below, axis=0), axis=1)
    return np.maximum(cells, 0.0)


def _primes(count: int) -> NDArray[np.int64]:
    """Return the first primes."""
    found: list[int] = []
    candidate = 2
    while len(found) < count:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return np.array(found, np.int64)
