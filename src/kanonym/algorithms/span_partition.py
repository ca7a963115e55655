"""Strict Mondrian by spans, where models count records alone: no tuple is moved in large nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from kanonym.data.partition import Partition
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.balance import is_left_whole, skipped_cuts
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.disclosure import hold_all, measure_classes
from kanonym.kernels.classes.grouping import put, sort_rows, take
from kanonym.kernels.classes.histograms import SET, Costs, span_losses
from kanonym.kernels.parallel import cores, parallel
from kanonym.kernels.partitioning.quantile_cuts import QUANTILES
from kanonym.kernels.partitioning.span_cuts import refine_by_span
from kanonym.kernels.partitioning.workspace import TUPLES, descend

State = Literal["open", "cut", "fragment", "class"]
Cut = tuple[int, int]
"""Attribute and code: codes up to it are on the left side."""


class Histogram(NamedTuple):
    """The values of one quasi-identifier in one node.

    codes: (n,) int32 present codes, ascending.
    records, tuples: (n,) int64 records, and tuples, of each.
    """

    codes: Int32s
    records: Ints
    tuples: Ints


@dataclass(slots=True)
class Node:
    """A node of the tree."""

    records: int
    tuples: int
    state: State
    attribute: int = -1
    code: int = 0
    left: int = -1
    right: int = -1


@dataclass
class Tree:
    """The upper part of the tree of strict Mondrian, grown level by level.

    Nodes are cut as `mondrian.wide_cut` does, by the same spans, ties, quantiles and measures:
    whoever goes on with `refine` in every fragment has the classes of the whole.
    """

    records: int
    tuples: int
    costs: Costs
    criteria: Criteria
    fragment: int
    nodes: list[Node] = field(init=False)

    def __post_init__(self) -> None:
        """Begin with a root."""
        self.nodes = []
        self._add(self.records, self.tuples)

    @property
    def open_nodes(self) -> list[int]:
        """The numbers of the nodes that have to be counted."""
        return self.numbers_in_state("open")

    def numbers_in_state(self, state: State) -> list[int]:
        """Return the numbers of the nodes of one state, ascending."""
        return [number for number, node in enumerate(self.nodes) if node.state == state]

    def grow(self, number: int, histograms: Sequence[Histogram], cut: Cut | None) -> None:
        """Carry out a cut of an open node, or make it a class where there is none.

        histograms: by quasi-identifier.
        """
        node = self.nodes[number]
        if cut is None:
            node.state = "class"
            return
        node.state, node.attribute, node.code = "cut", *cut
        histogram = histograms[node.attribute]
        left = histogram.codes <= node.code
        records, tuples = int(histogram.records[left].sum()), int(histogram.tuples[left].sum())
        node.left = self._add(records, tuples)
        node.right = self._add(node.records - records, node.tuples - tuples)

    def _add(self, records: int, tuples: int) -> int:
        state: State = "open"
        if tuples <= self.fragment:
            state = "fragment"
        elif records < 2 * self.criteria.min_size:
            state = "class"
        self.nodes.append(Node(records, tuples, state))
        return len(self.nodes) - 1


def candidate_cuts(
    histograms: Sequence[Histogram], total: int, costs: Costs, criteria: Criteria
) -> Iterator[Cut]:
    """Yield the cuts that `mondrian.wide_cut` looks at, in its order.

    It makes the first whose sides satisfy every condition; their sizes are large enough. Those that
    are passed over by chance come last. histograms: by quasi-identifier. total: records of the
    node.
    """
    box = np.array([[histogram.codes[at] for histogram in histograms] for at in (0, -1)], np.int64)
    if criteria.chance and is_left_whole(criteria, total, box):
        return
    skipped = skipped_cuts(criteria, total, box) if criteria.chance else 0
    spans = [_span(a, one, costs) for a, one in enumerate(histograms)]
    order = _widest_first(spans, [len(histogram.codes) > 1 for histogram in histograms])
    late: list[Cut] = []
    upto = {a: np.cumsum(histograms[a].records) for a in order}
    for sixteenths in QUANTILES[: None if len(criteria.thresholds) else 1].tolist():
        target = max((total * sixteenths + 15) // 16, 1)
        for a in order:
            at = int(np.searchsorted(upto[a], target))
            code = int(histograms[a].codes[at])
            both = [(code, int(upto[a][at])), (code - 1, int(upto[a][at - 1]) if at else 0)]
            # Stable: of two equally balanced cuts the one behind the quantile comes first.
            for cut, left in sorted(both, key=lambda side: -min(side[1], total - side[1])):
                if min(left, total - left) >= criteria.min_size:
                    if len(late) < skipped:
                        late.append((a, cut))
                    else:
                        yield a, cut
    yield from late


def _span(a: int, histogram: Histogram, costs: Costs) -> float:
    """Return what a record of a node loses in one attribute."""
    codes = histogram.codes
    if costs.attributes[a, 0] == SET:
        return float((len(codes) - 1) * costs.positions[costs.attributes[a, 1] + 1])
    return float(span_losses(a, codes[:1], codes[-1:], costs)[0])


def _widest_first(spans: Sequence[float], varies: Sequence[bool]) -> list[int]:
    """Return the attributes that vary, widest first; spans that differ by rounding are equal."""
    left = [a for a, several in enumerate(varies) if several]
    order = []
    while left:
        widest = left[0]
        for a in left[1:]:
            if spans[a] > spans[widest] + 1e-9:
                widest = a
        left.remove(widest)
        order.append(widest)
    return order


def conditioned_attributes(criteria: Criteria) -> list[int]:
    """Return the sensitive attributes that conditions look at."""
    return sorted(set(criteria.conditions[:, 1].tolist()))


def satisfies_criteria(sides: Mapping[int, Ints], criteria: Criteria) -> bool:
    """Say whether classes satisfy every condition.

    sides: by sensitive attribute, for all that conditions look at, the (n_classes, n_values)
    records of each value. The conditions are measured as the kernels measure them.
    """
    conditions = zip(criteria.conditions.tolist(), criteria.thresholds.tolist(), strict=True)
    for (measure, j, relation, argument, n_levels), threshold in conditions:
        owners, values = np.nonzero(sides[j])
        n_classes = len(sides[j])
        measured = measure_classes(
            measure,
            np.searchsorted(owners, np.arange(n_classes + 1)),
            values.astype(np.int32),
            sides[j][owners, values],
            np.zeros(n_classes, np.int64),  # read for sizes alone, which are compared before
            criteria.references[j],
            criteria.ancestors[j][:n_levels],
            argument,
        )
        if not hold_all(measured, relation, threshold).all():
            return False
    return True


FRAGMENT = 1 << 15
"""Nodes of up to so many tuples lie in the cache: to cut them takes less than to count them."""


def counts_suffice(table: EncodedTable, criteria: Criteria) -> bool:
    """Whether the counts of values tell all cuts of large nodes, and are shorter than the table."""
    n_codes = sum(domain.size for domain in table.domains)
    fits = n_codes <= FRAGMENT // 2 and table.n_rows < 1 << (63 - TUPLES)
    return fits and not len(criteria.thresholds)


def partition_by_span(table: EncodedTable, costs: Costs, criteria: Criteria) -> Partition:
    """Cut nodes beside the median of their widest attribute: the classes of `mondrian.refine`.

    Nodes of more than `FRAGMENT` tuples are cut by the counts of their values, all nodes of a level
    in one pass over the table. What is left of them is cut by a kernel, in the cache.
    """
    n = len(table.weights)
    nodes = np.zeros(n, np.int32)
    tree = Tree(table.n_rows, n, costs, criteria, FRAGMENT)
    known, fresh = 0, tree.open_nodes
    while fresh:
        counted = _descend(table, nodes, tree, known, fresh)
        for number, histograms in zip(fresh, counted, strict=True):
            cuts = candidate_cuts(histograms, tree.nodes[number].records, costs, criteria)
            tree.grow(number, histograms, next(cuts, None))
        known, fresh = fresh[0], tree.open_nodes
    _descend(table, nodes, tree, known, [])
    leaves = list(_leaves(tree))
    place = np.zeros(len(tree.nodes), np.int32)
    place[leaves] = np.arange(len(leaves))
    take(place, nodes, nodes)
    order = sort_rows([nodes], [len(leaves)])
    bounds = np.cumsum([0, *(tree.nodes[leaf].tuples for leaf in leaves)])
    is_start = np.zeros(n, np.bool_)

    def finish(first: int) -> None:
        own = bounds[first : first + step + 1]
        refine_by_span(table.codes, table.weights, order, own, criteria.min_size, costs, is_start)

    step = len(leaves) // (8 * cores()) + 1
    parallel(finish, range(0, len(leaves), step))
    labels = nodes
    put(np.cumsum(is_start, dtype=np.int32) - np.int32(1), order, labels)
    return Partition(labels, int(is_start.sum()))


def _descend(
    table: EncodedTable, nodes: Int32s, tree: Tree, known: int, counted: Sequence[int]
) -> list[list[Histogram]]:
    """Send tuples on to the sides of the latest cuts; return the histograms of some nodes.

    nodes: (n_tuples,) int32 the node of each tuple. known: nodes before this one are not cut anew.
    """
    cuts = np.full((len(tree.nodes), 4), -1, np.int32)
    for number, node in enumerate(tree.nodes[known:], known):
        if node.state == "cut":
            cuts[number] = node.attribute, node.code, node.left, node.right
    rows = np.full(len(tree.nodes), -1, np.int32)
    rows[list(counted)] = np.arange(len(counted))
    sizes = [domain.size for domain in table.domains]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    n = len(nodes)
    parts = [slice(start, start + n // cores() + 1) for start in range(0, n, n // cores() + 1)]

    def count(part: slice) -> Ints:
        counts = np.zeros((len(counted), first[-1]), np.int64)
        descend(table.codes[part], table.weights[part], nodes[part], cuts, rows, first, counts)
        return counts

    counts = sum(parallel(count, parts), np.zeros((len(counted), first[-1]), np.int64))
    return [[_histogram(row[start:stop]) for start, stop in pairwise(first)] for row in counts]


def _histogram(counts: Ints) -> Histogram:
    codes = np.flatnonzero(counts)
    held = counts[codes]
    return Histogram(codes.astype(np.int32), held >> TUPLES, held & ((1 << TUPLES) - 1))


def _leaves(tree: Tree) -> Iterator[int]:
    """Yield the nodes that are not cut, from left to right."""
    waiting = [0]
    while waiting:
        number = waiting.pop()
        node = tree.nodes[number]
        if node.state == "cut":
            waiting += [node.right, node.left]
        else:
            yield number
