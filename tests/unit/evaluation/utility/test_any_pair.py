"""Laws of every measure of distributions and analyses, on whatever tables there are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import utility_pairs as pairs
from effort import examples
from kanonym.evaluation.utility import associations, cells, intervals, k_marginal, queries
from kanonym.evaluation.utility.models import propensity
from kanonym.evaluation.utility.models.learning import learning_measure

MEASURES = [
    measure
    for module in (cells, associations, k_marginal, intervals, queries, propensity)
    for measure in module.MEASURES
]
NUMBERS = st.one_of(st.integers(-3, 3), st.floats(-1e6, 1e6), st.none())
SPANS = st.one_of(
    NUMBERS,
    st.tuples(st.integers(-9, 9), st.integers(0, 9)).map(lambda one: (one[0], sum(one))),
    st.just("*"),
)
TOWNS = st.sampled_from(["a", "b", "c", None])
LABELS = st.one_of(TOWNS, st.just(("a", "b")), st.just(("a", "z", None)), st.just("*"))


@st.composite
def tables(draw):
    """Draw tables of one or two numbers and towns each, of which either may be empty."""
    n, released = draw(st.integers(0, 6)), draw(st.integers(0, 6))

    def cells_of(values, size):
        return draw(st.lists(values, min_size=size, max_size=size))

    columns = [
        pairs.numeric(f"x{i}", cells_of(NUMBERS, n), cells_of(SPANS, released))
        for i in range(draw(st.integers(0, 2)))
    ]
    columns += [
        pairs.categorical(f"y{i}", cells_of(TOWNS, n), cells_of(LABELS, released))
        for i in range(draw(st.integers(0 if columns else 1, 2)))
    ]
    return pairs.pair(*columns)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.meaning.name)
@given(drawn=tables())
@settings(max_examples=examples(30))
def test_a_value_lies_in_its_range_or_a_reason_is_given(measure, drawn):
    """No table is refused: there is a number within the bounds, or why there is none."""
    if measure.meaning.name == "query-error":
        found = queries.query_errors(drawn, np.random.default_rng(0), 5)
    else:
        found = measure.take(drawn, np.random.default_rng(0))
    assert (found.value is None) == bool(found.reason)
    if found.value is not None:
        assert math.isfinite(found.value)
        assert measure.meaning.low <= found.value <= measure.meaning.high + 1e-9


@pytest.mark.parametrize("target", ["x0", "y0"])
@given(drawn=tables())
@settings(max_examples=examples(10))
def test_small_tables_teach_nothing_and_say_so(drawn, target):
    """Learning from tables of a few records is refused with a reason, never by an error."""
    found = learning_measure(target).take(drawn, np.random.default_rng(0))
    assert found.value is None
    assert found.reason


@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.meaning.name)
def test_records_may_be_looked_at_in_parts(measure, monkeypatch):
    """However few records are spread over cells at a time, the result is the same."""
    drawn = pairs.coarse(100)
    whole = measure.take(drawn, np.random.default_rng(0))
    monkeypatch.setattr(cells, "CHUNK", 7)
    assert measure.take(drawn, np.random.default_rng(0)).value == pytest.approx(whole.value)


def test_names_are_different():
    """No two measures have the same name, and each says its unit and source."""
    names = [measure.meaning.name for measure in MEASURES]
    assert len(set(names)) == len(names) == 13
    assert all(measure.meaning.unit and measure.meaning.source for measure in MEASURES)
