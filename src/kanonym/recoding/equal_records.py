"""Which of equal records is in which class: drawn, without a trace of the input's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.partition import Partition
from kanonym.data.table import EncodedTable, encode_column
from kanonym.kernels.classes.grouping import sort_rows
from kanonym.kernels.parallel import parallel
from kanonym.kernels.shuffle import shuffle


def mix_equal_records(
    table: EncodedTable,
    partition: Partition,
    names: Sequence[str],
    column: Callable[[str], pl.Series],
    seed: int,
) -> Partition:
    """Return a partition in which chance decides which of the records of a tuple is in which class.

    How many of them are in each class stays. Records are sorted by all that distinguishes them
    before they are shuffled: the same records in any order are then divided in the same way, and
    neither their order nor their values tell who is in which class.

    Notes
    -----
    Cost: two passes over the records, and a sort of those whose tuples are divided.

    """
    if not partition.by_row or not names:
        return partition
    labels, tuple_of_row = partition.labels, table.tuple_of_row
    any_label = np.empty(len(table.weights), np.int32)
    any_label[tuple_of_row] = labels
    is_divided = np.zeros(len(table.weights), np.bool_)
    is_divided[tuple_of_row[labels != any_label[tuple_of_row]]] = True
    rows = np.flatnonzero(is_divided[tuple_of_row])
    if not len(rows):
        return partition

    def code_column(name: str) -> tuple[NDArray[np.int32], int]:
        domain, codes = encode_column(column(name).gather(rows), by_value=True)
        return codes, domain.size

    keys = parallel(code_column, names)
    tuples, size = tuple_of_row[rows], len(table.weights)
    mixed = sort_rows([tuples, *(codes for codes, _ in keys)], [size, *(size for _, size in keys)])
    shuffle(mixed, seed)
    mixed = mixed[sort_rows([tuples[mixed]], [size])]
    by_label = sort_rows([tuples, labels[rows] + np.int32(1)], [size, partition.n_classes + 1])
    labels = labels.copy()
    labels[rows[mixed]] = labels[rows[by_label]]
    return replace(partition, labels=labels)
