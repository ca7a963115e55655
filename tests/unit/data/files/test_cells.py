"""Which type a column of texts has."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data.errors import DataError
from kanonym.data.files.text_cells import infer_type, parse_temporal, require_printable


def column(*texts):
    """Return the typed column of some texts."""
    return infer_type(pa.chunked_array([pa.array(texts, pa.string())]))


@pytest.mark.parametrize(
    ("texts", "dtype", "values"),
    [
        (["0", "-17", "12"], pl.Int64, [0, -17, 12]),
        (["1", None, "3"], pl.Int64, [1, None, 3]),
        ([" 1", "2 ", ""], pl.Int64, [1, 2, None]),
        ([str(2**63 - 1), str(-(2**63))], pl.Int64, [2**63 - 1, -(2**63)]),
        (["1", "2.5"], pl.Float64, [1.0, 2.5]),
        (["-0", "1"], pl.Float64, [0.0, 1.0]),
        (["1e3", "-.5", "5."], pl.Float64, [1000.0, -0.5, 5.0]),
        (["0.5", "NaN", "inf"], pl.Float64, [0.5, None, float("inf")]),
        (["0.5", " 1 ", ""], pl.Float64, [0.5, 1.0, None]),
        (["true", "false", None], pl.Boolean, [True, False, None]),
        (["2024-02-29", None], pl.Date, [dt.date(2024, 2, 29), None]),
        (["2024-02-29 ", ""], pl.Date, [dt.date(2024, 2, 29), None]),
    ],
)
def test_cells_of_one_type_get_it(texts, dtype, values):
    """Integers, floats, booleans and dates are recognized, with nulls and blanks around."""
    read = column(*texts)
    assert read.dtype == dtype
    assert read.to_list() == values


@pytest.mark.parametrize(
    "texts",
    [
        ["01234", "98765"],
        ["98765", "-01"],
        ["+49", "30"],
        ["0x1F", "7"],
        ["1_000", "7"],
        ["1,5", "2,5"],
        [str(2**63), "1"],
        [str(2**53 + 1), "1.5"],
        ["007.5", "1"],
        ["+1.5", "2"],
        ["NaN", "inf"],
        ["True", "False"],
        ["1", "true"],
        ["2024-2-9", "2024-02-10"],
        ["2023-02-29"],
        ["2024-02-29", "2024-02-29T10:00:00"],
        ["29.02.2024"],
        ["12:30:00"],
        ["1", "NA"],
        ["x", "1"],
        [None, None],
        ["", None],
        [],
    ],
)
def test_anything_else_stays_text_as_it_was(texts):
    """Whatever a number or date would not be written like is text, each cell unchanged."""
    read = column(*texts)
    assert read.dtype == pl.String
    assert read.to_list() == texts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2024-02-29T12:30:59", dt.datetime(2024, 2, 29, 12, 30, 59)),
        ("2024-02-29 12:30:59", dt.datetime(2024, 2, 29, 12, 30, 59)),
        ("2024-02-29 12:30", dt.datetime(2024, 2, 29, 12, 30)),
        ("2024-02-29T12:30:59.25", dt.datetime(2024, 2, 29, 12, 30, 59, 250000)),
        ("2024-02-29T12:30:59Z", dt.datetime(2024, 2, 29, 12, 30, 59, tzinfo=dt.UTC)),
        ("2024-02-29T12:30:59+02:00", dt.datetime(2024, 2, 29, 10, 30, 59, tzinfo=dt.UTC)),
        ("2024-02-29T12:30:59+0200", dt.datetime(2024, 2, 29, 10, 30, 59, tzinfo=dt.UTC)),
    ],
)
def test_times_are_recognized(text, value):
    """ISO times are times; with a zone they become UTC."""
    assert column(text, None).to_list() == [value, None]


def test_nanoseconds_are_kept():
    """A fraction of nine digits is a time to the nanosecond."""
    read = column("2024-02-29T12:30:59.000000001")
    assert read.dtype == pl.Datetime("ns")
    assert read.dt.nanosecond().to_list() == [1]


@pytest.mark.parametrize("late", ["01234", "x", str(2**63), "2024-01-01"])
def test_a_late_cell_decides_as_much_as_an_early_one(late):
    """The type depends on all cells, not on the first thousand."""
    texts = ["1"] * 5000 + [late]
    assert column(*texts).to_list() == texts
    assert column(*reversed(texts)).to_list() == list(reversed(texts))


def test_a_late_fraction_makes_floats():
    """One cell with a decimal point makes a column of integers one of floats."""
    assert column(*["1"] * 5000, "2.5").dtype == pl.Float64


def test_leading_nulls_do_not_hide_a_type():
    """A column whose first thousands of cells are null or empty is still read as numbers."""
    assert column(*[None] * 5000, "1").dtype == pl.Int64
    assert column(*[""] * 5000, "1").dtype == pl.Int64


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_integers_are_read_as_python_reads_them(numbers):
    """Every 64-bit integer comes back from its decimal text."""
    read = column(*[None if number is None else str(number) for number in numbers])
    assert read.to_list() == numbers


@given(st.lists(st.text("0123456789+-. exna", max_size=5), min_size=1))
def test_a_typed_cell_loses_no_digit(texts):
    """Where cells become integers, each was written as that integer, blanks apart."""
    read = column(*texts)
    if read.dtype == pl.Int64:
        bare = [text.strip() or None for text in texts]
        assert [None if number is None else str(number) for number in read] == bare


def test_json_texts_become_dates_only():
    """A text of digits that JSON marks as text stays one; ISO dates have no other form there."""
    assert parse_temporal(pl.Series(["1", "2"])).dtype == pl.String
    assert parse_temporal(pl.Series(["true"])).dtype == pl.String
    assert parse_temporal(pl.Series(["2024-02-29"])).dtype == pl.Date
    assert parse_temporal(pl.Series(["2024-02-29 10:00:00"])).dtype == pl.Datetime


@pytest.mark.parametrize("value", [b"x", [1], {"a": 1}, object()])
def test_what_has_no_text_is_refused(value):
    """Bytes, lists, structs and objects have no cell in a text file."""
    with pytest.raises(DataError, match=r"column 'x' holds .*, which CSV cannot"):
        require_printable(pl.DataFrame({"x": [value]}), "CSV")
