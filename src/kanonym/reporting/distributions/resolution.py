"""How finely a report may show a quasi-identifier: no finer than the labels of the release.

Of the original table a report uses the released records only, counts them in bars of at
least `floor` records, and rounds the counts: see docs/decisions/0020-report-figures.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.classes.histograms import class_histograms

if TYPE_CHECKING:
    from kanonym.data.partition import Partition
    from kanonym.data.table import EncodedTable
    from kanonym.reporting.distributions.extents import Extent

Marks = NDArray[np.uint64]


def released_counts(table: EncodedTable, partition: Partition, column: int) -> NDArray[np.int64]:
    """Return (domain.size,) the released records of each original value.

    Suppressed records are left out, so that no figure of the report counts them.
    """
    codes, weights = table.codes[:, column], table.weights
    if partition.by_row:
        codes, weights = codes[table.tuple_of_row], np.ones(table.n_rows, np.int64)
    kept = partition.labels >= 0
    size = table.domains[column].size
    return np.bincount(codes[kept], weights[kept], minlength=size).astype(np.int64)


def marks_of_intervals(extent: Extent, n_codes: int) -> Marks:
    """Return (n_codes,) marks, equal for codes that lie in the same intervals."""
    spans = np.unique(np.stack([extent.low, extent.high], axis=1), axis=0)
    change = np.zeros(n_codes + 1, np.uint64)
    own = _random_marks(len(spans))
    np.add.at(change, spans[:, 0], own)
    np.subtract.at(change, spans[:, 1] + 1, own)
    return np.cumsum(change[:n_codes], dtype=np.uint64)


def marks_of_sets(table: EncodedTable, partition: Partition, column: int) -> Marks:
    """Return (n_codes,) marks, equal for codes that are in the same released sets."""
    offsets, members, _ = set_members(table, partition, column)
    marks = np.zeros(table.domains[column].size, np.uint64)
    np.add.at(marks, members, np.repeat(_random_marks(len(offsets) - 1), np.diff(offsets)))
    return marks


def set_members(
    table: EncodedTable, partition: Partition, column: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], int]:
    """Return the codes in each released set (CSR: offsets, codes), and the number of sets."""
    codes, weights = table.codes[:, column], table.weights
    if partition.by_row:
        codes, weights = codes[table.tuple_of_row], np.ones(table.n_rows, np.int64)
    labels, n_labels = partition.value_groups(column)
    n_codes = table.domains[column].size
    offsets, members, _ = class_histograms(
        labels, np.ascontiguousarray(codes), weights, n_labels, n_codes
    )
    return offsets, members, n_labels


def _random_marks(n: int) -> Marks:
    return np.random.default_rng(0).integers(1, 2**63, n, dtype=np.uint64)
