"""Released cells by number: the same number where a column's cells leave the same values open."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.grouping import dense_ranks, group_rows


def cell_codes(column: Column) -> tuple[Int32s, int]:
    """Return a number for each released cell of a column, and how many there are.

    Returns: (n_released,) int32 codes, from 0. They follow from what the cells leave open: a
        release with its records in another order has the same.
    """
    if isinstance(column, NumericColumn):
        ends = [dense_ranks(end)[1] for end in (column.low, column.high)]
        columns = [*ends, column.suppressed.astype(np.int32)]
        if column.sets is not None:
            columns.append(column.sets.labels + np.int32(1))
        groups = group_rows(columns, [int(codes.max(initial=0)) + 1 for codes in columns])
        return groups.labels, len(groups.sizes)
    held, place = np.unique(_ranks(column)[column.labels], return_inverse=True)
    return place.astype(np.int32), len(held)


def regroup_records(pair: TablePair, names: Sequence[str]) -> Int32s:
    """Return (n_released,) int32 classes of the released records that agree in some columns."""
    coded = [cell_codes(pair.column(name)) for name in names]
    if not coded or not pair.n_released:
        return np.zeros(pair.n_released, np.int32)
    return group_rows([codes for codes, _ in coded], [size for _, size in coded]).labels


def _ranks(column: CategoricalColumn) -> Ints:
    """Return (n_labels,) int64: the place of each label by what it leaves open."""
    order = column.categories.arg_sort(nulls_last=True).to_numpy()
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    ends = column.offsets.tolist()
    members = place[column.members]
    sets = [tuple(np.sort(members[first:last]).tolist()) for first, last in pairwise(ends)]
    ranks = {one: rank for rank, one in enumerate(sorted(set(sets)))}
    return np.array([ranks[one] for one in sets], np.int64)
