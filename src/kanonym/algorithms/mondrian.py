"""Mondrian: cut the table again and again, as long as both sides satisfy the models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import ClassVar

import numpy as np

from kanonym.algorithms.base import (
    LINEAR,
    Algorithm,
    Problem,
    Recodes,
    compile_criteria,
    require_feasible,
    satisfies_released,
)
from kanonym.algorithms.options import Split, Target, Weights
from kanonym.algorithms.outliers import TriedCuts, refine_in_parallel, suppress_outliers
from kanonym.algorithms.span_partition import counts_suffice, partition_by_span
from kanonym.algorithms.workload import GRAIN, GuidingTarget, guiding_target, refine_guided
from kanonym.data.errors import PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.partition import SUPPRESSED, Partition, Refusals, Units, cut_in_two
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Bools, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.grouping import put
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.parallel import cores, parallel
from kanonym.kernels.partitioning.mondrian import refine, refine_relaxed, total_loss
from kanonym.kernels.partitioning.workspace import workspace
from kanonym.metrics.certainty import observed_costs

LARGE = 1 << 19
"""Tables of more tuples than this are cut by `span` unless the policy says `loss`."""

TRIMMED = 1 << 22
"""Tables of more tuples are not searched for outliers as a whole: it takes memory."""

CHANCE = 0.1
"""How probable it is that a node of 2 k records is left whole, whatever it allows."""


@dataclass(frozen=True, slots=True)
class Mondrian(Algorithm):
    """Multidimensional local recoding by recursive cuts.

    Parameters
    ----------
    strict
        True: a cut sends all records of equal value to one side (classes do not
        overlap). False, relaxed: a cut halves the records, equal ones included.
    split
        `loss`: of all cuts, the one that leaves the least normalized certainty penalty; nodes of
        more than 1,024 tuples (fewer in tables of more than 32,768, at the least 32) are cut beside
        the median of the attribute of the widest normalized span. `span`: likewise, but in the
        smaller nodes only the cuts beside medians are compared by what they leave; in tables of
        more than 524,288 tuples, none. `auto`: `loss` for tables of up to 524,288 tuples, else
        `span`, which takes a fraction of its time there.
    target
        A column that models are to predict from the quasi-identifiers: of whatever role but
        theirs. Of all allowable cuts the one is made that tells most about it, until none
        tells anything; then `split` goes on. With it, `strict` is True, and no record is
        suppressed. Classes then tell more about the target, to intruders, too: where it is
        sensitive, ask for l-diversity or t-closeness of it.
    weights
        By quasi-identifier: how much its loss counts; 1 for the others. Only their ratios matter;
        what has weight 0 is not looked at.

    Notes
    -----
    Where models look at sensitive values and the problem has a key, nodes are left whole and cuts
    passed over by chance (`kernels.classes.balance`); of strict cuts, without a target. That a node
    was not cut then does not prove that its sensitive values forbade it.

    Cost O(n log n · d²) for n tuples and d attributes. Works where quasi-identifiers
    are many or skewed, at any size; full-domain recoding is to be preferred where
    analysts need every value at one level.

    LeFevre, DeWitt and Ramakrishnan 2006, "Mondrian multidimensional k-anonymity",
    §3-4. Deviations: both cuts beside the median are tried (`x < m` and `x <= m`),
    so a value that holds more than half of the records does not stop the cutting;
    where no median cut satisfies l-diversity and the like, other quantiles are tried;
    the `loss` split is ours, after Xu et al. 2006, and so is the choice of `span` in small
    nodes: the paper calls the widest attribute a heuristic. With hierarchies, values stand in
    depth-first order and cuts run between neighbours.

    LeFevre, DeWitt and Ramakrishnan 2006, "Workload-aware anonymization", §3, for the target. Of
    categories, the cut of least entropy, weighted by the records of both sides (InfoGain Mondrian);
    of numbers and dates with more than 20 distinct values, of least squared error (LSD Mondrian).
    Records without a target count for the size of classes alone. Ties go to the better balanced
    cut. Deviations: every boundary between two values is looked at, not only those where the
    category changes; a cut that gains nothing gives way to the `split` rule, where theirs goes on
    until no cut is allowed; in nodes of more than 1,024 records, where models refuse cuts, one is
    tried for each 1,024th of the records. The guided part costs O(n d) for each level of the tree.
    """

    strict: bool = True
    split: Split = "auto"
    target: Target = None
    weights: Weights = field(default_factory=dict)

    type: ClassVar[str] = "mondrian"
    title: ClassVar[str] = _("Mondrian")
    summary: ClassVar[str] = _(
        "Cuts the table again and again. Fast at any size; classes do not overlap."
    )
    recodes: ClassVar[Recodes] = "spans"
    spends_limit: ClassVar[bool] = True
    largest_fragment: ClassVar[int | None] = LINEAR

    @property
    def by_tuple(self) -> bool:
        """Whether equal records stay together."""
        return self.strict

    @property
    def hides_refusals(self) -> bool:
        """Of strict cuts that follow no target."""
        return self.strict and self.target is None

    def __post_init__(self) -> None:
        if self.split not in ("auto", "loss", "span"):
            raise PolicyError(f"mondrian: split is {self.split!r}; it must be auto, loss or span")
        if self.target is not None and not self.strict:
            raise PolicyError("mondrian: target needs strict cuts; leave strict out")

    @property
    def cuts(self) -> Mondrian | None:
        """These cuts, where equal records stay together."""
        return self if self.strict else None

    def tried_cuts(self, n_tuples: int) -> TriedCuts:
        """Return up to how many tuples of a node which cuts are tried, in a table of so many."""
        limit = _largest_tried(n_tuples)
        if self.split == "loss" or (self.split == "auto" and n_tuples <= LARGE):
            return TriedCuts(every=limit)
        return TriedCuts(medians=limit if n_tuples <= LARGE else 0)

    def with_chance(self, criteria: Criteria, key: int | None) -> Criteria:
        """Return criteria by which nodes are left whole by chance, where there is a key."""
        if key is None or not self.hides_refusals:
            return criteria
        return criteria._replace(chance=CHANCE, key=key)

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes that satisfy every model.

        problem: With a target, no record is suppressed. Nobody is told of progress: there is no
            search that could be stopped.
        """
        table, costs, models = problem.table, problem.costs, problem.models
        by_row = not self.strict
        if table.n_rows == 0:
            return Partition(np.empty(0, np.int32), 0, by_row)
        criteria = self.with_chance(compile_criteria(models, table), problem.key)
        require_feasible(table, models)
        limit = int(problem.suppression_limit * table.n_rows + 1e-9)
        if self._cuts_by_span(table) and not limit and counts_suffice(table, criteria):
            return partition_by_span(table, costs, criteria)
        aim = None if self.target is None else guiding_target(table, self.target)
        records = _records(table, by_row=by_row, aim=aim)
        tried = self.tried_cuts(len(records))
        is_start = np.zeros(len(records), np.bool_)
        if aim is not None:
            _refine_guided(records, costs, criteria, tried, is_start, aim)
            labels = _in_table_order(records, np.cumsum(is_start, dtype=np.int32) - np.int32(1))
            account = aim.account(labels, table.weights)
            return Partition(labels, int(is_start.sum()), account=account)
        records = self._divide(records, costs, criteria, tried, is_start)
        if limit == 0:
            classes = np.cumsum(is_start, dtype=np.int32) - np.int32(1)
            return Partition(_in_table_order(records, classes), int(classes[-1]) + 1, by_row)
        hides = problem.key is not None and self.strict and len(criteria.thresholds) > 0
        spend = partial(suppress_outliers, records, is_start, costs, criteria, tried, by_size=hides)
        ordered, labels, least = spend(0)
        best = _in_table_order(ordered, labels)
        # Powers of two below the limit, too: a larger budget is not always spent better,
        # and may shift the distribution that the released classes are compared with.
        powers = [1 << power for power in reversed(range(limit.bit_length()))]
        for budget in dict.fromkeys([limit, *powers]):
            for trim in (False, True) if self.strict and len(records) <= TRIMMED else (False,):
                ordered, labels, loss = spend(budget, trim=trim)
                labels = _in_table_order(ordered, labels)
                if loss < least * (1 - 1e-9) and labels.min() < 0:
                    labels, loss = self._divide_kept(table, labels, costs, criteria, tried)
                if loss < least * (1 - 1e-9) and satisfies_released(
                    table, labels, models, by_row=by_row
                ):
                    best, least = labels, loss
        return Partition(best, int(best.max()) + 1, by_row)

    def _divide_kept(
        self,
        table: EncodedTable,
        labels: Int32s,
        costs: Costs,
        criteria: Criteria,
        tried: TriedCuts,
    ) -> tuple[Int32s, float]:
        """Divide those who stay as a table of their own, by no value of the suppressed.

        labels: negative where suppressed. Return labels and loss.
        """
        records = _records(table, by_row=not self.strict)
        given_up = labels[records[:, -1]] < 0
        lost, records = int(records[given_up, -2].sum()), records[~given_up]
        own, is_start = observed_costs(costs, table.domains, records), np.zeros(len(records), bool)
        records = self._divide(records, own, criteria, tried, is_start)
        classes = np.cumsum(is_start, dtype=np.int32) - np.int32(1)
        found = np.full(len(labels), SUPPRESSED, np.int32)
        found[records[:, -1]] = classes
        starts = np.flatnonzero(is_start)
        stops = np.append(starts[1:], len(records))
        work = workspace(int((stops - starts).max()), costs)
        loss = total_loss(records, starts, stops, costs, work)
        return found, loss + float(costs.weights.sum()) * lost

    def _divide(
        self, records: Int32s, costs: Costs, criteria: Criteria, tried: TriedCuts, is_start: Bools
    ) -> Int32s:
        """Mark where classes start in records, and return these without a column for sides."""
        if self.strict:
            refine_in_parallel(records, costs, criteria, tried, is_start, (0, len(records)))
            return records
        work = workspace(len(records), costs)
        refine_relaxed(records, costs, criteria, work, tried.every > 0, is_start)
        return np.delete(records, len(costs.attributes), axis=1)

    def _cuts_by_span(self, table: EncodedTable) -> bool:
        """Whether no cut is tried by its loss, or by a target."""
        by_tuple = self.strict and self.target is None
        return by_tuple and not any(self.tried_cuts(len(table.weights)))

    def refusals(self, problem: Problem, partition: Partition) -> Refusals | None:
        """Return the cuts of classes that were refused; of strict cuts alone.

        None is known in classes of more tuples than every cut is tried of, and where classes may
        have been left whole by chance; nor cuts further up in the tree.
        """
        if not self.strict:
            return None
        table = problem.table
        units = Units.of(table, partition)
        if problem.key is not None and self.target is None:
            return Refusals.of(units, ())
        least = compile_criteria(problem.models, table).min_size
        tuples = np.bincount(partition.labels[partition.labels >= 0], minlength=partition.n_classes)
        tried = tuples <= self.tried_cuts(len(table.weights)).every
        return Refusals.of(
            units,
            (
                sides
                for label, some in enumerate(units.by_class())
                if tried[label]
                for a in range(len(table.domains))
                for sides in cut_in_two(some, units.sizes, units.codes[some, a], least)
            ),
        )


