"""Search a lattice whose frequency set nobody has whole: count it where models have a chance.

A node of one attribute or of a few, all others at the root, is coarser than every node that
agrees with it on these: where it fails models that only get worse further down, none of those
satisfies them. So the lowest levels that have a chance are known from few columns at a time,
and the frequency set is counted there: smaller, and without loss for the search.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Protocol

import numpy as np

from kanonym.algorithms.base import Listener, Problem
from kanonym.algorithms.full_domain import FullDomain, partition_at_best, search_lattice
from kanonym.algorithms.full_domain.branch import NOTHING
from kanonym.algorithms.full_domain.nodes import group_at_levels, may_hold
from kanonym.algorithms.full_domain.search import (
    SearchClock,
    SearchResult,
    infeasible_error,
    remaining_steps,
)
from kanonym.algorithms.full_domain.space import (
    SearchSpace,
    hierarchies,
    level_bounds,
    prepare_space,
)
from kanonym.data.errors import DataError
from kanonym.data.partition import SUPPRESSED, Partition
from kanonym.data.table import EncodedTable, MergedTable, first_leaves, records_of, repeated_records
from kanonym.kernels.arrays import Int32s
from kanonym.kernels.classes.grouping import group_rows
from kanonym.metrics.certainty import certainty_costs
from kanonym.metrics.information_loss import Height, metric_from
from kanonym.models.base import PrivacyModel

Levels = tuple[int, ...]

KEPT = 1 << 20
"""Frequency sets of up to so many tuples are kept."""

WALKED = 4096
"""Of a few attributes, so many combinations of levels are looked at, at the most."""


class Counter(Protocol):
    """Who has the records."""

    heights: Levels
    most: int

    def count(self, levels: Levels) -> MergedTable | None:
        """Return the frequency set at some levels, None where it has more than `most` tuples.

        All of these tables have the same domains, `records` and `repeated`.
        """
        ...


def search_premerged(
    algorithm: FullDomain,
    models: Sequence[PrivacyModel],
    suppression_limit: float,
    counter: Counter,
    listen: Listener | None = None,
) -> tuple[MergedTable, Partition]:
    """Find the best node of a lattice, from frequency sets at higher levels alone.

    The subset property is that of Incognito (LeFevre, DeWitt and Ramakrishnan 2005, §3). Deviation:
    it says what is counted, and the nodes are searched by branch and bound. With a limit of steps
    or seconds, the node may be another one than of the whole frequency set.
    """
    counter = _CachedCounter(counter)
    top = counter.count(counter.heights)
    if top is None:
        raise _too_large_error([], ())
    if not top.n_rows:
        nothing = replace(top, lowest=np.zeros_like(top.lowest))
        return nothing, algorithm.partition(Problem(nothing, certainty_costs([], []), models))
    return _Search(algorithm, tuple(models), suppression_limit, counter, top).run(listen)


def merge_at_levels(table: EncodedTable, levels: Sequence[int]) -> MergedTable:
    """Generalize the tuples of a table, and join those that are then equal.

    levels: of each quasi-identifier; of a table that is merged already, none below its own.
    Cost: one radix sort of the tuples.
    """
    trees = hierarchies(table)
    codes = [
        first_leaves(tree, level).take(table.codes[:, a])
        for a, (tree, level) in enumerate(zip(trees, levels, strict=True))
    ]
    # Null that does not count is -1: shifted, it is one more value.
    hidden = [
        np.ascontiguousarray(table.sensitive_codes[:, j] + np.int32(1))
        for j in range(len(table.sensitive))
    ]
    sizes = [*(tree.size for tree in trees), *(one.size + 1 for one in table.sensitive)]
    groups = group_rows([*codes, *hidden], sizes)
    d, n = len(trees), len(groups.sizes)
    weights = np.bincount(groups.labels, table.weights, n).astype(np.int64)
    persons = table.population
    if persons is not None:
        persons = np.bincount(groups.labels, persons, n).astype(np.int64)
    return MergedTable(
        domains=table.domains,
        sensitive=table.sensitive,
        codes=np.ascontiguousarray(groups.codes[:, :d]),
        sensitive_codes=np.ascontiguousarray(groups.codes[:, d:] - np.int32(1)),
        weights=weights,
        tuple_of_row=groups.labels.take(table.tuple_of_row),
        population=persons,
        lowest=np.array(levels, np.int64),
        records=tuple(records_of(table, a) for a in range(d)),
        repeated=repeated_records(table),
    )


def labels_of(table: MergedTable, decided: MergedTable, labels: Int32s, levels: Levels) -> Int32s:
    """Return (n_tuples,) int32: the classes of the tuples of a table, known of another one.

    table, decided: frequency sets of the same records, none of them above `levels`.
    labels: the classes of the other's tuples, which are alike at these levels.
    """
    columns = [
        np.concatenate([first_leaves(tree, level)[one.codes[:, a]] for one in (decided, table)])
        for a, (tree, level) in enumerate(zip(hierarchies(table), levels, strict=True))
    ]
    groups = group_rows(columns, [domain.size for domain in table.domains]).labels
    n = len(decided.codes)
    of_group = np.full(int(groups.max(initial=-1)) + 1, SUPPRESSED, np.int32)
    of_group[groups[:n]] = labels
    return of_group[groups[n:]]


class _CachedCounter:
    """A counter that is asked no more than it has to be."""

    def __init__(self, counter: Counter) -> None:
        self.heights, self.most = counter.heights, counter.most
        self._counter = counter
        self._kept: list[MergedTable] = []
        self._large: list[Levels] = []

    def count(self, levels: Levels) -> MergedTable | None:
        """Return the frequency set at some levels: see `Counter.count`."""
        finer = [table for table in self._kept if (table.lowest <= levels).all()]
        if finer:
            return merge_at_levels(min(finer, key=lambda table: len(table.weights)), levels)
        if any(_is_at_most(levels, large) for large in self._large):
            return None
        table = self._counter.count(levels)
        if table is None:
            self._large.append(levels)
        elif len(table.weights) <= KEPT:
            self._kept.append(table)
        return table


@dataclass
class _Search:
    """What is asked, and what is known so far of a few attributes at a time."""

    algorithm: FullDomain
    models: tuple[PrivacyModel, ...]
    suppression_limit: float
    counter: Counter
    top: MergedTable
    known: dict[tuple[Levels, tuple[int, ...]], tuple[list[Levels], int] | None] = field(
        default_factory=dict
    )

    def run(self, listen: Listener | None) -> tuple[MergedTable, Partition]:
        """Search the parts of the lattice, those of the least bound first."""
        algorithm = self.algorithm
        metric = metric_from(algorithm.metric).bind(self.top, algorithm.weights)

        def with_bound(levels: Levels) -> tuple[float, Levels]:
            return metric.floor(np.array(levels, np.int64)), levels

        clock = SearchClock(algorithm.seconds, listen)
        done = SearchResult(NOTHING, math.inf, 0)
        searched_from: list[Levels] = []
        best: tuple[MergedTable, SearchSpace] | None = None
        with clock.stop_on_interrupt():
            parts = [with_bound(self._first_levels())]
            while parts and (best is None or parts[0][0] < done.best.score):
                if clock.is_over() or remaining_steps(algorithm.steps, done.checked) == 0:
                    break
                floor, levels = parts[0]
                table = self.counter.count(levels)
                heapq.heappop(parts)
                if table is None:
                    for one in self._split_lattice(levels):
                        others = [*searched_from, *(part for _, part in parts)]
                        # A part of another one is searched with that.
                        if not any(_is_at_most(other, one) for other in others):
                            heapq.heappush(parts, with_bound(one))
                    continue
                searched_from.append(levels)
                space = algorithm.space(table, self.models, self.suppression_limit)
                steps = remaining_steps(algorithm.steps, done.checked)
                found = search_lattice(algorithm, space, steps, clock, done.best)
                if found.best < done.best:
                    best = table, space
                bound = max(floor, found.bound)
                done = SearchResult(
                    found.best, min(done.bound, bound), done.checked + found.checked
                )
        bound = min([done.bound, *(floor for floor, _ in parts)])
        done = done._replace(bound=bound, interrupted=clock.is_interrupted)
        if best is None:
            raise infeasible_error(self._most_general(), done)
        table, space = best
        partition = partition_at_best(algorithm, space, done)
        if len(searched_from) > 1:
            partition.account["premerged"]["parts"] = len(searched_from)
        return table, partition

    @cached_property
    def bounds(self) -> tuple[Levels, Levels]:
        """The lowest and the highest levels that are asked for."""
        lowest, highest = level_bounds(self.top, self.algorithm.levels)
        return tuple(lowest.tolist()), tuple(highest.tolist())

    def _first_levels(self) -> Levels:
        """Return the lowest levels at which each attribute has a chance, were it the only one."""
        low, high = self.bounds
        first = list(low)
        for a in range(len(low)):
            known = self._least_levels(tuple(first), (a,)) if low[a] < high[a] else None
            while known is not None and known[0] != [(first[a],)]:
                if not known[0]:
                    return high
                ((first[a],),) = known[0]
                known = self._least_levels(tuple(first), (a,))
        return tuple(first)

    @cached_property
    def _large_nodes_fail(self) -> bool:
        """Whether a node with more tuples than can be counted does not satisfy the models."""
        if self.top.population is not None:
            return False  # tuples without a record are in no class of the table
        size, _, budget, _ = self._space(self.top).required.tolist()
        # As many classes, each with all combinations of sensitive values.
        most_classes = int(budget + self.top.n_rows // size)
        return self.counter.most >= most_classes * len(self.top.weights)

    def _space(self, table: MergedTable) -> SearchSpace:
        """Prepare a table for the question whether models have a chance, whatever it costs."""
        return prepare_space(table, Height(), self.models, self.suppression_limit, {}, {})

    def _least_levels(
        self, levels: Levels, some: tuple[int, ...]
    ) -> tuple[list[Levels], int] | None:
        """Return levels of some attributes that leave out what has no chance, from theirs on."""
        heights, (_, high) = self.counter.heights, self.bounds
        at = tuple(levels[a] if a in some else height for a, height in enumerate(heights))
        if (at, some) not in self.known:
            self.known[at, some] = None
            ranges = [range(levels[a], high[a] + 1) for a in some]
            few = math.prod(map(len, ranges)) <= WALKED
            table = self.counter.count(at) if few else None
            if table is not None:
                self.known[at, some] = (
                    self._search_combinations(table, some, ranges),
                    len(table.weights),
                )
            elif few and self._large_nodes_fail:
                above = self._levels_above(tuple(levels[a] for a in some), [high[a] for a in some])
                self.known[at, some] = above, self.counter.most + 1
        return self.known[at, some]

    @staticmethod
    def _levels_above(levels: Levels, high: Sequence[int]) -> list[Levels]:
        """Return the levels one step above."""
        return [
            _replace_levels(levels, (a,), (level + 1,))
            for a, level in enumerate(levels)
            if level < high[a]
        ]

    def _search_combinations(
        self, table: MergedTable, some: tuple[int, ...], ranges: Sequence[range]
    ) -> list[Levels]:
        """Look at combinations of levels from below, leaving out those above one that was found."""
        space = self._space(table)
        levels = table.lowest.copy()
        found: list[Levels] = []
        for own in sorted(product(*ranges), key=sum):
            if not any(_is_at_most(less, own) for less in found):
                levels[list(some)] = own
                if may_hold(space, group_at_levels(space, levels)[0]):
                    found.append(own)
        return found

    def _split_lattice(self, levels: Levels) -> list[Levels]:
        """Return the parts of the lattice from some levels on, without what has no chance."""
        wide = [a for a, height in enumerate(self.counter.heights) if levels[a] < height]
        # The last one is looked at first: as many attributes as fit, then fewer of others.
        waiting: list[tuple[int, ...]] = [()]
        met = set(waiting)
        while waiting:
            some = waiting.pop()
            grown: list[tuple[int, tuple[int, ...]]] = []
            helping: list[tuple[float, tuple[int, ...], list[Levels]]] = []
            for more in wide:
                these = tuple(sorted({*some, more}))
                if these in met or len(these) == len(wide):
                    continue
                met.add(these)
                known = self._least_levels(levels, these)
                if known is not None:
                    least, n_tuples = known
                    grown.append((n_tuples, these))
                    own = tuple(levels[a] for a in these)
                    if least != [own]:
                        share = sum(self._remaining_share(these, own, one) for one in least)
                        helping.append((share, these, least))
            if helping:
                _, these, least = min(helping)
                return [_replace_levels(levels, these, one) for one in least]
            waiting += [these for _, these in sorted(grown)]
        if self._large_nodes_fail:
            return self._levels_above(levels, self.bounds[1])
        raise _too_large_error([domain.name for domain in self.top.domains], levels)

    def _remaining_share(self, some: tuple[int, ...], before: Levels, after: Levels) -> float:
        """Return how many combinations of labels are left, of those that there were."""
        return math.prod(
            self._occurring_labels[a][high] / self._occurring_labels[a][low]
            for a, low, high in zip(some, before, after, strict=True)
        )

    @cached_property
    def _occurring_labels(self) -> list[list[int]]:
        """By attribute and level, the labels that some record has."""
        return [
            [len(np.unique(codes[records_of(self.top, a) > 0])) for codes in tree.codes]
            for a, tree in enumerate(hierarchies(self.top))
        ]

    def _most_general(self) -> SearchSpace:
        """Return the most general node that is asked for."""
        _, high = self.bounds
        table = self.counter.count(high)
        if table is None:
            raise _too_large_error([domain.name for domain in self.top.domains], high)
        return self.algorithm.space(table, self.models, self.suppression_limit)


def _is_at_most(levels: Levels, others: Levels) -> bool:
    """Say whether no level is above the other's."""
    return all(map(int.__le__, levels, others))


def _replace_levels(levels: Levels, some: tuple[int, ...], own: Levels) -> Levels:
    """Return levels with those of some attributes replaced."""
    new = dict(zip(some, own, strict=True))
    return tuple(new.get(a, level) for a, level in enumerate(levels))


def _too_large_error(names: Sequence[str], levels: Levels) -> DataError:
    """Say that a frequency set is too large, from which levels on."""
    where = "of the sensitive attributes alone"
    if names:
        least = ", ".join(f"{name}={level}" for name, level in zip(names, levels, strict=True))
        where = f"at the lowest levels that can satisfy the models ({least})"
    return DataError(
        f"the frequency set {where} is too large for this process: raise most_tuples, "
        "set higher levels (full-domain's `levels`), or declare fewer quasi-identifiers"
    )
