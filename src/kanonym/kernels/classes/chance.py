"""What is left to chance about a node: it follows from a private seed, on every engine alike."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.compile import Int, part

FLAT = 16
"""From so many times the least size on, the chance to stay whole falls no further,"""

LARGE = 64
"""up to so many times the least size; then it falls in proportion to the size."""

SKIPPED = 0.05
"""How probable it is that the best cut of a node is passed over, whatever it would leave."""


@part
def is_left_whole(criteria: Criteria, total: Int, box: NDArray[np.int64]) -> bool:
    """Say whether a node is not to be cut, whatever its sensitive values are.

    The probability is `criteria.chance` for a node of twice the least size. It falls with the
    cube of the size up to `FLAT` times the least, and from `LARGE` times the least with the size;
    it is never 0. Nodes of one size and box are the same on every engine.

    total: records of the node. box: (2, d) its lowest and highest codes.
    """
    if criteria.chance <= 0.0 or len(criteria.thresholds) == 0:
        return False
    least = criteria.min_size
    ratio = 2.0 * least / min(total, FLAT * least)
    larger = max(1.0, total / (LARGE * least))
    return _uniform(criteria, total, box, np.uint64(0)) * larger < criteria.chance * ratio**3


@part
def skipped_cuts(criteria: Criteria, total: Int, box: NDArray[np.int64]) -> int:
    """Return how many of the best cuts of a node are tried last, whatever they would leave.

    j or more are with probability `SKIPPED` / j, in nodes of more than `FLAT` times the least size
    with one that falls in proportion to the size: that the best j cuts were not made does not
    prove that sensitive values forbade them. Parameters as of `is_left_whole`.
    """
    if criteria.chance <= 0.0 or len(criteria.thresholds) == 0:
        return 0
    larger = max(1.0, total / (FLAT * criteria.min_size))
    drawn = max(_uniform(criteria, total, box, np.uint64(1)) * larger, 1e-9)
    return math.floor(SKIPPED / drawn)


@part
def _uniform(criteria: Criteria, total: Int, box: NDArray[np.int64], purpose: np.uint64) -> float:
    """Return a number in [0, 1) that follows from the seed, the node and the purpose."""
    state = _mixed(_mixed(np.uint64(criteria.key), purpose), np.uint64(total))
    for side in range(2):
        for a in range(box.shape[1]):
            state = _mixed(state, np.uint64(box[side, a] + 1))
    return float(state >> np.uint64(11)) * 2.0**-53


@part
def _mixed(state: np.uint64, value: np.uint64) -> np.uint64:
    """Return a state with one more value in it: a step of SplitMix64 (Steele et al. 2014)."""
    z = (state ^ value) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
