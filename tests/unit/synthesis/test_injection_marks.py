"""Marks: found again with the key whatever happened to the table, and silent without it."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kanonym.data.errors import DataError, PolicyError
from kanonym.data.files import read_table, write_table
from kanonym.synthesis import Marks, injected_rows
from kanonym.synthesis.injection.marks import marks_of
from kanonym.synthesis.injection.records import canonical_texts, record_texts

KEY = b"of these tests only, never of data"
OTHER = b"another key of these tests, as long"
DAY = dt.date(2024, 2, 29)
INJECTED = np.array([False, True, False, True, True, False])


@pytest.fixture
def table():
    """Return six records of every kind of column; rows 2 and 4 are equal, as rows 1 and 6."""
    return pl.DataFrame(
        {
            "id": [7, 8, 9, 8, 1, 7],
            "share": [0.1, 2.0, None, 2.0, 1e-7, 0.1],
            "whole": [7.0, 8.0, 9.0, 8.0, 1e15, 7.0],
            "zip": ["01234", "x", "", "x", None, "01234"],
            "sure": [True, False, None, False, True, True],
            "day": [DAY, None, dt.date(1990, 1, 1), None, None, DAY],
            "when": [dt.datetime(2024, 2, 29, 12, 30, 5, 250000)] * 6,
            "ward": pl.Series(["a, b", 'c "d"', "ä", 'c "d"', "e", "a, b"], dtype=pl.Categorical),
        }
    )


@pytest.fixture
def marks(table):
    """Return the marks of rows 2, 4 and 5."""
    return marks_of(table.get_columns(), INJECTED, KEY)


def same_contents(one, other):
    """Return whether two tables hold the same records, in any order."""
    parts = [sorted(record_texts(table.get_columns())) for table in (one, other)]
    return parts[0] == parts[1]


@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
def test_marked_records_are_found_after_writing_reading_and_shuffling(
    table, marks, tmp_path, extension
):
    """A table that went through a file, its rows and columns in another order, gives them all."""
    place = tmp_path / f"table.{extension}"
    if extension == "xlsx":  # which cannot tell an empty text from null
        table = table.with_columns(pl.col("zip").replace("", "y"))
        marks = marks_of(table.get_columns(), INJECTED, KEY)
    write_table(table, place)
    back = read_table(place).sample(fraction=1, shuffle=True, seed=4)
    back = back.select(reversed(back.columns))
    found = injected_rows(back, marks, KEY)
    assert found.sum() == 3
    assert same_contents(back.filter(found).select(table.columns), table.filter(INJECTED))


def test_marked_records_are_found_after_pandas_read_the_file(table, marks):
    """Leading zeros, dates and null as pandas reads them do not matter."""
    text = io.StringIO()
    table.write_csv(text)
    back = pd.read_csv(io.StringIO(text.getvalue()))
    assert injected_rows(back, marks, KEY).tolist() == INJECTED.tolist()


def test_of_equal_records_as_many_are_found_as_were_injected(table):
    """Of m equal records of which c were injected, c are found, whichever they are."""
    whole = pl.concat([table] * 3)
    injected = np.zeros(len(whole), np.bool_)
    injected[[0, 11]] = True  # two of the six equal to row 1
    marks = marks_of(whole.get_columns(), injected, KEY)
    found = injected_rows(whole, marks, KEY)
    assert found.sum() == 2
    assert set(np.flatnonzero(found) % 6) <= {0, 5}


def test_a_part_of_the_table_gives_its_part_of_the_records(table, marks):
    """Rows that are missing take nothing from the others."""
    assert injected_rows(table[[4, 0, 1]], marks, KEY).tolist() == [True, False, True]


def test_without_the_key_marks_say_nothing(table, marks):
    """They are hashes of one length, different even of equal records, in an order of their own."""
    plain = [
        hashlib.sha256(text.encode()).hexdigest() for text in record_texts(table.get_columns())
    ]
    assert len(set(marks.records)) == 3
    assert list(marks.records) == sorted(marks.records)
    assert not set(plain) & set(marks.records)
    written = json.dumps(marks.to_dict())
    assert all(word not in written for word in ("01234", "ward", "2024", "id"))
    assert marks.records != marks_of(table.get_columns(), INJECTED, OTHER).records


def test_marks_are_the_same_whatever_the_order_of_the_records(table, marks):
    """The file does not tell where a record stood."""
    order = np.array([3, 5, 4, 0, 2, 1])
    turned = marks_of(table[order].get_columns(), INJECTED[order], KEY)
    assert turned == marks


def test_a_file_of_marks_is_read_as_it_was_written(table, marks, tmp_path):
    """Writing and reading gives the same marks; the file's path does as well as the marks."""
    marks.write(tmp_path / "marks.json")
    assert Marks.read(tmp_path / "marks.json") == marks
    found = injected_rows(table, tmp_path / "marks.json", KEY)
    assert found.tolist() == INJECTED.tolist()


