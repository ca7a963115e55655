"""The graphical model of measured marginals, over a junction tree."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from operator import and_
from string import ascii_letters

import numpy as np

from kanonym.kernels.arrays import Floats

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
        along the tree to the clique that has most of the set.
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


class GraphicalModel:
    """Calibrated tables of cliques, and marginals of any attributes."""

    def __init__(self, tree: JunctionTree, tables: Sequence[Floats]) -> None:
        self.tree = tree
        self.tables = list(tables)
        self._near: list[list[tuple[int, Attributes, frozenset[int]]]] = [[] for _ in tables]
        below = [set(clique) for clique in tree.cliques]
        for place in range(len(tables) - 1, 0, -1):
            below[tree.parents[place]] |= below[place]
        every = below[0] if tables else set()
        for place in range(1, len(tables)):
            parent, separator = tree.parents[place], tree.separators[place]
            beyond = frozenset(below[place] - set(separator))
            self._near[parent].append((place, separator, beyond))
            self._near[place].append((parent, separator, frozenset(every - below[place])))
        self._known: dict[tuple[int, Attributes], Floats] = {}
        self._conditionals: dict[tuple[int, int, frozenset[int]], tuple[Floats, list[int]]] = {}

    def marginal(self, attributes: Attributes) -> Floats:
        """Return the distribution of some attributes, ascending, an axis each."""
        wanted = frozenset(attributes)
        table, axes = self._collect(self.tree.nearest(attributes), -1, wanted)
        return table.transpose([axes.index(attribute) for attribute in attributes])

    def _collect(self, place: int, origin: int, wanted: frozenset[int]) -> tuple[Floats, list[int]]:
        """Return the table of what is wanted in a clique and beyond it, seen from its origin."""
        key = (place, origin, wanted)
        if key in self._conditionals:
            return self._conditionals[key]
        own = wanted.intersection(self.tree.cliques[place])
        parts = []
        back: Attributes = ()
        for other, separator, beyond in self._near[place]:
            if other == origin:
                back = separator
            elif wanted & beyond:
                parts.append((other, separator, wanted & beyond))
        kept = sorted(own.union(back, *(separator for _, separator, _ in parts)))
        table = self._sum(place, tuple(kept))
        if origin >= 0:
            table = _conditional(table, kept, back, self._sum(place, back))
        axes = kept
        for position, (other, _, further) in enumerate(parts):
            message, message_axes = self._collect(other, place, further)
            later = {one for _, separator, _ in parts[position + 1 :] for one in separator}
            result = sorted(
                axis
                for axis in {*axes, *message_axes}
                if axis in wanted or axis in back or axis in later
            )
            table, axes = _product(table, axes, message, message_axes, result), result
        if origin >= 0:
            self._conditionals[key] = (table, axes)
        return table, axes

    def _sum(self, place: int, attributes: Attributes) -> Floats:
        """Return a marginal within a clique."""
        key = (place, attributes)
        if key not in self._known:
            dropped = axes_without(self.tree.cliques[place], attributes)
            self._known[key] = self.tables[place].sum(axis=dropped)
        return self._known[key]


def axes_without(clique: Attributes, attributes: Attributes) -> tuple[int, ...]:
    """Return the axes of a clique's table that are summed for a marginal of these attributes."""
    return tuple(axis for axis, one in enumerate(clique) if one not in attributes)


def spread(clique: Attributes, attributes: Attributes, sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the shape in which a marginal broadcasts against the table of its clique."""
    return tuple(sizes[one] if one in attributes else 1 for one in clique)


def _conditional(table: Floats, axes: list[int], given: Attributes, marginal: Floats) -> Floats:
    shape = [table.shape[axis] if one in given else 1 for axis, one in enumerate(axes)]
    return divide(table, marginal.reshape(shape))


def divide(table: Floats, by: Floats) -> Floats:
    """Return a quotient, 0 where the divisor is 0: what cannot occur does not."""
    return np.divide(
        table, by, out=np.zeros(np.broadcast_shapes(table.shape, by.shape)), where=by > 0
    )


def _product(
    table: Floats, axes: list[int], other: Floats, other_axes: list[int], result: list[int]
) -> Floats:
    """Return the sum over what is not in the result of the product of two tables."""
    letters = dict(zip(sorted({*axes, *other_axes}), ascii_letters, strict=False))
    left, right, out = (
        "".join(letters[one] for one in some) for some in (axes, other_axes, result)
    )
    product: Floats = np.einsum(f"{left},{right}->{out}", table, other)
    return product


class SharedSums:
    """Steps from the table of a clique to the marginals of some of its parts.

    Each step sums one axis, the longest first: what follows works on little. The same steps
    backwards add tables of the parts to one of the whole clique.
    """

    def __init__(
        self, clique: Attributes, parts: Iterable[Attributes], sizes: Sequence[int]
    ) -> None:
        self._clique = clique
        self._shape = [sizes[one] for one in clique]
        self._steps: dict[Attributes, tuple[Attributes, int]] = {}
        for part in parts:
            at = clique
            for dropped in sorted(set(clique) - set(part), key=lambda one: (-sizes[one], one)):
                axis = at.index(dropped)
                below = at[:axis] + at[axis + 1 :]
                self._steps.setdefault(below, (at, axis))
                at = below

    def marginals(self, table: Floats) -> dict[Attributes, Floats]:
        """Return the sums of a table, those of the parts among them."""
        found = {self._clique: table}
        for below, (above, axis) in self._steps.items():
            found[below] = found[above].sum(axis=axis)
        return found

    def spread(self, parts: Mapping[Attributes, Floats]) -> Floats:
        """Return the sum of tables of parts, each the same along the axes that it lacks."""
        sums: dict[Attributes, Floats] = {one: table.copy() for one, table in parts.items()}
        for below, (above, axis) in reversed(self._steps.items()):
            added = np.expand_dims(sums.pop(below), axis)
            if above in sums:
                sums[above] = sums[above] + added
            else:
                shape = list(added.shape)
                shape[axis] = self._shape[self._clique.index(above[axis])]
                sums[above] = np.broadcast_to(added, shape)
        return sums.get(self._clique, np.zeros(self._shape))
