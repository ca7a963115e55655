"""The centroid of records that come and go: means, medians and most frequent codes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, part

NUMBER, ORDERED, NOMINAL = 0, 1, 2
"""Kinds of attributes: the centroid has the mean of numbers, the lower median of ranks, and
of nominal codes the most frequent one, of equally frequent ones the lowest."""


class Totals(NamedTuple):
    """What the centroid of a set of records follows from.

    Attributes
    ----------
    kinds
        (d,) int8: NUMBER, ORDERED or NOMINAL.
    sums
        (2, d) float64, sums of numbers; the second row collects what rounding lost.
    counts
        (d, n_codes) int64, records of each rank or code.

    """

    kinds: NDArray[np.int8]
    sums: NDArray[np.float64]
    counts: NDArray[np.int64]


@part
def totals_of_none(rows: NDArray[np.float64], kinds: NDArray[np.int8]) -> Totals:
    """Return the totals of no record: (n, d) rows, whole numbers from 0 on unless NUMBER."""
    n, d = rows.shape
    n_codes = np.int64(0)
    for a in range(d):
        if kinds[a] != NUMBER:
            for i in range(n):
                n_codes = max(n_codes, np.int64(rows[i, a]) + 1)
    return Totals(kinds, np.zeros((2, d)), np.zeros((d, n_codes), np.int64))


@part
def add(totals: Totals, rows: NDArray[np.float64], record: Int, sign: float) -> None:
    """Add a record to the totals (sign 1.0), or take it away (-1.0).

    Sums in twice the precision hardly depend on the order of their terms (Knuth's TwoSum).
    """
    sums = totals.sums
    for a in range(rows.shape[1]):
        if totals.kinds[a] != NUMBER:
            totals.counts[a, np.int64(rows[record, a])] += np.int64(sign)
            continue
        term = sign * rows[record, a]
        before = sums[0, a]
        after = before + term
        added = after - before
        sums[0, a] = after
        sums[1, a] += (before - (after - added)) + (term - added)


@part
def locate(totals: Totals, n: Int, centre: NDArray[np.float64]) -> None:
    """Write the (d,) centroid of the n records of the totals, n at least 1."""
    for a in range(len(centre)):
        counts = totals.counts[a]
        if totals.kinds[a] == NUMBER:
            centre[a] = (totals.sums[0, a] + totals.sums[1, a]) / n
        elif totals.kinds[a] == ORDERED:
            middle = 0
            upto = counts[0]
            while 2 * upto < n:
                middle += 1
                upto += counts[middle]
            centre[a] = middle
        else:
            mode = 0
            for code in range(1, len(counts)):
                if counts[code] > counts[mode]:
                    mode = code
            centre[a] = mode
