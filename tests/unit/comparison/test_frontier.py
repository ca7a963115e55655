"""The frontier of releases, and its knee."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.comparison.frontier import LEAST_BEND, frontier, knee

RELEASES = st.lists(
    st.tuples(
        st.sampled_from([2.0, 3.0, 5.0, 8.0, math.nan]),
        st.sampled_from([0.1, 0.2, 0.4, 0.8, math.nan]),
    ),
    max_size=10,
)


@settings(max_examples=examples(200), deadline=None)
@given(releases=RELEASES)
def test_nothing_beats_a_release_on_the_frontier(releases):
    """A release is there exactly if no other is better in one and no worse in the other.

    Of equal ones the first is there; without a number in either, none is. They run from the
    least private to the most.
    """
    numbers = np.array(releases, np.float64).reshape(-1, 2)
    found = frontier(numbers[:, 0], numbers[:, 1]).tolist()
    able = [i for i, one in enumerate(releases) if not any(map(math.isnan, one))]
    best = [
        i
        for i in able
        if not any(
            releases[j][0] >= releases[i][0]
            and releases[j][1] <= releases[i][1]
            and (releases[j] != releases[i] or j < i)
            for j in able
            if j != i
        )
    ]
    assert sorted(found) == best
    assert [releases[i][0] for i in found] == sorted(releases[i][0] for i in found)


def test_the_knee_is_farthest_below_the_line_between_the_ends():
    """Half of the doublings for a tenth of the loss: there the curve bends."""
    found = knee(np.array([2.0, 8.0, 32.0]), np.array([0.1, 0.2, 1.1]))
    assert found.place == 1
    assert (found.gained, found.paid) == (pytest.approx(0.5), pytest.approx(0.1))


@settings(max_examples=examples(100), deadline=None)
@given(
    sizes=st.lists(st.integers(2, 500), min_size=3, max_size=8, unique=True),
    steps=st.lists(st.floats(0.01, 1), min_size=8, max_size=8),
    scale=st.floats(0.1, 10),
)
def test_units_do_not_move_the_knee(sizes, steps, scale):
    """Loss in another unit, or all classes so many times as large, has the knee in one place."""
    privacy = np.sort(np.array(sizes, np.float64))
    loss = np.cumsum(steps[: len(sizes)])
    first, second = knee(privacy, loss), knee(privacy * 3, 2 + loss * scale)
    below = (np.log(privacy / privacy[0]) / np.log(privacy[-1] / privacy[0])) - (
        (loss - loss[0]) / (loss[-1] - loss[0])
    )
    near = np.sort(below)[-2:]
    if abs(near[1] - LEAST_BEND) > 1e-9 and near[1] - near[0] > 1e-9:
        assert (first is None) == (second is None) == (near[1] < LEAST_BEND)
        assert first is None or first.place == second.place == int(below.argmax())


@pytest.mark.parametrize(
    "loss", [[0.1, 0.2, 0.3], [0.1, 0.35, 0.4], [0.1, 0.195, 0.3]], ids=["even", "hollow", "bit"]
)
def test_a_straight_frontier_has_no_knee(loss):
    """Where each doubling costs as much as the one before, or less, or nearly so, is no knee."""
    assert knee(np.array([2.0, 4.0, 8.0]), np.array(loss)) is None


def test_two_releases_make_no_bend():
    """A line through two points has no knee."""
    assert knee(np.array([2.0, 4.0]), np.array([0.1, 0.2])) is None
