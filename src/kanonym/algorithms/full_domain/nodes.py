"""What a node of the lattice is worth: its classes asked by models, its loss by the metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kanonym.algorithms.full_domain.space import SearchSpace
from kanonym.data.partition import SUPPRESSED, Classes, Distribution
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.disclosure import TOLERANCE
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.classes.histograms import class_histograms
from kanonym.metrics.information_loss import Generalized
from kanonym.models import AverageRisk, SampleUniqueness, WholeTable
from kanonym.models.base import PrivacyModel, whole_table_models


def suppress_prefix(
    models: Sequence[WholeTable], sizes: Ints, kept: Bools, losses: Floats, budget: int
) -> Bools | None:
    """Suppress the smallest kept classes, until every model of the whole table holds.

    The kept classes stand in a fixed order: by size, then by what they lose, then as given. The
    shortest prefix goes with which all models hold. Of the average risk and of sample uniqueness
    every prefix is looked at in one pass: both fall along the order. Population uniqueness need not
    fall, and is sought by bisection between no suppression and all that the budget allows, so that
    a shorter prefix may exist. The order is that of ARX (RiskBasedCriterion), which reads "what a
    class loses" as the metric of its size times its shares. Deviation: ARX bisects over all
    classes.

    sizes: (n_classes,) int64 numbers of records. Classes of none stay as they are.
    kept: (n_classes,) bool, the classes that are not suppressed yet; not changed.
    losses: (n_classes,) float64, what each class loses as a whole (`class_losses` of a metric): of
        equal classes the one that loses least goes first.
    Returns: (n_classes,) bool, the classes that are kept now; None where the budget is too small.
    """
    live = np.flatnonzero(kept & (sizes > 0))
    if all(model.holds(sizes[live]) for model in models):
        return kept.copy()
    order = live[np.lexsort((losses[live], sizes[live]))]
    ascending = sizes[order]
    gone = np.concatenate([[0], np.cumsum(ascending)])
    longest = int(np.searchsorted(gone, budget, side="right")) - 1
    shortest = 0
    searched = []
    for model in models:
        values = _values_by_prefix(model, ascending, gone)
        if values is None:
            searched.append(model)
        else:
            shortest = max(shortest, int(np.argmax(values <= model.required + TOLERANCE)))
    if shortest > longest:
        return None

    def hold(length: int) -> bool:
        return all(model.holds(ascending[length:]) for model in searched)

    if not hold(shortest):
        if shortest == longest or not hold(longest):
            return None
        too_short, shortest = shortest, longest
        while shortest - too_short > 1:
            middle = (too_short + shortest) // 2
            if hold(middle):
                shortest = middle
            else:
                too_short = middle
    result = kept.copy()
    result[order[:shortest]] = False
    return result


def _values_by_prefix(model: WholeTable, ascending: Ints, gone: Ints) -> Floats | None:
    """Return (n_classes + 1,) float64: the model's value without the first 0, 1, ... classes."""
    lengths = np.arange(len(gone))
    if isinstance(model, AverageRisk):
        counted = len(ascending) - lengths
    elif isinstance(model, SampleUniqueness):
        counted = np.maximum(int((ascending == 1).sum()) - lengths, 0)
    else:
        return None
    values: Floats = counted / np.maximum(gone[-1] - gone, 1)
    return values


@dataclass(frozen=True, slots=True)
class EvaluatedNode:
    """One node of the lattice and what it is worth."""

    levels: tuple[int, ...]
    score: float
    suppressed: int
    classes: int
    satisfied: bool
    achieved: tuple[float, ...]


class Node(NamedTuple):
    """The classes of a node as models ask them: those of records only."""

    generalized: Generalized
    classes: Classes


def classes_of_node(
    space: SearchSpace,
    levels: Ints,
    labels: Int32s,
    totals: Ints,
    histograms: Iterable[tuple[Ints, Int32s, Ints]],
) -> Node:
    """Gather the classes of a node.

    levels: (d,) in the table's order.
    labels, totals: (n_classes, d) labels in the table's order, (n_classes, 2) records and records
    of the population.
    """
    sizes = totals[:, 0].copy()
    distributions = {
        domain.name: Distribution(*found, table, ancestors)
        for domain, found, (table, ancestors) in zip(
            space.table.sensitive, histograms, space.references, strict=True
        )
    }
    population = None if space.table.population is None else totals[:, 1].copy()
    everything = np.ones(len(sizes), np.bool_)
    return Node(
        Generalized(levels, labels, sizes, everything), Classes(sizes, distributions, population)
    )


def judge(space: SearchSpace, node: Node) -> Bools | None:
    """Return (n_classes,) bool: the classes that are kept, or None where the node fails.

    Classes that fail a model are suppressed whole, if they hold no more records than
    may be; where the space has `steps`, so are all others of no more records than they have.
    Models over the whole table come after them: the smallest classes that are
    left go, those of less loss first where sizes are equal, and of smaller labels where
    losses are, as long as the models fail and the limit allows it. Classes are compared
    with the distribution of the whole table, suppressed records included.
    """
    kept, met = _suppress(space, node)
    return kept if met else None


def may_hold(space: SearchSpace, node: Node) -> bool:
    """Say whether a node or one below it may satisfy the models.

    Models that only get worse further down leave none a chance where the node fails them.
    """
    sizes, population = node.classes.sizes, node.classes.population
    kept = sizes >= space.required[0]
    if population is not None:
        kept &= population >= space.required[1]
    whole = whole_table_models(space.checks)
    for model in space.checks:
        if model.guarantee != "whole table":
            kept &= model.satisfied(node.classes) | (sizes == 0)
    budget = space.budget - int(sizes[~kept].sum())
    if budget < 0:
        return False
    if not whole:
        return True
    losses = np.zeros(len(sizes))
    return suppress_prefix(whole, sizes, kept, losses, budget) is not None


