"""Data frames in and out."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kanonym as ka
from kanonym.data import frames
from kanonym.data.errors import DataError
from kanonym.data.frames import (
    assemble,
    column,
    column_names,
    is_frame,
    n_rows,
    to_eager,
    to_polars,
)

COLUMNS = {
    "age": [34, 51, 17],
    "zip": ["01234", None, "98765"],
    "born": [dt.datetime(1990, 5, 1, 12, 30), None, dt.datetime(2007, 1, 31)],
    "weight": [70.5, None, 61.25],
    "smoker": [True, False, True],
}


def native_values(frame):
    """Read a released frame without our own code."""
    return nw.from_native(frame).to_polars().rows()


def test_every_library_gives_the_same_columns(frame):
    """The same values become the same columns, whichever library holds them."""
    table = to_polars(frame(COLUMNS))
    assert table.to_dict(as_series=False) == COLUMNS
    assert table.schema["age"] == pl.Int64
    assert table.schema["zip"] == pl.String
    assert table.schema["weight"] == pl.Float64
    assert table.schema["smoker"] == pl.Boolean
    assert table.schema["born"].is_temporal()


def test_names_and_rows_are_counted(frame):
    """A table tells its columns in order and its number of rows."""
    table = frame(COLUMNS)
    assert column_names(table) == list(COLUMNS)
    assert n_rows(table) == 3


def test_tables_are_recognized(frame):
    """A frame of a supported library is one; a dict, a list and a column are none."""
    table = frame(COLUMNS)
    assert is_frame(table)
    assert is_frame(nw.from_native(table))
    assert not any(is_frame(other) for other in (COLUMNS, [1], None, pl.Series([1]), "x.csv"))


def test_lazy_and_wrapped_frames_are_read():
    """A LazyFrame and a narwhals wrapper hold the same columns as what they wrap."""
    table = pl.DataFrame(COLUMNS)
    for other in (table.lazy(), nw.from_native(table), nw.from_native(table.lazy())):
        assert is_frame(other)
        assert column_names(other) == list(COLUMNS)
        assert n_rows(other) == 3
        assert column(other, "age").to_list() == COLUMNS["age"]
        assert to_polars(other).equals(table)


def test_what_is_no_table_is_refused_by_type():
    """Anything but a table is an error that names its type."""
    with pytest.raises(DataError, match=r"pandas or polars DataFrame.*this is builtins\.dict"):
        to_polars({"age": [1]})


def test_nan_is_null(frame):
    """NaN reads as null, infinity stays."""
    values = column(frame({"x": [1.0, float("nan"), float("inf")]}), "x")
    assert values.to_list() == [1.0, None, float("inf")]


def test_a_column_without_any_value_is_text(frame):
    """A column that is null throughout reads as text."""
    values = column(frame({"x": [None, None], "y": [1, 2]}), "x")
    assert values.dtype == pl.String
    assert values.to_list() == [None, None]


def test_no_rows_are_a_table(frame):
    """A table of no rows has its columns."""
    table = to_polars(frame({"x": [1]})[:0])
    assert table.shape == (0, 1)


def test_no_column_is_an_error(frame):
    """A table without columns is refused."""
    with pytest.raises(DataError, match="the table has no columns"):
        column_names(frame({}))


@pytest.mark.parametrize(
    "table",
    [pd.DataFrame([[1, 2]], columns=["a", "a"]), pa.table([[1], [2]], names=["a", "a"])],
    ids=["pandas", "pyarrow"],
)
def test_two_columns_of_one_name_are_an_error(table):
    """Column names must differ: the error tells the name."""
    with pytest.raises(DataError, match="column name 'a' occurs more than once"):
        to_polars(table)


def test_names_that_are_not_text_are_an_error():
    """Pandas' integer column names are refused, with the way out."""
    with pytest.raises(DataError, match=r"must be text; 7 is int .*columns\.astype\(str\)"):
        column_names(pd.DataFrame({7: [1]}))


def test_an_unknown_column_is_an_error(frame):
    """Asking for a column that is not there names the ones that are."""
    with pytest.raises(DataError, match="no column 'aeg'; the table has: age, zip"):
        column(frame({"age": [1], "zip": [2]}), "aeg")


