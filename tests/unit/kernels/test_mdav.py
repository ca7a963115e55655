"""The compiled MDAV against its slow twin, and its laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import naive_mdav
from kanonym.kernels.mdav import mdav
from tables import pick


class Case:
    """Records, weights, and a k that they have.

    Values are whole numbers, so that sums are exact and ties are ties to both.
    """

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        d = pick(rng, [1, 2, 3, 5])
        n = pick(rng, [1, 2, 5, 12, 40, 150])
        spread = pick(rng, [1, 2, 5, 100, 10**6])
        self.rows = rng.integers(-spread, spread, (n, d)).astype(float)
        if rng.random() < 0.3:
            self.rows[:, rng.integers(d)] = 7.0
        if rng.random() < 0.3:
            self.rows = self.rows[np.sort(rng.integers(0, n, n))]
        if rng.random() < 0.3:
            self.rows[rng.integers(n), 0] = 1e9
        self.weights = np.array([pick(rng, [1.0, 0.1, 1 / 3, 0.0]) for _ in range(d)])
        self.k = min(pick(rng, [1, 2, 3, 5, n - 1, n, n // 2, n // 3]), n) or 1

    def found(self):
        """Return the kernel's labels and their number."""
        labels, n_groups = mdav(self.rows, self.weights, self.k)
        return labels.tolist(), n_groups

    def expected(self):
        """Return the twin's groups."""
        return naive_mdav.mdav(self.rows.tolist(), self.weights.tolist(), self.k)


cases = st.builds(Case, st.integers(0, 2**32 - 1))


def labels_of(groups):
    """Return the group of each record by number."""
    place = {i: label for label, group in enumerate(groups) for i in group}
    return [place[i] for i in range(len(place))]


@given(cases)
@settings(max_examples=300)
def test_the_partition_is_the_twins(case):
    """Skipping what cannot be the answer changes no group, ties and duplicates included."""
    labels, n_groups = case.found()
    event(f"groups: {min(n_groups, 10)}")
    expected = case.expected()
    assert labels == labels_of(expected)
    assert n_groups == len(expected)


@given(cases)
def test_groups_have_k_records_but_the_last(case):
    """All groups have k records, the last one has k to 2 k - 1."""
    labels, n_groups = case.found()
    sizes = np.bincount(labels)
    assert len(sizes) == n_groups
    assert (sizes[:-1] == case.k).all()
    assert case.k <= sizes[-1] <= 2 * case.k - 1


LARGE = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "skewed": lambda rng, shape: np.exp(2 * rng.standard_normal(shape)),
    "rounded": lambda rng, shape: np.round(3 * rng.standard_normal(shape)),
}


@pytest.mark.parametrize(("d", "k"), [(1, 3), (2, 5), (4, 3), (4, 50), (9, 4)])
@pytest.mark.parametrize("kind", LARGE)
def test_the_partition_of_a_large_table_is_the_twins(kind, d, k):
    """Trees of several levels, built anew as they empty, give the twin's groups."""
    rows = LARGE[kind](np.random.default_rng(d), (1000, d))
    weights = 1 / rows.var(axis=0)
    labels, _ = mdav(rows, weights, k)
    expected = naive_mdav.mdav(rows.tolist(), weights.tolist(), k)
    assert labels.tolist() == labels_of(expected)


def test_a_grid_of_ties_is_the_twins():
    """On a grid nearly every distance is a tie, and the lower record number decides each."""
    axis = np.arange(11.0)
    rows = np.array(np.meshgrid(axis, axis, axis)).reshape(3, -1).T.copy()
    labels, _ = mdav(rows, np.ones(3), 4)
    assert labels.tolist() == labels_of(naive_mdav.mdav(rows.tolist(), [1.0] * 3, 4))


def test_equal_records_are_grouped_by_number():
    """Where all records are equal, groups are those of neighbouring numbers."""
    labels, n_groups = mdav(np.full((11, 2), 3.5), np.ones(2), 3)
    assert labels.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
    assert n_groups == 3


def test_an_outlier_leaves_no_trace_in_the_sums():
    """With one record at 1e18 groups are the twin's, whose sums are rounded but once."""
    rows = np.random.default_rng(5).integers(0, 1000, (400, 2)).astype(float)
    rows[123] = 1e18
    labels, _ = mdav(rows, np.ones(2), 2)
    assert labels.tolist() == labels_of(naive_mdav.mdav(rows.tolist(), [1.0, 1.0], 2))
