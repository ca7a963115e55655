"""Sampling and suppression under differential privacy: which class size hides a record.

Li, Qardaji and Su (2012), "On sampling, anonymization, and differential privacy", and Bild, Kuhn
and Prasser (2018), "SafePub": keep each record with probability β, generalize by a fixed rule,
suppress classes of fewer than k records of the sample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.differential_privacy.noise import Bits

GRID = 1 << 64
"""β is a whole multiple of 1/GRID, so that 64 random bits decide about a record exactly."""

DIGITS = Context(prec=60, Emin=-(10**6), Emax=10**6)
"""Decimal digits of e^−ε; the last one counts as unknown."""

MARGIN = 1e-9
"""Relative error that computed tails are credited with; scipy's are far below it."""

LARGEST_K = 1_000_000
"""Beyond this, no class of a table could be as large."""

BLOCK = 1 << 12
"""Thresholds whose tails are computed at a time."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How records are sampled, and the class size that keeps a promise of ε and δ."""

    beta: Fraction
    gamma: Fraction
    k: int
    delta: float


def largest_beta(epsilon: Fraction) -> Fraction:
    """Return 1 − e^−ε, rounded down to a multiple of 1/`GRID`."""
    return Fraction(int((1 - _exp_upper(epsilon)) * GRID), GRID)


@lru_cache(maxsize=64)
def sampling_of(epsilon: Fraction, delta: float, beta: float | None = None) -> Sampling:
    """Return β and the smallest k for which sampling and suppression are (ε, δ)-private.

    Notes
    -----
    With b_j = P[Binomial(n_j, β) ≥ j] and n_j = ⌈j/γ⌉ − 1, δ(k) = max over j ≥ k of b_j, so k is
    one more than the last j with b_j > δ. Beyond j = γ·ln(1/δ)/KL(γ‖β) + 1 no b_j is
    (Chernoff). n_j is exact for γ rounded down, which makes it, and the tail, larger. Tails
    count as `MARGIN` larger than computed. Cost: a millisecond for ε up to 3.

    Examples
    --------
    >>> found = sampling_of(Fraction(1), 1e-6)
    >>> found.k, round(float(found.beta), 4)
    (74, 0.6321)
    >>> sampling_of(Fraction(2), 1e-5, 0.5).k
    21

    """
    from scipy.special import betainc  # noqa: PLC0415 - every command would wait for it

    most = largest_beta(epsilon)
    chosen = most if beta is None else Fraction(math.floor(Fraction(beta) * GRID), GRID)
    if not most:
        raise PolicyError(f"epsilon is {float(epsilon):g}, which keeps no record: use a larger one")
    if not 0 < chosen <= most:
        raise PolicyError(
            f"beta is {beta!r}; with epsilon {float(epsilon):.6g} for the release it must be above "
            f"0 and at most {round_down(most)!r}"
        )
    gamma_denominator = 1 << 192
    below = (1 - (1 - chosen) * _exp_upper(epsilon)) * gamma_denominator
    gamma_numerator = math.floor(below)
    gamma = Fraction(gamma_numerator, gamma_denominator)
    last = _last_threshold(chosen, gamma, delta)
    above = round_up(chosen)
    largest, k = 0.0, 1
    for stop in range(last, 0, -BLOCK):
        thresholds = range(max(1, stop - BLOCK + 1), stop + 1)
        drawn = [-(-j * gamma_denominator // gamma_numerator) - 1 for j in thresholds]
        j, n = np.array(thresholds, np.float64), np.array(drawn, np.float64)
        tails = betainc(j, n - j + 1, above) * (1 + MARGIN)
        exceeding = np.flatnonzero(tails > delta)
        kept = tails[exceeding[-1] + 1 :] if len(exceeding) else tails
        largest = max(largest, float(kept.max(initial=0.0)))
        if len(exceeding):
            k = thresholds[int(exceeding[-1])] + 1
            break
    return Sampling(chosen, gamma, k, largest)


def draw_sample(n_records: int, beta: Fraction, bits: Bits) -> NDArray[np.bool_]:
    """Return (n_records,) bool: each True with probability β exactly, one word of bits each."""
    return bits.words(n_records) < np.uint64(int(beta * GRID))


def draw_one_each(persons: NDArray[np.int32], bits: Bits) -> NDArray[np.bool_]:
    """Return (n_records,) bool: one record of each person, whatever the records hold.

    persons: (n_records,) int32, the person of each record; negative where nobody is named. Such a
    record stays out: it may be of anybody, also of somebody who has one already.
    """
    order = np.lexsort((bits.words(len(persons)), persons))
    first = np.ones(len(persons), np.bool_)
    first[1:] = persons[order[1:]] != persons[order[:-1]]
    kept = np.zeros(len(persons), np.bool_)
    kept[order[first]] = True
    return kept & (persons >= 0)


def round_down(number: Fraction) -> float:
    """Return the largest float that is at most a fraction."""
    near = float(number)
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)


def exact_number(given: float) -> Fraction:
    """Return a parameter as people wrote it: 0.1 is one tenth, not the float beside it."""
    return Fraction(repr(float(given)))


def round_up(number: Fraction) -> float:
    """Return the smallest float that is at least a fraction."""
    near = float(number)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)


def _exp_upper(epsilon: Fraction) -> Fraction:
    """Return a number that e^−ε does not exceed, and that it misses by a factor of 1 + 1e-57."""
    exact = DIGITS.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))
    return Fraction(DIGITS.exp(-exact)) * (1 + Fraction(1, 10**57) * (1 + math.ceil(epsilon)))


def _last_threshold(beta: Fraction, gamma: Fraction, delta: float) -> int:
    """Return a threshold beyond which no tail exceeds δ."""
    b, g = float(beta), float(gamma)
    distance = g * math.log1p(float((gamma - beta) / beta)) + float(1 - gamma) * math.log(
        float((1 - gamma) / (1 - beta))
    )
    last = g * math.log(1 / delta) / distance + 2
    if not last <= LARGEST_K:
        raise PolicyError(
            f"classes would need up to {last:,.0f} records with beta {b:.6g}: use a smaller beta"
        )
    return math.ceil(last)
