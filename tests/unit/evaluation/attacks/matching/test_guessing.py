"""Tests: guesses of a secret from the nearest records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.evaluation.attacks.matching.guessing import shared_values, values_of
from kanonym.evaluation.attacks.matching.lookup import MOST_IN_TREE, TIE, nearest_points
from utility_pairs import categorical, numeric, pair


def test_equal_values_have_equal_codes_in_both_tables():
    """Codes ascend with the values, null last."""
    values = values_of(pair(numeric("cost", [3, None, 1], [1, 3, None])), "cost")
    assert values.own.tolist() == [1, 2, 0]
    assert values.released.tolist() == [0, 1, 2]
    assert values.size == 3
    np.testing.assert_array_equal(values.line, [1, 3, np.nan])


def test_a_cell_that_leaves_several_values_open_says_nothing():
    """Ranges, sets and suppressed cells have the code behind all values."""
    numbers = values_of(pair(numeric("cost", [1, 2], ["*", (1, 2), 2])), "cost")
    texts = values_of(pair(categorical("job", ["a", "b"], ["*", ("a", "b"), "b"])), "job")
    assert numbers.released.tolist() == texts.released.tolist() == [2, 2, 1]


def test_two_releases_are_coded_alike():
    """A value has one code, whatever else either release holds."""
    first = pair(categorical("job", ["b", "c"]))
    second = pair(categorical("job", ["b", "c"], ["a", "c"]))
    one, other = shared_values(first, second, "job")
    assert one.own.tolist() == other.own.tolist() == [1, 2]
    assert other.released.tolist() == [0, 2]
    assert one.size == other.size == 3


def test_numbers_and_categories_cannot_be_compared():
    """Where one release has numbers and the other one texts, there is no common code."""
    assert shared_values(pair(numeric("a", [1])), pair(categorical("a", ["1"])), "a") is None


POINTS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=40)


@given(
    POINTS, POINTS, st.sampled_from(["euclidean", "manhattan"]), st.sampled_from([1, MOST_IN_TREE])
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
