"""The upper part of Mondrian's tree: a few aggregations on the engine for each of its levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import polars as pl
from sqlglot import exp

from kanonym.algorithms.span_partition import (
    Cut,
    Histogram,
    Tree,
    candidate_cuts,
    conditioned_attributes,
    satisfies_criteria,
)
from kanonym.data.errors import DataError
from kanonym.engines.sql.large.coding import CODE, sum_column
from kanonym.engines.sql.statements import COUNT, alias_column, exact_column, subquery
from kanonym.engines.sql.store import Query, Source
from kanonym.kernels.arrays import Ints

NODE = "node"
"""The column of node numbers."""

DEEP = 8
"""Node numbers are written down after so many levels: expressions stay small."""

NOWHERE = -1
"""The number of nodes that a query does not ask for."""

TRIED = (1, 4, 16)
"""So many cuts of a node are tried at a time; the last one goes on."""

_number = exp.Literal.number


@dataclass
class TreeBuilder:
    """A tree, and where each tuple of the engine's frequency set stands in it."""

    source: Source
    held: Query
    n_known: int
    sizes: Sequence[int]
    tree: Tree
    levels: int = 0
    _roots: list[int] = field(default_factory=lambda: [0])

    def grow(self) -> None:
        """Cut until no node is open."""
        while self.tree.open_nodes:
            if self._depth() > DEEP:
                self._materialize()
            for chunk in self._chunks(self.tree.open_nodes):
                histograms = dict(self._count_values(chunk))
                chosen = self._choose_cuts(histograms)
                for number in chunk:
                    self.tree.grow(number, histograms[number], chosen.get(number))
            self.levels += 1

    def counts(self, numbers: Sequence[int]) -> Iterator[tuple[int, list[Histogram]]]:
        """Yield leaves of the tree, each with a histogram of every quasi-identifier."""
        for chunk in self._chunks(numbers):
            yield from self._count_values(chunk)

    def number_tuples(self, number_of: Callable[[int], exp.Condition]) -> Query:
        """Return the frequency set with a number of each tuple, `node`; negative ones are gone.

        number_of: the number that the tuples of a leaf of the tree get.
        """
        columns = [exact_column(f"{CODE}{place}", "f") for place in range(len(self.sizes))]
        place = alias_column(self._place(self._roots, number_of), NODE)
        every = exp.select(*columns, exact_column(COUNT, "f"), place).from_(
            subquery(self.held, "f")
        )
        found = exp.GTE(this=exact_column(NODE, "p"), expression=_number(0))
        return exp.select(exp.Star()).from_(subquery(every, "p")).where(found)

    def tuples_of(self, numbers: Sequence[int]) -> Query:
        """Return the tuples of some leaves, with the number of each."""
        wanted = frozenset(numbers)
        return self.number_tuples(lambda number: _number(number if number in wanted else NOWHERE))

    def _choose_cuts(self, histograms: Mapping[int, Sequence[Histogram]]) -> dict[int, Cut]:
        """Return the cut of each node, if there is one."""
        tree = self.tree
        left = {
            number: candidate_cuts(own, tree.nodes[number].records, tree.costs, tree.criteria)
            for number, own in histograms.items()
        }
        if not conditioned_attributes(tree.criteria):
            firsts = {number: next(own, None) for number, own in left.items()}
            return {number: cut for number, cut in firsts.items() if cut is not None}
        chosen: dict[int, Cut] = {}
        turn = 0
        while left:
            size = TRIED[min(turn, len(TRIED) - 1)]
            tried = {number: list(islice(own, size)) for number, own in left.items()}
            tried = {number: several for number, several in tried.items() if several}
            sides = self._count_sides(tried)
            for number, several in tried.items():
                for place, cut in enumerate(several):
                    if satisfies_criteria(sides[number, place], tree.criteria):
                        chosen[number] = cut
                        break
            left = {number: left[number] for number in tried if number not in chosen}
            turn += 1
        return chosen

    def _count_sides(
        self, tried: Mapping[int, Sequence[Cut]]
    ) -> dict[tuple[int, int], dict[int, Ints]]:
        """Count the sensitive values on both sides of cuts: one aggregation.

        tried: cuts by node. Returns by node and place of the cut, and by sensitive attribute,
        the (2, n_values) records of each value.
        """
        hidden = conditioned_attributes(self.tree.criteria)
        sides = {
            (number, place): {
                j: np.zeros((2, self.sizes[self.n_known + j]), np.int64) for j in hidden
            }
            for number, several in tried.items()
            for place in range(len(several))
        }
        parts = []
        for place in range(max(map(len, tried.values()), default=0)):
            several = {number: own[place] for number, own in tried.items() if place < len(own)}
            tuples = self.number_tuples(
                lambda number, several=several: _side(number, several.get(number))  # type: ignore[misc]
            )
            parts += [
                _group_query(tuples, {"place": place, "hidden": j}, f"{CODE}{self.n_known + j}")
                for j in hidden
            ]
        if not parts:
            return sides
        found = self.source.store.fetch(_union_all(parts)).cast(pl.Int64)
        for place, j, node, value, records in found.select(
            "place", "hidden", NODE, "code", "records"
        ).iter_rows():
            if value >= 0:
                sides[node // 2, place][j][node % 2, value] = records
        return sides

    def _place(
        self, roots: Sequence[int], number_of: Callable[[int], exp.Condition]
    ) -> exp.Condition:
        """Return the number of a tuple's leaf: first its root by halves, then down the cuts."""
        if len(roots) > 1:
            middle = len(roots) // 2
            return _conditional(
                exp.LT(this=exact_column(NODE, "f"), expression=_number(roots[middle])),
                self._place(roots[:middle], number_of),
                self._place(roots[middle:], number_of),
            )
        node = self.tree.nodes[roots[0]]
        if node.state != "cut":
            return number_of(roots[0])
        return _conditional(
            _is_left((node.attribute, node.code)),
            self._place([node.left], number_of),
            self._place([node.right], number_of),
        )

    def _depth(self) -> int:
        """Return how many cuts are above the lowest node since numbers were written down."""
        depths = dict.fromkeys(self._roots, 0)
        for number, node in enumerate(self.tree.nodes):  # parents stand before their sides
            if node.state == "cut" and number in depths:
                depths[node.left] = depths[node.right] = depths[number] + 1
        return max(depths.values())

    def _materialize(self) -> None:
        self.held = self.source.store.hold(self.number_tuples(_number))
        self._roots = [number for number, node in enumerate(self.tree.nodes) if node.state != "cut"]

    def _chunks(self, numbers: Sequence[int]) -> Iterator[list[int]]:
        """Yield nodes, so many at a time that their counts are few enough."""
        several: list[int] = []
        rows = 0
        for number in numbers:
            tuples = self.tree.nodes[number].tuples
            own = sum(min(size, tuples) for size in self.sizes[: self.n_known])
            if several and rows + own > self.source.most_tuples:
                yield several
                several, rows = [], 0
            several.append(number)
            rows += own
        yield several

    def _count_values(self, numbers: Sequence[int]) -> Iterator[tuple[int, list[Histogram]]]:
        """Count the values of some nodes: one aggregation."""
        tuples = self.tuples_of(numbers)
        parts = [_group_query(tuples, {"attribute": a}, f"{CODE}{a}") for a in range(self.n_known)]
        found = self.source.store.fetch(_union_all(parts).limit(self.source.most_tuples + 1))
        if len(found) > self.source.most_tuples:
            raise DataError(
                f"the quasi-identifiers have more than {self.source.most_tuples} distinct values "
                "together: make them coarser, or give the source a larger most_tuples"
            )
        keys = [NODE, "attribute", "code"]
        ordered = found.cast(pl.Int64).sort(keys)
        for (number,), own in ordered.group_by(NODE, maintain_order=True):
            yield (
                int(str(number)),
                [
                    Histogram(
                        one["code"].cast(pl.Int32).to_numpy(),
                        one["records"].to_numpy(),
                        one["tuples"].to_numpy(),
                    )
                    for one in own.partition_by("attribute", maintain_order=True)
                ],
            )


def _is_left(cut: Cut) -> exp.Condition:
    return exp.LTE(this=exact_column(f"{CODE}{cut[0]}", "f"), expression=_number(cut[1]))


def _side(number: int, cut: Cut | None) -> exp.Condition:
    """Return twice the number of a node, and one more on the right side of its cut."""
    if cut is None:
        return _number(NOWHERE)
    return _conditional(_is_left(cut), _number(2 * number), _number(2 * number + 1))


def _conditional(
    condition: exp.Condition, then: exp.Condition, other: exp.Condition
) -> exp.Condition:
    """Return one of two expressions; if these are the same, it whatever the condition is."""
    if then == other:
        return then
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=other)


