"""Individual risk by its recurrence, in decimals of as many digits as it loses."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction


def individual(f, population):
    """Return E(1 / F) for f of `population` records, both exact; 1 / f where they are equal."""
    p = Fraction(f) / Fraction(population)
    if p >= 1:
        return 1 / f
    with localcontext() as context:
        # Each step multiplies what was lost by p / q.
        odds = p / (1 - p)
        lost = f * max(0, len(str(int(odds))))
        context.prec = 60 + lost
        at = Decimal(p.numerator) / Decimal(p.denominator)
        ratio = at / (1 - at)
        risk = -at.ln() * ratio
        for size in range(1, f):
            risk = (1 / Decimal(size) - risk) * ratio
        return float(risk)


def household(risks, households):
    """Return the risk of each record's household, member by member."""
    found = []
    for i, home in enumerate(households):
        missed = 1.0
        for j, other in enumerate(households):
            if i == j or (home >= 0 and other == home):
                missed *= 1 - risks[j]
        found.append(1 - missed)
    return found
