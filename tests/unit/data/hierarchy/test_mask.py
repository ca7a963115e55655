"""Masking."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError


def bound(values, *parameters):
    """Return the rows of a masking hierarchy."""
    return hierarchy.masking(*parameters).bind(pl.Series("zip", values)).to_rows()


def test_it_hides_one_more_character_at_every_level():
    """Postal codes lose their digits from the right; leading zeros stay."""
    assert bound(["02138", "02139", "02215", "10001"]) == [
        ["02138", "0213*", "02***", "*"],
        ["02139", "0213*", "02***", "*"],
        ["02215", "0221*", "02***", "*"],
        ["10001", "1000*", "10***", "*"],
    ]


def test_it_can_start_from_the_left():
    """From the left, the ends of the codes decide what stands together."""
    assert bound(["ab1", "cb1", "ca1", "da2"], "left", "#") == [
        ["ca1", "#a1", "##1", "*"],
        ["ab1", "#b1", "##1", "*"],
        ["cb1", "#b1", "##1", "*"],
        ["da2", "#a2", "##2", "*"],
    ]


def test_shorter_values_count_as_masked_where_they_end():
    """A character that is not there is hidden from level 1 on."""
    assert bound(["1", "12", "123", "129", "2"]) == [
        ["1", "1**", "1**", "*"],
        ["12", "12*", "1**", "*"],
        ["123", "12*", "1**", "*"],
        ["129", "12*", "1**", "*"],
        ["2", "2**", "2**", "*"],
    ]
    assert bound(["3", "13", "213", "4"], "left") == [
        ["3", "**3", "**3", "*"],
        ["13", "*13", "**3", "*"],
        ["213", "*13", "**3", "*"],
        ["4", "**4", "**4", "*"],
    ]


def test_a_value_may_hold_the_masking_character():
    """A star of the data hides as a hidden character does."""
    assert bound(["a*", "ab", "a", "b"])[:3] == [
        ["a", "a*", "*"],
        ["a*", "a*", "*"],
        ["ab", "a*", "*"],
    ]


def test_whole_numbers_lose_ones_then_tens():
    """Numbers are padded with zeros on the left, the sign kept."""
    assert bound([7, 42, 45, 123, -5]) == [
        ["-5", "-0*", "-**", "*"],
        ["7", "00*", "0**", "*"],
        ["42", "04*", "0**", "*"],
        ["45", "04*", "0**", "*"],
        ["123", "12*", "1**", "*"],
    ]


def test_combined_characters_do_not_shift_the_mask():
    """An accent that is a character of its own is masked as one."""
    rows = bound(["ae\u0301", "be\u0301", "xyz"], "left")
    assert rows[1] == ["ae\u0301", "*e\u0301", "*"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (("top",), "masking is from 'right' or 'left', not 'top'"),
        (("left", "**"), r"character must be one character, not '\*\*'"),
    ],
)
def test_other_parameters_are_refused(parameters, message):
    """The error names the parameter and what it must be."""
    with pytest.raises(HierarchyError, match=message):
        hierarchy.masking(*parameters)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.5], "column 'zip' holds Float64: masking needs text or whole numbers; use intervals"),
        ([date(2020, 5, 17)], "column 'zip' holds Date: .*; use dates"),
        ([True], "column 'zip' holds Boolean: .*; use groups"),
    ],
)
def test_a_column_without_characters_is_refused(values, message):
    """The error names the column, what it holds, and the builder that fits."""
    with pytest.raises(HierarchyError, match=message):
        bound(values)


def test_long_texts_cost_little():
    """A level is made only where values part, however long the texts are."""
    texts = pl.Series("x", [f"{'a' * 4000}{i:03}{'b' * 4000}" for i in range(1000)])
    found = hierarchy.masking().bind(texts)
    assert [len(names) for names in found.labels] == [1000, 100, 10, 1, 1]
