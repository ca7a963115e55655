"""Anonymizers of SIGO, over clusters of records."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.algorithms.base import classes_of
from kanonym.algorithms.clustering import KDTree
from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.results import ShortRepr
from kanonym.data.table import encode
from kanonym.kernels.partitioning.kd_partition import cell_bounds
from kanonym.models import KAnonymity, LDiversity
from kanonym.models.base import PrivacyModel
from kanonym.models.diversity import Diversity
from kanonym.sigo.attributes import Attribute, round_half_away


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
    attributes: Sequence[Attribute], sensitive: Sequence[pl.Series], models: Sequence[PrivacyModel]
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


Values = NDArray[np.float64]
Bounds = Literal["cell", "range"]

METHODS = (
    "NoAnonymizer",
    "general",
    "meanAggregation",
    "medianAggregation",
    "outlier",
    "laplaceNoise",
    "gaussianNoise",
    "swapping",
    "reidentification",
)
OF_TEXTS = ("NoAnonymizer", "general", "swapping")


def check_method(method: str) -> None:
    """Refuse a name that is no method, with the nearest one."""
    if method in METHODS:
        return
    names = {name.lower(): name for name in METHODS}
    near = [name for name in names if method and name.startswith(method.lower())]
    near += difflib.get_close_matches(method.lower(), names, n=1)
    guess = f"; did you mean {names[near[0]]!r}?" if near else ""
    raise PolicyError(
        f"unknown anonymization method {method!r}{guess} (one of {', '.join(METHODS)})"
    )


def check_kinds(attributes: Sequence[Attribute], method: str) -> None:
    """Refuse a method that calculates with texts."""
    for attribute in attributes:
        if attribute.kind == "text" and method not in OF_TEXTS:
            raise SchemaError(
                f"quasi-identifier {attribute.name!r} holds texts, and {method} needs numbers or "
                f"dates; {', '.join(OF_TEXTS)} work"
            )


def replace_values(
    method: str,
    attributes: Sequence[Attribute],
    clusters: Clusters,
    random: np.random.Generator,
    bounds: Bounds = "cell",
) -> dict[str, pl.Series]:
    """Return what a method prints of each quasi-identifier.

    Returns
    -------
    dict
        By name, (n,) JSON texts in printed order; nothing for `NoAnonymizer`.

    """
    check_method(method)
    check_kinds(attributes, method)
    if method == "NoAnonymizer":
        return {}
    if method == "general":
        return _generalize(attributes, clusters, bounds)
    printed = {}
    for attribute in attributes:
        values = attribute.values[clusters.order]
        if method in _AGGREGATES:
            digits = 0 if attribute.kind == "date" else 2
            column = attribute.format_values(_AGGREGATES[method](values, clusters, digits))
            printed[attribute.name] = column.gather(clusters.cluster_of_place)
        elif method == "outlier":
            printed[attribute.name] = attribute.format_values(clip_to_quartiles(values, clusters))
        elif method == "swapping":
            printed[attribute.name] = attribute.format_values(swap_values(values, clusters, random))
        else:
            printed[attribute.name] = attribute.format_values(
                add_noise(values, clusters, random, _NOISES[method])
            )
    return printed


def cluster_means(values: Values, clusters: Clusters, digits: int = 2) -> Values:
    """Return (n_clusters,) means, rounded half away from zero; summed up in printed order."""
    return round_half_away(np.bincount(clusters.cluster_of_place, values) / clusters.sizes, digits)


def cluster_medians(values: Values, clusters: Clusters, digits: int = 2) -> Values:  # noqa: ARG001
    """Return (n_clusters,) medians, the mean of the two middle ones where they are two."""
    return _median(_sort_within_clusters(values, clusters), clusters.starts[:-1], clusters.sizes)


def clip_to_quartiles(values: Values, clusters: Clusters) -> Values:
    """Return values clipped to the quartiles of their cluster (top and bottom coding).

    The quartiles are the medians of the lower and the upper half, without the middle one where
    the number is odd: about half of all values are clipped. A cluster of one record stays.
    """
    ordered = _sort_within_clusters(values, clusters)
    half = clusters.sizes // 2
    alone = clusters.sizes == 1
    half[alone] = 1
    low = _median(ordered, clusters.starts[:-1], half)
    high = _median(ordered, clusters.starts[1:] - half, half)
    clipped: Values = np.clip(
        values, low[clusters.cluster_of_place], high[clusters.cluster_of_place]
    )
    return clipped


def swap_values(values: Values, clusters: Clusters, random: np.random.Generator) -> Values:
    """Return values permuted inside of each cluster, all permutations equally likely."""
    return values[np.lexsort((random.random(len(values)), clusters.cluster_of_place))]


def add_noise(
    values: Values,
    clusters: Clusters,
    random: np.random.Generator,
    noise: tuple[Callable[[np.random.Generator, int], Values], float],
) -> Values:
    """Return values with noise, drawn again until strictly between their cluster's bounds.

    values: (n,) finite numbers in printed order.

    Returns
    -------
    (n,) values. A cluster between whose bounds no number lies stays as it is.

    """
    low = np.minimum.reduceat(values, clusters.starts[:-1])[clusters.cluster_of_place]
    high = np.maximum.reduceat(values, clusters.starts[:-1])[clusters.cluster_of_place]
    draw, spans = noise
    result = values.copy()
    pending = np.flatnonzero(np.nextafter(low, high) < high)
    while len(pending):
        scale = (high[pending] - low[pending]) / spans
        tried = values[pending] + scale * draw(random, len(pending))
        inside = (tried > low[pending]) & (tried < high[pending])
        result[pending[inside]] = tried[inside]
        pending = pending[~inside]
    return result


def _generalize(
    attributes: Sequence[Attribute], clusters: Clusters, bounds: Bounds
) -> dict[str, pl.Series]:
    low, high = clusters.cells() if bounds == "cell" else clusters.ranges()
    printed = {}
    for a, attribute in enumerate(attributes):
        texts = attribute.format_values(clusters.values[a])
        pair = pl.select(
            pl.format("[{},{}]", pl.lit(texts.gather(low[:, a])), pl.lit(texts.gather(high[:, a])))
        ).to_series()
        printed[attribute.name] = pair.gather(clusters.cluster_of_place)
    return printed


def _sort_within_clusters(values: Values, clusters: Clusters) -> Values:
    """Return values in order inside of each cluster."""
    return values[np.lexsort((values, clusters.cluster_of_place))]


def _median(ordered: Values, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> Values:
    """Return the medians of runs of ordered values."""
    upper = starts + sizes // 2
    middle = ordered[upper]
    median: Values = np.where(sizes % 2 == 0, (middle + ordered[upper - 1]) / 2, middle)
    return median


_AGGREGATES = {"meanAggregation": cluster_means, "medianAggregation": cluster_medians}
_NOISES: dict[str, tuple[Callable[[np.random.Generator, int], Values], float]] = {
    "laplaceNoise": (lambda random, n: random.laplace(size=n), 4.0),
    "gaussianNoise": (lambda random, n: random.standard_normal(n), 2.0),
}
