"""A fitted decision tree in depth-first order, so that a subtree is a run of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


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

    stop: NDArray[np.int64]
    right: NDArray[np.int64]
    parent: NDArray[np.int64]
    depth: NDArray[np.int64]
    column: NDArray[np.int64]
    threshold: NDArray[np.float64]
    place: NDArray[np.int64]

    @classmethod
    def of(cls, fitted: Any) -> Self:
        """Read the tree of a fitted scikit-learn decision tree.

        Its own order is depth-first only where it was not grown best-first.
        """
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

    def runs(self, leaves: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where the records of each node start and stop among records sorted by leaf.

        leaves: (m,) int64, ascending. Both results are (n_nodes,) int64.
        """
        starts = np.searchsorted(leaves, np.arange(self.n))
        return starts, np.searchsorted(leaves, self.stop)

    def above(self, cells: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return (n_nodes,) bool: which nodes lie above the cells of a pruning."""
        kept = np.zeros(self.n, np.bool_)
        for cell in cells.tolist():
            v = int(self.parent[cell])
            while v >= 0 and not kept[v]:
                kept[v] = True
                v = int(self.parent[v])
        return kept

    def cells_of(self, ends: NDArray[np.bool_]) -> NDArray[np.int64]:
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


def cell_of(cells: NDArray[np.int64], leaves: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (m,) int64: the position among ascending cells of the one that holds each leaf."""
    found: NDArray[np.int64] = np.searchsorted(cells, leaves, side="right") - 1
    return found
