"""Whom known items may belong to: asked of released sets alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.data.item_tree import ItemTree
from kanonym.kernels.itemsets.candidates import rare_known_items
from kanonym.kernels.itemsets.counting import count_itemsets, recode_sets

MOST_LISTED = 100
MOST_WORK = 200_000_000_000
"""Words of bit sets that are intersected: some minutes."""

MOST_COUNTED = 5_000_000_000
"""Itemsets of records that are counted: some minutes."""

MOST_DISTINCT = 50_000_000
"""Distinct itemsets that may have to be held: about 3 GB."""


@dataclass(frozen=True, slots=True)
class KnownItems:
    """What a model requires of sets of items."""

    k: int
    m: int
    by_class: bool


@dataclass(frozen=True, slots=True)
class RareItems:
    """Known items with fewer candidates than are required."""

    least: float
    number: int = 0
    listed: tuple[tuple[tuple[int, ...], int], ...] = field(default=())


def rare_items(
    tree: ItemTree, offsets: NDArray[np.int64], labels: NDArray[np.int32], k: int, m: int
) -> RareItems:
    """Find what an intruder who knows up to m items learns of released sets.

    A record is a candidate if each known item, or a label above it, is among its labels. Where no
    label stands above another one, itemsets of labels are counted, size by size. Else known items
    are those that the same labels cover: their candidates are equal, so one stands for all.

    offsets, labels: (n + 1,) int64 and int32: the labels of each record, ascending and distinct.
    """
    used = np.unique(labels)
    if not len(used):
        return RareItems(math.inf)
    above = tree.parents[used]
    one_level = True
    while (above >= 0).any():
        one_level &= not np.isin(above[above >= 0], used).any()
        above = np.where(above >= 0, tree.parents[above], -1)
    if one_level:
        return _rare_labels(used, offsets, labels, k, m)
    return _rare_of_levels(tree, offsets, labels, k, m)


def _rare_labels(
    used: NDArray[np.int32], offsets: NDArray[np.int64], labels: NDArray[np.int32], k: int, m: int
) -> RareItems:
    """Count itemsets of labels, none of which stands above another one."""
    place = np.zeros(int(used[-1]) + 1, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    bits = max(int(len(used) - 1).bit_length(), 1)
    lengths = np.bincount(np.diff(offsets))
    least = math.inf
    mask = np.ones(len(used), np.bool_)
    sets = (offsets, place[labels])
    for size in range(1, min(m, len(lengths) - 1) + 1):
        _refuse_work(lengths, len(used), size, bits)
        keys, counts = count_itemsets(*sets, size, mask, bits)
        least = min(least, int(counts.min(initial=len(offsets))))
        rare = np.flatnonzero(counts < k)
        if len(rare):
            order = rare[np.lexsort((keys[rare], counts[rare]))][:MOST_LISTED]
            shifts = bits * np.arange(size - 1, -1, -1)
            nodes = used[(keys[order, None] >> shifts) & ((1 << bits) - 1)]
            listed = zip(map(tuple, nodes.tolist()), counts[order].tolist(), strict=True)
            return RareItems(least, len(rare), tuple(listed))
    return RareItems(least)


def _refuse_work(lengths: NDArray[np.int64], n_labels: int, size: int, bits: int) -> None:
    """Refuse to count more itemsets than a machine does in some minutes."""
    work = sum(int(n) * math.comb(length, size) for length, n in enumerate(lengths.tolist()) if n)
    distinct = min(work, math.comb(n_labels, size))
    if work > MOST_COUNTED or distinct > MOST_DISTINCT or size * bits > 62:
        raise DataError(
            f"the records have {work:,} itemsets of {size} labels, of which up to {distinct:,} "
            "differ: too many to be counted. Require a smaller m, or release fewer labels"
        )


def _rare_of_levels(
    tree: ItemTree, offsets: NDArray[np.int64], labels: NDArray[np.int32], k: int, m: int
) -> RareItems:
    """Intersect the candidates of known items where labels are of several levels."""
    n = len(offsets) - 1
    used = np.zeros(tree.n_nodes, np.bool_)
    used[labels] = True
    # The labels above each item, the item included: the same ones, the same candidates.
    node = np.arange(tree.n_items, dtype=np.int32)
    covering = np.full(tree.n_items, -1, np.int64)  # the lowest used label says all above it
    while (node >= 0).any():
        mask = (node >= 0) & (covering < 0)
        mask[mask] = used[node[mask]]
        covering[mask] = node[mask]
        node = np.where(node >= 0, tree.parents[node], -1)
    lowest, stands = np.unique(covering, return_index=True)
    lowest, stands = lowest[lowest >= 0], stands[lowest >= 0]
    words = -(-n // 64)
    work = words * sum(math.comb(len(lowest), size) for size in range(1, m + 1))
    if work > MOST_WORK or len(lowest) * words > MOST_DISTINCT * 8:
        raise DataError(
            f"labels of several levels: {len(lowest):,} groups of items in {n:,} records take "
            f"about {work:.0e} steps to check all sets of {m} known items. Release one level for "
            "each item (apriori, vpa), or require a smaller m"
        )
    bits = np.zeros((len(lowest), words), np.uint64)
    rows = np.repeat(np.arange(n), np.diff(offsets))
    for i, item in enumerate(stands.tolist()):
        covers = np.zeros(tree.n_nodes, np.bool_)
        node_above = item
        while node_above >= 0:
            covers[node_above] = True
            node_above = int(tree.parents[node_above])
        has = np.zeros(words * 64, np.uint8)
        has[rows[covers[labels]]] = 1
        bits[i] = np.packbits(has, bitorder="little").view(np.uint64)
    found, numbers, total, least = rare_known_items(bits, k, m, MOST_LISTED)
    if not total:
        return RareItems(float(least))
    listed = [
        (tuple(int(stands[i]) for i in one if i >= 0), int(number))
        for one, number in zip(found.tolist(), numbers.tolist(), strict=True)
    ]
    return RareItems(int(numbers.min()), total, tuple(sorted(listed, key=lambda one: one[1])))


def rare_items_by_class(
    tree: ItemTree,
    sets: tuple[NDArray[np.int64], NDArray[np.int32]],
    class_of_row: NDArray[np.int32],
    k: int,
    m: int,
) -> list[RareItems]:
    """Ask the same of the sets of each class, as `rare_items` of all.

    sets: offsets and labels; class_of_row: (n,) int32, the class of each record.
    """
    return [rare_items(tree, *own, k, m) for own in _sets_of_classes(tree, sets, class_of_row)]


def fewest_candidates(
    tree: ItemTree,
    sets: tuple[NDArray[np.int64], NDArray[np.int32]],
    class_of_row: NDArray[np.int32],
    m: int,
) -> int | None:
    """Return the fewest records of a class with the same up to m known items; None without items.

    Parameters and errors as of `rare_items_by_class`.
    """
    least = math.inf
    for own in _sets_of_classes(tree, sets, class_of_row):
        least = min(least, rare_items(tree, *own, 1, m).least)
        if least <= 1:
            break
    return None if math.isinf(least) else int(least)


def _sets_of_classes(
    tree: ItemTree,
    sets: tuple[NDArray[np.int64], NDArray[np.int32]],
    class_of_row: NDArray[np.int32],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    """Give the sets of each class, offsets and labels."""
    order = np.argsort(class_of_row, kind="stable")
    bounds = np.append(0, np.cumsum(np.bincount(class_of_row)))
    own = np.arange(tree.n_nodes, dtype=np.int32)
    offsets, labels = recode_sets(*sets, order, own)
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        part = offsets[start : stop + 1]
        yield part - part[0], labels[part[0] : part[-1]]
