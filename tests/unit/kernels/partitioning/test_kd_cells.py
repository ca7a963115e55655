"""Laws of the cells of the kd-tree, against a twin that cuts anew and keeps the bounds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kanonym.sigo.attributes import Attribute
from kanonym.sigo.clusters import clusters_of, models_of

ROWS = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.lists(st.integers(0, 6), min_size=d, max_size=d), min_size=1, max_size=40)
)


def cells(rows, k):
    """Return (low, high) of each cluster in depth-first order, SIGO's way, on lists."""
    d = len(rows[0])
    found = []

    def grown(node, turn, bounds):
        if len(node) >= 2 * k:
            for a in [(turn + step) % d for step in range(d)]:
                node = sorted(node, key=lambda row: row[a])
                last = node[len(node) // 2 - 1][a]
                lower = [row for row in node if row[a] <= last]
                upper = node[len(lower) :]
                if len(upper) >= k:
                    below, above = list(bounds), list(bounds)
                    below[a] = (bounds[a][0], last)
                    above[a] = (upper[0][a], bounds[a][1])
                    grown(lower, a + 1, below)
                    grown(upper, a + 1, above)
                    return
        found.append(bounds)

    grown(rows, 0, [(min(column), max(column)) for column in zip(*rows, strict=True)])
    return found


@given(ROWS, st.integers(1, 4))
def test_cells_are_the_twins(rows, k):
    """The bounds read off the classes are those that the cuts have made."""
    if len(rows) < k:
        return
    columns = [Attribute(str(a), "number", np.array(c, float)) for a, c in enumerate(zip(*rows))]  # noqa: B905
    made = clusters_of(columns, [], models_of(k, 1, [], entropy=False))
    low, high = made.cells()
    found = [
        [(made.values[a][low[c, a]], made.values[a][high[c, a]]) for a in range(len(columns))]
        for c in range(len(made))
    ]
    assert found == cells(rows, k)


@given(ROWS, st.integers(1, 4))
def test_cells_hold_their_clusters(rows, k):
    """A cluster lies inside of its cell."""
    if len(rows) < k:
        return
    columns = [Attribute(str(a), "number", np.array(c, float)) for a, c in enumerate(zip(*rows))]  # noqa: B905
    made = clusters_of(columns, [], models_of(k, 1, [], entropy=False))
    (low, high), (least, most) = made.cells(), made.ranges()
    assert (low <= least).all()
    assert (most <= high).all()
