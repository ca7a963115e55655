"""Classes that are too small join others."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria, Tuples, chain_satisfies
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.compile import Int, kernel, part
from kanonym.kernels.neighbours.kdtree import nearest, new_tree, rebuild, remove_points


@kernel
def merge_targets(centres: Floats, weights: Floats, sizes: Ints, k: int) -> Ints:
    """Join each class of fewer than k records with the class of the nearest centre.

    The smallest class goes first, of equal ones the first. It joins the class whose centre is
    nearest, of equally near ones the first, and that class keeps its centre. Cost O(n_classes (d
    log n_classes + k)) in few attributes.

    centres: (n_classes, d) float64, d at least 1.
    weights: (d,) float64, at least 0: what a squared difference counts in a distance.
    sizes: (n_classes,) int64 records of each class, at least 1 each and k together.
    k: At least 1. Returns: (n_classes,) int64, the class that each one ends in; a class that nobody
        left is its own.
    """
    n, d = centres.shape
    into = np.arange(n)
    left = sizes.copy()
    tree = new_tree(centres, weights)
    rebuild(tree)
    n_left = built = n
    leaving = np.empty(1, np.int64)
    found = np.empty(1, np.int64)
    centre = np.empty(d)
    while True:
        smallest = np.int64(k)
        for i in range(n):
            if into[i] == i:
                smallest = min(smallest, left[i])
        if smallest >= k:
            break
        for i in range(n):
            if into[i] != i or left[i] != smallest:
                continue
            if 2 * n_left <= built:
                rebuild(tree)
                built = n_left
            leaving[0] = i
            remove_points(tree, leaving)
            n_left -= 1
            for a in range(d):
                centre[a] = centres[i, a]
            nearest(tree, centre, found)
            into[i] = found[0]
            left[found[0]] += left[i]
    for i in range(n):
        last = into[i]
        while into[last] != last:
            last = into[last]
        into[i] = last
    return into


@kernel
def nearest_centres(points: Floats, centres: Floats, weights: Floats) -> Ints:
    """Return (n,) int64: the nearest of (n_centres, d) centres to each of (n, d) points.

    weights: (d,) as of `merge_targets`. Of equally near ones the first. Cost O(n · n_centres · d).
    """
    found = np.zeros(len(points), np.int64)
    for i in range(len(points)):
        best = math.inf
        for c in range(len(centres)):
            distance = 0.0
            for a in range(len(weights)):
                gap = points[i, a] - centres[c, a]
                distance += gap * gap * weights[a]
            if distance < best:
                best = distance
                found[i] = c
    return found


class Members(NamedTuple):
    """Classes, as they grow.

    heads: (n_classes,) int64, a tuple of each.
    following: (n,) int64, the next tuple of the same class; -1 after the last.
    levels: (n_classes, d) int64, at which each releases its values.
    sizes: (n_classes,) int64 records.
    highest: (d,) int64, the highest levels allowed.
    """

    heads: Ints
    following: Ints
    levels: Ints
    sizes: Ints
    highest: Ints


@part
def level_with(one: Int, other: Int, a: Int, level: Int, costs: Costs) -> Int:
    """Return the first level from `level` on at which two codes of attribute a are one."""
    offset = costs.attributes[a, 1]
    while costs.ancestors[level, offset + one] != costs.ancestors[level, offset + other]:
        level += 1
    return level


@part
def _comes_before(one: Int, other: Int, codes: Int32s) -> bool:
    """Say whether a tuple comes before another by their codes, attribute by attribute."""
    for a in range(codes.shape[1]):
        if codes[one, a] != codes[other, a]:
            return bool(codes[one, a] < codes[other, a])
    return False


@kernel
def join_nearest(
    tuples: Tuples,
    left: Ints,
    members: Members,
    order: Ints,
    costs: Costs,
    criteria: Criteria,
    limit: float,
    reach: int,
) -> Ints:
    """Let tuples join classes one after the other, each where that adds least to the loss.

    The joined class must satisfy the criteria. All of its records then stand at the first levels
    that they share with the tuple. Of equally near ones, the first in `order` is taken.

    tuples: All of the table.
    left: (m,) int64, those without a class; those of equal sensitive values side by side.
    members: The classes; they are changed.
    order: (n_classes,) int64, the classes by the codes of their first tuples.
    costs: The loss of every label; all attributes are of kind TREE.
    criteria: What a class must satisfy.
    limit: Most loss that a record may add, in the attributes together.
    reach: So many neighbours in `order` are looked at on either side. Returns: (m,) int64, the
        class that each joined, -1 for those that joined none.
    """
    n_classes, d = members.levels.shape
    heads, levels, sizes = members.heads, members.levels, members.sizes
    following = members.following
    counts = np.zeros(criteria.references.shape[2], np.int64)
    joined = np.full(len(left), -1, np.int64)
    codes = np.empty((n_classes, d), np.int32)
    losses = np.zeros(n_classes)
    for c in range(n_classes):
        for a in range(d):
            codes[c, a] = tuples.codes[heads[c], a]
            losses[c] += costs.losses[levels[c, a], costs.attributes[a, 1] + codes[c, a]]
    # From so many records of the present sensitive values on, a class is known to refuse.
    refused = np.full(n_classes, np.iinfo(np.int64).max, np.int64)
    for x in range(len(left)):
        i = left[x]
        weight = tuples.weights[i]
        if x > 0:
            for j in range(tuples.secrets.shape[1]):
                if tuples.secrets[i, j] != tuples.secrets[left[x - 1], j]:
                    refused[:] = np.iinfo(np.int64).max
        start, stop = 0, n_classes
        if 2 * reach < n_classes:
            low, high = 0, n_classes
            while low < high:
                middle = (low + high) // 2
                if _comes_before(heads[order[middle]], i, tuples.codes):
                    low = middle + 1
                else:
                    high = middle
            start = max(0, min(low - reach, n_classes - 2 * reach))
            stop = start + 2 * reach
        nearest = np.int64(-1)
        least = weight * limit * (1 + 1e-12)
        for y in range(start, stop):
            c = order[y]
            if weight >= refused[c] or weight * losses[c] >= least:
                continue
            # The loss of the joined class's label that would add as much as the nearest does.
            most = (least + sizes[c] * losses[c]) / (sizes[c] + weight)
            loss = 0.0
            for a in range(d):
                level = level_with(
                    np.int64(codes[c, a]),
                    np.int64(tuples.codes[i, a]),
                    np.int64(a),
                    levels[c, a],
                    costs,
                )
                if level > members.highest[a]:
                    loss = np.inf
                    break
                loss += costs.losses[level, costs.attributes[a, 1] + codes[c, a]]
                if loss > most:
                    break
            added = sizes[c] * (loss - losses[c]) + weight * loss
            if loss > most or not added < least:
                continue
            following[i] = heads[c]
            if chain_satisfies(i, following, tuples, criteria, counts):
                nearest, least = c, added
            else:
                refused[c] = weight
        following[i] = -1
        if nearest < 0:
            continue
        joined[x] = nearest
        sizes[nearest] += weight
        refused[nearest] = np.iinfo(np.int64).max
        losses[nearest] = 0.0
        for a in range(d):
            code = codes[nearest, a]
            levels[nearest, a] = level_with(
                np.int64(code), np.int64(tuples.codes[i, a]), np.int64(a), levels[nearest, a], costs
            )
            losses[nearest] += costs.losses[levels[nearest, a], costs.attributes[a, 1] + code]
        # The head stays, for `order` was made by it.
        following[i] = following[heads[nearest]]
        following[heads[nearest]] = i
    return joined


NONE = -1
"""No node."""


@kernel
def joining_tree(
    codes: Int32s, levels: Ints, sizes: Ints, highest: Ints, costs: Costs, reach: int
) -> tuple[Ints, Ints]:
    """Join classes in pairs, those that add least to the loss first, until none is left to join.

    In each round, every node whose nearest is gone looks for the nearest again, and pairs are made
    in the order of what they add.

    codes, levels: (m, d) int32 and int64: of a record of each class, and at which it is released;
        near classes are near each other.
    sizes: (m,) int64 records.
    highest: (d,) int64, the highest levels allowed.
    costs: The loss of every label; all attributes are of kind TREE.
    reach: A class looks at so many others on either side. Returns: (2 m, 2) int64, the two nodes
        that each node from m on is made of, -1 for classes; and (2 m,) int64, the place of the
        first class of each node in the order of the tree, -1 for nodes that do not exist.
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
