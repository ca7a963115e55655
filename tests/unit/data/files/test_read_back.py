"""Files are compared with the table before they take their name.

The classes of a written file are counted here with the standard library, and of columnar files
with pyarrow, which share no code with the writers.
"""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import hashlib
import io
import json
import sys
import zipfile
from decimal import Decimal
from xml.etree import ElementTree

import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data.errors import DataError
from kanonym.data.files import read_table, write_table, writing
from kanonym.data.files.writing import check_written

EXTENSIONS = [".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".parquet", ".feather"]
ODD = {
    "microseconds": [dt.datetime(2020, 1, 1, 1, 1, 1, us) for us in (123456, 123457)],
    "nanoseconds": pl.Series([1577840461123456789, 1577840461123456790]).cast(pl.Datetime("ns")),
    "zone": pl.Series([dt.datetime(2020, 10, 25, hour, 30) for hour in (0, 1)])
    .dt.replace_time_zone("UTC")
    .dt.convert_time_zone("Europe/Berlin"),
    "empty and null": ["", None, "a"],
    "seventeen digits": [0.30000000000000004, 0.3, 1 / 3],
    "large": [1e100, 5e-324, 1.7976931348623157e308],
    "single precision": pl.Series([0.1, 0.2, 16777217.0], dtype=pl.Float32),
    "decimals": pl.Series([Decimal("1.50"), Decimal("1.25"), None], dtype=pl.Decimal(9, 2)),
    "long decimals": pl.Series(
        [Decimal("0.1234567890123456789"), Decimal("0.1234567890123456788")],
        dtype=pl.Decimal(30, 19),
    ),
    "signed zero and NaN": [-0.0, 0.0, float("nan"), None],
    "equal as numbers": ["1", "1.0", "2"],
    "blanks": ["7", " 7"],
    "empty among numbers": ["", "1", "2"],
    "NaN among numbers": ["NaN", "1.5", None],
    "one instant": ["2020-01-01T10:00:00Z", "2020-01-01T11:00:00+01:00"],
    "old dates": [dt.date(1850, 1, 1), dt.date(1900, 1, 5), dt.date(2020, 1, 1)],
    "far dates": pl.Series([5_000_000, 5_000_001]).cast(pl.Date),
    "times of day": [dt.time(1, 2, 3, 4), dt.time(1, 2, 3, 5)],
    "durations": [dt.timedelta(microseconds=1), dt.timedelta(microseconds=2)],
    "64 bits": pl.Series([2**64 - 1, 2**64 - 2], dtype=pl.UInt64),
    "128 bits": pl.Series([2**100, 2**100 + 1], dtype=pl.Int128),
    "categories": pl.Series(["b", "a", None], dtype=pl.Enum(["b", "a"])),
    "control characters": ["a\0b", "a", "\x01", "_x0001_", "\x1b"],
    "line ends": ["a\rb", "a\nb", "a\r\nb", "a\u2028b", "a\x0bb"],
    "quotes": ['"', '""', '"a"', ",", "\t"],
    "outer blanks": [" a", "a ", "a", "\ta"],
    "noncharacters": ["\ufffe", "\uffff", "\ufeffa", "a"],
    "long texts": ["😀" * 16_383 + "a", "😀" * 16_383 + "b"],
    "too long texts": ["a" * 32_768 + "b", "a" * 32_768 + "c"],
    "lists": [[0.1, 0.2], [0.1, 0.30000000000000004]],
    "lists of dates": [[dt.date(2020, 1, 1)], [dt.date(2020, 1, 2)]],
    "nulls": pl.Series([None, None], dtype=pl.Int64),
}


def texts_of(path):
    """Return what a program finds in column x that knows the format and nothing of types."""
    if path.suffix in (".csv", ".tsv"):
        with path.open(newline="", encoding="utf-8") as file:
            csv.field_size_limit(2**31 - 1)
            return [
                row["x"] for row in csv.DictReader(file, delimiter=",\t"[path.suffix == ".tsv"])
            ]
    if path.suffix == ".json":
        return [repr(row["x"]) for row in json.loads(path.read_text("utf-8"))]
    if path.suffix == ".jsonl":
        rows = path.read_text("utf-8").removesuffix("\n").split("\n")
        return [repr(json.loads(row)["x"]) for row in rows]
    if path.suffix == ".xlsx":
        return list(cells_of(path))
    table = (pa.parquet if path.suffix == ".parquet" else pa.feather).read_table(path)
    column = table["x"].combine_chunks()
    if pa.types.is_nested(column.type):
        return [repr(value) for value in column.to_pylist()]
    return column.dictionary_encode().indices.to_pylist()


def cells_of(path):
    """Yield kind and text of each cell in the second column of a workbook, without its names."""
    with zipfile.ZipFile(path) as archive:
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))  # noqa: S314 - ours
        shared = []
        if "xl/sharedStrings.xml" in archive.namelist():
            strings = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))  # noqa: S314
            shared = ["".join(one.itertext()) for one in strings]
    for row in list(sheet.iterfind(".//{*}row"))[1:]:
        found = None
        for cell in row:
            if cell.get("r").rstrip("0123456789") == "B":
                text = "".join(cell.itertext())
                found = shared[int(text)] if cell.get("t") == "s" else float(text)
        yield repr(found)


