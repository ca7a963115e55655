"""The pruning of largest gain within a budget of whole losses, exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.minimization.nodes import Nodes

_Table = NDArray[np.float64]


def best_pruning(
    nodes: Nodes,
    loss: NDArray[np.int64],
    gain: NDArray[np.float64],
    base: NDArray[np.int64],
    budget: int,
) -> NDArray[np.int64] | None:
    """Return the cells, ascending, of largest total gain that lose at most `budget` in all.

    loss: (n_nodes,) int64, at least 0: what each node loses as a cell.
    gain: (n_nodes,) float64; a node's is at least that of any cells below it.
    base: (n_cells,) int64, ascending: the finest cells allowed.

    Notes
    -----
    A knapsack on the tree: for each node and each budget up to its own loss, the best
    below it; from its own loss on it is best itself. Where the losses of a node
    are at most its number of records, cost O(n_records · budget) and memory
    O(n_records · depth).

    """
    inner = nodes.above(base)
    is_cell = np.zeros(nodes.n, np.bool_)
    is_cell[base] = True
    tables: dict[int, _Table] = {}
    shares: dict[int, NDArray[np.int64]] = {}
    for v in range(nodes.n - 1, -1, -1):
        if not (inner[v] or is_cell[v]):
            continue
        own = int(loss[v])
        length = min(own, budget) + 1
        table = np.full(length, -np.inf)
        if inner[v]:
            right = int(nodes.right[v])
            table, shares[v] = _merge_subtrees(tables.pop(v + 1), tables.pop(right), length)
        if own <= budget:
            table[own] = gain[v]
        tables[v] = table
    root = tables[0]
    if np.isneginf(root[-1]):
        return None
    cells: list[int] = []
    stack = [(0, int(np.argmax(root == root[-1])))]
    while stack:
        v, given = stack.pop()
        if is_cell[v] or given >= loss[v]:
            cells.append(v)
            continue
        left = int(shares[v][given])
        stack += [(int(nodes.right[v]), given - left), (v + 1, left)]
    return np.array(cells, np.int64)


def _merge_subtrees(left: _Table, right: _Table, length: int) -> tuple[_Table, NDArray[np.int64]]:
    """Return the best of two subtrees together for budgets below `length`, and the left's share.

    Tables do not fall along budgets; what lies beyond the end of one equals its last entry.
    """
    swapped = len(left) > len(right)
    short, long = (right, left) if swapped else (left, right)
    if len(long) < length:
        long = np.append(long, np.full(length - len(long), long[-1]))
    best = np.full(length, -np.inf)
    share = np.zeros(length, np.int64)
    before = -np.inf
    for i, value in enumerate(short[:length].tolist()):
        if value == before:  # nothing is won by giving it more
            continue
        before = value
        candidate = value + long[: length - i]
        better = candidate > best[i:]
        best[i:][better] = candidate[better]
        share[i:][better] = i
    return best, np.arange(length) - share if swapped else share
