"""How many cells are blanked at least, whatever the search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.cell_suppression.patterns import ENTRIES, Keys
from kanonym.algorithms.cell_suppression.subsets import rare_subsets


def least_blanks(keys: Keys, k: int, size: int) -> int | None:
    """Return a number of cells that every suppression blanks at least; None if it takes too long.

    Every combination of up to `size` attributes is to be k-anonymous. What a record shows of
    original values, k records show in the end, so k records of the table have it: nothing is
    shown that fewer have (null agrees with all), and each record blanks at least what leaves no
    such combination. The sum over records is the bound, whichever way null is read.

    Of few attributes, the fewest blanks of each record are found exactly: what it may show
    follows from what it may show without one attribute. Of more, rare combinations without a
    common attribute need a cell each, so that their number is a bound.

    Cost O(n_keys · d · 2^d), or a pass over the combinations.
    """
    n, d = keys.codes.shape
    exact = n << d <= ENTRIES
    if not exact and size == d:
        return None
    subsets, rare = rare_subsets(keys, k, size)
    least = _fewest_blanks(keys, subsets, rare) if exact else _disjoint(subsets, rare)
    return int(least @ keys.weights)


def _fewest_blanks(
    keys: Keys, subsets: NDArray[np.bool_], rare: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return (n_keys,) int64: the fewest cells of each key that are in all its rare subsets."""
    n, d = keys.codes.shape
    masks = subsets @ (1 << np.arange(d))
    refused = np.zeros((1 << d, n), np.bool_)
    refused[masks] = rare
    for a in range(d):
        halves = refused.reshape(-1, 2, 1 << a, n)
        halves[:, 1] |= halves[:, 0]
    shown = (np.arange(1 << d)[:, np.newaxis] >> np.arange(d) & 1).astype(np.bool_)
    least = np.full(n, d, np.int64)
    for mask in range(1 << d):
        blanks = (~keys.is_null[:, ~shown[mask]]).sum(axis=1)
        least = np.where(refused[mask], least, np.minimum(least, blanks))
    return least


def _disjoint(subsets: NDArray[np.bool_], rare: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return (n_keys,) int64: how many rare subsets without a common attribute were found.

    Smaller ones come first; each takes its attributes away from those that follow.
    """
    taken = np.zeros((rare.shape[1], subsets.shape[1]), np.bool_)
    found = np.zeros(rare.shape[1], np.int64)
    for subset, own in zip(subsets, rare, strict=True):
        free = own & ~taken[:, subset].any(axis=1)
        found += free
        taken[np.ix_(free, subset)] = True
    return found
