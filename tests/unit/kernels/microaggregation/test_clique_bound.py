"""Laws of the lower bound by prices of records, against every class and every division."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.algorithms.microaggregation.squared_error import RECORDS, least_error, squared_error
from kanonym.kernels.microaggregation.centroid import NOMINAL, NUMBER
from kanonym.kernels.microaggregation.clique_bound import clique_bound
from kanonym.kernels.microaggregation.error_bound import error_bound


def error_of(rows, weights, kinds, members):
    """Return the squared error of one class."""
    labels = np.zeros(len(members), np.int32)
    return squared_error(rows[list(members)], weights, kinds, labels)


def least_of_divisions(rows, weights, kinds, k):
    """Return the least squared error of all divisions into classes of k or more."""
    n = len(rows)
    least = {(): 0.0}

    def of(records):
        if records not in least:
            first, *others = records
            least[records] = min(
                error_of(rows, weights, kinds, own)
                + of(tuple(one for one in others if one not in own))
                for size in range(k, len(records) + 1)
                if size == len(records) or len(records) - size >= k
                for own in ((first, *further) for further in combinations(others, size - 1))
            )
        return least[records]

    return of(tuple(range(n)))


def naive_bound(rows, k, rounds):
    """Return the bound with every class of k looked at, and what the prices of the last round are.

    In each round, what the class of a record lacks is the least over all classes with it.
    """
    n = len(rows)
    classes = list(combinations(range(n), k))
    weights, kinds = np.ones(rows.shape[1]), np.zeros(rows.shape[1], np.int8)
    errors = np.array([error_of(rows, weights, kinds, one) for one in classes])
    squares = np.sort(((rows[:, None] - rows[None]) ** 2).sum(axis=2), axis=1)
    prices = squares[:, 1:k].sum(axis=1) / (2 * k)
    best = 0.0
    for number in range(rounds):
        lack = errors - prices[np.array(classes)].sum(axis=1)
        turns = np.ones(n)
        lacks = np.empty(n)
        for i in range(n):
            found = min((lack[c], c) for c, one in enumerate(classes) if i in one)
            lacks[i] = found[0]
            turns[list(classes[found[1]])] -= 1 / k
        total = prices.sum() + lacks.sum() / k
        best = max(best, total)
        moved = 0.2 / np.sqrt(1 + number) * turns
        prices = prices + lacks / k
        prices = prices + moved * (0.9 * np.abs(prices) + 0.1 * abs(total) / n)
    return best


@given(
    seed=st.integers(0, 2**32),
    n=st.integers(3, 9),
    k=st.integers(3, 5),
    rounds=st.sampled_from([1, 5, 40]),
    effort=st.sampled_from([1, 200, 10**6]),
)
@settings(max_examples=examples(60), deadline=None)
def test_no_division_has_a_smaller_squared_error(seed, n, k, rounds, effort):
    """The bound is at most the least error of all divisions, however early the search is cut."""
    rng = np.random.default_rng(seed)
    k = min(k, n)
    rows = rng.integers(0, 4, (n, 2)).astype(float)
    rows[0] *= rng.choice([1, 10, -1000])
    kinds = np.array([NUMBER, NUMBER], np.int8)
    if rng.random() < 0.3:
        rows[:, 1] = np.abs(rows[:, 1]) % 4
        kinds[1] = NOMINAL
    weights = rng.choice([0.5, 2.0], 2)
    least = least_of_divisions(rows, weights, kinds, k)
    found = clique_bound(rows, weights, kinds, k, rounds, effort)
    assert found <= least * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize(("k", "n"), [(3, 14), (4, 13), (5, 12), (6, 11), (3, 3), (5, 6)])
@pytest.mark.parametrize("rounds", [1, 2, 10])
def test_the_bound_is_that_of_all_classes(k, n, rounds):
    """Branch and bound finds, for every record, what looking at all classes of k finds."""
    rows = np.random.default_rng(100 * k + n).standard_normal((n, 3))
    rows[0] *= 20
    found = clique_bound(rows, np.ones(3), np.zeros(3, np.int8), k, rounds, 10**9)
    assert np.isclose(found, naive_bound(rows, k, rounds), rtol=1e-7, atol=0)


@pytest.mark.parametrize("k", [3, 4, 5])
def test_the_bound_is_above_that_of_pairs(k):
    """Classes say more than pairs do: at least a twentieth in four columns."""
    rows = np.random.default_rng(k).standard_normal((200, 4))
    weights, kinds = np.ones(4), np.zeros(4, np.int8)
    pairs = error_bound(rows, weights, kinds, k, 6 * k, 300)
    assert clique_bound(rows, weights, kinds, k, 40, 10**9) > 1.05 * pairs


def test_groups_far_apart_are_their_own_bound():
    """Where every class is alone, the bound is their squared error."""
    rows = np.add.outer([0.0, 100.0, 250.0, 500.0], [0.0, 1.0, 3.0]).reshape(-1, 1)
    error = squared_error(
        rows, np.ones(1), np.zeros(1, np.int8), np.repeat(np.arange(4), 3).astype(np.int32)
    )
    found = clique_bound(rows, np.ones(1), np.zeros(1, np.int8), 3, 40, 10**9)
    assert 0.999 * error < found <= error


def test_equal_records_have_no_bound_above_nothing():
    """Where there is no error, the bound is none."""
    rows = np.full((20, 2), 3.7)
    assert clique_bound(rows, np.ones(2), np.zeros(2, np.int8), 3, 40, 10**9) == 0.0


def test_small_tables_get_the_higher_bound():
    """`least_error` takes the higher of both bounds, up to some records and some k."""
    rows = np.random.default_rng(0).standard_normal((150, 3))
    weights, kinds = np.ones(3), np.zeros(3, np.int8)
    higher = clique_bound(rows, weights, kinds, 3, 40, 1 << 25)
    assert least_error(rows, weights, kinds, 3) == higher
    assert least_error(rows, weights, kinds, 2) > 0
    assert RECORDS > 2048
