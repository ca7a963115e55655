"""The records that known items single out too far: asked of items, before anything is recoded."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

MOST_ITEMSETS = 5_000_000
"""Itemsets of records that are looked at: about a second."""


def records_with_rare_items(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    class_of_row: NDArray[np.int32],
    k: int,
    m: int,
) -> NDArray[np.bool_] | None:
    """Return which records have at most m items that fewer than k records of their class have.

    offsets, items: (n + 1,) int64 and int32: the items of each record, ascending and distinct.
    class_of_row: (n,) int32, the class of each record.

    Returns
    -------
    (n,) bool; None where there are too many itemsets to be looked at.

    """
    mask = np.zeros(len(offsets) - 1, np.bool_)
    n_items = int(items.max(initial=-1)) + 1
    if not n_items:
        return mask
    if (int(class_of_row.max()) + 1) * n_items**m >= 1 << 62:
        return None
    rows = np.repeat(np.arange(len(mask)), np.diff(offsets))
    frequent = _frequent(class_of_row[rows].astype(np.int64) * n_items + items, k)
    mask[rows[~frequent]] = True
    # A rare item has marked its records: larger itemsets that have it mark no others.
    items, rows = items[frequent], rows[frequent]
    lengths = np.bincount(rows, minlength=len(mask))
    starts = np.append(0, np.cumsum(lengths))[:-1]
    for size in range(2, min(m, int(lengths.max())) + 1):
        several = [
            (length, np.flatnonzero(lengths == length))
            for length in np.unique(lengths[lengths >= size]).tolist()
        ]
        if sum(len(own) * math.comb(length, size) for length, own in several) > MOST_ITEMSETS:
            return None
        keys, places = [], []
        for length, own in several:
            held = items[starts[own][:, None] + np.arange(length)]
            chosen = np.array(list(combinations(range(length), size)))
            key = np.repeat(class_of_row[own].astype(np.int64)[:, None], len(chosen), axis=1)
            for place in chosen.T:
                key = key * n_items + held[:, place]
            keys.append(key.ravel())
            places.append(np.repeat(own, len(chosen)))
        if keys:
            mask[np.concatenate(places)[~_frequent(np.concatenate(keys), k)]] = True
    return mask


def _frequent(keys: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    """Return which keys occur k times."""
    _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[which] >= k)
