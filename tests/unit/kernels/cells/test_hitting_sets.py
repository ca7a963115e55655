"""Laws of the cheapest hitting sets, against their slow twin."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kanonym.kernels.cells import hitting_sets as hitting


@st.composite
def problems(draw, d=6):
    """Draw subsets of attributes, which of them are rare for each tuple, and costs."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    every = [one for size in (1, 2, 3) for one in combinations(range(d), size)]
    chosen = [every[i] for i in rng.permutation(len(every))[: rng.integers(1, 20)]]
    subsets = np.array([[a in one for a in range(d)] for one in chosen])
    rare = rng.random((len(chosen), 4)) < rng.random()
    return rare, subsets, rng.integers(1, 9, d), rng.permutation(d)


def hits_all(pattern, rare):
    """Say whether a set of attributes has one in each rare subset."""
    return all(set(pattern) & set(np.flatnonzero(one)) for one in rare)


@given(problem=problems())
def test_the_cheapest_set_that_hits_every_rare_subset_is_found(problem):
    """No set of attributes that hits every rare subset of a tuple costs less."""
    rare, subsets, costs, order = problem
    found = hitting.cheapest_hitting_sets(rare, subsets, costs, order)
    d = len(costs)
    every = [one for size in range(d + 1) for one in combinations(range(d), size)]
    for t, chosen in enumerate(found):
        own = subsets[rare[:, t]]
        assert hits_all(np.flatnonzero(chosen), own)
        least = min(sum(costs[a] for a in one) for one in every if hits_all(one, own))
        assert chosen @ costs == least


def test_ties_go_by_the_order():
    """Of two attributes that hit equally much for their cost, the first in the order is taken."""
    subsets = np.array([[True, True]])
    rare = np.array([[True]])
    ones = np.ones(2, np.int64)
    for order in ([0, 1], [1, 0]):
        found = hitting.cheapest_hitting_sets(rare, subsets, ones, np.array(order))
        assert np.flatnonzero(found[0]).tolist() == order[:1]


def test_a_hard_problem_ends_with_a_set_that_hits_everything():
    """Where there are too many branches for all to be looked at, the set found holds still."""
    rng = np.random.default_rng(0)
    d = 30
    subsets = np.zeros((400, d), np.bool_)
    for one in subsets:
        one[rng.permutation(d)[:4]] = True
    found = hitting.cheapest_hitting_sets(
        np.ones((400, 1), np.bool_), subsets, np.ones(d, np.int64), np.arange(d)
    )
    assert (subsets & found[0]).any(axis=1).all()
    assert found[0].sum() < d
