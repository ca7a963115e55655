"""Bounds of metrics that rank classes: no sum over records tells a kernel what they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.full_domain.space import SearchSpace
from kanonym.kernels.lattice.finest_classes import (
    find_finest_classes,
    labels_of_classes,
    sum_by_class,
    sum_by_run,
)
from kanonym.kernels.lattice.walk import HIGHEST, SIZE
from kanonym.metrics.information_loss import FinestClasses


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
    first, sizes = find_finest_classes(keys, counts, space.axes)
    place_of = np.argsort(space.order)

    def column(j: int) -> NDArray[np.int32]:
        return labels_of_classes(keys, first, space.axes, place_of[j])

    finest = FinestClasses(space.in_table_order(levels), sizes, column, int(space.required[SIZE]))
    return sum_by_run(space.metric.class_floors(finest), first, runs)


def bound_of_branch(
    space: SearchSpace,
    levels: Sequence[int],
    runs: NDArray[np.int64],
    floors: NDArray[np.float64],
    left: int,
) -> float:
    """Return a lower bound on the scores below a branch, from its runs and their floors.

    left: records that are no more among its tuples.
    """
    top = space.axes.labels[len(levels), space.axes.fields[len(levels), HIGHEST]]
    return _bound(space, levels, runs, floors, top, left)


def bound_of_level(
    space: SearchSpace,
    levels: Sequence[int],
    runs: NDArray[np.int64],
    floors: NDArray[np.float64],
    left: int,
) -> float:
    """Return a lower bound below a level of the next attribute, before it is generalized.

    levels: of the first attributes, the last of which makes the runs. left: as above.
    """
    labels = space.axes.labels[len(levels) - 1, levels[-1]]
    return _bound(space, levels, runs, floors, labels, left)


def _bound(
    space: SearchSpace,
    levels: Sequence[int],
    runs: NDArray[np.int64],
    floors: NDArray[np.float64],
    labels: NDArray[np.int32],
    left: int,
) -> float:
    """Add up the floors of runs that one class of the coarsest node holds."""
    sums, lost = sum_by_class(floors, runs, labels, space.required[SIZE])
    return space.metric.branch_floor(space.in_table_order(levels), sums, left + lost)
