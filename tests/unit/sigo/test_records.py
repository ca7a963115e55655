"""Laws of reading records: every text kept, every layout read alike, every fault placed."""

from __future__ import annotations

import io
import json
import sys

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.files.json_records import read_objects
from kanonym.sigo.attributes import identities, read_attribute
from kanonym.sigo.records import Records, _read_sequence, json_lines, read_records

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    SCALARS | TEXTS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner)
)


@pytest.fixture
def read(tmp_path):
    """Return a function that reads bytes as a file called `in.jsonl`."""

    def run(data: bytes | str) -> Records:
        file = tmp_path / "in.jsonl"
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        return read_records(str(file))

    return run


def printed(records):
    """Return the lines of records as they came."""
    return json_lines(records, None, {}).decode()


@settings(max_examples=examples(50))
@given(st.lists(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3), min_size=1, max_size=6))
def test_any_records_come_back(rows):
    """Records of any keys and values are printed as they came, in order, blanks and all."""
    text = "\n".join(json.dumps(row, indent=1 if i % 2 else None) for i, row in enumerate(rows))
    found = printed(_read_sequence(text, "in")).removesuffix("\n").split("\n")
    assert list(map(json.loads, found)) == rows


def test_records_without_keys_come_back(read):
    """Several of them are as many lines, with the values that each is given."""
    records = read('[{}, {}, {"a": null}]')
    assert printed(records) == '{}\n{}\n{"a":null}\n'
    given = {"b": pl.Series(["1", None, "2"]), "c": pl.Series(["3", "4", None])}
    assert json_lines(records, None, given) == b'{"b":1,"c":3}\n{"c":4}\n{"a":null,"b":2}\n'


def test_half_a_character_is_no_key(read):
    """Such a key cannot be written: the message says where it stands."""
    with pytest.raises(DataError, match="surrogate"):
        read(json.dumps([{"x": 1, "\ud800": 2}]))


@given(st.lists(st.permutations("abc"), min_size=1, max_size=9), st.data())
def test_both_readers_agree(orders, data):
    """Lines of few layouts give what the reader of single records gives, nested values and all."""
    values = VALUES.map(json.dumps)
    text = "".join(
        "{ " + " , ".join(f'"{name}": {data.draw(values)}' for name in order) + " }\r\n\n"
        for order in orders
    )
    sys.stdin, before = io.TextIOWrapper(io.BytesIO(text.encode())), sys.stdin
    try:
        quick = read_records("-")
    finally:
        sys.stdin = before
    slow = _read_sequence(text, "standard input")
    assert printed(quick) == printed(slow)
    assert quick.lines.tolist() == slow.lines.tolist() == [2 * i + 1 for i in range(len(orders))]
    assert quick.layouts == slow.layouts


@pytest.mark.parametrize(
    "text",
    [
        '{"x":1,"y":[ 2, {"a" : " \\" b "} ]}\n{"x":[],"y":3}\n{"x":2,"y":{}}\n',
        '[{"x":1},\n{"x":' + "[" * 60 + "]" * 60 + "}]",
        "".join(f'{{"x{i}":{i}}}' for i in range(1000)),
        '{"\\u0078":1}{"x":2}{}',
    ],
    ids=["nested", "deep", "many layouts", "a key in two ways"],
)
def test_records_that_are_not_read_one_by_one(read, text, monkeypatch):
    """Nested values, arrays, many layouts and escapes are read by the kernel, with one outcome."""
    slow = _read_sequence(text, "in")
    monkeypatch.setattr("kanonym.sigo.records._read_sequence", None)
    quick = read(text)
    assert printed(quick) == printed(slow)
    assert quick.lines.tolist() == slow.lines.tolist()
    assert quick.layouts == slow.layouts


@pytest.mark.parametrize(
    "text",
    [
        '{"x":' + "[" * 70 + "]" * 70 + "}",
        "".join(f'{{"x{i}":{i}}}' for i in range(1100)),
        '{"x":1,"\\u0078":2}',
    ],
    ids=["deeper", "more layouts", "a key twice"],
)
def test_records_that_are_read_one_by_one(read, text):
    """What is too much for the kernel is left to the reader of single records."""
    assert read_objects(text) is None
    assert printed(read(text)) == printed(_read_sequence(text, "in"))


