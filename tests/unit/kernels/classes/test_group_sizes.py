"""Tests: sizes of groups, also where cells are wildcards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins.classes as naive
from kanonym.kernels.classes import group_sizes
from kanonym.kernels.classes.group_sizes import count_groups, exceeds_pairs

KEYS = st.lists(
    st.one_of(st.integers(0, 3), st.sampled_from([2**63, 2**64 - 1]), st.integers(0, 2**64 - 1)),
    max_size=60,
)


@given(KEYS)
def test_groups_are_counted_as_pair_by_pair(keys):
    """Groups, those of one row, the smallest and the pairs are those of the slow count."""
    expected = naive.separation(keys)
    found = count_groups(np.array(keys, np.uint64))
    assert found == tuple(
        expected[name] for name in ("distinct", "uniques", "smallest", "together")
    )


@given(KEYS, st.integers(0, 40))
def test_too_many_pairs_are_noticed(keys, most):
    """There are more pairs of equal rows than some number exactly where the slow count says so."""
    found = exceeds_pairs(np.array(keys, np.uint64), most)
    assert found == (naive.separation(keys)["together"] > most)


@pytest.mark.parametrize("size", [1, 7, 50_000, 10**12])
def test_many_rows_are_counted_as_by_a_sort(size):
    """Groups of more rows than a part of the table holds are counted as numpy counts them."""
    keys = np.random.default_rng(0).integers(0, size, 100_000, np.uint64)
    counts = np.unique(keys, return_counts=True)[1]
    pairs = int((counts * (counts - 1) // 2).sum())
    found = count_groups(keys.copy())
    assert found == (len(counts), (counts == 1).sum(), counts.min(), pairs)
    assert exceeds_pairs(keys, pairs - 1)
    assert not exceeds_pairs(keys, pairs)


CELL = st.one_of(st.none(), st.integers(0, 2))
NULL = 9


@st.composite
def weighted_tuples(draw, max_size=30):
    """Draw tuples of 1 to 10 cells, null among them, with weights."""
    width = draw(st.integers(1, 10))
    tuples = draw(st.lists(st.lists(CELL, min_size=width, max_size=width), max_size=max_size))
    weights = draw(st.lists(st.integers(1, 5), min_size=len(tuples), max_size=len(tuples)))
    return width, tuples, weights


def sizes(width, tuples, weights):
    """Run the kernel on tuples with None for null."""
    codes = [[NULL if cell is None else cell for cell in one] for one in tuples]
    return group_sizes.wildcard_sizes(
        np.array(codes, np.int32).reshape(-1, width),
        np.array(weights, np.int64),
        np.full(width, NULL, np.int32),
    ).tolist()


@given(drawn=weighted_tuples())
def test_sizes_are_their_twin(drawn):
    """Each tuple counts the records that agree with it wherever neither has a null."""
    assert sizes(*drawn) == naive.wildcard_sizes(*drawn[1:])


@given(seed=st.integers(0, 20))
def test_large_patterns_are_joined_as_small_ones_are_compared(seed):
    """Patterns with many tuples, which go through the hash table, obey the same law."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 6, (150, 3))
    tuples = [[None if cell > 4 else int(cell) for cell in row] for row in rows]
    weights = rng.integers(1, 5, 150).tolist()
    assert sizes(3, tuples, weights) == naive.wildcard_sizes(tuples, weights)


@given(drawn=weighted_tuples())
def test_a_wildcard_never_makes_a_class_smaller(drawn):
    """With nulls as wildcards every record has at least the class it had with null as a value."""
    width, tuples, weights = drawn
    plain = [
        sum(w for other, w in zip(tuples, weights, strict=True) if other == one) for one in tuples
    ]
    assert all(a >= b for a, b in zip(sizes(width, tuples, weights), plain, strict=True))


@pytest.mark.parametrize("null_code", [-1, NULL])
def test_without_nulls_a_class_is_its_equal_tuples(null_code):
    """A table without nulls keeps its classes, whether its columns could hold one or not."""
    codes = np.array([[0, 1], [0, 1], [1, 1]], np.int32)
    found = group_sizes.wildcard_sizes(codes, np.array([2, 1, 4]), np.full(2, null_code, np.int32))
    assert found.tolist() == [3, 3, 4]