@pytest.mark.parametrize(
    ("series", "dtype", "values"),
    [
        (pd.Series([1, None], dtype="Int64"), pl.Int64, [1, None]),
        (pd.Series([True, None], dtype="boolean"), pl.Boolean, [True, None]),
        (pd.Series([True, None], dtype=object), pl.Boolean, [True, None]),
        (pd.Series(["a", pd.NA], dtype=object), pl.String, ["a", None]),
        (pd.Series(["a", float("nan")], dtype=object), pl.String, ["a", None]),
        (pd.Series([1, 2.5, None], dtype=object), pl.Float64, [1.0, 2.5, None]),
        (pd.Series([2**64 - 1], dtype="uint64"), pl.UInt64, [2**64 - 1]),
        (pd.Series([dt.date(2020, 1, 1), None]), pl.Date, [dt.date(2020, 1, 1), None]),
        (pd.Series([Decimal("1.50"), None]), pl.Decimal(3, 2), [Decimal("1.50"), None]),
        (
            pd.Series([dt.timedelta(1), None], dtype="timedelta64[us]"),
            pl.Duration("us"),
            [dt.timedelta(1), None],
        ),
        (pd.Series([1, 2], index=[8, 9]), pl.Int64, [1, 2]),
        (pd.Series(np.arange(6)[::2]), pl.Int64, [0, 2, 4]),
    ],
)
def test_pandas_columns_keep_their_values(series, dtype, values):
    """Nullable, object, decimal, date and strided columns of pandas read as what they hold."""
    converted = column(series.to_frame("x"), "x")
    assert converted.dtype == dtype
    assert converted.to_list() == values


def test_ordered_categories_keep_their_order():
    """An ordered category reads as an Enum of all its categories, in their order."""
    grades = ["low", "middle", "high"]
    frames = {
        "pandas": pd.DataFrame({"x": pd.Categorical(["high", "low", None], grades, ordered=True)}),
        "polars": pl.DataFrame({"x": pl.Series(["high", "low", None], dtype=pl.Enum(grades))}),
        "pyarrow": pa.table(
            {"x": pa.DictionaryArray.from_arrays(pa.array([2, 0, None]), grades, ordered=True)}
        ),
    }
    for table in frames.values():
        values = column(table, "x")
        assert values.dtype == pl.Enum(grades)
        assert values.to_list() == ["high", "low", None]


def test_unordered_categories_have_no_order():
    """An unordered category reads as a Categorical."""
    frames = [
        pd.DataFrame({"x": pd.Categorical(["b", "a", None])}),
        pl.DataFrame({"x": pl.Series(["b", "a", None], dtype=pl.Categorical)}),
        pa.table({"x": pa.array(["b", "a", None]).dictionary_encode()}),
    ]
    for table in frames:
        values = column(table, "x")
        assert values.dtype == pl.Categorical
        assert values.to_list() == ["b", "a", None]


@pytest.mark.parametrize(
    ("categories", "dtype", "values"),
    [
        (pd.Categorical([30, 20, None]), pl.Categorical, ["30", "20", None]),
        (pd.Categorical([30, 20], [20, 30], ordered=True), pl.Int64, [30, 20]),
        (pd.Categorical([30, 20], [30, 20], ordered=True), pl.Enum(["30", "20"]), ["30", "20"]),
        (
            pd.cut(pd.Series([1, 9]), [0, 5, 10]),
            pl.Enum(["(0, 5]", "(5, 10]"]),
            ["(0, 5]", "(5, 10]"],
        ),
    ],
    ids=["unordered numbers", "numbers in order", "numbers against their order", "pandas.cut"],
)
def test_categories_that_are_no_text(categories, dtype, values):
    """Numbers are categories unless they are ordered by themselves; intervals are texts."""
    converted = column(pd.DataFrame({"x": categories}), "x")
    assert converted.dtype == dtype
    assert converted.to_list() == values


