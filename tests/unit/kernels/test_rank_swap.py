"""The compiled pairing of ranks against its plain twin, and its laws."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_rank_swap
from effort import examples
from kanonym.kernels.rank_swap import swap_ranks

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
