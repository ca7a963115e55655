"""Tests: partition by a k-d tree."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.algorithms.base import compile_criteria
from kanonym.algorithms.mondrian import _records
from kanonym.kernels.partitioning.kd_partition import accumulated_order, halve_in_turn
from kanonym.sigo.anonymizers import clusters_of, models_of
from kanonym.sigo.attributes import Attribute
from tables import tables
from twins import clustering as naive_kdtree

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


def halved(table):
    """Run the kernel; return the class of each row of the table, and the attempts of each class."""
    encoded = table.encoded()
    records = _records(encoded, by_row=False)
    is_start, attempts = np.zeros(len(records), np.bool_), np.empty(len(records), np.int32)
    halve_in_turn(records, compile_criteria(table.models, encoded), is_start, attempts)
    labels = np.empty(len(records), np.int32)
    labels[records[:, -1]] = np.cumsum(is_start) - 1
    return labels, attempts[is_start]


@st.composite
def shuffled(draw, *sizes):
    """Draw a table, and its records one by one in any order, each as a number of its row."""
    table = draw(tables(*sizes))
    numbers = [i for i, row in enumerate(table.rows) for _ in range(row.weight)]
    draw(st.randoms(use_true_random=False)).shuffle(numbers)
    return table, numbers


@pytest.mark.parametrize("sizes", [(), (60, 120)], ids=["small", "large"])
@settings(max_examples=examples(300))
@given(data=st.data())
def test_classes_and_their_order_are_the_twins(sizes, data):
    """Classes, their numbers and the order of records in them are those of sorting each time.

    Records come in any order, equal ones apart: the classes do not depend on it.
    """
    table, numbers = data.draw(shuffled(*sizes))
    rows = [table.rows[i]._replace(weight=1) for i in numbers]
    min_size = compile_criteria(table.models, table.encoded()).min_size
    expected = naive_kdtree.kdtree(rows, table.satisfies, min_size)

    labels, attempts = halved(table)
    columns = zip(*(row.codes for row in rows), strict=True)
    order = accumulated_order(
        [np.array(column, np.int32) for column in columns],
        [domain.size for domain in table.domains],
        labels[numbers],
        attempts,
    )
    assert order.tolist() == list(itertools.chain(*expected))
    assert Counter(labels[numbers].tolist()) == dict(enumerate(map(len, expected)))
    assert (np.diff(labels[numbers][order]) >= 0).all()


def test_without_attributes_rows_stay_as_they_came():
    """Nothing to sort by leaves every class in the order of the input."""
    order = accumulated_order([], [], np.array([1, 0, 1, 0], np.int32), np.zeros(2, np.int32))
    assert order.tolist() == [1, 3, 0, 2]