def test_the_key_may_be_named_by_file_or_variable(table, marks, tmp_path, monkeypatch):
    """A key in a file, its newline apart, or in the environment is the same as its bytes."""
    (tmp_path / "key").write_bytes(KEY + b"\n")
    monkeypatch.setenv("KANONYM_KEY", KEY.decode())
    for key in (tmp_path / "key", str(tmp_path / "key"), {"env": "KANONYM_KEY"}):
        assert injected_rows(table, marks, key).tolist() == INJECTED.tolist()


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (OTHER, "the key is not the one"),
        (b"short", "fewer than 16 bytes"),
        ("secret-secret-secret", "names no file"),
        (None, "marks need a key"),
        ({"env": "NO_SUCH_KEY"}, "NO_SUCH_KEY is not set"),
    ],
)
def test_a_key_that_does_not_fit_is_refused_without_being_shown(table, marks, key, said):
    """A wrong, short or missing key is refused; a text that may be the key is not repeated."""
    with pytest.raises(PolicyError) as caught:
        injected_rows(table, marks, key)
    assert said in str(caught.value)
    assert "secret-secret" not in str(caught.value)


def test_a_table_of_other_columns_is_refused(table, marks):
    """Marks are of whole records: a column more or less is told, not answered with no record."""
    with pytest.raises(DataError, match="a table with other columns"):
        injected_rows(table.drop("ward"), marks, KEY)


@pytest.mark.parametrize("text", ["", "[]", '{"key": "a"}', '{"key":"","columns":"","records":[]}'])
def test_a_file_without_marks_is_refused(tmp_path, text):
    """What is no file of marks is named."""
    (tmp_path / "marks.json").write_text(text, "utf-8")
    with pytest.raises(DataError, match=r"marks.json holds no marks"):
        Marks.read(tmp_path / "marks.json")


@pytest.mark.parametrize(
    "same",
    [
        [
            pl.Series([7]),
            pl.Series([7.0]),
            pl.Series(["7"]),
            pl.Series(["007"]),
            pl.Series(["7.0"]),
        ],
        [pl.Series([0.1], dtype=pl.Float32), pl.Series([0.1]), pl.Series(["0.10"])],
        [pl.Series([-0.0]), pl.Series([0]), pl.Series(["-0"])],
        [pl.Series([1e16]), pl.Series(["1e16"]), pl.Series([10**16])],
        [pl.Series([True]), pl.Series(["True"]), pl.Series(["true"])],
        [pl.Series([None], dtype=pl.Int64), pl.Series([""]), pl.Series([float("nan")])],
        [
            pl.Series([dt.date(2024, 2, 29)]),
            pl.Series([dt.datetime(2024, 2, 29)]),
            pl.Series(["2024-02-29 00:00:00"]),
        ],
        [
            pl.Series([dt.datetime(2024, 2, 29, 12, 30)]),
            pl.Series(["2024-02-29T12:30:00.000000"]),
            pl.Series(["2024-02-29 12:30"]),
            pl.Series([dt.datetime(2024, 2, 29, 12, 30)]).dt.replace_time_zone("UTC"),
        ],
        [
            pl.Series([dt.datetime(2024, 7, 1, 12, 30)]).dt.replace_time_zone("Europe/Brussels"),
            pl.Series(["2024-07-01T12:30:00.000000+0200"]),
            pl.Series(["2024-07-01 12:30:00+02:00"]),
            pl.Series(["2024-07-01 10:30Z"]),
            pl.Series(["2024-07-01T16:00+05:30"]),
        ],
        [pl.Series([dt.time(9, 30)]), pl.Series(["09:30:00"])],
    ],
    ids=lambda same: repr(same[0][0]),
)
def test_one_value_has_one_spelling_in_every_type_that_a_file_gives_it(same):
    """What files and their readers make of a value is the same text."""
    assert len({canonical_texts(column)[0] for column in same}) == 1


def test_a_text_with_an_offset_that_is_no_time_stays_as_it_is():
    """What only looks like a time is left alone, and the column that was read is not changed."""
    given = pl.Series(["2024-13-45T12:30:00+0200", "2024-07-01T12:30:00+0200", "x+02:00"])
    before = given.to_list()
    assert canonical_texts(given).to_list() == [before[0], "2024-07-01T10:30", before[2]]
    assert given.to_list() == before


def test_different_records_never_join_to_one_text():
    """Names and lengths stand beside values: nothing can slip from one cell into the next."""
    tables = [
        {"a": ["x"], "b": ["yz"]},
        {"a": ["xy"], "b": ["z"]},
        {"a": ["x"], "c": ["yz"]},
        {"a": [""], "b": ["xyz"]},
        {"a": ["x1:b=2:yz"], "b": [""]},
    ]
    joined = {record_texts(pl.DataFrame(one).get_columns())[0] for one in tables}
    assert len(joined) == len(tables)
