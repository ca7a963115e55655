"""A tree of classes: the two that lose least together become one, until none can."""

from __future__ import annotations

import numpy as np

from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.compile import kernel
from kanonym.kernels.partitioning.joining import level_with

NONE = -1
"""No node."""


@kernel
def joining_tree(
    codes: Int32s, levels: Ints, sizes: Ints, highest: Ints, costs: Costs, reach: int
) -> tuple[Ints, Ints]:
    """Join classes in pairs, those that add least to the loss first, until none is left to join.

    In each round, every node whose nearest is gone looks for the nearest again, and pairs are made
    in the order of what they add. Cost O(m reach d) a round; some 20 rounds.

    codes, levels: (m, d) int32 and int64: of a record of each class, and at which it is released;
        near classes are near each other.
    sizes: (m,) int64 records.
    highest: (d,) int64, the highest levels allowed.
    costs: The loss of every label; all attributes are of kind TREE.
    reach: A class looks at so many others on either side.
    Returns: (2 m, 2) int64, the two nodes that each node from m on is made of, -1 for classes; and
        (2 m,) int64, the place of the first class of each node in the order of the tree, -1 for
        nodes that do not exist.
    """
    m, d = codes.shape
    children = np.full((2 * m, 2), NONE, np.int64)
    heads = np.zeros((2 * m, d), np.int64)
    height = np.zeros((2 * m, d), np.int64)
    records = np.zeros(2 * m, np.int64)
    lost = np.zeros(2 * m)
    alive = np.zeros(2 * m, np.bool_)
    nearest = np.full(2 * m, NONE, np.int64)
    added = np.zeros(2 * m)
    for i in range(m):
        alive[i] = True
        records[i] = sizes[i]
        for a in range(d):
            heads[i, a] = codes[i, a]
            height[i, a] = levels[i, a]
            lost[i] += costs.losses[height[i, a], costs.attributes[a, 1] + heads[i, a]]
    nodes = np.arange(m)
    n_nodes = m
    while True:
        before = n_nodes
        for place in range(len(nodes)):
            i = nodes[place]
            if nearest[i] >= 0 and alive[nearest[i]]:
                continue
            nearest[i], added[i] = NONE, np.inf
            for other in range(max(0, place - reach), min(len(nodes), place + reach + 1)):
                j = nodes[other]
                if i == j:
                    continue
                so_far = records[i] * lost[i] + records[j] * lost[j]
                together = records[i] + records[j]
                most = (added[i] + so_far) / together
                if max(lost[i], lost[j]) >= most:
                    continue
                loss = 0.0
                for a in range(d):
                    level = level_with(
                        heads[i, a],
                        heads[j, a],
                        np.int64(a),
                        max(height[i, a], height[j, a]),
                        costs,
                    )
                    if level > highest[a]:
                        loss = np.inf
                        break
                    loss += costs.losses[level, costs.attributes[a, 1] + heads[i, a]]
                    if loss >= most:
                        break
                if loss < most:
                    nearest[i], added[i] = j, together * loss - so_far
        for place in np.argsort(added[nodes], kind="mergesort"):
            i = nodes[place]
            j = nearest[i]
            if j < 0 or not alive[i] or not alive[j]:
                continue
            alive[i] = alive[j] = False
            children[n_nodes] = i, j
            records[n_nodes] = records[i] + records[j]
            alive[n_nodes] = True
            for a in range(d):
                heads[n_nodes, a] = heads[i, a]
                height[n_nodes, a] = level_with(
                    heads[i, a], heads[j, a], np.int64(a), max(height[i, a], height[j, a]), costs
                )
                offset = costs.attributes[a, 1]
                lost[n_nodes] += costs.losses[height[n_nodes, a], offset + heads[n_nodes, a]]
            nodes[place] = n_nodes
            n_nodes += 1
        if n_nodes == before:
            break
        nodes = nodes[alive[nodes]]
    first = np.full(2 * m, NONE, np.int64)
    leaves = np.ones(n_nodes, np.int64)
    for node in range(m, n_nodes):
        leaves[node] = leaves[children[node, 0]] + leaves[children[node, 1]]
    start = np.int64(0)
    for root in nodes:
        first[root] = start
        start += leaves[root]
    for node in range(n_nodes - 1, m - 1, -1):
        one, other = children[node]
        first[one] = first[node]
        first[other] = first[node] + leaves[one]
    return children, first
