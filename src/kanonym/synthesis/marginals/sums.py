"""Many marginals of one table at once, by sums that share their steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from kanonym.synthesis.marginals.graphical_model import Table
from kanonym.synthesis.marginals.junction_tree import Attributes


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

    def marginals(self, table: Table) -> dict[Attributes, Table]:
        """Return the sums of a table, those of the parts among them."""
        found = {self._clique: table}
        for below, (above, axis) in self._steps.items():
            found[below] = found[above].sum(axis=axis)
        return found

    def spread(self, parts: Mapping[Attributes, Table]) -> Table:
        """Return the sum of tables of parts, each the same along the axes that it lacks."""
        sums: dict[Attributes, Table] = {one: table.copy() for one, table in parts.items()}
        for below, (above, axis) in reversed(self._steps.items()):
            added = np.expand_dims(sums.pop(below), axis)
            if above in sums:
                sums[above] = sums[above] + added
            else:
                shape = list(added.shape)
                shape[axis] = self._shape[self._clique.index(above[axis])]
                sums[above] = np.broadcast_to(added, shape)
        return sums.get(self._clique, np.zeros(self._shape))
