"""Full-domain generalization: every value of an attribute at one level of its hierarchy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np

from kanonym.algorithms.base import Algorithm, Listener, Problem, Recodes
from kanonym.algorithms.full_domain.branch import NOTHING, Solution
from kanonym.algorithms.full_domain.nodes import (
    EvaluatedNode,
    evaluate,
    group_at_levels,
    judge,
    labels_of_tuples,
    score_of,
)
from kanonym.algorithms.full_domain.private import DEGREES, private_partition
from kanonym.algorithms.full_domain.search import (
    SearchClock,
    SearchResult,
    evaluate_every_node,
    infeasible_error,
)
from kanonym.algorithms.full_domain.space import (
    SearchSpace,
    check_search,
    count_nodes,
    hierarchies,
    level_bounds,
    prepare_space,
)
from kanonym.algorithms.full_domain.strategies import (
    genetic_search,
    lower_levels,
    search_best_first,
    search_optimal,
)
from kanonym.algorithms.options import (
    CLASSIFICATION,
    Degree,
    Levels,
    MetricForm,
    Search,
    Seconds,
    Steps,
    Weights,
)
from kanonym.data.errors import PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.partition import Partition, Refusals, Units
from kanonym.data.table import EncodedTable, MergedTable
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows
from kanonym.metrics.information_loss import Generalized, Metric, metric_from
from kanonym.models.base import PrivacyModel, check_choice
from kanonym.models.differential import sampling_model

LISTED = 100_000
"""Of larger lattices not every node is evaluated."""

REPLAYED = 1 << 9
"""Lattices of so many nodes are searched for all nodes that were refused."""

RAISED = 0.05
"""How probable it is that a level is raised by one; j or more levels are with this by j²."""

KEPT = 1000
"""So many nodes of such a lattice are listed."""


@dataclass(frozen=True, slots=True)
class FullDomain(Algorithm):
    """The node of the generalization lattice that loses least.

    Parameters
    ----------
    metric
        What is minimized: a metric of `metrics.information_loss`, or its name.
    search
        `optimal`: branch and bound; the result is the optimum, and proven, unless a limit stops it.
        `best-first`: the most promising branches only, then more and more of them. `genetic`: an
        evolving population of nodes. The last two are for lattices that the first does not finish.
    levels
        By quasi-identifier: the level that it must have, or the lowest and the highest.
    weights
        By quasi-identifier: how much its loss counts; 1 for the others.
    steps
        Most nodes to be checked. The same limit gives the same release everywhere.
    seconds
        Most seconds to be spent on the search.
    degree
        Under differential privacy: how far up the hierarchies levels are that `levels` does not
        name: `none`, `low`, `low-medium`, `medium`, `medium-high`, `high` or `complete`, which
        are 0, 0.2, 0.4, 0.5, 0.6, 0.8 and 1 of the highest level, half levels up.
    targets
        Quasi-identifiers to be predicted, for the metric `classification`, by which only levels
        under differential privacy are drawn.

    Notes
    -----
    A record is suppressed where its class fails a model, a class whole or not at all;
    at most the policy's suppression limit of them. Works up to some millions of nodes
    for a proof, to any size without one. To be preferred to Mondrian where analysts need
    every value at one level, and where losses are to be compared with other tools.

    Where models look at sensitive values and the problem has a key, classes are suppressed for
    their size alone: all up to that of the largest one that fails, in steps of the root of 2, and
    at times some steps more. The lowest levels are raised by chance (`RAISED`): that a better node
    was not released does not prove that it failed. The best node is then that of what chance left.

    Samarati 2001 and LeFevre et al. 2005 (Incognito) for the lattice; the metrics and
    what suppression costs as in ARX (Prasser et al. 2016, "Lightning"). Deviation: classes
    that satisfy entropy l-diversity exactly are not refused by rounding.
    """

    metric: MetricForm = "loss"
    search: Search = "optimal"
    levels: Levels = field(default_factory=dict)
    weights: Weights = field(default_factory=dict)
    steps: Steps = None
    seconds: Seconds = None
    degree: Degree = None
    targets: Sequence[str] = ()

    type: ClassVar[str] = "full-domain"
    title: ClassVar[str] = _("Full-domain search")
    summary: ClassVar[str] = _(
        "Generalizes every value of a column to the same level. Choose it if analysts need one "
        "scale."
    )
    recodes: ClassVar[Recodes] = "levels"
    by_tuple: ClassVar[bool] = True
    spends_limit: ClassVar[bool] = True

    @property
    def hides_refusals(self) -> bool:
        """Yes."""
        return True

    def __post_init__(self) -> None:
        if self.metric != CLASSIFICATION:
            object.__setattr__(self, "metric", metric_from(self.metric))
        if (self.metric == CLASSIFICATION) != bool(self.targets):
            raise PolicyError(
                f"{self.type}: metric classification and targets, the columns to be predicted, "
                "belong together"
            )
        if self.degree is not None:
            check_choice(self.type, "degree", self.degree, tuple(DEGREES))
        if self.search not in ("optimal", "best-first", "genetic"):
            raise PolicyError(
                f"{self.type}: search is {self.search!r}; it must be optimal, best-first or genetic"
            )
        check_search(self.type, self.levels, self.steps, self.seconds)

    @property
    def lattice(self) -> FullDomain:
        """The search itself."""
        return self

    @property
    def metric_type(self) -> str:
        """The name of its metric."""
        return self.metric.type if isinstance(self.metric, Metric) else str(self.metric)

    def partition(self, problem: Problem) -> Partition:
        """Find the best node, and the classes that it makes of a table.

        problem: Costs are not read.
        """
        table = problem.table
        promised = sampling_model(problem.models)
        if promised is not None:
            return private_partition(
                problem,
                promised,
                self.metric_type,
                self.levels,
                degree=self.degree,
                targets=self.targets,
            )
        if not table.n_rows:
            return Partition(
                np.empty(0, np.int32), 0, levels=np.empty((0, len(table.domains)), np.int32)
            )
        heights = {
            domain.name: tree.n_levels - 1
            for domain, tree in zip(table.domains, hierarchies(table), strict=True)
        }
        for algorithm in self.with_chance(heights, problem.key):
            space = algorithm.space(table, problem.models, problem.suppression_limit)
            found = find_best_node(algorithm, space, problem.listen)
            if found.best is not NOTHING:
                return partition_at_best(algorithm, space, found)
        raise infeasible_error(space, found)

    def with_chance(self, heights: Mapping[str, int], key: int | None) -> Sequence[FullDomain]:
        """Return the searches of a table, each for where the one before it finds nothing.

        Parameters
        ----------
        heights
            The highest level by quasi-identifier.
        key
            What is drawn follows from it; None where nothing is left to chance.
        """
        if key is None:
            return [self]
        random = np.random.default_rng(key)
        drawn = math.sqrt(RAISED / max(random.random(), 1e-12))
        names = random.choice(sorted(heights), min(int(drawn), sum(heights.values())))
        raised = {name: int((names == name).sum()) for name in heights}
        steps = int(math.sqrt(RAISED / max(random.random(), 1e-12)))
        searches = [_BySize.of(self, raised, steps), _BySize.of(self, {}, 0)]
        return searches if drawn >= 1 or steps else searches[1:]

    def without_draws(self) -> FullDomain:
        """Return a search in which no class is suppressed for its sensitive values."""
        return _BySize.of(self, {}, 0)

    def classes_by_size(self, problem: Problem, partition: Partition) -> Int32s | None:
        """Return (n_tuples,) the classes at the levels of a division, with the suppressed ones."""
        sizes = [model for model in problem.models if model.attribute is None]
        space = self.space(problem.table, sizes, problem.suppression_limit)
        levels = np.array([partition.account["levels"][name] for name in space.names], np.int64)
        return group_at_levels(space, levels)[1]

    def refusals(self, problem: Problem, partition: Partition) -> Refusals | None:
        """Return nodes that lose less and were refused: of each, some class fails.

        None are known where levels may have been raised by chance. None where the search did not
        end; of lattices of more than `REPLAYED` nodes, those
        one level below the best in one attribute.
        """
        account = partition.account
        if not account.get("optimal"):
            return None
        table = problem.table
        if problem.key is not None:
            return Refusals.of(Units.of(table, partition), ())
        sizes = [model for model in problem.models if model.attribute is None]
        by_size = self.space(table, sizes, problem.suppression_limit)
        best = np.array([account["levels"][name] for name in by_size.names], np.int64)
        units = Units.of(table, partition)
        first = np.zeros(units.n_units, np.int64)
        held = np.flatnonzero(units.of_row >= 0)
        first[units.of_row[held]] = table.tuple_of_row[held]

        def refused_nodes() -> Iterator[list[Ints]]:
            for levels in _candidates(by_size, best):
                node, class_of = group_at_levels(by_size, levels)
                kept = judge(by_size, node)
                # Rounding apart: of equal loss, another rule decides.
                if kept is None or not score_of(by_size, node, kept) < account["score"] - 1e-9:
                    continue
                label = class_of[first]
                order = np.argsort(label, kind="stable")
                found = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
                yield [some for some in found if kept[label[some[0]]]]

        return Refusals.of(units, refused_nodes())

    def space(
        self, table: EncodedTable, models: Sequence[PrivacyModel], suppression_limit: float
    ) -> SearchSpace:
        """Prepare a search of a table."""
        return prepare_space(
            table, metric_from(self.metric), models, suppression_limit, self.levels, self.weights
        )


class _BySize(FullDomain):
    """A search in which no class is suppressed for its sensitive values."""

    __slots__ = ("raised", "steps_up")
    raised: Mapping[str, int]
    steps_up: int

    @classmethod
    def of(cls, algorithm: FullDomain, raised: Mapping[str, int], steps_up: int) -> _BySize:
        """Return a search like another one."""
        search = cls(**{one.name: getattr(algorithm, one.name) for one in fields(algorithm)})
        object.__setattr__(search, "raised", raised)
        object.__setattr__(search, "steps_up", steps_up)
        return search

    def space(
        self, table: EncodedTable, models: Sequence[PrivacyModel], suppression_limit: float
    ) -> SearchSpace:
        """Prepare a search of a table."""
        lowest, highest = level_bounds(table, self.levels)
        # A copy by `replace` has neither.
        raised, steps = getattr(self, "raised", {}), getattr(self, "steps_up", 0)
        names = [domain.name for domain in table.domains]
        bounds = zip(names, lowest.tolist(), highest.tolist(), strict=True)
        levels = {name: (min(low + raised.get(name, 0), high), high) for name, low, high in bounds}
        space = prepare_space(
            table, metric_from(self.metric), models, suppression_limit, levels, self.weights
        )
        return replace(space, steps=steps)


def _candidates(space: SearchSpace, best: Ints) -> Iterator[Ints]:
    """Yield the nodes of a lattice, or of a large one those just below its best."""
    if space.size <= REPLAYED:
        ranges = [
            range(low, high + 1)
            for low, high in zip(space.lowest.tolist(), space.highest.tolist(), strict=True)
        ]
        yield from (np.array(levels, np.int64) for levels in itertools.product(*ranges))
        return
    for a in np.flatnonzero(best > space.lowest).tolist():
        below = best.copy()
        below[a] -= 1
        yield below


def find_best_node(
    algorithm: FullDomain, space: SearchSpace, listen: Listener | None = None
) -> SearchResult:
    """Search for the best node, as an algorithm says.

    The first Ctrl-C stops the search, and the best node so far is returned.
    """
    clock = SearchClock(algorithm.seconds, listen)
    with clock.stop_on_interrupt():
        return search_lattice(algorithm, space, algorithm.steps, clock)


def search_lattice(
    algorithm: FullDomain,
    space: SearchSpace,
    steps: int | None,
    clock: SearchClock,
    known: Solution = NOTHING,
) -> SearchResult:
    """Search a lattice, or a part of one, until a clock says stop.

    known: the best node of other parts; it is returned where none here is better.
    """
    if algorithm.search == "optimal":
        result = search_optimal(space, steps, clock, known)
    else:
        search = {"best-first": search_best_first, "genetic": genetic_search}[algorithm.search]
        result = search(space, steps, clock)
    if not result.best < known:
        return result._replace(best=known)
    return result._replace(best=lower_levels(space, result.best))


def partition_at_best(algorithm: FullDomain, space: SearchSpace, found: SearchResult) -> Partition:
    """Return the classes of the best node."""
    levels = np.array(found.best.levels, np.int64)
    node, class_of = group_at_levels(space, levels)
    kept = judge(space, node)
    if kept is None:
        raise AssertionError("the best node of the search does not satisfy the models")
    labels = labels_of_tuples(kept, class_of)
    n_classes = int(kept.sum())
    score = space.metric.score(replace(node.generalized, kept=kept))
    metric = algorithm.metric
    gap = max(0.0, score - found.bound)
    optimal = found.bound >= found.best.score
    account: dict[str, Any] = {
        "metric": metric.type if isinstance(metric, Metric) else metric,
        "levels": dict(zip(space.names, levels.tolist(), strict=True)),
        "score": score,
        "optimal": optimal,
        "lattice_size": count_nodes(space.table, algorithm.levels),
        "nodes_checked": found.checked,
    }
    if not optimal:
        account |= {"lower_bound": found.bound, "gap": gap}
    if found.interrupted:
        account["interrupted"] = True
    if isinstance(space.table, MergedTable):
        lowest = dict(zip(space.names, space.table.lowest.tolist(), strict=True))
        account["premerged"] = {"levels": lowest, "tuples": len(space.table.weights)}
    return Partition(
        labels, n_classes, levels=np.tile(levels.astype(np.int32), (n_classes, 1)), account=account
    )


def evaluate_lattice(
    algorithm: FullDomain,
    table: EncodedTable,
    models: Sequence[PrivacyModel],
    suppression_limit: float,
    listen: Listener | None = None,
) -> list[EvaluatedNode]:
    """Return the nodes of the lattice with what they are worth, by levels.

    Of a lattice of more than 100,000 nodes, those that the search found to satisfy the
    models, and a genetic search after it; at most the 1,000 of least score. Where seconds are
    limited, a third of them goes to all nodes in turn; if these are not enough, the rest to the
    search, and the nodes of both are returned.
    """
    space = algorithm.space(table, models, suppression_limit)
    limit = None if algorithm.seconds is None else algorithm.seconds / 3
    walked: list[EvaluatedNode] = []
    if space.size <= LISTED:
        walked = evaluate_every_node(space, listen, limit)
        if len(walked) == space.size:
            return walked
    noted = replace(space, seen=[])
    result = find_best_node(replace(algorithm, seconds=limit), noted, listen)
    if not result.interrupted:
        genetic_search(noted, KEPT, SearchClock(limit and limit / 2, listen))
    best = sorted({(result.best.score, result.best.levels), *(noted.seen or [])})[:KEPT]
    known = {node.levels: node for node in walked}
    clock = SearchClock(limit and limit / 2, listen)
    for node in evaluate(space, [levels for _n, levels in best if levels and levels not in known]):
        known[node.levels] = node
        if clock.is_over():
            break
    return sorted(known.values(), key=lambda node: node.levels)


def evaluate_nodes(
    algorithm: FullDomain,
    table: EncodedTable,
    models: Sequence[PrivacyModel],
    suppression_limit: float,
    nodes: Iterable[Sequence[int]],
) -> list[EvaluatedNode]:
    """Return what some nodes are worth."""
    space = algorithm.space(table, models, suppression_limit)
    return list(evaluate(space, list(nodes)))


def score_of_released(
    algorithm: FullDomain, table: EncodedTable, levels: Mapping[str, int], suppressed: int
) -> float | None:
    """Return the score of a node by its released records and the number of suppressed ones.

    None where it would depend on the values of the suppressed records. table: the released
    records. levels: of the node, by attribute.
    """
    if not len(table.weights):
        return None
    at = np.array([levels[domain.name] for domain in table.domains], np.int64)
    trees = [domain.hierarchy for domain in table.domains if domain.hierarchy is not None]
    columns = [
        tree.codes[level].take(table.codes[:, a])
        for a, (tree, level) in enumerate(zip(trees, at.tolist(), strict=True))
    ]
    groups = group_rows(columns, [len(tree.labels[n]) for tree, n in zip(trees, at, strict=True)])
    sizes = np.bincount(groups.labels, table.weights, len(groups.sizes)).astype(np.int64)
    scores = set()
    for tuple_ in (0, len(table.weights) - 1):  # what the suppressed records might be
        whole = replace(
            table,
            codes=np.vstack([table.codes, table.codes[tuple_]]),
            sensitive_codes=np.vstack([table.sensitive_codes, table.sensitive_codes[tuple_]]),
            weights=np.append(table.weights, suppressed),
        )
        classes = Generalized(
            levels=at,
            labels=np.vstack([groups.codes, groups.codes[groups.labels[tuple_]]]),
            sizes=np.append(sizes, suppressed),
            kept=np.append(np.ones(len(sizes), np.bool_), False),
        )
        scores.add(metric_from(algorithm.metric).bind(whole, algorithm.weights).score(classes))
    return scores.pop() if len(scores) == 1 else None


__all__ = [
    "CLASSIFICATION",
    "EvaluatedNode",
    "FullDomain",
    "evaluate_lattice",
    "evaluate_nodes",
    "score_of_released",
]
