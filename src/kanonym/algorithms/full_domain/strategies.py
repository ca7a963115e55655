"""Strategies for lattices that are too large to search: beam, genetic and neighbourhood search."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from kanonym.algorithms.full_domain.branch import (
    NOTHING,
    Branch,
    Child,
    Solution,
    complete_node,
    count_new,
    descend,
    follow_levels,
    promising_children,
    root_branch,
)
from kanonym.algorithms.full_domain.nodes import group_at_levels, judge, score_of
from kanonym.algorithms.full_domain.refinement import can_refine, improve_from_top, search_from_top
from kanonym.algorithms.full_domain.search import (
    SearchClock,
    SearchResult,
    bound_of_suffixes,
    bound_suffixes,
    branch_and_bound,
    is_worse,
    remaining_steps,
)
from kanonym.algorithms.full_domain.space import SearchSpace, narrow_space
from kanonym.kernels.arrays import Ints
from kanonym.kernels.parallel import parallel

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


PRICES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""What the whole suppression budget counts, in units of the score, in the ranks of branches."""


def beam_search(
    space: SearchSpace, best: Solution, steps: int | None, clock: SearchClock, widest: int
) -> SearchResult:
    """Search in passes, each over twice as many branches as the one before.

    A pass fixes one attribute after the other and keeps, of all branches, those of the least bound
    plus a price for the records that they suppress already: a share of the branches for each of
    several prices. Where a pass leaves no branch out, the best is proven.

    widest: the last pass keeps at least so many branches.
    """
    checked, width = 0, len(PRICES)
    while True:
        width *= 2
        best, more, left = _one_pass(space, best, width, remaining_steps(steps, checked), clock)
        checked += more
        bound = min(left, best.score)
        over = clock.is_over() or remaining_steps(steps, checked) == 0
        if over or left >= best.score or width >= widest:
            return SearchResult(best, bound, checked, clock.is_interrupted)


def _one_pass(
    space: SearchSpace, best: Solution, width: int, steps: int | None, clock: SearchClock
) -> tuple[Solution, int, float]:
    """Return the best node, the nodes checked, and the least bound of what was left out."""
    layer = [root_branch(space)]
    checked, left = 0, float("inf")
    d = len(space.order)
    for depth in range(d):
        children = parallel(partial(promising_children, space, best=best), layer)
        tasks = [
            (branch, child) for branch, some in zip(layer, children, strict=True) for child in some
        ]
        checked += sum(map(partial(count_new, space), layer, children))
        if clock.is_over() or remaining_steps(steps, checked) == 0:
            return best, checked, min([left, *(child.bound for _, child in tasks)])
        if depth == d - 1:
            tasks.sort(key=lambda task: (task[1].bound, task[0].levels, task[1].level))
            for branch, child in tasks:
                if is_worse(child.bound, best):
                    break
                solution = complete_node(space, branch, child)
                if solution is not None:
                    best = min(best, solution)
            break
        kept, least = _select_branches(space, tasks, width)
        left = min(left, least)
        layer = parallel(lambda task: descend(space, *task), kept)
        clock.report_progress(checked, best)
    return best, checked, left


def _select_branches(
    space: SearchSpace, tasks: list[tuple[Branch, Child]], width: int
) -> tuple[list[tuple[Branch, Child]], float]:
    """Return the branches that are followed, and the least bound of the others."""
    if len(tasks) <= width:
        return tasks, float("inf")
    chosen: set[int] = set()
    for price in PRICES:
        per_record = price / max(space.budget, 1)
        ranks = sorted(
            (child.bound + per_record * child.suppressed, i)
            for i, (_, child) in enumerate(tasks)
            if i not in chosen
        )
        chosen.update(i for _, i in ranks[: width // len(PRICES)])
    left = min(child.bound for i, (_, child) in enumerate(tasks) if i not in chosen)
    return [tasks[i] for i in sorted(chosen)], left


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


def _solution(space: SearchSpace, levels: Ints) -> Solution:
    """Return a node, `NOTHING` where it does not satisfy the models."""
    node, _ = group_at_levels(space, levels)
    kept = judge(space, node)
    if kept is None:
        return NOTHING
    return Solution(score_of(space, node, kept), int(levels.sum()), tuple(levels.tolist()))


SIZE = 48
"""Nodes of a generation."""
ELITE = 8
"""So many of the best live on."""
GENERATIONS_WITHOUT_GAIN = 40
"""After so many generations without a better node the search ends."""


class _Individual(NamedTuple):
    """A node, ranked: satisfied ones by score, others by how many attributes could be fixed."""

    rank: tuple[float, ...]
    levels: tuple[int, ...]
    solution: Solution


def genetic_search(space: SearchSpace, steps: int | None, clock: SearchClock) -> SearchResult:
    """Evolve nodes from a fixed seed until it does not help any more, or a limit comes.

    Parents are chosen by tournaments of two, children take each level from one of them
    at random, and one level in d is moved up or down. As ARX's genetic search (Prasser
    et al. 2021), which also mixes random nodes in.
    """
    rng = np.random.default_rng(0)
    lowest, highest = space.lowest[space.order], space.highest[space.order]
    known: dict[tuple[int, ...], _Individual] = {}
    share = np.linspace(0, 1, SIZE)[:, None]
    spread = rng.random((SIZE, len(lowest))) < share
    generation = np.where(spread, highest, rng.integers(lowest, highest + 1, spread.shape))
    best, failures = most_general_solution(space), 0
    people: list[_Individual] = []
    while (
        failures < GENERATIONS_WITHOUT_GAIN
        and not clock.is_over()
        and remaining_steps(steps, len(known)) != 0
    ):
        new = [tuple(one) for one in generation.tolist()]
        new = [one for one in dict.fromkeys(new) if one not in known][
            : remaining_steps(steps, len(known))
        ]
        known.update(
            (individual.levels, individual)
            for individual in parallel(lambda one: _value(space, one), new)
        )
        pool = {person.levels: person for person in people}
        pool.update(
            (levels, known[levels]) for levels in map(tuple, generation.tolist()) if levels in known
        )
        people = sorted(pool.values())[:SIZE]
        failures = 0 if people[0].solution < best else failures + 1
        best = min(best, people[0].solution)
        clock.report_progress(len(known), best)
        generation = np.array(list(_offspring(people, lowest, highest, rng)))
    return SearchResult(best, 0.0, len(known), clock.is_interrupted)


def _offspring(
    people: list[_Individual], lowest: Ints, highest: Ints, rng: np.random.Generator
) -> Iterator[Ints]:
    """Yield the levels of the next generation's new nodes."""
    d = len(lowest)
    for _ in range(SIZE - min(ELITE, len(people) - 1)):
        # The people stand by rank: the smaller number wins a tournament.
        mother, father = (
            np.array(people[int(rng.integers(0, len(people), 2).min())].levels) for _ in range(2)
        )
        child = np.where(rng.random(d) < 0.5, mother, father)
        moved = rng.random(d) < 1 / d
        child = child + np.where(moved, rng.choice([-1, 1], d), 0)
        yield np.clip(child, lowest, highest)


def _value(space: SearchSpace, levels: tuple[int, ...]) -> _Individual:
    """Fix one attribute after the other, until too many records are suppressed."""
    solution, fixed = follow_levels(space, levels)
    if solution is NOTHING:
        return _Individual((1.0, float(-fixed), -sum(levels)), levels, NOTHING)
    return _Individual((0.0, *solution[:2]), levels, solution)
