"""An evolving population of nodes: crossed, mutated, and selected by their score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.algorithms.full_domain.branch import NOTHING, Solution, follow_levels
from kanonym.algorithms.full_domain.search import SearchClock, SearchResult, remaining_steps
from kanonym.algorithms.full_domain.space import SearchSpace
from kanonym.algorithms.full_domain.strategies import most_general_solution
from kanonym.kernels.parallel import parallel

SIZE = 48
"""Nodes of a generation."""
ELITE = 8
"""So many of the best live on."""
PATIENCE = 40
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
    while failures < PATIENCE and not clock.is_over() and remaining_steps(steps, len(known)) != 0:
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
    people: list[_Individual],
    lowest: NDArray[np.int64],
    highest: NDArray[np.int64],
    rng: np.random.Generator,
) -> Iterator[NDArray[np.int64]]:
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
