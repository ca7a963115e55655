"""Blank cells that can be shown again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel


@kernel
def unblank_pieces(
    moves: NDArray[np.int64], sizes: NDArray[np.int64], weights: NDArray[np.int64], least: Int
) -> NDArray[np.bool_]:
    """Say which pieces can show a cell, one after the other, and leave no class too small.

    Parameters
    ----------
    moves
        (n_combinations, 2, n_pieces) int64: the class of each piece in each combination of
        attributes that the cell is in, with the cell blank and with it shown.
    sizes
        (n_classes,) int64 records of each class, brought up to date.
    weights
        (n_pieces,) int64 records.
    least
        Records of the smallest class.

    Returns
    -------
    (n_pieces,) bool. Cost O(n_combinations · n_pieces).

    """
    shown = np.zeros(len(weights), np.bool_)
    for i in range(len(weights)):
        records = weights[i]
        fits = True
        for c in range(len(moves)):
            left = sizes[moves[c, 0, i]] - records
            if 0 < left < least or sizes[moves[c, 1, i]] + records < least:
                fits = False
                break
        if fits:
            shown[i] = True
            for c in range(len(moves)):
                sizes[moves[c, 0, i]] -= records
                sizes[moves[c, 1, i]] += records
    return shown
