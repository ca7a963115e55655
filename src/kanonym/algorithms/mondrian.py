"""Mondrian: cut the table again and again, as long as both sides satisfy the models."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np

from kanonym.algorithms.base import (
    LINEAR,
    Algorithm,
    Problem,
    Recodes,
    classes_of,
    compile_criteria,
    require_feasible,
    without_conditions,
)
from kanonym.algorithms.options import Split, Target
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
from kanonym.kernels.partitioning.mondrian import (
    refine,
    refine_relaxed,
    separate,
    suppressing_cuts,
    total_loss,
)
from kanonym.kernels.partitioning.workspace import workspace
from kanonym.models.base import PrivacyModel

LARGE = 1 << 19
"""Tables of more tuples than this are cut by `span` unless the policy says `loss`."""

TRIMMED = 1 << 22
"""Tables of more tuples are not searched for outliers as a whole: it takes memory."""

CHANCE = 0.1
"""How probable it is that a node of 2 k records is left whole, whatever it allows."""

TRIMS = 32
"""So many cuts at the most give up outliers of the whole table."""


class TriedCuts(NamedTuple):
    """Up to how many tuples of a node cuts are compared by their loss."""

    every: int = 0
    medians: int = 0


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

    type: ClassVar[str] = "mondrian"
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
        if self.strict:
            _refine_parallel(records, costs, criteria, tried, is_start, (0, len(records)))
        else:
            work = workspace(len(records), costs)
            refine_relaxed(records, costs, criteria, work, tried.every > 0, is_start)
            records = np.delete(records, len(costs.attributes), axis=1)
        if limit == 0:
            classes = np.cumsum(is_start, dtype=np.int32) - np.int32(1)
            return Partition(_in_table_order(records, classes), int(classes[-1]) + 1, by_row)
        hides = problem.key is not None and self.strict and len(criteria.thresholds) > 0
        spend = partial(_suppress, records, is_start, costs, criteria, tried, by_size=hides)
        ordered, labels, least = spend(0)
        best = _in_table_order(ordered, labels)
        # Powers of two below the limit, too: a larger budget is not always spent better,
        # and may shift the distribution that the released classes are compared with.
        powers = [1 << power for power in reversed(range(limit.bit_length()))]
        for budget in dict.fromkeys([limit, *powers]):
            for trim in (False, True) if self.strict and len(records) <= TRIMMED else (False,):
                ordered, labels, loss = spend(budget, trim=trim)
                labels = _in_table_order(ordered, labels)
                if loss < least * (1 - 1e-9) and _satisfies_released(
                    table, labels, models, by_row=by_row
                ):
                    best, least = labels, loss
        return Partition(best, int(best.max()) + 1, by_row)

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
        _refine_parallel(records, costs, criteria, tried, is_start, (0, len(records)))
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
        _refine_parallel(records, costs, criteria, tried, is_start, node)
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


def _refine_parallel(
    records: Int32s,
    costs: Costs,
    criteria: Criteria,
    tried: TriedCuts,
    is_start: Bools,
    whole: tuple[int, int],
) -> None:
    """Refine one node on all cores; what becomes of a node depends on it alone."""

    def advance(node: tuple[int, int]) -> list[tuple[int, int]]:
        start, stop = node
        large = stop - start > GRAIN
        work = workspace(tried.every, costs, tried.medians)
        middle = int(refine(records, start, stop, costs, criteria, work, is_start, large))
        return [(start, middle), (middle, stop)] if large and middle >= 0 else []

    nodes = [whole]
    while nodes:
        nodes = [node for cut in parallel(advance, nodes) for node in cut]


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
        _refine_parallel(records, costs, criteria, tried, is_start, (node[0], node[1]))
    sizes = np.add.reduceat(records[:, -2].astype(np.int64), starts)
    left = np.flatnonzero(~large & (sizes >= 2 * criteria.min_size))

    def finish(nodes: Ints) -> None:
        work = workspace(tried.every, costs, tried.medians)
        for start, stop in zip(starts[nodes], stops[nodes], strict=True):
            refine(records, int(start), int(stop), costs, criteria, work, is_start, False)  # noqa: FBT003

    parallel(finish, np.array_split(left, 4 * cores()))


def _suppress(
    records: Int32s,
    is_start: Bools,
    costs: Costs,
    criteria: Criteria,
    tried: TriedCuts,
    budget: int,
    *,
    trim: bool = False,
    by_size: bool = False,
) -> tuple[Int32s, Int32s, float]:
    """Spend a budget where a suppressed record saves most; return records, classes and loss.

    trim: first give up outliers of the whole table, and refine what stays anew. by_size: who is
        suppressed does not depend on sensitive values; classes then give up nobody.
    """
    records, is_start = records.copy(), is_start.copy()
    given_up = np.zeros(len(records), np.bool_)
    first, end = 0, len(records)
    if trim:
        alone = without_conditions(criteria, criteria.min_size) if by_size else criteria
        first, end = _trim(records, costs, alone, budget)
        given_up[:first] = given_up[end:] = True
        budget -= int(records[given_up, -2].sum())
        is_start[:] = False
        _refine_parallel(records, costs, criteria, tried, is_start, (first, end))
    queue: list[tuple[float, int, int, tuple[int, ...]]] = []

    def enqueue(starts: Ints, stops: Ints) -> None:
        gains, cuts = suppressing_cuts(records, starts, stops, costs, criteria, whole, budget)
        for i in np.flatnonzero(gains > 0):
            cut = tuple(cuts[i].tolist())
            heapq.heappush(queue, (-gains[i], int(starts[i]), int(stops[i]), cut))

    starts = np.flatnonzero(is_start)
    stops = np.append(starts[1:], end)
    whole = workspace(int((stops - starts).max()), costs)
    fine = workspace(tried.every, costs, tried.medians)
    if budget and not by_size:
        enqueue(starts, stops)
    while queue:
        _, start, stop, (attribute, code, side, n_records) = heapq.heappop(queue)
        if n_records > budget:
            enqueue(np.array([start]), np.array([stop]))
            continue
        budget -= n_records
        middle = separate(records, start, stop, attribute, code)
        kept, lost = ((start, middle), (middle, stop))[:: 1 - 2 * side]
        is_start[middle] = True
        given_up[slice(*lost)] = True
        refine(records, kept[0], kept[1], costs, criteria, fine, is_start, False)  # noqa: FBT003
        starts = kept[0] + np.flatnonzero(is_start[slice(*kept)])
        enqueue(starts, np.append(starts[1:], kept[1]))
    bounds = np.append(np.flatnonzero(is_start), end)
    live = ~given_up[bounds[:-1]]
    loss = total_loss(records, bounds[:-1][live], bounds[1:][live], costs, whole)
    loss += len(costs.attributes) * int(records[given_up, -2].sum())
    labels = np.cumsum(is_start & ~given_up, dtype=np.int32) - np.int32(1)
    labels[given_up] = SUPPRESSED
    return records, labels, loss


def _trim(records: Int32s, costs: Costs, criteria: Criteria, budget: int) -> tuple[int, int]:
    """Give up outliers of the whole table one cut after another; return what stays."""
    start, stop = 0, len(records)
    work = workspace(len(records), costs)
    for _step in range(TRIMS):
        node = np.array([start]), np.array([stop])
        gains, cuts = suppressing_cuts(records, *node, costs, criteria, work, budget)
        if gains[0] <= 0:
            break
        attribute, code, side, n_records = cuts[0].tolist()
        middle = int(separate(records, start, stop, attribute, code))
        start, stop = ((start, middle), (middle, stop))[side]
        budget -= n_records
    return start, stop


def _in_table_order(records: Int32s, labels: Int32s) -> Int32s:
    """Put labels of records in the order of their tuple or record numbers."""
    ordered = np.empty(len(labels), np.int32)
    put(labels, records[:, -1], ordered)
    return ordered


def _satisfies_released(
    table: EncodedTable, labels: Int32s, models: Sequence[PrivacyModel], *, by_row: bool
) -> bool:
    """Say whether classes satisfy the models, compared with all records and with the released."""
    if by_row:
        table = replace(
            table,
            codes=table.codes[table.tuple_of_row],
            sensitive_codes=table.sensitive_codes[table.tuple_of_row],
            weights=np.ones(table.n_rows, np.int64),
        )
    kept, n_classes = labels >= 0, int(labels.max()) + 1
    released = replace(
        table, sensitive_codes=table.sensitive_codes[kept], weights=table.weights[kept]
    )
    compared = [classes_of(table, labels, n_classes), classes_of(released, labels[kept], n_classes)]
    return all(bool(model.satisfied(classes).all()) for model in models for classes in compared)
