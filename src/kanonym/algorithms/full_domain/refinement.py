"""The proof from the top of a lattice down, for metrics and models that class sizes decide."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial

import numpy as np

from kanonym.algorithms.full_domain.branch import NOTHING, Solution
from kanonym.algorithms.full_domain.search import (
    ROUND,
    SearchClock,
    SearchResult,
    is_worse,
    remaining_steps,
    search_in_parallel,
)
from kanonym.algorithms.full_domain.space import SearchSpace
from kanonym.kernels.arrays import Floats, Ints
from kanonym.kernels.lattice.refined_classes import Tuples
from kanonym.kernels.lattice.refinement import AT, search_refinements
from kanonym.kernels.lattice.sweep import BEST, CHECKED, OPEN, UNLIMITED
from kanonym.kernels.lattice.walk import HIGHEST, LOWEST

SPLIT = 2
"""Nodes that refine so many attributes are searched side by side."""

GREEDY = 512
"""So many nodes are checked for a first good one."""

CLOSED = 3
"""At most so many refined attributes are taken back to look for a better node."""

NEARBY = 8192
"""So many nodes are checked around each node at the most."""


def can_refine(space: SearchSpace) -> bool:
    """Say whether `search_refinements` can search a space."""
    one_word, no_population = len(space.keys) == 1, len(space.counts) == 1
    exact = space.exact and not space.remembers and space.seen is None
    return exact and one_word and no_population


def search_from_top(
    space: SearchSpace, best: Solution, steps: int | None, clock: SearchClock
) -> SearchResult:
    """Search the whole lattice for the node of least score, as `branch_and_bound` does.

    Where a few refined attributes use up the suppression limit, most of a large lattice is not
    worth a look: branches grow from the most general node, and forget an attribute as soon as no
    level of it goes together with what is refined.
    """
    if clock.is_over() or steps == 0:
        return SearchResult(best, 0.0, 0, clock.is_interrupted)
    first = _Refinement(space, best, steps, clock, SPLIT)
    tasks, bounds = first.run(_whole(space))
    best, bound, checked = first.best, first.open, first.so_far
    waiting = [tasks[j] for j in np.argsort(bounds, kind="stable")]
    bounds.sort()
    done = 0
    while done < len(waiting) and not is_worse(float(bounds[done]), best):
        if clock.is_over() or remaining_steps(steps, checked) == 0:
            break
        batch = waiting[done : done + ROUND]
        left = remaining_steps(steps, checked)
        share = None if left is None else -(-left // len(batch))
        walks = _search_side_by_side(space, best, batch, share, clock, checked, float(bounds[done]))
        done += len(batch)
        for walk in walks:
            best = min(best, walk.best)
            bound = min(bound, walk.open)
            checked += walk.so_far
    bound = min([bound, best.score, *bounds[done : done + 1].tolist()])
    return SearchResult(best, bound, checked, clock.is_interrupted)


def improve_from_top(
    space: SearchSpace, best: Solution, steps: int | None, clock: SearchClock
) -> SearchResult:
    """Find a good node: descend from the top, then improve it as long as that helps.

    Attributes that a good node refines are taken back to the top, one, two and three at a time, and
    all that is finer than what is left is searched (large neighbourhood search, Shaw 1998): little
    is, for what is left uses up most of the suppression limit.
    """
    checked, closed = 1, 0  # the most general node, which `best` is at first
    while best is not NOTHING and closed <= CLOSED:
        before = best
        # At first, a descent from the top.
        tasks = _coarser_nodes(space, best, closed) if closed else [_whole(space)]
        while tasks and best == before:
            left = remaining_steps(steps, checked)
            if clock.is_over() or left == 0:
                return SearchResult(best, 0.0, checked, clock.is_interrupted)
            batch, tasks = tasks[:ROUND], tasks[ROUND:]
            share = NEARBY if closed else GREEDY
            share = share if left is None else min(share, -(-left // len(batch)))
            walks = _search_side_by_side(space, best, batch, share, clock, checked, 0.0)
            best = min([best, *(walk.best for walk in walks)])
            checked += sum(walk.so_far for walk in walks)
        closed += not closed or best == before
    return SearchResult(best, 0.0, checked, clock.is_interrupted)


def _search_side_by_side(
    space: SearchSpace,
    best: Solution,
    tasks: Sequence[Ints],
    steps: int | None,
    clock: SearchClock,
    checked: int,
    bound: float,
) -> list[_Refinement]:
    """Search below some nodes, and return who did; the last two are told the listener."""
    walks = [_Refinement(space, best, steps, clock, 0) for _ in tasks]
    jobs = [partial(walk.run, task) for walk, task in zip(walks, tasks, strict=True)]
    search_in_parallel(walks, jobs, clock, checked, bound)
    return walks


def _whole(space: SearchSpace) -> Ints:
    """Return the task that is the whole lattice."""
    fields = space.axes.fields[:-1]
    return np.stack([fields[:, HIGHEST], fields[:, LOWEST]])


def _coarser_nodes(space: SearchSpace, node: Solution, closed: int) -> list[Ints]:
    """Return tasks: some refined attributes of a node as they are, all others open."""
    at, whole = np.array(node.levels)[space.order], _whole(space)
    refined = np.flatnonzero(at < whole[AT]).tolist()
    tasks = []
    for out in itertools.combinations(refined, min(closed, len(refined))):
        task = whole.copy()
        kept = [a for a in refined if a not in out]
        task[:, kept] = at[kept]
        tasks.append(task)
    return tasks


class _Refinement:
    """Search below one node.

    split: as the first of `numbers` of the kernel.
    """

    def __init__(
        self, space: SearchSpace, best: Solution, steps: int | None, clock: SearchClock, split: int
    ) -> None:
        self.space, self.best, self.clock = space, best, clock
        self.numbers = np.array([split, UNLIMITED if steps is None else steps, 0], np.int64)
        self.open = float("inf")

    @property
    def so_far(self) -> int:
        """Nodes checked so far."""
        return int(self.numbers[CHECKED])

    def run(self, task: Ints) -> tuple[Ints, Floats]:
        """Search, and return what is to be searched next, with bounds."""
        space = self.space
        scores = np.array([self.best.score, self.open])
        levels = task[AT].copy()
        start = np.array([0, space.keys.shape[1]])
        found = search_refinements(
            Tuples(space.keys[0], space.counts[0], start),
            space.axes,
            task,
            space.required,
            self.numbers,
            scores,
            levels,
            self.clock.flag,
        )
        self.open = float(scores[OPEN])
        if scores[BEST] < self.best.score:
            by_name = space.in_table_order(levels.tolist())
            self.best = Solution(float(scores[BEST]), int(by_name.sum()), tuple(by_name.tolist()))
        return found
