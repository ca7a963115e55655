"""Blocks of records that are near each other: the widest attribute is halved, again and again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel
from kanonym.kernels.neighbours.kdtree import halve


@kernel
def blocks(
    rows: NDArray[np.float64], weights: NDArray[np.float64], largest: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide records into blocks of at most `largest` records, and of half as many at least.

    Parameters
    ----------
    rows
        (n, d) float64, the records, n and d at least 1.
    weights
        (d,) float64, at least 0: what a squared difference counts.
    largest
        At least 2.

    Returns
    -------
    (n,) int64 record numbers, block by block; (n_blocks + 1,) int64, where each begins, and n.

    Notes
    -----
    Every block is halved at the median of its attribute of the largest variance, of equal
    ones the first; equal values go by record number. All blocks are halved equally often,
    so their sizes differ by one at most. A table of `largest` records or fewer is one block.
    Cost O(n d log(n / largest)).

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
