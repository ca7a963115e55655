"""The squared error of classes, and how far below it those of any other division may be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.microaggregation.centroid import NOMINAL
from kanonym.kernels.microaggregation.error_bound import error_bound

RECORDS = 1 << 17
"""Larger tables have no lower bound: it takes longer than their classes do."""

NEIGHBOURS = 1 << 18
"""A lower bound looks at up to so many pairs of near records,"""

EFFORT, ROUNDS = 1 << 24, 300
"""So many times each, and in so many rounds at the most."""


def squared_error(
    rows: NDArray[np.float64],
    weights: NDArray[np.float64],
    kinds: NDArray[np.int8],
    labels: NDArray[np.int32],
) -> float:
    """Return the squared error of the classes of (n, d) records by their (n,) labels.

    It is that of all pairs in a class, divided by its records: of numbers the squared differences
    from the mean, of nominal codes half of what two draws from a class differ by on average.
    """
    sizes = np.bincount(labels)
    error = 0.0
    for column, weight, kind in zip(rows.T, weights, kinds, strict=True):
        if kind == NOMINAL:
            codes = column.astype(np.int64)
            n_codes = int(codes.max()) + 1
            pairs, counts = np.unique(labels * np.int64(n_codes) + codes, return_counts=True)
            same = float((counts.astype(np.float64) ** 2 / sizes[pairs // n_codes]).sum())
            error += float(weight) * (len(rows) - same) / 2
        else:
            means = np.bincount(labels, column) / np.maximum(sizes, 1)
            error += float(weight) * float(((column - means[labels]) ** 2).sum())
    return error


def least_error(
    rows: NDArray[np.float64], weights: NDArray[np.float64], kinds: NDArray[np.int8], k: int
) -> float | None:
    """Return a squared error that no division of (n, d) records into classes of k is below.

    None where there are too many records.
    """
    n = len(rows)
    if n > RECORDS:
        return None
    if not 0 < _whole_error(rows, weights, kinds) < np.inf:
        return 0.0
    width = max(min(6 * k, n - 1, NEIGHBOURS // n), 1)
    rounds = max(min(EFFORT // (2 * n * width), ROUNDS), 1)
    return error_bound(rows, weights, kinds, min(k, n), width, rounds)


def error_account(
    rows: NDArray[np.float64],
    weights: NDArray[np.float64],
    kinds: NDArray[np.int8],
    error: float,
    least: float | None,
) -> dict[str, object]:
    """Return what an account says: all are shares of the error of one class of all records.

    Nothing where all records are equal, or too far apart to be squared.
    """
    whole = _whole_error(rows, weights, kinds)
    if not 0 < whole < np.inf:
        return {}
    share = error / whole
    if least is None:
        return {"squared_error": share}
    bound = min(least / whole, share)  # above it by rounding alone
    return {"squared_error": share, "lower_bound": bound, "gap": share - bound}


def _whole_error(
    rows: NDArray[np.float64], weights: NDArray[np.float64], kinds: NDArray[np.int8]
) -> float:
    return squared_error(rows, weights, kinds, np.zeros(len(rows), np.int32))
