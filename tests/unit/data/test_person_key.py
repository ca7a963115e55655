"""Persons who are told apart by several columns together."""

from __future__ import annotations

import copy
import datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.data import frames
from kanonym.data.person_key import PersonKey, columns_of

KEY = PersonKey(["site", "number"])
TEXTS = st.one_of(st.none(), st.text("1: -a\x00é\\", max_size=4))
NUMBERS = st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.0, 10.0, 0.1, 1e300]))


@given(st.lists(st.tuples(TEXTS, TEXTS, NUMBERS), min_size=1, max_size=20))
def test_two_rows_have_one_text_where_all_values_are_equal(rows):
    """Rows are of one person where each value equals the other's; without any value, of nobody."""
    schema = {"site": pl.String, "number": pl.String, "visit": pl.Float64}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    joined = frames.column(table, PersonKey(schema)).to_list()
    assert [one is None for one in joined] == [row == (None,) * 3 for row in rows]
    for text, row in zip(joined, rows, strict=True):
        for other, beside in zip(joined, rows, strict=True):
            assert (text == other) == (row == beside)


@pytest.mark.parametrize(
    "values",
    [
        [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)],
        [datetime.timedelta(seconds=1), datetime.timedelta(seconds=2)],
        [True, False],
        [1, 2**62],
    ],
    ids=lambda values: type(values[0]).__name__,
)
@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_every_type_that_is_counted_tells_persons_apart(values, library):
    """Whatever holds the table, values of a type are joined as the values that they are."""
    table = pl.DataFrame({"site": ["a"] * 4, "number": values * 2})
    held = {"polars": table, "pandas": table.to_pandas(), "pyarrow": table.to_arrow()}[library]
    first, second, third, fourth = frames.column(held, KEY).to_list()
    assert (first, second) == (third, fourth)
    assert first != second


@pytest.mark.parametrize("other", [copy.deepcopy(KEY), copy.copy(KEY)])
def test_a_copy_has_the_columns(other):
    """A key that went to another process still knows its columns."""
    assert (other, columns_of([other])) == (KEY, ["site", "number"])


def test_a_model_takes_names_as_a_list():
    """The model writes the list as a policy has it; a list of one name is that name."""
    model = ka.KAnonymity(5, entity=("site", "number"))
    assert model.to_dict() == {"k": 5, "entity": ["site", "number"]}
    assert repr(model) == "KAnonymity(k=5, entity=['site', 'number'])"
    assert ka.KAnonymity(5, entity=["site"]) == ka.KAnonymity(5, entity="site")


def test_a_column_with_the_text_of_a_key_is_refused():
    """What is told of both together could be taken for the column."""
    table = pl.DataFrame({"site": [1, 1], "number": [1, 2], "age": [3, 3], "site + number": [1, 2]})
    with pytest.raises(ka.SchemaError, match=r"'site \+ number' has the name .*: rename it"):
        ka.anonymize(
            table,
            identifiers=["site", "number", "site + number"],
            quasi_identifiers=["age"],
            k=2,
            entity=["site", "number"],
        )
