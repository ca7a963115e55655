"""Tests: patterns of suppressed cells, hitting sets, and cells that are restored."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.kernels.cells import patterns as hitting
from kanonym.kernels.cells.patterns import grow_patterns, split_top_down, unblank_pieces


@given(seed=st.integers(0, 10_000))
def test_pieces_show_a_cell_where_no_class_gets_too_small(seed):
    """One after the other: the class that a piece leaves is empty or large enough, as is the new.

    The records of each class are brought up to date.
    """
    rng = np.random.default_rng(seed)
    least, n, n_combinations = int(rng.integers(1, 5)), int(rng.integers(0, 12)), 2
    weights = rng.integers(1, 4, n)
    moves = np.empty((n_combinations, 2, n), np.int64)
    sizes = rng.integers(0, 4, 6 * n_combinations)
    for c in range(n_combinations):
        moves[c] = rng.integers(0, 3, (2, n)) + np.array([[6 * c], [6 * c + 3]])
        np.add.at(sizes, moves[c, 0], weights)
    classes = dict(enumerate(sizes.tolist()))
    expected = []
    for i in range(n):
        after = dict(classes)
        for old, new in moves[:, :, i].tolist():
            after[old] -= int(weights[i])
            after[new] += int(weights[i])
        left, joined = ([after[one] for one in moves[:, at, i].tolist()] for at in (0, 1))
        fits = all(size == 0 or size >= least for size in left)
        expected.append(fits and min(joined) >= least)
        classes = after if expected[-1] else classes
    assert unblank_pieces(moves, sizes, weights, np.int64(least)).tolist() == expected
    assert dict(enumerate(sizes.tolist())) == classes


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


@st.composite
def tables(draw):
    """Draw weighted tuples, costs of their attributes and a k that they have."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 6))
    codes = rng.integers(0, rng.integers(1, 5), (n, d)).astype(np.int32)
    weights = rng.integers(1, 4, n)
    return codes, weights, rng.integers(1, 9, d), int(rng.integers(1, weights.sum() + 1))


def fitting(codes, weights, row, shown):
    """Return the records that agree with a tuple on what it shows."""
    return int(weights[(codes[:, shown] == codes[row][shown]).all(axis=1)].sum())


@given(drawn=tables())
def test_k_records_agree_with_what_splitting_leaves(drawn):
    """Every tuple's pattern, found top down, leaves values that k records have."""
    codes, weights, costs, k = drawn
    blanks = split_top_down(codes, weights, np.full(codes.shape[1], 5), costs, np.int64(k))
    for row in range(len(codes)):
        assert fitting(codes, weights, row, ~blanks[row]) >= k


@given(drawn=tables())
def test_a_tuple_grows_until_nothing_more_fits(drawn):
    """What a tuple shows fits k records, and no further attribute does."""
    codes, weights, costs, k = drawn
    rows = np.arange(len(codes))
    blanks = grow_patterns(codes, weights, costs, np.int64(k), rows, np.full(len(rows), -1))
    for row in rows:
        shown = ~blanks[row]
        assert fitting(codes, weights, row, shown) >= k
        for a in np.flatnonzero(blanks[row]):
            more = shown | (np.arange(len(shown)) == a)
            assert fitting(codes, weights, row, more) < k


def test_a_tuple_starts_with_the_attribute_it_is_told():
    """The first attribute shown is the one asked for, or none where that does not fit k."""
    codes = np.array([[0, 0], [0, 1], [0, 1], [1, 1]], np.int32)
    ones = np.ones(4, np.int64)
    costs = np.ones(2, np.int64)
    rows, starts = np.array([1, 1, 3]), np.array([0, 1, 0])
    blanks = grow_patterns(codes, ones, costs, np.int64(3), rows, starts)
    assert blanks.tolist() == [[False, True], [True, False], [True, True]]


@pytest.mark.parametrize(("costs", "kept"), [((1, 1), 0), ((1, 2), 1)])
def test_splitting_keeps_the_cells_that_cost_most(costs, kept):
    """Of two attributes that cannot both be kept, the one whose kept cells cost more is kept."""
    codes = np.array([[0, 0], [0, 1], [0, 2], [1, 0], [2, 0]], np.int32)
    weights = np.array([1, 2, 2, 1, 1])
    blanks = split_top_down(codes, weights, np.full(2, 3), np.array(costs), np.int64(3))
    assert blanks[0].tolist() == [kept != 0, kept != 1]


def test_an_empty_table_has_no_patterns():
    """Without a tuple there is nothing to split."""
    none = np.empty(0, np.int64)
    blanks = split_top_down(
        np.empty((0, 2), np.int32), none, np.full(2, 1), np.ones(2, np.int64), np.int64(1)
    )
    assert blanks.shape == (0, 2)
