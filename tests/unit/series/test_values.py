"""Values and types in a file, and columns of batches brought to the types of the fit."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import polars as pl
import pytest
from polars.testing import assert_series_equal

import kanonym as ka
from kanonym.series.document import table_form, table_of, type_of
from kanonym.series.known_attribute import align_column, stack_columns

COLUMNS = {
    "integers": pl.Series([3, -(2**62), None]),
    "narrow": pl.Series([3, None], dtype=pl.Int8),
    "numbers": pl.Series([0.1, 1e-300, None, -2.5]),
    "words": pl.Series(["a", "", "null", None, "ä\n"]),
    "truth": pl.Series([True, None, False]),
    "days": pl.Series([date(2020, 2, 29), None, date(1, 1, 1)]),
    "times": pl.Series([datetime(2020, 1, 2, 3, 4, 5, 678901), None]),
    "zoned": pl.Series([datetime(2020, 7, 2, 3, 4), None]).dt.replace_time_zone("Europe/Madrid"),
    "hours": pl.Series([time(3, 4, 5), None]),
    "spans": pl.Series([timedelta(days=2, seconds=3), None]),
    "exact": pl.Series([Decimal("1.20"), None]),
    "ordered": pl.Series(["low", None, "high"], dtype=pl.Enum(["low", "middle", "high"])),
    "nothing": pl.Series([None, None], dtype=pl.Null),
    "names": pl.Series(["b", None, "a", "b"], dtype=pl.Categorical),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_what_is_written_is_read(name):
    """Every value and type of every kind of column comes back from JSON as it was."""
    columns = [COLUMNS[name].alias(name), pl.Series("*", range(len(COLUMNS[name])))]
    for written in (columns, [one.clear() for one in columns]):
        again = table_of(json.loads(json.dumps(table_form(written))))
        for column, read in zip(written, again, strict=True):
            assert read.dtype == column.dtype
            assert_series_equal(read, column)


@pytest.mark.parametrize("form", ["Object", "Series", {"Enum": ["a"], "Decimal": [1, 2]}, 3, None])
def test_what_is_no_type_is_refused(form):
    """A type is one of those that a file has: no other name reaches the library."""
    with pytest.raises(ValueError, match="no column type"):
        type_of(form)


@pytest.mark.parametrize(
    ("column", "dtype", "expected"),
    [
        (pl.Series([1234, None]), pl.String(), ["1234", None]),
        (pl.Series(["12", None]), pl.Int64(), [12, None]),
        (pl.Series(["12.0", " 7"]), pl.Int64(), [12, 7]),
        (pl.Series([12.0, None]), pl.Int64(), [12, None]),
        (pl.Series([12, None]), pl.Float64(), [12.0, None]),
        (pl.Series(["2020-01-31"]), pl.Date(), [date(2020, 1, 31)]),
        (pl.Series(["true", "0", None]), pl.Boolean(), [True, False, None]),
        (pl.Series([None, None], dtype=pl.String), pl.Int64(), [None, None]),
        (pl.Series(["new", "low"]), pl.Enum(["low", "high"]), ["new", "low"]),
        (pl.Series([True]), pl.String(), ["true"]),
        (pl.Series([date(2020, 1, 31)]), pl.Datetime("us"), [datetime(2020, 1, 31)]),
        (pl.Series([datetime(2020, 1, 31)]), pl.Date(), [date(2020, 1, 31)]),
    ],
)
def test_a_column_comes_to_the_type_of_the_fit(column, dtype, expected):
    """Types that files lose come back; all cells stay what they are."""
    assert align_column(column.alias("c"), dtype).to_list() == expected


def test_integers_stay_as_wide_as_they_are():
    """A number beyond the type of the fit is a number that the fit has not seen, no error."""
    assert align_column(pl.Series("c", [300]), pl.Int8()).to_list() == [300]


def test_categories_that_are_new_come_last():
    """The order of an ordered column stays that of the fit."""
    column = align_column(pl.Series("c", ["z", "low", "a"]), pl.Enum(["low", "high"]))
    assert column.dtype.categories.to_list() == ["low", "high", "a", "z"]


@pytest.mark.parametrize(
    ("column", "dtype", "cell"),
    [
        (pl.Series(["1", "x"]), pl.Int64(), "row 2: 'x' is no Int64"),
        (pl.Series([1.0, 2.5]), pl.Int64(), "row 2: '2.5' is no Int64"),
        (pl.Series([Decimal("1.0"), Decimal("2.5")]), pl.Int64(), "row 2: '2.5' is no Int64"),
        (pl.Series([Decimal("0.25")]), pl.Decimal(9, 1), "row 1: '0.25' is no Decimal"),
        (pl.Series(["2020-01-01", "soon"]), pl.Date(), "row 2: 'soon' is no Date"),
        (pl.Series(["2020-01-01T05:00"]), pl.Date(), "row 1: '2020-01-01T05:00' is no Date"),
        (
            pl.Series([datetime(2020, 1, 1, 5)]),
            pl.Date(),
            "row 1: '2020-01-01 05:00:00' is no Date",
        ),
        (pl.Series(["yes"]), pl.Boolean(), "row 1: 'yes' is no Boolean"),
    ],
)
def test_a_cell_of_another_type_is_named(column, dtype, cell):
    """The error says column, row, value and what to do."""
    with pytest.raises(ka.DataError, match=f"column 'c', {cell}.*correct the cell"):
        align_column(column.alias("c"), dtype)


def test_a_column_of_another_kind_is_refused():
    """What cannot be converted at all is refused by its types."""
    with pytest.raises(ka.DataError, match="column 'c' holds Boolean, but Date"):
        align_column(pl.Series("c", [True]), pl.Date())


def test_enumerations_are_stacked_in_the_order_of_the_first():
    """Categories that the second has alone come after those of the first."""
    one = pl.Series("c", ["b"], dtype=pl.Enum(["b", "a"]))
    other = pl.Series("c", ["x", "a"], dtype=pl.Enum(["a", "x"]))
    both = stack_columns(one, other)
    assert both.to_list() == ["b", "x", "a"]
    assert both.dtype.categories.to_list() == ["b", "a", "x"]
