"""Laws of the blocks that a large table is divided into."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.kernels.microaggregation.blocks import blocks
from tables import pick


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
