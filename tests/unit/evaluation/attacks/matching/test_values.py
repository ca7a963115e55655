"""Laws of coding sensitive values."""

from __future__ import annotations

import numpy as np

from kanonym.evaluation.attacks.matching.values import shared_values, values_of
from pairs import categorical, numeric, pair


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
