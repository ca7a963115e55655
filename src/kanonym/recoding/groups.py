"""Groups of classes that share a released value in one attribute: handed down, and joined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanonym.data.recoded_attribute import RecodedAttribute


def expand_groups(recoded: RecodedAttribute, groups: NDArray[np.int32]) -> RecodedAttribute:
    """Return an attribute that was recoded by group as every class releases it.

    groups: (n_classes,) int32, the group of each class.
    """
    return replace(
        recoded,
        label_of_class=recoded.label_of_class[groups],
        low=recoded.low[groups],
        high=recoded.high[groups],
        loss=recoded.loss[groups],
    )


def joined_groups(groups: NDArray[np.int32], joined: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return (n_joined, d) int32: the groups of joined classes, those that meet in one made one.

    Where classes of equal released values are joined, the joined groups release them, too:
    so do their mean, median, mode, span and set.

    groups: (n_classes, d) int32, the groups before.
    joined: (n_classes,) int32, the class that each becomes part of.
    """
    n_joined = int(joined.max(initial=-1)) + 1
    own = np.empty((n_joined, groups.shape[1]), np.int32)
    for a, column in enumerate(groups.T):
        own[joined, a] = _connected_groups(column, joined, n_joined)[column]
    return renumber_groups(own)


def renumber_groups(groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return (n_classes, d) groups with those of each attribute numbered from 0, in their order."""
    own = np.empty_like(groups)
    for a, column in enumerate(groups.T):
        own[:, a] = np.unique(column, return_inverse=True)[1]
    return own


def _connected_groups(
    groups: NDArray[np.int32], joined: NDArray[np.int32], n_joined: int
) -> NDArray[np.int32]:
    """Return (n_groups,) int32: the lowest of the groups that each one is connected to."""
    root = np.arange(int(groups.max(initial=-1)) + 1, dtype=np.int32)
    while True:
        lowest = np.full(n_joined, len(root), np.int32)
        np.minimum.at(lowest, joined, root[groups])
        hooked = root.copy()
        np.minimum.at(hooked, root[groups], lowest[joined])
        hooked = hooked[hooked]
        if np.array_equal(hooked, root):
            return root
        root = hooked