def _suppress(space: SearchSpace, node: Node) -> tuple[Bools, bool]:
    """Return which classes are kept, and whether the node then satisfies the models."""
    sizes = node.classes.sizes
    kept = sizes > 0
    met = True
    failing = np.zeros(len(sizes), np.bool_)
    for model in space.models:
        if model.guarantee != "whole table":
            satisfied = model.satisfied(node.classes)
            # Nobody can suppress the records that only the population has.
            met &= bool(satisfied[sizes == 0].all())
            kept &= satisfied
            if model.attribute is not None:
                failing |= ~satisfied
    if space.steps is not None:
        kept &= sizes >= _least_size(sizes[failing], space)
    suppressed = int(sizes[~kept].sum())
    if suppressed > space.budget:
        return kept, False
    whole = whole_table_models(space.models)
    if met and whole:
        losses = space.metric.class_losses(node.generalized)
        left = suppress_prefix(whole, sizes, kept, losses, space.budget - suppressed)
        if left is None:
            return kept, False
        _settle_ties(left, kept, sizes, losses, node.generalized.labels)
        return left, True
    return kept, met


def _least_size(failing: Ints, space: SearchSpace) -> float:
    """Return from which size on classes are kept, of those that fail for their values none.

    It is a power of the root of 2, times the required size, and some steps above what is needed.
    """
    required = max(int(space.required[0]), 1)
    over = max(int(failing.max(initial=0)) + 1, required) / required
    if over == 1 and not space.steps:
        return required
    return required * math.sqrt(2) ** (math.ceil(2 * math.log2(over)) + (space.steps or 0))


def _settle_ties(left: Bools, kept: Bools, sizes: Ints, losses: Floats, labels: Int32s) -> None:
    """Let those of the smallest labels go, of classes that are alike, some of which have to."""
    gone = np.flatnonzero(kept & ~left)
    if not len(gone):
        return
    last = gone[np.lexsort((losses[gone], sizes[gone]))[-1]]
    tied = np.flatnonzero(kept & (sizes == sizes[last]) & (losses == losses[last]))
    n_gone = int((~left[tied]).sum())
    if n_gone < len(tied):
        left[tied] = True
        left[tied[np.lexsort(labels[tied].T[::-1])[:n_gone]]] = False


def score_of(space: SearchSpace, node: Node, kept: Bools) -> float:
    """Return the metric's score with some classes kept."""
    return space.metric.score(replace(node.generalized, kept=kept))


def group_at_levels(space: SearchSpace, levels: Ints) -> tuple[Node, Int32s]:
    """Return a node from the table itself, and the (n_tuples,) int32 class of each tuple."""
    table = space.table
    columns, sizes = [], []
    for a, tree in enumerate(space.trees):
        level = int(levels[a])
        columns.append(tree.codes[level].take(table.codes[:, a]))
        sizes.append(len(tree.labels[level]))
    groups = group_rows(columns, sizes)
    totals = np.zeros((len(groups.sizes), 2), np.int64)
    totals[:, 0] = np.bincount(groups.labels, table.weights, len(groups.sizes))
    if table.population is not None:
        totals[:, 1] = np.bincount(groups.labels, table.population, len(groups.sizes))
    histograms = [
        class_histograms(
            groups.labels,
            np.ascontiguousarray(table.sensitive_codes[:, j]),
            table.weights,
            len(totals),
            domain.size,
        )
        for j, domain in enumerate(table.sensitive)
    ]
    return classes_of_node(space, levels, groups.codes, totals, histograms), groups.labels


def evaluate(space: SearchSpace, nodes: Sequence[Sequence[int]]) -> Iterator[EvaluatedNode]:
    """Yield what nodes are worth, one grouping of the table each."""
    for levels in nodes:
        node, _ = group_at_levels(space, np.array(levels, np.int64))
        yield evaluate_node(space, node)


def evaluate_node(space: SearchSpace, node: Node) -> EvaluatedNode:
    """Return what a node is worth, whether it satisfies the models or not."""
    kept, met = _suppress(space, node)
    sizes = node.classes.sizes
    return EvaluatedNode(
        levels=tuple(node.generalized.levels.tolist()),
        score=score_of(space, node, kept),
        suppressed=int(sizes[~kept].sum()),
        classes=int(kept.sum()),
        satisfied=met,
        achieved=achieved_values(space.models, node.classes, kept),
    )


def achieved_values(
    models: Sequence[PrivacyModel], classes: Classes, kept: Bools
) -> tuple[float, ...]:
    """Return what each model achieves over the kept classes."""
    part = kept_classes(classes, kept)
    return tuple(float(model.achieved(part)) for model in models)


def kept_classes(classes: Classes, kept: Bools) -> Classes:
    """Return the kept classes alone; they are compared with the table as before."""
    distributions = {}
    for name, distribution in classes.distributions.items():
        lengths = np.diff(distribution.offsets)
        entries = np.repeat(kept, lengths)
        offsets = np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.int64)
        distributions[name] = Distribution(
            offsets,
            distribution.values[entries],
            distribution.counts[entries],
            distribution.table,
            distribution.ancestors,
        )
    population = None if classes.population is None else classes.population[kept]
    return Classes(classes.sizes[kept], distributions, population)


def labels_of_tuples(kept: Bools, class_of: Int32s) -> Int32s:
    """Return (n_tuples,) int32: kept classes counted from 0, `SUPPRESSED` for the others."""
    place = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    place[~kept] = SUPPRESSED
    return place[class_of]
