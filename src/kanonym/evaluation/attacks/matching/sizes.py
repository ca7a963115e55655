"""Sizes of groups of records, and how likely each is."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kanonym.evaluation.attacks.result import SuccessCount
from kanonym.kernels.arrays import Bools, Floats, Ints

LARGEST = 1 << 16
"""Of classes for which labels times records are more, no bits are counted."""


class OneStep(NamedTuple):
    """What is known of cells: m labels share the n records of a class, none has k of them."""

    present: Bools
    known: Bools
    bits: Floats
    told: Floats


def one_step(records: Ints, labels: Ints, k: int) -> OneStep:
    """Return what is known of cells, (n_cells,) records of their class and labels below them."""
    most = k - 1
    mask = (labels > 1) & (records <= labels * most)
    bits = np.where(labels > 1, records * np.log2(np.maximum(labels, 1)), 0.0)
    told = np.zeros(len(records))
    counted = mask & (records > most) & (labels * records <= LARGEST)
    left = _log_ways(
        int(labels[counted].max(initial=0)), int(records[counted].max(initial=0)), most
    )
    for place in np.flatnonzero(counted).tolist():
        n, m = int(records[place]), int(labels[place])
        told[place] = bits[place] - (left[m][n] + math.lgamma(n + 1)) / math.log(2)
    return OneStep(
        mask & (records > (labels - 1) * most), mask & (records == labels * most), bits, told
    )


def _log_ways(labels: int, records: int, most: int) -> list[Floats]:
    """Return by m ≤ labels the logarithm of the ways to share n ≤ records, over n!."""
    from scipy.special import gammaln, logsumexp  # noqa: PLC0415 - scipy takes a while to load

    ways = [np.append(0.0, np.full(records, -np.inf))]
    each = -gammaln(np.arange(1, most + 2))
    for _ in range(labels):
        shifted = np.full((most + 1, records + 1), -np.inf)
        for j in range(min(most, records) + 1):
            shifted[j, j:] = ways[-1][: records + 1 - j] + each[j]
        ways.append(logsumexp(shifted, axis=0))
    return ways


_SHAPES = (-9.0, 9.0)
"""Logarithms between which the shape of the weights' distribution lies."""


def expected_singletons(held: Ints, size: int, wanted: int) -> SuccessCount:
    """Estimate how many predicates would match exactly one of `wanted` other persons.

    held: (p,) int64, how many persons of a control set satisfy each predicate.

    Notes
    -----
    From a larger set it is exact: the chance that of the m that match, one is among `wanted` of the
    `size` persons (hypergeometric). From a smaller one it is extrapolated as anonymeter does (Giomi
    et al. 2023, PoPETs 2023/2, section 5.1): the number found is multiplied by the ratio that a
    model of the predicates' weights gives for the two sizes. Their model has weights that are
    uniform from 0 to a bound; ours has gamma distributed ones, so that the counts are negative
    binomial, fitted by maximum likelihood.
    """
    if wanted <= size:
        return SuccessCount(_expected_matches(held, size, wanted), len(held))
    found = int((held == 1).sum())
    attempts = max(len(held) * size // wanted, min(1, len(held)))
    if not found:
        return SuccessCount(0.0, attempts)
    shape = _gamma_shape(held)
    mean = float(held.mean())
    ratio = _probability_of_one(shape, mean * wanted / size) / _probability_of_one(shape, mean)
    return SuccessCount(min(1.0, ratio * found / len(held)) * attempts, attempts)


def _expected_matches(held: Ints, size: int, wanted: int) -> float:
    """Return the expected number that match one of `wanted` persons drawn of `size`."""
    from scipy.special import gammaln  # noqa: PLC0415 - scipy takes time to load

    m = held[(held >= 1) & (size - held >= wanted - 1)].astype(np.float64)
    ways = gammaln(size - m + 1) - gammaln(wanted) - gammaln(size - m - wanted + 2)
    every = gammaln(size + 1) - gammaln(wanted + 1) - gammaln(size - wanted + 1)
    return float((m * np.exp(ways - every)).sum())


def _gamma_shape(held: Ints) -> float:
    """Return the shape of the gamma distribution whose Poisson counts are likeliest."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415
    from scipy.special import gammaln  # noqa: PLC0415

    values, counts = np.unique(held, return_counts=True)
    mean = held.mean()

    def unlikely(logarithm: float) -> float:
        shape = np.exp(logarithm)
        scale = mean / shape
        each = gammaln(values + shape) - gammaln(shape) + values * np.log(scale / (1 + scale))
        return float(-(counts * (each - shape * np.log1p(scale))).sum())

    return float(np.exp(minimize_scalar(unlikely, bounds=_SHAPES, method="bounded").x))


def _probability_of_one(shape: float, mean: float) -> float:
    """Return the probability of the negative binomial count 1."""
    return float(mean * (1 + mean / shape) ** (-shape - 1))
