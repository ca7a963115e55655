"""Cell suppression for subsets of the keys: every n of them k-anonymous by themselves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.cell_suppression.patterns import Keys, Pieces, released_codes
from kanonym.kernels.cells.hitting_sets import cheapest_hitting_sets
from kanonym.kernels.classes.grouping import group_rows
from kanonym.kernels.classes.wildcard import wildcard_sizes
from kanonym.kernels.parallel import parallel


def subset_sizes(
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    null_codes: NDArray[np.int32],
    columns: tuple[int, ...],
    *,
    wildcard: bool,
) -> NDArray[np.int64]:
    """Return (n,) int64: the records that agree with each of n weighted rows on some columns.

    wildcard: whether null agrees with every value, or with null alone.
    """
    chosen = list(columns)
    if not chosen:
        return np.full(len(codes), weights.sum())
    parts = [np.ascontiguousarray(codes[:, a]) for a in columns]
    groups = group_rows(parts, (null_codes[chosen] + 1).tolist())  # null has the largest code
    sizes = np.bincount(groups.labels, weights, len(groups.sizes)).astype(np.int64)
    if wildcard and (groups.codes == null_codes[chosen]).any():
        sizes = wildcard_sizes(groups.codes, sizes, null_codes[chosen])
    return sizes[groups.labels]


def rare_subsets(keys: Keys, k: int, size: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the subsets of at most `size` attributes, smaller ones first, and where they are rare.

    That is where fewer than k records agree with a key, null being a wildcard.
    Returns (n_subsets, d) and (n_subsets, n_keys) bool.

    Cost: a grouping for each subset, and a byte for each subset and key.
    """
    n, d = keys.codes.shape
    chosen = [
        combination for few in range(1, size + 1) for combination in combinations(range(d), few)
    ]
    subsets = np.zeros((len(chosen), d), np.bool_)
    rare = np.empty((len(chosen), n), np.bool_)

    def count(s: int) -> None:
        columns = chosen[s]
        subsets[s, columns] = True
        sizes = subset_sizes(keys.codes, keys.weights, keys.null_codes, columns, wildcard=True)
        # A null is shown as it is: what it is a part of counts as a smaller subset.
        rare[s] = (sizes < k) & ~keys.is_null[:, columns].any(axis=1)

    parallel(count, range(len(chosen)))
    return subsets, rare


def hit_subsets(keys: Keys, k: int, size: int) -> NDArray[np.bool_]:
    """Return (n_keys, d) bool: the cheapest blanks after which no rare subset is left."""
    subsets, rare = rare_subsets(keys, k, size)
    return cheapest_hitting_sets(rare, subsets, keys.costs, keys.order) | keys.is_null


def blank_subsets(keys: Keys, k: int, size: int) -> Pieces:
    """Blank cells until every combination of `size` attributes has k records, null a value.

    In each round, a record of rare combinations loses the cell that is in most of them
    for its cost. A null beside a value can be rare in turn, and has its round. Where
    only nulls are left, and too few, other records are blanked with them, at the least
    cost. Cells are only ever blanked, so it ends.

    Cost: in each round a grouping for each combination; the rounds are some tens.
    """
    d = keys.codes.shape[1]
    pieces = Pieces(np.arange(len(keys.codes)), keys.weights, keys.is_null.copy())
    while True:
        codes = released_codes(keys, pieces)
        votes = np.zeros(codes.shape, np.int64)
        lacking: tuple[int, tuple[int, ...]] | None = None
        for columns in combinations(range(d), size):
            sizes = subset_sizes(codes, pieces.weights, keys.null_codes, columns, wildcard=False)
            rare = sizes < k
            if rare.any():
                chosen = list(columns)
                shown = rare[:, None] & ~pieces.blanks[:, chosen]
                votes[:, chosen] += shown
                only_nulls = rare & ~shown.any(axis=1)
                if only_nulls.any():
                    lacking = k - int(sizes[only_nulls][0]), columns
        voted = votes.any(axis=1)
        if voted.any():
            worth = (votes / keys.costs)[:, keys.order]
            most = keys.order[worth.argmax(axis=1)]
            pieces.blanks[voted, most[voted]] = True
        elif lacking is not None:
            pieces = _fill(keys, pieces, *lacking)
        else:
            return pieces


def _fill(keys: Keys, pieces: Pieces, records: int, columns: tuple[int, ...]) -> Pieces:
    """Blank some columns of so many more records, of those that lose least by it."""
    chosen = list(columns)
    losses = ~pieces.blanks[:, chosen] @ keys.costs[chosen]
    taken = np.zeros(len(pieces.keys), np.int64)
    for i in np.lexsort((-pieces.weights, losses)).tolist():
        if losses[i] and records:
            taken[i] = min(records, pieces.weights[i])
            records -= int(taken[i])
    blanks = pieces.blanks.copy()
    blanks[:, chosen] = True
    every = Pieces(
        np.append(pieces.keys, pieces.keys),
        np.append(pieces.weights - taken, taken),
        np.concatenate([pieces.blanks, blanks]),
    )
    order = np.argsort(every.keys, kind="stable")
    left = order[every.weights[order] > 0]
    return Pieces(every.keys[left], every.weights[left], every.blanks[left])
