"""Axes of the copula, merged into few enough bins to be counted beside each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

BINS = 32
"""An axis has at most about so many bins where it is counted beside another."""

TERMS = 150
"""Of the series by which scores of two axes are compared."""


class BinnedAxis(NamedTuple):
    """An axis as it is counted.

    codes: (n,) int64, the bin of each record; the number of bins where it has no place.
    lines: (r + 1,) float64 from 0 to 1, the cumulative shares that part the bins.
    scores: (r,) float64, the mean of a normal distribution within each bin.
    coefficients: (150,) float64: the scores as a function of the normal variable, in Hermite
    polynomials of degree 1, 2, … of variance 1.
    """

    codes: NDArray[np.int64]
    lines: Floats
    scores: Floats
    coefficients: Floats
    is_nominal: bool = False

    @property
    def size(self) -> int:
        """The number of bins r."""
        return len(self.scores)


def bin_axis(codes: Codes, cumulative: Floats, *, is_nominal: bool = False) -> BinnedAxis:
    """Return an axis in at most about 32 bins of neighbouring values.

    codes: (n,) int32, the place of each record, -1 for none.
    cumulative: (m + 1,) float64 ascending from 0 to 1.
    """
    lines = cumulative
    if len(cumulative) - 1 > BINS:
        lines = cumulative[np.diff(np.floor(cumulative * BINS), prepend=-1.0) > 0.0]
    middles = (cumulative[1:] + cumulative[:-1]) / 2
    bin_of = np.searchsorted(lines, middles, side="right") - 1
    bin_of = np.append(bin_of, len(lines) - 1)  # code -1: no place
    each = is_nominal and len(lines) == len(cumulative)
    scores = normal_scores(lines)
    return BinnedAxis(bin_of[codes], lines, scores, hermite_coefficients(lines, scores), each)


def normal_scores(lines: Floats) -> Floats:
    """Return (r,) means of a normal distribution between (r + 1,) cumulative shares."""
    at = ndtri(lines)
    density = np.exp(-at * at / 2) / np.sqrt(2 * np.pi)
    scores: Floats = -np.diff(density) / np.diff(lines)
    return scores


def hermite_coefficients(lines: Floats, scores: Floats) -> Floats:
    """Return the (150,) coefficients of a step function of a normal variable.

    lines: (r + 1,) cumulative shares that part the steps.
    scores: (r,) the value of each.

    Notes
    -----
    The polynomial h_m of degree m and variance 1 has the integral −h_{m−1}(x) φ(x) / √m under the
    normal density φ, and h_{m+1} = (x h_m − √m h_{m−1}) / √(m + 1). Cost O(150 · r).

    """
    at = ndtri(lines)
    finite = np.isfinite(at)
    x = np.where(finite, at, 0.0)
    density = np.where(finite, np.exp(-x * x / 2) / np.sqrt(2 * np.pi), 0.0)
    before, here = np.zeros_like(x), density
    found = np.empty(TERMS)
    for m in range(1, TERMS + 1):
        found[m - 1] = -np.diff(here) @ scores / np.sqrt(m)
        before, here = here, (x * here - np.sqrt(m - 1) * before) / np.sqrt(m)
    return found


def count_bins(first: BinnedAxis, second: BinnedAxis) -> Floats:
    """Return the (r, c) float64 numbers of records in each pair of bins."""
    r, c = first.size, second.size
    cells = np.bincount(first.codes * (c + 1) + second.codes, minlength=(r + 1) * (c + 1))
    return cells.reshape(r + 1, c + 1)[:r, :c].astype(np.float64)
