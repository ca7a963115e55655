"""Laws of swapping within classes and of shuffling."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.actions import Shuffle, Swap
from kanonym.data.errors import PolicyError

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
