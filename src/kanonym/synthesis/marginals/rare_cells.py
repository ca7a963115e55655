"""Cells with few records are counted together: alone, their counts would be mostly noise.

McKenna, Miklau, Sheldon 2021, section 4.2. It looks at noisy counts only, and costs no privacy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pool_rare(noisy: NDArray[np.float64], least: float) -> NDArray[np.int32]:
    """Return (cells,) int32, a new cell for each: one for all that have fewer records than `least`.

    It comes last; the others keep their order.
    """
    rare = noisy < least
    kept = np.cumsum(~rare) - 1
    return np.where(rare, (~rare).sum(), kept).astype(np.int32)


def pool_neighbours(noisy: NDArray[np.float64], least: float) -> NDArray[np.int32]:
    """Return (cells,) int32, a new cell for each: neighbours, until they have `least` records."""
    found = np.zeros(len(noisy), np.int32)
    at, together = 0, 0.0
    for place, count in enumerate(noisy):
        found[place] = at
        together += count
        if together >= least:
            at, together = at + 1, 0.0
    if at and together < least:
        found[found == at] = at - 1  # what is left over at the end
    return found


def shares_within(noisy: NDArray[np.float64], pooled: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return (new cells, cells) float64, how records of each new cell are spread over its cells.

    The nearest counts to the noisy ones that are not negative and have the same sum; evenly, where
    the sum is not positive.
    """
    table = np.zeros((int(pooled.max()) + 1, len(pooled)))
    for new, row in enumerate(table):
        within = np.flatnonzero(pooled == new)
        row[within] = _nearest_shares(noisy[within])
    return table


def _nearest_shares(noisy: NDArray[np.float64]) -> NDArray[np.float64]:
    total = noisy.sum()
    if total <= 0:
        return np.full(len(noisy), 1 / len(noisy))
    falling = np.sort(noisy)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(noisy) + 1)
    cut = excess[np.flatnonzero(falling > excess)[-1]]
    shares: NDArray[np.float64] = np.maximum(noisy - cut, 0) / total
    return shares
