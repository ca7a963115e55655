"""CSV under DuckDB is the CSV of the local reader."""

from __future__ import annotations

import gzip

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from effort import examples
from kanonym.data.errors import DataError
from kanonym.data.files import read_table, values_of_file
from kanonym.engines.duckdb import scan_duckdb

pytestmark = pytest.mark.xdist_group("duckdb")

SAME = {
    "separator": b"zip;name\n01234;x\n00001;y\n",
    "tab": b"a\tb\n1\t2,5\n3\t4\n",
    "bar": b"a|b\n1|2\n3|4\n",
    "quoted": b'a,b\n"x,1","say ""no"""\n"line\nbreak",z\n',
    "empty": b'a,b\n,""\n"",\n1,x\n',
    "null words": b"a,b\nNA,null\nNULL,NaN\n",
    "windows": b'a;b\r\n01;"x;""y"\r\n\r\n;""\r\n02;z\r\n',
    "mac": b"a,b\r1,2\r3,4\r",
    "mark": b"\xef\xbb\xbfa,b\n1,2\n",
    "blank lines above": b"\n\na;b\n01;x\n\n;y\n",
    "blank lines in one column": b'a\n1\n\n""\n3\n',
    "no last end": b"a,b\n1,2",
    "spaces": b"a,b\n 1, x \n2 ,y\n",
    "dates": b"a,b\n2020-02-29,2020-02-29T12:30:00\n1969-01-01,2020-02-29 12:30:00\n",
    "truth": b"a,b\ntrue,True\nfalse,no\n",
    "thousands": b"a,b\n900,0.5\n1.200,1.25\n58.200,1.125\n",
    "large": b"a,b\n99999999999999999999,1e3\n1,2\n",
    "unicode": "größe,名前\nü,表\n☃,''\n".encode(),
    "names": b'"select","semi;colon","it\'s"\n1,2,3\n4,5,6\n',
    "header alone": b"a,b\n",
    "blanks behind separators": b'a, b\n1, "x, y"\n2, z\n',
    "blanks behind separators of records": b"a,b\n1, x\n2, y\n",
    "separators at the ends": b"a;b;;\n1;2;;\n3;4;;\n",
    "a line that names the separator": b"sep=;\na;b\n1;2\n",
    "blanks around names": b" a ,b\n1,2\n",
}

REFUSED = {
    "longer row": (b"a;b\n1;2\n1;2;3\n", "line 3"),
    "shorter row": (b"a;b\n1;2\n1\n", "line 3"),
    "open quote": (b'a;b\n1;2\n"1;2\n3;4\n', "line 3"),
    "not UTF-8": (b"a;b\n1;\xff\n", "not UTF-8: line 2"),
    "no header": (b"34,Bern\n35,Bern\n36,Chur\n", "no header"),
    "same names": (b"a,a\n1,2\n", "occurs 2 times"),
    "no name": (b"a,\n1,2\n", "no name"),
    "values behind the names": (b"a;b;\n1;2;\n" + b"3;4;\n" * 200 + b"1;2;3\n", "no name"),
    "empty last row": (b"a;b\n1;2\n;\n", "last row"),
    "totals": (b"a;b;c\nx;2;3\ny;3;3\nTotal;5;\n", "last row"),
    "mixed ends above": (b"\r\na;b\n1;2\n", "end differently"),
    "empty": (b"\n\n", "is empty"),
}


def read(path, **named):
    """Return all rows under DuckDB, typed as the pipeline types them."""
    source = scan_duckdb(path, **named)
    assert source.text
    found = source.store.fetch(source.query)
    return pl.DataFrame([values_of_file(column) for column in found])


@pytest.mark.parametrize("name", SAME)
def test_cells_are_those_of_the_local_reader(name, tmp_path):
    """Separators, quotes, nulls, line ends and types are read by the same rules."""
    path = tmp_path / "table.csv"
    path.write_bytes(SAME[name])
    assert_frame_equal(read(path), read_table(path))


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_the_local_reader_refuses(name, tmp_path):
    """A file that is no table of cells is refused, with its name and line, without its cells."""
    path = tmp_path / "table.csv"
    data, told = REFUSED[name]
    path.write_bytes(data)
    with pytest.raises(DataError, match=told) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "Bern" not in str(caught.value)


