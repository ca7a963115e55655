"""Distinction and separation of column sets against counting pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins.classes as naive
from effort import examples
from kanonym.profiling.minimal import Separation, separation_of


@st.composite
def tables(draw, most_rows=12, most_columns=4):
    """Draw columns of few values, as names with lists of codes."""
    n = draw(st.integers(1, most_rows))
    width = draw(st.integers(1, most_columns))
    codes = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    return {f"c{place}": draw(codes) for place in range(width)}


def encoded(columns):
    """Return columns as `Codes`."""
    return {name: (np.array(codes, np.int32), 4) for name, codes in columns.items()}


@settings(max_examples=examples(60))
@given(tables())
def test_every_count_is_that_of_the_pairs(columns):
    """Combinations, uniques, the smallest group and equal pairs are what counting gives."""
    rows = list(zip(*columns.values(), strict=True))
    counted = separation_of(list(encoded(columns).values()), len(rows))
    expected = naive.separation(rows)
    assert {name: getattr(counted, name) for name in expected} == expected


def test_the_shares_are_those_of_the_paper():
    """Of four records in three groups, 3 of 4 are distinct and 5 of 6 pairs are told apart."""
    counted = Separation.from_sizes(np.array([2, 1, 1]))
    assert counted.distinction == pytest.approx(3 / 4)
    assert counted.separation == pytest.approx(5 / 6)
    assert counted.others == pytest.approx(2 / 4)
    assert counted.to_dict()["separation"] == counted.separation


def test_no_column_tells_nobody_apart():
    """Without a column all records are equal."""
    assert separation_of([], 4) == Separation(4, 1, 0, 4, 6)


def test_no_record_needs_no_telling_apart():
    """A table without records has no pair that is left together."""
    counted = Separation.from_sizes(np.empty(0, np.int64))
    assert (counted.distinction, counted.separation, counted.others, counted.smallest) == (
        0.0,
        1.0,
        0.0,
        0,
    )
