"""Laws of the distance from a person to the nearest released record."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.evaluation.attacks.matching import predicates as module
from kanonym.evaluation.attacks.matching.predicates import nearest_gaps
from utility_pairs import categorical, numeric, pair

AGES = [None, 0.0, 3.0, 10.0]
TOWNS = [None, "Bonn", "Kiel", "Ulm"]
CELLS = st.sampled_from([None, 0.0, 4.0, (0.0, 3.0), (2.0, 20.0), "*"])
PLACES = st.sampled_from([*TOWNS, ("Bonn", "Ulm"), "*"])


def way(age, cell):
    """Return how far an age is from a released cell, in units of the range 10."""
    if cell == "*":
        return 0.0
    if age is None or cell is None:
        return float(age is not cell)
    low, high = cell if isinstance(cell, tuple) else (cell, cell)
    return min(max(low - age, age - high, 0) / 10, 1.0)


def strange(town, cell):
    """Return 1 where a released cell leaves a town out, else 0."""
    return float(cell != "*" and town not in (cell if isinstance(cell, tuple) else (cell,)))


@given(st.lists(st.tuples(CELLS, PLACES), min_size=1, max_size=8), st.sampled_from([1, 5, 1 << 20]))
@settings(max_examples=examples(150), deadline=None)
def test_it_is_the_least_sum_of_ways(records, cells):
    """Compared with every record, none is nearer, and one is as near; whatever the memory."""
    persons = [(age, town) for age in AGES for town in TOWNS]
    released = list(zip(*records, strict=True))
    tables = pair(
        numeric("age", [age for age, _ in persons], list(released[0])),
        categorical("town", [town for _, town in persons], list(released[1])),
    )
    kept, module.CELLS = module.CELLS, cells
    try:
        found = nearest_gaps(tables, np.arange(len(persons)), ["age", "town"], tables)
    finally:
        module.CELLS = kept
    expected = [
        min(way(age, cell) + strange(town, place) for cell, place in records)
        for age, town in persons
    ]
    assert found == pytest.approx(expected, abs=1e-6)


def test_units_are_those_of_another_pair():
    """The way is measured in the range of the persons that are named for it."""
    persons = pair(numeric("age", [0.0, 4.0], [10.0]))
    units = pair(numeric("age", [0.0, 20.0], [10.0]))
    found = nearest_gaps(persons, np.arange(2), ["age"], units)
    assert found == pytest.approx([0.5, 0.3])