def classes(values):
    """Return which rows have equal values."""
    first = {}
    return [first.setdefault(value, row) for row, value in enumerate(values)]


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize("name", ODD)
def test_a_file_has_the_classes_of_its_table_or_is_refused(tmp_path, name, extension):
    """Equal values are equal in the file and different ones differ, to any reader; else no file."""
    path = tmp_path / f"t{extension}"
    column = pl.Series("x", ODD[name])
    frame = pl.DataFrame([pl.Series("row", range(len(column))), column])
    try:
        write_table(frame, path)
    except DataError as error:
        assert "column 'x'" in str(error)  # noqa: PT017 - one of two good ends
        assert not list(tmp_path.iterdir())
        return
    expected = classes(map(repr, column.to_physical().to_list()))
    if name == "signed zero and NaN":
        expected = [0, 0, 2, 2]
    if name != "empty and null" or extension not in (".csv", ".tsv"):  # csv has no null
        assert classes(texts_of(path)) == expected
    assert classes(map(repr, read_table(path)["x"].to_physical().to_list())) == expected


@pytest.mark.parametrize("extension", [*EXTENSIONS, ".csv.gz", ".jsonl.gz"])
@pytest.mark.parametrize(
    ("change", "row"),
    [
        (pl.col("x").replace(3, 4), 3),
        (pl.when(pl.col("row") == 1).then(None).otherwise("x").alias("x"), 2),
        (pl.col("y").str.strip_chars(), 4),
        (pl.col("z") + 1e-16, 1),
    ],
    ids=["number", "null", "blank", "digit"],
)
def test_a_writer_that_changes_a_value_is_caught(tmp_path, monkeypatch, extension, change, row):
    """One changed value names column and row, and the file that was there before stays."""
    frame = pl.DataFrame(
        {"row": range(4), "x": [1, 2, 3, 4], "y": ["a", "b", "c", " d"], "z": [0.1, 1.0, 2.0, 3.0]}
    )
    path = tmp_path / f"t{extension}"
    path.write_text("old")
    kind = writing.check_table_output(path)
    write = writing._WRITERS[kind]  # noqa: SLF001 - what is broken here

    def broken(table, target):
        write(table.with_columns(change), target)
        return table

    monkeypatch.setitem(writing._WRITERS, kind, broken)  # noqa: SLF001
    with pytest.raises(DataError, match=rf"column '[xyz]', row {row}: the value reads back diff"):
        write_table(frame, path)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1
    write_table(frame, path, read_back=False)
    assert path.read_bytes() != b"old"


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_a_writer_that_loses_a_row_is_caught(tmp_path, monkeypatch, extension):
    """The rows are counted."""
    kind = writing.check_table_output(tmp_path / f"t{extension}")
    write = writing._WRITERS[kind]  # noqa: SLF001

    def broken(table, target):
        write(table.head(2), target)
        return table

    monkeypatch.setitem(writing._WRITERS, kind, broken)  # noqa: SLF001
    with pytest.raises(DataError, match="3 rows were written, and 2 read back from"):
        write_table(
            pl.DataFrame({"x": [1, 2, 3], "y": ["a", "b", "c"]}), tmp_path / f"t{extension}"
        )


def test_what_goes_to_standard_output_is_checked_before(monkeypatch):
    """Nothing is written to standard output that does not hold the table."""
    out = io.BytesIO()

    class Standard:
        """Standard output whose bytes a test can see."""

        buffer = out

        def flush(self):
            """Do nothing."""

    monkeypatch.setattr(sys, "stdout", Standard())
    with pytest.raises(DataError, match=r"standard output: column 'x', row 1: programs that read"):
        write_table(pl.DataFrame({"x": ["1", "1.0"]}), "-")
    assert out.getvalue() == b""


