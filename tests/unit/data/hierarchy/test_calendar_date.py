"""Dates."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import polars as pl
import pytest

from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError

DAYS = [
    date(1999, 12, 31),
    date(2000, 1, 1),
    date(2000, 1, 2),
    date(2000, 2, 1),
    date(2000, 5, 9),
    date(2001, 5, 9),
]


def test_units_read_as_people_write_them():
    """A date generalizes to month, quarter, year and decade."""
    rows = hierarchy.dates().bind(pl.Series("day", DAYS)).to_rows()
    assert rows == [
        ["1999-12-31", "1999-12", "1999-Q4", "1999", "1990s", "*"],
        ["2000-01-01", "2000-01", "2000-Q1", "2000", "2000s", "*"],
        ["2000-01-02", "2000-01", "2000-Q1", "2000", "2000s", "*"],
        ["2000-02-01", "2000-02", "2000-Q1", "2000", "2000s", "*"],
        ["2000-05-09", "2000-05", "2000-Q2", "2000", "2000s", "*"],
        ["2001-05-09", "2001-05", "2001-Q2", "2001", "2000s", "*"],
    ]


def test_weeks_are_iso_weeks():
    """A week may begin in the year before; it keeps together across the new year."""
    found = hierarchy.dates("week").bind(pl.Series("day", DAYS))
    assert found.generalize(1) == [*["1999-W52"] * 3, "2000-W05", "2000-W19", "2001-W19"]


def test_times_fall_into_days():
    """Times of one day are one group where the column holds times."""
    stamps = pl.Series("t", [datetime(2020, 5, 17, hour, tzinfo=UTC) for hour in (1, 23)])
    more = stamps.append(pl.Series("t", [datetime(2020, 5, 18, 1, tzinfo=UTC)]))
    assert hierarchy.dates().bind(more).generalize(1) == ["2020-05-17", "2020-05-17", "2020-05-18"]


def test_a_day_is_a_day_of_the_columns_time_zone():
    """Half past eleven in the evening in London is the next day in Berlin."""
    utc = [datetime(2020, 1, 1, 10, tzinfo=UTC), datetime(2020, 1, 1, 23, 30, tzinfo=UTC)]
    more = [*utc, datetime(2020, 1, 2, 10, tzinfo=UTC)]
    berlin = pl.Series("t", more).dt.convert_time_zone("Europe/Berlin")
    found = hierarchy.dates(["day"]).bind(berlin).generalize(1)
    assert found == ["2020-01-01", "2020-01-02", "2020-01-02"]


def test_iso_texts_are_dates():
    """Text keeps its type and stands in the order of time."""
    found = hierarchy.dates(["year"]).bind(
        pl.Series("day", ["2000-02-01", "1999-12-31 10:30", "2000-01-01T10:30:00", None])
    )
    assert found.to_rows() == [
        ["1999-12-31 10:30", "1999", "*"],
        ["2000-01-01T10:30:00", "2000", "*"],
        ["2000-02-01", "2000", "*"],
        ["", "", "*"],
    ]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (["week", "month"], "week does not nest in month: a week may lie in two; leave one of"),
        (["week", "year"], "week does not nest in year"),
        (["month", "day"], "levels go from fine to coarse .*, each once, not month, day"),
        (["day", "day"], "each once, not day, day"),
        (["hour"], "levels are some of day, week, month, quarter, year, decade, not 'hour'"),
        ([], "levels is empty"),
    ],
)
def test_units_that_do_not_nest_are_refused(levels, message):
    """The error names the units."""
    with pytest.raises(HierarchyError, match=message):
        hierarchy.dates(levels)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            ["2020-05-17", "x", "2020-13-01"],
            "column 'day': 2 values are no ISO date: '2020-13-01' and 1 more",
        ),
        ([3], "column 'day' holds Int64: dates needs dates"),
        ([time(10)], "column 'day' holds Time: dates needs dates"),
    ],
)
def test_a_column_without_dates_is_refused(values, message):
    """The error names the column, and what is no date."""
    with pytest.raises(HierarchyError, match=message):
        hierarchy.dates().bind(pl.Series("day", values))
