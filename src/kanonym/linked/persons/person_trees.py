"""Persons with all their rows: who is like whom, in one table or in several."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]


def combine(columns: Sequence[Codes], n_rows: int) -> Codes:
    """Return (n_rows,) int64: equal numbers, from 0, for rows that are equal in all columns."""
    codes = np.zeros(n_rows, np.int64)
    for column in columns:
        span = int(column.max(initial=0)) + 1
        _, codes = np.unique(codes * span + column, return_inverse=True)
    return codes


def collections_of(parent: Codes, item: Codes, n_parents: int, *, repeated: bool = True) -> Codes:
    """Return (n_parents,) int64: equal numbers for parents with the same items.

    Parameters
    ----------
    parent, item
        (n_rows,) the parent of each row, from 0, and what stands in it, from 0.
    n_parents
        Parents without a row included, which have number 0.
    repeated
        Whether repeated items count: multisets, else sets.

    Notes
    -----
    Exact: sorted items are compared one after the other, never by a hash. Cost: one sort of the
    rows, and one of each place of the items.

    """
    if not repeated:
        pairs = np.unique(np.stack([parent, item], axis=1), axis=0)
        parent, item = pairs[:, 0], pairs[:, 1]
    order = np.lexsort((item, parent))
    parent, item = parent[order], item[order]
    counts = np.bincount(parent, minlength=n_parents)
    place = np.arange(len(parent)) - (np.cumsum(counts) - counts)[parent]
    by_place = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place)) if len(place) else np.zeros(0, np.int64)
    state, numbered, span = np.zeros(n_parents, np.int64), 1, int(item.max(initial=0)) + 1
    start = 0
    for end in ends.tolist():
        rows = by_place[start:end]
        own = parent[rows]
        _, found = np.unique(state[own] * span + item[rows], return_inverse=True)
        state[own] = numbered + found
        numbered += int(found.max()) + 1
        start = end
    return state
