"""A slow, obvious twin of optimal univariate microaggregation: every cut is tried, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction


def squared_error(values: Sequence[float]) -> Fraction:
    """Return the sum of squared differences to the mean, not rounded."""
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    return sum(((value - mean) ** 2 for value in exact), Fraction(0))


def cuts(n: int, k: int) -> Iterator[list[int]]:
    """Yield the group sizes of every way to cut n records into groups of at least k."""
    if n >= k:
        yield [n]
    for first in range(k, n - k + 1):
        for others in cuts(n - first, k):
            yield [first, *others]


def error_of(values: Sequence[float], sizes: Sequence[int]) -> Fraction:
    """Return the squared error of sorted values cut into groups of these sizes."""
    total, start = Fraction(0), 0
    for size in sizes:
        total += squared_error(values[start : start + size])
        start += size
    return total


def best_cuts(values: Sequence[float], k: int) -> tuple[Fraction, list[list[int]]]:
    """Return the least squared error of sorted values, and every cut that has it."""
    found = [(error_of(values, sizes), sizes) for sizes in cuts(len(values), k)]
    least = min(error for error, _ in found)
    return least, [sizes for error, sizes in found if error == least]
