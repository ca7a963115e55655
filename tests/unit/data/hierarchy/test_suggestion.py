"""Automatic hierarchies."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from kanonym.data import hierarchy

DAYS = [date(2000, 1, 1) + timedelta(days=40 * i) for i in range(20)]
COLUMNS = {
    "few": (["a", "b", None], hierarchy.flat()),
    "dates": (DAYS, hierarchy.dates(["month", "quarter", "year", "decade"])),
    "iso texts": ([*map(str, DAYS)], hierarchy.dates(["month", "quarter", "year", "decade"])),
    "ages": ([*range(17, 91)], hierarchy.intervals(width=[5, 10, 20, 40])),
    "grades": ([*range(7)], hierarchy.intervals(width=[1, 2, 4])),
    "shares": (
        [i / 100 for i in range(101)],
        hierarchy.intervals(width=[0.05, 0.1, 0.2, 0.4, 0.8]),
    ),
    "one outlier": ([*range(40), 10**9], hierarchy.intervals(quantiles=[16, 8, 4, 2])),
    "close": ([1 + i * 1e-15 for i in range(9)], hierarchy.intervals(quantiles=[16, 8, 4, 2])),
    "huge": ([-1e308, *range(9), 1e308], hierarchy.intervals(quantiles=[16, 8, 4, 2])),
    "postal codes": ([f"{i:05}" for i in range(0, 90000, 700)], hierarchy.masking()),
    "diagnoses": (["A00.0", "A00.1", "A01", "B20", "B20.1", "C5"], hierarchy.prefix()),
    "jobs": (["clerk", "judge", "nurse", "smith", "baker", "vet"], hierarchy.frequency()),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_the_data_decide(name):
    """Type, number and look of the values pick the builder, whose hierarchy is the result."""
    values, builder = COLUMNS[name]
    column = pl.Series(name, values, strict=False)
    suggestion = hierarchy.automatic().suggest(column)
    assert suggestion.builder == builder
    assert hierarchy.automatic().bind(column).to_rows() == builder.bind(column).to_rows()


def test_widths_follow_the_records():
    """Where most records crowd into one interval, quantiles are suggested."""
    ages, counts = pl.Series("age", range(17, 91)), np.ones(74, dtype=np.int64)
    counts[3] = 500
    assert hierarchy.automatic().suggest(ages, counts).builder.quantiles == (16, 8, 4, 2)


def test_it_describes_its_choice():
    """One line names the column, the builder with its parameters, and the reason."""
    describe = hierarchy.automatic().describe
    assert describe(pl.Series("age", range(17, 91))) == (
        "age: intervals (width [5, 10, 20, 40]), because it has 74 distinct numbers"
    )
    assert describe(pl.Series("sex", ["f", "m"])) == "sex: flat, because it has 2 distinct values"
    assert describe(pl.Series("zip", [f"{i:05}" for i in range(9)])) == (
        "zip: masking, because it has codes of 5 characters"
    )
