"""A squared error that no division into classes of k is below, from prices of records."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.microaggregation.centroid import NOMINAL

STEP = 0.2
"""A price changes by so much of itself in the first round, where no class has the record."""

ROUNDING = 1e-9
"""A larger share of the bound than rounding can add to it."""


@kernel
def clique_bound(
    rows: NDArray[np.float64],
    weights: NDArray[np.float64],
    kinds: NDArray[np.int8],
    k: int,
    rounds: int,
    effort: int,
) -> float:
    """Return a lower bound of the squared error of all divisions into classes of k records or more.

    Parameters
    ----------
    rows
        (n, d) float64, the records, n and d at least 1; squares of their differences are finite.
    weights
        (d,) float64, at least 0: what a squared difference counts in a distance.
    kinds
        (d,) int8, of `kernels.microaggregation.centroid`. Nominal codes differ by 0 or 1.
    k
        From 3 to n.
    rounds
        At least 1: how often prices are changed.
    effort
        So many records are looked at, in all; a round that has begun ends.

    Notes
    -----
    Records have prices. If the prices of no k records sum to more than the squared error of
    the class that they would be, then the sum of all prices is a lower bound: that is the dual
    of the linear relaxation of choosing classes. Larger classes need not be looked at: the
    error of m records is (m - 1) / (k - 1) times the mean error of k of them, and their price
    is m / k times the mean price of these.

    What the prices of a class lack is its error less their sum. For any prices, the class of k
    with a given record that lacks least is found by branch and bound; a k-th of that, mostly less
    than nothing, is added to the price of the record, and the prices are ones that bound. Then
    prices of records that are in many of these classes fall, and others rise (a subgradient
    ascent), and the best sum counts. Where the effort is used up in the search for a class, what
    no class can lack less than takes its place.

    A record whose class has been found is left out of the search for others that know a class
    which lacks no more: so the search begins with the records whose known classes lack most.
    Memory O(n²); cost O(n² (d + log n)), and O(n²) a round, beside the search, which grows fast
    with k.

    After Aloise, Hansen, Rocha and Santi 2014, on column generation for numerical microaggregation,
    Journal of Global Optimization 60. Deviations: prices come from a subgradient ascent instead of
    a linear program, and classes of k alone are searched.

    """
    n = len(rows)
    distances = _distances(rows, weights, kinds)
    for i in range(n):
        for j in range(n):
            distances[i, j] /= k
    # What m others of a class are from a record at least, for m up to k - 1, halved.
    halves = np.zeros((n, k))
    classes = np.empty((n, k), np.int64)
    for i in range(n):
        distances[i, i] = -1.0
        nearest = np.argsort(distances[i])
        distances[i, i] = 0.0
        classes[i] = nearest[:k]
        for m in range(1, k):
            halves[i, m] = halves[i, m - 1] + distances[i, nearest[m]] / 2.0
    prices = halves[:, k - 1].copy()
    lacks = np.empty(n)
    places = np.empty((k, n), np.int64)
    costs = np.empty((2, k, n))
    done = np.empty(n, np.bool_)
    turns = np.empty(n)
    best = 0.0
    for number in range(rounds):
        for i in range(n):
            lacks[i] = _lack(distances, prices, classes[i])
        done[:] = False
        turns[:] = 1.0
        total = 0.0
        for i in np.argsort(-lacks):
            effort -= _search(
                distances, prices, halves, (lacks, done), classes, (places, costs), i, effort
            )
            done[i] = True
            total += prices[i] + lacks[i] / k
            for j in classes[i]:
                turns[j] -= 1.0 / k
        best = max(best, total)
        if effort <= 0:
            break
        scale = abs(total) / n
        for i in range(n):
            moved = STEP / math.sqrt(1.0 + number) * turns[i]
            prices[i] += lacks[i] / k
            prices[i] += moved * (0.9 * abs(prices[i]) + 0.1 * scale)
    return float(best * (1.0 - ROUNDING))


@part
def _distances(
    rows: NDArray[np.float64], weights: NDArray[np.float64], kinds: NDArray[np.int8]
) -> NDArray[np.float64]:
    """Return the (n, n) squared distances of records."""
    n, d = rows.shape
    distances = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            total = 0.0
            for a in range(d):
                gap = abs(rows[i, a] - rows[j, a])
                if kinds[a] == NOMINAL:
                    gap = min(gap, 1.0)
                total += gap * gap * weights[a]
            distances[i, j] = distances[j, i] = total
    return distances


@part
def _lack(
    distances: NDArray[np.float64], prices: NDArray[np.float64], members: NDArray[np.int64]
) -> float:
    """Return the squared error of a class, less the prices of its records."""
    total = 0.0
    for p in range(len(members)):
        total -= prices[members[p]]
        for q in range(p):
            total += distances[members[p], members[q]]
    return total


@part
def _search(
    distances: NDArray[np.float64],
    prices: NDArray[np.float64],
    halves: NDArray[np.float64],
    known: tuple[NDArray[np.float64], NDArray[np.bool_]],
    classes: NDArray[np.int64],
    scratch: tuple[NDArray[np.int64], NDArray[np.float64]],
    i: Int,
    effort: Int,
) -> int:
    """Find the class of k with record i that lacks least; return how many records were looked at.

    known: (n,) float64 and bool, what the classes of records lack, to be lowered, and whose are
    final. classes: (n, k) int64, to be written. scratch: (k, n) int64 and (2, k, n) float64.
    """
    lacks, done = known
    places, costs = scratch
    n, k = classes.shape
    least = lacks[i]
    # Candidates cost what they add with those chosen, and at least half of what others are apart.
    looked: int = n
    m = 0
    for j in range(n):
        if j != i and not (done[j] and lacks[j] >= least):
            places[0, m] = j
            costs[0, 0, m] = distances[i, j] - prices[j]
            costs[1, 0, m] = costs[0, 0, m] + halves[j, k - 2]
            m += 1
    counts = np.empty(k, np.int64)
    at = np.zeros(k, np.int64)
    own = np.empty(k)
    chosen = np.empty(k, np.int64)
    chosen[0] = i
    own[0] = -prices[i]
    counts[0], lowest = _cheapest(places[0], costs[0, 0], costs[1, 0], m, k - 1, least - own[0])
    lowest += own[0]
    level = 0
    while level >= 0:
        left = k - 1 - level
        numbers, exact, bounds = places[level], costs[0, level], costs[1, level]
        x = at[level]
        at[level] += 1
        total = own[level]
        if x + left > counts[level]:
            level -= 1
            continue
        for y in range(x, x + left):
            total += bounds[y]
        if total >= least:
            level -= 1
            continue
        j = numbers[x]
        if left == 2:
            for y in range(x + 1, counts[level]):
                looked += 1
                if own[level] + bounds[x] + bounds[y] >= least:
                    break
                lack = own[level] + exact[x] + exact[y] + distances[j, numbers[y]]
                if lack < least:
                    least = lack
                    chosen[k - 2], chosen[k - 1] = j, numbers[y]
                    classes[i] = chosen
            continue
        chosen[level + 1] = j
        own[level + 1] = own[level] + exact[x]
        m = 0
        for y in range(x + 1, counts[level]):
            other = numbers[y]
            places[level + 1, m] = other
            cost = exact[y] + distances[j, other]
            costs[0, level + 1, m] = cost
            costs[1, level + 1, m] = cost + halves[other, left - 2]
            m += 1
        looked += m
        if looked > effort:
            lacks[i] = min(lowest, least)
            return looked
        level += 1
        counts[level], _ = _cheapest(
            places[level], costs[0, level], costs[1, level], m, left - 1, least - own[level]
        )
        at[level] = 0
    if least < lacks[i]:
        for j in classes[i]:
            if least < lacks[j]:
                lacks[j] = least
                if not done[j]:
                    classes[j] = classes[i]
    return looked


@part
def _cheapest(
    numbers: NDArray[np.int64],
    exact: NDArray[np.float64],
    bounds: NDArray[np.float64],
    m: Int,
    left: Int,
    most: float,
) -> tuple[int, float]:
    """Sort the first m candidates that may be among `left` whose bounds sum to less than `most`.

    Return how many they are, and the least sum; fewer than `left` sum to infinity.
    """
    smallest = np.full(left, math.inf)
    for x in range(m):
        p = left - 1
        if bounds[x] < smallest[p]:
            while p > 0 and smallest[p - 1] > bounds[x]:
                smallest[p] = smallest[p - 1]
                p -= 1
            smallest[p] = bounds[x]
    lowest = smallest.sum()
    head = lowest - smallest[left - 1]
    count = 0
    for x in range(m):
        if not head + bounds[x] < most:
            continue
        number, cost, bound = numbers[x], exact[x], bounds[x]
        p = count
        while p > 0 and bounds[p - 1] > bound:
            numbers[p], exact[p], bounds[p] = numbers[p - 1], exact[p - 1], bounds[p - 1]
            p -= 1
        numbers[p], exact[p], bounds[p] = number, cost, bound
        count += 1
    return count, lowest
