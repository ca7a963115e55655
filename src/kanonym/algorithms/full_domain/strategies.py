"""How searches are put together: for the proof, or for a good node soon."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.full_domain.beam import beam_search
from kanonym.algorithms.full_domain.branch import NOTHING, Solution
from kanonym.algorithms.full_domain.neighbourhood import improve_in_neighbourhoods
from kanonym.algorithms.full_domain.nodes import group_at_levels, judge, score_of
from kanonym.algorithms.full_domain.refinement import can_refine, improve_from_top, search_from_top
from kanonym.algorithms.full_domain.search import (
    SearchClock,
    SearchResult,
    branch_and_bound,
    remaining_steps,
)
from kanonym.algorithms.full_domain.space import SearchSpace
from kanonym.algorithms.full_domain.suffixes import bound_of_suffixes, bound_suffixes

LARGE = 1 << 22
"""Larger lattices are searched for a good node, and for bounds, before the proof is tried."""

SMALL = 1 << 18
"""Larger lattices are searched from the top where class sizes decide alone."""

WIDTH = 48
"""How many branches are followed at first."""

SOON, LATER = 8, 10
"""So many attributes are freed at the most, before a proof and where there will be none."""

MEMORY = 1 << 29
"""Bytes that the branches which are followed side by side may take."""


def search_optimal(
    space: SearchSpace, steps: int | None, clock: SearchClock, known: Solution = NOTHING
) -> SearchResult:
    """Find the node of least score and prove it, unless a limit comes first.

    known: a node of another part of the lattice; it is returned where none here is better.
    """
    # A search from the top needs no bounds of the last attributes, unless it is cut short.
    from_top = space.size > SMALL and can_refine(space)
    prove = search_from_top if from_top else branch_and_bound
    if space.size <= LARGE:
        # Whatever stops the search, the most general node is there.
        best, checked, bound = most_general_solution(space), 1, 0.0
        if space.bounded_by_classes and best is not NOTHING:
            best, more = lower_one_by_one(space, best, remaining_steps(steps, checked), clock)
            checked += more
        best = min(known, best)
    else:
        if from_top:
            start = most_general_solution(space)
            first = improve_from_top(space, start, steps and steps // 2, clock.part(1 / 2))
        else:
            first = search_best_first(space, steps and steps // 3, clock.part(1 / 3), once=True)
        best, checked, bound = min(known, first.best), first.checked, first.bound
        limited = steps is not None or clock.is_limited
        if not space.bounded_by_classes and (limited or not from_top):
            some = None if steps is None else (steps - checked) // 2
            checked += bound_suffixes(space, best, some, clock.part(1 / 2))
            bound = max(bound, bound_of_suffixes(space))
    result = prove(space, best, remaining_steps(steps, checked), clock)
    return result._replace(checked=result.checked + checked, bound=max(bound, result.bound))


def search_best_first(
    space: SearchSpace, steps: int | None, clock: SearchClock, *, once: bool = False
) -> SearchResult:
    """Follow the most promising branches, then improve the best node found.

    Repeated with more and more branches while a limit of steps or seconds is left; without
    one, or where `once`, that is all. Random choices come from a fixed seed.
    """
    best = most_general_solution(space)
    checked, bound, width = 1, 0.0, WIDTH
    rng, most = np.random.default_rng(0), SOON if once else LATER
    while True:
        room = max(MEMORY // (space.keys.nbytes + space.counts.nbytes), 12)
        result = beam_search(space, best, remaining_steps(steps, checked), clock, min(width, room))
        best, checked, bound = result.best, checked + result.checked, max(bound, result.bound)
        if best is NOTHING or bound >= best.score:
            break
        better = improve_in_neighbourhoods(
            space, best, rng, most, remaining_steps(steps, checked), clock
        )
        best, checked, bound = better.best, checked + better.checked, max(bound, better.bound)
        over = clock.is_over() or remaining_steps(steps, checked) == 0 or bound >= best.score
        if over or once or (steps is None and not clock.is_limited):
            break
        width, most = 4 * width, most + 1
    return SearchResult(best, bound, checked, clock.is_interrupted)


def most_general_solution(space: SearchSpace) -> Solution:
    """Return the most general node, where it satisfies the models."""
    return _solution(space, space.highest)


def lower_one_by_one(
    space: SearchSpace, best: Solution, steps: int | None, clock: SearchClock
) -> tuple[Solution, int]:
    """Give each attribute in turn its best level, as long as that helps; return the nodes checked.

    Whole branches are worse than a good node that is known from the start.
    """
    checked: dict[tuple[int, ...], Solution] = {best.levels: best}
    before = NOTHING
    while best < before:
        before = best
        for a in space.order.tolist():
            for level in range(int(space.lowest[a]), int(space.highest[a]) + 1):
                levels = (*best.levels[:a], level, *best.levels[a + 1 :])
                if levels in checked:
                    continue
                if clock.is_over() or remaining_steps(steps, len(checked) - 1) == 0:
                    return best, len(checked) - 1
                checked[levels] = _solution(space, np.array(levels, np.int64))
                best = min(best, checked[levels])
    return best, len(checked) - 1


def lower_levels(space: SearchSpace, best: Solution) -> Solution:
    """Return a node of no higher score that generalizes less, where one is a level away.

    A metric may not see an attribute that divides no class, or a level that all records share.
    """
    if best is NOTHING:
        return best
    for a in range(len(best.levels)):
        while best.levels[a] > space.lowest[a]:
            levels = np.array(best.levels, np.int64)
            levels[a] -= 1
            below = _solution(space, levels)
            if below is NOTHING or below.score > best.score:
                break
            best = below
    return best


def _solution(space: SearchSpace, levels: NDArray[np.int64]) -> Solution:
    """Return a node, `NOTHING` where it does not satisfy the models."""
    node, _ = group_at_levels(space, levels)
    kept = judge(space, node)
    if kept is None:
        return NOTHING
    return Solution(score_of(space, node, kept), int(levels.sum()), tuple(levels.tolist()))
