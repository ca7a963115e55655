"""What all pseudonymizing actions do alike."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from action_context import applied, context
from effort import examples
from kanonym import SchemaError
from kanonym.actions import FF1, Fake, KeyedHash, Surrogate
from kanonym.actions.base import Action
from kanonym.actions.registry import ACTIONS

KEY = {"env": "STUDY_KEY"}
EXAMPLES = [
    KeyedHash(key=KEY),
    Surrogate(),
    Surrogate(order="sequential"),
    FF1(key=KEY),
    Fake("name"),
    Fake("name", key=KEY),
]
every = pytest.mark.parametrize("action", EXAMPLES, ids=repr)
keyed = pytest.mark.parametrize("action", [KeyedHash(key=KEY), FF1(key=KEY), Fake("name", key=KEY)])


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("STUDY_KEY", "0123456789abcdef0123456789abcdef")


def test_every_pseudonymizing_action_has_an_example_here():
    """The laws below leave no action out."""
    assert {type(action) for action in EXAMPLES} == {
        one for one in ACTIONS.values() if ".pseudonymization." in one.__module__
    }


@every
def test_an_action_says_what_it_protects_and_what_it_does_not(action):
    """Each follows the protocol, and each sentence of it ends in a full stop."""
    assert isinstance(action, Action)
    assert action.protects.endswith(".")
    assert action.exposes.endswith(".")


@every
def test_equal_values_have_equal_pseudonyms_and_null_has_none(action):
    """The column keeps its name, its length and its nulls, and is not changed itself."""
    column = pl.Series("x", ["1111111", None, "2222222", "1111111"])
    changed = action.apply(column, context())
    first, null, second, again = changed.to_list()
    assert (changed.name, null, first) == ("x", None, again)
    assert first != second
    assert column.to_list() == ["1111111", None, "2222222", "1111111"]
    assert not {"1111111", "2222222"} & set(map(str, changed))


@every
@pytest.mark.parametrize("n", [0, 2])
def test_a_column_without_values_comes_back_without_values(action, n):
    """No records, or nulls only, are no error, whatever the type of the column."""
    for kind in (pl.String, pl.Int64, pl.Categorical, pl.Null):
        column = pl.Series("x", [None] * n, dtype=kind)
        assert action.apply(column, context()).to_list() == [None] * n


@every
def test_a_value_is_the_same_as_number_as_text_and_as_category(action):
    """Files differ in what they make of a column; tables must join all the same."""
    as_text = applied(action, ["1111111", "2222222"])
    assert applied(action, [1111111, 2222222]) == as_text
    assert applied(action, [1111111.0, 2222222.0]) == as_text
    assert applied(action, pl.Series("x", ["1111111", "2222222"], dtype=pl.Categorical)) == as_text


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_a_time_is_the_same_in_any_unit_and_zone(unit):
    """One moment has one pseudonym."""
    moment = pl.Series("x", [dt.datetime(2020, 1, 1, 12, 0, 0, 500_000)])
    action = KeyedHash(key=KEY)
    assert applied(action, moment.dt.cast_time_unit(unit)) == applied(action, moment)
    utc = moment.dt.replace_time_zone("UTC")
    assert applied(action, utc.dt.convert_time_zone("Asia/Tokyo")) == applied(action, utc)


@keyed
@given(values=st.lists(st.integers(0, 10**7 - 1), min_size=1, max_size=4), seed=st.integers(0, 9))
@settings(max_examples=examples(15), deadline=None)
def test_with_a_key_a_pseudonym_depends_on_its_value_alone(action, values, seed):
    """Not on the other records, on their order or on the seed: tables stay joined."""
    texts = [f"{value:07}" for value in values]
    alone = [applied(action, [text])[0] for text in texts]
    assert applied(action, texts, seed=seed) == alone


@pytest.mark.parametrize("action", [Surrogate(), Fake("name")], ids=repr)
def test_without_a_key_the_seed_decides_and_the_order_of_records_does_not(action):
    """One seed gives one release, for any order of the records."""
    values = [str(number) for number in range(9)]
    forwards = applied(action, values, seed=1)
    assert applied(action, values[::-1], seed=1) == forwards[::-1]
    assert applied(action, values, seed=2) != forwards


@every
def test_values_without_a_text_are_refused(action):
    """Lists cannot be compared as text."""
    with pytest.raises(SchemaError, match=f"column 'x' holds List.*{action.type} needs"):
        applied(action, [[1]])
