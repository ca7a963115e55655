"""Classes that are left whole by chance: what is drawn follows from a key, on every engine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.compile import Int, part

LARGEST = 64
"""Nodes of so many times the least size and more are never left whole by chance."""

FLAT = 16
"""From so many times the least size on, chance does not fall any further."""


@part
def is_left_whole(criteria: Criteria, total: Int, box: NDArray[np.int64]) -> bool:
    """Say whether a node is not to be cut, whatever its sensitive values are.

    The probability is `criteria.chance` for a node of twice the least size, and falls with the
    cube of the size, up to `FLAT` times the least. Nodes of one size and box are the same on
    every engine.

    total: records of the node. box: (2, d) its lowest and highest codes.
    """
    if criteria.chance <= 0.0 or len(criteria.thresholds) == 0:
        return False
    if total >= LARGEST * criteria.min_size:
        return False
    state = _mixed(np.uint64(criteria.key), np.uint64(total))
    for side in range(2):
        for a in range(box.shape[1]):
            state = _mixed(state, np.uint64(box[side, a] + 1))
    ratio = 2.0 * criteria.min_size / min(total, FLAT * criteria.min_size)
    return float(state >> np.uint64(11)) < criteria.chance * ratio**3 * 2.0**53


@part
def _mixed(state: np.uint64, value: np.uint64) -> np.uint64:
    """Return a state with one more value in it: a step of SplitMix64 (Steele et al. 2014)."""
    z = (state ^ value) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
