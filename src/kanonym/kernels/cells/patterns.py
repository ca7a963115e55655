"""Patterns of blanks that suit a table, where there are too many to try all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel


@kernel
def split_top_down(
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    sizes: NDArray[np.int64],
    costs: NDArray[np.int64],
    k: Int,
) -> NDArray[np.bool_]:
    """Find a pattern of blanks for every tuple by splitting the table top down.

    A node keeps the attribute that keeps most cells, weighted by their costs, in values
    of at least k records: each such value is a node of its own, and the records of all
    others go on together, without the attribute.

    codes: (n, d) int32; weights: (n,) int64 records; sizes: (d,) int64, codes run below
    them; costs: (d,) int64 of a blanked cell. Returns (n, d) bool, the blanks. At least k
    records agree on what a tuple shows, if the table has as many. Cost O(n * d^2).
    """
    n, d = codes.shape
    blanks = np.ones((n, d), np.bool_)
    order = np.arange(n)
    buffer = np.empty(n, np.int64)
    counts = np.zeros(sizes.max() if d else 0, np.int64)
    # Open nodes have no tuple in common, so there are n at the most.
    bounds = np.empty((n + 1, 2), np.int64)
    decided = np.zeros((n + 1, d), np.bool_)
    bounds[0] = (0, n)
    n_open = 1 if n else 0
    while n_open:
        n_open -= 1
        start, stop = bounds[n_open]
        done = decided[n_open].copy()
        best = -1
        most = 0
        for a in range(d):
            if done[a]:
                continue
            keeps = 0
            for i in order[start:stop]:
                counts[codes[i, a]] += weights[i]
            for i in order[start:stop]:
                if counts[codes[i, a]] >= k:
                    keeps += counts[codes[i, a]]
                counts[codes[i, a]] = 0
            if keeps * costs[a] > most:
                best = a
                most = keeps * costs[a]
        if best < 0:
            continue
        done[best] = True
        # Values of at least k records come first, then the records of all others.
        for i in order[start:stop]:
            counts[codes[i, best]] += weights[i]
        middle = start
        for i in order[start:stop]:
            if counts[codes[i, best]] >= k:
                buffer[middle] = i
                middle += 1
        rest = middle
        for i in order[start:stop]:
            if counts[codes[i, best]] < k:
                buffer[rest] = i
                rest += 1
        for i in order[start:stop]:
            counts[codes[i, best]] = 0
        if middle < stop:
            order[middle:stop] = buffer[middle:stop]
            bounds[n_open] = (middle, stop)
            decided[n_open] = done
            n_open += 1
        front = buffer[start:middle]
        keys = np.empty(len(front), np.int64)
        for z in range(len(front)):
            keys[z] = codes[front[z], best]
            blanks[front[z], best] = False
        order[start:middle] = front[np.argsort(keys, kind="mergesort")]
        first = start
        for i in range(start + 1, middle + 1):
            if i == middle or codes[order[i], best] != codes[order[first], best]:
                bounds[n_open] = (first, i)
                decided[n_open] = done
                n_open += 1
                first = i
    return blanks


@kernel
def grow_patterns(
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    costs: NDArray[np.int64],
    k: Int,
    tuples: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Let tuples show more and more attributes, as long as at least k records agree with them.

    The next one is that in which most of the records agree that agreed so far, weighted
    by what its cells cost.

    codes: (n, d) int32; weights: (n,) int64 records; costs: (d,) int64 of a blanked cell;
    tuples: (m,) int64, which to try; starts: (m,) int64, the attribute that each shows
    first, -1 for any. Returns (m, d) bool, the blanks. Cost O(m * n), as a rule.
    """
    n, d = codes.shape
    blanks = np.ones((len(tuples), d), np.bool_)
    agreeing = np.empty(n, np.int64)
    for q in range(len(tuples)):
        own = codes[tuples[q]]
        n_agreeing = n
        for i in range(n):
            agreeing[i] = i
        shown = starts[q]
        while True:
            most = 0
            for a in range(d):
                if not blanks[q, a] or (starts[q] >= 0 and blanks[q, starts[q]] and a != starts[q]):
                    continue
                total = 0
                for i in agreeing[:n_agreeing]:
                    if codes[i, a] == own[a]:
                        total += weights[i]
                if total >= k and total * costs[a] > most:
                    most = total * costs[a]
                    shown = a
            if most == 0:
                break
            blanks[q, shown] = False
            n_left = 0
            for i in agreeing[:n_agreeing]:
                if codes[i, shown] == own[shown]:
                    agreeing[n_left] = i
                    n_left += 1
            n_agreeing = n_left
    return blanks
