"""Groups that take one record from every stretch of the sensitive values, the nearest ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.microaggregation.centroid import add, locate, totals_of_none

START, HELD = 0, 1
"""Where the records of a subset stand, and how many are left of them."""


class Pool(NamedTuple):
    """The records that are in no group yet, subset by subset.

    Attributes
    ----------
    points
        (d, n) float64, C order.
    numbers
        (n,) int64, which record stands where.
    found
        (n,) float64, how far each is from where the last question was asked.
    subsets
        (k, 2) int64: START, HELD.

    """

    points: NDArray[np.float64]
    numbers: NDArray[np.int64]
    found: NDArray[np.float64]
    subsets: NDArray[np.int64]


@kernel
def t_closeness_first(
    rows: NDArray[np.float64], weights: NDArray[np.float64], k: int
) -> tuple[NDArray[np.int32], Int]:
    """Divide records into groups that each take a record from every subset.

    Parameters
    ----------
    rows
        (n, d) float64, the records in the order of their sensitive values; squares of their
        differences are finite.
    weights
        (d,) float64, at least 0: what a squared difference counts in a distance.
    k
        From 1 to n, with n modulo k less than n // k.

    Returns
    -------
    (n,) int32, the group of each record in the order of their formation; their number, n // k.

    Notes
    -----
    The k subsets hold n // k records each, neighbours in order; the middle one, or both in the
    middle, also hold the n modulo k that are left over. One group is made around the
    record that is farthest from the centroid of those left, the next one around the
    record that is then farthest from that one: each takes the nearest record of every subset,
    and while records are left over one of these, from the middle subset that has more
    of them. Ties go to the lower record number. Cost O(n²d / k).

    """
    n, d = rows.shape
    n_groups = n // k
    labels = np.empty(n, np.int32)
    pool = _fill_pool(rows, np.int64(k))
    totals = totals_of_none(rows, np.zeros(d, np.int8))
    for record in range(n):
        add(totals, rows, np.int64(record), 1.0)
    centre = np.empty(d)
    left = np.int64(n)
    opposite = False
    for group in range(n_groups):
        if not opposite:
            locate(totals, left, centre)
            for s in range(k):
                _measure(pool, weights, centre, s)
        # Else the distances are still those from the group before.
        chosen = _farthest(pool)
        for a in range(d):
            centre[a] = rows[chosen, a]
        for s in range(k):
            _measure(pool, weights, centre, s)
            nearest = _take_nearest(pool, s)
            labels[nearest] = group
            add(totals, rows, nearest, -1.0)
        left -= k
        middle = np.int64((k - 1) // 2)
        if pool.subsets[k // 2, HELD] > pool.subsets[middle, HELD]:
            middle = np.int64(k // 2)
        if pool.subsets[middle, HELD] > n_groups - 1 - group:
            nearest = _take_nearest(pool, middle)
            labels[nearest] = group
            add(totals, rows, nearest, -1.0)
            left -= 1
        opposite = not opposite
    return labels, n_groups


@part
def _fill_pool(rows: NDArray[np.float64], k: Int) -> Pool:
    """Divide the records into k subsets."""
    n, d = rows.shape
    pool = Pool(np.empty((d, n)), np.arange(n), np.empty(n), np.empty((k, 2), np.int64))
    more = n % k
    start = np.int64(0)
    for s in range(k):
        pool.subsets[s, START] = start
        pool.subsets[s, HELD] = n // k
        if s == (k - 1) // 2:
            # Where k is odd, both halves of what is left over are for the same subset.
            pool.subsets[s, HELD] += (more + 1) // 2
        if s == k // 2:
            pool.subsets[s, HELD] += more // 2
        start += pool.subsets[s, HELD]
    for i in range(n):
        for a in range(d):
            pool.points[a, i] = rows[i, a]
    return pool


@part
def _measure(pool: Pool, weights: NDArray[np.float64], centre: NDArray[np.float64], s: Int) -> None:
    """Write how far the records of a subset are from a centre, squared."""
    start = pool.subsets[s, START]
    stop = start + pool.subsets[s, HELD]
    for i in range(start, stop):
        pool.found[i] = 0.0
    for a in range(len(centre)):
        for i in range(start, stop):
            gap = pool.points[a, i] - centre[a]
            pool.found[i] += gap * gap * weights[a]


@part
def _farthest(pool: Pool) -> Int:
    """Return the record that is farthest by the distances found, of equal ones the lowest."""
    best = -1.0
    winner: Int = np.int64(-1)
    for s in range(len(pool.subsets)):
        start = pool.subsets[s, START]
        for i in range(start, start + pool.subsets[s, HELD]):
            if pool.found[i] > best or (pool.found[i] == best and pool.numbers[i] < winner):
                best = pool.found[i]
                winner = pool.numbers[i]
    return winner


@part
def _take_nearest(pool: Pool, s: Int) -> Int:
    """Take the nearest record out of a subset, of equally near ones the lowest; return it."""
    start = pool.subsets[s, START]
    last = start + pool.subsets[s, HELD] - 1
    best = start
    for i in range(start + 1, last + 1):
        if pool.found[i] < pool.found[best] or (
            pool.found[i] == pool.found[best] and pool.numbers[i] < pool.numbers[best]
        ):
            best = i
    record: Int = np.int64(pool.numbers[best])
    # The last one fills the gap.
    pool.numbers[best] = pool.numbers[last]
    pool.found[best] = pool.found[last]
    for a in range(len(pool.points)):
        pool.points[a, best] = pool.points[a, last]
    pool.subsets[s, HELD] -= 1
    return record
