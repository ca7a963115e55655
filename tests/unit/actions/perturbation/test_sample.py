"""Laws of sampling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.actions.perturbation.sample import sample_rows
from kanonym.data.errors import PolicyError


@given(st.integers(0, 200), st.floats(0.01, 1), st.integers(0, 5))
def test_a_sample_is_a_share_of_the_rows_each_once(n, share, seed):
    """Rows come ascending, none twice, as many as the share says."""
    rows = sample_rows(n, share, np.random.default_rng(seed))
    assert rows.dtype == np.int64
    assert len(rows) == round(share * n)
    assert (np.diff(rows) > 0).all()
    assert not len(rows) or (rows[0] >= 0 and rows[-1] < n)


def test_every_row_is_equally_likely():
    """Over many samples each row comes as often as the share says, pairs as they should."""
    random, n, runs = np.random.default_rng(1), 10, 20_000
    drawn = np.zeros((runs, n))
    for i in range(runs):
        drawn[i, sample_rows(n, 0.3, random)] = 1
    assert np.abs(drawn.mean(axis=0) - 0.3).max() < 5 * math.sqrt(0.21 / runs)
    pairs = drawn.T @ drawn / runs
    apart = pairs[~np.eye(n, dtype=bool)]
    assert np.abs(apart - 0.3 * 2 / 9).max() < 5 * math.sqrt(0.0667 / runs)


@pytest.mark.parametrize("share", [0, 1.01, "0.5"])
def test_shares_out_of_range_are_refused(share):
    """A share is above 0 and at most 1."""
    with pytest.raises(PolicyError, match=r"sample: share is .*; it must be a number above 0"):
        sample_rows(10, share, np.random.default_rng(0))
