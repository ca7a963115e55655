"""What every cut through the hierarchy of items loses at least."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.itemsets.cut_search import CutSearch
from kanonym.kernels.itemsets.packing import pack

MOST = 2
"""Itemsets up to this size are looked at: larger ones cost more than they add."""


def least_loss(search: CutSearch, *, may_drop: bool) -> float:
    """Return a lower bound of the loss of any cut without rare itemsets.

    An item that fewer than k records have is raised to an ancestor of at least k occurrences, or
    dropped. Of two items that fewer than k records have together, one is raised or dropped. What
    such choices cost at least is a fractional packing of the rare itemsets, found greedily.
    """
    total = int(search.occurrences.sum())
    if not total:
        return 0.0
    needed = single_costs(search, may_drop=may_drop)
    base = search.occurrences * needed
    parents = search.tree.parents[: search.tree.n_items]
    raised = np.where(parents >= 0, search.tree.costs[parents], 1.0 if may_drop else np.inf)
    room = np.maximum(search.occurrences * raised - base, 0.0)
    bound = float(base.sum())
    if search.m >= MOST:
        mask = np.ones(search.tree.n_nodes, np.bool_)
        pairs = search.rare((search.offsets, search.items), MOST, mask)
        # The dearest first; ties by item, so that the order of the records has no part in it.
        ordered = np.lexsort((*pairs.T, -room[pairs].min(axis=1, initial=np.inf)))
        bound += float(pack(pairs[ordered], room))
    return min(bound / total, 1.0)


def single_costs(search: CutSearch, *, may_drop: bool) -> NDArray[np.float64]:
    """Return (n_items,) float64: the least cost of each item's label, for known single items."""
    tree, total = search.tree, np.append(0, np.cumsum(search.occurrences))
    held = total[tree.last + 1] - total[tree.first]
    node = np.arange(tree.n_items)
    while True:
        rare = (node >= 0) & (held[node] < search.k)
        if not rare.any():
            break
        node = np.where(rare, tree.parents[node], node)
    costs = np.where(node >= 0, tree.costs[node], 1.0)
    return np.minimum(costs, 1.0) if may_drop else costs
