"""Improve a node: leave some attributes as they are, and search the others to the end."""

from __future__ import annotations

import numpy as np

from kanonym.algorithms.full_domain.branch import Solution
from kanonym.algorithms.full_domain.search import (
    SearchClock,
    SearchResult,
    branch_and_bound,
    remaining_steps,
)
from kanonym.algorithms.full_domain.space import SearchSpace, narrow_space

FREE = 8
"""So many attributes are searched at first."""
PATIENCE = 12
"""After so many searches without a better node, one attribute more is searched."""


def improve_in_neighbourhoods(
    space: SearchSpace,
    best: Solution,
    rng: np.random.Generator,
    most: int,
    steps: int | None,
    clock: SearchClock,
) -> SearchResult:
    """Search neighbourhoods of the best node known, as long as it pays.

    Each search frees some attributes, drawn at random, and finds the best of all nodes
    that agree with the best one on the others (large neighbourhood search, Shaw 1998).
    It is over where searches of `most` attributes do not help any more, or of all.
    """
    choice = np.flatnonzero(space.highest > space.lowest)
    free, failures, checked = min(FREE, len(choice)), 0, 0
    quiet = clock.part(quiet=True)
    while not clock.is_over() and remaining_steps(steps, checked) != 0:
        picked = rng.choice(choice, free, replace=False)
        lowest = np.array(best.levels, np.int64)
        highest = lowest.copy()
        lowest[picked], highest[picked] = space.lowest[picked], space.highest[picked]
        part = narrow_space(space, lowest, highest)
        result = branch_and_bound(part, best, remaining_steps(steps, checked), quiet)
        checked += result.checked
        failures = 0 if result.best < best else failures + 1
        best = min(best, result.best)
        if free == len(choice):
            return SearchResult(best, result.bound, checked, clock.is_interrupted)
        clock.report_progress(checked, best)
        if failures == PATIENCE:
            free, failures = free + 1, 0
        if free > most:
            break
    return SearchResult(best, 0.0, checked, clock.is_interrupted)
