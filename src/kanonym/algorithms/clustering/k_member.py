"""k-member: classes grown by the records that add least to their loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import PAIRWISE, Algorithm, Problem, Recodes
from kanonym.algorithms.criteria import require_feasible
from kanonym.algorithms.microaggregation.records import class_size
from kanonym.algorithms.record_exchange import exchange_nearby
from kanonym.data.message import gettext as _
from kanonym.data.partition import Partition
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.classes.penalty import Costs
from kanonym.kernels.microaggregation.k_member import k_member
from kanonym.models.base import check_integer


@dataclass(frozen=True, slots=True)
class KMember(Algorithm):
    """Local recoding: classes grow record by record, each time by the one that costs least.

    For small tables: it loses less than Mondrian, and takes the square of the table in time.

    Parameters
    ----------
    seed
        Draws the record that the first class begins with, an integer of at least 0.

    Notes
    -----
    A class begins with the record that is farthest from the beginning of the class before it,
    and takes in the record that adds least to its loss, until it has k. The fewer than k
    records that are left in the end go, one by one, to the class whose loss grows least:
    n // k classes come out. The loss of a class is its number of records times the sum over
    its attributes of the normalized certainty penalty of what the recoding asked for
    releases; the distance of two records is the loss that they have together.

    Records that are equal to one of the class, and cost it nothing, come before others that
    cost nothing; further ties are decided by the order of the values, the attribute of fewest
    values first. So the order of the input does not matter.

    Classes then exchange records with those nearby (`record_exchange`), as long as the loss falls
    and up to a fixed effort.

    Cost O(n²d) for n tuples at the worst, far less where few attributes of few values tell
    most tuples apart. Numbers that are all different are the hard case.

    Byun, Kamra, Bertino and Li 2007, "Efficient k-anonymization using clustering techniques",
    §4. Deviations: the penalty takes the place of their distances, so that what is made
    small is what is measured; the records that are left go in the order of their values, not
    of a draw; and records are exchanged.

    """

    seed: int = 0

    type: ClassVar[str] = "k-member"
    summary: ClassVar[str] = _(
        "Adds the nearest records to a class, one by one. Small tables only."
    )
    recodes: ClassVar[Recodes] = "spans"
    by_size: ClassVar[bool] = True
    largest_fragment: ClassVar[int | None] = PAIRWISE

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_integer(self.type, "seed", self.seed, 0)

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes of at least k records.

        Parameters
        ----------
        problem
            Its models are k-anonymity, or such that a class size is sufficient for: average
            risk, and uniqueness in the sample or the population. The suppression limit is not
            read: every record is released.

        Raises
        ------
        PolicyError
            A model looks at sensitive values, or at a population table.
        InfeasibleError
            The table has fewer than k records.

        """
        table, costs, models = problem.table, problem.costs, problem.models
        k = class_size(models, table, self.type)
        if table.n_rows == 0:
            return Partition(np.empty(0, np.int32), 0, by_row=True)
        require_feasible(table, models)
        if not table.domains:
            return Partition(np.zeros(len(table.weights), np.int32), 1)
        # A value of few costs most: such attributes tell first what a record cannot win.
        turn = np.argsort([domain.size for domain in table.domains], kind="stable")
        columns = [np.ascontiguousarray(table.codes[table.tuple_of_row, a]) for a in turn]
        groups = group_rows(columns, [table.domains[a].size for a in turn])
        order = np.argsort(groups.labels, kind="stable")
        drawn = np.random.default_rng(self.seed).integers(table.n_rows)
        first = int(groups.labels[order[drawn]])
        turned = _reorder_costs(costs, turn)
        found, n_classes = k_member(groups.codes, groups.sizes, turned, min(k, table.n_rows), first)
        codes = np.repeat(groups.codes, groups.sizes, axis=0)
        found, n_steps = exchange_nearby(codes, _number_along(found), k, turned)
        labels = np.empty_like(found)
        labels[order] = found
        return Partition(labels, int(n_classes), by_row=True, account={"exchanges": n_steps})


def _number_along(labels: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return labels whose classes are numbered in the order of their first records."""
    _, first, labels_of_all = np.unique(labels, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int32)
    numbers[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return numbers[labels_of_all]


def _reorder_costs(costs: Costs, turn: NDArray[np.int64]) -> Costs:
    """Return the costs of the attributes in another order."""
    ends = np.append(costs.attributes[1:, 1], len(costs.positions))
    stretches = [np.arange(costs.attributes[a, 1], ends[a]) for a in turn]
    axis = np.concatenate(stretches)
    attributes = costs.attributes[turn]
    attributes[:, 1] = np.cumsum([0, *map(len, stretches[:-1])])
    return Costs(
        attributes,
        costs.positions[axis],
        np.ascontiguousarray(costs.ancestors[:, axis]),
        np.ascontiguousarray(costs.losses[:, axis]),
    )
