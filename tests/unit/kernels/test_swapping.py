"""Tests: rank swaps and shuffles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.kernels import swapping
from kanonym.kernels.swapping import swap_ranks
from twins import swapping as naive_rank_swap


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 8, 9, 1000, 1025])
def test_rows_are_shuffled_as_numpy_does(n, monkeypatch):
    """One seed gives the permutation of numpy's generator, however many words are drawn at once."""
    for seed in (0, 2**127):
        expected = np.arange(n, dtype=np.int32)
        np.random.default_rng(seed).shuffle(expected)
        for block in (1 << 14, 3):
            monkeypatch.setattr(swapping, "BLOCK", block)
            rows = np.arange(n, dtype=np.int32)
            swapping.shuffle(rows, seed)
            assert rows.tolist() == expected.tolist()


DRAWS = st.lists(st.floats(0, 1, exclude_max=True), max_size=70)


@given(DRAWS, st.integers(1, 80))
@settings(max_examples=examples(300))
def test_equals_the_twin(draws, reach):
    """The same ranks are paired as by going through lists."""
    found = swap_ranks(np.array(draws, float), reach).tolist()
    assert found == naive_rank_swap.swapped(draws, reach)


@given(DRAWS, st.integers(1, 80))
def test_ranks_are_paired_within_reach(draws, reach):
    """Partners have each other, within reach; two ranks next to each other never both stay."""
    found = swap_ranks(np.array(draws, float), reach)
    ranks = np.arange(len(draws))
    assert (found[found] == ranks).all()
    assert (np.abs(found - ranks) <= reach).all()
    alone = found == ranks
    assert not (alone[1:] & alone[:-1]).any()


def test_the_largest_draw_takes_the_farthest_rank():
    """A draw next to 1 is still one of the free ranks."""
    draws = np.full(7, np.nextafter(1.0, 0.0))
    assert swap_ranks(draws, 3).tolist() == [3, 4, 5, 0, 1, 2, 6]
