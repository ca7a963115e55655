"""The order of released records."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka

RECORDS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from("abc"), st.sampled_from(["flu", "cold", None])),
    min_size=4,
    max_size=40,
)


def released(records, **asked):
    """Release age and group of some records, 2-anonymous, with the illness untouched."""
    frame = pl.DataFrame(records, schema=["age", "group", "illness"], orient="row")
    return ka.anonymize(
        frame, quasi_identifiers=["age", "group"], k=2, others="insensitive", **asked
    ).frame


@given(records=RECORDS, data=st.data())
def test_the_same_records_in_any_order_give_the_same_release(records, data):
    """The order of the input leaves no trace: the release is the same, row by row."""
    shuffled = data.draw(st.permutations(records))

    assert released(records).equals(released(shuffled))


def test_another_seed_gives_another_order_of_the_same_records():
    """The seed decides the order of the release, and nothing else."""
    records = [(age, group, str(age)) for age in range(20) for group in "ab"]
    one, other = released(records, seed=1), released(records, seed=2)

    assert not one.equals(other)
    assert one.sort(one.columns).equals(other.sort(other.columns))


def test_an_undone_shuffle_shows_no_order_of_the_input():
    """Who undoes the shuffle finds records sorted by what is released of them."""
    ages = np.random.default_rng(5).permutation(200)
    records = [(int(age), "a", str(place % 2)) for place, age in enumerate(ages)]
    frame = released(records)
    undone = np.argsort(np.random.default_rng(0).permutation(len(frame)))

    illness = frame["illness"].gather(undone).to_list()
    assert illness == sorted(illness)


@pytest.mark.parametrize("column", [[[1], [2], [1], [2]], [{"a": 1}] * 4])
def test_columns_without_an_order_are_released_in_their_rows(column):
    """Lists and structs take no part in the order, and stay with their records."""
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "more": column, "row": [0, 1, 2, 3]})
    release = ka.anonymize(frame, quasi_identifiers=["age"], k=2, others="insensitive").frame

    assert [column[row] for row in release["row"]] == release["more"].to_list()
