"""What a label tells of those one level below it, if none of these has k records of the class."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LARGEST = 1 << 16
"""Of classes for which labels times records are more, no bits are counted."""


class OneStep(NamedTuple):
    """What is known of cells: m labels share the n records of a class, none has k of them."""

    present: NDArray[np.bool_]
    known: NDArray[np.bool_]
    bits: NDArray[np.float64]
    told: NDArray[np.float64]


def one_step(records: NDArray[np.int64], labels: NDArray[np.int64], k: int) -> OneStep:
    """Return what is known of cells, (n_cells,) records of their class and labels below them.

    Cells with no more than one label below them, and those that contradict the rule, tell
    nothing.
    """
    most = k - 1
    mask = (labels > 1) & (records <= labels * most)
    bits = np.where(labels > 1, records * np.log2(np.maximum(labels, 1)), 0.0)
    told = np.zeros(len(records))
    counted = mask & (records > most) & (labels * records <= LARGEST)
    left = _log_ways(
        int(labels[counted].max(initial=0)), int(records[counted].max(initial=0)), most
    )
    for place in np.flatnonzero(counted).tolist():
        n, m = int(records[place]), int(labels[place])
        told[place] = bits[place] - (left[m][n] + math.lgamma(n + 1)) / math.log(2)
    return OneStep(
        mask & (records > (labels - 1) * most), mask & (records == labels * most), bits, told
    )


def _log_ways(labels: int, records: int, most: int) -> list[NDArray[np.float64]]:
    """Return by m ≤ labels the logarithm of the ways to share n ≤ records, over n!."""
    from scipy.special import gammaln, logsumexp  # noqa: PLC0415 - scipy takes a while to load

    ways = [np.append(0.0, np.full(records, -np.inf))]
    each = -gammaln(np.arange(1, most + 2))
    for _ in range(labels):
        shifted = np.full((most + 1, records + 1), -np.inf)
        for j in range(min(most, records) + 1):
            shifted[j, j:] = ways[-1][: records + 1 - j] + each[j]
        ways.append(logsumexp(shifted, axis=0))
    return ways
