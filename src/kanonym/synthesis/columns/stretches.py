"""A finely measured column as stretches, within each of which numbers follow a normal curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from kanonym.data.results.short_repr import ShortRepr

Floats = NDArray[np.float64]

APART = 1.22
"""Largest Kolmogorov–Smirnov distance of a stretch, times the root of its records.

Numbers that do follow the curve are farther off once in ten times.
"""

GAP = 0.01
"""A gap so unlikely within a stretch is one where nothing is drawn."""

HEAP = 5
"""A value with so many records is one of its own among measured ones, as zero often is."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stretches(ShortRepr):
    """A distribution in stretches that are straight lines in a normal probability plot.

    shares: (s + 1,) float64 from 0 to 1, the cumulative share before each stretch.
    low, high: (s,) float64, its ends; equal for a heap of equal values.
    """

    shares: Floats
    low: Floats
    high: Floats
    rim: float

    def at(self, uniform: Floats) -> Floats:
        """Return the numbers at (n,) places of the cumulative distribution."""
        which = np.searchsorted(self.shares, uniform, side="right") - 1
        which = np.clip(which, 0, len(self.low) - 1)
        quantiles = _quantiles(self.shares, self.rim)
        start, width = quantiles[:-1], np.diff(quantiles)
        part = (_quantiles(uniform, self.rim) - start[which]) / width[which]
        low, high = self.low[which], self.high[which]
        found: Floats = np.clip(low + part * (high - low), low, high)
        return found


def stretches_of(numbers: Floats, counts: NDArray[np.int64]) -> Stretches:
    """Return stretches that the values follow as closely as chance would have them.

    numbers: (m,) float64, distinct and ascending.
    counts: (m,) int64, records with each.

    Notes
    -----
    All values between two heaps are one stretch at first. One whose values do not follow the
    curve between its ends (test of Kolmogorov and Smirnov) is split in its middle record; one
    with a gap that they would hardly have, there, and nothing is drawn within the gap. So the
    draw follows the table as far as its records tell, and keeps neither single values nor the
    chance clumps between them. Two stretches meet in the middle between two values. Cost
    O(m log m).

    """
    cumulative = np.concatenate([[0], np.cumsum(counts)]) / counts.sum()
    rim = 0.5 / float(counts.sum())
    heaps = np.flatnonzero(counts >= HEAP)
    found: list[tuple[int, float, float]] = []
    edges = np.concatenate([[-1], heaps, [len(numbers)]])
    for before, after in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if after - before > 1:
            found += _split_stretch(numbers, cumulative, rim, (before + 1, after))
        if after < len(numbers):
            found.append((after, float(numbers[after]), float(numbers[after])))
    starts = cumulative[[start for start, *_ in found]]
    low, high = np.array([ends for _, *ends in found]).T
    return Stretches(np.append(starts, 1.0), low, high, rim)


def _split_stretch(
    numbers: Floats, cumulative: Floats, rim: float, values: tuple[int, int]
) -> list[tuple[int, float, float]]:
    """Return first value and ends of the stretches of values from one up to another."""
    found: list[tuple[int, float, float]] = []
    quantiles = _quantiles(cumulative, rim)
    open_ = [(*values, float(numbers[values[0]]), float(numbers[values[1] - 1]))]
    while open_:
        start, stop, low, high = open_.pop()
        if stop - start == 1 or high <= low:
            found.append((start, low, high))
            continue
        before, share = cumulative[start], cumulative[stop] - cumulative[start]
        n = share / (2 * rim)
        width = quantiles[stop] - quantiles[start]
        places = (numbers[start:stop] - low) / (high - low)
        curve = (ndtr(quantiles[start] + places * width) - before) / share
        gaps = np.diff(curve)
        widest = int(gaps.argmax())
        if n * max(1.0 - gaps[widest], 0.0) ** n < GAP:
            at = start + widest + 1
            ends = float(numbers[at - 1]), float(numbers[at])
        else:
            middles = (cumulative[start:stop] + cumulative[start + 1 : stop + 1]) / 2
            apart = np.abs(curve - (middles - before) / share).max()
            if apart * np.sqrt(n) <= APART:
                found.append((start, low, high))
                continue
            half = before + share / 2
            at = int(np.searchsorted(cumulative[start + 1 : stop - 1], half)) + start + 1
            ends = (float(numbers[at - 1] / 2 + numbers[at] / 2),) * 2
        open_ += [(at, stop, ends[1], high), (start, at, low, ends[0])]
    return found


def _quantiles(shares: Floats, rim: float) -> Floats:
    """Return normal quantiles of (n,) shares in [0, 1], none beyond that of the rim."""
    found: Floats = ndtri(np.clip(shares, rim, 1.0 - rim))
    return found
