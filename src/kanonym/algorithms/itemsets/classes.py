"""Classes of records with sets: their spans, and classes that are merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kanonym.algorithms.itemsets.apriori import search_of
from kanonym.algorithms.itemsets.base import ItemAlgorithm, ItemProblem
from kanonym.algorithms.itemsets.cut_search import least_loss
from kanonym.data.errors import InfeasibleError
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.classes.histograms import Costs, span_losses
from kanonym.kernels.itemsets import recode_sets


@dataclass(frozen=True, slots=True)
class ClassSpans:
    """The quasi-identifiers of classes.

    low, high: (n_classes, d) int32, the smallest and largest code of each class.
    sizes: (n_classes,) int64 records.
    """

    low: Int32s
    high: Int32s
    sizes: Ints
    costs: Costs
    distinct: Mapping[int, Sequence[Int32s]]

    def loss(self, classes: Ints) -> float:
        """Return what classes lose as one: records times the mean NCP of the attributes."""
        low, high = self.low[classes].min(axis=0), self.high[classes].max(axis=0)
        for a, held in self.distinct.items():
            # As a span: n distinct codes lose what codes 0 to n - 1 do.
            low[a], high[a] = 0, len(np.unique(np.concatenate([held[i] for i in classes]))) - 1
        return float(self._mean_losses(low[None], high[None])[0] * self.sizes[classes].sum())

    def halves(self, classes: Ints) -> tuple[Ints, Ints]:
        """Return the two parts, each at least a quarter of the classes, that lose least.

        Parts are neighbours in one attribute. A set of values loses what the span of its codes
        does, at most.
        """
        n = len(classes)
        cuts = np.arange(max(1, n // 4), min(n - 1, -(-3 * n // 4)) + 1)
        found: list[tuple[float, Ints, Ints]] = []
        for a in range(self.low.shape[1]):
            middle = self.low[classes, a].astype(np.int64) + self.high[classes, a]
            order = classes[np.argsort(middle, kind="stable")]
            left, right = self._running_losses(order), self._running_losses(order[::-1])
            lost = left[cuts - 1] + right[n - cuts - 1]
            place = int(np.argmin(lost))
            found.append((float(lost[place]), order[: cuts[place]], order[cuts[place] :]))
        return min(found, key=lambda one: one[0])[1:]

    def _running_losses(self, order: Ints) -> Floats:
        """Return (n,) float64: what the first class, the first two and so on lose as one."""
        low = np.minimum.accumulate(self.low[order])
        high = np.maximum.accumulate(self.high[order])
        lost: Floats = self._mean_losses(low, high) * np.cumsum(self.sizes[order])
        return lost

    def _mean_losses(self, low: Int32s, high: Int32s) -> Floats:
        lost = np.zeros(len(low))
        for a in range(low.shape[1]):
            lost += span_losses(a, low[:, a], high[:, a], self.costs)
        mean: Floats = lost / low.shape[1]
        return mean


LARGE = 32
"""Parts of more than so many times k records are recoded after their halves."""


def merged_classes(
    algorithm: ItemAlgorithm, problem: ItemProblem, class_of_row: Int32s, spans: ClassSpans
) -> Int32s:
    """Return (n_classes,) int32: the group of each class, numbered in the order of the classes.

    The groups lose least in a tree of halves: the mean loss of the quasi-identifiers over all
    records, plus the mean loss over all occurrences of items. Where nothing satisfies the
    guarantee, all classes stay.

    class_of_row: (n,) int32, the class of each record, from 0.
    """
    n_classes = len(spans.sizes)
    every = np.arange(n_classes)
    if n_classes < 2 or not len(problem.items):
        return every.astype(np.int32)
    order = np.argsort(class_of_row, kind="stable")
    rows = np.split(order, np.cumsum(spans.sizes)[:-1])
    merging = ClassMerging(algorithm, problem, rows, spans)
    division = merging.best(merging.tree(every))
    group = every.copy()
    for one in division.groups:
        group[one] = one.min()
    return np.unique(group, return_inverse=True)[1].astype(np.int32)


@dataclass(frozen=True, slots=True)
class Division:
    """Groups of classes that are one class each, and what they lose in all; infinite if unsafe."""

    loss: float
    groups: tuple[Ints, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """Neighbouring classes: a node of the tree."""

    classes: Ints
    halves: tuple[Part, ...]
    least: float
    bound: float


@dataclass(frozen=True, slots=True)
class ClassMerging:
    """Search for the groups of classes that lose least, quasi-identifiers and items together.

    Counts are halved again and again, neighbours together. Every part of this tree is one class,
    or divided as is best for its halves: exact for the tree, because what is left out has a bound
    that is no better than what was found.
    """

    algorithm: ItemAlgorithm
    problem: ItemProblem
    rows: list[Ints]
    spans: ClassSpans

    def tree(self, classes: Ints) -> Part:
        """Return the tree of some classes."""
        part = self._problem(classes)
        items = least_loss(search_of(part), may_drop=self.algorithm.drop)
        least = self._loss(classes, part, items)
        if len(classes) == 1:
            return Part(classes, (), least, least)
        halves = tuple(map(self.tree, self.spans.halves(classes)))
        return Part(classes, halves, least, min(least, sum(half.bound for half in halves)))

    def best(self, part: Part, limit: float = np.inf) -> Division:
        """Return the best division of a part; any, if none loses less than a limit."""
        none = Division(np.inf, (part.classes,))
        if part.bound >= limit:
            return none
        first = bool(part.halves) and int(self.spans.sizes[part.classes].sum()) > (
            LARGE * self.problem.k
        )
        division = none if first else self._joined(part, limit)
        if part.halves:
            left, right = part.halves
            one = self.best(left, min(limit, division.loss) - right.bound)
            other = self.best(right, min(limit, division.loss) - one.loss)
            if one.loss + other.loss < division.loss:
                division = Division(one.loss + other.loss, one.groups + other.groups)
        if first:
            whole = self._joined(part, min(limit, division.loss))
            division = whole if whole.loss < division.loss else division
        return division

    def _joined(self, part: Part, limit: float) -> Division:
        """Return a part as one class, unless its bound reaches a limit."""
        if part.least >= limit:
            return Division(np.inf, (part.classes,))
        problem = self._problem(part.classes)
        try:
            items = float(self.algorithm.recode(problem).account["loss"])
        except InfeasibleError:
            return Division(np.inf, (part.classes,))
        return Division(self._loss(part.classes, problem, items), (part.classes,))

    def _loss(self, classes: Ints, part: ItemProblem, items: float) -> float:
        """Return the share of classes in the loss of all, given the loss of their items."""
        known = self.spans.loss(classes) / self.problem.n_rows
        return known + items * len(part.items) / len(self.problem.items)

    def _problem(self, classes: Ints) -> ItemProblem:
        """Return the sets of the records of classes."""
        own = np.arange(self.problem.tree.n_items, dtype=np.int32)
        rows = np.concatenate([self.rows[i] for i in classes])
        offsets, items = recode_sets(self.problem.offsets, self.problem.items, rows, own)
        return replace(self.problem, offsets=offsets, items=items)