def test_a_dictionary_of_numbers_is_one_of_categories():
    """Arrow's dictionaries are categories, as those of pandas."""
    values = column(pa.table({"x": pa.array([30, 20, None]).dictionary_encode()}), "x")
    assert values.dtype == pl.Categorical
    assert values.to_list() == ["30", "20", None]


def test_categories_of_one_text_are_an_error():
    """Two categories that read alike cannot be told apart in a release."""
    table = pd.DataFrame({"x": pd.Categorical([1, "1"])})
    with pytest.raises(DataError, match="column 'x' has two categories with the same text"):
        column(table, "x")


def test_mixed_types_are_refused_where_they_are_needed():
    """A mixed column is an error with its types when it is asked for, and only then."""
    table = pd.DataFrame({"note": pd.Series(["a", 1, 2.5], dtype=object), "age": [1, 2, 3]})
    with pytest.raises(DataError, match=r"column 'note' .*several types \(float, int, str\)"):
        column(table, "note")
    with pytest.raises(DataError, match="'note'"):
        to_polars(table)
    assert column(table, "age").to_list() == [1, 2, 3]
    released = assemble(table, np.array([2, 0]), ["note"])
    assert released["note"].tolist() == [2.5, "a"]


@pytest.mark.parametrize(
    "values",
    [[True, 1], [dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 5)]],
    ids=["booleans and numbers", "dates and times"],
)
def test_types_that_would_merge_are_a_mixture(values):
    """Objects whose conversion would change one of them are refused, not converted."""
    with pytest.raises(DataError, match="column 'x' holds values of several types"):
        column(pd.DataFrame({"x": pd.Series(values, dtype=object)}), "x")


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}], ids=["list", "struct"])
def test_nested_values_pass_untouched_only(value, frame):
    """Lists and structs cannot be recoded, but are released as they are."""
    table = frame({"x": [value, value], "age": [1, 2]})
    with pytest.raises(DataError, match=r"column 'x' holds (List|Struct).*insensitive"):
        column(table, "x")
    released = assemble(table, np.array([1]), ["x", "age"])
    assert native_values(released) == [(value, 2)]


@pytest.mark.parametrize(
    ("series", "dtype"),
    [
        (pd.Series([1j]), "complex128"),
        (pd.Series([2**70], dtype=object), "object"),
        (pd.Series(pd.arrays.SparseArray([0, 1])), r"Sparse\[int64, 0\]"),
    ],
)
def test_types_that_polars_lacks_are_an_error_without_values(series, dtype):
    """A type that cannot be converted is named with its column; no value is quoted."""
    with pytest.raises(DataError, match=f"^column 'x' of type {dtype} cannot be read; [^0-9]*$"):
        column(series.to_frame("x"), "x")


def test_release_has_the_type_that_came_in(frame):
    """Names take input columns at the given rows, Series are set beside them."""
    table = frame(COLUMNS)
    rows = np.array([2, 0])
    released = assemble(table, rows, ["zip", pl.Series("age", ["[10, 20)", "[30, 40)"]), "smoker"])
    assert type(released) is type(table)
    assert column_names(released) == ["zip", "age", "smoker"]
    assert native_values(released) == [("98765", "[10, 20)", True), ("01234", "[30, 40)", True)]


def test_no_rows_argument_means_all_in_order(frame):
    """Without `rows`, every row is released where it stood."""
    table = frame(COLUMNS)
    assert native_values(assemble(table, None, list(COLUMNS))) == native_values(table)


def test_a_release_may_be_empty(frame):
    """No rows at all is a release of the same columns."""
    released = assemble(frame(COLUMNS), np.array([], dtype=np.int64), list(COLUMNS))
    assert column_names(released) == list(COLUMNS)
    assert n_rows(released) == 0


def test_untouched_columns_keep_their_dtypes(frame):
    """A column released unchanged has exactly the dtype that it had."""
    table = frame(COLUMNS)
    for rows in (None, np.array([1, 1, 0])):
        released = assemble(table, rows, list(COLUMNS))
        schema = {name: nw.from_native(table)[name].to_native() for name in COLUMNS}
        for name, before in schema.items():
            after = nw.from_native(released)[name].to_native()
            assert getattr(after, "type", None) == getattr(before, "type", None)
            assert getattr(after, "dtype", None) == getattr(before, "dtype", None)


