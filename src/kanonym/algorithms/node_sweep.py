"""A sweep over the nodes of a lattice: every record at the first node where it has a class."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from kanonym.algorithms import small_classes
from kanonym.algorithms.base import classes_of, compile_criteria, require_feasible
from kanonym.algorithms.full_domain import FullDomain
from kanonym.algorithms.full_domain.nodes import group_at_levels, judge
from kanonym.algorithms.full_domain.search import SearchClock
from kanonym.algorithms.full_domain.space import SearchSpace
from kanonym.algorithms.full_domain.strategies import search_optimal
from kanonym.data.errors import InfeasibleError, Progress
from kanonym.data.partition import SUPPRESSED, Distribution, Partition
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints, UInt64s
from kanonym.kernels.classes.conditions import Criteria, Tuples
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.lattice.sweep import next_settled_node
from kanonym.models import AlphaKAnonymity, LDiversity
from kanonym.models.base import PrivacyModel

KEPT = 0.2
"""How probable it is at the most that a class stays that fails."""

LEAST_FACTOR = 3
"""A changed value changes the probabilities by so many times, or more where k is small."""

UNREACHED = -2
"""The label of tuples that are suppressed for their number, while others join classes."""

AT_ONCE = 1 << 25
"""So many labels are looked up between two looks at the clock: some hundredths of a second."""


Joins = Literal["early", "late", "never"]
"""When tuples without a class join others: between nodes, after all of them, or not at all."""


class Sweep:
    """Who has a class so far.

    nodes_without: (n_tuples,) int64: at so many nodes, the first ones, a tuple was grouped and not
    kept; -1 for those that never had a class.
    """

    def __init__(
        self,
        space: SearchSpace,
        nodes: Ints,
        costs: Costs,
        caps: Sequence[AlphaKAnonymity] = (),
        joins: Joins = "late",
    ) -> None:
        self.space, self.nodes, self.costs = space, nodes, costs
        self.caps, self.joins = caps, joins
        self.models: tuple[PrivacyModel, ...] = (*space.models, *caps)
        self.criteria = compile_criteria(self.models, space.table)
        self.visited = 0
        self.n_classes = 0
        self.settled = True
        self.labels = np.full(len(space.table.weights), SUPPRESSED, np.int32)
        self.nodes_without = np.full(len(self.labels), -1, np.int64)
        self.made_by_sizes = False

    @property
    def open_tuples(self) -> Ints:
        """The tuples without a class."""
        return np.flatnonzero((self.labels == SUPPRESSED) & (self.space.table.weights > 0))

    def start_from(self, other: Sweep, tuples: Int32s, key: int) -> None:
        """Take over classes that were made by their sizes alone, and join them where they fail.

        Whether one is dissolved is drawn: the more of its persons had to have other values for it
        to fail, the less probable it is (`_margins`). The tree is released as far down as both
        parts of each node satisfy the models, by a margin that is drawn.

        other: of a table whose tuples are those of quasi-identifiers alone; it is changed.
        tuples: (n_tuples,) int32, the tuple of that table of each one.
        key: what is drawn follows from it.
        """
        self.visited, self.made_by_sizes = other.visited, True
        self.labels, self.n_classes = other.labels[tuples], other.n_classes
        self.joins = "never"
        too_few = other.open_tuples
        random = np.random.default_rng(key)
        k = self.criteria.min_size
        factor = max(LEAST_FACTOR, 30 / k, 60 / max(k, 2) ** 2)
        stays = random.random(self.n_classes) >= np.minimum(
            1 - min(KEPT, 1 / factor), factor ** -self._margins(self.labels, self.n_classes)
        )
        if not stays.any():
            stays[:1] = True
        other.keep(stays)
        other.labels[too_few] = UNREACHED
        for limit in (small_classes.highest_cost(self.costs), math.inf):
            if other.n_classes and len(other.open_tuples):
                small_classes.join_classes(
                    other.space, other.labels, self.costs, other.criteria, limit
                )
        other.labels[too_few] = SUPPRESSED
        self.labels, self.n_classes = other.labels[tuples], other.n_classes
        self._join_failing(
            random, factor, small_classes.tree_of_classes(other.space, other.labels, self.costs)
        )
        self.keep(self._margins(self.labels, self.n_classes) > 0)

    def _join_failing(
        self, random: np.random.Generator, factor: float, tree: tuple[Ints, Ints]
    ) -> None:
        """Join classes as their tree holds them, down to where one of two parts may fail."""
        children, first = tree
        m = self.n_classes
        parents = np.full(len(first), -1)
        inner = np.flatnonzero(children[:, 0] >= 0)
        parents[children[inner]] = inner[:, None]
        draws = random.random(len(first))
        roots = np.flatnonzero((first >= 0) & (parents < 0))
        roots = roots[np.argsort(first[roots])]
        node = roots[np.searchsorted(first[roots], first[:m], side="right") - 1]
        while (open_nodes := children[node, 0] >= 0).any():
            side = (first[:m] >= first[children[node, 1]]).astype(np.int64)
            part = np.where(open_nodes, children[node, side], node)
            parts, place = np.unique(part, return_inverse=True)
            labels = np.append(place, SUPPRESSED)[self.labels]
            margins = np.full(len(first), np.inf)
            np.minimum.at(margins, parents[parts], self._margins(labels, len(parts)))
            whole = draws < factor**-margins
            children[whole] = -1
            node = np.where(whole[node], node, part)
        classes, place = np.unique(node, return_inverse=True)
        self.labels = np.append(place, SUPPRESSED)[self.labels].astype(np.int32)
        self.n_classes = len(classes)

    def _margins(self, labels: Int32s, n_classes: int) -> Floats:
        """Return (n_classes,) float64: how far from failing classes are, 0 for those that fail."""
        classes = classes_of(self.space.table, labels, n_classes)
        margins = np.full(n_classes, np.inf)
        ratio = np.maximum(classes.sizes / (2 * self.criteria.min_size), 1)
        for model in self.space.models:
            distance: Floats = 1 + np.log2(ratio)
            if isinstance(model, LDiversity) and model.kind == "distinct":
                distance = _spare_records(classes.distributions[model.attribute], int(model.l))
            elif model.attribute is None:
                distance = margins
            margins = np.where(model.satisfied(classes), np.minimum(margins, distance), 0)
        return margins

    def keep(self, kept: Bools) -> None:
        """Keep some classes, (n_classes,) bool; the tuples of the others have none."""
        place = np.cumsum(kept, dtype=np.int32) - np.int32(1)
        self.labels = np.append(np.where(kept, place, SUPPRESSED), SUPPRESSED)[self.labels]
        self.labels = self.labels.astype(np.int32)
        self.n_classes = int(kept.sum())

    def run(self, clock: SearchClock) -> None:
        """Visit the nodes as long as tuples have no class, and let some of them join one."""
        parts = _random_keys(self.space)
        slots = np.zeros((4, 1 << max(4, (2 * len(self.labels)).bit_length())), np.uint64)
        every = small_classes.sweep_stages(self.space.table, self.nodes, self.costs)
        for until, limit in every if self.joins == "early" else [(len(self.nodes), 0.0)]:
            self._visit(until, parts, slots, clock)
            if clock.is_over() or not len(self.open_tuples):
                return
            if limit:
                self.join(self.criteria, limit)

    def _visit(self, until: int, parts: UInt64s, slots: UInt64s, clock: SearchClock) -> None:
        """Visit the nodes before `until`."""
        table, left = self.space.table, self.open_tuples
        codes, tuples = _kernel_tuples(table, left)
        while self.visited < until and len(left):
            stop = min(until, self.visited + max(1, AT_ONCE // codes.size))
            found, marked = next_settled_node(
                codes, tuples, parts, self.nodes[:stop], self.visited, self.criteria, slots
            )
            self.visited = min(found + 1, stop)
            if marked.any():
                self.assign_node(left[marked], self.nodes[found], self.models)
                self._note(found)
                left = left[self.labels[left] == SUPPRESSED]
                codes, tuples = _kernel_tuples(table, left)
            if clock.is_over():
                break
            n_nodes = len(self.nodes)
            sentence = f"{self.visited:,} of {n_nodes:,} nodes visited, {self.n_classes:,} classes"
            clock.report_message(Progress(sentence, done=self.visited, total=n_nodes))

    def assign_node(self, tuples: Ints, levels: Ints, models: Sequence[PrivacyModel]) -> None:
        """Give some tuples the classes of a node, where they satisfy the models."""
        space = self.space
        part = _select_tuples(space.table, tuples)
        node, class_of = group_at_levels(replace(space, table=part), levels)
        kept = node.classes.sizes >= space.required[0]
        for model in models:
            kept &= model.satisfied(node.classes)
        place = np.cumsum(kept, dtype=np.int32) + np.int32(self.n_classes - 1)
        mine = kept[class_of]
        self.labels[tuples[mine]] = place[class_of[mine]]
        self.n_classes += int(kept.sum())

    def join(self, criteria: Criteria, limit: float) -> None:
        """Let tuples without a class join those that can bear them.

        limit: most loss that a record may add, in the attributes together.
        """
        if self.joins != "never" and self.n_classes and len(self.open_tuples):
            self.settled &= self.joins == "early"
            small_classes.join_classes(self.space, self.labels, self.costs, criteria, limit)
            self._note(self.visited)

    def _note(self, visited: int) -> None:
        """Note at how many nodes those that have a class now were without one."""
        self.nodes_without[(self.nodes_without < 0) & (self.labels >= 0)] = visited

    def finish(self, common: FullDomain, clock: SearchClock) -> None:
        """Find a place for the tuples that have none, or suppress them within the limit.

        common: searches the node for those that are released together.
        """
        space, models = self.space, self.models
        self.join(self.criteria, small_classes.highest_cost(self.costs))
        if self._is_done():
            return
        if not self._rest_is_releasable(models):
            self.join(self.criteria, math.inf)
            self.join(compile_criteria(space.models, space.table), math.inf)
            if self._is_done():
                return
            models = space.models
            self._dissolve_classes()
        left = self.open_tuples
        part = _select_tuples(space.table, left)
        own = common.space(part, models, space.budget / part.n_rows)
        result = search_optimal(replace(own, references=space.references), common.steps, clock)
        self.assign_node(left, np.array(result.best.levels or space.highest, np.int64), models)
        self._note(self.visited)

    def _is_done(self) -> bool:
        """Say whether all tuples have a class, or may be suppressed."""
        waiting = int(self.space.table.weights[self.open_tuples].sum())
        return not waiting or (waiting <= self.space.budget and self.visited == len(self.nodes))

    def _rest_is_releasable(self, models: Sequence[PrivacyModel]) -> bool:
        """Say whether the tuples without a class can be released at the most general node."""
        space = replace(
            self.space,
            table=_select_tuples(self.space.table, self.open_tuples),
            models=tuple(models),
        )
        node, _ = group_at_levels(space, space.highest)
        return judge(space, node) is not None

    def _dissolve_classes(self) -> None:
        """Give up the classes of most loss, until those without one can be released together."""
        space = self.space
        levels = small_classes.levels_of(space, self.labels, self.n_classes)
        losses = small_classes.class_losses(space.table, self.labels, levels, self.costs)
        # Of equal loss, rounding apart, the class of the later node goes first.
        by_loss = np.argsort(losses.round(12), kind="stable").tolist()
        while not self._rest_is_releasable(space.models):
            self.settled = False
            if not by_loss:
                require_feasible(space.table, space.models)
                raise InfeasibleError(
                    "the models do not hold at the most general node that the levels allow: "
                    "allow higher levels, or a larger suppression limit"
                )
            self.labels[self.labels == by_loss.pop()] = SUPPRESSED
        self.keep(np.isin(np.arange(self.n_classes), by_loss))

    def refused_nodes(self, first: Ints, units: Int32s) -> Iterator[Ints]:
        """Yield the groups of units that were large enough at some node and not kept.

        first: (n_units,) a tuple of each unit; units: (n_tuples,) that of each tuple, -1 for none.
        Groups of which the models of the space do not tell why they failed are left out, and
        nodes below another one at which the same tuples waited.
        """
        space = self.space
        waited = np.full(len(first), self.visited)
        mask = units >= 0
        np.minimum.at(waited, units[mask], self.nodes_without[mask])
        least = int(self.criteria.min_size)
        most = min((1 / (1 - cap.alpha) for cap in self.caps), default=math.inf) + 1e-9
        starts = np.unique(np.append(self.nodes_without, 0).clip(0))
        for start, stop in itertools.pairwise([*starts.tolist(), self.visited]):
            left = np.flatnonzero((self.nodes_without > start) | (self.nodes_without < 0))
            table = _select_tuples(space.table, left)
            some = np.flatnonzero(waited > start)
            place = np.searchsorted(left, first[some])
            for levels in _most_general(self.nodes[start:stop]):
                node, class_of = group_at_levels(replace(space, table=table), levels)
                sizes = node.classes.sizes
                asked = (sizes >= least) & (sizes <= most)
                label = class_of[place]
                order = np.argsort(label, kind="stable")
                order = order[asked[label[order]]]
                ends = np.flatnonzero(np.diff(label[order])) + 1
                yield from (some[one] for one in np.split(order, ends) if len(one))

    def partition(self) -> Partition:
        """Return the classes."""
        levels = small_classes.levels_of(self.space, self.labels, self.n_classes)
        account = {"lattice_size": self.space.size, "nodes_checked": self.visited}
        return Partition(self.labels, self.n_classes, levels=levels, account=account)


def _spare_records(distribution: Distribution, least: int) -> Floats:
    """Return (n_classes,) float64: the records beside those of the `least` - 1 commonest values."""
    offsets, counts = distribution.offsets, distribution.counts
    label = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((-counts, label))
    spare = np.arange(len(order)) - offsets[label] >= least - 1
    return np.bincount(label[spare], counts[order][spare], len(offsets) - 1).astype(np.float64)


def _most_general(nodes: Ints) -> Ints:
    """Return the nodes of which no other one is a generalization."""
    kept: list[Ints] = []
    for node in nodes[np.argsort(-nodes.sum(axis=1), kind="stable")]:
        if not any((node <= other).all() for other in kept):
            kept.append(node)
    return np.array(kept, np.int64).reshape(-1, nodes.shape[1])


def nodes_by_loss(space: SearchSpace, most: int) -> Ints:
    """Return (m, d) int64 nodes by loss, then by height: all, or a thinned-out lattice."""
    levels = [
        list(range(low, high + 1))
        for low, high in zip(space.lowest.tolist(), space.highest.tolist(), strict=True)
    ]
    while np.prod([float(len(level)) for level in levels]) > most:
        longest = max(range(len(levels)), key=lambda a: len(levels[a]))
        if len(levels[longest]) <= 2:
            # Even two levels each are too many: attributes of few values keep their top.
            widest = [a for a in range(len(levels)) if len(levels[a]) == 2]
            longest = min(widest, key=lambda a: len(space.trees[a].labels[0]))
            levels[longest] = levels[longest][1:]
        else:
            del levels[longest][len(levels[longest]) // 2]
    nodes = np.array(list(itertools.product(*levels)), np.int64)
    floors = np.array([space.metric.floor(node) for node in nodes])
    return nodes[np.lexsort((*nodes.T[::-1], nodes.sum(axis=1), floors))]


def _random_keys(space: SearchSpace) -> UInt64s:
    """Return (d, n_levels, n_codes) random numbers, one a label."""
    rng = np.random.default_rng(0)
    shape = len(space.trees), max(t.n_levels for t in space.trees), max(t.size for t in space.trees)
    parts = np.zeros(shape, np.uint64)
    for a, tree in enumerate(space.trees):
        for level, codes in enumerate(tree.codes):
            numbers = rng.integers(0, 1 << 64, len(tree.labels[level]), np.uint64)
            parts[a, level, : tree.size] = numbers[codes]
    return parts


def _kernel_tuples(table: EncodedTable, left: Ints) -> tuple[Int32s, Tuples]:
    """Return some tuples as `next_settled_node` reads them."""
    codes, secrets = table.codes[left], table.sensitive_codes[left]
    return codes.T.copy(), Tuples(codes, secrets, table.weights[left])


def _select_tuples(table: EncodedTable, tuples: Ints) -> EncodedTable:
    """Return a table of some tuples; rows are not told apart."""
    weights = table.weights[tuples]
    return replace(
        table,
        codes=np.ascontiguousarray(table.codes[tuples]),
        sensitive_codes=np.ascontiguousarray(table.sensitive_codes[tuples]),
        weights=weights,
        tuple_of_row=np.repeat(np.arange(len(tuples), dtype=np.int32), weights),
    )
