"""Loss of a released table, from nothing but its values and the hierarchies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError
from kanonym.data.hierarchy import Hierarchy
from kanonym.metrics.information_loss.base import aggregate
from kanonym.metrics.information_loss.loss import bounds, scale_sums


@dataclass(frozen=True, slots=True)
class ReleasedValues:
    """What one quasi-identifier is released as.

    values: (n,) distinct released values: labels as text, or leaves in the column's type.
    counts: (n,) int64, released records with each value. Cells that are suppressed are not counted,
    even where null is a value of the hierarchy and stands for them.
    """

    name: str
    hierarchy: Hierarchy
    values: pl.Series
    counts: NDArray[np.int64]


def released_loss(attributes: Sequence[ReleasedValues], n_rows: int) -> tuple[float, float]:
    """Return the `Loss` and the `LossArithmetic` of a released table, factor 0.5, no weights.

    Notes
    -----
    Equal to the last bit to the score of a node of the lattice that released these
    values. Cost O(labels of all hierarchies).

    """
    sums = np.zeros(len(attributes))
    for j, attribute in enumerate(attributes):
        lost = n_rows - int(attribute.counts.sum())
        leaves = leaves_below(attribute.hierarchy, attribute.values)
        # Whole numbers below 2^53: exact in any order.
        sums[j] = float(attribute.counts @ leaves) + lost * attribute.hierarchy.size
    sizes = np.array([attribute.hierarchy.size for attribute in attributes], np.float64)
    x = scale_sums(sums, *bounds(n_rows, sizes)).tolist()
    d = len(attributes)
    return aggregate(x, [1.0] * d, geometric=True), aggregate(x, [1.0 / d] * d, geometric=False)


def leaves_below(hierarchy: Hierarchy, values: pl.Series) -> NDArray[np.int64]:
    """Return (n,) int64: how many leaves each released value leaves open.

    A text may be the label of several levels. Where one level has all of the texts, it is
    taken to be theirs; of several such levels, and where there is none, the widest label
    counts. Null is one leaf where the hierarchy has it, else a suppressed cell: all of
    them.
    """
    found = np.full(len(values), 1 if hierarchy.has_null else hierarchy.size, np.int64)
    named = values.is_not_null().to_numpy()
    if values.dtype == pl.String:
        found[named] = _leaves_of_texts(hierarchy, values.drop_nulls())
    elif (missing := values.filter(pl.Series(named & (hierarchy.leaf_of(values) < 0)))).len():
        raise _unknown_label_error(hierarchy, missing)
    else:
        found[named] = 1
    return found


def _leaves_of_texts(hierarchy: Hierarchy, values: pl.Series) -> NDArray[np.int64]:
    texts = values.to_list()
    covered = np.zeros((hierarchy.n_levels, len(texts)), np.int64)  # 0: no label of that level
    for level, labels in enumerate(hierarchy.labels):
        counts = dict(zip(labels, hierarchy.leaf_counts(level).tolist(), strict=True))
        covered[level] = [counts.get(text, 0) for text in texts]
    if not covered.any(axis=0).all():
        raise _unknown_label_error(hierarchy, values.filter(pl.Series(~covered.any(axis=0))))
    whole = np.flatnonzero((covered > 0).all(axis=1))
    return np.asarray(covered[whole[-1]] if len(whole) else covered.max(axis=0))


def _unknown_label_error(hierarchy: Hierarchy, missing: pl.Series) -> HierarchyError:
    return HierarchyError(
        f"column {hierarchy.values.name!r}: the released value {str(missing[0])!r} is not a label "
        f"of its hierarchy; without one its loss cannot be measured"
    )
