"""Optimal univariate microaggregation: one column, the least squared error there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import Algorithm, Problem, Recodes
from kanonym.algorithms.microaggregation.records import microaggregate
from kanonym.data.errors import SchemaError
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.kernels.microaggregation.univariate import optimal_cut


@dataclass(frozen=True, slots=True)
class Univariate(Algorithm):
    """Microaggregation of one column with the least sum of squared errors of all.

    There is one quasi-identifier: numbers without missing values. Where no recoding is asked
    for, each class releases its mean.

    Notes
    -----
    In one dimension the classes of an optimum are intervals of the sorted records, of k to
    2 k - 1 each: a shortest path finds them. Of equally good cuts the one whose last class
    is the smallest is taken, and so on backwards. Equal records may be parted; the values
    that are released do not depend on the order of the input.

    The account tells the squared error; it is its own lower bound.

    Cost O(n log n).

    Hansen and Mukherjee 2003, "A polynomial algorithm for optimal univariate
    microaggregation", IEEE TKDE 15(4).

    """

    type: ClassVar[str] = "univariate"
    recodes: ClassVar[Recodes] = "spans"
    recoding: ClassVar[Recoding | None] = "mean"
    by_size: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    needs_numbers: ClassVar[bool] = True

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes of k to 2 k - 1 records; the problem as of `MDAV.partition`.

        Raises
        ------
        PolicyError
            A model looks at sensitive values, or at a population table.
        SchemaError
            There is more than one quasi-identifier, or it is not numeric.
        DataError
            It has no value in some row.
        InfeasibleError
            The table has fewer than k records.

        """
        table, models = problem.table, problem.models
        if len(table.domains) > 1:
            names = ", ".join(domain.name for domain in table.domains)
            raise SchemaError(
                f"univariate takes one quasi-identifier, not {len(table.domains)} ({names}): "
                "choose mdav, which forms classes over all of them, or individual-ranking, which "
                "takes each column alone"
            )
        return microaggregate(table, models, self.type, _cut, standardize=False, optimal=True)


def cut_in_order(values: NDArray[np.float64], k: int) -> NDArray[np.int32]:
    """Return (n,) int32: the group of each of (n,) numbers in any order, ascending by value.

    Of equal numbers those that come first are in the lower group.
    """
    order = np.argsort(values, kind="stable")
    labels = np.empty(len(values), np.int32)
    labels[order] = optimal_cut(values[order], k)
    return labels


def _cut(
    rows: NDArray[np.float64],
    weights: NDArray[np.float64],  # noqa: ARG001 - what one column weighs changes nothing
    k: int,
) -> tuple[NDArray[np.int32], int]:
    """Group (n, 1) records as `microaggregate` asks for."""
    labels = cut_in_order(rows[:, 0], k)
    return labels, int(labels.max()) + 1
