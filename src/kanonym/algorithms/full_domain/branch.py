"""Branch and bound over the lattice, with bounds by classes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kanonym.algorithms.full_domain.nodes import Node, classes_of_node, judge, may_hold, score_of
from kanonym.algorithms.full_domain.space import WORD_BITS, Room, SearchSpace
from kanonym.kernels.arrays import Floats, Int32s, Ints, UInt64s
from kanonym.kernels.lattice.refinement import (
    find_finest_classes,
    labels_of_classes,
    sum_by_class,
    sum_by_run,
)
from kanonym.kernels.lattice.sweep import secret_histograms
from kanonym.kernels.lattice.walk import (
    DROPS,
    HIGHEST,
    SIZE,
    State,
    find_runs,
    generalize,
    read_classes,
    try_levels,
)
from kanonym.metrics.information_loss import FinestClasses


def run_floors(
    space: SearchSpace, levels: Sequence[int], tuples: tuple[UInt64s, Int32s], runs: Ints
) -> Floats:
    """Return (n_runs, n_floors): what the metric adds up of the finest classes of a branch.

    levels: of the first attributes in search order. tuples, runs: keys, counts and runs of the
    branch. Cost: a pass over the tuples for each attribute that the metric reads.
    """
    keys, counts = tuples
    first, sizes = find_finest_classes(keys, counts, space.axes)
    place_of = np.argsort(space.order)

    def column(j: int) -> Int32s:
        return labels_of_classes(keys, first, space.axes, place_of[j])

    finest = FinestClasses(space.in_table_order(levels), sizes, column, int(space.required[SIZE]))
    return sum_by_run(space.metric.class_floors(finest), first, runs)


def bound_of_branch(
    space: SearchSpace, levels: Sequence[int], runs: Ints, floors: Floats, left: int
) -> float:
    """Return a lower bound on the scores below a branch, from its runs and their floors.

    left: records that are no more among its tuples.
    """
    top = space.axes.labels[len(levels), space.axes.fields[len(levels), HIGHEST]]
    return _bound(space, levels, runs, floors, top, left)


def bound_of_level(
    space: SearchSpace, levels: Sequence[int], runs: Ints, floors: Floats, left: int
) -> float:
    """Return a lower bound below a level of the next attribute, before it is generalized.

    levels: of the first attributes, the last of which makes the runs. left: as above.
    """
    labels = space.axes.labels[len(levels) - 1, levels[-1]]
    return _bound(space, levels, runs, floors, labels, left)


def _bound(
    space: SearchSpace, levels: Sequence[int], runs: Ints, floors: Floats, labels: Int32s, left: int
) -> float:
    """Add up the floors of runs that one class of the coarsest node holds."""
    sums, lost = sum_by_class(floors, runs, labels, space.required[SIZE])
    return space.metric.branch_floor(space.in_table_order(levels), sums, left + lost)


class Solution(NamedTuple):
    """A node that satisfies the models, with its levels in the table's order.

    The least one is the best.
    """

    score: float
    height: int
    levels: tuple[int, ...]


NO_FLOORS = np.zeros((0, 0))

NOTHING = Solution(float("inf"), sys.maxsize, ())
"""No node: worse than any, one of infinite score included."""


class Child(NamedTuple):
    """A level of the next attribute that may lead to a solution.

    sums: (d,) losses of the fixed attributes, as `try_levels` returns them.
    """

    bound: float
    level: int
    suppressed: int
    sums: Floats


class Branch(NamedTuple):
    """What is left of the table below a branch.

    floors: (n_runs, n_floors) float64: what bounds add up of the runs, where they need classes.
    """

    levels: tuple[int, ...]
    keys: UInt64s
    counts: Int32s
    runs: Ints
    state: State
    bound: float
    floors: Floats


def root_branch(space: SearchSpace) -> Branch:
    """Return the branch of all nodes."""
    d = len(space.order)
    runs = find_runs(space.keys, space.counts, space.axes, 0)
    n_labels = (d, space.axes.kept.shape[2]) if space.remembers else (0, 0)
    state = State(
        np.zeros(d, np.int64), np.zeros(d), np.zeros(1, np.int64), np.zeros(n_labels, np.int64)
    )
    return _bounded(space, Branch((), space.keys, space.counts, runs, state, 0.0, NO_FLOORS))


def _bounded(space: SearchSpace, branch: Branch) -> Branch:
    """Return a branch with what its classes say of scores, where the metric needs them."""
    if not space.bounded_by_classes:
        return branch
    levels, runs = branch.levels, branch.runs
    floors = run_floors(space, levels, (branch.keys, branch.counts), runs)
    found = bound_of_branch(space, levels, runs, floors, int(branch.state.left[0]))
    return branch._replace(bound=max(branch.bound, found), floors=floors)


def promising_children(space: SearchSpace, branch: Branch, best: Solution) -> list[Child]:
    """Return the levels of the next attribute that may lead to less than the best.

    They stand by bound. Cost: two passes over the tuples.
    """
    if branch.bound >= best.score:
        return []
    a = len(branch.levels)
    suppressed, losses = try_levels(
        branch.keys, branch.runs, space.axes, a, branch.state, space.required
    )
    floor, left = branch.bound, int(branch.state.left[0])
    found = []
    for level, gone in enumerate(suppressed.tolist()):
        if gone >= 0:
            bound = max(float(losses[level, -1]), floor)
            if space.bounded_by_classes and bound < best.score:
                below = (*branch.levels, level)
                closer = bound_of_level(space, below, branch.runs, branch.floors, left)
                bound = max(bound, closer)
            if bound < best.score:
                found.append(Child(bound, level, gone, losses[level, :-1]))
    if space.checks and a < len(space.order) - 1:
        found = _children_that_may_hold(space, branch, found)
    found.sort(key=lambda child: (child.bound, child.level))
    return found


def _children_that_may_hold(
    space: SearchSpace, branch: Branch, children: Sequence[Child]
) -> list[Child]:
    """Return the children, by level, whose coarsest nodes do not fail a model: the upper ones."""
    found: list[Child] = []
    for child in reversed(children):
        highest = child.level == space.axes.fields[len(branch.levels), HIGHEST]
        if not highest and not may_hold(space, coarsest_node(space, branch, child.level)):
            break
        found.append(child)
    return found


def count_new(space: SearchSpace, branch: Branch, found: Sequence[Child]) -> int:
    """Return how many children are nodes that have not been looked at.

    The coarsest node below the highest level of an attribute is that of the branch itself.
    """
    highest = int(space.axes.fields[len(branch.levels), HIGHEST])
    return sum(child.level != highest for child in found)


def descend(space: SearchSpace, branch: Branch, child: Child) -> Branch:
    """Return the branch below a child. Cost: one merge of the tuples."""
    a = len(branch.levels)
    level = child.level
    labels_left = branch.state.labels_left.copy()
    room = _reuse_buffers(space)
    tuples = branch.keys, branch.counts
    keys, counts = generalize(
        tuples, branch.runs, space.axes, a, level, space.required, room, labels_left
    )
    space.memory.append(room)
    runs = find_runs(keys, counts, space.axes, a + 1)
    levels = (*branch.levels, level)
    at = branch.state.levels.copy()
    at[a] = level
    sums, left = child.sums, np.array([child.suppressed], np.int64)
    if not space.required[DROPS]:
        sums, left = branch.state.sums.copy(), branch.state.left
        sums[a] = space.axes.whole[a, level]
    state = State(at, np.ascontiguousarray(sums), left, labels_left)
    return _bounded(space, Branch(levels, keys, counts, runs, state, child.bound, NO_FLOORS))


def _reuse_buffers(space: SearchSpace) -> Room:
    """Return room for two frequency sets: fresh memory costs more than the merge itself."""
    try:
        return space.memory.pop()
    except IndexError:
        keys, counts = space.keys, space.counts
        once = np.empty_like(keys), np.empty_like(counts)
        return (*once, np.empty_like(keys), np.empty_like(counts))


def complete_node(space: SearchSpace, branch: Branch, child: Child) -> Solution | None:
    """Return the node that a child of a branch of all attributes but one is; None if it fails."""
    levels = space.in_table_order((*branch.levels, child.level))
    score = child.bound
    if not space.exact:
        node = coarsest_node(space, branch, child.level)
        kept = judge(space, node)
        if kept is None:
            return None
        score = score_of(space, node, kept)
    solution = Solution(score, int(levels.sum()), tuple(levels.tolist()))
    if space.seen is not None:
        space.seen.append((solution.score, solution.levels))
    return solution


def follow_levels(space: SearchSpace, levels: Sequence[int]) -> tuple[Solution, int]:
    """Return what a node is worth, and how many attributes could be fixed on the way to it.

    levels: in search order. `NOTHING` where the node does not satisfy the models.
    """
    branch = root_branch(space)
    for fixed, level in enumerate(levels):
        found = (one for one in promising_children(space, branch, NOTHING) if one.level == level)
        child = next(found, None)
        if child is None:
            return NOTHING, fixed
        if fixed == len(levels) - 1:
            return complete_node(space, branch, child) or NOTHING, fixed
        branch = descend(space, branch, child)
    return NOTHING, len(levels)


def coarsest_node(space: SearchSpace, branch: Branch, level: int) -> Node:
    """Return the coarsest node below a level of the next attribute; others stand at the top."""
    a = len(branch.levels)
    labels, totals, class_of = read_classes(branch.keys, branch.counts, space.axes, a + 1, level)
    levels = space.highest.copy()
    levels[space.order[: a + 1]] = (*branch.levels, level)
    in_table = np.zeros((len(labels), len(space.order)), np.int32)
    in_table[:, space.order[: a + 1]] = labels
    _, shift, width = space.axes.fields[-1, :3].tolist()
    histograms = [
        secret_histograms(
            class_of,
            branch.keys[-1],
            min(shift, WORD_BITS - 1),
            width,
            np.ascontiguousarray(space.secrets[:, j]),
            branch.counts[0],
            len(totals),
            domain.size,
        )
        for j, domain in enumerate(space.table.sensitive)
    ]
    return classes_of_node(space, levels, in_table, totals, histograms)
