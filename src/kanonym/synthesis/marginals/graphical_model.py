"""A distribution over all attributes, stored as the tables of a junction tree's cliques."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

import numpy as np
from numpy.typing import NDArray

from kanonym.synthesis.marginals.junction_tree import Attributes, JunctionTree

Table = NDArray[np.float64]


class GraphicalModel:
    """Calibrated tables of cliques, and marginals of any attributes."""

    def __init__(self, tree: JunctionTree, tables: Sequence[Table]) -> None:
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
        self._known: dict[tuple[int, Attributes], Table] = {}
        self._conditionals: dict[tuple[int, int, frozenset[int]], tuple[Table, list[int]]] = {}

    def marginal(self, attributes: Attributes) -> Table:
        """Return the distribution of some attributes, ascending, an axis each.

        Cost: within a clique one sum; across cliques a product for each clique between them.
        """
        wanted = frozenset(attributes)
        table, axes = self._collect(self.tree.nearest(attributes), -1, wanted)
        return table.transpose([axes.index(attribute) for attribute in attributes])

    def _collect(self, place: int, origin: int, wanted: frozenset[int]) -> tuple[Table, list[int]]:
        """Return the table of what is wanted in a clique and beyond it, seen from its origin.

        From a neighbour it is the conditional distribution, given the separator.
        """
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

    def _sum(self, place: int, attributes: Attributes) -> Table:
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


def _conditional(table: Table, axes: list[int], given: Attributes, marginal: Table) -> Table:
    shape = [table.shape[axis] if one in given else 1 for axis, one in enumerate(axes)]
    return divide(table, marginal.reshape(shape))


def divide(table: Table, by: Table) -> Table:
    """Return a quotient, 0 where the divisor is 0: what cannot occur does not."""
    return np.divide(
        table, by, out=np.zeros(np.broadcast_shapes(table.shape, by.shape)), where=by > 0
    )


def _product(
    table: Table, axes: list[int], other: Table, other_axes: list[int], result: list[int]
) -> Table:
    """Return the sum over what is not in the result of the product of two tables."""
    letters = dict(zip(sorted({*axes, *other_axes}), ascii_letters, strict=False))
    left, right, out = (
        "".join(letters[one] for one in some) for some in (axes, other_axes, result)
    )
    product: Table = np.einsum(f"{left},{right}->{out}", table, other)
    return product
