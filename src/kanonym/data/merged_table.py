"""A frequency set counted at generalized levels, with what the original values still say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanonym.data.hierarchy import Hierarchy
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Int32s, Ints


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MergedTable(EncodedTable):
    """The frequency set of a table whose values are generalized to some levels already.

    Each value is written as the first leaf below its label at the level of its attribute, so
    that all levels from there on read as in the original. Levels below are not known any
    more: algorithms that use one level for a whole attribute look at those from `lowest` on.

    lowest: (d,) int64, the level of each quasi-identifier.
    records: by quasi-identifier (n_leaves,) int64: records of each original value.
    repeated: (n, 2) int64: how many records may be equal in all quasi-identifiers, as they were
    before, and how many such groups there are; None where nobody asks.
    """

    _shown: ClassVar[tuple[str, ...]] = ("n_rows",)

    lowest: Ints
    records: tuple[Ints, ...]
    repeated: Ints | None = None


def first_leaves(tree: Hierarchy, level: int) -> Int32s:
    """Return (n_leaves,) int32: for each leaf, the first one with the same label."""
    codes = tree.codes[level]
    starts = np.searchsorted(codes, np.arange(len(tree.labels[level]))).astype(np.int32)
    return np.asarray(starts[codes])


def records_of(table: EncodedTable, a: int) -> Ints:
    """Return (n_leaves,) int64: records of each original value of quasi-identifier a."""
    if isinstance(table, MergedTable):
        return table.records[a]
    size = table.domains[a].size
    return np.bincount(table.codes[:, a], table.weights, size).astype(np.int64)


def repeated_records(table: EncodedTable) -> Ints | None:
    """Return `MergedTable.repeated` of any table."""
    if isinstance(table, MergedTable):
        return table.repeated
    sizes = distinct_sizes(table)
    return np.stack(np.unique(sizes[sizes > 0], return_counts=True), axis=1)


def distinct_sizes(table: EncodedTable) -> Ints:
    """Return the records of each distinct combination of quasi-identifiers.

    Tuples are sorted by quasi-identifiers first, so equal ones are neighbours.
    """
    if not len(table.weights):
        return table.weights
    new = (table.codes[1:] != table.codes[:-1]).any(axis=1)
    sizes: Ints = np.add.reduceat(table.weights, np.append(0, np.flatnonzero(new) + 1))
    return sizes
