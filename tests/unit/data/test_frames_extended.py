"""Further records below those of a table: every column keeps its very type."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from kanonym.data import frame_rows, frames

VALUES = {
    "i": [1, 2, 3],
    "f": [1.5, None, 2.0],
    "t": ["a", "b", None],
    "b": [True, False, True],
    "d": [dt.date(2020, 1, 1), dt.date(2021, 1, 1), dt.date(2022, 1, 1)],
    "m": [dt.datetime(2020, 1, 1, 5), None, dt.datetime(2022, 1, 1)],
}
POLARS = [
    pl.Series(["x", "y", "x"], dtype=pl.Categorical),
    pl.Series(["x", "y", None], dtype=pl.Enum(["y", "x"])),
    pl.Series([1, 2, 3], dtype=pl.Int8),
    pl.Series([0.1, 0.2, 0.3], dtype=pl.Float32),
    pl.Series([1, 2, 3]).cast(pl.Duration("ms")),
    pl.Series(["1.5", "2.5", "3.5"]).cast(pl.Decimal(10, 2)),
]
ARROW = [
    pa.array(["x", "y", "x"]).dictionary_encode(),
    pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0], pa.int8()), pa.array(["p", "q"]), ordered=True
    ),
    pa.array(["x", "y", None], pa.large_string()),
    pa.array([1, 2, None], pa.timestamp("ns", "UTC")),
    pa.array([1, 2, None], pa.int8()),
    pa.array([dt.date(2020, 1, 1)] * 3, pa.date64()),
    pa.array([5, 6, 5]).dictionary_encode(),
]
PANDAS = [
    pd.Series(pd.Categorical(["a", "b", None])),
    pd.Series(pd.Categorical(["a", "b", "a"], categories=["b", "a"], ordered=True)),
    pd.Series(pd.Categorical([3, 1, 3])),
    pd.Series(pd.Categorical([3, 1, 3], categories=[3, 1], ordered=True)),
    pd.Series(pd.Categorical(pd.to_datetime(["2020-01-01", "2021-01-01", None]))),
    pd.Series([1, None, 3], dtype="Int64"),
    pd.Series([True, None, False], dtype="boolean"),
    pd.Series(["a", None, "b"], dtype="string"),
    pd.Series(["a", "b", None], dtype=object),
    pd.Series([1, 2.5, None], dtype=object),
    pd.Series([dt.date(2020, 1, 1), dt.date(2021, 1, 1), None], dtype=object),
    pd.Series([1, 2, 3], dtype="int8"),
    pd.Series([0.1, None, 0.3], dtype="float32"),
    pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01", None])).dt.tz_localize("Europe/Berlin"),
    pd.Series(pd.to_timedelta([1, 2, None], unit="h")),
]


def check(table):
    """Add records 3 and 1 again, in a new order, and compare values and types."""
    names = frames.column_names(table)
    further = [frames.column(table, name).gather([2, 0]) for name in names]
    built = frame_rows.append_records(table, further, np.array([4, 0, 3, 1, 2]))
    before, after = frames.to_eager(table), frames.to_eager(built)
    assert type(built) is type(table)
    for name in names:
        expected = frames.column(before, name).gather([0, 0, 2, 1, 2])
        assert frames.column(after, name).to_list() == expected.to_list()
    types = "dtypes" if hasattr(after, "dtypes") else "schema"
    assert list(getattr(after, types)) == list(getattr(before, types))


def test_values_and_types_are_those_of_the_table(frame):
    """On every frame library, added records stand among the others in the same types."""
    check(frame(VALUES))


def test_a_lazy_frame_stays_one():
    """What came lazily goes lazily."""
    check(pl.DataFrame(VALUES).lazy())


@pytest.mark.parametrize("column", POLARS, ids=lambda one: str(one.dtype))
def test_every_type_of_polars_is_kept(column):
    """Categories, enums, small and decimal numbers and durations stay what they are."""
    check(column.alias("c").to_frame())


@pytest.mark.parametrize("column", ARROW, ids=lambda one: str(one.type))
def test_every_type_of_arrow_is_kept(column):
    """Dictionaries of any index, large text and units of time stay what they are."""
    check(pa.table({"c": column}))


@pytest.mark.parametrize("column", PANDAS, ids=lambda one: str(one.dtype))
def test_every_type_of_pandas_is_kept(column):
    """Categories, nullable and object columns stay what they are; the index is a fresh one."""
    check(column.rename("c").to_frame().set_axis([5, 7, 9]))
