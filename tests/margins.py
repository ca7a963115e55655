"""How far chance takes what tests draw: five standard deviations.

One draw in 1.7 million goes beyond. Seeds are fixed; still no threshold is so near to its statistic
that another draw would fail. Where no formula has the deviation, a comment beside the threshold
has it, from runs with other seeds.
"""

from __future__ import annotations

import math

import effort

SURE = math.erf(5 / math.sqrt(2))
"""The confidence of an interval of five standard deviations to either side."""


def slack(n, share=0.5):
    """Return five standard deviations of a share of n independent draws."""
    return 5 * math.sqrt(share * (1 - share) / n)


def least_held(n, confidence=0.95):
    """Return how many of n intervals of a confidence hold the truth at least."""
    return n * (confidence - slack(n, confidence))


SAMPLES = 200 if effort.NIGHTLY else 50
"""How many intervals are drawn to be held against the truth."""


def assert_covered(truth, interval_of):
    """Assert that as many intervals as promised hold the truth, each drawn by a seed of its own."""
    intervals = map(interval_of, range(SAMPLES))
    assert sum(low <= truth <= high for low, high in intervals) >= least_held(SAMPLES)
