"""Sets of items in plain Python: cuts, candidates of known items, and small trees for tests."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import polars as pl

from kanonym.data.hierarchy import Hierarchy
from kanonym.data.item_sets import ItemTree

CODES = {"a1": ["A", "*"], "a2": ["A", "*"], "b1": ["B", "*"], "b2": ["B", "*"], "b3": ["B", "*"]}
"""Items with the labels above them."""


def hierarchy_of(paths, name="items"):
    """Return a hierarchy of items with the labels above each; short paths repeat the item."""
    longest = max(map(len, paths.values()))
    rows = [[item] * (longest - len(above) + 1) + list(above) for item, above in paths.items()]
    labels, codes = [], []
    for level in range(longest + 1):
        texts = list(dict.fromkeys(row[level] for row in rows))
        labels.append(tuple(texts))
        codes.append([texts.index(row[level]) for row in rows])
    values = pl.Series(name, labels[0], dtype=pl.String)
    return Hierarchy(values, tuple(labels), np.array(codes, np.int32))


def paths_of(tree, above=()):
    """Return the items of a nested mapping with the labels above each, nearest first."""
    found = {}
    for label, below in tree.items():
        found |= {label: list(above)} if below is None else paths_of(below, (label, *above))
    return found


def tree_of(*several):
    """Return the tree of several attributes, each given as items with the labels above them."""
    return ItemTree.of(
        [(f"set {i}", hierarchy_of(paths, f"set {i}")) for i, paths in enumerate(several)]
    )


def rows_of(offsets, nodes):
    """Return the sets of CSR arrays as frozensets."""
    return [frozenset(nodes[a:b].tolist()) for a, b in pairwise(offsets)]


def arrays_of(rows):
    """Return sets as CSR arrays."""
    offsets = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int64)
    return offsets, np.array([one for row in rows for one in sorted(row)], np.int32)


def above(tree, node):
    """Return a node and all labels above it."""
    found = []
    while node >= 0:
        found.append(node)
        node = int(tree.parents[node])
    return found


def candidates(tree, rows, known):
    """Return how many sets of labels have each known item, or a label above it."""
    return sum(all(set(above(tree, item)) & row for item in known) for row in rows)


def rare(tree, rows, k, m):
    """Return known items that have candidates, fewer than k, with how many."""
    counted = {
        known: candidates(tree, rows, known)
        for size in range(1, m + 1)
        for known in combinations(range(tree.n_items), size)
    }
    return {known: number for known, number in counted.items() if 0 < number < k}


def cuts(tree, *, may_drop):
    """Return every cut: the label of each item, -1 where it is dropped."""

    def below(node):
        if node < tree.n_items:
            return [(node,), (-1,)] if may_drop else [(node,)]
        whole = (node,) * int(tree.covered[node])
        parts = product(*(below(child) for child in tree.children[node].tolist()))
        return [whole, *(sum(one, ()) for one in parts)]

    roots = np.flatnonzero(tree.parents < 0).tolist()
    roots.sort(key=lambda node: tree.first[node])
    return [np.array(sum(one, ()), np.int32) for one in product(*map(below, roots))]


def recoded(rows, cut):
    """Return the sets that a cut releases."""
    return [frozenset(int(cut[item]) for item in row if cut[item] >= 0) for row in rows]


def loss(tree, rows, cut):
    """Return the NCP of a cut over all occurrences of items, dropped ones 1."""
    costs = [1.0 if cut[i] < 0 else float(tree.costs[cut[i]]) for row in rows for i in row]
    return sum(costs) / len(costs) if costs else 0.0


def divisions(part):
    """Return every division of a part of a tree of halves: lists of groups of classes."""
    whole = [[frozenset(part.classes.tolist())]]
    if not part.halves:
        return whole
    return whole + [one + other for one, other in product(*map(divisions, part.halves))]
