"""Look through many nodes of a lattice for classes that satisfy the models."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.classes.conditions import Criteria, Tuples, chain_satisfies
from kanonym.kernels.compile import Int, kernel

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 / golden ratio: spreads keys over the slots of a hash table."""


@kernel
def next_settled_node(
    codes: NDArray[np.int32],
    tuples: Tuples,
    parts: NDArray[np.uint64],
    nodes: NDArray[np.int64],
    first: int,
    criteria: Criteria,
    slots: NDArray[np.uint64],
) -> tuple[int, NDArray[np.bool_]]:
    """Return the first node with a class that satisfies the criteria, and its tuples.

    Parameters
    ----------
    codes
        (d, n) int32, the tuples by attribute.
    tuples
        Their sensitive values and weights; their own codes are not read.
    parts
        (d, n_levels, n_codes) uint64: random numbers, equal where labels are. The key of
        a tuple is the sum of those of its labels: equal for tuples of one class, and
        almost never for others, which the caller has to look at.
    nodes
        (m, d) int64 levels.
    first
        The node to begin with.
    criteria
        What a class must satisfy.
    slots
        (4, 2^b) uint64, at least twice as many as tuples: memory for a hash table of
        key, node, records, and last tuple; rows of zeros at the beginning of a sweep.

    Returns
    -------
    The node, m if there is none; (n,) bool, the tuples of the classes that satisfy.

    Notes
    -----
    Cost O(n d) a node, and O(m log m) for each class of m tuples that is large enough.

    """
    d, n = codes.shape
    weights = tuples.weights
    mask = slots.shape[1] - 1
    bits = 0
    while (1 << bits) <= mask:
        bits += 1
    down = np.uint64(64 - bits)
    place = np.empty(n, np.int64)
    keys = np.empty(n, np.uint64)
    marked = np.zeros(n, np.bool_)
    before = np.empty(n, np.int64)
    counts = np.zeros(criteria.references.shape[2], np.int64)
    smallest = np.uint64(criteria.min_size)
    for node in range(first, len(nodes)):
        stamp = np.uint64(node + 1)
        keys[:] = np.uint64(0)
        for a in range(d):
            part = parts[a, nodes[node, a]]
            own = codes[a]
            for i in range(n):
                keys[i] += part[own[i]]
        largest = np.uint64(0)
        for i in range(n):
            at = np.int64((keys[i] * SPREAD) >> down)
            while slots[1, at] == stamp and slots[0, at] != keys[i]:
                at = (at + 1) & mask
            before[i] = np.int64(slots[3, at])
            if slots[1, at] != stamp:
                slots[0, at] = keys[i]
                slots[1, at] = stamp
                slots[2, at] = np.uint64(0)
                before[i] = -1
            slots[2, at] += np.uint64(weights[i])
            slots[3, at] = np.uint64(i)
            largest = max(largest, slots[2, at])
            place[i] = at
        if largest < smallest:
            continue
        found = False
        for last in range(n):
            at = place[last]
            if (
                slots[3, at] == np.uint64(last)
                and slots[2, at] >= smallest
                and chain_satisfies(np.int64(last), before, tuples, criteria, counts)
            ):
                found = True
                member: Int = np.int64(last)
                while member >= 0:
                    marked[member] = True
                    member = before[member]
        if found:
            return node, marked
    return len(nodes), marked