def test_untouched_pandas_extension_columns_keep_their_dtypes():
    """Categories, periods, time zones and nullable numbers pass unchanged."""
    table = pd.DataFrame(
        {
            "c": pd.Categorical(["a", "b", "b"], ["b", "a"], ordered=True),
            "p": pd.period_range("2020", periods=3, freq="M"),
            "t": pd.date_range("2020", periods=3, tz="Europe/Berlin"),
            "i": pd.array([1, None, 3], dtype="Int64"),
            "o": [("x", 1), "x", 3],
        }
    )
    released = assemble(table, np.array([2, 0]), list(table.columns))
    expected = table.iloc[[2, 0]].reset_index(drop=True)
    pd.testing.assert_frame_equal(released, expected)


def test_pandas_releases_have_a_fresh_index_and_no_metadata():
    """The input's index and attributes, which may name people, are not released."""
    table = pd.DataFrame({"x": [1, 2]}, index=pd.Index(["ann", "bob"], name="person"))
    table.attrs["source"] = "ward 7"
    for rows in (None, np.array([1, 0])):
        released = assemble(table, rows, ["x", pl.Series("y", ["a", "b"])])
        assert isinstance(released.index, pd.RangeIndex)
        assert released.index.name is None
        assert released.attrs == {}


def test_changing_a_pandas_release_leaves_the_input_alone():
    """A release does not share memory that a write would change."""
    table = pd.DataFrame({"x": [1, 2]})
    released = assemble(table, None, ["x"])
    released.loc[0, "x"] = 99
    assert table["x"].tolist() == [1, 2]


def test_arrow_releases_have_no_metadata():
    """Schema metadata of the input is not released."""
    table = pa.table({"x": [1, 2]}).replace_schema_metadata({"source": "ward 7"})
    assert assemble(table, None, ["x"]).schema.metadata is None


def test_text_gets_the_default_type_of_pandas():
    """Released text in pandas has the type that pandas itself gives to text."""
    released = assemble(pd.DataFrame({"x": [1, 2]}), None, [pl.Series("x", ["a", None])])
    assert released["x"].dtype == pd.Series(["a", None]).dtype


def test_text_gets_the_default_type_of_pyarrow():
    """Released text in pyarrow is `string`, as pyarrow itself makes it."""
    released = assemble(pa.table({"x": [1, 2]}), None, [pl.Series("x", ["a", None])])
    assert released.schema.field("x").type == pa.string()


@pytest.mark.parametrize(
    ("before", "after", "dtype"),
    [
        (pd.Series([1, 2]), [2, 1], "int64"),
        (pd.Series([1, 2]), [2**60 + 1, None], "Int64"),
        (pd.Series([1, 2], dtype="int64[pyarrow]"), [2**60 + 1, None], "int64[pyarrow]"),
        (pd.Series([1, 2], dtype="Int64"), [2, 1], "Int64"),
        (pd.Series([1, 2], dtype="Int64"), [1.5, None], "float64"),
        (pd.Series([True, False]), [True, None], "boolean"),
        (pd.Series([1.5, 2.5], dtype="Float64"), [1.5, None], "Float64"),
    ],
)
def test_numbers_keep_their_pandas_dtype_where_they_can(before, after, dtype):
    """A recoded number has its column's own dtype; a null never turns integers into floats."""
    released = assemble(before.to_frame("x"), None, [pl.Series("x", after)])
    assert str(released["x"].dtype) == dtype
    assert [None if pd.isna(value) else value for value in released["x"]] == after


def test_a_recoded_category_gets_its_new_categories():
    """Labels of classes do not have to fit the categories of the column they replace."""
    table = pd.DataFrame({"x": pd.Categorical(["a", "b"])})
    labels = pl.Series("x", ["{a, b}", "{a, b}"], dtype=pl.Categorical)
    assert assemble(table, None, [labels])["x"].tolist() == ["{a, b}", "{a, b}"]


