"""Sets in long form, one row per person and item."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.data.sets import from_long, to_long

ROWS = pl.DataFrame(
    {
        "patient": ["p2", "p1", "p2", "p2", "p3"],
        "sex": ["f", "m", "f", "f", "m"],
        "drug": ["b", "a", "a", "b", None],
    }
)


@pytest.mark.parametrize(
    "convert",
    [pl.DataFrame.clone, pl.DataFrame.lazy, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow],
)
def test_rows_are_grouped_by_person(convert):
    """Each person has one row with the distinct items, on every frame library."""
    frame = convert(ROWS)
    found = from_long(frame, "patient", "drug")
    assert type(found) is type(frame)
    plain = found.collect() if isinstance(found, pl.LazyFrame) else pl.DataFrame(found)
    assert plain["patient"].to_list() == ["p2", "p1", "p3"]
    assert plain["sex"].to_list() == ["f", "m", "m"]
    assert [list(one) for one in plain["drug"].to_list()] == [["a", "b"], ["a"], []]
    again = to_long(found, "patient", "drug")
    assert type(again) is type(frame)


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from("abc"))))
def test_grouped_rows_come_back(rows):
    """Grouping and listing again gives the distinct rows, sorted."""
    frame = pl.DataFrame(rows, schema={"p": pl.Int64, "i": pl.String}, orient="row")
    again = to_long(from_long(frame, "p", "i"), "p", "i")
    assert again.rows() == sorted(set(rows))


def test_persons_are_numbered_in_random_order():
    """Without a column of persons, each gets a number that does not follow the rows."""
    sets = pl.DataFrame({"drug": [[f"d{i:02}"] for i in range(40)]})
    found = to_long(sets, "patient", "drug", seed=1)
    assert found["patient_number"].to_list() == list(range(1, 41))
    assert found["drug"].to_list() != sorted(found["drug"])
    assert found.equals(to_long(sets, "patient", "drug", seed=1))


def test_numbers_of_a_release_are_no_attribute():
    """A release with running numbers is grouped by them, and they are left out."""
    sets = pl.DataFrame({"sex": ["f", "m"], "drug": [["a", "b"], []]})
    again = from_long(to_long(sets, "patient", "drug"), "patient", "drug")
    assert again.sort("sex").equals(sets)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"patient": [None, "p1", "p2", "p2", "p3"]}, "'patient', row 1: no person"),
        ({"sex": ["f", "m", "m", "f", "m"]}, "'sex' has several values for 1 persons"),
        ({"drug": [["a"]] * 5}, "each row has a single item"),
    ],
)
def test_what_is_no_long_table_is_refused(change, said):
    """Rows of nobody, attributes that differ within a person, and lists are errors."""
    frame = ROWS.with_columns(pl.Series(name, values) for name, values in change.items())
    with pytest.raises(ka.DataError, match=said):
        from_long(frame, "patient", "drug")


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        ({"patient": ["*", "*"], "drug": [["a"], ["b"]]}, "does not tell persons apart"),
        ({"drug": ["a;b", "c"]}, "leave out the separator"),
    ],
)
def test_sets_that_would_mix_are_refused(sets, said):
    """Persons with one pseudonym, and sets as texts, do not become a long table."""
    with pytest.raises(ka.DataError, match=said):
        to_long(pl.DataFrame(sets), "patient", "drug")
