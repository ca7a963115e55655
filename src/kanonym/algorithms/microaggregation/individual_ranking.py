"""Individual ranking: every column is microaggregated alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from kanonym.algorithms.base import Algorithm, Problem, Recodes, require_feasible
from kanonym.algorithms.microaggregation import records
from kanonym.algorithms.small_classes import merge_small_classes
from kanonym.data.errors import InfeasibleError
from kanonym.data.errors import gettext as _
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.kernels.arrays import Floats, Int32s
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.microaggregation.univariate import optimal_cut
from kanonym.kernels.parallel import parallel
from kanonym.models.base import check_integer


@dataclass(frozen=True, slots=True)
class IndividualRanking(Algorithm):
    """Microaggregation of every column alone: each released value is one of k records or more.

    It loses little, and protects single columns only: the combination of a record's values
    is often its own. A release without a model has the k that it happens to have. Where
    the policy has k-anonymity, combinations that are too rare are merged with others,
    which costs what the columns had kept.

    Quasi-identifiers are numbers without missing values. Where no recoding is asked for,
    each group releases its mean.

    Parameters
    ----------
    k
        Fewest records of a group in a column, at least 2.

    Notes
    -----
    The values of a column are sorted and cut into groups of k to 2 k - 1 with the least sum
    of squared errors (Hansen and Mukherjee 2003, "A polynomial algorithm for optimal
    univariate microaggregation", IEEE TKDE 15(4)). Equal values may be parted; which record is in
    which group is then decided by the other columns, so the values that are released do not
    depend on the order of the input.

    Classes are the combinations of groups that occur. One that has fewer records than the
    policy asks for joins the one whose released values are nearest, in standard deviations of
    the columns, the smallest first, and takes its groups; their means are those of the
    records that are then in them.

    The account tells the squared error, and that of the columns' groups before any merge, which is
    the least there is.

    Cost O(d n log n), and a search for the nearest combination for each rare one.

    Defays and Nanopoulos 1993, "Panels of enterprises and confidentiality: the small
    aggregates method", Proc. of the 1992 Symposium on Design and Analysis of Longitudinal
    Surveys. Deviation: there all groups but the last have k records; groups of the least
    squared error (Hansen and Mukherjee 2003) never lose more.

    """

    k: int = 3

    type: ClassVar[str] = "individual-ranking"
    summary: ClassVar[str] = _(
        "Microaggregates each column by itself. It gives no k-anonymity of records."
    )
    recodes: ClassVar[Recodes] = "spans"
    recoding: ClassVar[Recoding | None] = "mean"
    own_groups: ClassVar[bool] = True
    by_size: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    needs_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a k that changes nothing."""
        check_integer(self.type, "k", self.k, 2)

    def partition(self, problem: Problem) -> Partition:
        """Divide every column into groups; classes are their combinations.

        The problem is that of `MDAV.partition`; there may be no model.

        Raises
        ------
        PolicyError
            A model looks at sensitive values, or at a population table.
        SchemaError
            A quasi-identifier is not numeric.
        DataError
            A quasi-identifier has no value in some row.
        InfeasibleError
            The table has fewer than k records, the policy's k or that of the groups.

        """
        table, models = problem.table, problem.models
        least = records.class_size(models, table, self.type)
        if table.n_rows == 0:
            return Partition(np.empty(0, np.int32), 0)
        records.require_numbers(table, self.type)
        require_feasible(table, models)
        if not table.domains:
            return Partition(np.zeros(len(table.weights), np.int32), 1)
        if self.k > table.n_rows:
            raise InfeasibleError(
                f"individual-ranking: k is {self.k}, but the table has {table.n_rows} records: no "
                "group can have so many"
            )
        order = np.argsort(table.tuple_of_row, kind="stable")
        rows, weights = records.record_space(table, table.tuple_of_row[order], standardize=True)
        columns = parallel(partial(cut_in_order, k=self.k), rows.T)
        found = group_rows(columns, [int(column.max()) + 1 for column in columns])
        ones = np.ones(len(rows), np.int64)
        classes, groups = merge_small_classes(
            rows, weights, ones, (found.labels, found.codes), least
        )
        labels = np.empty_like(classes)
        labels[order] = classes
        kinds = records.kinds_of(table)
        released = classes[:, np.newaxis] if groups is None else groups[classes]
        error, bound = (
            float(
                sum(
                    records.squared_error(rows[:, [a]], weights[[a]], kinds[[a]], own)
                    for a, own in enumerate(grouping)
                )
            )
            for grouping in (released.T, columns)
        )
        account = records.error_account(rows, weights, kinds, error, bound)
        return Partition(
            labels, int(classes.max()) + 1, by_row=True, groups=groups, account=account
        )


def cut_in_order(values: Floats, k: int) -> Int32s:
    """Return (n,) int32: the group of each of (n,) numbers in any order, ascending by value.

    Of equal numbers those that come first are in the lower group.
    """
    order = np.argsort(values, kind="stable")
    labels = np.empty(len(values), np.int32)
    labels[order] = optimal_cut(values[order], k)
    return labels
