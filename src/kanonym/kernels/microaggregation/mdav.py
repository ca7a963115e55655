"""MDAV, and blocks of records near each other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.neighbours.kdtree import (
    LEAF,
    NOBODY,
    Tree,
    distances,
    farthest,
    halve,
    nearest,
    new_tree,
    rebuild,
    remove_points,
    search,
    sort,
    squared_distance,
)

NUMBER, ORDERED, NOMINAL = 0, 1, 2
"""Kinds of attributes: the centroid has the mean of numbers, the lower median of ranks, and
of nominal codes the most frequent one, of equally frequent ones the lowest."""


class Totals(NamedTuple):
    """What the centroid of a set of records follows from.

    kinds: (d,) int8: NUMBER, ORDERED or NOMINAL.
    sums: (2, d) float64, sums of numbers; the second row collects what rounding lost.
    counts: (d, n_codes) int64, records of each rank or code.
    """

    kinds: NDArray[np.int8]
    sums: Floats
    counts: Ints


@part
def totals_of_none(rows: Floats, kinds: NDArray[np.int8]) -> Totals:
    """Return the totals of no record: (n, d) rows, whole numbers from 0 on unless NUMBER."""
    n, d = rows.shape
    n_codes = np.int64(0)
    for a in range(d):
        if kinds[a] != NUMBER:
            for i in range(n):
                n_codes = max(n_codes, np.int64(rows[i, a]) + 1)
    return Totals(kinds, np.zeros((2, d)), np.zeros((d, n_codes), np.int64))


@part
def add(totals: Totals, rows: Floats, record: Int, sign: float) -> None:
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
def locate(totals: Totals, n: Int, centre: Floats) -> None:
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


STEP = 0.15
"""So much of a pair's distance is charged to the other record in the first round."""

ROUNDING = 1e-9
"""A larger share of the bound than rounding can add to it."""


@kernel
def error_bound(
    rows: Floats, weights: Floats, kinds: NDArray[np.int8], k: int, width: int, rounds: int
) -> float:
    """Return a lower bound of the squared error of all divisions into classes of k records or more.

    rows: (n, d) float64, the records, n and d at least 1; squares of their differences are finite.
    weights: (d,) float64, at least 0: what a squared difference counts in a distance.
    kinds: (d,) int8, of `centroid` below. Nominal codes differ by 0 or 1.
    k: From 1 to n.
    width: From 1 to n - 1: so many nearest records of each are looked at one by one.
    rounds: At least 1: how often distances are charged.

    Notes
    -----
    A class of m records has the squared error of all its pairs' squared distances, divided by m:
    for numbers the sum of squared differences from the mean; for nominal codes half of m times the
    probability that two draws differ. The squared distance of a pair is charged to its two records,
    to each a share. Then a record of whatever class is charged, at least, the k - 1 smallest
    charges of its pairs, divided by k: more records add charges that are no smaller than those. The
    sum over all records is a lower bound, whatever the shares. Half and half at first, shares go,
    round by round, from records that need a pair among their k - 1 smallest to those that do not (a
    subgradient ascent), and the best sum counts. Pairs of records that are not among the nearest of
    either are charged half and half, with the distance of the farthest that is. Cost O(n (log n + k
    · width)), and O(n · width) a round.
    """
    n, d = rows.shape
    found = np.empty((n, width + 1), np.int64)
    distances = np.empty((n, width + 1))
    tree = new_tree(rows, weights)
    for a in range(d):
        if kinds[a] == NOMINAL:
            tree.caps[a] = 1.0
    rebuild(tree)
    # From here on records are numbered as they stand in the tree: near ones are near in memory.
    order = tree.records.copy()
    for i in range(n):
        search(tree, rows[order[i]], distances[i], found[i], np.int64(0))
        for at in range(width + 1):
            found[i, at] = tree.place[found[i, at]]
    pairs, squares = _pairs(found, distances)
    # The pairs of each record, and on which side of the pair it is.
    first = np.zeros(n + 1, np.int64)
    for e in range(len(squares)):
        first[pairs[e, 0] + 1] += 1
        first[pairs[e, 1] + 1] += 1
    for i in range(n):
        first[i + 1] += first[i]
    places = first[:-1].copy()
    own = np.empty((2 * len(squares), 2), np.int64)
    for e in range(len(squares)):
        for side in range(2):
            at = places[pairs[e, side]]
            own[at, 0], own[at, 1] = e, side
            places[pairs[e, side]] += 1
    shares = np.full(len(squares), 0.5)
    turns = np.zeros(len(squares))
    smallest = np.empty(k)
    chosen = np.empty(k, np.int64)
    best = 0.0
    for number in range(rounds):
        turns[:] = 0.0
        total = 0.0
        for i in range(n):
            # Whoever is not among the pairs is no nearer than the farthest that was found.
            beyond = distances[i, 0] / 2.0 if width < n - 1 else math.inf
            m = min(k - 1, first[i + 1] - first[i])
            for p in range(m):
                smallest[p] = beyond
                chosen[p] = -1
            for at in range(first[i], first[i + 1]):
                e, side = own[at, 0], own[at, 1]
                share = 1.0 - shares[e] if side else shares[e]
                _insert(smallest, chosen, np.int64(m), share * squares[e], np.int64(at))
            if m < k - 1:
                total += (k - 1 - m) * beyond
            for p in range(m):
                total += smallest[p]
                if chosen[p] >= 0:
                    turns[own[chosen[p], 0]] += -1.0 if own[chosen[p], 1] else 1.0
        best = max(best, total / k)
        for e in range(len(squares)):
            moved = shares[e] + STEP / math.sqrt(1.0 + number) * turns[e]
            shares[e] = min(max(moved, 0.0), 1.0)
    return float(best * (1.0 - ROUNDING))


