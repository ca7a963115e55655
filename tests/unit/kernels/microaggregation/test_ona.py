"""The compiled local search against its slow twin, and its laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.kernels.microaggregation.mdav import mdav
from kanonym.kernels.microaggregation.ona import ona
from tables import pick
from twins import microaggregation as naive_ona


class Case:
    """Records, weights, groups to begin with, and how much effort to make.

    Values are whole numbers and weights squares of powers of two, so that sums are exact and
    ties are ties to both.
    """

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        d = pick(rng, [1, 2, 3, 5])
        n = pick(rng, [1, 2, 5, 12, 40, 80])
        spread = pick(rng, [1, 2, 5, 100, 10**6])
        self.rows = rng.integers(-spread, spread, (n, d)).astype(float)
        if rng.random() < 0.3:
            self.rows[rng.integers(n), 0] = 1e9
        if rng.random() < 0.3:
            self.rows[:, rng.integers(d)] = 7.0
        if rng.random() < 0.3:
            self.rows = self.rows[np.sort(rng.integers(0, n, n))]
        self.weights = np.array([pick(rng, [1.0, 0.25, 4.0, 0.0]) for _ in range(d)])
        self.k = min(pick(rng, [1, 2, 3, 5, n - 1, n, n // 2, n // 3]), n) or 1
        self.effort = pick(rng, [1, 3, 8, 32]), pick(rng, [0, 1, 20]), pick(rng, [0.0, 1.0])
        if rng.random() < 0.5:
            self.start = grouped_by_mdav(self.rows, self.weights, self.k)
        else:
            self.start = rng.permutation(np.minimum(np.arange(n) // self.k, n // self.k - 1))

    def found(self):
        """Return the kernel's labels and their number."""
        start = self.start.astype(np.int32)
        labels, n_groups = ona(self.rows, self.weights, start, self.k, *self.effort)
        return labels, n_groups


cases = st.builds(Case, st.integers(0, 2**32 - 1))


def grouped_by_mdav(rows, weights, k):
    """Return the labels of MDAV."""
    return mdav(rows, weights, k, np.zeros(rows.shape[1], np.int8))[0]


def improved(values, labels, k, rounds=20):
    """Return the labels that the groups of a column become."""
    rows = np.array(values, float)[:, None]
    return ona(rows, np.ones(1), np.array(labels, np.int32), k, 8, rounds, 0.0)[0].tolist()


def loss(rows, weights, labels):
    """Return the squared distances of records to the centroids of their groups."""
    counts = np.bincount(labels)
    means = np.stack([np.bincount(labels, column) / counts for column in rows.T], axis=1)
    return (((rows - means[labels]) ** 2) * weights).sum()


@given(cases)
@settings(max_examples=examples(100))
def test_the_partition_is_the_twins(case):
    """Skipping pairs that gain nothing, and undoing from a log, changes no group."""
    labels, n_groups = case.found()
    event(f"changed: {len(set(zip(case.start, labels, strict=True))) > n_groups}")
    start = case.start.tolist()
    rows, weights = case.rows.tolist(), case.weights.tolist()
    assert labels.tolist() == naive_ona.ona(rows, weights, start, case.k, *case.effort)
    assert n_groups == labels.max() + 1


@pytest.mark.parametrize(("k", "width"), [(2, 32), (5, 12), (12, 1), (12, 5)])
def test_the_partition_of_a_skewed_table_is_the_twins(k, width):
    """Many dissolutions, some of them judged before all is settled, end in the twin's groups."""
    rows = np.round(np.exp(2.5 * np.random.default_rng(k).standard_normal((150, 3))))
    start = grouped_by_mdav(rows, np.ones(3), k)
    labels, _ = ona(rows, np.ones(3), start, k, width, 3, 0.0)
    twin = naive_ona.ona(rows.tolist(), [1.0] * 3, start.tolist(), k, width, 3, 0.0)
    assert labels.tolist() == twin


@given(cases)
@settings(max_examples=examples(100))
def test_groups_have_k_to_2k_minus_1_records_and_the_loss_does_not_rise(case):
    """Every record is in one group, and no start is made worse."""
    labels, n_groups = case.found()
    sizes = np.bincount(labels)
    assert len(sizes) == n_groups
    assert case.k <= sizes.min() <= sizes.max() <= max(2 * case.k - 1, 1)
    before, after = (loss(case.rows, case.weights, each) for each in (case.start, labels))
    assert after <= before * (1 + 1e-9) + 1e-9


