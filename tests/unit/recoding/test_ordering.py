"""The order of released records."""

from __future__ import annotations

import numpy as np
import pandas as pd
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

    assert released(records, seed=0).equals(released(shuffled, seed=0))


def test_another_seed_gives_another_order_of_the_same_records():
    """The seed decides the order of the release, and nothing else."""
    records = [(age, group, str(age)) for age in range(20) for group in "ab"]
    one, other = released(records, seed=1), released(records, seed=2)

    assert not one.equals(other)
    assert one.sort(one.columns).equals(other.sort(other.columns))


@pytest.mark.usefixtures("own_order")
def test_without_a_seed_every_release_has_its_own_order():
    """The seed is drawn anew and kept nowhere: not in the policy, not in the release."""
    records = [(age, group, str(age)) for age in range(20) for group in "ab"]
    one, other = released(records), released(records)

    assert not one.equals(other)
    assert one.sort(one.columns).equals(other.sort(other.columns))


MORE = {
    "lists": [[place, 1] for place in range(40)],
    "structs": [{"a": place} for place in range(40)],
    "bytes": [bytes([place]) for place in range(40)],
    "lists of categories": pl.Series(
        [[f"c{place}"] for place in range(40)], dtype=pl.List(pl.Categorical)
    ),
}


@pytest.mark.parametrize("more", MORE.values(), ids=MORE)
@pytest.mark.parametrize("turn", [pl.DataFrame, pl.DataFrame.to_arrow, pl.DataFrame.to_pandas])
def test_columns_without_an_order_show_no_order_of_the_input_either(more, turn):
    """Records that agree in all else are sorted by their lists, too, before they are shuffled."""
    records = pl.DataFrame({"age": [1] * 40, "more": more})
    asked = {"quasi_identifiers": ["age"], "k": 2, "others": "insensitive", "seed": 3}
    one, other = (
        ka.anonymize(turn(table), **asked).frame for table in (records, records.reverse())
    )

    assert str(list(one["more"])) == str(list(other["more"]))


def test_objects_of_several_types_show_no_order_of_the_input():
    """Objects of pandas, of whatever types, are sorted by what they read as."""
    cells = [(1, "a"), "b", 7, None] * 5
    asked = {"quasi_identifiers": ["age"], "k": 2, "others": "insensitive", "seed": 3}
    one, other = (
        ka.anonymize(pd.DataFrame({"age": 1, "more": several}), **asked).frame
        for several in (cells, cells[::-1])
    )

    assert one["more"].tolist() == other["more"].tolist()


def test_an_undone_shuffle_shows_no_order_of_the_input():
    """Who undoes the shuffle finds records sorted by what is released of them."""
    ages = np.random.default_rng(5).permutation(200)
    records = [(int(age), "a", str(place % 2)) for place, age in enumerate(ages)]
    frame = released(records, seed=0)
    undone = np.argsort(np.random.default_rng(0).permutation(len(frame)))

    illness = frame["illness"].gather(undone).to_list()
    assert illness == sorted(illness)


@pytest.mark.parametrize("column", [[[1], [2], [1], [2]], [{"a": 1}] * 4])
def test_columns_without_an_order_are_released_in_their_rows(column):
    """Lists and structs stay with their records."""
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "more": column, "row": [0, 1, 2, 3]})
    release = ka.anonymize(frame, quasi_identifiers=["age"], k=2, others="insensitive").frame

    assert [column[row] for row in release["row"]] == release["more"].to_list()
