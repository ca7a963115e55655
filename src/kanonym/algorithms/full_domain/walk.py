"""Every node of a lattice, and those that a search has looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TypeVar

from kanonym.algorithms.base import Listener
from kanonym.algorithms.full_domain.branch import (
    NOTHING,
    Branch,
    coarsest_node,
    descend,
    promising_children,
    root_branch,
)
from kanonym.algorithms.full_domain.nodes import EvaluatedNode, Node, evaluate_node
from kanonym.algorithms.full_domain.search import SearchClock
from kanonym.algorithms.full_domain.space import SearchSpace
from kanonym.data.progress import Progress
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.lattice.walk import BUDGET, DROPS
from kanonym.kernels.parallel import parallel

Found = TypeVar("Found")


def evaluate_every_node(
    space: SearchSpace, listen: Listener | None, seconds: float | None = None
) -> list[EvaluatedNode]:
    """Return every node with what it is worth, by levels; after `seconds`, those found by then."""
    nodes = _every_node(space, partial(evaluate_node, space), listen, seconds)
    return sorted(nodes, key=lambda node: node.levels)


def visit_every_node(
    space: SearchSpace, visit: Callable[[Ints, Int32s, Ints], Found]
) -> list[Found]:
    """Return what is found at every node, in no particular order.

    visit: takes levels, and the labels (n, d) and sizes (n,) of its classes. Classes that are
        smaller than the models require are left out, or stand there in part.
    """

    def at(node: Node) -> Found:
        generalized = node.generalized
        return visit(generalized.levels, generalized.labels, generalized.sizes)

    return _every_node(space, at, drops=True)


def _every_node(
    space: SearchSpace,
    visit: Callable[[Node], Found],
    listen: Listener | None = None,
    seconds: float | None = None,
    *,
    drops: bool = False,
) -> list[Found]:
    """Visit every node of a lattice."""
    required = space.required.copy()
    required[BUDGET], required[DROPS] = space.table.n_rows, drops
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

    def below(branch: Branch) -> list[Found]:
        last = len(branch.levels) + 1 == len(space.order)
        nodes = []
        for child in promising_children(free, branch, NOTHING):
            if clock.is_over():
                break
            if last:
                nodes.append(visit(coarsest_node(free, branch, child.level)))
            else:
                nodes += below(descend(free, branch, child))
        if last:
            report(len(nodes))
        return nodes

    start = root_branch(free)
    if len(space.order) == 1:
        return below(start)
    first = promising_children(free, start, NOTHING)
    branches = parallel(lambda child: below(descend(free, start, child)), first)
    return [node for nodes in branches for node in nodes]
