"""Every node of a lattice, and those that a search has looked at."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock

from kanonym.algorithms.base import Listener
from kanonym.algorithms.full_domain.branch import (
    NOTHING,
    Branch,
    coarsest_node,
    descend,
    promising_children,
    root_branch,
)
from kanonym.algorithms.full_domain.nodes import EvaluatedNode, evaluate_node
from kanonym.algorithms.full_domain.search import SearchClock
from kanonym.algorithms.full_domain.space import SearchSpace
from kanonym.data.progress import Progress
from kanonym.kernels.lattice.walk import BUDGET, DROPS
from kanonym.kernels.parallel import parallel


def evaluate_every_node(
    space: SearchSpace, listen: Listener | None, seconds: float | None = None
) -> list[EvaluatedNode]:
    """Return every node with what it is worth, by levels; after `seconds`, those found by then.

    Cost: as of an exhaustive search, and a judgement of every node.
    """
    required = space.required.copy()
    required[BUDGET], required[DROPS] = space.table.n_rows, 0
    # Nothing is left out: no bound, no limit, no model rules a branch out.
    free = replace(space, required=required, exact=False, checks=(), bounded_by_classes=False)
    clock, lock = SearchClock(seconds, listen), Lock()
    done = 0

    def report(checked: int) -> None:
        nonlocal done
        with lock:
            done += checked
            sentence = f"{done:,} of {free.size:,} nodes checked"
            clock.report_message(Progress(sentence, done=done, total=free.size))

    def below(branch: Branch) -> list[EvaluatedNode]:
        last = len(branch.levels) + 1 == len(space.order)
        nodes = []
        for child in promising_children(free, branch, NOTHING):
            if clock.is_over():
                break
            if last:
                nodes.append(evaluate_node(space, coarsest_node(free, branch, child.level)))
            else:
                nodes += below(descend(free, branch, child))
        if last:
            report(len(nodes))
        return nodes

    start = root_branch(free)
    if len(space.order) == 1:
        found = below(start)
    else:
        first = promising_children(free, start, NOTHING)
        branches = parallel(lambda child: below(descend(free, start, child)), first)
        found = [node for nodes in branches for node in nodes]
    return sorted(found, key=lambda node: node.levels)
