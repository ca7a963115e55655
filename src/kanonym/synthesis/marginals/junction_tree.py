"""Junction trees: how a model of many attributes is stored as tables of few."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from operator import and_

Attributes = tuple[int, ...]
"""Positions of attributes, ascending."""
FEW_CANDIDATES = 500
"""Of so many sets, how much room each one needs is found by a triangulation."""


@dataclass(frozen=True, slots=True)
class JunctionTree:
    """Cliques of a chordal graph, each below the one that it shares most attributes with."""

    cliques: tuple[Attributes, ...]
    parents: tuple[int, ...]
    separators: tuple[Attributes, ...]
    _holders: dict[int, int] = field(init=False, repr=False, compare=False)
    """By attribute the cliques that have it, a bit each."""

    def __post_init__(self) -> None:
        holders: dict[int, int] = {}
        for place, clique in enumerate(self.cliques):
            for one in clique:
                holders[one] = holders.get(one, 0) | 1 << place
        object.__setattr__(self, "_holders", holders)

    def nearest(self, attributes: Attributes) -> int:
        """Return the first of the cliques that have most of these attributes."""
        for width in range(len(attributes), 0, -1):
            for part in combinations(attributes, width):
                holding = reduce(and_, (self._holders[one] for one in part))
                if holding:
                    return (holding & -holding).bit_length() - 1
        return 0

    def holds(self, attributes: Attributes) -> bool:
        """Return whether some clique has all of these attributes."""
        return set(attributes) <= set(self.cliques[self.nearest(attributes)])

    def clique_of(self, attributes: Attributes, sizes: Sequence[int]) -> int:
        """Return the smallest clique that has all of these attributes."""
        wanted = set(attributes)
        fitting = [place for place, one in enumerate(self.cliques) if wanted <= set(one)]
        return min(fitting, key=lambda place: cells_of(self.cliques[place], sizes))

    def fitting(
        self,
        candidates: Collection[Attributes],
        within: Iterable[Attributes],
        sizes: Sequence[int],
        most: float,
    ) -> list[Attributes]:
        """Return the sets that a clique has, or with which all cliques have at most so many cells.

        How many cells a set adds is first estimated from above: each of its attributes is carried
        along the tree to the clique that has most of the set. Of few candidates, those that do not
        fit by this estimate are tried, together with all sets that the tree was made for: `within`.
        """
        paths, sets = _Paths(self), list(within)
        rest = most - sum(cells_of(clique, sizes) for clique in self.cliques)
        few = len(candidates) <= FEW_CANDIDATES
        return [
            candidate
            for candidate in candidates
            if paths.cells_added(candidate, sizes) <= rest
            or self.holds(candidate)
            or (few and model_cells([*sets, candidate], sizes) <= most)
        ]


class _Paths:
    """Ways from clique to clique, for sets of attributes that no clique has."""

    def __init__(self, tree: JunctionTree) -> None:
        self._tree = tree
        self._cliques = [_mask(clique) for clique in tree.cliques]
        self._near: list[list[tuple[int, int]]] = [[] for _ in tree.cliques]
        for place, parent in enumerate(tree.parents[1:], 1):
            shared = _mask(tree.separators[place])
            self._near[place].append((parent, shared))
            self._near[parent].append((place, shared))
        self._known: dict[int, dict[int, list[tuple[int, int]]]] = {}

    def cells_added(self, attributes: Attributes, sizes: Sequence[int]) -> int:
        """Return how many cells cliques have that connect all of a set; 0 if it is held."""
        start, wanted = self._tree.nearest(attributes), _mask(attributes)
        lacking = wanted & ~self._cliques[start]
        if not lacking:
            return 0
        grown = {start: wanted}
        ways = self._ways(start)
        for attribute in _members(lacking):
            before = start
            for place, shared in ways[attribute]:
                grown[before] = grown.get(before, 0) | shared | 1 << attribute
                if not self._cliques[place] >> attribute & 1:
                    grown[place] = grown.get(place, 0) | shared
                before = place
        return sum(cells_of(_members(one), sizes) for one in grown.values())

    def _ways(self, start: int) -> dict[int, list[tuple[int, int]]]:
        """Return the way from a clique to the nearest with each attribute: cliques, separators."""
        if start not in self._known:
            found: dict[int, list[tuple[int, int]]] = {}
            left: deque[tuple[int, int, list[tuple[int, int]]]] = deque([(start, -1, [])])
            while left:
                place, origin, way = left.popleft()
                for attribute in _members(self._cliques[place]):
                    found.setdefault(attribute, way)
                left.extend(
                    (other, place, [*way, (other, shared)])
                    for other, shared in self._near[place]
                    if other != origin
                )
            self._known[start] = found
        return self._known[start]


def cells_of(attributes: Iterable[int], sizes: Sequence[int]) -> int:
    """Return the number of cells of a marginal."""
    return math.prod(sizes[attribute] for attribute in attributes)


def triangulate(sets: Iterable[Attributes], sizes: Sequence[int]) -> list[Attributes]:
    """Return the maximal cliques of a chordal graph in which each set is connected.

    Attributes are eliminated one by one, each time the one whose clique has the fewest cells.
    """
    near = [0] * len(sizes)
    for one in sets:
        mask = _mask(one)
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
    known = [set(clique) for clique in cliques]
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


def _mask(attributes: Iterable[int]) -> int:
    return sum(1 << attribute for attribute in attributes)


def _members(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _cells(mask: int, logs: Sequence[float]) -> float:
    return sum(logs[member] for member in _members(mask))
