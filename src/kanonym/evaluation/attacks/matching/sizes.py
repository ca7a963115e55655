"""Predicates counted among other persons, as if those were as many as the original's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.evaluation.attacks.result import SuccessCount

_SHAPES = (-9.0, 9.0)
"""Logarithms between which the shape of the weights' distribution lies."""


def expected_singletons(held: NDArray[np.int64], size: int, wanted: int) -> SuccessCount:
    """Estimate how many predicates would match exactly one of `wanted` other persons.

    held: (p,) int64, how many persons of a control set satisfy each predicate.

    Notes
    -----
    From a larger set it is exact: the chance that of the m that match, one is among `wanted`
    of the `size` persons (hypergeometric). From a smaller one it is extrapolated as
    anonymeter does (Giomi et al. 2023, PoPETs 2023/2, section 5.1): the number found is
    multiplied by the ratio that a model of the predicates' weights gives for the two sizes.
    Their model has weights that are uniform from 0 to a bound; ours has gamma distributed
    ones, so that the counts are negative binomial, fitted by maximum likelihood. On
    combinations of columns, whose weights are very uneven, the uniform model finds down to a
    half of what a control set of the original's size gives; ours stays within a tenth of it
    with half as many persons, and with a tenth it finds up to a third less. Too little makes
    the risk beside the control too large, not too small.

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


def _expected_matches(held: NDArray[np.int64], size: int, wanted: int) -> float:
    """Return the expected number that match one of `wanted` persons drawn of `size`."""
    from scipy.special import gammaln  # noqa: PLC0415 - scipy takes time to load

    m = held[(held >= 1) & (size - held >= wanted - 1)].astype(np.float64)
    ways = gammaln(size - m + 1) - gammaln(wanted) - gammaln(size - m - wanted + 2)
    every = gammaln(size + 1) - gammaln(wanted + 1) - gammaln(size - wanted + 1)
    return float((m * np.exp(ways - every)).sum())


def _gamma_shape(held: NDArray[np.int64]) -> float:
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
