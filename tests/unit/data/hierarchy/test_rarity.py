"""Rare values first."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError


def test_rare_values_merge_first():
    """The bar rises from level to level; the most frequent values stay longest."""
    jobs = pl.Series("job", ["clerk", "judge", "nurse", "smith", None])
    found = hierarchy.frequency([0.1, 0.4]).bind(jobs, np.array([39, 8, 50, 3, 900]))
    assert found.to_rows() == [
        ["nurse", "nurse", "nurse", "*"],
        ["clerk", "clerk", "other", "*"],
        ["judge", "other", "other", "*"],
        ["smith", "other", "other", "*"],
        ["", "", "", "*"],
    ]


def test_a_share_is_reached_by_equality():
    """A value with exactly the share stays; ties stand in order of value."""
    found = hierarchy.frequency(0.25).bind(pl.Series("x", [*"dcba"]), np.array([1, 1, 4, 2]))
    assert found.to_rows()[:2] == [["b", "b", "*"], ["a", "a", "*"]]
    assert found.values.to_list() == ["b", "a", "c", "d"]


def test_a_value_called_other_is_no_group():
    """The group is called otherwise: a label that reads as a value is that value."""
    values = pl.Series("x", ["other", "a", "b", "c"])
    found = hierarchy.frequency(0.1).bind(values, np.array([90, 15, 2, 3]))
    assert found.to_rows() == [
        ["other", "other", "*"],
        ["a", "a", "*"],
        ["c", "(other)", "*"],
        ["b", "(other)", "*"],
    ]


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        (0, "shares must be above 0 and at most 1, not 0"),
        ([0.1, 2], "shares must be above 0 and at most 1, not 2"),
        ([0.2, 0.1], "shares must be ascending: 0.2, 0.1"),
        ([], "shares is empty"),
    ],
)
def test_shares_out_of_order_are_refused(shares, message):
    """The error names the share."""
    with pytest.raises(HierarchyError, match=message):
        hierarchy.frequency(shares)
