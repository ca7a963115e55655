"""Laws of finding the nearest point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.evaluation.attacks.matching.nearest import MOST_IN_TREE, TIE, nearest_points

POINTS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=40)


@given(
    POINTS,
    POINTS,
    st.sampled_from(["euclidean", "manhattan"]),
    st.sampled_from([1, MOST_IN_TREE]),
)
@settings(max_examples=examples(200))
def test_it_is_the_first_of_the_nearest(points, asked, distance, times):
    """Compared with every point, none is nearer, and none as near comes before it."""
    points, asked = (np.tile(np.array(own, float), (1, times)) for own in (points, asked))
    numbers, distances = nearest_points(points, asked, distance)
    steps = np.abs(asked[:, None, :] - points[None, :, :])
    every = steps.sum(axis=2) if distance == "manhattan" else np.sqrt((steps**2).sum(axis=2))
    least = every.min(axis=1)
    assert distances == pytest.approx(least)
    assert numbers.tolist() == (every <= least[:, None] * (1 + TIE)).argmax(axis=1).tolist()


def test_many_points_at_one_distance_are_all_looked_at():
    """Of 200 points on a circle, the first is nearest to its centre, whatever rounding says."""
    angles = np.random.default_rng(0).permutation(200) * np.pi / 100
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    numbers, distances = nearest_points(circle, np.zeros((1, 2)))
    assert numbers.tolist() == [0]
    assert distances == pytest.approx([1])


def test_the_first_of_equal_points_is_found():
    """Where points are the same, the lowest number is returned."""
    points = np.array([[5.0], [2.0], [2.0], [5.0]])
    numbers, distances = nearest_points(points, np.array([[2.0], [9.0]]))
    assert numbers.tolist() == [1, 0]
    assert distances.tolist() == [0, 4]
