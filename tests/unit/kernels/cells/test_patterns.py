"""Laws of the patterns that suit a table: what is shown fits k records, and no more would."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.kernels.cells.patterns import grow_patterns, split_top_down


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
