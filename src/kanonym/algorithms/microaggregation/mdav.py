"""Microaggregation: MDAV, ONA, MONA, and individual ranking."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from kanonym.algorithms.base import Algorithm, Problem, Recodes, require_feasible
from kanonym.algorithms.microaggregation import records
from kanonym.algorithms.microaggregation.records import Microaggregation, kinds_of, microaggregate
from kanonym.algorithms.options import Weights
from kanonym.algorithms.small_classes import merge_small_classes
from kanonym.data.errors import InfeasibleError
from kanonym.data.errors import gettext as _
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.microaggregation.mdav import NUMBER, blocks, mdav
from kanonym.kernels.microaggregation.ona import ona
from kanonym.kernels.microaggregation.univariate import optimal_cut
from kanonym.kernels.parallel import parallel
from kanonym.models.base import check_flag, check_integer


@dataclass(frozen=True, slots=True)
class MDAV(Microaggregation):
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
    weights
        By quasi-identifier: by how much its differences are multiplied; 1 for the others. Only
        their ratios matter; what has weight 0 is not looked at.

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

    Domingo-Ferrer and Mateo-Sanz 2002, "Practical data-oriented microaggregation for statistical
    disclosure control"; Domingo-Ferrer and Torra 2005, "Ordinal, continuous and heterogeneous
    k-anonymity through microaggregation" (MDAV-generic), for the remainder and for mixed
    attributes. Deviations: s and its neighbours are chosen when the class of r is gone, so no
    record is claimed by both. Nominal attributes are scaled so that they contribute to distances
    what a standardized number does (Suarez-Alvarez et al. 2012, "Statistical approach to
    normalization of feature vectors and clustering of mixed datasets").
    """

    standardize: bool = True
    weights: Weights = field(default_factory=dict)

    type: ClassVar[str] = "mdav"
    title: ClassVar[str] = _("Microaggregation (MDAV)")
    summary: ClassVar[str] = _(
        "Microaggregation: numbers stay numbers, each the mean of its class."
    )

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes of at least k records.

        problem: Its models are k-anonymity, or such that a class size is sufficient for: average
            risk, and uniqueness in the sample or the population. Hierarchies, costs and the
            suppression limit are not read: every record is released.
        """
        kernel = partial(mdav, kinds=kinds_of(problem.table))
        return microaggregate(problem, self, kernel, mixed=True)


WIDTH = 32
"""A class deals with so many others."""

ROUNDS = 20
"""Classes are dissolved so often, unless nothing is gained before."""


@dataclass(frozen=True, slots=True)
class ONA(Microaggregation):
    """Microaggregation by local search: the least squared error, for more time than MDAV.

    Quasi-identifiers are numbers without missing values. Where no recoding is asked for,
    each class releases its mean.

    Parameters
    ----------
    standardize
        True: a squared difference counts in variances of its column. False: as it is, so
        columns of large numbers decide alone.
    weights
        As of `MDAV`.

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

    After Thaeter and Reischuk 2021, "Scalable k-anonymous microaggregation: exploiting the tradeoff
    between computational complexity and information loss", SECRYPT: classes give records away, are
    dissolved and split, as long as the loss falls. Deviations: the search begins with MDAV's
    classes. Records are also exchanged. A class is dissolved even where that alone does not help,
    as what follows may (similarly Khomnotai et al. 2018, "Iterative group decomposition for
    refining microaggregation solutions", Symmetry 10). Only the 32 nearest classes are looked at.
    """

    standardize: bool = True
    weights: Weights = field(default_factory=dict)

    type: ClassVar[str] = "ona"
    title: ClassVar[str] = _("Microaggregation (ONA)")
    summary: ClassVar[str] = _("Microaggregation that improves its classes step by step.")
    needs_numbers: ClassVar[bool] = True

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes of k to 2 k - 1 records; problem: as of `MDAV.partition`."""
        search = partial(improve_groups, width=WIDTH, rounds=ROUNDS, above=0.0)
        return microaggregate(problem, self, search)


def improve_groups(
    rows: Floats, weights: Floats, k: int, *, width: int, rounds: int, above: float
) -> tuple[Int32s, int]:
    """Return the groups of `mdav` when those of the kernel `ona` have been made of them."""
    start, _ = mdav(rows, weights, k, np.full(len(weights), NUMBER, np.int8))
    return ona(rows, weights, start, k, width, rounds, above)


BLOCK_WIDTH = 12
"""A class deals with so many others."""

ABOVE = 2.0
"""Classes are dissolved, once, if they lose more than so many mean losses."""


@dataclass(frozen=True, slots=True)
class MONA(Microaggregation):
    """Microaggregation of large tables: blocks of records, and in each a search like ONA's.

    Quasi-identifiers are numbers without missing values. Where no recoding is asked for,
    each class releases its mean.

    Parameters
    ----------
    block
        Most records of a block, at least 2; it may have 2 k in any case. Larger blocks lose
        less and take more time.
    standardize, weights
        As of `ONA`.

    Notes
    -----
    The table is halved at the median of the column with the largest variance, its halves in the
    same way, and so on until all have at most `block` records. In each block, the classes of `MDAV`
    are improved as `ONA` does it, with less effort: a class deals with the 12 classes of the
    nearest means; then those whose squared error is above twice the average are dissolved, once.
    Blocks are worked on side by side; the result does not depend on how many at a time.

    All classes have k to 2 k - 1 records. Records are numbered as by `MDAV`, and equal values go by
    number: the values that are released do not depend on the order of the input.

    The account tells how far the squared error may be from the least: see `ONA`.

    Cost O(n d log(n / block)) for the blocks, and MDAV's O(block² d / k) for each at the worst.

    After Thaeter and Reischuk 2021 (see `ONA`): MONA, on the blocks of MONDRIAN_V; their ρ
    is our `block`. Deviations: those of `ONA`, and the smaller effort.
    """

    block: int = 20_000
    standardize: bool = True
    weights: Weights = field(default_factory=dict)

    type: ClassVar[str] = "mona"
    title: ClassVar[str] = _("Microaggregation (MONA)")
    summary: ClassVar[str] = _("As ona, for large tables.")
    needs_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_integer(self.type, "block", self.block, 2)
        check_flag(self.type, "standardize", self.standardize)

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes of k to 2 k - 1 records; as `ONA.partition`."""
        return microaggregate(problem, self, self._group_by_blocks)

    def _group_by_blocks(self, rows: Floats, weights: Floats, k: int) -> tuple[Int32s, int]:
        """Group the records of each block."""
        records, bounds = blocks(rows, weights, max(self.block, 2 * k))
        members = [np.sort(part) for part in np.split(records, bounds[1:-1])]

        def group_block(numbers: Ints) -> tuple[Int32s, int]:
            return improve_groups(
                rows[numbers], weights, k, width=BLOCK_WIDTH, rounds=1, above=ABOVE
            )

        labels = np.empty(len(rows), np.int32)
        n_groups = 0
        for numbers, (found, count) in zip(members, parallel(group_block, members), strict=True):
            labels[numbers] = found + n_groups
            n_groups += count
        return labels, n_groups


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
    title: ClassVar[str] = _("Individual ranking")
    unweighted: ClassVar[str] = "groups each column by itself"
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
