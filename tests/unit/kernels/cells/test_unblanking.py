"""Laws of blank cells that are shown again, against a slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kanonym.kernels.cells.unblanking import unblank_pieces


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
