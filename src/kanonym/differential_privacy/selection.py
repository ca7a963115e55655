"""The exponential mechanism, drawn exactly: one of many candidates, better ones more probably.

A candidate with the score s is drawn with probability proportional to exp(ε·s/(2Δ)), where Δ is
how much one record can change any score (McSherry, Talwar 2007). Where adding a record never
lowers a score, or never raises one, exp(ε·s/Δ) has the same guarantee: the scores are monotone.
Both are ε-differentially private, and their log-probabilities range within ε, so they cost
ρ = ε²/8 (Cesar, Rogers 2021).

Scores are whole numbers: who has others puts them on a grid that is public, and adds what
rounding may change to Δ.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanonym.differential_privacy.bits import Bits, random_below
from kanonym.differential_privacy.inverse import GUARD_BITS, InverseTable, exp_below, power_below

DIGIT_BITS = 10
"""Of the digits that a distance of scores is written with: a table of powers for each."""


def draw_candidate(
    scores: NDArray[np.int64],
    epsilon: Fraction,
    sensitivity: int,
    bits: Bits,
    *,
    monotone: bool = False,
) -> int:
    """Return the position of one candidate, drawn by the exponential mechanism.

    scores: (candidates,) int64, higher is better; at least one.

    Notes
    -----
    Candidates of one score are drawn together, then one of them evenly. Cost O(candidates log
    candidates), and some microseconds for each different score that has a chance above 2^-191.

    """
    if not isinstance(epsilon, Fraction) or epsilon <= 0 or sensitivity < 1 or not len(scores):
        raise ValueError("a draw needs candidates, an epsilon above 0 and a sensitivity from 1 on")
    different, group, counts = np.unique(scores, return_inverse=True, return_counts=True)
    # In whole numbers of Python: a distance may be beyond 64 bits.
    best = int(different[-1])
    gaps = [best - one for one in different[::-1].tolist()]
    sizes = counts[::-1].tolist()
    x = epsilon / (sensitivity if monotone else 2 * sensitivity)
    table = InverseTable(lambda known: _bounds(x, gaps, sizes, known))
    drawn = len(gaps) - 1 - int(table.draw(1, bits)[0])
    members = np.flatnonzero(group == drawn)
    return int(members[random_below(len(members), bits)])


def _bounds(
    x: Fraction, gaps: list[int], sizes: list[int], known: int
) -> tuple[list[int], list[int]]:
    """Return bounds of the shares of the first groups, of the first two, …, times 2^known."""
    fine = known + GUARD_BITS
    powers = _Powers(x, fine)
    sums, errors = [0], [0]
    rest = 0
    for place, gap in enumerate(gaps):
        weight, error = powers.at(gap)
        if not weight:
            # Weights fall: this one and all that follow are below the error of this one.
            rest = error * sum(sizes[place:])
            break
        sums.append(sums[-1] + sizes[place] * weight)
        errors.append(errors[-1] + sizes[place] * error)
    total, total_above = sums[-1], sums[-1] + errors[-1] + rest
    low: list[int] = []
    high: list[int] = []
    for below, error_below in zip(sums[1:], errors[1:], strict=True):
        low.append((below << known) // total_above)
        high.append(min(1 << known, -(-(below + error_below << known) // total)))
    if not rest:
        # The last share is 1: no threshold.
        return low[:-1], high[:-1]
    # Groups that were summed up as the rest: somewhere above, not known where.
    left = len(gaps) - len(low) - 1
    return low + low[-1:] * left, high + [1 << known] * left


class _Powers:
    """exp(-x·d) for many whole d, as fixed-point numbers with their error."""

    def __init__(self, x: Fraction, fine: int) -> None:
        self._fine = fine
        self._base = exp_below(x, fine)
        self._known: dict[tuple[int, int], tuple[int, int]] = {}

    def at(self, gap: int) -> tuple[int, int]:
        """Return the power of the gap, multiplied from those of its digits."""
        result, result_error, place = 1 << self._fine, 1, 0
        while gap:
            digit = gap & (1 << DIGIT_BITS) - 1
            if digit:
                power, error = self._digit(digit, place)
                result, result_error = result * power >> self._fine, result_error + error + 1
            gap, place = gap >> DIGIT_BITS, place + 1
        return result, result_error

    def _digit(self, digit: int, place: int) -> tuple[int, int]:
        key = (digit, place)
        if key not in self._known:
            exponent = digit << DIGIT_BITS * place
            self._known[key] = power_below(self._base, 2, exponent, self._fine)
        return self._known[key]
