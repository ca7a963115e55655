"""Bounds of metrics that rank classes: no sum over records tells a kernel what they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.full_domain.space import WORD_BITS, SearchSpace
from kanonym.kernels.lattice.walk import ABOVE, LABEL, RECORDS, SHIFT, SIZE, START, WIDTH, WORD
from kanonym.metrics.information_loss import FinestClasses

ONES = np.uint64(2**WORD_BITS - 1)


def run_floors(
    space: SearchSpace,
    levels: Sequence[int],
    tuples: tuple[NDArray[np.uint64], NDArray[np.int32]],
    runs: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return (n_runs, n_floors): what the metric adds up of the finest classes of a branch.

    levels: of the first attributes in search order. tuples, runs: keys, counts and runs of the
    branch. Cost: a pass over the tuples for each attribute that the metric reads.
    """
    keys, counts = tuples
    first = _first_tuples(space, keys)
    place_of = np.argsort(space.order)

    def column(j: int) -> NDArray[np.int32]:
        word, shift, width = space.axes.fields[place_of[j], [WORD, SHIFT, WIDTH]].tolist()
        if not width:
            return np.zeros(len(first), np.int32)
        mask = np.uint64((1 << width) - 1)
        fields = (keys[word].take(first) >> np.uint64(shift)) & mask
        return np.asarray(fields, np.int32)

    sizes = np.add.reduceat(counts[0], first, dtype=np.int64)
    finest = FinestClasses(space.in_table_order(levels), sizes, column, int(space.required[SIZE]))
    floors = space.metric.class_floors(finest)
    return np.add.reduceat(floors, np.searchsorted(first, runs[:-1, START]))


def bound_of_branch(
    space: SearchSpace,
    levels: Sequence[int],
    runs: NDArray[np.int64],
    floors: NDArray[np.float64],
) -> float:
    """Return a lower bound on the scores below a branch, from its runs and their floors."""
    return _bound(space, levels, runs, floors, np.zeros(len(runs) - 1, np.int32))


def bound_of_level(
    space: SearchSpace,
    levels: Sequence[int],
    runs: NDArray[np.int64],
    floors: NDArray[np.float64],
) -> float:
    """Return a lower bound below a level of the next attribute, before it is generalized.

    levels: of the first attributes, the last of which makes the runs.
    """
    labels = space.axes.labels[len(levels) - 1, levels[-1]]
    return _bound(space, levels, runs, floors, labels[runs[:-1, LABEL]])


def _bound(
    space: SearchSpace,
    levels: Sequence[int],
    runs: NDArray[np.int64],
    floors: NDArray[np.float64],
    labels: NDArray[np.int32],
) -> float:
    """Add up the floors of runs that one class of the coarsest node holds."""
    starts = np.flatnonzero(np.diff(runs[:-1, ABOVE], prepend=-1) | np.diff(labels, prepend=-1))
    sizes = np.add.reduceat(runs[:-1, RECORDS], starts)
    kept = sizes >= space.required[SIZE]
    sums = np.add.reduceat(floors, starts)[kept]
    return space.metric.branch_floor(space.in_table_order(levels), sums, int(sizes[~kept].sum()))


def _first_tuples(space: SearchSpace, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the first tuple of each class of the finest node: others differ in secrets alone."""
    word, shift = space.axes.fields[-2, [WORD, SHIFT]].tolist()
    differs = np.zeros(keys.shape[1], np.bool_)
    differs[:1] = True
    for w in range(word + 1):
        above = (
            ONES if w < word else ONES << np.uint64(shift) if shift < WORD_BITS else np.uint64(0)
        )
        differs[1:] |= ((keys[w, 1:] ^ keys[w, :-1]) & above) != 0
    return np.flatnonzero(differs)
