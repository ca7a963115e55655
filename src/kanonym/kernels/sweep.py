"""Look through many nodes of a lattice for classes that are large enough."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel

SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 / golden ratio: spreads keys over the slots of a hash table."""


@kernel
def next_settled(
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    parts: NDArray[np.uint64],
    nodes: NDArray[np.int64],
    first: int,
    size: int,
    slots: NDArray[np.uint64],
) -> tuple[int, NDArray[np.bool_]]:
    """Return the first node with a class of at least `size` records, and its tuples.

    Parameters
    ----------
    codes
        (d, n) int32, the tuples.
    weights
        (n,) int64 numbers of their records.
    parts
        (d, n_levels, n_codes) uint64: random numbers, equal where labels are. The key of
        a tuple is the sum of those of its labels: equal for tuples of one class, and
        almost never for others, which the caller has to look at.
    nodes
        (m, d) int64 levels.
    first
        The node to begin with.
    size
        Smallest class, in records.
    slots
        (3, 2^b) uint64, at least twice as many as tuples: memory for a hash table of
        key, node, and records; rows of zeros at the beginning of a sweep.

    Returns
    -------
    The node, m if there is none; (n,) bool, the tuples in classes that are large enough.

    Notes
    -----
    Cost O(n d) a node.

    """
    d, n = codes.shape
    mask = slots.shape[1] - 1
    bits = 0
    while (1 << bits) <= mask:
        bits += 1
    down = np.uint64(64 - bits)
    place = np.empty(n, np.int64)
    keys = np.empty(n, np.uint64)
    marked = np.zeros(n, np.bool_)
    smallest = np.uint64(size)
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
            if slots[1, at] != stamp:
                slots[0, at] = keys[i]
                slots[1, at] = stamp
                slots[2, at] = np.uint64(0)
            slots[2, at] += np.uint64(weights[i])
            largest = max(largest, slots[2, at])
            place[i] = at
        if largest >= smallest:
            for i in range(n):
                marked[i] = slots[2, place[i]] >= smallest
            return node, marked
    return len(nodes), marked
