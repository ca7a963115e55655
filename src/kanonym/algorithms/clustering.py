"""Clustering: k-means, the k-d tree and k-member."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from kanonym.algorithms.base import (
    LINEAR,
    PAIRWISE,
    Algorithm,
    Problem,
    Recodes,
    compile_criteria,
    require_feasible,
)
from kanonym.algorithms.microaggregation.records import class_size, record_space, require_numbers
from kanonym.algorithms.options import Weights
from kanonym.algorithms.record_exchange import exchange_nearby
from kanonym.algorithms.small_classes import Groups, Small, merge_small_classes
from kanonym.data.errors import PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.microaggregation.k_member import k_member
from kanonym.kernels.partitioning.kd_partition import accumulated_order, halve_in_turn
from kanonym.models.base import PrivacyModel, check_choice, check_flag, check_integer

STARTS = 10
"""Runs from different centres, of which the best counts: scikit-learn's number until 2023."""


@dataclass(frozen=True, slots=True)
class KMeans(Algorithm):
    """Clusters around means, those of scikit-learn; each class releases its mean.

    Quasi-identifiers are numbers without missing values. k-means asks for no least number
    of records in a cluster: with a policy without a model, an outlier is a class of
    its own. Where the policy has k-anonymity, classes that are too small are merged with
    others, or their records moved.

    Parameters
    ----------
    clusters
        Number of clusters, at least 1; in each column where `per_column`.
    per_column
        False: classes are clusters of records. True: each column is clustered alone, and
        released as the means of its clusters; classes are the combinations that occur. A
        column of fewer values than clusters keeps them.
    small
        What happens to a class that has fewer records than the policy asks for. `merge`: the
        smallest joins the class of the nearest centre, until none is too small. `move`: each of its
        records goes to the nearest centre of a class that is large enough.
    standardize
        True: a difference counts in standard deviations of its column. False: as it is,
        so columns of large numbers decide alone.
    seed
        Of the first centres, from 0 to 2^32 - 1.
    weights
        By quasi-identifier: by how much its differences are multiplied; 1 for the others. Only
        their ratios matter; what has weight 0 is not looked at.

    Notes
    -----
    Lloyd's algorithm, ten times from centres that k-means++ draws; the result of the least
    squared error counts. It is a local optimum: another seed may find a better one.
    Equal records are one point with a weight, and points stand in the order of their values,
    so the result does not depend on the order of records. scikit-learn runs in one
    thread: the order in which several add up would show in the last digits.

    Where columns are clustered alone, a class that is too small gets the clusters of the one it
    joins, so that a column has no more values than clusters; their means are those of
    the records that are then in them.

    Cost O(n · clusters · d) a step of Lloyd's, for n distinct records; at most 300 steps a
    start, mostly some tens.

    References
    ----------
    Lloyd (1982), "Least squares quantization in PCM", IEEE Trans. Inf. Theory 28(2).
    Arthur and Vassilvitskii (2007), "k-means++: the advantages of careful seeding", SODA.
    """

    clusters: int = 8
    per_column: bool = False
    small: Small = "merge"
    standardize: bool = True
    seed: int = 0
    weights: Weights = field(default_factory=dict)

    type: ClassVar[str] = "kmeans"
    title: ClassVar[str] = _("k-means")
    summary: ClassVar[str] = _("Clusters of k-means; their size follows from the data.")
    recodes: ClassVar[Recodes] = "spans"
    recoding: ClassVar[Recoding | None] = "mean"
    own_groups: ClassVar[bool] = True
    by_size: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    needs_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_integer(self.type, "clusters", self.clusters, 1)
        check_integer(self.type, "seed", self.seed, 0)
        check_choice(self.type, "small", self.small, ("merge", "move"))
        if self.seed >= 1 << 32:
            raise PolicyError(f"kmeans: seed is {self.seed}; it must be below 2^32")
        for name in ("per_column", "standardize"):
            check_flag(self.type, name, getattr(self, name))

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into clusters, or into the combinations of the columns' clusters.

        The problem is that of `MDAV.partition`; there may be no model.
        """
        table, models = problem.table, problem.models
        k = class_size(models, table, self.type)
        if table.n_rows == 0:
            return Partition(np.empty(0, np.int32), 0)
        require_numbers(table, self.type)
        require_feasible(table, models)
        n, d = table.codes.shape
        if not d:
            return Partition(np.zeros(n, np.int32), 1)
        if not self.per_column and self.clusters > n:
            raise PolicyError(
                f"kmeans: clusters is {self.clusters}, but the table has {n} distinct records in "
                f"its quasi-identifiers: use at most that many"
            )
        rows, weights = record_space(
            table, np.sort(table.tuple_of_row), standardize=self.standardize, weights=self.weights
        )
        points = rows[np.cumsum(table.weights) - table.weights]
        classes = self._classes(points * np.sqrt(weights), table.weights)
        labels, groups = merge_small_classes(points, weights, table.weights, classes, k, self.small)
        # By record: spans of clusters may coincide, so equal releases are looked for.
        return Partition(
            labels[table.tuple_of_row], int(labels.max()) + 1, by_row=True, groups=groups
        )

    def _classes(self, points: Floats, counts: Ints) -> tuple[Int32s, Groups]:
        """Return the classes of (n, d) points with (n,) records each, for `merge_small_classes`."""
        if not self.per_column:
            return _lloyd(points, counts, self.clusters, self.seed), None
        columns = []
        for column in points.T:
            values, place = np.unique(column, return_inverse=True)
            held = np.bincount(place, counts).astype(np.int64)
            clusters = min(self.clusters, len(values))
            columns.append(_lloyd(values[:, None], held, clusters, self.seed)[place])
        found = group_rows(columns, [int(column.max()) + 1 for column in columns])
        return found.labels, found.codes


def _lloyd(points: Floats, counts: Ints, clusters: int, seed: int) -> Int32s:
    """Return (n,) int32: the cluster of each of (n, d) points that stand for (n,) records."""
    if clusters == len(points):
        return np.arange(clusters, dtype=np.int32)
    # Half a second to load: only who clusters pays for it.
    from sklearn.cluster import KMeans as ScikitLearn  # noqa: PLC0415
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    runs = ScikitLearn(clusters, n_init=STARTS, random_state=seed)
    with threadpool_limits(1), warnings.catch_warnings():
        # Points that rounding cannot tell apart make fewer clusters than were asked for.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = runs.fit(points, sample_weight=counts.astype(np.float64)).labels_
    # Clusters are numbered by their first points, whatever their numbers were.
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place].astype(np.int32)


@dataclass(frozen=True, slots=True)
class KDTree(Algorithm):
    """Local recoding by halving the table, quasi-identifiers in turn.

    Notes
    -----
    The quasi-identifiers are taken in turn, in the order of the table. A set of n records is cut
    behind its record of rank n // 2 in the order of the one whose turn it is, with all records that
    are equal there, if both sides satisfy every model; if not, the next one is tried, and where
    none can be cut the set is a class. Its two sides go on with the quasi-identifier that follows.
    Values stand in the order of their codes: numbers, dates and ordered categories in their own,
    the others by frequency or as their hierarchy has them, null last.

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
    title: ClassVar[str] = _("k-d tree")
    summary: ClassVar[str] = _("Halves the records again and again, one column after the other.")
    recodes: ClassVar[Recodes] = "spans"
    largest_fragment: ClassVar[int | None] = LINEAR
    unweighted: ClassVar[str] = "takes attributes in turn"

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes that satisfy every model.

        problem: Costs and the suppression limit are not read: every record is released.
        """
        table, models = problem.table, problem.models
        return _halve_table(table, models)[0]

    def partition_in_print_order(
        self, table: EncodedTable, models: Sequence[PrivacyModel]
    ) -> tuple[Partition, Ints]:
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


def _halve_table(table: EncodedTable, models: Sequence[PrivacyModel]) -> tuple[Partition, Int32s]:
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


@dataclass(frozen=True, slots=True)
class KMember(Algorithm):
    """Local recoding: classes grow record by record, each time by the one that costs least.

    For small tables: it loses less than Mondrian, and takes the square of the table in time.

    Parameters
    ----------
    seed
        Draws the record that the first class begins with, an integer of at least 0.
    weights
        By quasi-identifier: how much its loss counts; 1 for the others. Only their ratios matter;
        what has weight 0 is not looked at.

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
    weights: Weights = field(default_factory=dict)

    type: ClassVar[str] = "k-member"
    title: ClassVar[str] = _("k-member")
    summary: ClassVar[str] = _(
        "Adds the nearest records to a class, one by one. Small tables only."
    )
    recodes: ClassVar[Recodes] = "spans"
    by_size: ClassVar[bool] = True
    largest_fragment: ClassVar[int | None] = PAIRWISE

    def __post_init__(self) -> None:
        check_integer(self.type, "seed", self.seed, 0)

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes of at least k records.

        problem: Its models are k-anonymity, or such that a class size is sufficient for: average
            risk, and uniqueness in the sample or the population. The suppression limit is not read:
            every record is released.
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


def _number_along(labels: Int32s) -> Int32s:
    """Return labels whose classes are numbered in the order of their first records."""
    _, first, labels_of_all = np.unique(labels, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), np.int32)
    numbers[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return numbers[labels_of_all]


def _reorder_costs(costs: Costs, turn: Ints) -> Costs:
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
        costs.weights[turn],
    )
