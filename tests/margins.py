"""How far chance takes what tests draw: five standard deviations.

One draw in 1.7 million goes beyond. Seeds are fixed; still no threshold is so near to its statistic
that another draw would fail. Where no formula has the deviation, a comment beside the threshold
has it, from runs with other seeds.
"""

from __future__ import annotations

import math

SURE = math.erf(5 / math.sqrt(2))
"""The confidence of an interval of five standard deviations to either side."""


def slack(n, share=0.5):
    """Return five standard deviations of a share of n independent draws."""
    return 5 * math.sqrt(share * (1 - share) / n)


def most_apart(n):
    """Return how far n independent draws' distribution function is from the true one at most.

    The largest difference goes beyond in one draw of 1.7 million at most, whatever is drawn
    (Massart 1990, Ann. Probab. 18(3), the constant of Dvoretzky, Kiefer and Wolfowitz).
    """
    return math.sqrt(math.log(2 / (1 - SURE)) / (2 * n))


def most_varied(n, values):
    """Return the total variation of the shares of a number of values in n draws at most.

    The mean is half the sum of the shares' mean deviations, at most sqrt(values / n) / 2, and one
    draw changes the sum by 1 / n: it goes beyond in one draw of 1.7 million (McDiarmid 1989).
    """
    return math.sqrt(values / n) / 2 + math.sqrt(math.log(1 / (1 - SURE)) / (2 * n))


def least_held(n, confidence=0.95):
    """Return how many of n intervals of a confidence hold the truth at least."""
    return n * (confidence - slack(n, confidence))
