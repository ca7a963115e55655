"""Keep, redact and suppress: characters and cells hidden."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from action_context import applied, context
from effort import examples
from kanonym import PolicyError
from kanonym.actions import Keep, Redact, Suppress

# --- keep -----------------------------------------------------------------------------


def test_keep_shows_both_ends_and_a_mark_for_each_other_character():
    """Postal codes keep their region, account numbers their last digits."""
    assert applied(Keep(first=2), ["25105", "15846"]) == ["25***", "15***"]
    assert applied(Keep(last=4), ["4556123412341234"]) == ["************1234"]
    assert applied(Keep(first=1, last=1, character="x"), ["abcd"]) == ["axxd"]


def test_keep_hides_values_whole_that_are_too_short_to_hide_anything():
    """A value of as many characters as are kept would else be released as it is."""
    assert applied(Keep(first=2, last=1), ["abc", "ab", "", "abcd"]) == ["***", "**", "", "ab*d"]


def test_keep_takes_numbers_as_their_digits():
    """A number that is whole has no decimals to show."""
    assert applied(Keep(first=2), [25105, None]) == ["25***", None]
    assert applied(Keep(first=2), [25105.0, float("nan")]) == ["25***", None]


@given(
    texts=st.lists(st.text(max_size=6), min_size=1, max_size=5),
    first=st.integers(0, 3),
    last=st.integers(0, 3),
    character=st.sampled_from("*$\\#"),
)
@settings(max_examples=examples(60), deadline=None)
def test_keep_hides_character_by_character_as_plain_code_does(texts, first, last, character):
    """Whatever characters there are, newlines and the mark itself among them."""
    if first + last == 0:
        first = 1

    def masked(text):
        hidden = len(text) - first - last
        if hidden <= 0:
            return character * len(text)
        return text[:first] + character * hidden + text[len(text) - last :]

    given_texts = pl.Series("x", texts, dtype=pl.String)
    assert applied(Keep(first, last, character), given_texts) == [masked(text) for text in texts]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "keep: first and last are both 0"),
        ({"first": -1}, "keep: first is -1; it must be an integer of at least 0"),
        ({"first": 1, "character": "**"}, r"keep: character is '\*\*'; it must be one character"),
    ],
)
def test_keep_refuses_parameters_that_make_no_sense(parameters, message):
    """The message names the parameter."""
    with pytest.raises(PolicyError, match=message):
        Keep(**parameters)


# --- redact ---------------------------------------------------------------------------


def test_redact_makes_all_values_alike():
    """No value differs from another, whatever its type."""
    assert applied(Redact(), ["a", "bbb", None]) == ["***", "***", None]
    assert applied(Redact("hidden"), [1.5, float("nan")]) == ["hidden", None]
    assert applied(Redact(), [[1], None]) == ["***", None]


def test_redact_refuses_what_is_no_text():
    """The message names the parameter."""
    with pytest.raises(PolicyError, match="redact: text is 0; it must be a text"):
        Redact(0)


# --- suppress -------------------------------------------------------------------------


def test_suppress_empties_the_column_and_keeps_its_type():
    """All cells are null, of the type that they had."""
    emptied = Suppress().apply(pl.Series("x", [1, 2]), context())
    assert (emptied.to_list(), emptied.dtype) == ([None, None], pl.Int64)


def test_suppress_empties_the_cells_of_some_values():
    """A value of a policy is compared as text: 3 is 3.0."""
    assert applied(Suppress(["mayor"]), ["nurse", "mayor", None]) == ["nurse", None, None]
    assert applied(Suppress([3, 5.0]), [3.0, 4.0, 5.0]) == [None, 4.0, None]
    assert applied(Suppress([True]), [True, False]) == [None, False]


def test_suppress_empties_the_values_that_few_records_share():
    """Two of one value are not fewer than two; nulls are not counted as one."""
    action = Suppress(fewer_than=2)
    assert applied(action, ["a", "b", "a", None]) == ["a", None, "a", None]
    assert applied(Suppress(fewer_than=3), [1, 1, 2, 2, 2]) == [None, None, 2, 2, 2]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"values": ["a"], "fewer_than": 2}, "one of values and fewer_than"),
        ({"values": []}, "values is .*at least one"),
        ({"values": "abc"}, "values is 'abc'; it must be a list"),
        ({"fewer_than": 1}, "fewer_than is 1; it must be an integer of at least 2"),
    ],
)
def test_suppress_refuses_parameters_that_make_no_sense(parameters, message):
    """The message names the parameter."""
    with pytest.raises(PolicyError, match=message):
        Suppress(**parameters)
