"""Exact draws by the inverse of a distribution function that is known as closely as needed.

A draw is a real number u, evenly distributed in [0, 1), of which bits are made one after another.
Its cell is the number of thresholds at or below u. With the first b bits of u known, u lies in
[v, v + 1) / 2^b; a threshold is known to lie in [low, high] / 2^b. If v ≥ high it is at or below
u; if v < low it is above u, since v + 1 ≤ low. Otherwise nothing is decided, and both the draw
and the thresholds are made finer. So a cell is decided only where every continuation of the bits
gives the same one, and its probability is exactly the distance between its two thresholds.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanonym.differential_privacy.bits import Bits, whole_number

FIRST_BITS = 63
"""Bits of a draw before any is refined: they fit a signed whole number."""
GUARD_BITS = 128
"""Bits that intermediate results have beyond those of a threshold."""

Thresholds = Callable[[int], tuple[list[int], list[int]]]
"""For a number of bits b, the lower and upper bounds of each threshold times 2^b, ascending.

Both are non-decreasing. The last threshold may be left out where it is 1.
"""


class InverseTable:
    """The thresholds of a distribution, to draw from it."""

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds
        low, high = thresholds(FIRST_BITS)
        self._high = np.array(high, np.uint64)
        self._low = np.array([*low, 1 << FIRST_BITS], np.uint64)  # beyond the last: decided

    def draw(self, count: int, bits: Bits) -> NDArray[np.int64]:
        """Return (count,) int64, the cell of each draw. Cost O(count log thresholds)."""
        first = bits.words(count) >> np.uint64(1)
        cells = np.searchsorted(self._high, first, side="right").astype(np.int64)
        for row in np.flatnonzero(first >= self._low[cells]):
            cells[row] = self._refine(int(first[row]), bits)
        return cells

    def _refine(self, value: int, bits: Bits) -> int:
        """Return the cell of one draw whose first bits do not decide it."""
        known = FIRST_BITS
        while True:
            value, known = value << 64 | whole_number(bits.words(1)), known + 64
            low, high = self._thresholds(known)
            passed = sum(one <= value for one in high)
            if passed == len(high) or value < low[passed]:
                return passed


def exp_below(x: Fraction, bits: int) -> int:
    """Return a whole number w with w ≤ exp(-x)·2^bits < w + 2, for a fraction x ≥ 0.

    For x at most 1 the alternating series encloses exp(-x) between two partial sums; larger x
    are divided first, and the result is raised to the power: that multiplies the error by less
    than 2^4 times the power, which the bits added here cover.
    """
    parts = max(1, -(-x.numerator // x.denominator))
    fine = bits + 2 * parts.bit_length() + 16
    root = _exp_of_small(x / parts, fine)
    power, _ = power_below(root, 2, parts, fine)
    return power >> (fine - bits)


def power_below(base: int, error: int, exponent: int, bits: int) -> tuple[int, int]:
    """Return base^exponent as a fixed-point number of so many bits, rounded down, and its error.

    A fixed-point number w with error e stands for a real number x in [0, 1] with
    w ≤ x·2^bits < w + e. The product of two, shifted down, has the error e + e' + 1.
    """
    result, result_error = 1 << bits, 1
    while exponent:
        if exponent & 1:
            result, result_error = result * base >> bits, result_error + error + 1
        base, error = base * base >> bits, 2 * error + 1
        exponent >>= 1
    return result, result_error


def _exp_of_small(x: Fraction, bits: int) -> int:
    """Return w with w ≤ exp(-x)·2^bits < w + 2, for x in [0, 1], by the alternating series."""
    total, term, n = Fraction(0), Fraction(1), 0
    while True:
        total += term if n % 2 == 0 else -term
        n += 1
        term = term * x / n
        if n % 2 == 0 and term.numerator << bits <= term.denominator:
            # A sum that ends with a subtracted term lies below, by at most the next term.
            return (total.numerator << bits) // total.denominator
