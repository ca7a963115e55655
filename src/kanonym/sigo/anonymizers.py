"""SIGO's anonymizers: what each prints of a quasi-identifier, cluster by cluster.

Values stand in printed order, so a cluster is a run of them. All draws come from one generator.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError, SchemaError
from kanonym.sigo.attributes import Attribute, round_half_away
from kanonym.sigo.clusters import Clusters

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
