"""Laws of the numbers that a column could hold, and of its stretches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.synthesis.columns.numbers import Grid, stretches_of


@pytest.mark.parametrize(
    ("values", "step", "decimals", "size"),
    [
        ([3, 9, 15, 33], 6, None, 6),
        ([5], 1, None, 1),
        ([0.1, 0.2, 0.30], 0, 1, 3),
        ([1.0, 2.0, 5.0], 0, 0, 5),
        ([0.1, 1 / 3], 0, None, 2**53),
        ([1e300, 2e300], 0, None, 2**53),
        ([-(2**63), 2**63 - 1], 1, None, 2**53),
    ],
    ids=str,
)
def test_a_grid_is_the_coarsest_that_holds_all(values, step, decimals, size):
    """Steps of whole numbers and decimals of others are those of the values, no finer."""
    grid = Grid.of(np.array(values))
    assert (grid.step, grid.decimals, grid.size) == (step, decimals, size)


@given(
    values=st.lists(st.integers(-1000, 1000), min_size=2, max_size=8, unique=True),
    numbers=st.lists(st.integers(-3000, 3000), min_size=1, max_size=8),
    cents=st.booleans(),
)
def test_up_and_down_are_the_neighbours_on_the_grid(values, numbers, cents):
    """The next number of the grid upwards is not below, the next one downwards not above."""
    scale = 100 if cents else 1
    values, numbers = (np.array(sorted(one)) for one in (values, numbers))
    if cents:
        values, numbers = values / scale, numbers / (10 * scale)
    grid = Grid.of(values)
    up, down, nearest = grid.up(numbers), grid.down(numbers), grid.nearest(numbers)
    assert (up >= np.maximum(numbers, grid.low)).all()
    assert (down <= np.minimum(numbers, grid.high)).all()
    step = grid.step or 10.0**-grid.decimals
    inside = (numbers >= grid.low) & (numbers <= grid.high)
    assert (up - down)[inside] == pytest.approx(np.where(up > down, step, 0)[inside])
    assert ((nearest >= grid.low) & (nearest <= grid.high)).all()
    held = np.isclose(nearest, up) | np.isclose(nearest, down)
    assert held[inside].all()


@given(
    numbers=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60, unique=True),
    heaps=st.integers(1, 9),
)
def test_stretches_part_the_distribution(numbers, heaps):
    """Stretches ascend without overlap, cover all shares, and keep within the range."""
    values = np.sort(np.array(numbers))
    counts = np.where(np.arange(len(values)) % 4 == 0, heaps, 1)
    found = stretches_of(values, counts)
    assert found.shares[0] == 0
    assert found.shares[-1] == 1
    assert (np.diff(found.shares) > 0).all()
    assert (found.low <= found.high).all()
    assert (found.high[:-1] <= found.low[1:]).all()
    drawn = found.at(np.linspace(0, 1, 50))
    assert (np.diff(drawn) >= 0).all()
    assert drawn[0] >= values[0]
    assert drawn[-1] <= values[-1]


def test_a_smooth_column_has_few_stretches():
    """Of 4,000 normal numbers, chance clumps are not kept: some twenty stretches tell them all."""
    values = np.sort(np.random.default_rng(0).normal(size=4000))
    assert len(stretches_of(values, np.ones(4000, np.int64)).low) < 30
