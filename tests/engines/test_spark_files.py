"""Files that Spark reads: the same tables as the local readers find in them, or an error."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import kanonym as ka
from engines.spark_sessions import spark_connect  # noqa: F401 - a fixture
from kanonym.data.errors import DataError
from kanonym.data.files import read_table, typed_texts
from kanonym.engines.spark import scan_spark

pytestmark = pytest.mark.xdist_group("spark")

CSV = {
    "plain": "age,city\n34,Bern\n,Genève\n71,\n",
    "empty texts": 'age,city\n34,""\n71,\n',
    "quotes": 'age,city\n34,"Ge""n, ève"\n71,"a\\b"\n',
    "semicolons": "age;city\n34;Bern\n71;a,b\n",
    "tabs": "age\tcity\n34\tBern\n71\t\n",
    "leading zeros": "zip,n\n01234,1\n00000,2\n",
    "blanks": "age,city\n34, Bern \n71,  \n",
    "words": "age,city\nNA,null\n71,NaN\n",
    "blank lines": "age,city\n34,Bern\n\n71,Lyon\n\n",
    "mark": "\ufeffage,city\n34,Bern\n",
    "newlines in cells": 'age,city\n34,"Bern\nand beyond"\n71,Lyon\n',
    "windows": "age,city\r\n34,Bern\r\n71,Lyon\r\n",
    "odd names": '"a.b","c`d","e;f g"\n1,2,3\n',
    "one column": 'city\nBern\n""\n',
    "no rows": "age,city\n",
}


def both(path, spark, **options):
    """Return a table as the local reader has it, and as Spark has it."""
    source = scan_spark(path, session=spark, **options)
    found = source.store.fetch(source.query)
    source.store.close()
    if source.text:
        found = pl.DataFrame([typed_texts(one) for one in found])
    return read_table(path), found


@pytest.mark.parametrize("name", CSV)
def test_csv_is_read_as_locally(spark, tmp_path, name):
    """A CSV file holds the same table for Spark as for the local reader."""
    path = tmp_path / ("table.tsv" if name == "tabs" else "table.csv")
    path.write_bytes(CSV[name].encode())
    local, found = both(path, spark)
    assert_frame_equal(found, local, check_row_order=False)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"age,city\n34,B\xe9rn\n", "is not UTF-8"),
        (b"age,age\n34,35\n", "'age' occurs 2 times"),
        (b"age,\n34,35\n", "column 2 has no name"),
        (b"34,35\n36,37\n", "has no header"),
        (b"city\nBern\n\nLyon\n", "blank lines, and one column"),
    ],
)
def test_csv_that_is_no_table(spark, tmp_path, content, expected):
    """A file of which the local reader would refuse to guess is refused here, too."""
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=expected):
        scan_spark(path, session=spark)


@pytest.mark.parametrize("row", ["34", "34,Bern,x"])
def test_rows_of_another_length(spark, tmp_path, row):
    """A row with cells too many or too few is an error, whichever columns are asked for."""
    path = tmp_path / "table.csv"
    path.write_text("age,city\n35,Lyon\n" + "36,Nice\n" * 200 + f"{row}\n")
    source = scan_spark(path, session=spark)
    narrow = source.query.copy().select("age", append=False)
    with pytest.raises(DataError, match="a row of the file does not have the cells of its header"):
        source.store.fetch(narrow)


def test_files_of_other_headers(spark, tmp_path):
    """Files of one table have one header; another one is an error, never a row."""
    (tmp_path / "a.csv").write_text("age,city\n34,Bern\n")
    (tmp_path / "b.csv").write_text("city,age\nBern,34\n")
    with pytest.raises(DataError, match="FAILED_READ_FILE"):
        scan_spark(str(tmp_path / "*.csv"), session=spark)


def test_folders_and_globs(spark, tmp_path):
    """A folder of files and a glob are one table; hidden folders in it are not read."""
    first, second = pl.DataFrame({"a": [1, None]}), pl.DataFrame({"a": [3]})
    for place in ("", ".kanonym-1-2/release", "_temporary"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        first.write_parquet(tmp_path / place / "one.parquet")
    second.write_parquet(tmp_path / "two.parquet")
    for path in (tmp_path, f"{tmp_path}/*.parquet"):
        source = scan_spark(path, session=spark)
        assert_frame_equal(
            source.store.fetch(source.query), pl.concat([first, second]), check_row_order=False
        )


@pytest.mark.parametrize("name", ["lines.jsonl", "lines.json", "array.json"])
def test_json_is_read_as_locally(spark, tmp_path, name):
    """JSON holds the same columns, in the order of the first record, as for the local reader."""
    records = [
        {"zip": "01234", "age": 34, "b": True, "x": 1.5},
        {"zip": None, "age": None, "b": None, "x": None, "late": "y"},
    ]
    path = tmp_path / name
    lines = [pl.DataFrame([one]).write_ndjson().strip() for one in records]
    path.write_text("[" + ",".join(lines) + "]" if "array" in name else "\n".join(lines))
    local, found = both(path, spark)
    assert_frame_equal(found, local, check_row_order=False)


def test_orc(spark, tmp_path):
    """ORC files are read, with the types that they hold."""
    spark.range(3).write.orc(str(tmp_path / "t.orc"))
    source = scan_spark(tmp_path / "t.orc", session=spark)
    assert sorted(source.store.fetch(source.query)["id"]) == [0, 1, 2]


@pytest.mark.parametrize("digits", ["1234567890123456.01", "9" * 36 + ".99"])
def test_json_refuses_decimals_that_its_readers_would_round(spark, tmp_path, digits):
    """Decimals beyond float64 are refused in JSON with their column, and nothing is written."""
    exact = pl.Series("a.b", [Decimal("1.5"), Decimal(digits)] * 2, dtype=pl.Decimal(38, 2))
    table = spark.createDataFrame(pl.DataFrame({"age": [1, 1, 2, 2], "a.b": exact}).to_arrow())
    asked = {"quasi_identifiers": ["age"], "others": "insensitive", "k": 2}
    with pytest.raises(DataError, match=r"column 'a\.b' holds decimals of more digits"):
        ka.anonymize(scan_spark(table), **asked, output=tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == []
    few = spark.createDataFrame(
        pl.DataFrame({"age": [1, 1], "a.b": exact[:1].append(exact[:1])}).to_arrow()
    )
    ka.anonymize(scan_spark(few), **asked, output=tmp_path / "few.jsonl")
    assert (tmp_path / "few.jsonl").exists()


def test_formats_that_are_unknown(spark, tmp_path):
    """A format, or an extension, that Spark does not read is refused with those that it does."""
    with pytest.raises(DataError, match=r"no format for \.xlsx; it has \.parquet"):
        scan_spark(tmp_path / "t.xlsx", session=spark)
    with pytest.raises(DataError, match="no format 'excel'; Spark reads csv, delta"):
        scan_spark(tmp_path / "t", session=spark, format="excel")


def test_a_delta_table_needs_its_library(spark, tmp_path):
    """A folder with a Delta log is a Delta table, and says so where Spark lacks the library."""
    (tmp_path / "table" / "_delta_log").mkdir(parents=True)
    with pytest.raises(DataError, match=r"(?i)delta"):
        scan_spark(tmp_path / "table", session=spark)


def test_files_under_connect(spark_connect, tmp_path):  # noqa: F811
    """A Connect session reads the same files under the same rules."""
    path = tmp_path / "table.csv"
    path.write_text(CSV["newlines in cells"])
    local, found = both(path, spark_connect)
    assert_frame_equal(found, local, check_row_order=False)
