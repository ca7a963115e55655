"""Branch and bound below a branch of the lattice, where class sizes decide alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.compile import kernel
from kanonym.kernels.lattice.walk import HIGHEST, Axes, State, find_runs, generalize, try_levels

FIXED, STEPS, CHECKED = 0, 1, 2
BEST, OPEN = 0, 1
UNLIMITED = np.iinfo(np.int64).max


@kernel
def search_below(
    tuples: tuple[NDArray[np.uint64], NDArray[np.int32]],
    axes: Axes,
    state: State,
    best_levels: NDArray[np.int64],
    required: NDArray[np.int64],
    numbers: NDArray[np.int64],
    scores: NDArray[np.float64],
    stop: NDArray[np.int64],
) -> None:
    """Find the least score below a branch, depth first.

    Parameters
    ----------
    tuples
        Keys and counts, as in `lattice`.
    axes, required
        As in `lattice.walk.try_levels`; suppressed records leave.
    state
        Of the branch.
    best_levels
        (d,) int64, written: the best node's.
    numbers
        (3,) int64: attributes that the branch fixes, nodes that may be checked, and,
        written, nodes checked.
    scores
        (2,) float64: the best score known, to be improved; the least bound of what was
        left unsearched, to be lowered.
    stop
        (1,) int64, not 0 as soon as the search has to end.

    """
    d, n_levels = axes.kept.shape[:2]
    base = numbers[FIXED]
    at = state.levels.copy()
    keys_at = [tuples[0] for _ in range(d)]
    counts_at = [tuples[1] for _ in range(d)]
    runs_at = [np.empty((0, 5), np.int64) for _ in range(d)]
    room = (
        np.empty_like(tuples[0]),
        np.empty_like(tuples[1]),
        np.empty_like(tuples[0]),
        np.empty_like(tuples[1]),
    )
    gone = np.zeros((d, n_levels), np.int64)
    losses = np.zeros((d, n_levels, d + 1))
    queue = np.zeros((d, n_levels), np.int64)
    n_queued = np.zeros(d, np.int64)
    next_one = np.zeros(d, np.int64)
    sums_at = np.zeros((d, d))
    sums_at[base] = state.sums
    left_at = np.zeros((d, 1), np.int64)
    left_at[base] = state.left
    labels_at = [state.labels_left for _ in range(d)]
    depth = base
    fresh = True
    while depth >= base:
        if fresh:
            a = np.int64(depth)
            runs_at[a] = find_runs(keys_at[a], counts_at[a], axes, a)
            here = State(at, sums_at[a], left_at[a], labels_at[a])
            found, losses_here = try_levels(keys_at[a], runs_at[a], axes, a, here, required)
            gone[a], losses[a] = found, losses_here
            n = 0
            for level in range(n_levels):
                if found[level] >= 0 and losses_here[level, d] < scores[BEST]:
                    j = n
                    while j > 0 and losses_here[queue[a, j - 1], d] > losses_here[level, d]:
                        queue[a, j] = queue[a, j - 1]
                        j -= 1
                    queue[a, j] = level
                    n += 1
                    # At its highest level an attribute is where it stood when it was open.
                    numbers[CHECKED] += level != axes.fields[a, HIGHEST]
            n_queued[a] = n
            next_one[a] = 0
            fresh = False
        if next_one[depth] == n_queued[depth]:
            depth -= 1
            continue
        level = queue[depth, next_one[depth]]
        bound = losses[depth, level, d]
        if bound >= scores[BEST]:
            depth -= 1
            continue
        if stop[0] != 0 or numbers[CHECKED] >= numbers[STEPS]:
            # Children stand by bound: the others are no better.
            scores[OPEN] = min(scores[OPEN], bound)
            depth -= 1
            continue
        next_one[depth] += 1
        at[depth] = level
        if depth == d - 1:
            scores[BEST] = bound
            best_levels[:] = at
            depth -= 1
            continue
        a = np.int64(depth)
        sums_at[a + 1] = losses[a, level, :d]
        left_at[a + 1] = gone[a, level]
        labels_at[a + 1] = labels_at[a].copy()
        pair = keys_at[a], counts_at[a]
        keys_at[a + 1], counts_at[a + 1] = generalize(
            pair, runs_at[a], axes, a, level, required, room, labels_at[a + 1]
        )
        depth += 1
        fresh = True
