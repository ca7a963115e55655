"""Sorted numbers cut into groups of least squared error: a shortest path, walked forwards."""

from __future__ import annotations

import math

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.compile import Int, kernel, part

LARGE = 64
"""From this k on, trying all last groups takes longer than dividing the search."""

SPLIT = 134217729.0
"""2^27 + 1 divides a number in two of 26 bits."""


@kernel
def optimal_cut(values: Floats, k: int, large: int = LARGE) -> Int32s:
    """Cut sorted numbers into groups of at least k with the least sum of squared errors.

    values: (n,) float64, ascending; squares of their differences are finite.
    k: From 1 to n.
    large: From this k on, last groups are not tried one by one.
    Returns: (n,) int32, the group of each number, ascending; every group has k to 2 k - 1.

    Notes
    -----
    The best cut of the first j numbers ends with a group of k to 2 k - 1, for a larger one is worth
    halving, and what comes before is a best cut, too. Of equally good last groups the smallest is
    taken. For small k all of them are tried, at a cost of O(n k). For large k, k values of j are
    solved together: what comes before their last groups is known then. The more numbers are cut,
    the later the last group of a best cut begins (the errors are totally monotone), so that of the
    middle j divides the search for those below and above: O(n log k). The squared error of a group
    is summed from the differences to its last number, so it is small where the group is narrow,
    wherever it lies; for large k, it is the difference of sums in twice the precision. The least
    error so far is kept in two parts, in twice the precision, and compared by differences: an
    outlier at the beginning does not drown what comes after it. Hansen and Mukherjee 2003, "A
    polynomial algorithm for optimal univariate microaggregation", IEEE TKDE 15(4). Aggarwal, Klawe,
    Moran, Shor and Wilber 1987, "Geometric applications of a matrix-searching algorithm",
    Algorithmica 2, on totally monotone matrices.
    """
    n = len(values)
    # The least error of the first j numbers, and what rounding left of it.
    least = np.full((2, n + 1), math.inf)
    least[1] = 0.0
    last = np.zeros(n + 1, np.int64)
    least[0, 0] = 0.0
    if k < large:
        for j in range(k, n + 1):
            _try_all(values, k, j, least, last)
    else:
        sums = np.zeros((4, 3 * k))
        for start in range(k, n + 1, k):
            _cut_stretch(values, k, start, min(start + k, n + 1), sums, least, last)
    labels = np.empty(n, np.int32)
    j = n
    n_groups = 0
    while j > 0:
        for i in range(j - last[j], j):
            labels[i] = -n_groups
        n_groups += 1
        j -= last[j]
    for i in range(n):
        labels[i] += n_groups - 1
    return labels


@part
def _try_all(values: Floats, k: Int, j: Int, least: Floats, last: Ints) -> None:
    """Find the best cut of the first j numbers by trying every size of its last group."""
    top = values[j - 1]
    total = squares = 0.0
    for size in range(1, k):
        gap = top - values[j - size]
        total += gap
        squares += gap * gap
    # Where j is 2 k or more, the first j - k numbers can be cut; else they are none.
    base = np.int64(j - k if j >= 2 * k else 0)
    best = math.inf
    for size in range(k, min(2 * k - 1, j) + 1):
        gap = top - values[j - size]
        total += gap
        squares += gap * gap
        before = (least[0, j - size] - least[0, base]) + (least[1, j - size] - least[1, base])
        error = before + max(squares - total * total / size, 0.0)
        if error < best:
            best = error
            last[j] = size
    _write(least, np.int64(j), base, best)


@part
def _write(least: Floats, j: Int, base: Int, best: float) -> None:
    """Write the least error of the first j numbers: that of the first `base`, and `best`."""
    high, low = _add(least[0, base], best)
    least[0, j] = high
    least[1, j] = least[1, base] + low


@part
def _cut_stretch(
    values: Floats, k: Int, start: Int, stop: Int, sums: Floats, least: Floats, last: Ints
) -> None:
    """Find the best cuts of the first `start` to `stop` - 1 numbers, k of them at most.

    sums: (4, 3 k) float64, overwritten: sums of the numbers that their last groups can have, and
    of their squares, each in two parts.
    """
    low = max(start - 2 * k + 1, 0)
    middle = values[(low + stop - 1) // 2]
    for i in range(low, stop - 1):
        at = i - low
        # The difference of two numbers is exact in two parts.
        high, rest = _add(values[i], -middle)
        square, error = _square(high)
        error += 2.0 * high * rest
        sums[0, at + 1], carry = _add(sums[0, at], high)
        sums[1, at + 1] = sums[1, at] + (carry + rest)
        sums[2, at + 1], carry = _add(sums[2, at], square)
        sums[3, at + 1] = sums[3, at] + (carry + error)
    # What is still to do: ends from one to another, and where their last groups may begin.
    todo = np.empty((128, 4), np.int64)
    waiting = _push(todo, np.int64(0), start, stop, low, stop - k)
    while waiting > 0:
        waiting -= 1
        one, beyond = todo[waiting, 0], todo[waiting, 1]
        first, final = todo[waiting, 2], todo[waiting, 3]
        if one >= beyond:
            continue
        j = (one + beyond) // 2
        base = np.int64(j - k if j >= 2 * k else 0)
        best = math.inf
        begin = base
        for i in range(min(final, j - k), max(first, j - 2 * k + 1, 0) - 1, -1):
            if least[0, i] == math.inf:
                continue
            before = (least[0, i] - least[0, base]) + (least[1, i] - least[1, base])
            error = before + _error(sums, np.int64(i - low), np.int64(j - low))
            if error < best:
                best = error
                begin = np.int64(i)
        last[j] = j - begin
        _write(least, np.int64(j), base, best)
        waiting = _push(todo, waiting, one, j, first, begin)
        waiting = _push(todo, waiting, j + 1, beyond, begin, final)


@part
def _push(todo: Ints, waiting: Int, one: Int, beyond: Int, first: Int, final: Int) -> Int:
    """Write down ends that are still to do; return how many are waiting."""
    todo[waiting, 0] = one
    todo[waiting, 1] = beyond
    todo[waiting, 2] = first
    todo[waiting, 3] = final
    return waiting + 1


@part
def _error(sums: Floats, i: Int, j: Int) -> float:
    """Return the squared error of numbers i to j - 1 of a stretch."""
    total, rest = _add(sums[0, j], -sums[0, i])
    rest += sums[1, j] - sums[1, i]
    squares, more = _add(sums[2, j], -sums[2, i])
    more += sums[3, j] - sums[3, i]
    # total² / size in two parts: a quotient, and what it leaves of the product.
    product, error = _square(total)
    error += 2.0 * total * rest
    size = float(j - i)
    quotient = product / size
    whole, left = _multiply(quotient, size)
    piece = ((product - whole) - left + error) / size
    return float(max((squares - quotient) + (more - piece), 0.0))


@part
def _add(a: float, b: float) -> tuple[float, float]:
    """Return a sum, and what rounding took off it (Knuth's TwoSum)."""
    total = a + b
    added = total - a
    return total, (a - (total - added)) + (b - added)


@part
def _multiply(a: float, b: float) -> tuple[float, float]:
    """Return a product, and what rounding took off it (Dekker)."""
    product = a * b
    piece = SPLIT * a
    a_high = piece - (piece - a)
    a_low = a - a_high
    piece = SPLIT * b
    b_high = piece - (piece - b)
    b_low = b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


@part
def _square(a: float) -> tuple[float, float]:
    """Return a square, and what rounding took off it."""
    return _multiply(a, a)
