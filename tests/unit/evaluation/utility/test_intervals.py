"""Laws of overlaps of confidence intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import utility_pairs as pairs
from effort import examples
from kanonym.evaluation.utility.intervals import (
    MEASURES,
    mean_interval,
    overlaps,
    share_intervals,
    slope_intervals,
)

ENDS = st.tuples(st.integers(0, 10), st.integers(0, 10)).map(sorted)


def taken(tables):
    """Return each measure's result by name."""
    random = np.random.default_rng(0)
    return {one.meaning.name: one.take(tables, random) for one in MEASURES}


def overlap(first, second):
    """Return the overlap of two intervals."""
    ends = [tuple(np.array([end], float) for end in one) for one in (first, second)]
    return float(overlaps(*ends)[0])


@given(first=ENDS, second=ENDS)
@settings(max_examples=examples(100))
def test_overlaps_lie_between_0_and_1_both_ways(first, second):
    """It does not matter which is the original's, and an interval overlaps itself wholly."""
    assert 0 <= overlap(first, second) <= 1
    assert overlap(first, second) == overlap(second, first)
    assert overlap(first, first) == 1


def test_overlaps_by_hand():
    """Half of one and a quarter of the other are 3/8; disjoint ones have none."""
    assert overlap((0, 2), (1, 5)) == 3 / 8
    assert overlap((0, 1), (2, 3)) == 0
    assert overlap((0, 2), (1, 1)) == 1 / 2
    assert overlap((0, 2), (3, 3)) == 0


def test_intervals_are_scipys():
    """Means have the normal interval, shares Wilson's."""
    values = np.array([1.0, 4.0, 4.0, 9.0])
    expected = stats.norm.interval(0.95, values.mean(), stats.sem(values))
    assert np.concatenate(mean_interval(values)) == pytest.approx(expected)
    wilson = stats.binomtest(3, 10).proportion_ci(0.95, "wilson")
    assert np.concatenate(share_intervals(np.array([0.3]), 10)) == pytest.approx(wilson)


def test_slopes_are_scipys():
    """With two columns slope and standard error are those of a straight line."""
    random = np.random.default_rng(3)
    x = random.normal(size=50)
    y = 2 * x + random.normal(size=50)
    low, high = slope_intervals(np.cov(x, y, ddof=0), 50, 1)
    line = stats.linregress(x, y)
    assert (low + high) / 2 == pytest.approx(line.slope)
    assert (high - low) / 2 == pytest.approx(1.959963984540054 * line.stderr)


def test_collinear_columns_have_no_slopes():
    """Of columns that explain each other wholly, or not at all, nothing is estimated."""
    x = np.arange(9.0)
    assert slope_intervals(np.cov([x, 2 * x, x**2]), 9, 2) is None
    assert slope_intervals(np.cov([x, 0 * x]), 9, 0) is None
    assert slope_intervals(np.cov([x, x**2]), 2, 0) is None


def test_identical_tables_overlap_wholly():
    """Every estimate of a table and itself has the same interval."""
    for one in taken(pairs.same()).values():
        assert one.value == pytest.approx(1)


def test_a_mean_that_moved_far_does_not_overlap():
    """A column shifted by many standard errors overlaps by 0, the others stay at 1."""
    pay = [float(i % 7) for i in range(100)]
    tables = pairs.pair(
        pairs.numeric("pay", pay, [value + 50 for value in pay]),
        pairs.categorical("town", ["a", "b"] * 50),
    )
    assert taken(tables)["interval-overlap"].parts == {"pay": 0, "town": pytest.approx(1)}


def test_constant_columns_have_no_slopes():
    """Where the release suppressed a column, no slope can be estimated: 0 for every column."""
    tables = pairs.starred(unchanged=("pay",))
    assert taken(tables)["interval-overlap-regression"].parts == {"age": 0, "pay": 0}


def test_generalization_keeps_more_than_suppression():
    """Intervals keep more of the estimates than suppressed cells."""
    coarse, starred = taken(pairs.coarse(width=5)), taken(pairs.starred())
    for name, one in coarse.items():
        assert one.value > starred[name].value


def test_the_order_of_released_records_does_not_count():
    """A shuffled release has the same estimates."""
    tables = pairs.coarse()
    shuffled = pairs.kept(tables, np.random.default_rng(1).permutation(tables.n_released))
    for name, one in taken(shuffled).items():
        assert one.value == pytest.approx(taken(tables)[name].value, abs=1e-9)


def test_what_cannot_be_estimated_is_said():
    """No records, no values, one column, or collinear ones give no value, and a reason."""
    empty = taken(pairs.kept(pairs.same(), []))
    assert {one.reason for one in empty.values()} == {"the release has no records"}
    assert taken(pairs.pair(pairs.numeric("x", [None])))["interval-overlap"].value is None
    one = pairs.pair(pairs.numeric("x", [1, 2, 3]))
    assert "fewer than two" in taken(one)["interval-overlap-regression"].reason
    constant = pairs.pair(pairs.numeric("x", [1, 2, 3, 4]), pairs.numeric("y", [1, 1, 1, 1]))
    assert "collinear or constant" in taken(constant)["interval-overlap-regression"].reason


def test_a_column_released_as_nulls_does_not_overlap():
    """Where the release has no numbers, their mean cannot be estimated."""
    tables = pairs.pair(pairs.numeric("x", [1, 2, 3], [None] * 3))
    assert taken(tables)["interval-overlap"].value == 0


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_the_mean_of_a_constant_column_is_that_of_any_of_its_records(n):
    """Rounding does not part the means of 0.1 in seven records and in fewer."""
    tables = pairs.pair(pairs.numeric("x", [0.1] * 7))
    measures = {one.meaning.name: one for one in MEASURES}
    found = measures["interval-overlap"].take(pairs.kept(tables, range(n)), None)
    assert found.value == 1
