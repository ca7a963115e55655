"""How often a number of the same make passes a check by chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

DRAWS = 1_000
EVIDENCE = 6.0
"""A column is believed when chance explains it with a probability under ten to the minus this."""


def pass_rate_by_chance(numbers: Sequence[str], passes: Callable[[str], bool]) -> float:
    """Return the share of shuffled numbers that pass, estimated from above.

    At each position a character of that position is drawn from any of the numbers, so the
    shuffled ones have the same length, the same constant parts and the same digits in each
    place, but no check digit of their own. Numbers that are valid by their form alone then
    pass as often as the column does, those with a check digit one time in ten or less.

    Notes
    -----
    The same numbers give the same share: the generator has a fixed seed. Cost: `DRAWS` checks.

    """
    length = Counter(map(len, numbers)).most_common(1)[0][0]
    letters = np.array([list(number) for number in numbers if len(number) == length])
    rng = np.random.default_rng(0)
    drawn = letters[rng.integers(len(letters), size=(DRAWS, length)), np.arange(length)]
    passed = sum(passes("".join(row)) for row in drawn.tolist())
    return (passed + 1) / (DRAWS + 2)


def is_evidence(passed: int, by_chance: float) -> bool:
    """Return whether so many different numbers cannot have passed by chance.

    Examples
    --------
    >>> is_evidence(20, 1 / 11), is_evidence(5, 1 / 11), is_evidence(2_000, 0.999)
    (True, False, False)

    """
    return -passed * math.log10(by_chance) >= EVIDENCE