NASTY = {
    "skewed": lambda rng, shape: np.exp(4 * rng.standard_normal(shape)),
    "of many sizes": lambda rng, shape: (
        rng.standard_normal(shape) * 10.0 ** rng.integers(-8, 8, shape[:1])[:, None]
    ),
    "thirds": lambda rng, shape: np.round(rng.standard_normal(shape)) / 3,
    "nearly equal": lambda rng, shape: (
        np.round(rng.standard_normal(shape)) + 1e-12 * rng.standard_normal(shape)
    ),
    "far from zero": lambda rng, shape: 1e8 + rng.standard_normal(shape),
    "with an outlier": lambda rng, shape: np.vstack(
        [np.full((1, shape[1]), 1e15), rng.standard_normal((shape[0] - 1, shape[1]))]
    ),
}


@pytest.mark.parametrize("kind", NASTY)
@pytest.mark.parametrize(("d", "k"), [(1, 3), (3, 2), (6, 10)])
def test_rounding_does_not_keep_the_search_going(kind, d, k):
    """On values that sums lose digits of, the search ends, and with no more loss than before."""
    rows = NASTY[kind](np.random.default_rng(d), (300, d))
    weights = 1 / rows.var(axis=0)
    start = grouped_by_mdav(rows, weights, k)
    labels, _ = ona(rows, weights, start, k, 32, 20, 0.0)
    assert loss(rows, weights, labels) <= loss(rows, weights, start) * (1 + 1e-9)
    assert k <= np.bincount(labels).min() <= np.bincount(labels).max() <= 2 * k - 1


def test_a_record_moves_to_the_group_that_it_is_nearer_to():
    """Of a group of more than k, 9 goes to those around 11, whose first record it then is."""
    assert improved([0, 1, 2, 9, 10, 11, 12], [0, 0, 0, 0, 1, 1, 1], 3) == [0, 0, 0, 1, 1, 1, 1]


def test_records_of_two_groups_of_k_change_places():
    """None of two groups of k may give a record away, but both may give one for another."""
    assert improved([0, 1, 10, 2, 11, 12], [0, 0, 0, 1, 1, 1], 3) == [0, 0, 1, 0, 1, 1]


def test_a_group_that_reaches_2k_records_is_split():
    """9 joins a group of three at k = 2, which becomes two of two."""
    assert improved([0, 0, 8, 9, 10, 10], [0, 0, 0, 1, 1, 1], 2) == [0, 0, 1, 1, 2, 2]


def test_a_group_is_dissolved_where_no_step_between_two_groups_helps():
    """One 0 and two 100s are a group of k, and those of its neighbours are all equal."""
    values = [0, 0, 0, 0, 100, 100, 100, 100, 100]
    labels = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert improved(values, labels, 3, rounds=0) == labels
    assert improved(values, labels, 3) == [0, 0, 0, 0, 1, 1, 1, 1, 1]


def test_a_dissolution_that_does_not_help_is_taken_back():
    """Groups that are far apart stay as they are, however often each is dissolved."""
    values = np.add.outer([0, 100, 200, 300, 400], [0, 1, 3]).ravel()
    labels = np.repeat(np.arange(5), 3)
    assert improved(values, labels, 3) == labels.tolist()


def test_only_groups_above_the_threshold_are_dissolved():
    """Where no group may lose enough for it, rounds change nothing."""
    rng = np.random.default_rng(0)
    rows, weights = rng.standard_normal((300, 2)), np.ones(2)
    start = grouped_by_mdav(rows, weights, 3)
    settled, some, every = (
        loss(rows, weights, ona(rows, weights, start, 3, 12, 1, above)[0])
        for above in (1e9, 1.0, 0.0)
    )
    assert settled == loss(rows, weights, ona(rows, weights, start, 3, 12, 0, 0.0)[0])
    assert every < some < settled


def test_equal_records_stay_where_they_are():
    """Where there is no loss, there is nothing to gain."""
    labels = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
    assert improved([3.7] * 11, labels, 3) == labels
