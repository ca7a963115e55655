"""What all masking actions do alike, whatever they mask."""

from __future__ import annotations

import datetime as dt
from dataclasses import fields

import polars as pl
import pytest

from action_context import context
from kanonym import SchemaError
from kanonym.actions import (
    Bin,
    Keep,
    MaskEmail,
    MaskIban,
    MaskPhone,
    Redact,
    Round,
    ShiftDate,
    Suppress,
    TopBottom,
    TruncateDate,
)
from kanonym.actions.base import Action
from kanonym.actions.registry import ACTIONS

DATES = ["1984-03-08", None, "2020-02-29"]
NUMBERS = [3, None, 17]
TEXTS = ["anna@example.com", None, "b"]
EXAMPLES = [
    (Keep(first=1), TEXTS),
    (Redact(), TEXTS),
    (Round(to=5), NUMBERS),
    (TopBottom(lower=5), NUMBERS),
    (Bin(width=10), NUMBERS),
    (Suppress(values=["b"]), TEXTS),
    (TruncateDate("month"), DATES),
    (ShiftDate(), DATES),
    (MaskEmail(), TEXTS),
    (MaskPhone(), TEXTS),
    (MaskIban(), TEXTS),
]
every = pytest.mark.parametrize(
    ("action", "values"), EXAMPLES, ids=lambda one: getattr(one, "type", "")
)


def test_every_masking_action_has_an_example_here():
    """The laws below leave no action out."""
    assert {type(action) for action, _ in EXAMPLES} == {
        one for one in ACTIONS.values() if ".masking." in one.__module__
    }


@every
def test_an_action_says_what_it_protects_and_what_it_does_not(action, values):
    """Each follows the protocol, and each sentence of it ends in a full stop."""
    del values
    assert isinstance(action, Action)
    assert action.protects.endswith(".")
    assert action.exposes.endswith(".")


@every
def test_name_length_and_nulls_stay(action, values):
    """The column comes back with its name, as long as it was, null where it was null."""
    column = pl.Series("x", values)
    changed = action.apply(column, context())
    assert (changed.name, len(changed)) == ("x", 3)
    assert changed.is_null().to_list() == [False, True, isinstance(action, Suppress)]


@every
def test_the_column_that_came_in_is_left_as_it_was(action, values):
    """An action makes a new column."""
    column = pl.Series("x", values)
    action.apply(column, context())
    assert column.to_list() == values


@every
@pytest.mark.parametrize("n", [0, 2])
def test_a_column_without_values_comes_back_without_values(action, values, n):
    """No records, or nulls only, are no error, whatever the type of the column."""
    typed = pl.Series("x", values).clear(n)
    untyped = pl.Series("x", [None] * n)
    for column in (typed, untyped):
        assert action.apply(column, context()).to_list() == [None] * n


@every
def test_categories_are_changed_like_their_texts(action, values):
    """A column of categories or of an enumeration gives what the column of texts gives."""
    if values is NUMBERS:
        values = [None if number is None else "17" for number in NUMBERS]
        with pytest.raises(SchemaError, match=r"column 'x' holds .*needs numbers"):
            action.apply(pl.Series("x", values, dtype=pl.Categorical), context())
        return
    texts = pl.Series("x", values)
    expected = action.apply(texts, context()).to_list()
    enumeration = pl.Enum(texts.drop_nulls().to_list())
    for kind in (pl.Categorical, enumeration):
        assert action.apply(texts.cast(kind), context()).to_list() == expected


@every
def test_actions_are_values(action, values):
    """Equal parameters make equal actions, of the same hash."""
    del values
    parameters = {field.name: getattr(action, field.name) for field in fields(action)}
    again = type(action)(**parameters)
    assert (again, hash(again)) == (action, hash(action))


@pytest.mark.parametrize("action", [Keep(first=1), MaskEmail(), MaskPhone(), MaskIban()])
@pytest.mark.parametrize("column", [pl.Series("x", [[1]]), pl.Series("x", [b"a"])])
def test_values_without_a_text_are_refused(action, column):
    """Lists and bytes cannot be masked character by character."""
    with pytest.raises(SchemaError, match=f"column 'x' holds .*{action.type} needs"):
        action.apply(column, context())


@pytest.mark.parametrize("action", [Round(to=5), TopBottom(upper=5), Bin(width=5)])
@pytest.mark.parametrize("values", [["a"], [dt.date(2020, 1, 1)], [True]])
def test_what_changes_numbers_refuses_text_dates_and_truth_values(action, values):
    """The refusal names the column, its type and the action."""
    with pytest.raises(SchemaError, match=f"column 'x' holds .*{action.type} needs numbers"):
        action.apply(pl.Series("x", values), context())


@pytest.mark.parametrize("action", [TruncateDate("day"), ShiftDate()])
def test_what_changes_dates_refuses_numbers(action):
    """1984 may be a year, and is no date."""
    with pytest.raises(SchemaError, match=f"column 'x' holds Int64.*{action.type} needs dates"):
        action.apply(pl.Series("x", [1984]), context())
