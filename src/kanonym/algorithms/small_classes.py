"""A least class size for algorithms that ask for none: classes below it are merged or moved."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import InfeasibleError
from kanonym.kernels.partitioning.small_classes import merge_targets, nearest_centres
from kanonym.recoding.groups import renumber_groups

Small = Literal["merge", "move"]
Groups = NDArray[np.int32] | None


def merge_small_classes(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    counts: NDArray[np.int64],
    classes: tuple[NDArray[np.int32], Groups],
    k: int,
    small: Small = "merge",
) -> tuple[NDArray[np.int32], Groups]:
    """Leave no class of fewer than k records.

    points: (n, d) float64, places of records.
    weights: (d,) float64, what a squared difference counts in a distance.
    counts: (n,) int64 records at each point, k together at least.
    classes: (n,) int32 class of each point, from 0, none empty; and (n_classes, d) int32 groups as
    of `Partition`, or None.

    Notes
    -----
    The centre of a class is the mean of its records or, column by column, of its groups'; it
    stays where it is while others join.

    """
    labels, groups = classes
    sizes = np.bincount(labels, counts).astype(np.int64)
    if sizes.min(initial=k) >= k:
        return classes
    centres = np.empty((len(sizes), points.shape[1]))
    for a in range(points.shape[1]):
        own = np.arange(len(sizes)) if groups is None else groups[:, a]
        held = own[labels]
        means = np.bincount(held, points[:, a] * counts) / np.bincount(held, counts)
        centres[:, a] = means[own]
    kept: NDArray[np.int64]
    if small == "merge":
        kept = merge_targets(centres, weights, sizes, k)[labels]
    else:
        large = np.flatnonzero(sizes >= k)
        if not len(large):
            raise InfeasibleError(
                f"no class has {k} records for those of smaller classes to move to: the largest "
                f"has {sizes.max()}. Use fewer clusters, or merge classes (small: merge)"
            )
        kept = labels.astype(np.int64)
        moving = sizes[labels] < k
        kept[moving] = large[nearest_centres(points[moving], centres[large], weights)]
    used, numbers = np.unique(kept, return_inverse=True)
    return numbers.astype(np.int32), None if groups is None else renumber_groups(groups[used])
