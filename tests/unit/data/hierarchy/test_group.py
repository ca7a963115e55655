"""Order-based groups."""

from __future__ import annotations

import polars as pl
import pytest

from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError


def test_groups_take_neighbours_level_by_level():
    """Fan-outs multiply; the last group holds what is left."""
    bound = hierarchy.groups([2, 2]).bind(pl.Series("n", [5, 1, 2, 3, 4, 6, 7]))
    assert bound.generalize(1) == ["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]", "[5, 6]", "[5, 6]", "7"]
    assert bound.generalize(2) == ["[1, 4]"] * 4 + ["[5, 7]"] * 3


def test_an_order_decides_and_stays_whole():
    """Values come in the given order, those without a record included."""
    sizes = hierarchy.groups(fan_outs=2, order=["XS", "S", "M", "L"])
    bound = sizes.bind(pl.Series("size", ["L", "S", None]))
    assert bound.to_rows() == [
        ["XS", "[XS, S]", "*"],
        ["S", "[XS, S]", "*"],
        ["M", "[M, L]", "*"],
        ["L", "[M, L]", "*"],
        ["", "", "*"],
    ]


def test_an_enumeration_has_an_order_of_its_own():
    """Without an order, an enumeration's categories stand in theirs."""
    grade = pl.Series("grade", ["low", "mid", "high"], dtype=pl.Enum(["low", "mid", "high"]))
    assert hierarchy.groups(2).bind(grade).values.to_list() == ["low", "mid", "high"]


def test_an_order_is_in_the_type_of_the_column():
    """Numbers of an order match numbers of the column."""
    bound = hierarchy.groups(2, order=[3, 1, 2]).bind(pl.Series("n", [1.0, 2.0]))
    assert bound.values.to_list() == [3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"fan_outs": 1}, "fan_outs must be whole numbers of at least 2, not 1"),
        ({"fan_outs": []}, "fan_outs is empty"),
        ({"fan_outs": [2, True]}, "fan_outs must be whole numbers of at least 2"),
        ({"fan_outs": 2, "order": "ab"}, "order must be a list of values, not 'ab'"),
        ({"fan_outs": 2, "order": ["a", None]}, "null has no place in it"),
    ],
)
def test_parameters_that_make_no_groups_are_refused(parameters, message):
    """The error names the parameter and what it must be."""
    with pytest.raises(HierarchyError) as error:
        hierarchy.groups(**parameters)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["a"], "column 'x': 2 values are not in order: 'b' and 1 more"),
        (["a", "b", "a"], "order, value 3: the value 'a' occurs a second time"),
    ],
)
def test_an_order_that_does_not_fit_is_refused(order, message):
    """The error names the column and the values."""
    with pytest.raises(HierarchyError) as error:
        hierarchy.groups(2, order=order).bind(pl.Series("x", ["a", "b", "c"]))
    assert message in str(error.value)