@given(st.lists(st.dictionaries(TEXTS, VALUES, max_size=3), max_size=3).map(json.dumps), st.data())
def test_a_fault_is_one_to_both_readers(text, data):
    """Text with a character more, less or another is read alike, or by neither reader."""
    place = data.draw(st.integers(0, len(text)))
    put = data.draw(st.sampled_from(["", *'{}[]:,"\\ 01-+.eEtnu\x1f\n/']))
    text = text[:place] + put + text[place + data.draw(st.integers(0, 1)) :]
    quick = read_objects(text)
    try:
        slow = _read_sequence(text, "in")
    except DataError:
        assert quick is None
        return
    if quick is None:  # only of a key that stands twice is there less to be had
        assert any(len(set(names)) < len(names) for names in keys_of(text))
        return
    assert printed(Records("in", *quick)) == printed(slow)
    assert quick.lines.tolist() == slow.lines.tolist()


def keys_of(text):
    """Return the keys of each object of a text, as often as they stand there."""
    found = []

    def keep(pairs):
        found.append([name for name, _ in pairs])
        return {}

    decoder, place = json.JSONDecoder(object_pairs_hook=keep), 0
    while place < len(text.rstrip()):
        place = decoder.raw_decode(text, place + len(text[place:]) - len(text[place:].lstrip()))[1]
    return found


def test_untouched_values_keep_their_text(read):
    """Digits, exponents and escapes of a value stand as they came."""
    line = r'{"a":1.10,"b":1e3,"c":123456789012345678901234567890,"d":"\u00e9<&>","e":-0.0}'
    assert printed(read(line)) == line + "\n"


def test_a_key_that_stands_twice_has_its_last_value(read):
    """Of a repeated key the last value counts, as in Go."""
    assert printed(read('{"a":1,"b":2,"a":3}')) == '{"a":3,"b":2}\n'


@pytest.mark.parametrize(
    "text",
    [
        '{"x":1,"y":"a"}\n{"x":2,"y":"b"}\n',
        '\ufeff\n\n{"x":1,"y":"a"}\r\n \t\n{"x":2,"y":"b"}',
        '[{"x":1,"y":"a"},\n {"x":2,"y":"b"}]\n',
        '{"x": 1,\n "y": "a"}\n{"x": 2,\n "y": "b"}\n',
        "x,y\n1,a\n2,b\n",
        'x;y\r\n"1";"a"\r\n2;b\r\n',
    ],
    ids=["lines", "blanks", "array", "indented", "csv", "semicolons"],
)
def test_forms_that_are_read(read, text):
    """Lines with blank ones and a byte order mark, an array, indented objects and CSV are alike."""
    assert printed(read(text)) == '{"x":1,"y":"a"}\n{"x":2,"y":"b"}\n'


def test_cells_of_csv_are_json(read):
    """Numbers, booleans, dates, texts and nulls of CSV are printed as JSON has them."""
    text = 'a,b,c,d,e\n1,0.5,true,2020-01-31,"x ""y"""\n2,,false,2020-02-01,\n'
    assert printed(read(text)).splitlines() == [
        r'{"a":1,"b":0.5,"c":true,"d":"2020-01-31","e":"x \"y\""}',
        '{"a":2,"b":null,"c":false,"d":"2020-02-01","e":null}',
    ]


def test_nothing_is_no_record(read):
    """An empty file, blank lines, and an empty array hold no record."""
    assert [len(read(text)) for text in ("", "\n\n", "[]", " [ ] ")] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ('{"x":1}\n{"x":2,,"y":3}\n', "2:8", "Expecting '\"'"),
        ('{"x":1}\n\n{"x":2\n{"x":3}\n', "3:7", "Expecting ',' or '}'"),
        ('{"x":1}\n{"x":tru}\n', "2:6", "Expecting value"),
        ('{"x":1}\n{"x":NaN}\n', "2:6", "NaN is not JSON"),
        ('{"x":1}\n5\n', "2:1", "Expecting '{'"),
        ('{"x":1}\n{"x":"a\n', "2:8", "Invalid control character at"),
        ('{"x" 1}', "1:6", "Expecting ':'"),
        ('[{"x":1}', "1:9", "Expecting ',' or ']'"),
        ('[{"x":1}] {"x":2}', "1:11", "Extra data behind the array"),
        ('[{"x":1}, 5]', "1:11", "Expecting '{'"),
    ],
)
def test_faults_name_line_and_column(read, text, place, reason):
    """What is no JSON is told with file, line and column."""
    with pytest.raises(DataError) as caught:
        read(text)
    assert f"in.jsonl:{place}: {reason}" in str(caught.value)


