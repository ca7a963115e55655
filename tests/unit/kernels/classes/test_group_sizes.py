"""Groups are counted as by comparing every pair of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_separation as naive
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
