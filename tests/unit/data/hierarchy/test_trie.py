"""Common prefixes."""

from __future__ import annotations

import polars as pl
import pytest

from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError

CODES = ["A00.0", "A00.1", "A01", "B20", "B20.1", "C"]


def test_groups_read_as_their_longest_common_prefix():
    """Values part where their prefixes do; one alone stays as it is."""
    assert hierarchy.prefix().bind(pl.Series("code", CODES)).to_rows() == [
        ["A00.0", "A00.*", "A00.*", "A0*", "*"],
        ["A00.1", "A00.*", "A00.*", "A0*", "*"],
        ["A01", "A01", "A01", "A0*", "*"],
        ["B20", "B20", "B20*", "B20*", "*"],
        ["B20.1", "B20.1", "B20*", "B20*", "*"],
        ["C", "C", "C", "C", "*"],
    ]


def test_fewer_levels_thin_out_evenly():
    """Of many prefix lengths those are kept whose groups are about equally many times fewer."""
    numbers = pl.Series("code", [f"{i:06b}" for i in range(64)])
    found = hierarchy.prefix(levels=2).bind(numbers)
    assert [len(names) for names in found.labels] == [64, 16, 4, 1]
    assert found.label(1, 5) == "0001*"


def test_whole_numbers_are_codes_too():
    """Numbers group by their leading digits."""
    found = hierarchy.prefix().bind(pl.Series("code", [11, 112, 2]))
    assert found.generalize(1) == ["11*", "11*", "2"]


def test_other_parameters_and_columns_are_refused():
    """The error names the parameter, or the column and the builder that fits."""
    with pytest.raises(HierarchyError, match="levels must be whole numbers of at least 1, not 0"):
        hierarchy.prefix(levels=0)
    with pytest.raises(HierarchyError, match="column 'x' holds Float64: prefix needs text"):
        hierarchy.prefix().bind(pl.Series("x", [1.5]))
