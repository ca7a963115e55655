"""The proof from the top of a lattice down, for metrics and models that class sizes decide."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.full_domain.branch import Solution
from kanonym.algorithms.full_domain.search import (
    ROUND,
    SearchClock,
    SearchResult,
    is_worse,
    remaining_steps,
    search_in_parallel,
)
from kanonym.algorithms.full_domain.space import SearchSpace
from kanonym.kernels.lattice.branch_and_bound import BEST, CHECKED, OPEN, UNLIMITED
from kanonym.kernels.lattice.refined_classes import Tuples
from kanonym.kernels.lattice.refinement import AT, search_refinements
from kanonym.kernels.lattice.walk import HIGHEST, LOWEST

SPLIT = 2
"""Nodes that refine so many attributes are searched side by side."""


def can_refine(space: SearchSpace) -> bool:
    """Say whether `search_refinements` can search a space."""
    one_word, no_population = len(space.keys) == 1, len(space.counts) == 1
    exact = space.exact and not space.remembers and space.seen is None
    return exact and one_word and no_population


def search_from_top(
    space: SearchSpace, best: Solution, steps: int | None, clock: SearchClock
) -> SearchResult:
    """Search the whole lattice for the node of least score, as `branch_and_bound` does.

    Notes
    -----
    Where a few refined attributes use up the suppression limit, most of a large lattice is
    not worth a look: branches grow from the most general node, and forget an attribute as
    soon as no level of it goes together with what is refined.

    """
    fields = space.axes.fields[:-1]
    whole = np.stack([fields[:, HIGHEST], fields[:, LOWEST]])
    if clock.is_over() or steps == 0:
        return SearchResult(best, 0.0, 0, clock.is_interrupted)
    first = _Refinement(space, best, steps, clock, SPLIT)
    tasks, bounds = first.run(whole)
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
        walks = [_Refinement(space, best, share, clock, 0) for _ in batch]
        jobs = [partial(walk.run, task) for walk, task in zip(walks, batch, strict=True)]
        search_in_parallel(walks, jobs, clock, checked, float(bounds[done]))
        done += len(batch)
        for walk in walks:
            best = min(best, walk.best)
            bound = min(bound, walk.open)
            checked += walk.so_far
    bound = min([bound, best.score, *bounds[done : done + 1].tolist()])
    return SearchResult(best, bound, checked, clock.is_interrupted)


class _Refinement:
    """Search below one node.

    split: as the first of `numbers` of the kernel.
    """

    def __init__(
        self,
        space: SearchSpace,
        best: Solution,
        steps: int | None,
        clock: SearchClock,
        split: int,
    ) -> None:
        self.space, self.best, self.clock = space, best, clock
        self.numbers = np.array([split, UNLIMITED if steps is None else steps, 0], np.int64)
        self.open = float("inf")

    @property
    def so_far(self) -> int:
        """Nodes checked so far."""
        return int(self.numbers[CHECKED])

    def run(self, task: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
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
