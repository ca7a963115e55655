"""Balanced values: one of each class, so that the tables of two columns hardly change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.partition import Partition
from kanonym.data.schema import Recoding
from kanonym.data.table import Domain, EncodedTable
from kanonym.kernels.classes.balance import balance_values
from kanonym.kernels.classes.grouping import group_rows
from kanonym.recoding.generalization import all_values, restore_type

BINS = 20
"""Cells of a column of numbers or dates in the tables of two columns, at most."""

CATEGORIES = 256
"""Cells of any other column, at most; the last one is that of all rarer values."""

LARGEST = 1 << 24
"""Cells of all tables together: of many columns, each has fewer."""

PENALTY = 2.0
"""What releasing exactly a record that nobody shares costs: differences in tables per record."""


def with_balanced_values(
    table: EncodedTable, partition: Partition, recodings: Sequence[Recoding]
) -> Partition:
    """Return a partition with the balanced values of its classes, where a recoding asks for them.

    recodings: one a quasi-identifier.
    """
    asked = [a for a, recoding in enumerate(recodings) if recoding == "balanced"]
    if not asked or not partition.n_classes or partition.levels is not None:
        return partition
    chosen = np.full((partition.n_classes, len(recodings)), -1, np.int32)
    if partition.groups is None:
        chosen[:, asked] = balanced_codes(table, partition, partition.labels, asked)
    else:  # each column has classes of its own
        for a in asked:
            own, _ = partition.value_groups(a)
            chosen[:, a] = balanced_codes(table, partition, own, [a])[partition.groups[:, a], 0]
    return replace(partition, chosen=chosen)


def balanced_codes(
    table: EncodedTable, partition: Partition, labels: NDArray[np.int32], columns: list[int]
) -> NDArray[np.int32]:
    """Choose a code of each class for each of some columns, together.

    labels: (n,) int32, the class of each tuple, or of each record where the partition is by row;
    negative for suppressed ones.

    Returns
    -------
    (n_classes, n_columns) int32. The same for any order of the records.

    Notes
    -----
    Search: `kernels.classes.balance`. It starts at the most frequent values. Targets are the
    tables of the records that are released: what is suppressed leaves no trace.

    """
    codes = table.codes[:, columns]
    domains = [table.domains[a] for a in columns]
    tuples = table.tuple_of_row if partition.by_row else np.arange(len(codes), dtype=np.int32)
    own = np.ones(len(labels), np.int64) if partition.by_row else table.weights
    kept = (labels >= 0) & (own > 0)
    labels, tuples, own = labels[kept], tuples[kept], own[kept]
    rank = _canonical_classes(labels, tuples)
    groups = group_rows(
        [rank[labels], *codes[tuples].T], [len(rank), *(domain.size for domain in domains)]
    )
    classes, grouped = groups.codes[:, 0], np.ascontiguousarray(groups.codes[:, 1:])
    counts = np.bincount(groups.labels, own).astype(np.int64)
    starts = np.searchsorted(classes, np.arange(len(rank) + 1)).astype(np.int64)
    alike = group_rows(list(grouped.T), [domain.size for domain in domains]).labels
    unique = np.bincount(alike, counts)[alike] == 1
    n_codes = max(domain.size for domain in domains)
    cells = _cells(domains, grouped, counts, n_codes)
    choice = _most_frequent(grouped, counts, classes, n_codes)
    tables = _tables(grouped, counts, cells)
    balance_values(grouped, counts, unique, starts, cells, tables, choice, PENALTY)
    return choice[rank]


def values_of_codes(
    domain: Domain, codes: NDArray[np.int32], dtype: pl.DataType | None
) -> tuple[tuple[pl.Series, ...], NDArray[np.int32]]:
    """Return the column of the values in use, and the (n,) int32 place of each code in it."""
    column = all_values(domain)
    used, inverse = np.unique(codes, return_inverse=True)
    return (restore_type(column.gather(used), dtype),), inverse.astype(np.int32)


def _canonical_classes(labels: NDArray[np.int32], tuples: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return (n_classes,) int32: the rank of each class by its tuples, whatever its number."""
    n = int(labels.max(initial=-1)) + 1
    first, last = np.full(n, np.iinfo(np.int32).max), np.zeros(n, np.int64)
    np.minimum.at(first, labels, tuples)
    np.maximum.at(last, labels, tuples)
    order = np.lexsort([np.bincount(labels, tuples, n), last, first])
    rank = np.empty(n, np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    return rank


def _most_frequent(
    codes: NDArray[np.int32], counts: NDArray[np.int64], labels: NDArray[np.int32], n_codes: int
) -> NDArray[np.int32]:
    """Return (n_classes, d) int32: the most frequent code of each class, of several the lowest."""
    modes = []
    for column in codes.T:
        places, inverse = np.unique(labels * np.int64(n_codes) + column, return_inverse=True)
        owners = places // n_codes
        order = np.lexsort([places, -np.bincount(inverse, counts), owners])
        modes.append(places[order][np.unique(owners[order], return_index=True)[1]] % n_codes)
    return np.ascontiguousarray(np.stack(modes, axis=1).astype(np.int32))


def _cells(
    domains: Sequence[Domain], codes: NDArray[np.int32], weights: NDArray[np.int64], n_codes: int
) -> NDArray[np.int32]:
    """Return (d, n_codes) int32: the cell of each code; fewer a column where columns are many."""
    counts = [
        np.bincount(column, weights, domain.size).astype(np.float64)
        for domain, column in zip(domains, codes.T, strict=True)
    ]
    most = CATEGORIES
    while True:
        cells = np.zeros((len(domains), n_codes), np.int32)
        for a, domain in enumerate(domains):
            cells[a, : domain.size] = _cells_of_column(domain, counts[a], most)
        sizes = cells.max(axis=1).astype(np.int64) + 1
        if most == 1 or sizes.sum() ** 2 - (sizes**2).sum() <= 2 * LARGEST:
            return cells
        most //= 2


def _cells_of_column(domain: Domain, counts: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """Return (size,) int64: bins of about equally many records, or the most frequent codes."""
    n = domain.apart
    if domain.kind in ("number", "temporal") and n > min(BINS, most):
        bins = (np.cumsum(counts[:n]) - 1) * min(BINS, most) // max(counts[:n].sum(), 1)
        numbers = np.unique(bins, return_inverse=True)[1]
        return np.append(numbers, [numbers.max() + 1] * (domain.size - n))
    rank = np.empty(domain.size, np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(domain.size)
    return np.minimum(rank, most - 1)


def _tables(
    codes: NDArray[np.int32], weights: NDArray[np.int64], cells: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the tables of each column and of each two, as `balance_values` takes them."""
    d, n_codes = cells.shape
    tables = [np.bincount(column, weights, n_codes) for column in codes.T]
    sizes = cells.max(axis=1).astype(np.int64) + 1
    own = [cells[a][codes[:, a]].astype(np.int64) for a in range(d)]
    for a, b in combinations(range(d), 2):
        tables.append(np.bincount(own[a] * sizes[b] + own[b], weights, sizes[a] * sizes[b]))
    return np.concatenate(tables)
