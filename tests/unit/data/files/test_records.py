"""JSON Lines and JSON arrays of objects."""

from __future__ import annotations

import datetime as dt
import io
import json

import polars as pl
import pytest

from kanonym.data.errors import DataError
from kanonym.data.files.json_records import read, write_array, write_lines


def lines(*records):
    """Read records given as Python objects or as raw lines."""
    text = "\n".join(
        record if isinstance(record, str) else json.dumps(record) for record in records
    )
    return read(text.encode(), "t.jsonl")


def refusal(text):
    """Return the message with which a file is refused."""
    with pytest.raises(DataError) as refused:
        read(text if isinstance(text, bytes) else text.encode(), "t.json")
    return str(refused.value)


def test_a_missing_key_is_null():
    """A record without a key has null there, wherever the key appears first."""
    records = [{"a": 1}, {"b": "x"}, *[{"a": 2}] * 500, {"c": True}]
    read_back = lines(*records)
    assert set(read_back.columns) == {"a", "b", "c"}
    assert read_back.row(0, named=True) == {"a": 1, "b": None, "c": None}
    assert read_back.row(-1, named=True) == {"a": None, "b": None, "c": True}


def test_columns_stand_as_in_the_first_record():
    """The order of the columns is that of the first record's keys."""
    assert lines({"z": 1, "a": 2, "m": 3}, {"a": 1, "m": 1, "z": 1}).columns == ["z", "a", "m"]
    text = b' [ {"z": 1, "a": 2}, {"a": 1, "z": 1}]'
    assert read(text, "t.json").columns == ["z", "a"]


def test_an_array_may_be_spread_over_lines():
    """Blanks between the parts of an array mean nothing."""
    text = json.dumps([{"a": "x\ny", "b": [1]}, {"a": None, "b": [2]}], indent=2).replace(
        "\n", "\r\n"
    )
    assert read(text.encode(), "t.json").rows() == [("x\ny", [1]), (None, [2])]


def test_texts_of_digits_stay_text():
    """JSON says what is a number: a postal code in quotes is none."""
    assert lines({"zip": "12345"}, {"zip": "01234"})["zip"].to_list() == ["12345", "01234"]


def test_dates_are_dates():
    """Texts that are all ISO dates or times are read as such, for JSON has no other way."""
    read_back = lines({"d": "2024-02-29", "t": "2024-02-29T12:00:00"}, {"d": None, "t": None})
    assert read_back.row(0) == (dt.date(2024, 2, 29), dt.datetime(2024, 2, 29, 12))
    assert read_back.row(1) == (None, None)


def test_numbers_among_texts_are_text():
    """A column of numbers and texts is text, as in CSV."""
    assert lines({"a": 1}, {"a": "x"})["a"].to_list() == ["1", "x"]


def test_blank_lines_and_a_byte_order_mark_are_no_records():
    """Lines without anything are skipped."""
    assert read(b'\xef\xbb\xbf{"a":1}\n\n{"a":2}\n\n', "t")["a"].to_list() == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":1}\n{"a":\n{"a":3}\n', "t.json, line 2, character 6: Expecting value"),
        ('{"a":1}\n\n{"a":1} x\n', "t.json, line 3, character 9: Extra data"),
        ('{"a":1}\n5\n', "t.json, line 2 is not an object"),
        ('{"a":1}\n[1]\n', "t.json, line 2 is not an object"),
        ('{"a":1.5}\n{"a":NaN}\n', "t.json, line 2: NaN is not JSON; write null"),
        ('{"a":1}\n{"a":true}\n', "line 2: column 'a' is a boolean here and a number before"),
        ('{"a":1}\n{"a":[1]}\n', "line 2: column 'a' is a list here and a number before"),
        ('[{"a":1},\n{"a":2]', "t.json, line 2, character 7: Expecting ',' delimiter"),
        ('[{"a":1}\n{"a":2}]', "t.json, line 2, character 1: Expecting ',' or ']'"),
        ('[{"a":1},\n', "t.json, line 2, character 1: Expecting value"),
        ('[{"a":1},]', "t.json, line 1, character 10: Expecting value"),
        ('[{"a":1.5},{"a":NaN}]', "t.json, record 2: NaN is not JSON; write null"),
        ('[{"a":1}]\n{"a":2}', "t.json, line 2, character 1: Extra data"),
        ('[{"a":1}, 2]', "t.json, record 2 is not an object"),
        ('[{"a":1},{"a":true}]', "record 2: column 'a' is a boolean here and a number before"),
        ("age,zip\n1,2\n", "t.json, line 1, character 1: Expecting value"),
        (b'{"a":"x"}\n{"a":"\xe9"}\n', "t.json is not UTF-8: line 2, byte 17 of the file"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(text, message):
    """Malformed JSON, records that are none and mixed columns are refused with their place."""
    assert message in refusal(text)


@pytest.mark.parametrize("write", [write_lines, write_array])
def test_infinity_is_not_silently_null(write):
    """JSON has no infinite number: the column is refused."""
    with pytest.raises(DataError, match="column 'x' holds an infinite number"):
        write(pl.DataFrame({"x": [1.0, float("inf")]}), io.BytesIO())


@pytest.mark.parametrize("write", [write_lines, write_array])
def test_bytes_are_refused(write):
    """JSON has no bytes."""
    with pytest.raises(DataError, match="column 'x' holds Binary, which JSON cannot"):
        write(pl.DataFrame({"x": [b"x"]}), io.BytesIO())


def test_decimals_are_numbers():
    """A decimal is written as a number."""
    target = io.BytesIO()
    write_lines(pl.DataFrame({"x": pl.Series(["1.50"]).cast(pl.Decimal(9, 2))}), target)
    assert target.getvalue() == b'{"x":1.5}\n'


def test_decimals_that_floats_round_are_texts():
    """A decimal of more digits than a float has is written digit for digit."""
    target = io.BytesIO()
    column = pl.Series(["0.1234567890123456789"]).cast(pl.Decimal(30, 19))
    write_lines(pl.DataFrame({"x": column}), target)
    assert target.getvalue() == b'{"x":"0.1234567890123456789"}\n'


def test_what_is_written_is_json():
    """Python's own reader understands both forms."""
    frame = pl.DataFrame({"a": ["é\n", None], "b": [1, 2]})
    expected = [{"a": "é\n", "b": 1}, {"a": None, "b": 2}]
    target = io.BytesIO()
    write_array(frame, target)
    assert json.loads(target.getvalue()) == expected
    target = io.BytesIO()
    write_lines(frame, target)
    assert [json.loads(line) for line in target.getvalue().splitlines()] == expected
