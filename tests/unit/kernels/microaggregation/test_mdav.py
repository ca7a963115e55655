"""Tests: mDAV, and blocks of records near each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.kernels.microaggregation.mdav import NOMINAL, ORDERED, blocks, mdav
from microaggregation_points import cases as point_cases
from microaggregation_points import labels_of
from tables import pick
from twins import microaggregation as naive_mdav


class Case:
    """Records with ties and constant columns, weights, and a size."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        n, d = pick(rng, [1, 2, 7, 30, 100]), pick(rng, [1, 2, 4])
        self.rows = rng.integers(0, pick(rng, [1, 2, 5, 1000]), (n, d)).astype(float)
        self.weights = np.array([pick(rng, [1.0, 0.1, 3.0, 0.0]) for _ in range(d)])
        self.largest = pick(rng, [2, 3, 4, 10, 100, 1000])


cases = st.builds(Case, st.integers(0, 2**32 - 1))


@given(cases)
def test_blocks_hold_every_record_once_and_are_nearly_equal(case):
    """A block has at most so many records, half of that at least, and one more than another."""
    records, bounds = blocks(case.rows, case.weights, case.largest)
    assert sorted(records.tolist()) == list(range(len(case.rows)))
    assert (bounds[0], bounds[-1]) == (0, len(case.rows))
    sizes = np.diff(bounds)
    assert sizes.max() <= min(case.largest, sizes.min() + 1)
    assert sizes.min() >= min(case.largest // 2, len(case.rows))


@given(cases)
def test_every_halving_is_that_of_the_attribute_of_the_largest_variance(case):
    """One half has the lowest values of it, of equal ones those of the lowest numbers."""
    records, bounds = blocks(case.rows, case.weights, case.largest)

    def check(first, last):
        if last - first == 1:
            return
        middle = (first + last) // 2
        inside = np.sort(records[bounds[first] : bounds[last]])
        lower = set(records[bounds[first] : bounds[middle]].tolist())
        spread = case.rows[inside].var(axis=0) * case.weights
        # Attributes whose variances differ by rounding alone may each be taken.
        assert any(
            set(inside[np.argsort(case.rows[inside, a], kind="stable")][: len(lower)]) == lower
            for a in np.flatnonzero(spread >= spread.max() * (1 - 1e-9))
        )
        check(first, middle)
        check(middle, last)

    check(0, len(bounds) - 1)


@pytest.mark.parametrize(("n", "largest", "n_blocks"), [(10, 10, 1), (11, 10, 2), (41, 10, 8)])
def test_all_blocks_are_halved_equally_often(n, largest, n_blocks):
    """There is a power of two of them, the smallest that leaves none too large."""
    _, bounds = blocks(np.arange(n, dtype=float)[:, None], np.ones(1), largest)
    assert len(bounds) == n_blocks + 1


def numbers(d):
    """Return the kinds of d numeric attributes."""
    return np.zeros(d, np.int8)


def partitioned(case):
    """Return the kernel's labels and their number."""
    labels, n_groups = mdav(case.rows, case.weights, case.k, case.kinds)
    return labels.tolist(), n_groups


@given(point_cases)
@settings(max_examples=examples(400))
def test_the_partition_is_the_twins(case):
    """Skipping what cannot be the answer changes no group, ties and duplicates included."""
    labels, n_groups = partitioned(case)
    event(f"groups: {min(n_groups, 10)}")
    expected = naive_mdav.mdav(*case.plain())
    assert labels == labels_of(expected)
    assert n_groups == len(expected)


@given(point_cases)
def test_groups_have_k_records_but_the_last(case):
    """All groups have k records, the last one has k to 2 k - 1."""
    labels, n_groups = partitioned(case)
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
    rows = LARGE[kind](np.random.default_rng(d), (500, d))
    weights = 1 / rows.var(axis=0)
    labels, _ = mdav(rows, weights, k, numbers(d))
    expected = naive_mdav.mdav(rows.tolist(), weights.tolist(), k)
    assert labels.tolist() == labels_of(expected)


def test_the_partition_of_a_large_mixed_table_is_the_twins():
    """So do records of numbers, ranks and codes, where many are equally far."""
    rng = np.random.default_rng(3)
    shares = 1 / np.arange(1, 13)
    rows = np.column_stack(
        [
            np.round(3 * rng.standard_normal(1500)),
            rng.integers(0, 9, 1500),
            rng.choice(12, 1500, p=shares / shares.sum()),
            rng.choice(3, 1500, p=[0.7, 0.25, 0.05]),
        ]
    ).astype(float)
    weights = np.array([0.1, 0.15, 2.2, 4.4])
    kinds = np.array([0, ORDERED, NOMINAL, NOMINAL], np.int8)
    labels, _ = mdav(rows, weights, 3, kinds)
    expected = naive_mdav.mdav(rows.tolist(), weights.tolist(), 3, kinds.tolist())
    assert labels.tolist() == labels_of(expected)


def test_a_grid_of_ties_is_the_twins():
    """On a grid nearly every distance is a tie, and the lower record number decides each."""
    axis = np.arange(11.0)
    rows = np.array(np.meshgrid(axis, axis, axis)).reshape(3, -1).T.copy()
    labels, _ = mdav(rows, np.ones(3), 4, numbers(3))
    assert labels.tolist() == labels_of(naive_mdav.mdav(rows.tolist(), [1.0] * 3, 4))


def test_equal_records_are_grouped_by_number():
    """Where all records are equal, groups are those of neighbouring numbers."""
    labels, n_groups = mdav(np.full((11, 2), 3.5), np.ones(2), 3, numbers(2))
    assert labels.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
    assert n_groups == 3


def test_an_outlier_leaves_no_trace_in_the_sums():
    """With one record at 1e18 groups are the twin's, whose sums are rounded but once."""
    rows = np.random.default_rng(5).integers(0, 1000, (400, 2)).astype(float)
    rows[123] = 1e18
    labels, _ = mdav(rows, np.ones(2), 2, numbers(2))
    assert labels.tolist() == labels_of(naive_mdav.mdav(rows.tolist(), [1.0, 1.0], 2))
