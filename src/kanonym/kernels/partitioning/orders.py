"""Orders of tuples in which neighbours are near each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel


@kernel
def serpentine(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Turn a lexicographic order so that each stretch begins near where the last one ended.

    codes: (n, d) int32, sorted, first column first. Returns the (n,) int64 places in the
    new order. Tuples that share their first columns stay side by side; among them, the next
    column ascends or descends, whichever begins nearer to the code before. Cost O(n d).
    """
    n, d = codes.shape
    places = np.arange(n)
    # How many first columns each tuple shares with the one before.
    shared = np.zeros(n + 1, np.int64)
    for i in range(1, n):
        while shared[i] < d and codes[i, shared[i]] == codes[i - 1, shared[i]]:
            shared[i] += 1
    for a in range(1, d):
        last = np.int64(-1)
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and shared[stop] >= a:
                stop += 1
            first, end = codes[places[start], a], codes[places[stop - 1], a]
            if last >= 0 and abs(end - last) < abs(first - last):
                places[start:stop] = places[start:stop][::-1].copy()
                shared[start + 1 : stop] = shared[start + 1 : stop][::-1].copy()
                first, end = end, first
            last = end
            start = stop
    return places


@kernel
def hilbert(cells: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    """Return the (n,) place of each cell on the Hilbert curve.

    cells: (n, d) uint64 below 2 ** bits, overwritten; d * bits is at most 64.

    Skilling 2004, "Programming the Hilbert curve", AIP Conference Proceedings 707: undo the
    curve's exchanges and inversions from the top bit down, then read the Gray code.
    """
    n, d = cells.shape
    one = np.uint64(1)
    keys = np.zeros(n, np.uint64)
    for i in range(n):
        cell = cells[i]
        for level in range(bits - 1, 0, -1):
            bit = one << np.uint64(level)
            below = bit - one
            for a in range(d):
                if cell[a] & bit:
                    cell[0] ^= below
                else:
                    swapped = (cell[0] ^ cell[a]) & below
                    cell[0] ^= swapped
                    cell[a] ^= swapped
        for a in range(1, d):
            cell[a] ^= cell[a - 1]
        flips = np.uint64(0)
        for level in range(bits - 1, 0, -1):
            bit = one << np.uint64(level)
            if cell[d - 1] & bit:
                flips ^= bit - one
        key = np.uint64(0)
        for level in range(bits - 1, -1, -1):
            for a in range(d):
                key = (key << one) | (((cell[a] ^ flips) >> np.uint64(level)) & one)
        keys[i] = key
    return keys
