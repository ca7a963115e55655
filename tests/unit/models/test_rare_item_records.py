"""The records that known items single out too far, against a slow obvious twin."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from kanonym.models import rare_item_records
from kanonym.models.rare_item_records import records_with_rare_items


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
    monkeypatch.setattr(rare_item_records, "MOST_ITEMSETS", 5)
    lists = [[0, 1, 2, 3]] * 2
    assert records_with_rare_items(*sets_of(lists), np.zeros(2, np.int32), 2, 2) is None