@part
def _pairs(found: Ints, distances: Floats) -> tuple[Ints, Floats]:
    """Return the pairs of a record and one of its nearest, each once, and their distances."""
    n, m = found.shape
    pairs = np.empty((n * m, 2), np.int64)
    squares = np.empty(n * m)
    count = 0
    for i in range(n):
        for at in range(m):
            j = found[i, at]
            known = j == i
            if j < i:
                for other in found[j]:
                    known = known or other == i
            if not known:
                pairs[count, 0], pairs[count, 1] = i, j
                squares[count] = distances[i, at]
                count += 1
    return pairs[:count], squares[:count]


@part
def _insert(smallest: Floats, chosen: Ints, m: Int, value: float, at: Int) -> None:
    """Put a value among the m smallest, ascending, if it is one of them."""
    if m == 0 or value >= smallest[m - 1]:
        return
    p = m - 1
    while p > 0 and smallest[p - 1] > value:
        smallest[p] = smallest[p - 1]
        chosen[p] = chosen[p - 1]
        p -= 1
    smallest[p] = value
    chosen[p] = at


SHARE = 8
"""The rim is an eighth of the records."""

PATIENCE = 16
"""After a rim that was of little use, so many questions at the least are asked without one."""

SLACK = 1 + 1e-9
"""More than rounding adds to a distance."""

HELD, HEAD, LOOKS, SERVED, WAIT, INTERVAL = range(6)
"""What the state of a rim says, see there."""


class OuterRecords(NamedTuple):
    """The records that were farthest from the centroid when it was `centre`, outermost first.

    records: (n,) int64, the records of the rim come first.
    reach: (n,) float64, how far from the centre each was.
    centre: (d,) float64.
    state: (6,) int64: records HELD, 0 where there is no rim; the first that is left (HEAD); LOOKS
        at records and questions SERVED since it was filled; questions to WAIT before it is filled,
        and how many those were the last time (INTERVAL).
    """

    records: Ints
    reach: Floats
    centre: Floats
    state: Ints


@kernel
def mdav(rows: Floats, weights: Floats, k: int, kinds: NDArray[np.int8]) -> tuple[Int32s, int]:
    """Divide records into groups of k, the last of up to 2 k - 1.

    rows: (n, d) float64, the records, d at least 1; squares of their differences are finite.
        Attributes that are no numbers hold ranks or codes, whole numbers from 0 on.
    weights: (d,) float64, at least 0: what a squared difference counts in a distance.
    k: From 1 to n.
    kinds: (d,) int8, of `centroid` below. Nominal codes differ by 0 or 1.
    Returns: (n,) int32, the group of each record in the order of their formation; their number.

    Notes
    -----
    As long as 3 k records are left, one group is made of the record farthest from the centroid of
    those left and its k - 1 nearest, and one around the record that is then farthest from that one.
    Of 2 k to 3 k - 1, one is made around the record farthest from the centroid, and one of the
    others; of fewer, one of all. Ties go to the lower record number. The partition is that of
    comparing every distance; a k-d tree spares most of them where attributes are few. Cost O(n²d /
    k) at the worst.
    """
    n, d = rows.shape
    labels = np.empty(n, np.int32)
    n_groups = 0
    tree = new_tree(rows, weights)
    for a in range(d):
        if kinds[a] == NOMINAL:
            tree.caps[a] = 1.0
    built = 2 * n
    rim = OuterRecords(np.empty(n, np.int64), np.empty(n), np.empty(d), np.zeros(6, np.int64))
    left = n
    totals = totals_of_none(rows, kinds)
    group = np.empty(k, np.int64)
    centre = np.empty(d)
    opposite = False
    while left >= 2 * k or opposite:
        if opposite:
            # The centre is the record that the group before was built around.
            chosen = farthest(tree, centre)
            opposite = False
        else:
            if 2 * left <= built:
                rebuild(tree)
                built = left
                # Sums begin anew: what rounding has left in them goes with records taken out.
                totals.sums[:] = 0.0
                totals.counts[:] = 0
                for record in tree.records[:left]:
                    add(totals, rows, record, 1.0)
            locate(totals, left, centre)
            chosen = _outermost(tree, rim, centre, left)
            opposite = left >= 3 * k
        for a in range(d):
            centre[a] = rows[chosen, a]
        nearest(tree, centre, group)
        remove_points(tree, group)
        for record in group:
            labels[record] = n_groups
            add(totals, rows, record, -1.0)
        n_groups += 1
        left -= k
    for i in range(n):
        if tree.place[i] >= 0:
            labels[i] = n_groups
    return labels, n_groups + 1


