"""What mechanisms cost, in zero-concentrated differential privacy (Bun, Steinke 2016).

A cost is a number ρ; costs of mechanisms on one table add up, also where what was drawn decides
which mechanism comes next, as long as the sum cannot exceed what was promised (Feldman, Zrnic
2021; Whitehouse, Ramdas, Rogers, Wu 2023). From ρ follows (ε, δ) for every δ (Canonne, Kamath,
Steinke 2020, corollary 13):

    δ = exp((α - 1)(α·ρ - ε)) · (1 - 1/α)^α / (α - 1)     for any α > 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from fractions import Fraction

MOST_EPSILON = 500
"""What is asked; far below it, ε promises nothing any more."""
DIGITS = 50
"""Decimal digits with which a conversion is confirmed."""
HALVINGS = 200
"""Of an interval of floats: more than there are between any two."""
MARGIN = Fraction(1, 10**13)
"""By what a result of floats is moved to the safe side, as a share of it."""


class OverspentError(Exception):
    """A mechanism would cost more than is left. It has not been run."""


@dataclass(slots=True)
class Budget:
    """How much may be spent, and what has been spent on what; exact fractions."""

    total: Fraction
    entries: list[tuple[str, Fraction]] = field(default_factory=list)

    @property
    def spent(self) -> Fraction:
        """The sum of what was paid for."""
        return sum((cost for _, cost in self.entries), Fraction(0))

    @property
    def rest(self) -> Fraction:
        """What is left."""
        return self.total - self.spent

    def spend(self, what: str, rho: Fraction) -> None:
        """Pay for a mechanism before it is run."""
        if rho < 0:
            raise ValueError(f"{what}: a cost of at least 0, not {rho}")
        if rho > self.rest:
            raise OverspentError(f"{what} costs ρ = {float(rho):g}; {float(self.rest):g} is left")
        self.entries.append((what, rho))


def rho_of_gaussian(variance: Fraction, sensitivity_squared: int = 1) -> Fraction:
    """Return the cost of discrete Gaussian noise with σ² on whole numbers.

    `sensitivity_squared` is the square of the L2 distance by which one record can change them: 1
    for a marginal to which a record is added.
    """
    return Fraction(sensitivity_squared) / (2 * variance)


def rho_of_exponential(epsilon: Fraction) -> Fraction:
    """Return the cost of one draw of the exponential mechanism: ε²/8 (Cesar, Rogers 2021)."""
    return epsilon**2 / 8


def rho_for(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest ρ that implies (ε, δ), rounded down by less than 1 in 10^12.

    >>> float(rho_for(Fraction(1), Fraction(1, 10**9)))
    0.01497305767358...
    """
    check_promise(epsilon, delta)
    low, high = 0.0, float(epsilon) + 1
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _log_delta(middle, float(epsilon)) <= math.log(delta):
            low = middle
        else:
            high = middle
    rho = Fraction(low) * (1 - MARGIN)
    if not implies(rho, epsilon, delta):
        raise ArithmeticError(f"no ρ is confirmed for ε = {epsilon}, δ = {delta}")
    return rho


def epsilon_for(rho: Fraction, delta: Fraction) -> Fraction:
    """Return the smallest ε such that ρ implies (ε, δ), rounded up by less than 1 in 10^12."""
    check_promise(Fraction(1), delta)
    if rho <= 0:
        raise ValueError(f"a cost is above 0; this is {rho}")
    low, high = 0.0, float(rho) + 2 * math.sqrt(-float(rho) * math.log(delta))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _log_delta(float(rho), middle) <= math.log(delta):
            high = middle
        else:
            low = middle
    epsilon = Fraction(high) * (1 + MARGIN)
    if not implies(rho, epsilon, delta):
        raise ArithmeticError(f"no ε is confirmed for ρ = {float(rho):g}, δ = {delta}")
    return epsilon


def implies(rho: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Return whether ρ implies (ε, δ), decided with 50 digits.

    The formula holds for any α. So α comes from floats, and only δ is computed with more digits.
    """
    with localcontext(Context(prec=DIGITS)):
        a = Decimal(_best_alpha(float(rho), float(epsilon)))
        r, e, d = (
            Decimal(fraction.numerator) / Decimal(fraction.denominator)
            for fraction in (rho, epsilon, delta)
        )
        log_delta = (a - 1) * (a * r - e) + a * (1 - 1 / a).ln() - (a - 1).ln()
        return log_delta <= d.ln()


def check_promise(epsilon: Fraction, delta: Fraction) -> None:
    """Refuse what is no (ε, δ): ε above 0, δ in (0, 1)."""
    if epsilon <= 0 or not 0 < delta < 1:
        raise ValueError(f"ε is above 0 and δ in (0, 1); these are {epsilon} and {delta}")


def _log_delta(rho: float, epsilon: float) -> float:
    """Return the logarithm of the smallest δ."""
    if rho <= 0:
        return -math.inf
    a = _best_alpha(rho, epsilon)
    return (a - 1) * (a * rho - epsilon) + a * math.log1p(-1 / a) - math.log(a - 1)


def _best_alpha(rho: float, epsilon: float) -> float:
    """Return α of the smallest δ: where the derivative (2α-1)ρ - ε + ln(1-1/α) changes sign."""
    low, high = 1.0, 2.0
    while (2 * high - 1) * rho - epsilon + math.log1p(-1 / high) < 0:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if (2 * middle - 1) * rho - epsilon + math.log1p(-1 / middle) < 0:
            low = middle
        else:
            high = middle
    return high
