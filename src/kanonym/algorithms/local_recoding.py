"""Cell generalization: every record at a node of little loss, or in a class that it joins."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from kanonym.algorithms.base import Algorithm, Problem, Recodes, table_counts
from kanonym.algorithms.full_domain import FullDomain
from kanonym.algorithms.full_domain.search import SearchClock
from kanonym.algorithms.full_domain.space import SearchSpace, check_search, prepare_space
from kanonym.algorithms.mondrian import Mondrian
from kanonym.algorithms.node_sweep import Joins, Sweep, nodes_by_loss
from kanonym.algorithms.options import Levels, MetricForm, Seconds, Steps, Weights
from kanonym.algorithms.small_classes import class_losses, highest_cost, levels_of, tree_costs
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.partition import Partition, Refusals, Units
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Int32s
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.classes.histograms import Costs
from kanonym.metrics.information_loss import metric_from
from kanonym.models import AlphaKAnonymity
from kanonym.models.base import PrivacyModel

NODES = 1 << 16
"""So many nodes are looked at; larger lattices are thinned out."""

HOLLOW = 5
"""A class is hollow where the share of all values but the commonest is so many times smaller."""

RUNNING = 0.8
"""Share of the time for visiting nodes."""


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

    Notes
    -----
    Where models look at sensitive values and the problem has a key, the sweep looks at class
    sizes alone. Classes are then dissolved by chance, those that fail nearly always, and their
    records join the others, whatever their values are (`Sweep.start_from`). The classes that come
    of it are joined in pairs, as a tree that follows from the quasi-identifiers holds them, down to
    where both parts of each node satisfy the models. So neither who joined a class nor who was in
    it before proves anything.

    Without a key, a class that tells its sensitive value is kept from coming about: the share of
    all values but the commonest is at least a fifth of that in the whole table, wherever the
    release then loses no more than strict Mondrian over the same hierarchies. Where it
    loses more, the models alone are asked; where that loses more, too, the classes of
    Mondrian are released. Where only class sizes are asked, records join classes after
    the last node, and the release without any joining is taken if it loses less.

    Records that have no class in the end are suppressed, if they are no more than the policy's
    limit and joining a class costs more. Otherwise they join whatever class can bear them; the
    classes of most loss are given up for those that none can, and all of these are released at the
    node that is best for them, as by `FullDomain`: the limit of suppression holds for them then.
    What classes lose is measured by NCP, times the attributes' weights. Cost O(n d) a node, for n
    tuples without a class yet, and O(n c d) for n of them that look at c classes, four times or
    more; in large tables they look at neighbours only.

    The iterated search of ARX (Prasser et al. 2017, "Utility-driven anonymization of
    high-dimensional data") with a pass for every node; joining is ours.
    """

    metric: MetricForm = "loss-arithmetic"
    levels: Levels = field(default_factory=dict)
    weights: Weights = field(default_factory=dict)
    steps: Steps = None
    seconds: Seconds = None

    type: ClassVar[str] = "local-recoding"
    title: ClassVar[str] = _("Local recoding")
    summary: ClassVar[str] = _(
        "Labels of hierarchies, but each class at its own level: less loss than full-domain."
    )
    recodes: ClassVar[Recodes] = "levels"
    by_tuple: ClassVar[bool] = True
    spends_limit: ClassVar[bool] = True
    stepwise: ClassVar[bool] = True

    @property
    def hides_refusals(self) -> bool:
        """Yes."""
        return True

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", metric_from(self.metric))
        check_search(self.type, self.levels, self.steps, self.seconds)

    def partition(self, problem: Problem) -> Partition:
        """Give every record a class that satisfies the models.

        problem: Costs are not read.
        """
        table = problem.table
        for model in problem.models:
            if model.guarantee in ("whole table", "population"):
                raise PolicyError(f"local-recoding cannot satisfy {model.type}; full-domain can")
        d = len(table.domains)
        if not table.n_rows:
            return Partition(np.empty(0, np.int32), 0, levels=np.empty((0, d), np.int32))
        clock = SearchClock(self.seconds, problem.listen)
        return _complete_account(self._search(problem, clock)[0], clock)

    def _search(self, problem: Problem, clock: SearchClock) -> tuple[Partition, Sweep | None]:
        """Return the classes, and the sweep that found them; None where cuts of Mondrian did."""
        table, models = problem.table, problem.models
        space = self._space(problem)
        steps = self.steps or NODES
        nodes = nodes_by_loss(space, steps)
        tree = tree_costs(table, self.weights)
        common = FullDomain(self.metric, "optimal", self.levels, self.weights, steps)
        if problem.key is not None:
            bare, place = without_sensitive(table)
            sizes = [model for model in models if model.attribute is None]
            with clock.stop_on_interrupt():
                own = self._space(replace(problem, table=bare, models=sizes))
                by_size = Sweep(own, nodes_by_loss(own, steps), tree)
                by_size.run(clock.part(RUNNING))
                by_size.finish(common, clock)
                sweep = Sweep(space, nodes, tree)
                sweep.start_from(by_size, place, problem.key)
                sweep.finish(common, clock)
            return sweep.partition(), sweep
        cuts = _partition_by_cuts(space, replace(problem, costs=tree))
        enough = math.inf if cuts is None else _loss(space, cuts, tree) * (1 + 1e-9)
        found: list[tuple[float, Partition, Sweep | None]] = []
        with clock.stop_on_interrupt():
            for more, joins in _plans(table, models):
                sweep = Sweep(space, nodes, tree, more, joins)
                sweep.run(clock.part(RUNNING))
                sweep.finish(common, clock)
                partition = sweep.partition()
                loss = _loss(space, partition, tree)
                good = sweep.settled and loss <= enough
                found = [*([] if good else found), (loss, partition, sweep)]
                if good or clock.is_over():
                    break
        if cuts is not None:
            found.append((enough, replace(cuts, account=partition.account), None))
        _, best, by = min(found, key=lambda one: one[0])
        return best, by

    def _space(self, problem: Problem) -> SearchSpace:
        """Return the lattice of a problem."""
        metric, limit = metric_from(self.metric), problem.suppression_limit
        return prepare_space(
            problem.table, metric, problem.models, limit, self.levels, self.weights
        )

    def classes_by_size(self, problem: Problem, partition: Partition) -> Int32s:
        """Return (n_tuples,) the classes for the models of class sizes alone."""
        del partition
        sizes = tuple(model for model in problem.models if model.attribute is None)
        return self._search(replace(problem, models=sizes, key=None), SearchClock(None, None))[
            0
        ].labels

    def refusals(self, problem: Problem, partition: Partition) -> Refusals | None:
        """Return the groups that were large enough at a node and not kept.

        The search is made again. Who joined a class, and when, is taken as known. Of classes that
        are made by quasi-identifiers alone, any may be dissolved by chance. None where
        a limit of seconds stopped the search, so that it does not end as it did.
        """
        best, sweep = self._search(problem, SearchClock(None, None))
        if not np.array_equal(best.labels, partition.labels):
            return None
        if sweep is None:
            by_cuts = replace(problem, costs=tree_costs(problem.table, self.weights))
            return Mondrian().refusals(by_cuts, partition)
        units = Units.of(problem.table, partition)
        if sweep.made_by_sizes:
            return Refusals.of(units, ())
        unit = np.full(len(problem.table.weights), -1, np.int32)
        unit[problem.table.tuple_of_row] = units.of_row
        first = np.zeros(units.n_units, np.int64)
        first[unit[unit >= 0]] = np.flatnonzero(unit >= 0)
        return Refusals.of(units, ([group] for group in sweep.refused_nodes(first, unit)))


