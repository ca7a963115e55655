"""Orders of tuples: each is (n_tuples,) int64 tuple numbers, neighbours near each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.criteria import without_conditions
from kanonym.algorithms.mondrian import tree_order
from kanonym.algorithms.workload import GuidingTarget
from kanonym.data.table import EncodedTable
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.penalty import RANGE, Costs
from kanonym.kernels.partitioning.orders import hilbert, serpentine

LARGE = 64
"""Classes of so many records and more are cut by piece."""

FINEST = 16
"""A Hilbert curve divides each attribute into 2 to this power, or what 64 bits leave it."""


def ascending_cardinality(table: EncodedTable) -> list[int]:
    """Return the attributes by their number of values in the table, fewest first."""
    sizes = [int(domain.observed.sum()) for domain in table.domains]
    return [int(a) for a in np.argsort(sizes, kind="stable")]


def lexicographic_order(table: EncodedTable, columns: Sequence[int]) -> NDArray[np.int64]:
    """Sort by the codes of some attributes, the first one first; equal ones by tuple."""
    bits = [max(int(table.domains[a].size - 1).bit_length(), 1) for a in columns]
    if sum(bits) < 64:
        keys = np.zeros(len(table.codes), np.int64)
        for a, width in zip(columns, bits, strict=True):
            keys = (keys << width) | table.codes[:, a]
        return np.argsort(keys, kind="stable")
    return np.lexsort([table.codes[:, a] for a in reversed(columns)])


def serpentine_order(table: EncodedTable, columns: Sequence[int]) -> NDArray[np.int64]:
    """Sort so that each attribute ascends and descends in turn, as its neighbours ask."""
    order = lexicographic_order(table, columns)
    return order[serpentine(np.ascontiguousarray(table.codes[order][:, columns]))]


def hilbert_order(table: EncodedTable, costs: Costs) -> NDArray[np.int64]:
    """Sort along a Hilbert curve through the attributes, each scaled to what it may lose."""
    n, d = table.codes.shape
    used = min(d, 64)
    bits = min(FINEST, 64 // used)
    cells = np.empty((n, used), np.uint64)
    # Of more than 64 attributes those of most values take part.
    columns = np.sort(ascending_cardinality(table)[-used:])
    for place, a in enumerate(columns):
        kind, first = costs.attributes[a, :2]
        size = table.domains[a].size
        shares = np.arange(size) / max(size - 1, 1)
        if kind == RANGE:
            shares = costs.positions[first : first + size]
        scaled = np.minimum(shares * 2.0**bits, 2**bits - 1).astype(np.uint64)
        cells[:, place] = scaled[table.codes[:, a]]
    return np.argsort(hilbert(cells, bits), kind="stable")


def kd_order(
    table: EncodedTable, costs: Costs, criteria: Criteria, aim: GuidingTarget | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int32] | None]:
    """Sort as the tree of Mondrian's strict cuts holds the tuples.

    Returns the order and, where more than a small class size is asked for, the classes of
    that division, which satisfies the criteria: (n_tuples,) int32 by place, ascending.
    Else the tree is refined to a third of the size instead, so that neighbours inside of
    its classes are near each other, too.

    aim: the target that guides the cuts, if one does.
    """
    if len(criteria.thresholds) or criteria.min_size >= LARGE:
        return tree_order(table, costs, criteria, aim)
    finer = without_conditions(criteria, max(criteria.min_size // 3, 1))
    return tree_order(table, costs, finer, aim)[0], None
