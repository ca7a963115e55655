"""How wide the box of every node is in every feature, as a share of the feature's domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.minimization.nodes import Nodes


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature to minimize, and the columns of the matrix that hold it."""

    first: int
    n_columns: int = 1
    nominal: bool = False
    low: float = 0.0
    high: float = 0.0
    null: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """What the splits above each node leave of each feature.

    low, high: (n_nodes, n_features) float64: numbers above `low` and up to `high`; infinite where
    no split bounds them.
    width: (n_nodes, n_features) float64 in [0, 1]. Numbers: the range of the box, cut to the
    domain, over the domain; 1 where it holds null and numbers, 0 where null alone. Categories:
    (categories of the box - 1) / (categories - 1). 0 where the domain is one value. Never less than
    that of a node below.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    width: NDArray[np.float64]


def boxes_of(nodes: Nodes, features: Sequence[Feature]) -> Boxes:
    """Return the boxes of all nodes. Cost O(n_nodes · n_features)."""
    owner = feature_of_columns(features)
    low = np.full((nodes.n, len(features)), -np.inf)
    high = np.full((nodes.n, len(features)), np.inf)
    width = np.ones((nodes.n, len(features)))
    left_of = np.ones((nodes.n, len(features)), np.int64)  # categories that are left
    for f, feature in enumerate(features):
        left_of[0, f] = feature.n_columns
        width[0, f] = _width(feature, -np.inf, np.inf, feature.n_columns)
    for v in range(1, nodes.n):
        above = nodes.parent[v]
        goes_left = v == above + 1
        f = owner[nodes.column[above]]
        for bounds in (low, high, width, left_of):
            bounds[v] = bounds[above]
        if features[f].nominal:
            left_of[v, f] = left_of[above, f] - 1 if goes_left else 1
        elif goes_left:
            high[v, f] = nodes.threshold[above]
        else:
            low[v, f] = nodes.threshold[above]
        width[v, f] = _width(features[f], low[v, f], high[v, f], int(left_of[v, f]))
    return Boxes(low, high, width)


def feature_of_columns(features: Sequence[Feature]) -> NDArray[np.int64]:
    """Return (n_columns,) int64: the feature of each column of the matrix."""
    return np.repeat(np.arange(len(features)), [feature.n_columns for feature in features])


def categories_of(nodes: Nodes, feature: Feature, cell: int) -> NDArray[np.bool_]:
    """Return (n_columns,) bool: the categories of one feature that a cell may hold."""
    left = np.ones(feature.n_columns, np.bool_)
    v = cell
    while nodes.parent[v] >= 0:
        above = int(nodes.parent[v])
        category = int(nodes.column[above]) - feature.first
        if 0 <= category < feature.n_columns:
            if v == above + 1:
                left[category] = False
            else:
                left &= np.arange(feature.n_columns) == category
        v = above
    return left


def _width(feature: Feature, low: float, high: float, categories: int) -> float:
    if feature.nominal:
        return (categories - 1) / max(1, feature.n_columns - 1)
    if feature.null is not None and low < feature.null:
        return 0.0 if high < feature.low else 1.0
    domain = feature.high - feature.low
    covered = min(high, feature.high) - max(low, feature.low)
    return min(1.0, max(0.0, covered / domain)) if domain > 0 else 0.0