def test_a_lazy_frame_comes_back_lazy():
    """The release of a LazyFrame is one, also when it was collected on the way."""
    lazy = pl.LazyFrame(COLUMNS)
    collected = to_eager(lazy)
    for released in (
        assemble(lazy, np.array([1]), ["age"]),
        assemble(collected, np.array([1]), ["age"], like=lazy),
    ):
        assert isinstance(released, pl.LazyFrame)
        assert released.collect().rows() == [(51,)]


def test_a_wrapped_frame_comes_back_wrapped(frame):
    """The release of a narwhals frame is one, around the same library."""
    wrapped = nw.from_native(frame(COLUMNS))
    released = assemble(wrapped, np.array([1]), ["age"])
    assert isinstance(released, nw.DataFrame)
    assert released.implementation == wrapped.implementation
    assert released["age"].to_list() == [51]


def test_a_wrong_length_is_an_error(frame):
    """A column that does not fit the released rows is refused."""
    with pytest.raises(ValueError, match="column 'y' has 2 values for 1 rows"):
        assemble(frame({"x": [1, 2]}), np.array([0]), ["x", pl.Series("y", [1, 2])])


def test_integers_of_pandas_are_not_copied():
    """A NumPy column of integers becomes a polars column over the same memory."""
    numbers = np.arange(1000)
    table = pd.DataFrame({"x": numbers}, copy=False)
    assert np.shares_memory(column(table, "x").to_numpy(), numbers)


def test_three_hundred_columns_keep_their_order(frame):
    """A wide table is a table."""
    columns = {f"c{i}": [i, i, i] for i in range(300)}
    assert to_polars(frame(columns)).to_dict(as_series=False) == columns


@pytest.mark.parametrize(
    "dtype", [pl.Date, pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("us", "Europe/Berlin")]
)
def test_dates_of_impossible_years_are_refused(dtype):
    """Polars ends the process on them: the message names column and row, in any role."""
    day = pl.Series([0, 2**31 - 1] if dtype == pl.Date else [0, 2**62], dtype=pl.Int64)
    values = day.cast(pl.Int32).cast(dtype) if dtype == pl.Date else day.cast(dtype)
    table = pl.DataFrame({"day": values, "age": [1, 1]})
    with pytest.raises(DataError, match="column 'day', row 2: a date outside of the years 1 to"):
        column(table, "day")
    with pytest.raises(DataError, match="column 'day', row 2"):
        ka.anonymize(table, quasi_identifiers=["age"], k=2, others="insensitive")


def test_integers_of_128_bits_are_released():
    """They are numbers as others are."""
    table = pl.DataFrame({"n": pl.Series([2**100 + i // 2 for i in range(6)], dtype=pl.Int128)})
    release = ka.anonymize(table, quasi_identifiers=["n"], k=2)
    assert sorted(set(release.frame["n"])) == [f"{2**100 + i}" for i in range(3)]


FORK = """
import os
import polars as pl
from kanonym.data.errors import KanonymError
from kanonym.data.frames import n_rows
table = pl.DataFrame({"a": [1, 2]})
n_rows(table)
child = os.fork()
if not child:
    try:
        n_rows(table)
    except KanonymError as error:
        os._exit(17 if "spawn" in str(error) else 1)
    os._exit(0)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_is_refused_instead_of_waiting_for_ever():
    """Threads of polars stay in the parent; the message says how processes are started."""
    done = subprocess.run([sys.executable, "-c", FORK], timeout=60, check=False)
    assert done.returncode == 17


def test_names_are_checked_once_per_table(monkeypatch):
    """The time for a whole table grows with its columns, not with their square."""
    calls = []
    checked = frames._check_names  # noqa: SLF001 - what would be quadratic
    monkeypatch.setattr(frames, "_check_names", lambda names: calls.append(1) or checked(names))
    wide = pl.DataFrame({f"column {place}": [place] for place in range(100)})
    for frame in (wide, wide.to_arrow(), wide.to_pandas()):
        calls.clear()
        assert frames.to_polars(frame).width == 100
        assert len(calls) == 1
