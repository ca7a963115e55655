"""V-MDAV: microaggregation by groups of varying size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from kanonym.algorithms.base import PAIRWISE, Algorithm, Problem, Recodes
from kanonym.algorithms.microaggregation.records import kinds_of, microaggregate
from kanonym.data.errors import PolicyError
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.kernels.microaggregation.v_mdav import v_mdav
from kanonym.models.base import check_flag


@dataclass(frozen=True, slots=True)
class VMDAV(Algorithm):
    """Microaggregation whose classes grow by records that are nearer to them than to others.

    Quasi-identifiers, distances, centroids and what is released are those of `MDAV`.

    Parameters
    ----------
    gamma
        At least 0: how readily classes grow. 0: they do not. About 0.2 for scattered
        records, about 1.1 for records in clusters, say the authors.
    standardize
        As of `MDAV`.

    Notes
    -----
    The centroid of the table is computed once. As long as k records are left: the one
    farthest from the centroid and its k - 1 nearest are a class. It grows up to 2 k - 1
    records: of the records that are left, let e be nearest to any member, at distance
    d_in, and d_out be the distance from e to the nearest other one that is left; e joins
    while d_in < gamma d_out. The records that are left in the end, fewer than k, join the
    class whose centroid is nearest. Several may join the same one, so a class has up
    to 3 k - 2 records.

    Equal distances are decided as in `MDAV`, equally near centroids by the order of the
    classes.

    The account tells how far the squared error may be from the least: see `ONA`.

    Cost O(n²d) at the worst, with a k-d tree as for `MDAV`; about as many questions to
    it as there are records, where gamma is above 0.

    Solanas and Martínez-Ballesté 2006, "V-MDAV: a multivariate microaggregation with
    variable group size", COMPSTAT. Where e is the last record, which the paper leaves
    open, d_out is infinite. Deviation: mixed attributes are taken, as by MDAV-generic.

    """

    gamma: float = 0.2
    standardize: bool = True

    type: ClassVar[str] = "v-mdav"
    recodes: ClassVar[Recodes] = "spans"
    recoding: ClassVar[Recoding | None] = "mean"
    by_size: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    largest_fragment: ClassVar[int | None] = PAIRWISE

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        number = isinstance(self.gamma, int | float) and not isinstance(self.gamma, bool)
        if not number or not 0 <= self.gamma < math.inf:
            raise PolicyError(f"v-mdav: gamma is {self.gamma!r}; it must be a number of at least 0")
        check_flag(self.type, "standardize", self.standardize)

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes of at least k records; the problem as of `MDAV.partition`.

        Raises
        ------
        PolicyError
            A model looks at sensitive values, or at a population table.
        DataError
            A number, a date or an ordered category is missing in some row.
        InfeasibleError
            The table has fewer than k records.

        """
        table, models = problem.table, problem.models
        return microaggregate(
            table,
            models,
            self.type,
            partial(v_mdav, kinds=kinds_of(table), gamma=float(self.gamma)),
            standardize=self.standardize,
            mixed=True,
        )
