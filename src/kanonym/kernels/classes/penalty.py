"""What releasing a class loses: the normalized certainty penalty of a span of codes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import Int, kernel, part

RANGE, SET, TREE = 0, 1, 2

_LARGEST = np.int32(np.iinfo(np.int32).max)
"""Not asked for in a kernel: with its machine code, that would load much of numba."""


class Costs(NamedTuple):
    """What a class loses in each attribute, as a function of its codes.

    Codes of all attributes share one axis; each attribute owns a stretch of it.

    Attributes
    ----------
    attributes
        (d, 4) int64: kind (RANGE: distance of the outer positions; SET: number of
        distinct codes; TREE: lowest common ancestor), first place on the axis of
        codes, first code that no range has (of exceptions or null), number of levels of a
        TREE or 0.
    positions
        (n_codes,) float64, place of each code: in [0, 1] for RANGE, code times the
        loss of one more distinct code for SET.
    ancestors
        (n_levels, n_codes) int32, labels by level.
    losses
        (n_levels, n_codes) float64 in [0, 1], loss of the label above each code.

    """

    attributes: NDArray[np.int64]
    positions: NDArray[np.float64]
    ancestors: NDArray[np.int32]
    losses: NDArray[np.float64]


@part
def span_loss(a: Int, low: Int, high: Int, costs: Costs) -> float:
    """Return the loss in [0, 1] of releasing codes low to high of a RANGE or TREE attribute.

    For SET, the share of the domain between the two: an upper bound.
    """
    if low == high:
        return 0.0
    kind = costs.attributes[a, 0]
    offset = costs.attributes[a, 1]
    if kind == TREE:
        level = 1
        while costs.ancestors[level, offset + low] != costs.ancestors[level, offset + high]:
            level += 1
        return float(costs.losses[level, offset + low])
    if high >= costs.attributes[a, 2] and kind == RANGE:
        return 1.0
    return float(costs.positions[offset + high] - costs.positions[offset + low])


@kernel
def class_bounds(
    labels: NDArray[np.int32], codes: NDArray[np.int32], n_classes: Int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return (n_classes, d) int32 smallest and largest code of each class.

    labels: (n,) int32, negative ones are skipped. codes: (n, d) int32.
    """
    n, d = codes.shape
    low = np.full((n_classes, d), _LARGEST, np.int32)
    high = np.full((n_classes, d), -1, np.int32)
    for i in range(n):
        label = labels[i]
        if label >= 0:
            for a in range(d):
                low[label, a] = min(low[label, a], codes[i, a])
                high[label, a] = max(high[label, a], codes[i, a])
    return low, high


@kernel
def span_losses(
    a: Int, low: NDArray[np.int32], high: NDArray[np.int32], costs: Costs
) -> NDArray[np.float64]:
    """Return (n_classes,) float64: the loss of each class in one RANGE or TREE attribute."""
    losses = np.empty(len(low), np.float64)
    for i in range(len(low)):
        losses[i] = span_loss(np.int64(a), np.int64(low[i]), np.int64(high[i]), costs)
    return losses
