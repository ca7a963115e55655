"""Junction trees: how a model of many attributes is stored as tables of few."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Attributes = tuple[int, ...]
"""Positions of attributes, ascending."""


@dataclass(frozen=True, slots=True)
class JunctionTree:
    """Cliques of a chordal graph, each below the one that it shares most attributes with.

    Attributes
    ----------
    cliques
        Maximal cliques; parents stand before children, the root is the first.
    parents
        Position of each clique's parent; -1 for the root.
    separators
        What each clique shares with its parent; empty for the root, and where nothing is shared.

    """

    cliques: tuple[Attributes, ...]
    parents: tuple[int, ...]
    separators: tuple[Attributes, ...]

    def holds(self, attributes: Attributes) -> bool:
        """Return whether some clique has all of these attributes."""
        return any(set(attributes) <= set(one) for one in self.cliques)

    def clique_of(self, attributes: Attributes, sizes: Sequence[int]) -> int:
        """Return the smallest clique that has all of these attributes."""
        wanted = set(attributes)
        fitting = [place for place, one in enumerate(self.cliques) if wanted <= set(one)]
        return min(fitting, key=lambda place: cells_of(self.cliques[place], sizes))


def cells_of(attributes: Iterable[int], sizes: Sequence[int]) -> int:
    """Return the number of cells of a marginal."""
    return math.prod(sizes[one] for one in attributes)


def triangulate(sets: Iterable[Attributes], sizes: Sequence[int]) -> list[Attributes]:
    """Return the maximal cliques of a chordal graph in which each set is connected.

    Attributes are eliminated one by one, each time the one whose clique has the fewest cells.
    """
    near = [0] * len(sizes)
    for one in sets:
        mask = sum(1 << attribute for attribute in one)
        for attribute in one:
            near[attribute] |= mask
    logs = [math.log2(size) for size in sizes]
    costs = [_cells(mask | 1 << place, logs) for place, mask in enumerate(near)]
    left = set(range(len(sizes)))
    found: list[int] = []
    while left:
        chosen = min(left, key=lambda one: (costs[one], one))
        clique = near[chosen] | 1 << chosen
        if not any(clique & ~one == 0 for one in found):
            found.append(clique)
        left.discard(chosen)
        rest = clique & ~(1 << chosen)
        for other in _members(rest):
            near[other] = (near[other] | rest) & ~(1 << chosen)
            costs[other] = _cells(near[other] | 1 << other, logs)
    return [tuple(_members(one)) for one in found]


def model_cells(sets: Iterable[Attributes], sizes: Sequence[int]) -> int:
    """Return how many cells a model of these sets has in all its cliques."""
    return sum(cells_of(one, sizes) for one in triangulate(sets, sizes))


def build_tree(sets: Iterable[Attributes], sizes: Sequence[int]) -> JunctionTree:
    """Return a junction tree in which each set lies in a clique, and each attribute in some."""
    cliques = triangulate(sets, sizes)
    known = [set(one) for one in cliques]
    order, parents = [0], [-1]
    # Prim: the next clique shares the most attributes with one that is in the tree.
    shared = {place: (len(known[place] & known[0]), 0) for place in range(1, len(cliques))}
    while shared:
        place = max(shared, key=lambda one: (shared[one][0], -one))
        parents.append(shared.pop(place)[1])
        order.append(place)
        for other, (most, _) in shared.items():
            common = len(known[other] & known[place])
            if common > most:
                shared[other] = (common, len(order) - 1)
    placed = tuple(cliques[one] for one in order)
    separators = tuple(
        () if parent < 0 else tuple(sorted(set(one) & set(placed[parent])))
        for one, parent in zip(placed, parents, strict=True)
    )
    return JunctionTree(placed, tuple(parents), separators)


def _members(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _cells(mask: int, logs: Sequence[float]) -> float:
    return sum(logs[one] for one in _members(mask))
