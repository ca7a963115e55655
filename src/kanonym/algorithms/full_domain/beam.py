"""Follow the most promising branches only: a good node soon, in a lattice of any size."""

from __future__ import annotations

from functools import partial

from kanonym.algorithms.full_domain.branch import (
    Branch,
    Child,
    Solution,
    complete_node,
    count_new,
    descend,
    promising_children,
    root_branch,
)
from kanonym.algorithms.full_domain.search import (
    SearchClock,
    SearchResult,
    is_worse,
    remaining_steps,
)
from kanonym.algorithms.full_domain.space import SearchSpace
from kanonym.kernels.parallel import parallel

PRICES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""What the whole suppression budget counts, in units of the score, in the ranks of branches."""


def beam_search(
    space: SearchSpace, best: Solution, steps: int | None, clock: SearchClock, widest: int
) -> SearchResult:
    """Search in passes, each over twice as many branches as the one before.

    A pass fixes one attribute after the other and keeps, of all branches, those of the
    least bound plus a price for the records that they suppress already: a share of the
    branches for each of several prices. Where a pass leaves no branch out, the best is
    proven.

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