def tree_order(
    table: EncodedTable, costs: Costs, criteria: Criteria, aim: GuidingTarget | None = None
) -> tuple[Ints, Int32s]:
    """Return tuples as the tree of strict cuts holds its classes, and the class of each.

    aim: the target that guides the cuts, if one does. Returns: (n_tuples,) int64 tuple numbers,
        ascending in each class, and (n_tuples,) int32 classes by place in that order, ascending.
    """
    records = _records(table, by_row=False, aim=aim)
    is_start = np.zeros(len(records), np.bool_)
    tried = Mondrian().tried_cuts(len(records))
    if aim is None:
        refine_in_parallel(records, costs, criteria, tried, is_start, (0, len(records)))
    else:
        _refine_guided(records, costs, criteria, tried, is_start, aim)
    classes = np.cumsum(is_start, dtype=np.int32) - np.int32(1)
    order = records[:, -1].astype(np.int64)
    return order[np.lexsort((order, classes))], classes


def refine_nodes(
    table: EncodedTable, bounds: Sequence[int], costs: Costs, criteria: Criteria, tried: TriedCuts
) -> tuple[Int32s, int]:
    """Cut nodes of a tree to the end; return the class of each tuple, and their number.

    bounds: (n_nodes + 1,) where each node begins in the tuples, and where the last one ends.
    tried: up to how many tuples of a node which cuts are tried.
    """
    records = _records(table, by_row=False)
    is_start = np.zeros(len(records), np.bool_)
    for node in pairwise(bounds):
        refine_in_parallel(records, costs, criteria, tried, is_start, node)
    classes = np.cumsum(is_start, dtype=np.int32) - np.int32(1)
    return _in_table_order(records, classes), int(is_start.sum())


