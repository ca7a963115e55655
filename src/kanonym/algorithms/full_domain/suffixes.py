"""What the last attributes lose at the least, whatever the first ones do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanonym.algorithms.full_domain.branch import NOTHING, Solution, follow_levels
from kanonym.algorithms.full_domain.search import SearchClock, branch_and_bound, remaining_steps
from kanonym.algorithms.full_domain.space import SearchSpace, narrow_space
from kanonym.kernels.lattice.walk import DROPS, WEIGHT

CAUTION = 1 - 1e-9
"""Scores are rounded: a bound made of one is a little lower."""


def bound_suffixes(
    space: SearchSpace, best: Solution, steps: int | None, clock: SearchClock
) -> int:
    """Write into the space what all attributes after each one lose at the least.

    The first attributes are left out of the table, and the best levels of the others are
    searched: first those of the last attribute, then of the last two, and so on, each
    search bounded by those before it (Russian doll search, Verfaillie et al. 1996). In
    every node of the lattice they lose as much, for records that fall below a required
    class size without the first attributes do so with them, too.
    """
    d = len(space.order)
    geometric = bool(space.axes.form[0])
    rest = space.axes.rest
    checked, score = 0, 0.0
    last = NOTHING
    quiet = clock.part(quiet=True)
    for first in range(d - 1, 0, -1):
        if clock.is_over() or remaining_steps(steps, checked) == 0:
            # What two attributes lose at the least, three do.
            rest[first] = rest[first + 1]
            continue
        lowest, highest = space.lowest.copy(), space.highest.copy()
        out = space.order[:first]
        lowest[out] = [space.trees[a].n_levels - 1 for a in out]
        highest[out] = lowest[out]
        part = narrow_space(space, lowest, highest, space.order)
        part.axes.scale[:first, WEIGHT] = 0.0
        part.axes.rest[:] = np.where(np.arange(d + 1) > first, rest, float(geometric))
        required = part.required.copy()
        required[DROPS] = 1
        # What it finds is a bound, and no node to be noted.
        relaxed = replace(
            part, exact=True, remembers=False, checks=(), required=required, seen=None
        )
        # Known nodes to begin with, at the top where attributes are left out.
        solutions = [
            follow_levels(relaxed, np.maximum(one.levels, lowest)[space.order].tolist())[0]
            for one in (best, last)
            if one is not NOTHING
        ]
        start = min(solutions, default=NOTHING)
        result = branch_and_bound(relaxed, start, remaining_steps(steps, checked), quiet)
        last = result.best
        checked += result.checked
        score = max(score, result.bound * CAUTION)
        clock.report_progress(checked, best, score)
        rest[first] = (score + 1) ** d if geometric else score
    return checked


def bound_of_suffixes(space: SearchSpace) -> float:
    """Return a lower bound on the score of all nodes: what all attributes but the first lose."""
    rest, d = float(space.axes.rest[1]), len(space.order)
    score = rest ** (1 / d) - 1 if space.axes.form[0] else rest
    return score * CAUTION