def test_missing_keys_are_told(read):
    """A key that no record has is told with the nearest; a header of something else, too."""
    with pytest.raises(SchemaError, match=r"in.jsonl: no such column: 'age' \(did you mean 'Age'"):
        read('{"Age":1}').require(["age"])
    with pytest.raises(SchemaError, match=r"in.jsonl:1:1: neither a JSON object nor a CSV header"):
        read('rubbish\n{"age":1}').require(["age"])
    read("").require(["age"])


# --- quasi-identifiers -------------------------------------------------------


def test_numbers_are_read_as_sigo_does(read):
    """Numbers, texts of numbers and booleans are numbers."""
    records = read('{"x":1.5}{"x":"2e1"}{"x":true}{"x":false}{"x":-0}')
    one = read_attribute(records, "x")
    assert (one.kind, one.values.tolist()) == ("number", [1.5, 20.0, 1.0, 0.0, 0.0])


def test_dates_and_texts_have_an_order(read):
    """ISO dates are days, other texts are ranked by code points; both print as they came."""
    days = read_attribute(read('{"d":"2020-03-01"}{"d":"1969-12-31"}'), "d")
    assert (days.kind, days.values.tolist()) == ("date", [18322.0, -1.0])
    assert days.format_values(days.values).to_list() == ['"2020-03-01"', '"1969-12-31"']
    words = read_attribute(read(r'{"w":"b\n"}{"w":"\u00e9"}{"w":"7"}{"w":"b\n"}'), "w")
    assert (words.kind, words.values.tolist()) == ("text", [1.0, 2.0, 0.0, 1.0])
    assert words.format_values(words.values).to_list() == [r'"b\n"', '"é"', '"7"', r'"b\n"']


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ('{"x":null}', "'x' is null"),
        ('{"y":1}', "'x' is missing"),
        ('{"x":"abc"}', "'x': \"abc\" is a text among numbers"),
        ('{"x":[1]}', r"'x': \[1\] is neither a number nor a text"),
        ('{"x":"NaN"}', "'x': \"NaN\" is not a finite number"),
        ('{"x":1e308}', "'x': 1e308 is not a finite number of at most"),
    ],
)
def test_bad_cells_are_named(read, cell, reason):
    """A cell that is no value of its column is told with line, column and value."""
    with pytest.raises(DataError, match=rf"in.jsonl:3: quasi-identifier {reason}"):
        read_attribute(read(f'{{"x":1}}\n\n{cell}\n{{"x":2}}'), "x")


SENSITIVE = [
    ["null"],
    ["0", "-0", "0.0", "0e7", '"0"', '"-0.00"'],
    ["70", "70.0", "7e1", "7.0E+1", '"70"', '"070"', '"+7e1"', r'"\u0037\u0030"'],
    ["-70", '"-70.0"'],
    ["0.07", "7e-2", '".07"', '"0.070"'],
    [str(10**50), "1e50", '"1E50"'],
    [f"{10**50 + 1}", f"{10**50 + 1}.0"],
    ["1e400"],
    ["1e401"],
    ["true"],
    ['"true"'],
    ['"null"'],
    ['"7 0"'],
    ['"1.2.3"'],
    ['""'],
    ['"é"', r'"\u00e9"'],
    ['{"a":1,"b":[2]}', '{"b":["2.0"],"a":1.0}'],
    ['[{"a":1,"b":2}]', '[{"b":2,"a":1}]'],
]
"""Ways to write values: those of a list are one value."""


def test_a_sensitive_value_is_one_however_it_is_written(read):
    """Numbers by their exact value, as text too; texts, objects and lists by what they hold."""
    cells = [cell for ways in SENSITIVE for cell in ways]
    records = read("\n".join(f'{{"s":{cell}}}' for cell in cells) + '\n{"t":0}')
    same = dict(zip([*cells, "missing"], identities(records.columns["s"]), strict=True))
    groups = [{same[cell] for cell in ways} for ways in SENSITIVE]
    assert [len(one) for one in groups] == [1] * len(groups)
    assert len(set().union(*groups)) == len(groups)
    assert same["missing"] == same["null"]