def test_rows_far_below_are_checked(tmp_path):
    """A row that is too long is found wherever it stands, and not told."""
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "1,2\n" * 200_000 + "verysecret,2,3\n")
    with pytest.raises(DataError, match="line 200002") as caught:
        read(path)
    assert "verysecret" not in str(caught.value)


def test_packed_files(tmp_path):
    """A packed file is read as the plain one."""
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(SAME["windows"]))
    assert_frame_equal(read(path), read_table(path))


@pytest.mark.parametrize("name", ["a[b].csv", "a*.csv", "[!a].csv", "~t.csv", "q'u.csv", "a?b.csv"])
def test_names_that_look_like_patterns(tmp_path, name, monkeypatch):
    """The file of that very name is read, not one that it matches as a pattern."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ab.csv").write_text("a\nwrong\n")
    (tmp_path / name).write_text("a\nright\n")
    assert read(name)["a"].to_list() == ["right"]
    pl.DataFrame({"a": ["right"]}).write_parquet(tmp_path / f"{name}.parquet")
    assert scan_duckdb(f"{name}.parquet").to_polars()["a"].to_list() == ["right"]


def test_a_damaged_packed_file_is_named(tmp_path):
    """What cannot be unpacked is a fault of the file."""
    (tmp_path / "table.csv.gz").write_bytes(b"\x1f\x8bxx")
    with pytest.raises(DataError, match=r"table\.csv\.gz is a damaged gzip file"):
        scan_duckdb(tmp_path / "table.csv.gz")


def test_files_with_other_headers_are_refused(tmp_path):
    """Files of one pattern have one header: columns are never mixed up."""
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("b,a\n1,2\n")
    with pytest.raises(DataError, match="another header"):
        scan_duckdb(tmp_path / "*.csv")
    (tmp_path / "2.csv").write_text("a,b\n3,4\n")
    assert read(tmp_path / "*.csv").sort("a").rows() == [(1, 2), (3, 4)]


def test_elsewhere_is_refused_without_credentials():
    """A CSV file of a server is refused, and its URL not told."""
    with pytest.raises(DataError) as caught:
        scan_duckdb("https://ann:s3cret@host/table.csv?token=s3cret")
    assert "s3cret" not in str(caught.value)


CELLS = st.text(st.sampled_from("ab01.-;,|\t\"' \n\réß☃#\\"), max_size=6)


@settings(max_examples=examples(60), deadline=None)
@given(
    style=st.sampled_from(["necessary", "non_numeric"]),
    rows=st.lists(st.tuples(CELLS | st.none(), CELLS | st.none()), min_size=1, max_size=8),
)
def test_whatever_is_written_is_read(tmp_path_factory, rows, style):
    """Any table of texts that is written as CSV comes back cell by cell.

    polars quotes carriage returns only where it quotes all texts.
    """
    if any("\r" in (cell or "") for row in rows for cell in row):
        style = "non_numeric"
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    frame = pl.DataFrame(rows, schema={"one_": pl.String, "other_": pl.String}, orient="row")
    frame = frame.with_columns(last=pl.lit("x"))  # no row is empty
    frame.write_csv(path, separator=";", quote_style=style)
    source = scan_duckdb(path)
    assert_frame_equal(source.store.fetch(source.query), frame)


@pytest.mark.parametrize("data", [b"1;x\n2;y\n", b"a;b\n1;x\n2;y\n", b"\n1;x;\n2;y;\n"])
def test_the_caller_names_the_columns_of_a_file_without_a_header(data, tmp_path):
    """Named columns are those of the local reader; a header with these names is none the less."""
    (tmp_path / "t.csv").write_bytes(data)
    found = read(tmp_path / "t.csv", columns=["a", "b"])
    assert_frame_equal(found, read_table(tmp_path / "t.csv", columns=["a", "b"]))
