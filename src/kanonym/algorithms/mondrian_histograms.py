"""Strict Mondrian of a table that nobody has whole: its cuts follow from counts alone.

A cut of a large node follows from the records of each value; where models look at sensitive
values, from the records of these on both sides of the few cuts that come into question. So
whoever holds the table counts them for every open node, one level of the tree after another,
until what is left of each node fits elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.kernels.classes.balance import is_left_whole, skipped_cuts
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.disclosure import hold_all, measure_classes
from kanonym.kernels.classes.histograms import SET, Costs, span_losses
from kanonym.kernels.partitioning.quantile_cuts import QUANTILES

State = Literal["open", "cut", "fragment", "class"]
Cut = tuple[int, int]
"""Attribute and code: codes up to it are on the left side."""


class Histogram(NamedTuple):
    """The values of one quasi-identifier in one node.

    codes: (n,) int32 present codes, ascending.
    records, tuples: (n,) int64 records, and tuples, of each.
    """

    codes: NDArray[np.int32]
    records: NDArray[np.int64]
    tuples: NDArray[np.int64]


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

    Notes
    -----
    Nodes are cut as `mondrian.wide_cut` does, by the same spans, ties, quantiles and
    measures: whoever goes on with `refine` in every fragment has the classes of the whole.

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

    It makes the first whose sides satisfy every condition; their sizes are large enough. Those
    that are passed over by chance come last.
    histograms: by quasi-identifier. total: records of the node. Cost O(n) an attribute of n
    values.
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


def satisfies_criteria(sides: Mapping[int, NDArray[np.int64]], criteria: Criteria) -> bool:
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
