"""kd-tree: halve the table by one quasi-identifier after another, as SIGO does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import LINEAR, Algorithm, Problem, Recodes
from kanonym.algorithms.criteria import compile_criteria, require_feasible
from kanonym.data.message import gettext as _
from kanonym.data.partition import Partition
from kanonym.data.table import EncodedTable
from kanonym.kernels.partitioning.kd_partition import accumulated_order, halve_in_turn
from kanonym.models.base import PrivacyModel


@dataclass(frozen=True, slots=True)
class KDTree(Algorithm):
    """Local recoding by halving the table, quasi-identifiers in turn.

    Notes
    -----
    The quasi-identifiers are taken in turn, in the order of the table. A set of n records
    is cut behind its record of rank n // 2 in the order of the one whose turn it is,
    with all records that are equal there, if both sides satisfy every model; if not, the next
    one is tried, and where none can be cut the set is a class. Its two sides go on
    with the quasi-identifier that follows. Values stand in the order of their codes:
    numbers, dates and ordered categories in their own, the others by frequency or as
    their hierarchy has them, null last.

    A value that more than half of the records share is never parted from those below it,
    so classes may be large where values repeat; Mondrian tries more cuts, and loses
    less. Neither classes nor their numbers depend on the order of records.

    Cost O(n log n · d) for n tuples and d attributes.

    As the program SIGO (CGI, https://github.com/CGI-FR/SIGO) does it, after Bentley 1975,
    "Multidimensional binary search trees used for associative searching". Deviations: a
    table that does not satisfy the models as a whole is refused, where SIGO
    releases it; entropy l-diversity has its sign; every model may be asked.

    """

    type: ClassVar[str] = "kdtree"
    summary: ClassVar[str] = _("Halves the records again and again, one column after the other.")
    recodes: ClassVar[Recodes] = "spans"
    largest_fragment: ClassVar[int | None] = LINEAR

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes that satisfy every model.

        Parameters
        ----------
        problem
            Costs and the suppression limit are not read: every record is released.

        Raises
        ------
        PolicyError
            A model looks at a population table.
        InfeasibleError
            The table as one class does not satisfy a model.

        """
        table, models = problem.table, problem.models
        return _halve_table(table, models)[0]

    def partition_in_print_order(
        self, table: EncodedTable, models: Sequence[PrivacyModel]
    ) -> tuple[Partition, NDArray[np.int64]]:
        """Return the partition, and the (n_rows,) order in which SIGO prints the records.

        Classes stand in the order of their labels. Inside of a class, records stand as the
        stable sorts on the way to it have left them: by the quasi-identifier that was
        tried last, ties by the one before it, and so on, then as they came.

        Parameters and errors are those of `partition`.
        """
        partition, attempts = _halve_table(table, models)
        order = accumulated_order(
            [table.codes[table.tuple_of_row, a] for a in range(len(table.domains))],
            [domain.size for domain in table.domains],
            partition.labels[table.tuple_of_row],
            attempts,
        )
        return partition, order


def _halve_table(
    table: EncodedTable, models: Sequence[PrivacyModel]
) -> tuple[Partition, NDArray[np.int32]]:
    """Return the partition, and (n_classes,) int32 how many attributes were tried for each."""
    if table.n_rows == 0:
        return Partition(np.empty(0, np.int32), 0), np.empty(0, np.int32)
    criteria = compile_criteria(models, table)
    require_feasible(table, models)
    n = len(table.weights)
    if not table.domains:
        return Partition(np.zeros(n, np.int32), 1), np.zeros(1, np.int32)
    records = np.column_stack([table.codes, table.sensitive_codes, table.weights, np.arange(n)])
    records = np.ascontiguousarray(records, np.int32)
    is_start, attempts = np.zeros(n, np.bool_), np.empty(n, np.int32)
    halve_in_turn(records, criteria, is_start, attempts)
    labels = np.empty(n, np.int32)
    labels[records[:, -1]] = np.cumsum(is_start) - 1
    return Partition(labels, int(is_start.sum())), attempts[is_start]
