"""Tests: values that change places: swaps, shuffles and rank swaps."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.actions import RankSwap, Shuffle, Swap
from kanonym.actions.perturbation.swapping import sample_rows
from kanonym.data.errors import DataError, PolicyError, SchemaError


@given(st.integers(0, 200), st.floats(0.01, 1), st.integers(0, 5))
def test_a_sample_is_a_share_of_the_rows_each_once(n, share, seed):
    """Rows come ascending, none twice, as many as the share says."""
    rows = sample_rows(n, share, np.random.default_rng(seed))
    assert rows.dtype == np.int64
    assert len(rows) == round(share * n)
    assert (np.diff(rows) > 0).all()
    assert not len(rows) or (rows[0] >= 0 and rows[-1] < n)


def test_every_row_is_equally_likely():
    """Over many samples each row comes as often as the share says, pairs as they should."""
    random, n, runs = np.random.default_rng(1), 10, 20_000
    drawn = np.zeros((runs, n))
    for i in range(runs):
        drawn[i, sample_rows(n, 0.3, random)] = 1
    assert np.abs(drawn.mean(axis=0) - 0.3).max() < 5 * math.sqrt(0.21 / runs)
    pairs = drawn.T @ drawn / runs
    apart = pairs[~np.eye(n, dtype=bool)]
    assert np.abs(apart - 0.3 * 2 / 9).max() < 5 * math.sqrt(0.0667 / runs)


@pytest.mark.parametrize("share", [0, 1.01, "0.5"])
def test_shares_out_of_range_are_refused(share):
    """A share is above 0 and at most 1."""
    with pytest.raises(PolicyError, match=r"sample: share is .*; it must be a number above 0"):
        sample_rows(10, share, np.random.default_rng(0))


CELLS = st.one_of(st.none(), st.sampled_from("abcd"))


@given(st.lists(st.tuples(CELLS, st.integers(-1, 4)), max_size=40), st.integers(0, 5))
@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_class_keeps_its_values(context, rows, seed):
    """Each class has the same values as before, each null in its row."""
    values = pl.Series("x", [cell for cell, _ in rows], pl.String)
    classes = [label for _, label in rows]
    released = Swap().apply(values, context(seed=seed, classes=classes))
    assert Counter(zip(released.to_list(), classes, strict=True)) == Counter(rows)
    assert released.is_null().to_list() == values.is_null().to_list()
    assert (released.name, released.dtype) == ("x", pl.String)


@given(st.lists(CELLS, max_size=40), st.integers(0, 5))
@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_shuffling_keeps_the_values(context, cells, seed):
    """The column has the same values as before, each null in its row."""
    values = pl.Series("x", cells, pl.Categorical)
    released = Shuffle().apply(values, context(seed=seed))
    assert Counter(released.to_list()) == Counter(cells)
    assert released.is_null().to_list() == values.is_null().to_list()
    assert (released.name, released.dtype) == ("x", pl.Categorical)


@pytest.mark.parametrize(
    ("action", "classes"), [(Swap(), [0, 1, 0, 1, 0, 1]), (Shuffle(), [0] * 6)]
)
def test_every_rearrangement_is_equally_likely(action, classes, context):
    """Over many draws, each order of a class comes as often as each other."""
    values, n = pl.Series("x", list("abcdef")), 6000
    one = context(classes=classes)
    members = [i for i, label in enumerate(classes) if label == 0]
    seen = Counter(
        tuple(released[i] for i in members)
        for released in (action.apply(values, one).to_list() for _ in range(n))
    )
    expected = 6 if len(members) == 3 else 720
    assert len(seen) == expected
    statistic = sum((count - n / expected) ** 2 for count in seen.values()) * expected / n
    # The mean of a chi-square variable is its degrees of freedom, its variance twice that.
    assert abs(statistic - (expected - 1)) < 5 * (2 * (expected - 1)) ** 0.5


def test_columns_are_rearranged_on_their_own(context):
    """Two columns swapped one after the other do not keep their rows together."""
    one = context(classes=[0] * 100)
    values = pl.Series("x", range(100))
    assert Swap().apply(values, one).to_list() != Swap().apply(values, one).to_list()


def test_swapping_without_classes_is_refused(context):
    """Before the algorithm there are no classes to swap in, and shuffle is named instead."""
    with pytest.raises(PolicyError, match=r"swap of column 'x' needs equivalence classes.*shuffle"):
        Swap().apply(pl.Series("x", [1, 2]), context())


@given(
    st.lists(st.one_of(st.none(), st.integers(-20, 20)), max_size=60),
    st.floats(0.5, 100),
    st.integers(0, 5),
)
@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_values_are_kept_and_nulls_stay(context, cells, percent, seed):
    """The column has the same values as before, each null in its row."""
    values = pl.Series("x", cells, pl.Int64)
    n = len(values.drop_nulls())
    if n > 1 and percent * n < 100:
        with pytest.raises(DataError, match="reaches no other rank"):
            RankSwap(percent).apply(values, context(seed=seed))
        return
    released = RankSwap(percent).apply(values, context(seed=seed))
    assert released.is_null().to_list() == values.is_null().to_list()
    assert released.sort().to_list() == values.sort().to_list()
    assert (released.name, released.dtype) == ("x", pl.Int64)


@given(st.permutations(range(60)), st.floats(2, 100), st.integers(0, 5))
@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_value_goes_beyond_its_reach(context, cells, percent, seed):
    """Ranks of the value that came and the value that went differ by at most the percentage."""
    values = pl.Series("x", cells)
    released = RankSwap(percent).apply(values, context(seed=seed))
    far = (released - values).abs()
    assert far.max() <= percent / 100 * len(values)
    # Swapped in pairs: who got my value gave me theirs.
    partner = dict(zip(values.to_list(), released.to_list(), strict=True))
    assert all(partner[partner[value]] == value for value in cells)
    assert sum(value == mine for mine, value in partner.items()) < len(cells)


def test_the_reach_is_used_whole(context):
    """The lowest value goes to every rank within reach equally often, and to none beyond."""
    values = pl.Series("x", range(40))
    counts = np.zeros(40)
    one, action = context(), RankSwap(10)
    for _ in range(4000):
        counts[action.apply(values, one)[0]] += 1
    assert counts[0] == counts[5:].sum() == 0
    assert np.abs(counts[1:5] - 1000).max() < 5 * np.sqrt(4000 * 0.25 * 0.75)


def test_equal_values_are_ranked_at_random(context):
    """Among equal values, who swaps with the next larger ones does not go by row."""
    values = pl.Series("x", [0] * 10 + [1] * 10)
    one = context()
    changed = sum(
        RankSwap(25).apply(values, one).to_numpy() != values.to_numpy() for _ in range(2000)
    )
    zeros = changed[:10]
    assert zeros.min() > 0
    assert zeros.std() < 0.2 * zeros.mean()


@pytest.mark.parametrize(
    "values",
    [
        pl.Series("x", [dt.date(2020, 1, day) for day in range(1, 11)]),
        pl.Series("x", list("abcdefghij"), dtype=pl.Enum(list("jihgfedcba"))),
        pl.Series("x", [0.5 * i for i in range(10)]),
    ],
)
def test_everything_ordered_has_ranks(values, context):
    """Dates, ordered categories and numbers keep their types, and swap with neighbours."""
    released = RankSwap(10).apply(values, context())
    assert released.dtype == values.dtype
    held = values.to_list()
    for before, after in zip(held, released.to_list(), strict=True):
        assert abs(held.index(before) - held.index(after)) <= 1
    assert released.to_list() != held


def test_a_single_value_stays(context):
    """Who has nobody to swap with keeps the value."""
    assert RankSwap(5).apply(pl.Series("x", [None, 3]), context()).to_list() == [None, 3]
    assert RankSwap(5).apply(pl.Series("x", [], dtype=pl.Int64), context()).to_list() == []


@pytest.mark.parametrize("percent", [0, -1, 100.5, "5", None])
def test_percentages_out_of_range_are_refused(percent):
    """A reach is more than nothing and at most the whole table."""
    with pytest.raises(PolicyError, match=r"percent is .*; it must be a number above 0 and at"):
        RankSwap(percent)


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_words_have_no_ranks(dtype, context):
    """Text and unordered categories are refused, and what to use instead is said."""
    with pytest.raises(SchemaError, match=r"'city' holds .* which has no ranks; use swap, shuffle"):
        RankSwap(5).apply(pl.Series("city", ["Rome", "Oslo"], dtype), context())


def test_a_reach_below_one_rank_is_refused(context):
    """What would swap nothing is an error that says how much is needed."""
    with pytest.raises(DataError, match=r"percent 2 of 30 values reaches no other rank; .*3\.33"):
        RankSwap(2).apply(pl.Series("x", range(30)), context())
