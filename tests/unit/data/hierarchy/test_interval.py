"""Intervals of numbers."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError


def bound(values, counts=None, **parameters):
    """Return the rows of an interval hierarchy over the column `x`."""
    counted = None if counts is None else np.array(counts)
    return hierarchy.intervals(**parameters).bind(pl.Series("x", values), counted).to_rows()


def test_widths_nest_from_level_to_level():
    """Intervals start at multiples of their width, also below zero."""
    assert bound([-3, 20, 24, 25, 39], width=[5, 10, 20]) == [
        ["-3", "[-5, 0)", "[-10, 0)", "[-20, 0)", "*"],
        ["20", "[20, 25)", "[20, 30)", "[20, 40)", "*"],
        ["24", "[20, 25)", "[20, 30)", "[20, 40)", "*"],
        ["25", "[25, 30)", "[20, 30)", "[20, 40)", "*"],
        ["39", "[35, 40)", "[30, 40)", "[20, 40)", "*"],
    ]


def test_an_origin_moves_all_intervals():
    """Every width starts at the origin."""
    rows = bound([1, 3, 4, 8, 13], width=[5, 10], origin=3)
    assert [row[1:3] for row in rows] == [
        ["[-2, 3)", "[-7, 3)"],
        ["[3, 8)", "[3, 13)"],
        ["[3, 8)", "[3, 13)"],
        ["[8, 13)", "[3, 13)"],
        ["[13, 18)", "[13, 23)"],
    ]


def test_edges_are_the_decimals_that_a_person_reads():
    """0.3 lies in [0.3, 0.4), though three times 0.1 is a little more in binary."""
    rows = bound([0.1, 0.15, 0.3, 0.6, 0.7, 0.75], width=0.1)
    assert [row[1] for row in rows] == [
        "[0.1, 0.2)",
        "[0.1, 0.2)",
        "[0.3, 0.4)",
        "[0.6, 0.7)",
        "[0.7, 0.8)",
        "[0.7, 0.8)",
    ]


def test_whole_edges_read_as_whole_numbers():
    """Floats in intervals of a whole width have labels without a decimal point."""
    assert bound([1.5, 3.0, 7.25], width=5)[0] == ["1.5", "[0, 5)", "*"]


def test_bounds_are_open_at_the_ends():
    """Values outside the bounds are coded below and above."""
    rows = bound([3, 18, 64, 65, 70], bounds=[[18, 40, 65], [18, 65]])
    assert [row[1:] for row in rows] == [
        ["<18", "<18", "*"],
        ["[18, 40)", "[18, 65)", "*"],
        ["[40, 65)", "[18, 65)", "*"],
        [">=65", ">=65", "*"],
        [">=65", ">=65", "*"],
    ]


def test_quantiles_hold_about_as_many_records():
    """Quantile groups follow the records, not the values, and nest."""
    rows = bound([1, 2, 3, 4, 5, 6], counts=[10, 10, 5, 5, 5, 5], quantiles=[4, 2])
    assert [row[1:] for row in rows] == [
        ["<2", "<3", "*"],
        ["[2, 3)", "<3", "*"],
        ["[3, 5)", ">=3", "*"],
        ["[3, 5)", ">=3", "*"],
        [">=5", ">=3", "*"],
        [">=5", ">=3", "*"],
    ]


def test_a_value_with_most_records_is_a_quantile_of_its_own():
    """A heavy value does not swallow its neighbours."""
    rows = bound([1, 2, 3, 100], counts=[1, 1, 1, 97], quantiles=4)
    assert [row[1] for row in rows] == ["<100", "<100", "<100", ">=100"]


def test_ends_are_coded_at_every_level():
    """Bottom and top coding cut the intervals that they lie in."""
    rows = bound([1, 3, 4, 9, 17, 18, 30], width=[5, 10], bottom=3.5, top=18)
    assert [row[1:] for row in rows] == [
        ["<3.5", "<3.5", "*"],
        ["<3.5", "<3.5", "*"],
        ["[3.5, 5)", "[3.5, 10)", "*"],
        ["[5, 10)", "[3.5, 10)", "*"],
        ["[15, 18)", "[10, 18)", "*"],
        [">=18", ">=18", "*"],
        [">=18", ">=18", "*"],
    ]


def test_ends_can_be_coded_alone():
    """Without intervals, the values between the coded ends stay as they are."""
    rows = bound([1, 2, 50, 60, 90, 95], bottom=18, top=90)
    assert [row[1] for row in rows] == ["<18", "<18", "50", "60", ">=90", ">=90"]


def test_ends_cut_bounds_too():
    """Bounds outside the coded range do not count."""
    rows = bound([1, 10, 30, 50, 70], bounds=[5, 20, 40, 60], bottom=8, top=45)
    assert [row[1] for row in rows] == ["<8", "[8, 20)", "[20, 40)", ">=45", ">=45"]


def test_useless_levels_are_left_out():
    """A level that groups nothing more than the one below is no level."""
    assert bound([10, 20, 30], width=[1, 10, 20]) == [
        ["10", "[0, 20)", "*"],
        ["20", "[20, 40)", "*"],
        ["30", "[20, 40)", "*"],
    ]


def test_what_all_values_share_is_a_level():
    """One interval of all values is kept, the narrowest; null is a branch beside it."""
    assert bound([61, 62, 67, None], width=[5, 10, 20]) == [
        ["61", "[60, 65)", "[60, 70)", "*"],
        ["62", "[60, 65)", "[60, 70)", "*"],
        ["67", "[65, 70)", "[60, 70)", "*"],
        ["", "", "", "*"],
    ]
    assert bound([1, 2], bounds=[[0, 5, 9], [0, 9]])[0] == ["1", "[0, 5)", "*"]
    assert bound([1, 1, 1, 1, 9], quantiles=[2]) == [["1", "*"], ["9", "*"]]


def test_null_is_no_number():
    """Null and NaN are one leaf beside the intervals."""
    rows = bound([1.0, 2.0, 7.0, None, float("nan")], width=5)
    assert rows[-1] == ["", "", "*"]
    assert len(rows) == 4


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("x", [1, 2, 9], dtype=pl.UInt8),
        pl.Series("x", [1, 2, 9], dtype=pl.Int128),
        pl.Series("x", [1, 2, 9], dtype=pl.Float32),
        pl.Series("x", ["1", "2", "9"]).cast(pl.Decimal(10, 2)),
    ],
    ids=lambda column: str(column.dtype),
)
def test_all_numbers_have_intervals(column):
    """The type of the numbers does not matter, nor that an end lies outside of it."""
    found = hierarchy.intervals(width=5, bottom=-5, top=300).bind(column)
    assert found.generalize(1) == ["[0, 5)", "[0, 5)", "[5, 10)"]
    assert found.values.dtype == column.dtype


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "intervals need width, bounds, quantiles, bottom or top"),
        ({"width": 5, "quantiles": 4}, "intervals take only one of width and quantiles"),
        ({"width": [10, 15]}, "width must nest: 15 is not a multiple of 10"),
        ({"width": [0.1, 0.25]}, "width must nest: 0.25 is not a multiple of 0.1"),
        ({"width": [10, 5]}, "width must be ascending: 10, 5"),
        ({"width": 0}, "width must be positive, not 0"),
        ({"width": []}, "width is empty"),
        ({"width": "5"}, "width must be numbers, not '5'"),
        ({"width": True}, "width must be numbers, not True"),
        ({"width": float("nan")}, "not nan"),
        ({"width": 10**400}, "whole numbers of at most 64 bits"),
        ({"width": 1e-30}, "width and origin may have 22 decimals, not 30"),
        ({"width": 5, "origin": "a"}, "origin must be numbers, not 'a'"),
        ({"bounds": [1], "origin": 5}, "give width"),
        ({"bounds": [30, 18]}, "bounds must be ascending: 30, 18"),
        ({"bounds": []}, "bounds is empty"),
        (
            {"bounds": [[18, 65], [30]]},
            "bounds must nest: 30 is not a bound of the level below (18, 65)",
        ),
        ({"quantiles": [5, 2]}, "quantiles must nest: 2 groups are not made of 5"),
        ({"quantiles": 1}, "quantiles must be whole numbers of at least 2, not 1"),
        ({"bottom": 90, "top": 18}, "bottom and top must be ascending: 90, 18"),
    ],
)
def test_parameters_that_make_no_levels_are_refused(parameters, message):
    """The error names the parameter and what it must be."""
    with pytest.raises(HierarchyError) as error:
        hierarchy.intervals(**parameters)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pl.Series("x", ["1"]), "column 'x' holds String: intervals need numbers"),
        (pl.Series("x", [date(2020, 5, 17)]), "column 'x' holds Date: intervals need numbers; use"),
        (pl.Series("x", [1e300, 1.0]), "numbers too large for intervals of width 5"),
        (pl.Series("x", [-(2**62), 1]), "numbers too large for intervals of width 5"),
    ],
)
def test_a_column_without_intervals_is_refused(column, message):
    """The error names the column and what it holds."""
    with pytest.raises(HierarchyError) as error:
        hierarchy.intervals(width=5).bind(column)
    assert message in str(error.value)


def test_large_numbers_can_be_coded():
    """A top code takes numbers out of the intervals, so that the others fit."""
    assert [row[1] for row in bound([1.0, 4.0, 7.0, 1e300], width=5, top=10)] == [
        "[0, 5)",
        "[0, 5)",
        "[5, 10)",
        ">=10",
    ]


def test_cut_points_are_written_as_the_column_writes_them():
    """A number of 32 bits has its own shortest text, not that of 64 bits."""
    column = pl.Series("x", [45.1, 48.1, 53.8, 57.2], dtype=pl.Float32)
    assert hierarchy.intervals(quantiles=2).bind(column).labels[1] == ("<53.8", ">=53.8")