def _group_query(tuples: Query, constants: Mapping[str, int], code: str) -> Query:
    """Return the query of records and tuples of each node and code, beside some constants."""
    return (
        exp.select(
            *(alias_column(_number(value), name) for name, value in constants.items()),
            exact_column(NODE),
            alias_column(exact_column(code), "code"),
            alias_column(sum_column(COUNT), "records"),
            alias_column(exp.Count(this=exp.Star()), "tuples"),
        )
        .from_(subquery(tuples, "p"))
        .group_by(exact_column(NODE), exact_column(code))
    )


def _union_all(parts: Sequence[Query]) -> exp.Select:
    """Return the rows of several queries."""
    query = parts[0]
    for part in parts[1:]:
        query = exp.union(query, part, distinct=False, copy=False)
    return exp.select(exp.Star()).from_(subquery(query, "u"))


def pack_batches(tree: Tree, size: int) -> dict[int, int]:
    """Return the batch of each fragment: neighbours together, up to so many tuples."""
    batches: dict[int, int] = {}
    batch, held = 0, 0
    for number in _fragments_in_order(tree):
        own = tree.nodes[number].tuples
        if held and held + own > size:
            batch, held = batch + 1, 0
        batches[number] = batch
        held += own
    return batches


def _fragments_in_order(tree: Tree) -> list[int]:
    """Return the fragments from left to right."""
    found, waiting = [], [0]
    while waiting:
        number = waiting.pop()
        node = tree.nodes[number]
        if node.state == "cut":
            waiting += [node.right, node.left]
        elif node.state == "fragment":
            found.append(number)
    return found
