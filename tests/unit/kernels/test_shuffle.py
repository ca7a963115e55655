"""The shuffle of row numbers is numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from kanonym.kernels import shuffle


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 8, 9, 1000, 1025])
def test_rows_are_shuffled_as_numpy_does(n, monkeypatch):
    """One seed gives the permutation of numpy's generator, however many words are drawn at once."""
    for seed in (0, 2**127):
        expected = np.arange(n, dtype=np.int32)
        np.random.default_rng(seed).shuffle(expected)
        for block in (1 << 14, 3):
            monkeypatch.setattr(shuffle, "BLOCK", block)
            rows = np.arange(n, dtype=np.int32)
            shuffle.shuffle(rows, seed)
            assert rows.tolist() == expected.tolist()