def test_names_are_compared():
    """A name that reads back as another one is refused."""
    frame = pl.DataFrame({"\ufeffage": [1], "b": [2]})
    data = frame.write_csv().encode()
    with pytest.raises(DataError, match=r"the name of column '.*age' reads back differently"):
        check_written(data.replace(b"age", b"old"), "csv", frame, frame)


@pytest.mark.parametrize("kind", ["csv", "json", "jsonl", "excel", "parquet", "feather"])
def test_what_is_no_file_of_its_format_is_refused(kind):
    """Bytes that another reader refuses are refused, without a word of what they hold."""
    frame = pl.DataFrame({"x": ["Ada", "Bob"], "y": [1, 2]})
    with pytest.raises(DataError) as refused:
        check_written(b'x,y\n"Ada', kind, frame, frame)
    assert "Ada" not in str(refused.value)


def test_the_content_is_what_was_written(tmp_path):
    """Writing returns the name and the SHA-256 of the bytes in the file, packed or not."""
    for name in ("t.csv", "t.csv.gz", "t.parquet"):
        content = write_table(pl.DataFrame({"x": [1, 2]}), tmp_path / name)
        data = (tmp_path / name).read_bytes()
        assert (content.name, content.sha256) == (name, hashlib.sha256(data).hexdigest())
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()) == b"x\n1\n2\n"


NUMBERS = st.none() | st.floats(allow_infinity=False)
TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
TIMES = st.none() | st.datetimes()


@given(
    st.lists(st.tuples(NUMBERS, TEXTS, TIMES), min_size=1, max_size=5),
    st.sampled_from(EXTENSIONS[:4]),
)
def test_written_texts_are_read_alike_by_the_standard_library(tmp_path_factory, rows, extension):
    """Numbers, texts and times in text files have the classes of the table, or the file is none."""
    path = tmp_path_factory.mktemp("t") / f"t{extension}"
    frame = pl.DataFrame(
        rows, schema={"n": pl.Float64, "x": pl.String, "t": pl.Datetime("us")}, orient="row"
    )
    try:
        write_table(frame, path)
    except DataError:
        return
    if extension in (".jsonl", ".json") or frame["x"].null_count() == 0:
        assert classes(texts_of(path)) == classes(frame["x"].to_list())


def test_parquet_is_read_by_another_library(tmp_path):
    """Another library finds the values that polars wrote, down to the type."""
    path = tmp_path / "t.parquet"
    write_table(pl.DataFrame({"x": pl.Series([1, None], dtype=pl.Int16)}), path)
    assert pa.parquet.read_table(path)["x"].to_pylist() == [1, None]


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize("names", [("1", "2"), ("2024-01-01", "x"), ("a", "b")])
def test_a_header_that_is_written_is_read(tmp_path, extension, names):
    """Names that look like values, or stand among them, are refused before the file is there."""
    path = tmp_path / f"t{extension}"
    columns = {"1": ([1, 2], [3, 4]), "2024-01-01": ([dt.date(2024, 1, 2)] * 2, ["a", "b"])}
    values = columns.get(names[0], (["a", "c"], ["b", "c"]))
    frame = pl.DataFrame(dict(zip(names, values, strict=True)))
    try:
        write_table(frame, path)
    except DataError:
        assert extension in (".csv", ".tsv", ".xlsx")
        assert list(tmp_path.iterdir()) == []
    else:
        assert read_table(path).equals(frame)


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_dates_of_no_calendar_are_written_whole_or_refused(tmp_path, extension):
    """A year beyond 9999 is a number in Parquet and Feather, and an error elsewhere."""
    path = tmp_path / f"t{extension}"
    frame = pl.DataFrame({"x": pl.Series([2_000_000_000, 19_000], dtype=pl.Int32).cast(pl.Date)})
    if extension in (".parquet", ".feather"):
        write_table(frame, path)
        assert read_table(path)["x"].to_physical().equals(frame["x"].to_physical())
    else:
        with pytest.raises(DataError, match="column 'x', row 1: a date outside of the years"):
            write_table(frame, path)
        assert list(tmp_path.iterdir()) == []
