"""Clusters as SIGO's kd-tree makes them, in the order in which it prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.algorithms.clustering.kdtree import KDTree
from kanonym.algorithms.criteria import classes_of
from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.table import encode
from kanonym.kernels.partitioning.kd_cells import cell_bounds
from kanonym.models import KAnonymity, LDiversity
from kanonym.models.base import PrivacyModel
from kanonym.models.diversity import Diversity
from kanonym.sigo.attributes import Attribute


@dataclass(frozen=True, slots=True, repr=False)
class Clusters(ShortRepr):
    """A table's clusters; records stand in printed order, cluster by cluster.

    order: (n,) int64, the row of the input that is printed at each place.
    starts: (n_clusters + 1,) int64, the place where each cluster begins, then n.
    codes: (n, d) int32 codes of the quasi-identifiers by place.
    values: by quasi-identifier the (n_codes,) float64 value of each code, ascending.
    """

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    codes: NDArray[np.int32]
    values: tuple[NDArray[np.float64], ...]
    achieved: tuple[float, ...] = ()

    def __len__(self) -> int:
        """Return the number of clusters."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(n_clusters,) numbers of records."""
        return np.diff(self.starts)

    @property
    def cluster_of_place(self) -> NDArray[np.int64]:
        """(n,) the cluster of each place, from 0."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def ranges(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return twice (n_clusters, d): the least and largest code that a cluster holds."""
        first = self.starts[:-1]
        return np.minimum.reduceat(self.codes, first), np.maximum.reduceat(self.codes, first)

    def cells(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return twice (n_clusters, d): the codes between which the tree's cuts leave it."""
        low = np.empty((len(self), self.codes.shape[1]), np.int32)
        high = np.empty_like(low)
        cell_bounds(self.codes, self.starts, low, high)
        return low, high


def models_of(k: int, l: int, sensitive: Sequence[str], *, entropy: bool) -> list[PrivacyModel]:
    """Return what every cluster has to satisfy: k records, l values of each attribute."""
    kind: Diversity = "entropy" if entropy else "distinct"
    diverse = [LDiversity(name, l, kind) for name in sensitive] if l > 1 else []
    return [KAnonymity(k), *diverse]


def clusters_of(
    attributes: Sequence[Attribute],
    sensitive: Sequence[pl.Series],
    models: Sequence[PrivacyModel],
) -> Clusters:
    """Divide records into clusters."""
    n = len(attributes[0].values)
    table = encode(
        [(pl.Series(attribute.name, attribute.values), None) for attribute in attributes],
        [(column, None, False) for column in sensitive],
        n,
    )
    partition, order = KDTree().partition_in_print_order(table, models)
    classes = classes_of(table, partition.labels, partition.n_classes)
    labels = partition.labels[table.tuple_of_row[order]]
    return Clusters(
        order,
        np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=partition.n_classes))]),
        np.ascontiguousarray(table.codes[table.tuple_of_row[order]]),
        tuple(domain.values.to_numpy() for domain in table.domains),
        tuple(model.achieved(classes) for model in models),
    )
