"""k-means: a given number of clusters, over the whole table or in each column alone."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.base import Algorithm, Problem, Recodes
from kanonym.algorithms.criteria import require_feasible
from kanonym.algorithms.microaggregation.records import class_size, record_space, require_numbers
from kanonym.algorithms.small_classes import Groups, Small, merge_small_classes
from kanonym.data.errors import PolicyError
from kanonym.data.message import gettext as _
from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.kernels.classes.grouping import group_rows
from kanonym.models.base import check_choice, check_flag, check_integer

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
        smallest joins the class of the nearest centre, until none is too small.
        `move`: each of its records goes to the nearest centre of a class that is large
        enough.
    standardize
        True: a difference counts in standard deviations of its column. False: as it is,
        so columns of large numbers decide alone.
    seed
        Of the first centres, from 0 to 2^32 - 1.

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

    type: ClassVar[str] = "kmeans"
    summary: ClassVar[str] = _("Clusters of k-means; their size follows from the data.")
    recodes: ClassVar[Recodes] = "spans"
    recoding: ClassVar[Recoding | None] = "mean"
    own_groups: ClassVar[bool] = True
    by_size: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    needs_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
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

        Raises
        ------
        PolicyError
            A model looks at sensitive values, or at a population table; or the table has
            fewer distinct records than clusters.
        SchemaError
            A quasi-identifier is not numeric.
        DataError
            A quasi-identifier has no value in some row.
        InfeasibleError
            The table has fewer than k records; or records are to move, and no class is
            large enough.

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
            table, np.sort(table.tuple_of_row), standardize=self.standardize
        )
        points = rows[np.cumsum(table.weights) - table.weights]
        classes = self._classes(points * np.sqrt(weights), table.weights)
        labels, groups = merge_small_classes(points, weights, table.weights, classes, k, self.small)
        # By record: spans of clusters may coincide, so equal releases are looked for.
        return Partition(
            labels[table.tuple_of_row], int(labels.max()) + 1, by_row=True, groups=groups
        )

    def _classes(
        self, points: NDArray[np.float64], counts: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], Groups]:
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


def _lloyd(
    points: NDArray[np.float64], counts: NDArray[np.int64], clusters: int, seed: int
) -> NDArray[np.int32]:
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
