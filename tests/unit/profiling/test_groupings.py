"""How far groups determine a column, against counting record by record."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import twins.classes as naive
from effort import examples
from kanonym.profiling import groupings
from kanonym.profiling.groupings import Grouping, coded_columns

SMALL = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=4, max_size=30)


def grouping(keys, values, counts=None):
    """Return the records of two columns grouped by the first."""
    columns = coded_columns(pl.DataFrame({"key": keys, "value": values}))
    return Grouping(columns, [0], np.ones(len(keys), np.int64) if counts is None else counts)


@settings(max_examples=examples(60))
@given(SMALL)
def test_dependence_is_that_of_counting(rows):
    """New values, and those expected by chance, are what counting record by record gives."""
    keys, values = zip(*rows, strict=True)
    assume(len(set(keys)) < len(keys))
    told = grouping(keys, values).dependence(1)
    assert told.new == pytest.approx(naive.new_share(keys, values))
    assert told.by_chance == pytest.approx(naive.new_share_by_drawing(keys, values))
    assert told.repeats == len(keys) - len(set(keys))
    if told.by_chance > 1e-9:
        assert told.constancy == pytest.approx(1 - told.new / told.by_chance)


def test_chance_is_about_that_of_all_random_groupings():
    """Drawing with replacement expects a little fewer new values than all orders have."""
    keys, values = [0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 1, 2, 2, 3]
    told = grouping(keys, values).dependence(1)
    exact = naive.new_share_of_permutations(keys, values)
    assert 0.8 * exact < told.by_chance < exact


@settings(max_examples=examples(60))
@given(SMALL, st.booleans())
def test_likeness_is_the_intraclass_correlation(rows, ordered):
    """Of numbers that of their ranks; of two words that of one of them as 0 and 1."""
    keys, values = zip(*rows, strict=True)
    values = values if ordered else [value % 2 for value in values]
    assume(1 < len(set(keys)) < len(keys) and len(set(values)) > 1)
    ranks = [sum(o < one for o in values) + sum(o == one for o in values) / 2 for one in values]
    expected = naive.intraclass_correlation(keys, ranks if ordered else values)
    told = grouping(keys, values if ordered else [str(value) for value in values])
    assert told.likeness(1) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=examples(40))
@given(SMALL, st.integers(0, 5))
def test_counts_are_records(rows, seed):
    """Rows with counts say the same as each row as often as its count."""
    counts = np.random.default_rng(seed).integers(0, 4, len(rows))
    repeated = [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]
    assume(len({key for key, _ in repeated}) < len(repeated))
    weighted = grouping(*zip(*rows, strict=True), counts)
    single = grouping(*zip(*repeated, strict=True))
    assert weighted.records == single.records
    assert weighted.dependence(1) == pytest.approx(single.dependence(1))
    assert weighted.likeness(1) == pytest.approx(single.likeness(1), abs=1e-9)


def test_a_function_of_the_order_is_told_from_a_code():
    """Age groups and squares follow the age; the sex of a person's number does not."""
    random = np.random.default_rng(1)
    age = random.permutation(np.repeat(np.arange(60), 5))
    sex = random.integers(0, 2, 60)[age]
    columns = coded_columns(
        pl.DataFrame({"age": age, "group": age // 10, "sq": age**2, "sex": sex})
    )
    told = Grouping(columns, [0], np.ones(len(age), np.int64))
    assert [told.dependence(place).constancy for place in (1, 2, 3)] == [1, 1, 1]
    assert told.follows_order(1) == pytest.approx(1)
    assert told.follows_order(2) == pytest.approx(1)
    assert abs(told.follows_order(3)) < 0.3


def test_nested_columns_are_tied_and_crossed_ones_are_not():
    """A county tells its state; sex and arm of treatment tell nothing of each other."""
    random = np.random.default_rng(2)
    who = np.repeat(np.arange(200), 3)
    county = random.integers(0, 40, 200)
    table = {"who": who, "county": county[who], "state": county[who] // 5}
    table |= {name: random.integers(0, 2, 200)[who] for name in ("sex", "arm")}
    told = Grouping(coded_columns(pl.DataFrame(table)), [0], np.ones(len(who), np.int64))
    assert told.tie(1, 2) == pytest.approx(1)
    assert told.tie(3, 4) == pytest.approx(0, abs=0.05)


def test_a_sample_has_all_records_of_its_groups(monkeypatch):
    """Of a large table some groups are looked at, whole."""
    monkeypatch.setattr(groupings, "LOOKED_AT", 600)
    random = np.random.default_rng(3)
    who = random.integers(0, 2_000, 10_000)
    whole = np.bincount(who)
    told = grouping(who, random.integers(0, 2, 10_000))
    assert 300 < told.records < 1_200
    assert (told.sizes == whole[who[told.first]]).all()
