"""The normalized certainty penalty (NCP) of each attribute, as tables for kernels.

Xu et al. 2006, "Utility-based anonymization using local recoding", §3.1: what a value
loses when it is released as a wider one, in [0, 1]. Deviation: sets and subtrees of n
values cost (n - 1) / (N - 1) rather than n / N, so that an unchanged value costs 0 and
the whole domain 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.schema import Recoding
from kanonym.data.table import Domain
from kanonym.kernels.classes.penalty import RANGE, SET, TREE, Costs


def kind_of(recoding: Recoding) -> int:
    """Return the kernel's kind of loss for a recoding."""
    return {"set": SET, "hierarchy": TREE}.get(recoding, RANGE)


def certainty_costs(domains: Sequence[Domain], recodings: Sequence[Recoding]) -> Costs:
    """Tabulate what releasing codes low to high of each attribute loses."""
    n_levels = max((len(d.hierarchy.labels) for d in domains if d.hierarchy is not None), default=0)
    offsets = np.cumsum([0, *(domain.size for domain in domains)])
    attributes = np.zeros((len(domains), 4), np.int64)
    places = np.zeros(offsets[-1])
    ancestors = np.zeros((n_levels, offsets[-1]), np.int32)
    losses = np.zeros((n_levels, offsets[-1]))
    for a, (domain, recoding) in enumerate(zip(domains, recodings, strict=True)):
        kind = kind_of(recoding)
        own = slice(offsets[a], offsets[a + 1])
        attributes[a] = kind, offsets[a], domain.apart, 0
        if kind == SET:
            places[own] = np.arange(domain.size) / max(int(domain.observed.sum()) - 1, 1)
        elif kind == RANGE:
            places[own] = positions(domain)
        elif domain.hierarchy is not None:
            codes = domain.hierarchy.codes
            attributes[a, 3] = len(codes)
            ancestors[: len(codes), own] = codes
            for level, labels in enumerate(codes):
                leaves = np.bincount(labels)[labels]
                losses[level, own] = (leaves - 1) / max(domain.size - 1, 1)
    return Costs(attributes, places, ancestors, losses)


def numeric_values(domain: Domain) -> NDArray[np.float64]:
    """Return each non-null code's place on a number line: its value, or its rank.

    NaN for exceptions, which have none.
    """
    if domain.kind == "number":
        return domain.values.cast(pl.Float64).to_numpy()
    if domain.kind == "temporal":
        return domain.values.to_physical().cast(pl.Float64).to_numpy()
    return np.arange(len(domain.values), dtype=np.float64)


def positions(domain: Domain) -> NDArray[np.float64]:
    """Return (size,) places in [0, 1] over what the table holds; exceptions and null stand at 1."""
    values = numeric_values(domain)[: domain.apart]
    held = values[domain.observed[: len(values)]]
    low, width = (held.min(), np.ptp(held)) if len(held) else (0.0, 0.0)
    places = np.ones(domain.size)
    places[: len(values)] = (values - low) / width if width > 0 else 0.0
    return places
