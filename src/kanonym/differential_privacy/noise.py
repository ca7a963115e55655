"""Exact noise on whole numbers: discrete Gaussian, and coins.

The discrete Gaussian has P(x) ∝ exp(-x²/(2σ²)) over all whole numbers x (Canonne, Kamath, Steinke
2020), and is drawn as a sign and a size. The size m has the weight w₀ = 1 or 2·w_m, and the
weights come from products: w_{m+1} = w_m·r_m and r_{m+1} = r_m·s, where r₀ = exp(-1/(2σ²)) and
s = r₀². The ratios never grow, so all weights beyond the last computed one together are at most
w/(1 - r). All of this is done in fixed-point whole numbers with known error, and
`InverseTable` takes as many bits as a draw needs: there is no approximation, and no float.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kanonym.differential_privacy.bits import Bits
from kanonym.differential_privacy.inverse import GUARD_BITS, InverseTable, exp_below

LARGEST_SIGMA = 100_000
"""Of what a table is made for: it takes 15σ steps."""


def discrete_gaussian(variance: Fraction, count: int, bits: Bits) -> NDArray[np.int64]:
    """Return (count,) int64 of the discrete Gaussian with parameter σ², a fraction above 0.

    Cost O(σ) once for each σ², then O(count log σ).
    """
    _check_variance(variance)
    return _signed(_gaussian_table(variance), count, bits)


def bernoulli(probability: Fraction, count: int, bits: Bits) -> NDArray[np.bool_]:
    """Return (count,) bool, each True with exactly this probability in [0, 1]."""
    if not 0 <= probability <= 1:
        raise ValueError(f"a probability is in [0, 1]; this is {probability}")
    if probability == 1:
        return np.ones(count, np.bool_)

    def thresholds(known: int) -> tuple[list[int], list[int]]:
        scaled = probability.numerator << known
        return [scaled // probability.denominator], [-(-scaled // probability.denominator)]

    return np.equal(InverseTable(thresholds).draw(count, bits), 0)


def _check_variance(variance: Fraction) -> None:
    if not isinstance(variance, Fraction) or variance <= 0:
        raise ValueError(f"the variance of noise is a Fraction above 0; this is {variance!r}")
    if variance > LARGEST_SIGMA**2:
        most = f"{LARGEST_SIGMA**2:,}"
        raise ValueError(f"noise of variance {float(variance):g} is too large; at most {most}")


def _signed(table: InverseTable, count: int, bits: Bits) -> NDArray[np.int64]:
    """Return sizes with a random sign."""
    sizes = table.draw(count, bits)
    negative = np.unpackbits(bits.words(count // 64 + 1).view(np.uint8))[:count]
    return np.where(negative.view(np.bool_), -sizes, sizes)


@lru_cache(maxsize=64)
def _gaussian_table(variance: Fraction) -> InverseTable:
    return InverseTable(lambda known: _size_thresholds(1 / (2 * variance), known))


def _size_thresholds(x: Fraction, known: int) -> tuple[list[int], list[int]]:
    """Return bounds of P(|X| < 1), P(|X| < 2), … times 2^known, until no draw is above one."""
    fine = known + GUARD_BITS
    one = 1 << fine
    ratio, ratio_error = exp_below(x, fine), 2
    step, step_error = ratio * ratio >> fine, 5
    weight, error = one, 0
    sums, errors = [one], [0]  # of the sizes below 1, below 2, …
    while weight > error:
        weight, error = weight * ratio >> fine, error + ratio_error + 1
        sums.append(sums[-1] + 2 * weight)
        errors.append(errors[-1] + 2 * error)
        ratio, ratio_error = ratio * step >> fine, ratio_error + step_error + 1
    # All sizes that follow have at most 2·w/(1 - r) together.
    tail = 2 * (weight + error) * one // (one - ratio - ratio_error) + 1
    total, total_above = sums[-1], sums[-1] + errors[-1] + tail
    low: list[int] = []
    high: list[int] = []
    for below, error_below in zip(sums, errors, strict=True):
        low.append((below << known) // total_above)
        high.append(min(1 << known, -(-(below + error_below << known) // total)))
        if high[-1] == 1 << known:
            break
    return low, high
