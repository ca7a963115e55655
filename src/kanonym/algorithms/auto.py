"""The algorithm that loses least, chosen by trying."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from kanonym.algorithms.base import PAIRWISE, Algorithm, Problem, Recodes
from kanonym.algorithms.clustering import KMember
from kanonym.algorithms.mondrian import Mondrian
from kanonym.algorithms.options import Weights
from kanonym.algorithms.segmentation import ANY_ORDER, Segmentation
from kanonym.data.errors import gettext as _
from kanonym.data.partition import Partition
from kanonym.data.table import EncodedTable
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.partitioning.mondrian import total_loss
from kanonym.kernels.partitioning.workspace import workspace

SMALL = 20_000
"""k-member takes time that grows with the square of the tuples: seconds for so many."""


@dataclass(frozen=True, slots=True)
class Auto(Algorithm):
    """Segmentation; or strict Mondrian or k-member, where that loses less.

    Segmentation nearly always loses less than Mondrian, which takes little additional time, and is
    the only one that suppresses records. If only a class size is required, and the table has at
    most 20,000 distinct tuples, k-member is run, too. They are compared by their loss, with
    suppressed records counted as completely lost. Which one loses least depends on sensitive
    values: where a model looks at them and the problem has a key, any is taken by chance
    (`ANY_ORDER`).

    Parameters
    ----------
    weights
        By quasi-identifier: how much its loss counts; 1 for the others. Only their ratios matter;
        what has weight 0 is not looked at.
    """

    weights: Weights = field(default_factory=dict)

    type: ClassVar[str] = "auto"
    title: ClassVar[str] = _("Automatic choice")
    summary: ClassVar[str] = _(
        "Tries segmentation, Mondrian and, in small tables, k-member, and keeps what loses least. "
        "The usual choice."
    )
    hides_growing: ClassVar[bool] = False
    recodes: ClassVar[Recodes] = "spans"
    spends_limit: ClassVar[bool] = True
    largest_fragment: ClassVar[int | None] = PAIRWISE

    @property
    def hides_refusals(self) -> bool:
        """Yes."""
        return True

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes that satisfy every model; the problem as of `Mondrian`."""
        table, costs = problem.table, problem.costs
        tried: list[Algorithm] = [Segmentation(), Mondrian()]
        by_size = all(model.attribute is None for model in problem.models)
        if by_size and len(table.weights) <= SMALL:
            tried.append(KMember())
        partitions = [algorithm.partition(problem) for algorithm in tried]
        losses = [_loss(table, costs, partition) for partition in partitions]
        best = int(np.argmin(losses))
        if problem.key is not None and not by_size:
            random = np.random.default_rng([problem.key, table.n_rows, 2])
            other = int(random.integers(len(tried)))
            if random.random() < ANY_ORDER:
                best = other
        account = {"chosen": tried[best].type, **partitions[best].account}
        return replace(partitions[best], account=account)


def _loss(table: EncodedTable, costs: Costs, partition: Partition) -> float:
    """Return the loss of a partition, summed over records and attributes."""
    codes, weights = table.codes, table.weights
    if partition.by_row:
        codes, weights = codes[table.tuple_of_row], np.ones(table.n_rows, np.int64)
    order = np.argsort(partition.labels, kind="stable")
    labels = partition.labels[order]
    records = np.zeros((len(order), codes.shape[1] + 2), np.int32)
    records[:, :-2] = codes[order]
    records[:, -2] = weights[order]
    bounds = np.searchsorted(labels, np.arange(partition.n_classes + 1))
    sizes = np.diff(bounds)
    work = workspace(int(sizes.max(initial=1)), costs)
    lost = int(weights[partition.labels < 0].sum()) * costs.weights.sum()
    starts, stops = bounds[:-1].copy(), bounds[1:].copy()
    return float(lost + total_loss(records, starts, stops, costs, work))
