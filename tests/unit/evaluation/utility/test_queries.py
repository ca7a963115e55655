"""Laws of random counting queries: the truth is counted, estimates add up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import utility_pairs as pairs
from effort import examples
from kanonym.evaluation.utility.queries import (
    MEASURES,
    Condition,
    _query_column,
    answers,
    count_equal,
    draw_query,
    query_errors,
)


def errors(tables, seed=0, n=200):
    """Return what a workload says."""
    return query_errors(tables, np.random.default_rng(seed), n)


def test_a_release_of_everything_answers_exactly():
    """A table answers every query as itself, nulls and ties included."""
    found = errors(pairs.same())
    assert found.value == 0
    assert set(found.parts.values()) == {0}


@given(
    spans=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), min_size=1, max_size=9),
    seed=st.integers(0, 99),
)
@settings(max_examples=examples(100))
def test_shares_of_a_range_are_lengths(spans, seed):
    """A released interval answers with the share of its length between the range's borders."""
    original = [0, 1, 2, 2, 4, 7, 9, None]
    released = [(low, low + width) for low, width in spans]
    column = _query_column(pairs.numeric("x", original, released))
    answering, shares = column.draw(0.3, np.random.default_rng(seed))
    kept = [value for value, held in zip([0, 1, 2, 4, 7, 9], answering, strict=False) if held]
    middles = {0: (-99, 0.5), 1: (0.5, 1.5), 2: (1.5, 3), 4: (3, 5.5), 7: (5.5, 8), 9: (8, 99)}
    start, stop = middles[kept[0]][0], middles[kept[-1]][1]
    for (low, high), share in zip(released, shares[column.labels], strict=True):
        if low == high:
            assert share == (start <= low < stop)
        else:
            assert share == pytest.approx(max(0, min(high, stop) - max(low, start)) / (high - low))


def test_queries_aim_at_their_share():
    """A range over distinct numbers has the records it aimed at, a set at least as many."""
    random = np.random.default_rng(5)
    numbers = _query_column(pairs.numeric("x", range(100)))
    towns = _query_column(pairs.categorical("y", ["a"] * 40 + ["b"] * 30 + ["c"] * 30))
    for _ in range(50):
        assert numbers.draw(0.2, random)[0].sum() == 20
        chosen = towns.draw(0.35, random)[0][towns.codes].sum()
        assert chosen in {40, 60, 70}


def test_answers_by_hand():
    """A record counts with the product of its shares; one that is not released not at all."""
    tables = pairs.pair(
        pairs.numeric("x", [0, 2, 4, 6], [(0, 4), 4, "*"]),
        pairs.categorical("y", list("aabb"), [("a", "b"), "b", "a"]),
    )
    asked = [_query_column(column) for column in tables.columns]
    numbers, towns = asked
    # x from 0 to 2, so below the border at 3; y is a
    below_three = np.clip((3 - numbers.low) / np.maximum(numbers.high - numbers.low, 1e-9), 0, 1)
    query = [
        Condition(0, np.array([True, True, False, False]), below_three),
        Condition(1, np.array([True, False]), np.array([1.0, 0.5, 0.0])[_order(towns)]),
    ]
    truth, estimate = answers(query, count_equal(asked))
    assert truth == 2
    assert estimate == pytest.approx(3 / 4 * 1 / 2 + 0 * 0 + 3 / 6 * 1)


def _order(towns):
    """Return, for each label of the three records' ab, b, a, which it is in a, ab, b."""
    record_of_label = np.argsort(towns.labels)
    return np.array([1, 2, 0])[record_of_label]


def test_a_query_has_one_to_three_different_attributes():
    """No attribute is asked about twice."""
    asked = [_query_column(column) for column in pairs.same().columns]
    random = np.random.default_rng(0)
    sizes = set()
    for _ in range(100):
        attributes = [condition.attribute for condition in draw_query(asked, random)]
        assert len(set(attributes)) == len(attributes)
        sizes.add(len(attributes))
    assert sizes == {1, 2, 3}


def test_coarser_releases_answer_worse():
    """Wider intervals err more, and suppressed cells most."""
    found = [
        errors(tables).value
        for tables in (pairs.same(), pairs.coarse(width=5), pairs.coarse(width=40), pairs.starred())
    ]
    assert found == sorted(found)


def test_a_release_without_records_answers_nothing():
    """Every count is then 0: all of the truth is missing."""
    found = errors(pairs.kept(pairs.same(), []))
    assert found.value == 1


def test_half_of_the_records_answer_half():
    """Where half of the records are suppressed by chance, about half of each count is missing."""
    tables = pairs.same(4000)
    half = pairs.kept(tables, np.random.default_rng(1).permutation(4000)[:2000])
    assert errors(half).value == pytest.approx(0.5, abs=0.03)


def test_the_order_of_released_records_does_not_count():
    """A shuffled release answers the same queries alike."""
    tables = pairs.coarse()
    shuffled = pairs.kept(tables, np.random.default_rng(1).permutation(tables.n_released))
    assert errors(shuffled).value == pytest.approx(errors(tables).value, abs=1e-9)


def test_a_seed_is_a_workload():
    """The same seed asks the same, another one something else."""
    tables = pairs.coarse()
    assert errors(tables) == errors(tables)
    assert errors(tables).value != errors(tables, seed=1).value


def test_a_table_of_constants_has_no_queries():
    """There is no value then, and why is said."""
    (measure,) = MEASURES
    tables = pairs.pair(pairs.numeric("x", [1, 1]), pairs.categorical("y", ["a", "a"]))
    found = measure.take(tables, np.random.default_rng(0))
    assert (found.value, found.reason) == (None, "the original has no column of several values")
