"""Laws of distances of columns: scipy's on released points, and by hand on intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial import distance

import utility_pairs as pairs
from effort import examples
from kanonym.evaluation.utility.cells import (
    MEASURES,
    hellinger,
    jensen_shannon,
    total_variation,
    wasserstein,
)

COUNTS = st.lists(st.integers(0, 20), min_size=4, max_size=4)


def taken(tables):
    """Return the value of each measure."""
    random = np.random.default_rng(0)
    return {one.meaning.name: one.take(tables, random) for one in MEASURES}


@given(first=COUNTS, second=COUNTS)
@settings(max_examples=examples(100))
def test_distances_are_scipys(first, second):
    """Jensen–Shannon is scipy's in base 2, the others their formulas, and all lie in [0, 1]."""
    assume(sum(first) and sum(second))
    p, q = np.array(first) / sum(first), np.array(second) / sum(second)
    assert jensen_shannon(p, q) == pytest.approx(distance.jensenshannon(p, q, base=2), abs=1e-7)
    assert total_variation(p, q) == pytest.approx(np.maximum(p - q, 0).sum())
    assert hellinger(p, q) ** 2 == pytest.approx(1 - np.sqrt(p * q).sum(), abs=1e-9)
    for measure in (jensen_shannon, total_variation, hellinger):
        assert 0 <= measure(p, q) <= 1 + 1e-12


@given(
    original=st.lists(st.integers(-9, 9), min_size=2, max_size=30),
    released=st.lists(st.integers(-9, 9), min_size=1, max_size=30),
)
@settings(max_examples=examples(100))
def test_wasserstein_of_numbers_is_scipys(original, released):
    """Where released values are numbers it is scipy's, over the original's range, at most 1."""
    span = max(original) - min(original)
    assume(span)
    expected = min(1.0, stats.wasserstein_distance(original, released) / span)
    assert wasserstein(pairs.numeric("x", original, released)) == pytest.approx(expected, abs=1e-12)


@given(
    original=st.lists(st.integers(0, 20), min_size=2, max_size=15),
    spans=st.lists(
        st.tuples(st.integers(0, 20), st.integers(0, 9)).map(lambda one: (one[0], sum(one))),
        min_size=1,
        max_size=8,
    ),
)
@settings(max_examples=examples(60))
def test_wasserstein_of_intervals_is_that_of_their_points(original, spans):
    """An interval is as good as a thousand points spread over it evenly."""
    extent = max(original) - min(original)
    assume(extent)
    grid = (np.arange(1000) + 0.5) / 1000
    points = np.concatenate([low + (high - low) * grid for low, high in spans])
    expected = min(1.0, stats.wasserstein_distance(original, points) / extent)
    found = wasserstein(pairs.numeric("x", original, spans))
    assert found == pytest.approx(expected, abs=10 / 1000)


def test_wasserstein_by_hand():
    """Two points at the ends, spread over the range, are a quarter of it away."""
    assert wasserstein(pairs.numeric("x", [0, 8], ["*", "*"])) == pytest.approx(0.25)


def test_wasserstein_of_constants():
    """A constant that stays is at 0, one that moves at 1, and one that is missing, too."""
    assert wasserstein(pairs.numeric("x", [3, 3], [3, 3])) == 0
    assert wasserstein(pairs.numeric("x", [3, 3], [3, 4])) == 1
    assert wasserstein(pairs.numeric("x", [3, 4], [None, None])) == 1
    assert wasserstein(pairs.numeric("x", [None], [None])) == 0


def test_identical_tables_are_at_no_distance():
    """A table is at distance 0 from itself, nulls included."""
    assert {name: one.value for name, one in taken(pairs.same()).items()} == {
        "total-variation": 0,
        "hellinger": 0,
        "jensen-shannon": 0,
        "wasserstein": pytest.approx(0, abs=1e-15),
    }


def test_other_values_altogether_are_farthest():
    """Released categories that the original lacks are at distance 1."""
    tables = pairs.pair(pairs.categorical("town", ["a", "b"], ["c", ("c", "d")]))
    values = [one.value for one in taken(tables).values()]
    assert values[:3] == [1, pytest.approx(1), pytest.approx(1)]
    assert values[3] is None


def test_coarser_intervals_are_farther():
    """The wider the intervals of age, the farther, and suppressed cells are the farthest."""
    for name in ("total-variation", "hellinger", "jensen-shannon", "wasserstein"):
        steps = [
            taken(tables)[name].parts["pay"]
            for tables in (
                pairs.same(),
                pairs.coarse(width=5),
                pairs.coarse(width=30),
                pairs.starred(),
            )
        ]
        assert steps == sorted(steps)


def test_the_order_of_released_records_does_not_count():
    """A shuffled release is at the same distances."""
    tables = pairs.coarse()
    shuffled = pairs.kept(tables, np.random.default_rng(1).permutation(tables.n_released))
    for name, one in taken(shuffled).items():
        assert one.value == pytest.approx(taken(tables)[name].value, abs=1e-12)


def test_the_value_is_the_mean_of_its_parts():
    """Parts name every column; Wasserstein's those of numbers."""
    found = taken(pairs.coarse())
    assert list(found["hellinger"].parts) == ["age", "pay", "town", "job"]
    assert list(found["wasserstein"].parts) == ["age", "pay"]
    for one in found.values():
        assert one.value == pytest.approx(np.mean(list(one.parts.values())))


def test_a_release_without_records_has_no_distribution():
    """There is no value then, and why is said."""
    for one in taken(pairs.kept(pairs.same(), [])).values():
        assert (one.value, one.reason) == (None, "the release has no records")
