"""Nodes of the decision tree, their boxes and representatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """The nodes of a binary tree, each before those below it, left before right.

    Below node v lie nodes v + 1 to stop[v] - 1; its left child is v + 1.

    stop: (n_nodes,) int64, the node after the last one below each.
    right: (n_nodes,) int64, the right child; 0 at a leaf.
    parent: (n_nodes,) int64; -1 at the root.
    depth: (n_nodes,) int64; 0 at the root.
    column: (n_nodes,) int64, the column that is split; -1 at a leaf.
    threshold: (n_nodes,) float64; records with at most this go left.
    place: (n_nodes,) int64, the node here of each node of the fitted tree.
    """

    stop: Ints
    right: Ints
    parent: Ints
    depth: Ints
    column: Ints
    threshold: Floats
    place: Ints

    @classmethod
    def of(cls, fitted: Any) -> Self:
        """Read the tree of a fitted scikit-learn decision tree."""
        tree = fitted.tree_
        n = int(tree.node_count)
        lefts, rights = tree.children_left.tolist(), tree.children_right.tolist()
        place, right, parent, depth = (np.zeros(n, np.int64) for _ in range(4))
        order: list[int] = []
        stack = [(0, -1, 0)]
        while stack:
            node, above, level = stack.pop()
            here = len(order)
            place[node], parent[here], depth[here] = here, above, level
            order.append(node)
            if lefts[node] >= 0:
                stack += [(rights[node], here, level + 1), (lefts[node], here, level + 1)]
        stop = np.arange(1, n + 1)
        for v in range(n - 1, 0, -1):
            stop[parent[v]] = max(stop[parent[v]], stop[v])
        inner = tree.children_left[order] >= 0
        right[inner] = place[tree.children_right[order][inner]]
        return cls(
            stop=stop,
            right=right,
            parent=parent,
            depth=depth,
            column=np.where(inner, tree.feature[order], -1).astype(np.int64),
            threshold=np.where(inner, tree.threshold[order], np.nan),
            place=place,
        )

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.stop)

    def runs(self, leaves: Ints) -> tuple[Ints, Ints]:
        """Return where the records of each node start and stop among records sorted by leaf.

        leaves: (m,) int64, ascending. Both results are (n_nodes,) int64.
        """
        starts = np.searchsorted(leaves, np.arange(self.n))
        return starts, np.searchsorted(leaves, self.stop)

    def above(self, cells: Ints) -> Bools:
        """Return (n_nodes,) bool: which nodes lie above the cells of a pruning."""
        kept = np.zeros(self.n, np.bool_)
        for cell in cells.tolist():
            v = int(self.parent[cell])
            while v >= 0 and not kept[v]:
                kept[v] = True
                v = int(self.parent[v])
        return kept

    def cells_of(self, ends: Bools) -> Ints:
        """Return the highest of the marked nodes, ascending: the cells of a pruning.

        ends: (n_nodes,) bool, true at least at every leaf.
        """
        marked = np.flatnonzero(ends)
        cells = []
        done = 0
        for v, stop in zip(marked.tolist(), self.stop[marked].tolist(), strict=True):
            if v >= done:
                cells.append(v)
                done = stop
        return np.array(cells, np.int64)


def cell_of(cells: Ints, leaves: Ints) -> Ints:
    """Return (m,) int64: the position among ascending cells of the one that holds each leaf."""
    found: Ints = np.searchsorted(cells, leaves, side="right") - 1
    return found


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

    low: Floats
    high: Floats
    width: Floats


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


def feature_of_columns(features: Sequence[Feature]) -> Ints:
    """Return (n_columns,) int64: the feature of each column of the matrix."""
    return np.repeat(np.arange(len(features)), [feature.n_columns for feature in features])


def categories_of(nodes: Nodes, feature: Feature, cell: int) -> Bools:
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


_ROUNDING = 1 + 1e-12
"""Two records are as far from the point between them; sums of floats do not always say so."""


def representatives_of(
    nodes: Nodes, leaves: Ints, matrix: Floats, classes: Ints | None
) -> tuple[Ints, Ints]:
    """Return the row that stands for each node, and the class most of its rows have.

    Distances are in the units of the matrix.

    leaves: (n,) int64: the leaf of each row; every leaf has at least one.
    matrix: (n, n_columns) float64.
    classes: (n,) int64: the model's class of each row; None of a model that predicts numbers: then
        every row may stand for its node. Returns: rows (n_nodes,) int64. Among the rows of the
        node's most frequent class, the one of least Euclidean distance to their component-wise
        median, the first of equals (Goldsteen et al. 2021, sec. 4.1). majority (n_nodes,) int64:
        the most frequent class, the lowest of equals; zeros without classes.
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


def _middle(matrix: Floats, rows: Ints) -> int:
    """Return the first of the rows that are nearest to the median of all."""
    if len(rows) == 1:
        return int(rows[0])
    inside = matrix[rows]
    gaps = inside - np.median(inside, axis=0)
    distances = np.square(gaps).sum(axis=1)
    return int(rows[distances <= distances.min() * _ROUNDING].min())
