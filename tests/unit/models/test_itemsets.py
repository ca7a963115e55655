"""Tests: models of sets of items."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym.models.itemsets as known
from kanonym.data.errors import DataError
from kanonym.models import itemsets
from kanonym.models.itemsets import records_with_rare_items
from twins.itemsets import CODES, arrays_of, candidates, cuts, rare, recoded, tree_of


def sets_of(lists):
    """Return lists of items as offsets and items."""
    offsets = np.append(0, np.cumsum([len(one) for one in lists]))
    return offsets, np.array([item for one in lists for item in one], np.int32)


def slow(lists, classes, k, m):
    """Return the same, item by item."""
    several = [
        [(c, known) for size in range(1, m + 1) for known in combinations(one, size)]
        for one, c in zip(lists, classes, strict=True)
    ]
    counts = Counter(key for keys in several for key in keys)
    return [any(counts[key] < k for key in keys) for keys in several]


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("n_classes", [1, 3])
def test_records_are_those_that_counting_finds(m, n_classes):
    """A record is found if any m items of it are shared by too few records of its class."""
    random = np.random.default_rng(m)
    chances = [0.7, 0.6, 0.5, 0.3, 0.02]
    lists = [np.flatnonzero(random.random(5) < chances).tolist() for _ in range(60)]
    classes = random.integers(0, n_classes, 60).astype(np.int32)
    found = records_with_rare_items(*sets_of(lists), classes, 4, m)
    assert found.tolist() == slow(lists, classes, 4, m)
    assert 0 < found.sum() < 60


def test_records_without_items_are_not_found():
    """Who has no item is not found by one."""
    empty = np.zeros(4, np.int32)
    assert not records_with_rare_items(*sets_of([[], [], []]), empty[:3], 2, 2).any()
    assert records_with_rare_items(*sets_of([[], [1], []]), empty[:3], 2, 2).tolist() == [0, 1, 0]


def test_too_many_itemsets_are_not_counted(monkeypatch):
    """More than can be looked at in a second gives no number instead of a wrong one."""
    monkeypatch.setattr(itemsets, "MOST_ITEMSETS", 5)
    lists = [[0, 1, 2, 3]] * 2
    assert records_with_rare_items(*sets_of(lists), np.zeros(2, np.int32), 2, 2) is None


TREE = tree_of(CODES)
ITEMS = st.lists(st.frozensets(st.integers(0, 4), max_size=4), max_size=10)
LABELS = st.lists(st.frozensets(st.integers(0, TREE.n_nodes - 1), max_size=3), max_size=10)
ASKED = {"k": st.integers(1, 4), "m": st.integers(1, 3)}


@given(rows=LABELS, **ASKED)
def test_labels_of_any_level_are_asked_about_items(rows, k, m):
    """Sets of labels are safe exactly where no known items have candidates, but fewer than k."""
    found = known.rare_items(TREE, *arrays_of(rows), k, m)
    assert (found.number > 0) == bool(rare(TREE, rows, k, m))
    for nodes, number in found.listed:
        assert candidates(TREE, rows, [int(TREE.first[one]) for one in nodes]) == number


@given(rows=ITEMS, cut=st.sampled_from(cuts(TREE, may_drop=True)), **ASKED)
def test_one_level_for_each_item_is_counted_exactly(rows, cut, k, m):
    """Under one cut, labels that are counted answer as all known items would."""
    released = recoded(rows, cut)
    found = known.rare_items(TREE, *arrays_of(released), k, m)
    assert (found.number > 0) == bool(rare(TREE, released, k, m))
    every = rare(TREE, released, len(rows) + 1, m).values()
    if not found.number:
        assert found.least == min(every, default=math.inf)


@given(rows=LABELS, labels=st.lists(st.integers(0, 2), min_size=10, max_size=10), **ASKED)
def test_classes_are_asked_apart(rows, labels, k, m):
    """Each class has the answer that its sets have alone."""
    class_of_row = np.array(labels[: len(rows)], np.int32)
    found = known.rare_items_by_class(TREE, arrays_of(rows), class_of_row, k, m)
    for one, answer in enumerate(found):
        part = [rows[i] for i in np.flatnonzero(class_of_row == one)]
        assert answer == known.rare_items(TREE, *arrays_of(part), k, m)


@pytest.mark.parametrize(
    ("limit", "most", "rows", "said"),
    [
        (
            "MOST_COUNTED",
            15,
            [{0, 1, 2, 3}] * 3,
            "18 itemsets of 2 labels, of which up to 6 differ",
        ),
        ("MOST_WORK", 1, [{0, 5}, {1}], "labels of several levels: 2 groups of items in 2 records"),
    ],
)
def test_what_would_not_end_is_refused(monkeypatch, limit, most, rows, said):
    """A release that cannot be checked is refused with the work that it would take."""
    monkeypatch.setattr(known, limit, most)
    with pytest.raises(DataError, match=said):
        known.rare_items(TREE, *arrays_of(rows), 1, 2)
