"""Cell generalization: every record at a node of little loss, or in a class that it joins."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import Algorithm, Problem, Recodes
from kanonym.algorithms.criteria import compile_criteria, require_feasible, table_counts
from kanonym.algorithms.full_domain import FullDomain, check_search
from kanonym.algorithms.full_domain.nodes import group_at_levels, judge
from kanonym.algorithms.full_domain.search import SearchClock
from kanonym.algorithms.full_domain.space import Bounds, SearchSpace, prepare_space
from kanonym.algorithms.full_domain.strategies import search_optimal
from kanonym.algorithms.joining import (
    class_losses,
    highest_cost,
    join_classes,
    levels_of,
    sweep_stages,
    tree_costs,
)
from kanonym.algorithms.mondrian import Mondrian
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.partition import SUPPRESSED, Partition
from kanonym.data.progress import Progress
from kanonym.data.table import EncodedTable
from kanonym.kernels.classes.conditions import Criteria, Tuples
from kanonym.kernels.classes.penalty import Costs
from kanonym.kernels.lattice.sweep import next_settled_node
from kanonym.metrics.information_loss import Metric, metric_from
from kanonym.models import AlphaKAnonymity
from kanonym.models.base import PrivacyModel

NODES = 1 << 16
"""So many nodes are looked at; larger lattices are thinned out."""

AT_ONCE = 1 << 25
"""So many labels are looked up between two looks at the clock: some hundredths of a second."""

HOLLOW = 5
"""A class is hollow where the share of all values but the commonest is so many times smaller."""

RUNNING = 0.8
"""Share of the time for visiting nodes."""


Joins = Literal["early", "late", "never"]
"""When tuples without a class join others: between nodes, after all of them, or not at all."""


@dataclass(frozen=True, slots=True)
class LocalRecoding(Algorithm):
    """Full-domain generalization for each record on its own.

    The nodes of the lattice are visited from the least loss to the most. At each, the records that
    still have no class are grouped, and classes that satisfy the models are kept. In between,
    records join an existing class that still satisfies the models, if that adds less loss than a
    class of their own at the next nodes. Cells of one attribute then have different levels.

    Parameters
    ----------
    metric
        By what nodes are ranked, before any suppression: a metric of
        `metrics.information_loss`, or its name.
    levels, weights
        As of `FullDomain`.
    steps
        Most nodes to be visited; larger lattices are thinned out to so many, by leaving
        out middle levels of the attributes that have the most. None stands for 65,536.
        As many are checked once more for records that no node gives a class.
    seconds
        Most seconds to be spent, the last fifth of them on one node for all records
        that have no class by then.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    A class that tells its sensitive value is kept from coming about: the share of all
    values but the commonest is at least a fifth of that in the whole table, wherever the
    release then loses no more than strict Mondrian over the same hierarchies. Where it
    loses more, the models alone are asked; where that loses more, too, the classes of
    Mondrian are released. Where only class sizes are asked, records join classes after
    the last node, and the release without any joining is taken if it loses less.

    Records that have no class in the end are suppressed, if they are no more than the
    policy's limit and joining a class costs more. Otherwise they join whatever class can
    bear them; the classes of most loss are given up for those that none can, and all of
    these are released at the node that is best for them, as by `FullDomain`: the limit of
    suppression holds for them then. What classes lose is measured by NCP, times the
    attributes' weights. Cost O(n d) a node, for n tuples without a class yet, and O(n c d)
    for n of them that look at c classes, four times or more; in large tables they look at
    neighbours only.

    The iterated search of ARX (Prasser et al. 2017, "Utility-driven anonymization of
    high-dimensional data") with a pass for every node; joining is ours.

    """

    metric: str | Mapping[str, Any] | Metric = "loss-arithmetic"
    levels: Mapping[str, Bounds] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    steps: int | None = None
    seconds: float | None = None

    type: ClassVar[str] = "local-recoding"
    recodes: ClassVar[Recodes] = "levels"
    by_tuple: ClassVar[bool] = True
    spends_limit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", metric_from(self.metric))
        check_search(self.type, self.levels, self.steps, self.seconds)

    def partition(self, problem: Problem) -> Partition:
        """Give every record a class that satisfies the models.

        Parameters
        ----------
        problem
            Costs are not read.

        Raises
        ------
        InfeasibleError
            No release satisfies the models.
        PolicyError, SchemaError
            Models over the whole table or a population; levels outside of a hierarchy,
            an attribute without one.

        """
        table, models, limit = problem.table, problem.models, problem.suppression_limit
        for model in models:
            if model.guarantee in ("whole table", "population"):
                raise PolicyError(f"local-recoding cannot satisfy {model.type}; full-domain can")
        d = len(table.domains)
        if not table.n_rows:
            return Partition(np.empty(0, np.int32), 0, levels=np.empty((0, d), np.int32))
        space = prepare_space(
            table, metric_from(self.metric), models, limit, self.levels, self.weights
        )
        clock = SearchClock(self.seconds, problem.listen)
        steps = self.steps or NODES
        nodes = nodes_by_loss(space, steps)
        tree = tree_costs(table, self.weights)
        common = FullDomain(self.metric, "optimal", self.levels, self.weights, steps)
        cuts = _partition_by_cuts(space, tree, limit)
        enough = math.inf if cuts is None else _loss(space, cuts, tree) * (1 + 1e-9)
        found: list[tuple[float, Partition]] = []
        with clock.stop_on_interrupt():
            for more, joins in _plans(table, models):
                sweep = Sweep(space, nodes, tree, [*models, *more], joins)
                sweep.run(clock.part(RUNNING))
                sweep.finish(common, clock)
                partition = sweep.partition()
                loss = _loss(space, partition, tree)
                good = sweep.settled and loss <= enough
                found = [*([] if good else found), (loss, partition)]
                if good or clock.is_over():
                    break
        if cuts is not None:
            found.append((enough, replace(cuts, account=partition.account)))
        _, best = min(found, key=lambda one: one[0])
        return _complete_account(best, clock)


class Sweep:
    """Who has a class so far.

    Parameters
    ----------
    space, nodes
        What is searched, and the nodes in the order in which they are visited.
    costs
        What labels lose, from `tree_costs`.
    models
        Those of the space, and what else classes should satisfy if they can.
    joins
        When tuples join classes.

    Attributes
    ----------
    labels, n_classes
        The class of each tuple so far, and their number.
    visited
        The number of nodes visited.
    settled
        Whether no other way has to be tried: no class was given up.

    """

    def __init__(
        self,
        space: SearchSpace,
        nodes: NDArray[np.int64],
        costs: Costs,
        models: Sequence[PrivacyModel],
        joins: Joins,
    ) -> None:
        self.space, self.nodes, self.costs = space, nodes, costs
        self.models, self.joins = models, joins
        self.criteria = compile_criteria(models, space.table)
        self.visited = 0
        self.n_classes = 0
        self.settled = True
        self.labels = np.full(len(space.table.weights), SUPPRESSED, np.int32)

    @property
    def open_tuples(self) -> NDArray[np.int64]:
        """The tuples without a class."""
        return np.flatnonzero((self.labels == SUPPRESSED) & (self.space.table.weights > 0))

    def run(self, clock: SearchClock) -> None:
        """Visit the nodes as long as tuples have no class, and let some of them join one."""
        parts = _random_keys(self.space)
        slots = np.zeros((4, 1 << max(4, (2 * len(self.labels)).bit_length())), np.uint64)
        every = sweep_stages(self.space.table, self.nodes, self.costs)
        for until, limit in every if self.joins == "early" else [(len(self.nodes), 0.0)]:
            self._visit(until, parts, slots, clock)
            if clock.is_over() or not len(self.open_tuples):
                return
            if limit:
                self.join(self.criteria, limit)

    def _visit(
        self, until: int, parts: NDArray[np.uint64], slots: NDArray[np.uint64], clock: SearchClock
    ) -> None:
        """Visit the nodes before `until`."""
        table, left = self.space.table, self.open_tuples
        codes, tuples = _kernel_tuples(table, left)
        while self.visited < until and len(left):
            stop = min(until, self.visited + max(1, AT_ONCE // codes.size))
            found, marked = next_settled_node(
                codes, tuples, parts, self.nodes[:stop], self.visited, self.criteria, slots
            )
            self.visited = min(found + 1, stop)
            if marked.any():
                self.assign_node(left[marked], self.nodes[found], self.models)
                left = left[self.labels[left] == SUPPRESSED]
                codes, tuples = _kernel_tuples(table, left)
            if clock.is_over():
                break
            n_nodes = len(self.nodes)
            sentence = f"{self.visited:,} of {n_nodes:,} nodes visited, {self.n_classes:,} classes"
            clock.report_message(Progress(sentence, done=self.visited, total=n_nodes))

    def assign_node(
        self,
        tuples: NDArray[np.int64],
        levels: NDArray[np.int64],
        models: Sequence[PrivacyModel],
    ) -> None:
        """Give some tuples the classes of a node, where they satisfy the models."""
        space = self.space
        part = _select_tuples(space.table, tuples)
        node, class_of = group_at_levels(replace(space, table=part), levels)
        kept = node.classes.sizes >= space.required[0]
        for model in models:
            kept &= model.satisfied(node.classes)
        place = np.cumsum(kept, dtype=np.int32) + np.int32(self.n_classes - 1)
        mine = kept[class_of]
        self.labels[tuples[mine]] = place[class_of[mine]]
        self.n_classes += int(kept.sum())

    def join(self, criteria: Criteria, limit: float) -> None:
        """Let tuples without a class join those that can bear them.

        limit: most loss that a record may add, in the attributes together.
        """
        if self.joins != "never" and self.n_classes and len(self.open_tuples):
            self.settled &= self.joins == "early"
            join_classes(self.space, self.labels, self.costs, criteria, limit)

    def finish(self, common: FullDomain, clock: SearchClock) -> None:
        """Find a place for the tuples that have none, or suppress them within the limit.

        common: searches the node for those that are released together.
        """
        space, models = self.space, self.models
        self.join(self.criteria, highest_cost(self.costs))
        if self._is_done():
            return
        if not self._rest_is_releasable(models):
            self.join(self.criteria, math.inf)
            self.join(compile_criteria(space.models, space.table), math.inf)
            if self._is_done():
                return
            models = space.models
            self._dissolve_classes()
        left = self.open_tuples
        part = _select_tuples(space.table, left)
        own = common.space(part, models, space.budget / part.n_rows)
        found = search_optimal(replace(own, references=space.references), common.steps, clock)
        self.assign_node(left, np.array(found.best.levels or space.highest, np.int64), models)

    def _is_done(self) -> bool:
        """Say whether all tuples have a class, or may be suppressed."""
        waiting = int(self.space.table.weights[self.open_tuples].sum())
        return not waiting or (waiting <= self.space.budget and self.visited == len(self.nodes))

    def _rest_is_releasable(self, models: Sequence[PrivacyModel]) -> bool:
        """Say whether the tuples without a class can be released at the most general node."""
        space = replace(
            self.space,
            table=_select_tuples(self.space.table, self.open_tuples),
            models=tuple(models),
        )
        node, _ = group_at_levels(space, space.highest)
        return judge(space, node) is not None

    def _dissolve_classes(self) -> None:
        """Give up the classes of most loss, until those without one can be released together."""
        space = self.space
        levels = levels_of(space, self.labels, self.n_classes)
        losses = class_losses(space.table, self.labels, levels, self.costs)
        # Of equal loss, rounding apart, the class of the later node goes first.
        by_loss = np.argsort(losses.round(12), kind="stable").tolist()
        while not self._rest_is_releasable(space.models):
            self.settled = False
            if not by_loss:
                require_feasible(space.table, space.models)
                raise InfeasibleError(
                    "the models do not hold at the most general node that the levels allow: "
                    "allow higher levels, or a larger suppression limit"
                )
            self.labels[self.labels == by_loss.pop()] = SUPPRESSED
        place = np.full(self.n_classes + 1, SUPPRESSED, np.int32)
        place[sorted(by_loss)] = np.arange(len(by_loss), dtype=np.int32)
        self.labels = place[self.labels]
        self.n_classes = len(by_loss)

    def partition(self) -> Partition:
        """Return the classes."""
        levels = levels_of(self.space, self.labels, self.n_classes)
        account = {"lattice_size": self.space.size, "nodes_checked": self.visited}
        return Partition(self.labels, self.n_classes, levels=levels, account=account)


def _complete_account(partition: Partition, clock: SearchClock) -> Partition:
    """Complete the account of a partition."""
    account = {**partition.account, "nodes_used": len(np.unique(_levels(partition), axis=0))}
    if clock.is_interrupted:
        account["interrupted"] = True
    return replace(partition, account=account)


def _plans(
    table: EncodedTable, models: Sequence[PrivacyModel]
) -> Iterator[tuple[list[PrivacyModel], Joins]]:
    """Yield what else classes have to satisfy, and when tuples join them, the best first."""
    if all(model.attribute is None for model in models):
        yield [], "late"
    else:
        # Bounds that keep classes from being hollow.
        caps: list[PrivacyModel] = []
        for j, domain in enumerate(table.sensitive):
            counts = table_counts(table, j)
            share = float(counts.max(initial=0) / max(int(counts.sum()), 1))
            caps.append(AlphaKAnonymity(1 - (1 - share) / HOLLOW, 1, domain.name))
        yield caps, "early"
        yield [], "early"
    yield [], "never"


def _partition_by_cuts(space: SearchSpace, costs: Costs, limit: float) -> Partition | None:
    """Return what strict Mondrian makes of the hierarchies, where that keeps to the bounds."""
    try:
        found = Mondrian().partition(Problem(space.table, costs, space.models, limit))
    except InfeasibleError:
        return None
    levels = levels_of(space, found.labels, found.n_classes)
    return replace(found, levels=levels) if (levels <= space.highest).all() else None


def _levels(partition: Partition) -> NDArray[np.int32]:
    """Return the levels of a partition that has some."""
    if partition.levels is None:
        raise TypeError("the classes have no levels")
    return partition.levels


def _loss(space: SearchSpace, partition: Partition, costs: Costs) -> float:
    """Return what all records lose; a suppressed one loses as much as the most general."""
    table = space.table
    losses = class_losses(table, partition.labels, _levels(partition), costs)
    every = np.append(losses, highest_cost(costs))
    return float(table.weights @ every[partition.labels])


def nodes_by_loss(space: SearchSpace, most: int) -> NDArray[np.int64]:
    """Return (m, d) int64 nodes by loss, then by height: all, or a thinned-out lattice."""
    levels = [
        list(range(low, high + 1))
        for low, high in zip(space.lowest.tolist(), space.highest.tolist(), strict=True)
    ]
    while np.prod([float(len(some)) for some in levels]) > most:
        longest = max(range(len(levels)), key=lambda a: len(levels[a]))
        if len(levels[longest]) <= 2:
            # Even two levels each are too many: attributes of few values keep their top.
            widest = [a for a in range(len(levels)) if len(levels[a]) == 2]
            longest = min(widest, key=lambda a: len(space.trees[a].labels[0]))
            levels[longest] = levels[longest][1:]
        else:
            del levels[longest][len(levels[longest]) // 2]
    nodes = np.array(list(itertools.product(*levels)), np.int64)
    floors = np.array([space.metric.floor(node) for node in nodes])
    return nodes[np.lexsort((*nodes.T[::-1], nodes.sum(axis=1), floors))]


def _random_keys(space: SearchSpace) -> NDArray[np.uint64]:
    """Return (d, n_levels, n_codes) random numbers, one a label."""
    rng = np.random.default_rng(0)
    shape = len(space.trees), max(t.n_levels for t in space.trees), max(t.size for t in space.trees)
    parts = np.zeros(shape, np.uint64)
    for a, tree in enumerate(space.trees):
        for level, codes in enumerate(tree.codes):
            numbers = rng.integers(0, 1 << 64, len(tree.labels[level]), np.uint64)
            parts[a, level, : tree.size] = numbers[codes]
    return parts


def _kernel_tuples(
    table: EncodedTable, left: NDArray[np.int64]
) -> tuple[NDArray[np.int32], Tuples]:
    """Return some tuples as `next_settled_node` reads them."""
    codes, secrets = table.codes[left], table.sensitive_codes[left]
    return codes.T.copy(), Tuples(codes, secrets, table.weights[left])


def _select_tuples(table: EncodedTable, tuples: NDArray[np.int64]) -> EncodedTable:
    """Return a table of some tuples; rows are not told apart."""
    weights = table.weights[tuples]
    return replace(
        table,
        codes=np.ascontiguousarray(table.codes[tuples]),
        sensitive_codes=np.ascontiguousarray(table.sensitive_codes[tuples]),
        weights=weights,
        tuple_of_row=np.repeat(np.arange(len(tuples), dtype=np.int32), weights),
    )
