"""Classes that lose less after they have exchanged records with those nearby."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.grouping import sort_rows
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.parallel import parallel
from kanonym.kernels.partitioning.record_exchange import exchange_records

ALONG = 1 << 27
"""Along the order, so many values are looked at, at most."""

ACROSS = 1 << 25
"""And so many where classes of similar records meet."""

BLOCK = 1 << 13
"""Parts of the order of so many records are independent of each other."""

REACH = (4, 16)
"""A class meets from 4 to 16 of those that follow it in the order, fewer in larger tables."""

MEETINGS = 1 << 24
"""As many as make so many values."""

LARGEST = 1 << 17
"""In larger tables, classes meet along the order only."""

ROUNDS = 3
"""So often records are sorted to find similar ones."""


def exchange_nearby(codes: Int32s, labels: Int32s, k: int, costs: Costs) -> tuple[Int32s, int]:
    """Let classes exchange records, within a fixed effort; return the classes and how often.

    codes: (n, d) int32 records, sorted so that equal ones are side by side or cannot be told
    apart. labels: (n,) int32, the class of each, from 0 without gaps; classes are numbered so that
    neighbours are near. k: the fewest records of a class.

    First, each class meets those that follow in this order. In tables of up to 131,072 records,
    those meet then that have records side by side when all are sorted by all attributes but one,
    and by that one last. The result depends on records and classes alone.
    """
    n, d = codes.shape
    if d == 0 or n < 2 * k:
        return labels, 0
    labels, n_steps = _along_order(codes, labels, k, costs)
    if n > LARGEST:
        return labels, n_steps
    turn = np.argsort(codes.max(axis=0), kind="stable")
    sizes = (codes.max(axis=0) + 1).tolist()
    columns = [np.ascontiguousarray(codes[:, a]) for a in range(d)]
    orders = []
    for last in turn:
        sequence = [*(a for a in turn if a != last), last]
        orders.append(sort_rows([columns[a] for a in sequence], [sizes[a] for a in sequence]))
    left = ACROSS
    for _ in range(ROUNDS):
        near = _near(list(_side_by_side(labels, orders)), int(labels.max()) + 1)
        found, left = exchange_records(codes, labels, near, k, left, costs)
        n_steps += found
        if found == 0 or left == 0:
            break
    return labels, n_steps


def _along_order(codes: Int32s, labels: Int32s, k: int, costs: Costs) -> tuple[Int32s, int]:
    """Let each class meet those that follow it, block by block; return classes and steps."""
    n, d = codes.shape
    reach = int(np.clip(MEETINGS // (n * d), *REACH))
    by_class = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[by_class], np.arange(int(labels.max()) + 2))
    blocks = np.unique(np.append(np.searchsorted(starts, np.arange(0, n, BLOCK)), len(starts) - 1))

    def exchange_in_block(block: int) -> tuple[Int32s, int]:
        first, stop = blocks[block : block + 2]
        some = by_class[starts[first] : starts[stop]]
        numbers = np.arange(stop - first)
        near = _near(
            [numbers[:-step] * len(numbers) + numbers[step:] for step in range(1, reach + 1)],
            len(numbers),
        )
        own = labels[some] - np.int32(first)
        share = ALONG * len(some) // n
        found, _ = exchange_records(np.ascontiguousarray(codes[some]), own, near, k, share, costs)
        return own + np.int32(first), found

    done = parallel(exchange_in_block, range(len(blocks) - 1))
    result = np.empty_like(labels)
    result[by_class] = np.concatenate([own for own, _ in done])
    return result, sum(found for _, found in done)


def _side_by_side(labels: Int32s, orders: list[Int32s]) -> Iterator[Ints]:
    """Yield the pairs of classes of records that are at most two places apart, as numbers."""
    n_classes = int(labels.max()) + 1
    for order in orders:
        sorted_labels = labels[order].astype(np.int64)
        for step in (1, 2):
            one, other = sorted_labels[:-step], sorted_labels[step:]
            pairs = np.minimum(one, other) * n_classes + np.maximum(one, other)
            yield pairs[one != other]


def _near(pairs: list[Ints], n_classes: int) -> tuple[Ints, Ints]:
    """Return pairs of classes as the kernel reads them, each pair once."""
    each = np.sort(np.concatenate(pairs))
    # Not `np.unique`: without a sort of its own, it takes thirty times as long.
    each = each[np.diff(each, prepend=-1) != 0]
    first = np.searchsorted(each, np.arange(n_classes + 1) * n_classes)
    return first, each % n_classes
