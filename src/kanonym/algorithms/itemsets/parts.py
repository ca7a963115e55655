"""One cut for each part of the records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.itemsets.base import ItemAlgorithm, ItemProblem, ItemRecoding
from kanonym.kernels.itemsets.counting import recode_sets


def recode_parts(
    algorithm: ItemAlgorithm, problem: ItemProblem, parts: Sequence[NDArray[np.int64]]
) -> ItemRecoding:
    """Return the sets that an algorithm releases of each part.

    parts: (n_part,) int64 records; together all records, each once.
    """
    own = np.arange(problem.tree.n_items, dtype=np.int32)
    lost = 0.0
    sets = []
    for rows in parts:
        offsets, items = recode_sets(problem.offsets, problem.items, rows, own)
        recoding = algorithm.recode(replace(problem, offsets=offsets, items=items))
        lost += float(recoding.account["loss"]) * len(items)
        sets.append((recoding.offsets, recoding.labels))
    total = len(problem.items)
    account = {"loss": lost / total if total else 0.0, "parts": len(parts)}
    return ItemRecoding(*_joined(parts, sets), account)


def recode_classes(
    algorithm: ItemAlgorithm, problem: ItemProblem, class_of_row: NDArray[np.int32]
) -> ItemRecoding:
    """Return the sets that an algorithm releases of each equivalence class.

    class_of_row: (n,) int32, the class of each record, from 0.
    """
    order = np.argsort(class_of_row, kind="stable")
    bounds = np.cumsum(np.bincount(class_of_row))[:-1]
    return recode_parts(algorithm, problem, np.split(order, bounds))


def _joined(
    parts: Sequence[NDArray[np.int64]],
    sets: Sequence[tuple[NDArray[np.int64], NDArray[np.int32]]],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the sets of all parts in the order of the records."""
    if not sets:
        return np.zeros(1, np.int64), np.zeros(0, np.int32)
    lengths = np.concatenate([np.diff(offsets) for offsets, _ in sets])
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    labels = np.concatenate([labels for _, labels in sets])
    place = np.argsort(np.concatenate(list(parts)), kind="stable")
    highest = int(labels.max(initial=-1)) + 1
    return recode_sets(offsets, labels, place, np.arange(highest, dtype=np.int32))
