"""Classes that are too small join others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np

from kanonym.algorithms.full_domain.space import SearchSpace
from kanonym.data.errors import InfeasibleError
from kanonym.data.partition import SUPPRESSED
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria, Tuples
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.classes.histograms import Costs, class_bounds
from kanonym.kernels.partitioning.joining import (
    Members,
    join_nearest,
    joining_tree,
    merge_targets,
    nearest_centres,
)
from kanonym.metrics.certainty import certainty_costs, weighted_costs
from kanonym.metrics.information_loss.base import attribute_weights
from kanonym.recoding.recode import renumber_groups

EFFORT = 1 << 31
"""So many pairs of a tuple and a class are looked at in one round, at the most."""

PAIRS = 1 << 23
"""About half as many pairs of classes are looked at in a round of their tree, at the most."""

STAGES = 3
"""So often the loss doubles between the first round of joining and the last."""


def tree_costs(table: EncodedTable, weights: Mapping[str, float]) -> Costs:
    """Return what labels lose (NCP), times the weight of their attribute, 1 at the most."""
    domains = table.domains
    costs = certainty_costs(domains, ["hierarchy"] * len(domains))
    return weighted_costs(costs, attribute_weights(table, weights))


def highest_cost(costs: Costs) -> float:
    """Return what a record loses at the root of every hierarchy."""
    return float(costs.losses.max(axis=0, initial=0.0)[costs.attributes[:, 1]].sum())


def levels_of(space: SearchSpace, labels: Int32s, n_classes: int) -> Int32s:
    """Return (n_classes, d) int32: the lowest levels allowed at which each has one label."""
    low, high = class_bounds(labels, space.table.codes, n_classes)
    levels = np.empty_like(low)
    for a, tree in enumerate(space.trees):
        levels[:, a] = np.maximum(tree.meet(low[:, a], high[:, a]), space.lowest[a])
    return levels


def class_losses(table: EncodedTable, labels: Int32s, levels: Int32s, costs: Costs) -> Floats:
    """Return (n_classes,) what a record of each class loses, in the attributes together."""
    heads = _first_tuples(labels, len(levels))
    losses = np.zeros(len(levels))
    for a, offset in enumerate(costs.attributes[:, 1].tolist()):
        losses += costs.losses[levels[:, a], offset + table.codes[heads, a]]
    return losses


def sweep_stages(table: EncodedTable, nodes: Ints, costs: Costs) -> Iterator[tuple[int, float]]:
    """Yield how far a sweep goes before tuples join classes, and the most that one may lose.

    nodes: (m, d) in the order of the sweep. Each stage ends before a record could lose
    twice as much by a class of its own as in the stage before.
    """
    records = table.weights / max(int(table.weights.sum()), 1)
    lost = np.zeros(len(nodes))
    for a, offset in enumerate(costs.attributes[:, 1].tolist()):
        by_level = costs.losses[:, offset + table.codes[:, a]] @ records
        lost += by_level[nodes[:, a]]
    lost = np.maximum.accumulate(lost)
    for stage in reversed(range(STAGES + 1)):
        limit = float(lost[-1]) / 2**stage
        yield int(np.searchsorted(lost, limit, side="right")), limit


def join_classes(
    space: SearchSpace, labels: Int32s, costs: Costs, criteria: Criteria, limit: float
) -> None:
    """Let tuples without a class join those that can bear them; labels are changed.

    limit: most loss that a record may add, in the attributes together.
    """
    table = space.table
    left = np.flatnonzero((labels == SUPPRESSED) & (table.weights > 0))
    if table.sensitive and len(criteria.thresholds):
        secrets = [
            table.sensitive_codes[left, j] + np.int32(1) for j in range(len(table.sensitive))
        ]
        alike = group_rows(secrets, [domain.size + 1 for domain in table.sensitive])
        left = left[np.argsort(alike.labels, kind="stable")]
    n_classes = int(labels.max()) + 1
    levels = levels_of(space, labels, n_classes).astype(np.int64)
    heads = _first_tuples(labels, n_classes)
    kept = labels >= 0
    sizes = np.bincount(labels[kept], table.weights[kept], n_classes).astype(np.int64)
    members = Members(heads, _next_tuples(labels), levels, sizes, space.highest)
    order = np.lexsort(table.codes[heads].T[::-1])
    tuples = Tuples(table.codes, table.sensitive_codes, table.weights)
    reach = max(1, EFFORT // (2 * len(left)))
    joined = join_nearest(tuples, left, members, order, costs, criteria, limit, reach)
    labels[left] = joined


def tree_of_classes(space: SearchSpace, labels: Int32s, costs: Costs) -> tuple[Ints, Ints]:
    """Return the tree of classes by what they lose together, as `joining_tree` does."""
    table, n_classes = space.table, int(labels.max()) + 1
    codes = table.codes[_first_tuples(labels, n_classes)]
    levels = levels_of(space, labels, n_classes).astype(np.int64)
    kept = labels >= 0
    sizes = np.bincount(labels[kept], table.weights[kept], n_classes).astype(np.int64)
    order = np.lexsort(codes.T[::-1])
    place = np.append(order, np.arange(n_classes, 2 * n_classes))
    reach = max(1, PAIRS // n_classes)
    children, first = joining_tree(
        codes[order], levels[order], sizes[order], space.highest, costs, reach
    )
    in_order = np.empty_like(first)
    in_order[place] = first
    return np.where(children < 0, children, place[children]), in_order


def _first_tuples(labels: Int32s, n_classes: int) -> Ints:
    """Return (n_classes,) int64: the first tuple of each class."""
    heads = np.empty(n_classes, np.int64)
    kept = np.flatnonzero(labels >= 0)[::-1]
    heads[labels[kept]] = kept
    return heads


def _next_tuples(labels: Int32s) -> Ints:
    """Return (n,) int64: the next tuple of the same class, -1 after the last."""
    following = np.full(len(labels), -1, np.int64)
    order = np.argsort(labels, kind="stable")
    same = (labels[order[1:]] == labels[order[:-1]]) & (labels[order[1:]] >= 0)
    following[order[:-1][same]] = order[1:][same]
    return following


Small = Literal["merge", "move"]
Groups = Int32s | None


def merge_small_classes(
    points: Floats,
    weights: Floats,
    counts: Ints,
    classes: tuple[Int32s, Groups],
    k: int,
    small: Small = "merge",
) -> tuple[Int32s, Groups]:
    """Leave no class of fewer than k records.

    The centre of a class is the mean of its records or, column by column, of its groups'; it stays
    where it is while others join.

    points: (n, d) float64, places of records.
    weights: (d,) float64, what a squared difference counts in a distance.
    counts: (n,) int64 records at each point, k together at least.
    classes: (n,) int32 class of each point, from 0, none empty; and (n_classes, d) int32 groups as
        of `Partition`, or None.
    """
    labels, groups = classes
    sizes = np.bincount(labels, counts).astype(np.int64)
    if sizes.min(initial=k) >= k:
        return classes
    centres = np.empty((len(sizes), points.shape[1]))
    for a in range(points.shape[1]):
        own = np.arange(len(sizes)) if groups is None else groups[:, a]
        held = own[labels]
        means = np.bincount(held, points[:, a] * counts) / np.bincount(held, counts)
        centres[:, a] = means[own]
    kept: Ints
    if small == "merge":
        kept = merge_targets(centres, weights, sizes, k)[labels]
    else:
        large = np.flatnonzero(sizes >= k)
        if not len(large):
            raise InfeasibleError(
                f"no class has {k} records for those of smaller classes to move to: the largest "
                f"has {sizes.max()}. Use fewer clusters, or merge classes (small: merge)"
            )
        kept = labels.astype(np.int64)
        moving = sizes[labels] < k
        kept[moving] = large[nearest_centres(points[moving], centres[large], weights)]
    used, numbers = np.unique(kept, return_inverse=True)
    return numbers.astype(np.int32), None if groups is None else renumber_groups(groups[used])
