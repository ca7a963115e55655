"""The compiled t-closeness-first microaggregation against its slow twin."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import event, given, settings

import naive_t_closeness_first as naive
from effort import examples
from kanonym.algorithms.microaggregation.t_closeness_first import class_size_for
from kanonym.kernels.microaggregation.t_closeness_first import t_closeness_first
from points import cases, labels_of


@settings(max_examples=examples(300))
@given(case=cases)
def test_groups_are_the_twins(case):
    """Groups are those of comparing every distance, in the order of their formation."""
    k = class_size_for(1.0, case.k, len(case.rows))
    event(f"left over: {len(case.rows) % k > 0}, k odd: {k % 2 > 0}")
    labels, n_groups = t_closeness_first(case.rows, case.weights, k)
    expected = naive.t_closeness_first(case.rows.tolist(), case.weights.tolist(), k)
    assert labels.tolist() == labels_of(expected)
    assert n_groups == len(expected)


@given(case=cases)
def test_a_group_has_one_record_of_every_subset(case):
    """And at most one record more, from the middle."""
    n = len(case.rows)
    k = class_size_for(1.0, case.k, n)
    labels, n_groups = t_closeness_first(case.rows, case.weights, k)
    for s, subset in enumerate(naive.subsets_of(n, k)):
        found = Counter(labels[subset].tolist())
        assert set(found) == set(range(n_groups))
        assert max(found.values()) <= 1 + (s in {(k - 1) // 2, k // 2})
    sizes = Counter(labels.tolist()).values()
    assert set(sizes) <= {k, k + 1}


@pytest.mark.parametrize("k", [1, 4, 7, 10])
def test_larger_tables_are_the_twins(k):
    """So are groups of a few hundred real numbers."""
    rows = np.random.default_rng(k).standard_normal((300, 3))
    weights = 1 / rows.var(axis=0)
    labels, _ = t_closeness_first(rows, weights, k)
    expected = naive.t_closeness_first(rows.tolist(), weights.tolist(), k)
    assert labels.tolist() == labels_of(expected)
