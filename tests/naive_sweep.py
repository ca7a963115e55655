"""A slow, obvious twin of local recoding: nodes one after the other, records in dicts.

Classes are lists of rows, models ask lists of values; nodes come in the order that a
test gives them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
    """Take classes back, last ones first, until the rows without one can be released together.

    Returns what is left of the sweep, and whether it is enough.
    """
    classes, left = list(sweep.classes), list(sweep.left)
    while failing(problem, problem.highest, left) > problem.budget:
        if not classes:
            return Sweep([], left), False
        left += classes.pop().rows
    return Sweep(classes, left), True


def nodes_together(problem: Problem, left: Sequence[Row]) -> dict[Levels, Worth]:
    """Return every node at which some rows can be released together, and what it loses."""
    every = naive_lattice.every_node(replace(problem, rows=sorted(left)))
    return {levels: one for levels, one in every.items() if one.satisfied}


def first_large(
    labels: Sequence[Sequence[int]], weights: Sequence[int], first: int, size: int
) -> tuple[int, list[bool]]:
    """Return the first node with a class of a size, and who is in such classes.

    labels: of every tuple at every node; as many as nodes where there is none.
    """
    for node in range(first, len(labels)):
        sizes: Counter[int] = Counter()
        for label, weight in zip(labels[node], weights, strict=True):
            sizes[label] += weight
        if max(sizes.values()) >= size:
            return node, [sizes[label] >= size for label in labels[node]]
    return len(labels), [False] * len(weights)
