"""Slow, obvious twins: the lattice, its search and its sweep."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from kanonym.kernels.risk.population import ESTIMATORS
from kanonym.metrics.information_loss import Metric, Weighted
from kanonym.models import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationUniqueness,
    PrivacyModel,
    SampleUniqueness,
    TCloseness,
    WholeTable,
)
from twins import classes as naive
from twins import metrics as naive_metrics
from twins.metrics import Node, Record, Tree
from twins.mondrian import Requirement, Row, at_most, records, secrets

Levels = tuple[int, ...]
Groups = dict[Record, list[Row]]


@dataclass(frozen=True)
class Problem:
    """What a search is asked.

    Attributes
    ----------
    rows
        Tuples of the table; those of weight 0 are of the population alone.
    persons
        Records of the population in each tuple, or None.
    trees
        The hierarchy of every attribute.
    requirement
        The models, the names of the sensitive attributes and their trees.
    metric, weights
        What is minimized; one weight an attribute, the largest of them 1.
    budget
        Most records that may be suppressed.
    lowest, highest
        The levels allowed.

    """

    rows: list[Row]
    persons: list[int] | None
    trees: list[Tree]
    requirement: Requirement
    metric: Metric
    weights: list[Fraction]
    budget: int
    lowest: Levels
    highest: Levels

    @property
    def models(self) -> Sequence[PrivacyModel]:
        """The models, in their order."""
        return self.requirement.models

    def lattice(self) -> Iterator[Levels]:
        """Yield every node, by levels."""
        bounds = zip(self.lowest, self.highest, strict=True)
        yield from product(*(range(low, high + 1) for low, high in bounds))

    def labels(self, levels: Levels, codes: Record) -> Record:
        """Return the labels of a tuple at a node."""
        parts = zip(self.trees, levels, codes, strict=True)
        return tuple(tree[level][leaf] for tree, level, leaf in parts)

    def groups(self, levels: Levels) -> Groups:
        """Return the rows of every class."""
        found: Groups = {}
        for row in self.rows:
            found.setdefault(self.labels(levels, row.codes), []).append(row)
        return dict(sorted(found.items()))

    def persons_of(self, levels: Levels) -> dict[Record, int]:
        """Return the records of the population in every class."""
        found: dict[Record, int] = {}
        for row, count in zip(self.rows, self.persons or [0] * len(self.rows), strict=True):
            labels = self.labels(levels, row.codes)
            found[labels] = found.get(labels, 0) + count
        return found


class Worth(NamedTuple):
    """What a node is worth.

    `lost` are the labels of suppressed classes; `vague` says that which of them go depends
    on two numbers that are equal but for rounding.
    """

    levels: Levels
    score: float
    suppressed: int
    classes: int
    satisfied: bool
    achieved: tuple[float, ...]
    lost: frozenset[Record]
    vague: bool

    @property
    def rank(self) -> tuple[float, int, Levels]:
        """What is compared: the score, then the height, then the levels."""
        return self.score, sum(self.levels), self.levels


def every_node(problem: Problem) -> dict[Levels, Worth]:
    """Return what every node is worth."""
    return {levels: worth(problem, levels) for levels in problem.lattice()}


def best(problem: Problem) -> Worth | None:
    """Return the best node, None where no node satisfies the models."""
    satisfied = [one for one in every_node(problem).values() if one.satisfied]
    return min(satisfied, key=lambda one: one.rank, default=None)


def worth(problem: Problem, levels: Levels) -> Worth:
    """Return what a node is worth, whether it satisfies the models or not."""
    groups, persons = problem.groups(levels), problem.persons_of(levels)
    sizes = {labels: records(rows) for labels, rows in groups.items()}
    by_class = [one for one in problem.models if not isinstance(one, WholeTable)]
    failing = {
        labels
        for labels, rows in groups.items()
        if not all(holds(problem, model, rows, persons[labels]) for model in by_class)
    }
    lost = {labels for labels in failing if sizes[labels]}
    suppressed = sum(sizes[labels] for labels in lost)
    budget = problem.budget if all(model.suppressible for model in problem.models) else 0
    satisfied = suppressed <= budget and lost == failing
    vague = False
    if satisfied:
        more, vague = smallest_first(problem, levels, sizes, lost, budget - suppressed)
        satisfied = more is not None
        lost |= more or set()
    kept = [labels for labels in groups if sizes[labels] and labels not in lost]
    return Worth(
        levels,
        score(problem, levels, frozenset(lost)),
        sum(sizes[labels] for labels in lost),
        len(kept),
        satisfied,
        tuple(
            achieved(problem, model, [(groups[labels], persons[labels]) for labels in kept])
            for model in problem.models
        ),
        frozenset(lost),
        vague,
    )


# --- models ------------------------------------------------------------------


def holds(problem: Problem, model: PrivacyModel, rows: Sequence[Row], persons: int) -> bool:
    """Say whether a class satisfies a model; one without a record satisfies those of values."""
    if isinstance(model, DeltaPresence):
        if not persons:
            return False
        share = Fraction(records(rows), persons)
        return at_most(model.minimum, float(share)) and at_most(float(share), model.maximum)
    if not records(rows):
        return True
    if isinstance(model, KMap):
        return persons >= model.k
    return problem.requirement.asked(model, rows)


def measured(model: WholeTable, sizes: Sequence[int]) -> float:
    """Return what a model of the whole table measures of classes of some sizes."""
    if not sizes:
        return 0.0
    if isinstance(model, AverageRisk):
        return len(sizes) / sum(sizes)
    if isinstance(model, SampleUniqueness):
        return sizes.count(1) / sum(sizes)
    assert isinstance(model, PopulationUniqueness)
    return estimated(model, sizes)


def estimated(model: PopulationUniqueness, sizes: Sequence[int]) -> float:
    """Return the estimated share of population uniques, infinite without an estimate."""
    import numpy as np

    distinct = sorted(set(sizes))
    counts = [list(sizes).count(size) for size in distinct]
    uniques = ESTIMATORS[model.estimator](np.array(distinct), np.array(counts), model.population)
    return math.inf if math.isnan(uniques) else uniques / model.population


def smallest_first(
    problem: Problem, levels: Levels, sizes: dict[Record, int], lost: set[Record], budget: int
) -> tuple[set[Record] | None, bool]:
    """Return which classes go until models of the whole table hold, None if they never do.

    Of population uniqueness not every prefix is looked at, but those of a bisection.
    """
    whole = [model for model in problem.models if isinstance(model, WholeTable)]
    order = sorted(
        (size, class_loss(problem.metric, problem, levels, labels, size)[0], labels)
        for labels, size in sizes.items()
        if size and labels not in lost
    )
    ascending = [size for size, _, _ in order]

    def hold(length: int) -> bool:
        return all(at_most(measured(one, ascending[length:]), one.required) for one in whole)

    def vague(length: int) -> bool:
        if not 0 < length < len(order):
            return False
        (size, loss, labels), (size2, loss2, labels2) = order[length - 1 : length + 1]
        parts = [
            class_loss(problem.metric, problem, levels, one, size)[1] for one in (labels, labels2)
        ]
        alike = math.isclose(loss, loss2, rel_tol=1e-12)
        return size == size2 and alike and parts[0] != parts[1]

    possible = [i for i in range(len(order) + 1) if sum(ascending[:i]) <= budget]
    falling = [one for one in whole if not isinstance(one, PopulationUniqueness)]
    length = 0
    if not hold(0):
        for one in falling:
            while not at_most(measured(one, ascending[length:]), one.required):
                length += 1
        longest = possible[-1]
        if length > longest:
            return None, False
        if not hold(length):
            if not hold(longest):
                return None, False
            low, length = length, longest
            while length - low > 1:
                middle = (low + length) // 2
                low, length = (low, middle) if hold(middle) else (middle, length)
    return {labels for _, _, labels in order[:length]}, vague(length)


def achieved(
    problem: Problem, model: PrivacyModel, kept: Sequence[tuple[Sequence[Row], int]]
) -> float:
    """Return the strictest threshold that the kept classes satisfy."""
    if isinstance(model, WholeTable):
        return measured(model, [records(rows) for rows, _ in kept])
    if not kept:
        return 0.0
    if isinstance(model, KMap):
        return min(persons for _, persons in kept)
    if isinstance(model, DeltaPresence):
        shares = [records(rows) / persons if persons else math.inf for rows, persons in kept]
        return max(shares) if at_most(model.minimum, min(shares)) else math.inf
    if isinstance(model, KAnonymity):
        return min(records(rows) for rows, _ in kept)
    j = problem.requirement.order.index(str(model.attribute))
    table = secrets(problem.rows, j)
    paths = problem.requirement.paths.get(str(model.attribute), {})
    return worst(model, [(records(rows), secrets(rows, j)) for rows, _ in kept], table, paths)


def worst(
    model: PrivacyModel, kept: Sequence[tuple[int, list[int]]], table: list[int], paths: naive.Paths
) -> float:
    """Return the same of a model that looks at sensitive values: sizes, and values."""
    values = [one for _, one in kept]
    if isinstance(model, AlphaKAnonymity):
        large = all(size >= model.k for size, _ in kept)
        return max(map(naive.alpha, values)) if large else math.inf
    if isinstance(model, LDiversity):
        if model.kind == "recursive":
            return max(naive.recursive(one, int(model.l)) for one in values)
        return min(map(naive.distinct if model.kind == "distinct" else naive.entropy, values))
    if isinstance(model, TCloseness):
        if model.distance == "hierarchical":
            return max(naive.t_hierarchical(one, table, paths) for one in values)
        distance = naive.t_equal if model.distance == "equal" else naive.t_ordered
        return max(distance(one, table) for one in values)
    if isinstance(model, BetaLikeness):
        enhanced = model.kind == "enhanced"
        if enhanced and not all(at_most(naive.beta_excess(one, table), 1) for one in values):
            return math.inf
        return max(naive.beta_basic(one, table) for one in values)
    assert isinstance(model, DeltaDisclosure)
    return max(naive.delta(one, table) for one in values) / math.log(2)


# --- metrics -----------------------------------------------------------------


def score(problem: Problem, levels: Levels, lost: frozenset[Record]) -> float:
    """Return the loss of a node with its suppressed classes."""
    every = [row.codes for row in problem.rows for _ in range(row.weight)]
    return _score(problem.metric, problem, every, levels, lost)


def _score(
    metric: Any, problem: Problem, every: list[Record], levels: Levels, lost: frozenset[Record]
) -> float:
    if isinstance(metric, Weighted):
        parts = [(one, weight) for one, weight in metric.parts if weight]
        return sum(weight * _score(one, problem, every, levels, lost) for one, weight in parts)
    factor = Fraction(getattr(metric, "factor", 0.5))
    node = Node(every, problem.trees, levels, lost, factor, problem.weights)
    return naive_metrics.SCORES[metric.type](node)


def class_loss(
    metric: Any, problem: Problem, levels: Levels, labels: Record, size: int
) -> tuple[float, list[float]]:
    """Return by what classes of a size are ranked, and of what numbers that is made."""
    if isinstance(metric, Weighted):
        each = [class_loss(one, problem, levels, labels, size) for one, _ in metric.parts]
        total = sum(
            weight * loss for (_, weight), (loss, _) in zip(metric.parts, each, strict=True)
        )
        return total, [one for _, parts in each for one in parts]
    whole = [len(tree[0]) for tree in problem.trees]
    below = [
        list(tree[level]).count(label)
        for tree, level, label in zip(problem.trees, levels, labels, strict=True)
    ]
    d = len(whole)
    parts = [
        size * covered / leaves * float(weight)
        for covered, leaves, weight in zip(below, whole, problem.weights, strict=True)
    ]
    if metric.type == "loss":
        return math.prod(x + 1 for x in parts) ** (1 / d) - 1, parts
    if metric.type == "loss-arithmetic":
        return sum(parts) / d, parts
    if metric.type == "ambiguity":
        return float(size * math.prod(below)), [float(math.prod(below))]
    return float(size), [float(size)]


class Settled(NamedTuple):
    """A class of the release: its node, and its rows."""

    levels: Levels
    rows: list[Row]


@dataclass
class Sweep:
    """What a sweep comes to: its classes in the order of nodes and labels, and the others."""

    classes: list[Settled] = field(default_factory=list)
    left: list[Row] = field(default_factory=list)

    def place_of(self, rows: Sequence[Row]) -> list[int]:
        """Return the class of each row, -1 for those that have none."""
        place = {row: i for i, one in enumerate(self.classes) for row in one.rows}
        return [place.get(row, -1) for row in rows]


def grouped(problem: Problem, levels: Levels, rows: Sequence[Row]) -> Groups:
    """Return some rows by their labels at a node."""
    found: Groups = {}
    for row in rows:
        found.setdefault(problem.labels(levels, row.codes), []).append(row)
    return dict(sorted(found.items()))


def swept(problem: Problem, order: Sequence[Levels]) -> Sweep:
    """Give every row the class of the first node where those without one form a class."""
    sweep = Sweep(left=[row for row in problem.rows if row.weight])
    for levels in order:
        groups = grouped(problem, levels, sweep.left)
        kept = [rows for rows in groups.values() if problem.requirement(rows)]
        sweep.classes += [Settled(levels, rows) for rows in kept]
        done = {row for rows in kept for row in rows}
        sweep.left = [row for row in sweep.left if row not in done]
    return sweep


def failing(problem: Problem, levels: Levels, rows: Sequence[Row]) -> int:
    """Return how many records are in classes that fail, of some rows at a node."""
    groups = grouped(problem, levels, rows)
    return sum(records(one) for one in groups.values() if not problem.requirement(one))


def given_up(problem: Problem, sweep: Sweep) -> tuple[Sweep, bool]:
    """Take classes back, those of most loss first, until those without one can go together.

    Returns what is left of the sweep, and whether it is enough.
    """
    classes, left = list(sweep.classes), list(sweep.left)
    while failing(problem, problem.highest, left) > problem.budget:
        if not classes:
            return Sweep([], left), False
        losses = [lost(problem, tight(problem, one.rows), one.rows[0]) for one in classes]
        last = max(range(len(classes)), key=lambda i: (losses[i], i))
        left += classes.pop(last).rows
    return Sweep(classes, left), True


def nodes_together(problem: Problem, left: Sequence[Row]) -> dict[Levels, Worth]:
    """Return every node at which some rows can be released together, and what it loses."""
    every = every_node(replace(problem, rows=sorted(left)))
    return {levels: one for levels, one in every.items() if one.satisfied}


def first_settled(
    labels: Sequence[Sequence[int]],
    rows: Sequence[tuple[int, int]],
    first: int,
    size: int,
    distinct: int,
) -> tuple[int, list[bool]]:
    """Return the first node with a class of a size and diversity, and who is in such classes.

    labels: of every tuple at every node; as many as nodes where there is none.
    rows: the weight and the sensitive value of each tuple.
    """
    for node in range(first, len(labels)):
        sizes: Counter[int] = Counter()
        values: dict[int, set[int]] = {}
        for label, (weight, value) in zip(labels[node], rows, strict=True):
            sizes[label] += weight
            values.setdefault(label, set()).add(value)
        enough = {
            label for label in sizes if sizes[label] >= size and len(values[label]) >= distinct
        }
        if enough:
            return node, [label in enough for label in labels[node]]
    return len(labels), [False] * len(rows)


def tight(problem: Problem, rows: Sequence[Row]) -> Levels:
    """Return the lowest levels allowed at which some rows have one label each."""
    levels = list(problem.lowest)
    for a, tree in enumerate(problem.trees):
        while len({tree[levels[a]][row.codes[a]] for row in rows}) > 1:
            levels[a] += 1
    return tuple(levels)


def lost(problem: Problem, levels: Levels, row: Row) -> Fraction:
    """Return what a record loses by a label: leaves but one, of all but one, by attribute."""
    total = Fraction(0)
    for tree, level, code, weight in zip(
        problem.trees, levels, row.codes, problem.weights, strict=True
    ):
        leaves = tree[level].count(tree[level][code])
        total += weight * Fraction(leaves - 1, max(len(tree[0]) - 1, 1))
    return total


def added(problem: Problem, rows: Sequence[Row], joined: Sequence[Row]) -> Fraction:
    """Return by how much the loss grows where some rows join a class."""
    together = [*rows, *joined]
    after = records(together) * lost(problem, tight(problem, together), rows[0])
    return after - records(rows) * lost(problem, tight(problem, rows), rows[0])
