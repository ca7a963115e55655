"""The compiled V-MDAV against its slow twin, and its laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import naive_v_mdav
from effort import examples
from kanonym.kernels.microaggregation.v_mdav import v_mdav
from points import cases, labels_of

GAMMAS = st.sampled_from([0.0, 0.2, 0.5, 1.0, 1.1, 3.0])


def partitioned(case, gamma):
    """Return the kernel's labels and their number."""
    labels, n_groups = v_mdav(case.rows, case.weights, case.k, case.kinds, gamma)
    return labels.tolist(), n_groups


def of_numbers(rows, k, gamma):
    """Return the labels of records of numbers, all weights 1."""
    return v_mdav(rows, np.ones(rows.shape[1]), k, np.zeros(rows.shape[1], np.int8), gamma)[0]


@given(cases, GAMMAS)
@settings(max_examples=examples(400))
def test_the_partition_is_the_twins(case, gamma):
    """Asking a tree instead of every record changes no group, ties and duplicates included."""
    labels, n_groups = partitioned(case, gamma)
    event(f"grown: {len(case.rows) // case.k > n_groups}")
    expected = naive_v_mdav.v_mdav(*case.plain(), gamma)
    assert labels == labels_of(expected)
    assert n_groups == len(expected)


@given(cases, GAMMAS)
def test_groups_have_k_records_and_fewer_than_three_times_as_many(case, gamma):
    """Groups of k to 2 k - 1 take up to k - 1 records more, which are those left in the end."""
    labels, n_groups = partitioned(case, gamma)
    sizes = np.bincount(labels)
    assert len(sizes) == n_groups
    assert sizes.min() >= case.k
    assert np.maximum(sizes - (2 * case.k - 1), 0).sum() <= case.k - 1


@pytest.mark.parametrize(("d", "k", "gamma"), [(1, 3, 0.2), (2, 5, 1.1), (4, 3, 0.8), (3, 40, 0.5)])
def test_the_partition_of_a_large_table_is_the_twins(d, k, gamma):
    """Trees of several levels, built anew as they empty, give the twin's groups."""
    rows = np.round(np.random.default_rng(d).standard_normal((400, d)), 2)
    weights, kinds = 1 / rows.var(axis=0), np.zeros(d, np.int8)
    labels, _ = v_mdav(rows, weights, k, kinds, gamma)
    twin = naive_v_mdav.v_mdav(rows.tolist(), weights.tolist(), k, kinds.tolist(), gamma)
    assert labels.tolist() == labels_of(twin)


def test_a_group_grows_by_a_record_that_is_nearer_to_it_than_to_others():
    """The fourth record is 1 from the first group, 17 from those left: gamma decides."""
    rows = np.array([[0.0], [1.0], [2.0], [3.0], [20.0], [21.0], [22.0], [23.0], [24.0]])
    assert of_numbers(rows, 3, 1 / 16).tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert of_numbers(rows, 3, 1 / 17).tolist() == [0, 0, 0, 2, 2, 2, 1, 1, 1]


def test_a_group_does_not_grow_beyond_2_k_less_1():
    """However large gamma is, the sixth of nine records begins a group of its own."""
    rows = np.arange(9.0).reshape(-1, 1)
    assert of_numbers(rows, 3, 100.0).tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1]


def test_records_left_in_the_end_join_the_nearest_centroid():
    """Fewer than k, each joins the group whose mean is nearest, of equally near ones the first."""
    rows = np.array([[0.0], [0.0], [0.0], [10.0], [10.0], [10.0], [5.0], [6.0]])
    assert of_numbers(rows, 3, 0.0).tolist() == [0, 0, 0, 1, 1, 1, 0, 1]


def test_records_left_in_the_end_may_take_a_group_beyond_2_k_less_1():
    """The last record joins a group that has grown to its limit."""
    rows = np.array([[0.0], [1.0], [2.0], [5.0], [100.0], [101.0]])
    assert of_numbers(rows, 2, 1.0).tolist() == [1, 1, 1, 1, 0, 0]
