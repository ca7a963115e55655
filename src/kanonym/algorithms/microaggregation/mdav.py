"""MDAV: microaggregation by groups of the nearest records at the ends of the table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from kanonym.algorithms.base import PAIRWISE, Algorithm, Problem, Recodes
from kanonym.algorithms.microaggregation.records import kinds_of, microaggregate
from kanonym.data.message import gettext as _
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.kernels.microaggregation.mdav import mdav
from kanonym.models.base import check_flag


@dataclass(frozen=True, slots=True)
class MDAV(Algorithm):
    """Microaggregation: classes of k records near each other, released as their centroid.

    Quasi-identifiers are of any kind. Numbers, dates and ordered categories have no
    missing values; of others null is a value of its own. Where no recoding is asked for,
    each class releases the mean of numbers, the median of dates and ordered categories,
    and the most frequent one of other values.

    Parameters
    ----------
    standardize
        True: a squared difference counts in variances of its attribute. False: as it is,
        so columns of large numbers decide alone; in days for dates and times, in ranks
        for ordered categories, and 1 for two other values that differ.

    Notes
    -----
    Of n records that are left, as long as n >= 3 k: the centroid; the record r farthest from
    it and the k - 1 records nearest to r are a class; the record s farthest from r, and the
    k - 1 of the others that are nearest to s, are another. Of 2 k to 3 k - 1 records, the
    one farthest from the centroid and its nearest are a class, the others another; of
    fewer than 2 k, all are one. So every class has k records, the last one up to 2 k - 1.

    Distances are Euclidean. Ordered categories differ by their ranks among those of the
    table, nominal values by 0 or 1; hierarchies are not read. The centroid has the mean of
    numbers and times, the lower median of ranks, and the most frequent nominal value, of
    equally frequent ones that of the lowest code. The variance is half of the mean squared
    difference of two records, for any kind: a nominal attribute of two values weighs what
    it does written as 0 and 1, and a difference weighs 2 / (1 - sum of squared shares).

    Equal distances are decided by row number. Rows are numbered as the quasi-identifiers
    sort them; equal records may be parted.

    The account tells how far the squared error may be from the least: see `ONA`.

    Cost O(n²d / k) at the worst; in few attributes most distances are not computed
    (`kernels.neighbours.kdtree`), with the same result.

    Domingo-Ferrer and Mateo-Sanz 2002, "Practical data-oriented microaggregation for
    statistical disclosure control"; Domingo-Ferrer and Torra 2005, "Ordinal, continuous
    and heterogeneous k-anonymity through microaggregation" (MDAV-generic), for the
    remainder and for mixed attributes. Deviations: s and its neighbours are chosen when the
    class of r is gone, so no record is claimed by both. Nominal attributes are scaled so
    that they contribute to distances what a standardized number does (Suarez-Alvarez et
    al. 2012, "Statistical approach to normalization of feature vectors and clustering of
    mixed datasets").

    """

    standardize: bool = True

    type: ClassVar[str] = "mdav"
    summary: ClassVar[str] = _(
        "Microaggregation: numbers stay numbers, each the mean of its class."
    )
    recodes: ClassVar[Recodes] = "spans"
    recoding: ClassVar[Recoding | None] = "mean"
    by_size: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    largest_fragment: ClassVar[int | None] = PAIRWISE

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_flag(self.type, "standardize", self.standardize)

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes of at least k records.

        Parameters
        ----------
        problem
            Its models are k-anonymity, or such that a class size is sufficient for: average
            risk, and uniqueness in the sample or the population. Hierarchies, costs and the
            suppression limit are not read: every record is released.

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
            partial(mdav, kinds=kinds_of(table)),
            standardize=self.standardize,
            mixed=True,
        )
