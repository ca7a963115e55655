"""ONA: MDAV's classes, improved as long as the loss falls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import PAIRWISE, Algorithm, Problem, Recodes
from kanonym.algorithms.microaggregation.records import microaggregate
from kanonym.data.message import gettext as _
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.kernels.microaggregation.centroid import NUMBER
from kanonym.kernels.microaggregation.mdav import mdav
from kanonym.kernels.microaggregation.ona import ona
from kanonym.models.base import check_flag

WIDTH = 32
"""A class deals with so many others."""

ROUNDS = 20
"""Classes are dissolved so often, unless nothing is gained before."""


@dataclass(frozen=True, slots=True)
class ONA(Algorithm):
    """Microaggregation by local search: the least squared error, for more time than MDAV.

    Quasi-identifiers are numbers without missing values. Where no recoding is asked for,
    each class releases its mean.

    Parameters
    ----------
    standardize
        True: a squared difference counts in variances of its column. False: as it is, so
        columns of large numbers decide alone.

    Notes
    -----
    The classes of `MDAV` are changed step by step, as long as the sum of squared errors
    falls; it is never above that of MDAV. Two classes take the step by which it falls
    most: a class of more than k records gives one away, or two records change places. A
    class that reaches 2 k records is split: the record farthest from the mean and the k - 1
    nearest to it are one class, the others another. Each class deals with the 32 classes of
    the nearest means, until no step is left.

    Then each class in turn is dissolved. Its records move to the nearest classes, which deal
    with those nearby until no step is left, at most 128 times; if the sum has not fallen by
    then, all of that is taken back. This goes on, with the classes that are nearest now,
    for those that have changed or have one nearby that has, until no dissolution is kept,
    and 20 times at most. So all classes have k to 2 k - 1 records.

    The account tells the squared error, a lower bound of that of all divisions into classes of k
    (`least_error`), and the gap between them, as shares of the error of one class of all records.
    Of more than 131,072 records it tells the error alone.

    Records are numbered as by `MDAV`, and what comes first goes first: nothing is random,
    and the values that are released do not depend on the order of the input.

    Cost, beside MDAV's: O(n d) each time that all classes are dissolved, with a large
    factor; more where classes of many records exchange most of them.

    After Thaeter and Reischuk 2021, "Scalable k-anonymous microaggregation: exploiting the
    tradeoff between computational complexity and information loss", SECRYPT: classes give
    records away, are dissolved and split, as long as the loss falls. Deviations: the search
    begins with MDAV's classes. Records are also exchanged. A class is dissolved even where
    that alone does not help, as what follows may (similarly Khomnotai et al. 2018,
    "Iterative group decomposition for refining microaggregation solutions", Symmetry 10).
    Only the 32 nearest classes are looked at.

    """

    standardize: bool = True

    type: ClassVar[str] = "ona"
    summary: ClassVar[str] = _("Microaggregation that improves its classes step by step.")
    recodes: ClassVar[Recodes] = "spans"
    recoding: ClassVar[Recoding | None] = "mean"
    by_size: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    needs_numbers: ClassVar[bool] = True
    largest_fragment: ClassVar[int | None] = PAIRWISE

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_flag(self.type, "standardize", self.standardize)

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes of k to 2 k - 1 records; the problem as of `MDAV.partition`.

        Raises
        ------
        PolicyError
            A model looks at sensitive values, or at a population table.
        SchemaError
            A quasi-identifier is not numeric.
        DataError
            A quasi-identifier has no value in some row.
        InfeasibleError
            The table has fewer than k records.

        """
        table, models = problem.table, problem.models
        search = partial(improve_groups, width=WIDTH, rounds=ROUNDS, above=0.0)
        return microaggregate(table, models, self.type, search, standardize=self.standardize)


def improve_groups(
    rows: NDArray[np.float64],
    weights: NDArray[np.float64],
    k: int,
    *,
    width: int,
    rounds: int,
    above: float,
) -> tuple[NDArray[np.int32], int]:
    """Return the groups of `mdav` when those of the kernel `ona` have been made of them."""
    start, _ = mdav(rows, weights, k, np.full(len(weights), NUMBER, np.int8))
    return ona(rows, weights, start, k, width, rounds, above)
