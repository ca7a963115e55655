"""Cell generalization: every record at the least general node that gives it a class."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import Listener, Recodes
from kanonym.algorithms.criteria import require_feasible
from kanonym.algorithms.full_domain import FullDomain, check_search
from kanonym.algorithms.full_domain.nodes import group, judge
from kanonym.algorithms.full_domain.search import Clock
from kanonym.algorithms.full_domain.space import Bounds, Space, prepare
from kanonym.algorithms.full_domain.strategies import optimal
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.partition import SUPPRESSED, Partition
from kanonym.data.table import EncodedTable
from kanonym.kernels.penalty import Costs
from kanonym.kernels.sweep import next_settled
from kanonym.metrics.information_loss import Metric, metric_from
from kanonym.models import DeltaPresence, KMap, WholeTable
from kanonym.models.base import PrivacyModel

NODES = 1 << 16
"""So many nodes are looked at; larger lattices are thinned out."""

AT_ONCE = 1 << 25
"""So many labels are looked up between two looks at the clock: some hundredths of a second."""

RUNNING = 0.8
"""Share of the time for visiting nodes."""


@dataclass(frozen=True, slots=True)
class LocalRecoding:
    """Full-domain generalization for each record on its own.

    The nodes of the lattice are visited from the least loss to the most. At each, the
    records that still have no class are grouped, and classes that satisfy the models are
    kept: every record is released at the first node that gives it a class. Cells of one
    attribute then stand at different levels.

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
    Records that no node gives a class are suppressed, if they are no more than the
    policy's limit; else the classes of most loss are given up for them, and all of these
    are released at the node that is best for them, as by `FullDomain`: the limit of
    suppression holds for them then. Cost O(n d) a node, for n tuples without
    a class yet. Loses least of all recodings by hierarchies here; analysts have to cope
    with values of different levels.

    The iterated search of ARX (Prasser et al. 2017, "Utility-driven anonymization of
    high-dimensional data") with a pass for every node.

    """

    metric: str | Mapping[str, Any] | Metric = "loss-arithmetic"
    levels: Mapping[str, Bounds] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    steps: int | None = None
    seconds: float | None = None

    type: ClassVar[str] = "local-recoding"
    recodes: ClassVar[Recodes] = "levels"
    by_tuple: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", metric_from(self.metric))
        check_search(self.type, self.levels, self.steps, self.seconds)

    def partition(
        self,
        table: EncodedTable,
        costs: Costs,
        models: Sequence[PrivacyModel],
        suppression_limit: float = 0.0,
        listen: Listener | None = None,
    ) -> Partition:
        """Give every record the first class that satisfies the models.

        Parameters
        ----------
        table, costs, models, suppression_limit, listen
            As of `Algorithm.partition`; costs are not read.

        Raises
        ------
        InfeasibleError
            No release satisfies the models.
        PolicyError, SchemaError
            Models over the whole table or a population; levels outside of a hierarchy,
            an attribute without one.

        """
        del costs
        for model in models:
            if isinstance(model, WholeTable | KMap | DeltaPresence):
                raise PolicyError(f"local-recoding cannot satisfy {model.type}; full-domain can")
        d = len(table.domains)
        if not table.n_rows:
            return Partition(np.empty(0, np.int32), 0, levels=np.empty((0, d), np.int32))
        space = prepare(
            table, metric_from(self.metric), models, suppression_limit, self.levels, self.weights
        )
        clock = Clock(self.seconds, listen)
        steps = self.steps or NODES
        sweep = _Sweep(space, ranked(space, steps))
        common = FullDomain(self.metric, "optimal", self.levels, self.weights, steps)
        with clock.stopped_by_user():
            sweep.run(clock.part(RUNNING))
            sweep.finish(common, clock)
        return sweep.partition(clock)


class _Sweep:
    """Who has a class so far."""

    def __init__(self, space: Space, nodes: NDArray[np.int64]) -> None:
        self.space, self.nodes = space, nodes
        self.visited = 0
        n_tuples = len(space.table.weights)
        self.labels = np.full(n_tuples, SUPPRESSED, np.int32)
        self.levels: list[NDArray[np.int64]] = []

    def run(self, clock: Clock) -> None:
        """Visit the nodes as long as tuples have no class."""
        table = self.space.table
        size = int(self.space.required[0])
        parts = _parts(self.space)
        left = np.flatnonzero(table.weights > 0)
        codes, weights = table.codes[left].T.copy(), table.weights[left]
        slots = np.zeros((3, 1 << max(4, (2 * len(left)).bit_length())), np.uint64)
        at = 0
        while at < len(self.nodes) and len(left):
            until = at + max(1, AT_ONCE // codes.size)
            found, marked = next_settled(codes, weights, parts, self.nodes[:until], at, size, slots)
            at = min(found + 1, until)
            self.visited = min(at, len(self.nodes))
            if marked.any():
                self.settle(left[marked], self.nodes[found])
                still = self.labels[left] == SUPPRESSED
                if not still.all():
                    left, codes, weights = left[still], codes[:, still].copy(), weights[still]
            if clock.over():
                break
            n_nodes, n_classes = len(self.nodes), len(self.levels)
            clock.say(f"{self.visited:,} of {n_nodes:,} nodes visited, {n_classes:,} classes")

    def settle(self, tuples: NDArray[np.int64], levels: NDArray[np.int64]) -> None:
        """Give some tuples the classes of a node, where they satisfy the models."""
        space = self.space
        part = _part(space.table, tuples)
        node, class_of = group(replace(space, table=part), levels)
        kept = node.classes.sizes >= space.required[0]
        for model in space.models:
            kept &= model.satisfied(node.classes)
        place = np.cumsum(kept, dtype=np.int32) + np.int32(len(self.levels) - 1)
        mine = kept[class_of]
        self.labels[tuples[mine]] = place[class_of[mine]]
        self.levels += [levels] * int(kept.sum())

    def finish(self, common: FullDomain, clock: Clock) -> None:
        """Find a place for the tuples that have none, or suppress them within the limit.

        common: searches the node for those that are released together.
        """
        space = self.space
        weights = space.table.weights
        waiting = int(weights[self.labels == SUPPRESSED].sum())
        if not waiting or (waiting <= space.budget and self.visited == len(self.nodes)):
            return
        # At the top the tuples without a class fail; the classes of most loss join them.
        for last in reversed(range(-1, len(self.levels))):
            left = np.flatnonzero((self.labels == SUPPRESSED) & (weights > 0))
            part = _part(space.table, left)
            node, _ = group(replace(space, table=part), space.highest)
            if judge(space, node) is not None:
                break
            if last < 0:
                require_feasible(space.table, space.models)
                raise InfeasibleError(
                    "the models do not hold at the most general node that the levels allow: "
                    "allow higher levels, or a larger suppression limit"
                )
            self.labels[self.labels == last] = SUPPRESSED
            self.levels.pop()
        own = common.space(part, space.models, space.budget / part.n_rows)
        found = optimal(replace(own, references=space.references), common.steps, clock)
        self.settle(left, np.array(found.best.levels or space.highest, np.int64))

    def partition(self, clock: Clock) -> Partition:
        """Return the classes."""
        d = len(self.space.order)
        levels = np.array(self.levels, np.int32).reshape(len(self.levels), d)
        account: dict[str, Any] = {
            "lattice_size": self.space.size,
            "nodes_checked": self.visited,
            "nodes_used": len(np.unique(levels, axis=0)),
        }
        if clock.interrupted:
            account["interrupted"] = True
        return Partition(self.labels, len(self.levels), levels=levels, account=account)


def ranked(space: Space, most: int) -> NDArray[np.int64]:
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


def _parts(space: Space) -> NDArray[np.uint64]:
    """Return (d, n_levels, n_codes) random numbers, one a label."""
    rng = np.random.default_rng(0)
    shape = len(space.trees), max(t.n_levels for t in space.trees), max(t.size for t in space.trees)
    parts = np.zeros(shape, np.uint64)
    for a, tree in enumerate(space.trees):
        for level, codes in enumerate(tree.codes):
            numbers = rng.integers(0, 1 << 64, len(tree.labels[level]), np.uint64)
            parts[a, level, : tree.size] = numbers[codes]
    return parts


def _part(table: EncodedTable, tuples: NDArray[np.int64]) -> EncodedTable:
    """Return a table of some tuples; rows are not told apart."""
    weights = table.weights[tuples]
    return replace(
        table,
        codes=np.ascontiguousarray(table.codes[tuples]),
        sensitive_codes=np.ascontiguousarray(table.sensitive_codes[tuples]),
        weights=weights,
        tuple_of_row=np.repeat(np.arange(len(tuples), dtype=np.int32), weights),
    )
