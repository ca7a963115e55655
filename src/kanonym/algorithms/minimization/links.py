"""The path of prunings from the whole tree to its root, and greedy filling up to a budget."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.minimization.nodes import Nodes


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Merges of subtrees into cells, in order, and what the tree is before and after each.

    merged: (n_merges,) int64: the node that becomes a cell.
    cells: (n_merges + 1,) int64: number of cells, before the first merge and after each.
    loss, gain: (n_merges + 1,) float64: sums over these cells.
    """

    merged: NDArray[np.int64]
    cells: NDArray[np.int64]
    loss: NDArray[np.float64]
    gain: NDArray[np.float64]


def weakest_links(
    nodes: Nodes,
    loss: NDArray[np.float64],
    gain: NDArray[np.float64],
    base: NDArray[np.int64],
    budget: float = np.inf,
) -> Links:
    """Merge subtrees from the weakest link on: least loss for what is gained by it.

    loss: (n_nodes,) float64, what each node loses as a cell; may fall when nodes are merged.
    gain: (n_nodes,) float64, what is won by it; a node's is at least that of any cells below.
    base: (n_cells,) int64, ascending: the cells to start from.

    Notes
    -----
    Cost complexity pruning with any gain in the place of the number of leaves: the
    condition is that the gain of a node is at least that of the cells it replaces, and
    then prunings for growing λ nest, whatever the losses are. Cost O(n_nodes · depth · log).

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees, ch. 10.
    Chou, Lookabaugh and Gray (1989), IEEE Trans. Inf. Theory 35(2).

    """
    alive = nodes.above(base)
    below_loss, below_gain = np.zeros(nodes.n), np.zeros(nodes.n)
    below_cells = np.zeros(nodes.n, np.int64)
    below_loss[base], below_gain[base], below_cells[base] = loss[base], gain[base], 1
    inner = np.flatnonzero(alive)
    for v in inner[::-1].tolist():
        for below in (below_loss, below_gain, below_cells):
            below[v] = below[v + 1] + below[nodes.right[v]]

    def price(v: int) -> tuple[float, int]:
        lost, won = float(loss[v] - below_loss[v]), float(gain[v] - below_gain[v])
        if won > 0:
            return lost / won, -v
        return (-np.inf if lost <= 0 else np.inf), -v  # of equals those below first

    version = np.zeros(nodes.n, np.int64)
    heap = [(price(v), v, 0) for v in inner.tolist()]
    heapq.heapify(heap)
    merged: list[int] = []
    totals = [(int(below_cells[0]), float(below_loss[0]), float(below_gain[0]))]
    while heap:
        _, v, seen = heapq.heappop(heap)
        if not alive[v] or seen != version[v]:
            continue
        lost = loss[v] - below_loss[v]
        if lost > 0 and below_loss[0] + lost > budget:
            continue
        won, fewer = gain[v] - below_gain[v], below_cells[v] - 1
        alive[v : nodes.stop[v]] = False
        merged.append(v)
        up = v
        while up >= 0:
            below_loss[up] += lost
            below_gain[up] += won
            below_cells[up] -= fewer
            if alive[up]:
                version[up] += 1
                heapq.heappush(heap, (price(up), up, int(version[up])))
            up = int(nodes.parent[up])
        totals.append((int(below_cells[0]), float(below_loss[0]), float(below_gain[0])))
    cells, losses, gains = zip(*totals, strict=True)
    return Links(np.array(merged, np.int64), np.array(cells), np.array(losses), np.array(gains))


def cells_after_merges(
    nodes: Nodes, base: NDArray[np.int64], merged: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the cells that remain of a base after some merges, ascending."""
    ends = np.zeros(nodes.n, np.bool_)
    ends[base] = True
    ends[merged] = True
    return nodes.cells_of(ends)
