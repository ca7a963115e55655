"""The equivalence classes of a table as an injector sees them, in the order of their records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.table import value_codes
from kanonym.kernels.classes.histograms import class_histograms
from kanonym.verification.released_classes import group_released


@dataclass(frozen=True, slots=True, repr=False)
class Classes(ShortRepr):
    """Equivalence classes, numbered by their first record.

    labels: (n_rows,) int32 class of each record.
    first: (n_classes,) int64 first record of each class, ascending.
    sizes: (n_classes,) int64 records of each class.
    distinct: by sensitive attribute, (n_classes,) int64 different values; null is one of them.
    """

    labels: NDArray[np.int32]
    first: NDArray[np.int64]
    sizes: NDArray[np.int64]
    distinct: Mapping[str, NDArray[np.int64]]

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.sizes)


def classes_of(
    known: Sequence[pl.Series], sensitive: Mapping[str, pl.Series], n_rows: int
) -> Classes:
    """Group records by their quasi-identifiers and count the sensitive values of each class.

    known: (n_rows,) columns of quasi-identifiers; without one, all records are one class.
    sensitive: (n_rows,) columns of sensitive attributes.

    Notes
    -----
    Cost as `verification.group_released`, and O(n_rows) a sensitive attribute. The order of
    classes follows from that of the records alone, so it is the same on every frame library.

    """
    groups = group_released(known, n_rows)
    order = np.argsort(groups.first, kind="stable")
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    labels = number[groups.labels]
    return Classes(
        labels=labels,
        first=groups.first[order],
        sizes=groups.sizes[order],
        distinct={
            name: distinct_values(labels, column, len(order)) for name, column in sensitive.items()
        },
    )


def distinct_values(
    labels: NDArray[np.int32], column: pl.Series, n_classes: int
) -> NDArray[np.int64]:
    """Return (n_classes,) int64: how many different values the records of each class have."""
    codes, size = value_codes(column)
    offsets, _, _ = class_histograms(labels, codes, np.empty(0, np.int64), n_classes, size)
    return np.diff(offsets)
