"""Search for the best node of the lattice."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Lock
from types import FrameType
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from kanonym.algorithms.base import Listener, require_feasible
from kanonym.algorithms.full_domain.branch import (
    NOTHING,
    Branch,
    Child,
    Solution,
    coarsest_node,
    complete_node,
    count_new,
    descend,
    follow_levels,
    promising_children,
    root_branch,
)
from kanonym.algorithms.full_domain.nodes import EvaluatedNode, Node, evaluate, evaluate_node
from kanonym.algorithms.full_domain.space import SearchSpace, narrow_space
from kanonym.data.errors import InfeasibleError, Progress
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.lattice.sweep import BEST, CHECKED, OPEN, UNLIMITED, search_below
from kanonym.kernels.lattice.walk import BUDGET, DROPS, WEIGHT
from kanonym.kernels.parallel import cores, parallel

ROUND = 8
"""So many branches are searched side by side before they are told of each other's best."""

TICK = 0.05
"""Seconds between two looks at the clock."""

PAUSE = 0.5
"""Seconds between two messages to the listener."""


class SearchResult(NamedTuple):
    """What a search came to."""

    best: Solution
    bound: float
    checked: int
    interrupted: bool = False


class SearchClock:
    """When a search has to stop, and who is told how it proceeds."""

    def __init__(self, seconds: float | None = None, listen: Listener | None = None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self._listen = listen
        self._told = time.monotonic()
        self._said = ""
        self._stopped = threading.Event()
        self.flag = np.zeros(1, np.int64)
        """Not 0 as soon as the search has to end: kernels cannot ask for the time."""

    @property
    def is_interrupted(self) -> bool:
        """Whether the user stopped the search."""
        return self._stopped.is_set()

    @property
    def is_limited(self) -> bool:
        """Whether time is limited."""
        return self._end is not None

    def is_over(self) -> bool:
        """Say whether the search has to stop, and tell the kernels of it."""
        late = self._end is not None and time.monotonic() > self._end
        if late or self._stopped.is_set():
            self.flag[0] = 1
        return bool(self.flag[0])

    def part(self, share: float = 1.0, *, quiet: bool = False) -> SearchClock:
        """Return a clock for a share of the time that is left; what stops one stops both."""
        left = None if self._end is None else max(self._end - time.monotonic(), 0.0) * share
        part = SearchClock(left, None if quiet else self._listen)
        part._stopped = self._stopped
        return part

    def report_progress(self, checked: int, best: Solution, bound: float = 0.0) -> None:
        """Tell the listener how far the search is; a bound of 0 is not worth telling."""
        score = "no node yet" if best is NOTHING else f"best {best.score:.6g}"
        proven = f", none below {bound:.6g}" if bound > 0 else ""
        self.report_message(f"{checked:,} nodes checked, {score}{proven}")

    def report_message(self, sentence: str) -> None:
        """Tell the listener something, now and then, and not twice the same."""
        now = time.monotonic()
        if self._listen is None or now - self._told <= PAUSE or sentence == self._said:
            return
        self._told, self._said = now, sentence
        self._listen(sentence)

    @contextmanager
    def stop_on_interrupt(self) -> Iterator[None]:
        """Let the first Ctrl-C stop the search; the second interrupts as ever.

        In other threads than the main one, which get no signals, this does nothing.
        """
        main = threading.current_thread() is threading.main_thread()
        before = signal.getsignal(signal.SIGINT)
        if not main or not callable(before):
            yield
            return

        def stop(_number: int, _frame: FrameType | None) -> None:
            self._stopped.set()
            signal.signal(signal.SIGINT, before)

        signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def remaining_steps(steps: int | None, checked: int) -> int | None:
    """Return how many nodes may still be checked."""
    return None if steps is None else max(steps - checked, 0)


def branch_and_bound(
    space: SearchSpace, best: Solution, steps: int | None, clock: SearchClock
) -> SearchResult:
    """Search the whole lattice for the node of least score.

    Notes
    -----
    Attributes are fixed one after the other, each with all of its levels; a branch is left as soon
    as its coarsest node suppresses too many records (the subset property of Incognito, LeFevre et
    al. 2005), or its lower bound is above the best score. Branches of up to two fixed attributes
    are searched side by side, in rounds of a fixed number, so that the result and the number of
    nodes are the same on any number of cores.
    """
    layer = [root_branch(space)]
    checked = 0
    for depth in range(1, min(3, len(space.order) + 1)):
        children = parallel(partial(promising_children, space, best=best), layer)
        tasks = [
            (branch, child) for branch, some in zip(layer, children, strict=True) for child in some
        ]
        checked += sum(map(partial(count_new, space), layer, children))
        if depth == 1 < len(space.order) and not clock.is_over():
            layer = parallel(lambda task: descend(space, *task), tasks)
    tasks.sort(key=lambda task: (task[1].bound, task[0].levels, task[1].level))
    bound = float("inf")
    while tasks and not is_worse(tasks[0][1].bound, best):
        if clock.is_over() or remaining_steps(steps, checked) == 0:
            break
        batch, tasks = tasks[:ROUND], tasks[ROUND:]
        left = remaining_steps(steps, checked)
        share = None if left is None else -(-left // len(batch))
        walks = [_Walk(space, best, share, clock) for _ in batch]
        jobs = [partial(walk.follow, *task) for walk, task in zip(walks, batch, strict=True)]
        search_in_parallel(walks, jobs, clock, checked, batch[0][1].bound)
        for walk in walks:
            best = min(best, walk.best)
            bound = min(bound, walk.open)
            checked += walk.checked
    bound = min([bound, best.score, *(task[1].bound for task in tasks[:1])])
    return SearchResult(best, bound, checked, clock.is_interrupted)


def is_worse(bound: float, best: Solution) -> bool:
    """Say whether nothing at or above a bound is better than the best."""
    return bound >= best.score


class Searcher(Protocol):
    """Who searches a part of the lattice, in a thread of its own."""

    best: Solution

    @property
    def so_far(self) -> int:
        """Nodes checked so far."""
        ...


def search_in_parallel(
    searchers: Sequence[Searcher],
    jobs: Sequence[Callable[[], object]],
    clock: SearchClock,
    checked: int,
    bound: float,
) -> None:
    """Do the jobs of searchers on all cores, and meanwhile look at the clock: kernels cannot."""
    with ThreadPoolExecutor(cores()) as pool:
        running = [pool.submit(job) for job in jobs]
        try:
            while wait(running, TICK).not_done:
                clock.is_over()
                some = sum(searcher.so_far for searcher in searchers)
                best = min(searcher.best for searcher in searchers)
                clock.report_progress(checked + some, best, bound)
        except BaseException:
            clock.flag[0] = 1
            raise
        for future in running:
            future.result()


class _Walk:
    """Search one branch depth first."""

    def __init__(
        self, space: SearchSpace, best: Solution, steps: int | None, clock: SearchClock
    ) -> None:
        self.space, self.best, self.steps, self.clock = space, best, steps, clock
        self.checked = 0
        self.numbers = np.zeros(3, np.int64)
        self.open = float("inf")

    @property
    def so_far(self) -> int:
        """Nodes checked so far, those of a running kernel included."""
        return self.checked + int(self.numbers[CHECKED])

    def follow(self, branch: Branch, child: Child) -> None:
        """Search one child of a branch, or leave it open."""
        if self.clock.is_over() or (self.steps is not None and self.checked >= self.steps):
            self.open = min(self.open, child.bound)
        elif len(branch.levels) + 1 == len(self.space.order):
            solution = complete_node(self.space, branch, child)
            if solution is not None:
                self.best = min(self.best, solution)
        elif self.space.exact and self.space.seen is None:  # the kernel notes no nodes
            self._search_compiled(descend(self.space, branch, child))
        else:
            below = descend(self.space, branch, child)
            children = promising_children(self.space, below, self.best)
            self.checked += count_new(self.space, below, children)
            for one in children:
                if is_worse(one.bound, self.best):
                    break
                self.follow(below, one)

    def _search_compiled(self, branch: Branch) -> None:
        """Search a branch in one kernel: class sizes decide alone."""
        space = self.space
        fixed = len(branch.levels)
        levels = np.zeros(len(space.order), np.int64)
        steps = UNLIMITED if self.steps is None else self.steps - self.checked
        self.numbers[:] = fixed, steps, 0
        scores = np.array([self.best.score, self.open])
        search_below(
            (branch.keys, branch.counts),
            space.axes,
            branch.state,
            levels,
            space.required,
            self.numbers,
            scores,
            self.clock.flag,
        )
        self.checked += int(self.numbers[CHECKED])
        self.numbers[CHECKED] = 0
        self.open = float(scores[OPEN])
        if scores[BEST] < self.best.score:
            found = space.in_table_order(levels.tolist())
            self.best = Solution(float(scores[BEST]), int(found.sum()), tuple(found.tolist()))


def infeasible_error(space: SearchSpace, found: SearchResult) -> InfeasibleError:
    """Say why no node was found."""
    top = next(iter(evaluate(space, [space.highest.tolist()])))
    if top.satisfied or found.bound < float("inf"):
        return InfeasibleError(
            f"none of the {found.checked:,} nodes checked satisfies the models, but others might: "
            f"allow more steps or seconds, or choose search: optimal"
        )
    require_feasible(space.table, space.models)
    levels = ", ".join(
        f"{name}={level}" for name, level in zip(space.names, top.levels, strict=True)
    )
    return InfeasibleError(
        f"no node of the lattice satisfies the models: at the most general one ({levels}), "
        f"{top.suppressed} records are in classes that fail, and {space.budget} may be suppressed. "
        "Allow higher levels, or a larger suppression limit"
        + (
            "; `minimality: none` suppresses classes for their sensitive values, too"
            if space.steps is not None and space.budget
            else ""
        )
    )


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
