"""The text of a value does not depend on the type that other values give its column."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data.files import read_table
from kanonym.differential_privacy.cells import canonical_text, canonical_texts


def test_a_value_has_one_text_whatever_its_type():
    """Whole numbers, floats and texts that mean one number are one text; codes are not numbers."""
    assert canonical_texts(pl.Series([7])).to_list() == ["7"]
    assert canonical_texts(pl.Series([7.0, 7.5, float("nan")])).to_list() == ["7", "7.5", None]
    texts = ["7.0", " 7", "007", "+7", "7.50", "-0", "nan", "x", None]
    found = ["7", "7", "007", "+7", "7.5", "0", None, "x", None]
    assert canonical_texts(pl.Series(texts)).to_list() == found


def test_what_is_no_value_of_a_category_is_null():
    """A list has no text; no error tells of it."""
    assert canonical_texts(pl.Series([[1], [2]])).to_list() == [None, None]


@pytest.mark.parametrize(
    "written",
    [
        *("1e3", "1E5", "5.", ".5", "-.5", "-0", "-0.0", "1.50", "nan", "inf", "-Infinity"),
        *("true", "2024-01-05", "2024-01-05T10:00:00", "2024-01-05 10:00", "2024-01-05T10:00Z"),
        *("2024-01-05T10:00:00.1234567", "1234567890123456", "99999999999999999999", "007", "+5"),
    ],
)
@pytest.mark.parametrize("other", ["zebra", "2.5", "true", "2024-02-01", "2024-02-01T10:00", '""'])
def test_one_record_does_not_change_how_others_are_read(tmp_path, written, other):
    """A word among numbers makes a column of texts; the texts of its values stay the same."""
    found = []
    for place, cells in enumerate(([written, written], [written, written, other])):
        path = tmp_path / f"{place}.csv"
        path.write_text("x,y\n" + "".join(f"{cell},1\n" for cell in cells))
        found.append(canonical_texts(read_table(path)["x"]).to_list()[:2])
    assert found[0] == found[1]


@given(st.from_regex(r"\A-?[0-9]{1,12}(\.[0-9]{0,6})?\Z"))
def test_a_column_has_the_text_of_each_of_its_values(text):
    """The short way for numbers that are written plainly gives what the long one gives."""
    assert canonical_texts(pl.Series([text, "x"])).to_list() == [canonical_text(text), "x"]
    assert canonical_texts(pl.Series([canonical_text(text)])).to_list() == [canonical_text(text)]
