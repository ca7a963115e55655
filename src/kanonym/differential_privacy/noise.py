"""Exact noise on whole numbers, and private choices, from random bits."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray


class Bits(Protocol):
    """A source of random bits."""

    private: ClassVar[bool]

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return (count,) uint64, each of 64 random bits."""
        ...


class SystemBits:
    """Random bits from the operating system, as for keys."""

    private: ClassVar[bool] = True

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return (count,) uint64, each of 64 random bits."""
        return np.frombuffer(os.urandom(8 * count), np.uint64)


class SeededBits:
    """Bits that a seed repeats, for tests and examples: what they draw is not private."""

    private: ClassVar[bool] = False

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return (count,) uint64, the next ones of the seed's."""
        return self._generator.integers(0, 2**64, count, np.uint64)


def random_below(bound: int, bits: Bits) -> int:
    """Return a whole number in [0, bound), each equally probable; bound at least 1.

    Draws beyond the last multiple of the bound are drawn again, so none is more probable.
    """
    words = bound.bit_length() // 64 + 1
    most = (1 << 64 * words) // bound * bound
    while True:
        drawn = whole_number(bits.words(words))
        if drawn < most:
            return drawn % bound


def whole_number(words: NDArray[np.uint64]) -> int:
    """Return the whole number that 64-bit words spell, the first one highest."""
    return int.from_bytes(words.astype(">u8").tobytes())


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