def without_sensitive(table: EncodedTable) -> tuple[EncodedTable, Int32s]:
    """Return a table whose tuples are those of quasi-identifiers, and (n_tuples,) each one's place.

    How many tuples the records of equal quasi-identifiers are would tell of their sensitive values.
    """
    groups = group_rows(list(table.codes.T), [domain.size for domain in table.domains])
    place, n, people = groups.labels, len(groups.sizes), table.population
    bare = replace(
        table,
        sensitive=(),
        codes=groups.codes,
        sensitive_codes=np.zeros((n, 0), np.int32),
        weights=np.bincount(place, table.weights, n).astype(np.int64),
        tuple_of_row=place[table.tuple_of_row],
        population=None if people is None else np.bincount(place, people, n).astype(np.int64),
        target=None,
        target_codes=None,
    )
    return bare, place


def _complete_account(partition: Partition, clock: SearchClock) -> Partition:
    """Complete the account of a partition."""
    account = {**partition.account, "nodes_used": len(np.unique(_levels(partition), axis=0))}
    if clock.is_interrupted:
        account["interrupted"] = True
    return replace(partition, account=account)


def _plans(
    table: EncodedTable, models: Sequence[PrivacyModel]
) -> Iterator[tuple[list[AlphaKAnonymity], Joins]]:
    """Yield what else classes have to satisfy, and when tuples join them, the best first."""
    if all(model.attribute is None for model in models):
        yield [], "late"
    else:
        # Bounds that keep classes from being hollow.
        caps: list[AlphaKAnonymity] = []
        for j, domain in enumerate(table.sensitive):
            counts = table_counts(table, j)
            share = float(counts.max(initial=0) / max(int(counts.sum()), 1))
            caps.append(AlphaKAnonymity(1 - (1 - share) / HOLLOW, 1, domain.name))
        yield caps, "early"
        yield [], "early"
    yield [], "never"


def _partition_by_cuts(space: SearchSpace, problem: Problem) -> Partition | None:
    """Return what strict Mondrian makes of the hierarchies, where that keeps to the bounds.

    problem: its costs are those of the hierarchies.
    """
    try:
        partition = Mondrian().partition(problem)
    except InfeasibleError:
        return None
    levels = levels_of(space, partition.labels, partition.n_classes)
    return replace(partition, levels=levels) if (levels <= space.highest).all() else None


def _levels(partition: Partition) -> Int32s:
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
