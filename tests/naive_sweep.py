"""A slow, obvious twin of local recoding: nodes one after the other, records in dicts.

Classes are lists of rows, models ask lists of values; nodes come in the order that a
test gives them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

import naive_lattice
from naive_lattice import Groups, Levels, Problem, Worth
from naive_mondrian import Row, records


class Settled(NamedTuple):
    """A class of the release: its node, and its rows."""

    levels: Levels
    rows: list[Row]


@dataclass
class Sweep:
    """What a sweep comes to: its classes in the order of nodes and labels, and the others."""

    classes: list[Settled] = field(default_factory=list)
    left: list[Row] = field(default_factory=list)

    def place_of(self, rows: Sequence[Row]) -> list[int]:
        """Return the class of each row, -1 for those that have none."""
        place = {row: i for i, one in enumerate(self.classes) for row in one.rows}
        return [place.get(row, -1) for row in rows]


def grouped(problem: Problem, levels: Levels, rows: Sequence[Row]) -> Groups:
    """Return some rows by their labels at a node."""
    found: Groups = {}
    for row in rows:
        found.setdefault(problem.labels(levels, row.codes), []).append(row)
    return dict(sorted(found.items()))


def swept(problem: Problem, order: Sequence[Levels]) -> Sweep:
    """Give every row the class of the first node where those without one form a class."""
    sweep = Sweep(left=[row for row in problem.rows if row.weight])
    for levels in order:
        groups = grouped(problem, levels, sweep.left)
        kept = [rows for rows in groups.values() if problem.requirement(rows)]
        sweep.classes += [Settled(levels, rows) for rows in kept]
        done = {row for rows in kept for row in rows}
        sweep.left = [row for row in sweep.left if row not in done]
    return sweep


def failing(problem: Problem, levels: Levels, rows: Sequence[Row]) -> int:
    """Return how many records are in classes that fail, of some rows at a node."""
    groups = grouped(problem, levels, rows)
    return sum(records(one) for one in groups.values() if not problem.requirement(one))


def given_up(problem: Problem, sweep: Sweep) -> tuple[Sweep, bool]:
    """Take classes back, those of most loss first, until those without one can go together.

    Returns what is left of the sweep, and whether it is enough.
    """
    classes, left = list(sweep.classes), list(sweep.left)
    while failing(problem, problem.highest, left) > problem.budget:
        if not classes:
            return Sweep([], left), False
        losses = [lost(problem, tight(problem, one.rows), one.rows[0]) for one in classes]
        last = max(range(len(classes)), key=lambda i: (losses[i], i))
        left += classes.pop(last).rows
    return Sweep(classes, left), True


def nodes_together(problem: Problem, left: Sequence[Row]) -> dict[Levels, Worth]:
    """Return every node at which some rows can be released together, and what it loses."""
    every = naive_lattice.every_node(replace(problem, rows=sorted(left)))
    return {levels: one for levels, one in every.items() if one.satisfied}


def first_settled(
    labels: Sequence[Sequence[int]],
    rows: Sequence[tuple[int, int]],
    first: int,
    size: int,
    distinct: int,
) -> tuple[int, list[bool]]:
    """Return the first node with a class of a size and diversity, and who is in such classes.

    labels: of every tuple at every node; as many as nodes where there is none.
    rows: the weight and the sensitive value of each tuple.
    """
    for node in range(first, len(labels)):
        sizes: Counter[int] = Counter()
        values: dict[int, set[int]] = {}
        for label, (weight, value) in zip(labels[node], rows, strict=True):
            sizes[label] += weight
            values.setdefault(label, set()).add(value)
        enough = {
            label for label in sizes if sizes[label] >= size and len(values[label]) >= distinct
        }
        if enough:
            return node, [label in enough for label in labels[node]]
    return len(labels), [False] * len(rows)


def tight(problem: Problem, rows: Sequence[Row]) -> Levels:
    """Return the lowest levels allowed at which some rows have one label each."""
    levels = list(problem.lowest)
    for a, tree in enumerate(problem.trees):
        while len({tree[levels[a]][row.codes[a]] for row in rows}) > 1:
            levels[a] += 1
    return tuple(levels)


def lost(problem: Problem, levels: Levels, row: Row) -> Fraction:
    """Return what a record loses by a label: leaves but one, of all but one, by attribute."""
    total = Fraction(0)
    for tree, level, code, weight in zip(
        problem.trees, levels, row.codes, problem.weights, strict=True
    ):
        leaves = tree[level].count(tree[level][code])
        total += weight * Fraction(leaves - 1, max(len(tree[0]) - 1, 1))
    return total


def added(problem: Problem, rows: Sequence[Row], joined: Sequence[Row]) -> Fraction:
    """Return by how much the loss grows where some rows join a class."""
    together = [*rows, *joined]
    after = records(together) * lost(problem, tight(problem, together), rows[0])
    return after - records(rows) * lost(problem, tight(problem, rows), rows[0])
