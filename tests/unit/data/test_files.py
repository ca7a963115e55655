"""Files in and out: every format, through `read_table` and `write_table` alone."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import os
import sys
from functools import partial

import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from polars.testing import assert_frame_equal

from kanonym.data.errors import DataError
from kanonym.data.files import FORMATS, check_table_output, read_table, write_table, writing

GENERAL = ("csv", "tsv", "jsonl", "json", "parquet", "feather", "excel")
WRITTEN = [one for one, kind in FORMATS.items() if kind in GENERAL and one != ".xls"]
TEXT = [".csv", ".txt", ".tsv", ".jsonl", ".ndjson", ".json"]
TYPED = [".parquet", ".pq", ".feather", ".arrow", ".ipc"]

PEOPLE = pl.DataFrame(
    {
        "name": ["Åsa", "李雷", None, 'Jo "J" O\'Neil', "x, y; z\t|"],
        "zip": ["01234", "00000", "98765", None, "12345"],
        "age": [34, None, -17, 0, 2**53 - 1],
        "weight": [70.5, 1e-7, None, -0.25, 1e300],
        "smoker": [True, None, False, True, False],
        "born": [dt.date(1990, 5, 1), dt.date(2024, 2, 29), None, dt.date(1, 1, 1), dt.date.max],
        "seen": [
            dt.datetime(2020, 1, 31, 12, 30, 59),
            None,
            dt.datetime(1970, 1, 1),
            dt.datetime(1999, 12, 31, 23, 59, 59, 123000),
            dt.datetime(2100, 1, 1),
        ],
    }
)
MODERN = PEOPLE.with_columns(pl.lit(dt.date(1990, 5, 1)).alias("born"))  # Excel starts in 1900


@pytest.fixture
def table(tmp_path):
    """Return a function that writes text or bytes to a file and gives its path."""

    def make(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


class Standard:
    """Standard input or output with bytes that a test can see."""

    def __init__(self, content=b""):
        self.buffer = io.BytesIO(content)

    def flush(self):
        """Do nothing, as there is no text waiting."""


@pytest.mark.parametrize(
    "convert",
    [pl.DataFrame.to_pandas, pl.DataFrame.to_arrow, pl.DataFrame.lazy, nw.from_native],
    ids=["pandas", "pyarrow", "lazy", "narwhals"],
)
def test_every_frame_is_written(tmp_path, convert):
    """What `anonymize` takes can be written; names that are no texts are refused as there."""
    frame = pl.DataFrame({"zip": ["01234", None], "age": [34, 51]})
    write_table(convert(frame), tmp_path / "t.csv")
    assert_frame_equal(read_table(tmp_path / "t.csv"), frame)
    duckdb = pytest.importorskip("duckdb", reason="needs kanonym[duckdb]")
    write_table(duckdb.connect().from_arrow(frame.to_arrow()), tmp_path / "t.csv")
    assert_frame_equal(read_table(tmp_path / "t.csv"), frame)
    with pytest.raises(DataError, match=r"df.columns = df.columns.astype\(str\)"):
        write_table(pd.DataFrame({0: [1]}), tmp_path / "t.csv")


@pytest.mark.parametrize("extension", WRITTEN)
def test_every_format_returns_what_it_was_given(tmp_path, extension):
    """Null, unicode, leading zeros, dates, times and numbers come back as they were."""
    people = MODERN if extension == ".xlsx" else PEOPLE
    path = tmp_path / f"people{extension}"
    write_table(people, path)
    read = read_table(path)
    assert_frame_equal(read.with_columns(pl.col("seen").cast(pl.Datetime("us"))), people)


@pytest.mark.parametrize("extension", WRITTEN)
def test_every_format_holds_one_column(tmp_path, extension):
    """A table of one column keeps its rows, null among them."""
    people = pl.DataFrame({"disease": ["flu", None, "asthma", None, "flu"]})
    write_table(people, tmp_path / f"t{extension}")
    assert_frame_equal(read_table(tmp_path / f"t{extension}"), people)


@pytest.mark.parametrize("extension", WRITTEN)
def test_every_format_holds_three_hundred_columns(tmp_path, extension):
    """A wide table keeps the order of its columns."""
    wide = pl.DataFrame({f"column {i}": [i, -i] for i in range(300)})
    write_table(wide, tmp_path / f"t{extension}")
    assert_frame_equal(read_table(tmp_path / f"t{extension}"), wide)


@pytest.mark.parametrize("extension", [".csv", ".tsv", ".xlsx", *TYPED])
def test_no_rows_are_a_table(tmp_path, extension):
    """A table of no rows keeps its columns; files without types give them as text."""
    empty = PEOPLE.head(0)
    write_table(empty, tmp_path / f"t{extension}")
    read = read_table(tmp_path / f"t{extension}")
    assert read.columns == empty.columns
    assert read.height == 0
    if extension in TYPED:
        assert_frame_equal(read, empty)
    else:
        assert set(read.dtypes) == {pl.String}


@pytest.mark.parametrize(("extension", "content"), [(".json", "[]"), (".jsonl", "{}")])
def test_json_without_values_has_no_columns(table, extension, content):
    """JSON names its columns in records: without any there is no table."""
    path = table(content, f"t{extension}")
    with pytest.raises(DataError, match=r"t\.jsonl?: the table has no columns"):
        read_table(path)


@pytest.mark.parametrize("extension", WRITTEN)
def test_large_integers_lose_no_digit(tmp_path, extension):
    """Integers above 2^53 come back digit for digit: as numbers, in Excel as text."""
    large = pl.DataFrame({"id": [2**53 + 1, -(2**63), 2**63 - 1]})
    write_table(large, tmp_path / f"t{extension}")
    expected = large.cast(pl.String) if extension == ".xlsx" else large
    assert_frame_equal(read_table(tmp_path / f"t{extension}"), expected)


@pytest.mark.parametrize("extension", [".csv", ".tsv", ".jsonl", ".json", ".xlsx"])
def test_integers_beyond_64_bits_are_text(tmp_path, extension):
    """What no integer type holds is read as text, digit for digit, never as a rounded number."""
    large = pl.DataFrame({"id": [2**63, 2**64 - 1]}, schema={"id": pl.UInt64})
    write_table(large, tmp_path / f"t{extension}")
    assert_frame_equal(read_table(tmp_path / f"t{extension}"), large.cast(pl.String))


@pytest.mark.parametrize("extension", [".csv", ".tsv", ".jsonl", ".json", *TYPED])
def test_empty_text_is_not_null(tmp_path, extension):
    """An empty text and null are told apart."""
    texts = pl.DataFrame({"a": ["", None, "x"], "b": [None, "", "y"]})
    write_table(texts, tmp_path / f"t{extension}")
    assert_frame_equal(read_table(tmp_path / f"t{extension}"), texts)


@pytest.mark.parametrize("extension", WRITTEN)
def test_nan_is_read_as_null(tmp_path, extension):
    """NaN is null after any file."""
    write_table(pl.DataFrame({"x": [float("nan"), 1.5]}), tmp_path / f"t{extension}")
    assert read_table(tmp_path / f"t{extension}")["x"].to_list() == [None, 1.5]


@pytest.mark.parametrize("extension", [".csv", *TYPED])
def test_infinity_is_read(tmp_path, extension):
    """Infinite numbers are read: it is for the policy to refuse them."""
    write_table(pl.DataFrame({"x": [1.5, float("-inf")]}), tmp_path / f"t{extension}")
    assert read_table(tmp_path / f"t{extension}")["x"].to_list() == [1.5, float("-inf")]


@pytest.mark.parametrize("extension", [".csv", ".jsonl", ".json", *TYPED])
def test_times_with_a_zone_keep_their_instant(tmp_path, extension):
    """A time with a zone comes back as the same instant."""
    berlin = pl.Series("t", [dt.datetime(2020, 6, 1, 12)]).dt.replace_time_zone("Europe/Berlin")
    write_table(berlin.to_frame(), tmp_path / f"t{extension}")
    assert read_table(tmp_path / f"t{extension}")["t"].to_list() == berlin.to_list()


@pytest.mark.parametrize("extension", [".csv", ".jsonl", ".json", ".xlsx"])
def test_durations_are_spelt(tmp_path, extension):
    """A duration is ISO 8601 text where a format has no type for it."""
    write_table(pl.DataFrame({"stay": [dt.timedelta(days=2)]}), tmp_path / f"t{extension}")
    assert read_table(tmp_path / f"t{extension}")["stay"].to_list() == ["P2D"]


@pytest.mark.parametrize("extension", [".csv.gz", ".tsv.gz", ".jsonl.gz", ".json.gz"])
def test_text_formats_may_be_packed(tmp_path, extension):
    """A further `.gz` packs and unpacks a text format, the same bytes each time."""
    path = tmp_path / f"people{extension}"
    write_table(PEOPLE, path)
    packed = path.read_bytes()
    assert gzip.decompress(packed)
    write_table(PEOPLE, path)
    assert path.read_bytes() == packed
    assert read_table(path)["name"].to_list() == PEOPLE["name"].to_list()


def test_a_damaged_gzip_file_is_an_error(table):
    """A packed file that was cut off is refused."""
    path = table(gzip.compress(b"a,b\n1,2\n" * 100)[:-20], "t.csv.gz")
    with pytest.raises(DataError, match=r"t\.csv\.gz is a damaged gzip file"):
        read_table(path)


@pytest.mark.parametrize("kind", GENERAL)
def test_standard_input_and_output_hold_every_format(monkeypatch, kind):
    """`-` writes any format and reads it back: given by name, or told from the first bytes."""
    people = MODERN.drop("seen") if kind == "excel" else PEOPLE
    out = Standard()
    monkeypatch.setattr(sys, "stdout", out)
    write_table(people, "-", format=kind)
    for given in (kind, None):
        monkeypatch.setattr(sys, "stdin", Standard(out.buffer.getvalue()))
        assert_frame_equal(read_table("-", format=given), people)


def test_standard_output_is_csv_by_default(monkeypatch):
    """Without a format, `-` is CSV."""
    out = Standard()
    monkeypatch.setattr(sys, "stdout", out)
    write_table(pl.DataFrame({"a": [1], "b": ["x"]}), "-")
    assert out.buffer.getvalue() == b"a,b\n1,x\n"


def test_standard_output_that_fails_is_a_clear_error(monkeypatch):
    """A full disk behind standard output is an error of ours."""
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(DataError, match="standard output cannot be written: No space left"):
            write_table(pl.DataFrame({"a": range(100_000)}), "-")
        full.buffer.raw.close()


def test_a_pipe_is_sniffed(tmp_path):
    """A file without extension is told from its first bytes."""
    path = tmp_path / "table"
    write_table(PEOPLE, path, format="parquet")
    assert_frame_equal(read_table(path), PEOPLE)


def test_json_may_hold_lines(table):
    """A `.json` file of one object a line is read as what it is."""
    read = read_table(table('{"a": 1}\n{"a": 2}\n', "t.json"))
    assert read["a"].to_list() == [1, 2]


def test_arrow_streams_are_read(tmp_path):
    """An `.arrow` file may be an IPC stream."""
    path = tmp_path / "t.arrow"
    data = pa.table({"a": [1, 2]})
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, data.schema) as stream:
        stream.write_table(data)
    assert read_table(path)["a"].to_list() == [1, 2]


def test_feather_is_readable_elsewhere(tmp_path):
    """What we write as Feather has types that any Arrow library reads."""
    path = tmp_path / "t.feather"
    write_table(PEOPLE, path)
    assert pa.feather.read_table(path).schema.field("name").type == pa.large_string()


def test_a_separator_can_be_given(table):
    """A separator that is none of the detected ones is taken as given."""
    assert read_table(table("a:b\n1:x\n"), separator=":").rows() == [(1, "x")]


@pytest.mark.parametrize("separator", ["", "::", '"', "\n", "é"])
def test_a_separator_is_one_character(table, separator):
    """What cannot separate cells is refused."""
    with pytest.raises(DataError, match="is not one ASCII character"):
        read_table(table("a\n1\n"), separator=separator)


def test_a_separator_is_for_csv(table):
    """A separator for a format without one is an error."""
    with pytest.raises(DataError, match="is for CSV files; this is jsonl"):
        read_table(table('{"a": 1}', "t.jsonl"), separator=";")


def test_a_missing_file_names_the_nearest(table):
    """A misspelt file name is answered with the right one."""
    path = table("a\n1\n", "adult.csv")
    with pytest.raises(DataError, match=r"no file .*aduld\.csv; did you mean .*adult\.csv\?"):
        read_table(path.with_name("aduld.csv"))


def test_a_missing_file_in_a_missing_folder_says_so(tmp_path):
    """The folder that does not exist is named."""
    with pytest.raises(DataError, match=r"no file .*t\.csv: the folder .*nowhere does not exist"):
        read_table(tmp_path / "nowhere" / "t.csv")


def test_a_folder_is_no_file(tmp_path):
    """Reading and writing a folder are errors that say so."""
    with pytest.raises(DataError, match="is a folder, not a file"):
        read_table(tmp_path)
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(DataError, match="it is a folder; add a file name"):
        write_table(PEOPLE, tmp_path / "t.csv")


@pytest.mark.parametrize("content", ["", "\n\n  \n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("extension", FORMATS)
def test_an_empty_file_is_an_error(table, content, extension):
    """A file without content is empty, whatever its format."""
    with pytest.raises(DataError, match=f"t{extension} is empty"):
        read_table(table(content, f"t{extension}"))


@pytest.mark.parametrize("extension", [".parquet", ".feather", ".xlsx", ".xls", ".json"])
def test_a_file_of_another_format_is_an_error(table, extension):
    """A file that is not what its extension says is an error that names both."""
    with pytest.raises(DataError, match=rf"t{extension}(, line 1| cannot be read| is not)"):
        read_table(table("age,zip\n34,01234\n", f"t{extension}"))


def test_old_feather_is_named(table):
    """Feather version 1 is refused by name."""
    with pytest.raises(DataError, match="Feather file of version 1"):
        read_table(table(b"FEA1 and more", "t.feather"))


def test_two_columns_of_one_name_in_parquet_are_an_error(tmp_path):
    """Column names must differ in typed files as well."""
    path = tmp_path / "t.parquet"
    pa.parquet.write_table(pa.table([[1], [2]], names=["a", "a"]), path)
    with pytest.raises(DataError, match=r"t\.parquet cannot be read as a Parquet file"):
        read_table(path)


@pytest.mark.parametrize("name", ["t.ods", "t.parquet.gz", "t.2024"])
def test_an_unknown_extension_lists_the_known(table, name):
    """An extension that nobody knows is answered with those that are known."""
    path = table("a\n1\n", name)
    for call in (read_table, check_table_output):
        with pytest.raises(DataError, match=r"unknown extension; name the format \(csv, .*\.csv"):
            call(path)


def test_an_unknown_format_lists_the_known(table):
    """A format that nobody knows is answered with those that are known."""
    with pytest.raises(DataError, match="format 'ods' is unknown; it is one of csv, excel"):
        read_table(table("a\n1\n"), format="ods")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("table", "has no extension; name the format"),
        ("t.xls", "the old Excel format is only read; write .xlsx"),
        ("nowhere/t.csv", "the folder .*nowhere does not exist; create it"),
    ],
)
def test_impossible_outputs_are_known_before_any_work(tmp_path, name, message):
    """An output that cannot be written is refused by its name alone, and when writing."""
    with pytest.raises(DataError, match=message):
        check_table_output(tmp_path / name)
    with pytest.raises(DataError, match=message):
        write_table(PEOPLE, tmp_path / name)


def test_a_possible_output_is_not_touched_by_its_check(tmp_path):
    """Checking an output creates nothing."""
    assert check_table_output(tmp_path / "t.parquet") == "parquet"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("extension", [".csv", ".xlsx"])
def test_nested_columns_need_another_format(tmp_path, extension):
    """Lists in CSV or Excel are an error that names file, column and way out."""
    path = tmp_path / f"t{extension}"
    with pytest.raises(DataError, match=r"t\.\w+: column 'l' holds List.*write Parquet"):
        write_table(pl.DataFrame({"l": [[1]]}), path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("extension", [".jsonl", ".json", ".parquet", ".feather"])
def test_nested_columns_pass_where_they_can(tmp_path, extension):
    """Lists and structs come back from formats that have them."""
    nested = pl.DataFrame({"l": [[1], [2, 3]], "s": [{"a": "x"}, {"a": None}]})
    write_table(nested, tmp_path / f"t{extension}")
    assert_frame_equal(read_table(tmp_path / f"t{extension}"), nested)


def test_no_columns_are_no_table(tmp_path):
    """A table without columns is not written."""
    with pytest.raises(DataError, match="the table has no columns"):
        write_table(pl.DataFrame(), tmp_path / "t.csv")


@pytest.mark.parametrize("extension", WRITTEN)
def test_a_full_disk_leaves_nothing(tmp_path, extension):
    """When the disk is full, an old output stays whole and nothing else is left behind."""
    resource = pytest.importorskip("resource")
    path = tmp_path / f"t{extension}"
    path.write_text("the release of yesterday")
    large = pl.DataFrame({"x": pl.Series(range(50_000)).shuffle(seed=1).cast(pl.String)})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(DataError, match=f"t{extension} cannot be written.*File too large"):
            write_table(large, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == "the release of yesterday"
    assert os.listdir(tmp_path) == [path.name]  # noqa: PTH208 - hidden files too


def test_a_full_device_is_an_error(tmp_path):
    """A device gets the finished bytes, and its refusal is an error; it is never replaced."""
    link = tmp_path / "full.csv"
    link.symlink_to("/dev/full")
    with pytest.raises(DataError, match=r"full\.csv cannot be written: No space left on device"):
        write_table(PEOPLE, link)
    assert link.is_symlink()
    assert link.is_char_device()


def test_one_format_has_one_writer():
    """Each format that an extension names can be written."""
    assert set(FORMATS.values()) == set(writing._WRITERS)  # noqa: SLF001


def test_real_data_is_read(shared_data):
    """Adult, separated by semicolons, has its ages as integers and all else as text."""
    adult = read_table(shared_data / "adult" / "adult.csv")
    assert adult.shape == (30162, 9)
    assert adult["age"].dtype == pl.Int64
    assert adult["age"].min() == 17
    assert set(adult.drop("age").dtypes) == {pl.String}


@pytest.mark.parametrize("place", ["postgresql://ann:secret@db/x", "https://ann:secret@web/x.csv"])
def test_a_url_is_refused_by_its_scheme_alone(place):
    """No file is written to a URL, and what it may hold of a password is not repeated."""
    acts = [partial(write_table, pl.DataFrame({"a": [1]}))]
    for act in acts if place.startswith("https") else [*acts, read_table]:
        with pytest.raises(DataError, match=f"{place.partition(':')[0]}:// is not supp") as told:
            act(place)
        assert "secret" not in str(told.value)
