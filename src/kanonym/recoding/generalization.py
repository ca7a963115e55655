"""Recoding by levels: the label of a hierarchy that an algorithm chose for each class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.partition import BLANK, RecodedAttribute
from kanonym.data.table import Domain
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.classes.histograms import class_bounds


def generalize(
    domains: Sequence[Domain],
    levels: NDArray[np.int32],
    codes: NDArray[np.int32],
    labels: NDArray[np.int32],
    dtypes: Sequence[pl.DataType] | None = None,
) -> tuple[RecodedAttribute, ...]:
    """Give every class the labels of the levels that were chosen for it.

    An attribute that no class generalizes keeps its own type: its values, and null for
    suppressed cells. Else it becomes text, the labels of its hierarchy.

    levels: (n_classes, d) int32; the records of a class agree on their labels there.
    codes, labels: (n, d) int32 codes and (n,) int32 classes of records, negative for suppressed
    ones.

    Notes
    -----
    Cost O(n · d + n_classes · d). The loss of a label over n of N values is
    (n - 1) / (N - 1), as in `metrics.certainty`; of a suppressed cell 1.

    """
    low, _ = class_bounds(labels, codes, len(levels))
    return tuple(
        _generalize_attribute(
            domain, levels[:, a], low[:, a], None if dtypes is None else dtypes[a]
        )
        for a, domain in enumerate(domains)
    )


def joined_levels(
    domains: Sequence[Domain],
    levels: NDArray[np.int32],
    joined: NDArray[np.int32],
    codes: NDArray[np.int32],
    labels: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Return (n_joined, d) int32: the lowest levels at which joined classes have one label.

    Each class that goes in is generalized no less than it was; a suppressed cell stays so.

    levels: (n_classes, d) int32, the levels before.
    joined: (n_classes,) int32, the class that each becomes part of.
    codes, labels: (n, d) int32 codes and (n,) int32 joined classes of records, negative for
    suppressed ones.
    """
    n_joined = int(joined.max(initial=-1)) + 1
    least = np.zeros((n_joined, len(domains)), np.int32)
    blank = np.zeros(least.shape, np.bool_)
    np.maximum.at(least, joined, levels)
    np.logical_or.at(blank, joined, levels == BLANK)
    low, high = class_bounds(labels, codes, n_joined)
    for a, domain in enumerate(domains):
        if domain.hierarchy is None:
            blank[:, a] |= low[:, a] != high[:, a]
        else:
            least[:, a] = np.maximum(least[:, a], domain.hierarchy.meet(low[:, a], high[:, a]))
    return np.where(blank, np.int32(BLANK), least)


def _generalize_attribute(
    domain: Domain, levels: NDArray[np.int32], leaves: NDArray[np.int32], dtype: pl.DataType | None
) -> RecodedAttribute:
    """Recode one attribute.

    levels, leaves: (n_classes,) int32, the level of each class and one of its codes.
    """
    blank = levels == BLANK
    low, high = leaves.copy(), leaves.copy()
    loss = np.zeros(len(levels))
    hierarchy = domain.hierarchy
    label = leaves.copy()
    if hierarchy is not None:
        for level in np.unique(levels[levels > 0]).tolist():
            at = levels == level
            own = hierarchy.codes[level]
            label[at] = own[leaves[at]]
            low[at] = np.searchsorted(own, label[at])
            high[at] = np.searchsorted(own, label[at], side="right") - 1
            leaves_below = hierarchy.leaf_counts(level)
            loss[at] = (leaves_below[label[at]] - 1) / max(domain.size - 1, 1)
    label[blank] = 0
    low[blank], high[blank], loss[blank] = 0, domain.size - 1, 1.0
    groups = group_rows(
        [levels - np.int32(BLANK), label],
        [int(levels.max(initial=0)) - BLANK + 1, max(domain.size, 1)],
    )
    used_levels, used = levels[groups.first], label[groups.first]
    place = groups.labels
    if hierarchy is None or not (levels > 0).any():
        values = all_values(domain, null=True)
        column = values.gather(np.where(used_levels == BLANK, len(values) - 1, used))
        column = restore_type(column, dtype)
    else:
        texts = [
            None if level == BLANK else hierarchy.labels[level][one]
            for level, one in zip(used_levels.tolist(), used.tolist(), strict=True)
        ]
        column = pl.Series(domain.name, texts, dtype=pl.String)
    # Labels of two levels may read the same, and so does null beside a suppressed cell.
    labels = column.unique(maintain_order=True)
    if len(labels) < len(column):
        numbers = pl.int_range(len(labels), dtype=pl.Int32, eager=True)
        merged = column.replace_strict(labels, numbers, return_dtype=pl.Int32).to_numpy()
        column, place = labels, merged[place]
    return RecodedAttribute(
        name=domain.name,
        recoding="value" if hierarchy is None else "hierarchy",
        columns=(column,),
        label_of_class=place,
        low=low,
        high=high,
        loss=loss,
    )


def all_values(domain: Domain, *, null: bool = False) -> pl.Series:
    """Return the values by code, null last where there is one; texts where some are exceptions.

    null: whether null is behind them in any case.
    """
    values = domain.texts if domain.exceptions else domain.values
    return values.extend_constant(None, 1) if domain.has_null or null else values


def restore_type(values: pl.Series, dtype: pl.DataType | None) -> pl.Series:
    """Return values in the column's type where their domain holds them as text."""
    if dtype == pl.Boolean and values.dtype == pl.String:
        return values == "true"
    if dtype == pl.Categorical and values.dtype == pl.String:
        return values.cast(dtype)
    return values
