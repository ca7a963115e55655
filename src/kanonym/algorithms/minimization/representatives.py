"""The record that stands for each node: the actual one nearest to the middle of the node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.minimization.nodes import Nodes

_ROUNDING = 1 + 1e-12
"""Two records are as far from the point between them; sums of floats do not always say so."""


def representatives_of(
    nodes: Nodes,
    leaves: NDArray[np.int64],
    matrix: NDArray[np.float64],
    classes: NDArray[np.int64] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row that stands for each node, and the class most of its rows have.

    leaves: (n,) int64: the leaf of each row; every leaf has at least one.
    matrix: (n, n_columns) float64.
    classes: (n,) int64: the model's class of each row; None of a model that predicts numbers: then
    every row may stand for its node.

    Returns
    -------
    rows
        (n_nodes,) int64. Among the rows of the node's most frequent class, the one of least
        Euclidean distance to their component-wise median, the first of equals (Goldsteen
        et al. 2021, sec. 4.1).
    majority
        (n_nodes,) int64: the most frequent class, the lowest of equals; zeros without classes.

    Notes
    -----
    Distances are in the units of the matrix. Cost O(n · depth · n_columns).

    """
    in_order = np.argsort(leaves, kind="stable")
    sorted_classes = np.zeros(len(leaves), np.int64) if classes is None else classes[in_order]
    starts, stops = nodes.runs(leaves[in_order])
    rows = np.empty(nodes.n, np.int64)
    majority = np.empty(nodes.n, np.int64)
    for v, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
        inside = sorted_classes[start:stop]
        majority[v] = inside[0] if stop - start == 1 else np.bincount(inside).argmax()
        rows[v] = _middle(matrix, in_order[start:stop][inside == majority[v]])
    return rows, majority


def _middle(matrix: NDArray[np.float64], rows: NDArray[np.int64]) -> int:
    """Return the first of the rows that are nearest to the median of all."""
    if len(rows) == 1:
        return int(rows[0])
    inside = matrix[rows]
    gaps = inside - np.median(inside, axis=0)
    distances = np.square(gaps).sum(axis=1)
    return int(rows[distances <= distances.min() * _ROUNDING].min())