def _largest_tried(n_records: int) -> int:
    """Return up to how many tuples of a node cuts are compared by their loss."""
    return min(max((1 << 25) // n_records, 32), 1024)


def _records(table: EncodedTable, *, by_row: bool, aim: GuidingTarget | None = None) -> Int32s:
    """Lay out tuples (or records, with a column for their side) as kernels move them.

    aim: the target that guides the cuts, if one does.
    """
    (n_tuples, d), s = table.codes.shape, table.sensitive_codes.shape[1]
    if not by_row:
        guided = 0 if aim is None else aim.columns.shape[1]
        records = np.empty((n_tuples, d + guided + s + 2), np.int32)
        records[:, :d] = table.codes
        if aim is not None:
            records[:, d : d + guided] = aim.columns
        records[:, d + guided : d + guided + s] = table.sensitive_codes
        records[:, -2] = table.weights
        records[:, -1] = np.arange(n_tuples)
        return records
    order = np.argsort(table.tuple_of_row, kind="stable")
    tuples = table.tuple_of_row[order]
    records = np.zeros((len(order), d + s + 3), np.int32)
    records[:, :d] = table.codes[tuples]
    records[:, d + 1 : d + 1 + s] = table.sensitive_codes[tuples]
    records[:, -2] = 1
    records[:, -1] = order
    return records


def _refine_guided(
    records: Int32s,
    costs: Costs,
    criteria: Criteria,
    tried: TriedCuts,
    is_start: Bools,
    aim: GuidingTarget,
) -> None:
    """Cut by what a cut tells about the target, then what is left as without one."""
    refine_guided(records, len(costs.attributes), criteria, aim, is_start)
    starts = np.flatnonzero(is_start)
    stops = np.append(starts[1:], len(records))
    large = stops - starts > GRAIN
    for node in np.stack([starts[large], stops[large]], axis=1).tolist():
        refine_in_parallel(records, costs, criteria, tried, is_start, (node[0], node[1]))
    sizes = np.add.reduceat(records[:, -2].astype(np.int64), starts)
    left = np.flatnonzero(~large & (sizes >= 2 * criteria.min_size))

    def finish(nodes: Ints) -> None:
        work = workspace(tried.every, costs, tried.medians)
        for start, stop in zip(starts[nodes], stops[nodes], strict=True):
            refine(records, int(start), int(stop), costs, criteria, work, is_start, False)  # noqa: FBT003

    parallel(finish, np.array_split(left, 4 * cores()))


def _in_table_order(records: Int32s, labels: Int32s) -> Int32s:
    """Put labels of records in the order of their tuple or record numbers."""
    ordered = np.empty(len(labels), np.int32)
    put(labels, records[:, -1], ordered)
    return ordered