@part
def _outermost(tree: Tree, rim: OuterRecords, centre: Floats, left: Int) -> Int:
    """Return the record that is farthest from the centroid of those left.

    The boxes at the surface of a ball all reach about as far out as its farthest point, so
    the tree spares little. But the centroid hardly moves, and a record is no farther from
    it now than it was from the old one and the old one is from it: records that were
    farthest are looked at in that order, until no other can be farther.
    """
    state = rim.state
    if state[HELD] > 0:
        winner = _outermost_of_rim(tree, rim, centre)
        if winner != NOBODY:
            if state[LOOKS] > 4 * left:
                # It has cost as much as a new one does.
                state[HELD] = 0
            return winner
        # Where many records are equally far, it serves few questions: wait longer each time.
        state[HELD] = 0
        if state[SERVED] * 256 < left:
            state[INTERVAL] = max(2 * state[INTERVAL], PATIENCE)
            state[WAIT] = state[INTERVAL]
        else:
            state[INTERVAL] = 0
    if state[WAIT] > 0 or left < SHARE * LEAF:
        state[WAIT] -= 1
        return farthest(tree, centre)
    return _fill_rim(tree, rim, centre, left)


@part
def _outermost_of_rim(tree: Tree, rim: OuterRecords, centre: Floats) -> Int:
    """Return the record that is farthest from a centre, NOBODY if it may be outside of the rim."""
    state = rim.state
    moved = math.sqrt(squared_distance(tree, rim.centre, centre))
    best, root, winner = -1.0, -1.0, NOBODY
    state[SERVED] += 1
    for i in range(state[HEAD], state[HELD]):
        if (rim.reach[i] + moved) * SLACK < root:
            return winner
        state[LOOKS] += 1
        record = rim.records[i]
        if tree.place[record] < 0:
            if i == state[HEAD]:
                state[HEAD] += 1
            continue
        distance = squared_distance(tree, tree.rows[record], centre)
        if distance > best or (distance == best and record < winner):
            best, winner = distance, record
            root = math.sqrt(best)
    return NOBODY


@part
def _fill_rim(tree: Tree, rim: OuterRecords, centre: Floats, left: Int) -> Int:
    """Fill the rim anew, and return its outermost record."""
    n, n_leaves = tree.shape
    found = np.empty(LEAF)
    at = 0
    for leaf in range(n_leaves):
        start = leaf * n // n_leaves
        count = tree.counts[n_leaves + leaf]
        distances(tree, start, count, centre, found)
        for i in range(count):
            rim.records[at] = tree.records[start + i]
            rim.reach[at] = -found[i]
            at += 1
    held = left // SHARE
    halve(rim.reach, rim.records, np.int64(0), left, held)
    sort(rim.reach, rim.records, held)
    for i in range(held):
        rim.reach[i] = math.sqrt(-rim.reach[i])
    for a in range(len(centre)):
        rim.centre[a] = centre[a]
    rim.state[HELD] = held
    rim.state[HEAD] = rim.state[LOOKS] = rim.state[SERVED] = 0
    return np.int64(rim.records[0])


@kernel
def blocks(rows: Floats, weights: Floats, largest: int) -> tuple[Ints, Ints]:
    """Divide records into blocks of at most `largest` records, and of half as many at least.

    Every block is halved at the median of its attribute of the largest variance, of equal ones the
    first; equal values go by record number. All blocks are halved equally often, so their sizes
    differ by one at most.

    rows: (n, d) float64, the records, n and d at least 1.
    weights: (d,) float64, at least 0: what a squared difference counts.
    largest: At least 2. Returns: (n,) int64 record numbers, block by block; (n_blocks + 1,) int64,
        where each begins, and n.
    """
    n, d = rows.shape
    n_blocks = np.int64(1)
    while n_blocks * largest < n:
        n_blocks *= 2
    records = np.arange(n)
    values = np.empty(n)
    level = np.int64(1)
    while level < n_blocks:
        for block in range(level):
            start, stop = block * n // level, (block + 1) * n // level
            widest, width = 0, -1.0
            for a in range(d):
                mean = 0.0
                for at in range(start, stop):
                    mean += rows[records[at], a]
                mean /= stop - start
                spread = 0.0
                for at in range(start, stop):
                    gap = rows[records[at], a] - mean
                    spread += gap * gap
                if spread * weights[a] > width:
                    widest, width = a, spread * weights[a]
            for at in range(start, stop):
                values[at] = rows[records[at], widest]
            halve(values, records, start, stop, (2 * block + 1) * n // (2 * level))
        level *= 2
    bounds = np.empty(n_blocks + 1, np.int64)
    for block in range(n_blocks + 1):
        bounds[block] = block * n // n_blocks
    return records, bounds
