"""The tree of one column: it sorts records by other columns, and its leaves hold their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.synthesis.columns.scales import Scale

FEW = 50
"""Values of a column, null included, that a classification tree tells apart at most."""

DIRECTIONS = 16
"""Numbers that stand for a category of a column that has more than `FEW`."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColumnTree(ShortRepr):
    """The distribution of one column, given others.

    ranks: by given column, the (m + 1,) int64 feature of each code, null last.
    donors: (n,) int32 codes of the records that the tree was grown from, leaf by leaf.
    starts: (n_nodes + 1,) int64, where the codes of each node begin.
    """

    tree: Any
    ranks: tuple[Ints, ...]
    donors: Int32s
    starts: Ints

    def draw(self, n: int, given: Sequence[Int32s], random: np.random.Generator) -> Int32s:
        """Return (n,) int32 codes, each of a record in the leaf that the given codes lead to.

        given: (n,) int32 each, in the order of `grow_tree`. Cost O(n · depth).
        """
        nodes = self._leaves(n, given)
        first, last = self.starts[nodes], self.starts[nodes + 1]
        drawn: Int32s = self.donors[first + (random.random(n) * (last - first)).astype(np.int64)]
        return drawn

    def leaf_counts(self, given: Sequence[Int32s], size: int) -> Ints:
        """Return (n, size + 1) records with each code, null last, in the leaf of each record."""
        leaves, at = np.unique(self._leaves(len(given[0]), given), return_inverse=True)
        counts = [
            np.bincount(
                # -1 is null, which follows the values.
                np.where(codes < 0, size, codes),
                minlength=size + 1,
            )
            for codes in (
                self.donors[self.starts[leave] : self.starts[leave + 1]] for leave in leaves
            )
        ]
        return np.array(counts, np.int64).reshape(-1, size + 1)[at]

    def _leaves(self, n: int, given: Sequence[Int32s]) -> Ints:
        if self.tree is None or not n:
            return np.zeros(n, np.int64)
        leaves: Ints = self.tree.apply(_features(given, self.ranks))
        return leaves


def grow_tree(
    column: tuple[Scale, Int32s], given: Sequence[tuple[Scale, Int32s]], leaf: int, seed: int
) -> ColumnTree:
    """Grow the tree of a column until no cut leaves `leaf` records on both sides.

    column, given: scales and (n,) int32 codes, -1 for null.

    Notes
    -----
    A classification tree (Gini impurity) of columns with at most 50 values, null among them. Of
    more numbers, a regression tree (variance) of their place in the distribution and of whether
    there is one; of more categories, one of random directions, whose variance is near the Gini
    impurity. The values of a nominal given column have the order of the first principal component
    of the column that they predict (Coppersmith, Hong and Hosking 1999).
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # noqa: PLC0415 - slow

    scale, codes = column
    if not given:
        return ColumnTree(None, (), np.sort(codes), np.array([0, len(codes)]))
    responses = _responses(scale, codes, np.random.default_rng(seed))
    classes = len(scale.values) + (scale.n_null > 0) <= min(FEW, len(codes) // 2)
    ranks = tuple(_ranks(one, known, responses) for one, known in given)
    features = _features([known for _, known in given], ranks)
    kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
    tree = kind(min_samples_leaf=leaf, random_state=seed)
    tree.fit(features, codes if classes else responses)
    nodes = tree.apply(features)
    by_leaf = np.lexsort((codes, nodes))
    starts = np.searchsorted(nodes[by_leaf], np.arange(tree.tree_.node_count + 1))
    return ColumnTree(tree, ranks, codes[by_leaf], starts)


def _responses(scale: Scale, codes: Int32s, random: np.random.Generator) -> Floats:
    """Return (n, q) float64: numbers whose means tell apart the values of a column."""
    size = len(scale.values)
    if size <= FEW:
        known = np.eye(size + 1)
    elif scale.is_nominal:
        known = random.normal(size=(size + 1, DIRECTIONS))
    else:
        middles = (scale.cumulative[1:] + scale.cumulative[:-1]) / 2
        known = np.column_stack([np.append(middles, 0.5), np.arange(size + 1) == size])
    found: Floats = known[codes]  # -1 is the last row
    return found


def _ranks(scale: Scale, codes: Int32s, responses: Floats) -> Ints:
    """Return (m + 1,) int64: the place of each code, null last, in the order that tells most."""
    size = len(scale.values)
    if not scale.is_nominal:
        return np.append(np.arange(size), -1)
    places = np.where(codes < 0, size, codes)
    counts = np.bincount(places, minlength=size + 1)
    sums = np.column_stack([np.bincount(places, one, size + 1) for one in responses.T])
    away = sums / np.maximum(counts, 1)[:, None] - responses.mean(axis=0)
    axis = np.linalg.svd(away * np.sqrt(counts)[:, None], full_matrices=False)[2][0]
    ranks = np.empty(size + 1, np.int64)
    ranks[np.argsort(away @ axis, kind="stable")] = np.arange(size + 1)
    return ranks


def _features(given: Sequence[Int32s], ranks: Sequence[Ints]) -> NDArray[np.float32]:
    """Return (n, d) float32 features; code -1 has the last rank."""
    return np.column_stack([rank[codes] for codes, rank in zip(given, ranks, strict=True)]).astype(
        np.float32
    )
