"""Tests: the nearest classes and records of persons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.evaluation.attacks.base import AttackedPersons
from kanonym.kernels.neighbours.class_tree import BITS, LEAF
from linkage_tables import away_from, linkages, searched
from twins import neighbours as naive_linkage
from utility_pairs import categorical, numeric, pair


@given(linkages(most=7), st.integers(1, 4))
@settings(max_examples=examples(100))
def test_neighbours_of_both_sets_of_columns(tables, wanted):
    """Neighbours have one in common as often as among all sets that could be the nearest."""
    from kanonym.evaluation.attacks.linking.linkage import _count_links

    names = tables.quasi_identifiers
    halves = (names[:1], names[1:] or names)
    wanted = min(wanted, tables.n_released)
    everyone = AttackedPersons.of(tables, np.arange(tables.n_original))
    found = _count_links((tables, tables), halves, wanted, everyone, lambda: None)
    expected = [
        naive_linkage.linked(tables, person, halves, wanted) for person in range(tables.n_original)
    ]
    assert found.successes == pytest.approx(sum(expected))
    assert found.attempts == tables.n_original


@given(linkages())
@settings(max_examples=examples(150))
def test_the_nearest_class_is_found(tables):
    """No class is nearer by the first, then by the second distance, and none before it as near."""
    classes, numbers, codes = searched(tables)
    found, first = classes.nearest(numbers, codes)
    for person, away in enumerate(away_from(tables, classes)):
        assert away[found[person]] == min(away)
        assert found[person] == away.index(min(away))
        assert first[person] == min(away)[0]


@given(linkages())
@settings(max_examples=examples(150))
def test_equally_near_records_are_counted(tables):
    """As many records are as near as the own one as by looking at all, none if one is nearer."""
    classes, numbers, codes = searched(tables)
    own = np.full(tables.n_original, -1)
    own[tables.rows] = classes.of_record
    record = np.full(tables.n_original, -1)
    record[tables.rows] = np.arange(tables.n_released)
    assert classes.count_tied(numbers, codes, own).tolist() == [
        0 if own < 0 else naive_linkage.tied(tables, person, own, tables.quasi_identifiers)
        for person, own in enumerate(record.tolist())
    ]


@pytest.mark.parametrize("seed", range(3))
def test_many_classes_and_categories(seed):
    """With more classes than a leaf and more categories than a mask holds, nothing is lost."""
    random = np.random.default_rng(seed)
    n = 20 * LEAF
    numbers = random.integers(0, 30, n).astype(float)
    towns = [f"t{code:03}" for code in random.integers(0, 2 * BITS + 5, n)]
    spans = [(value - random.integers(0, 4), value + random.integers(0, 4)) for value in numbers]
    sets = [
        "*" if random.random() < 0.1 else tuple({town, *random.choice(towns, 2).tolist()})
        for town in towns
    ]
    tables = pair(
        numeric("n", numbers, spans),
        categorical("t", towns, sets),
        rows=range(n),
        quasi_identifiers=("n", "t"),
    )
    classes, values, codes = searched(tables)
    found = classes.count_tied(values, codes, classes.of_record.astype(np.int64))
    nearest, first = classes.nearest(values, codes)
    away = away_from(tables, classes)
    for person in range(0, n, 5):
        assert found[person] == naive_linkage.tied(tables, person, person, ("n", "t"))
        assert away[person][nearest[person]] == min(away[person])
        assert first[person] == min(away[person])[0]
