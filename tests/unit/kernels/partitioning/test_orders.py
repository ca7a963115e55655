"""Laws of orders in which neighbours are near each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins.partitioning as naive
from kanonym.kernels.partitioning.workspace import hilbert, serpentine


@pytest.mark.parametrize(("d", "bits"), [(1, 6), (2, 1), (2, 4), (3, 3), (4, 2), (5, 2)])
def test_neighbours_on_the_hilbert_curve_are_neighbours_in_the_grid(d, bits):
    """The curve visits every cell of the grid once, and each step goes to an adjacent cell."""
    cells = np.array(list(itertools.product(range(2**bits), repeat=d)), np.uint64)
    keys = hilbert(cells.copy(), bits)
    assert sorted(keys.tolist()) == list(range(len(cells)))
    walk = cells[np.argsort(keys)].astype(np.int64)
    assert (np.abs(np.diff(walk, axis=0)).sum(axis=1) == 1).all()


def test_the_hilbert_curve_takes_64_bits():
    """The corners of the widest grids have places of their own."""
    for d, bits in ((64, 1), (8, 8), (4, 16)):
        corner = np.zeros((2, d), np.uint64)
        corner[1] = 2**bits - 1
        first, second = hilbert(corner, bits)
        assert first == 0
        assert second != 0


@given(
    codes=st.integers(1, 4).flatmap(
        lambda d: st.lists(st.tuples(*[st.integers(0, 4)] * d), min_size=1, max_size=40)
    )
)
def test_the_serpentine_is_its_twin(codes):
    """Stretches of equal first columns are turned where that brings them nearer, only then."""
    ordered = sorted(codes)
    places = serpentine(np.array(ordered, np.int32).reshape(len(ordered), -1))
    assert sorted(places.tolist()) == list(range(len(ordered)))
    assert [ordered[place] for place in places] == naive.serpentine(ordered)
