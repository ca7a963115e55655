"""CSV: separators, headers, quotes, nulls, and every way a row can be wrong."""

from __future__ import annotations

import gzip
import io
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import kanonym as ka
from kanonym.data.errors import DataError
from kanonym.data.files import read_with_content, sha256
from kanonym.data.files.delimited import read, write


def table(text, separator=None):
    """Read text as a file named t.csv."""
    return read(text if isinstance(text, bytes) else text.encode(), "t.csv", separator)


RECORDS = [("f", 34, "x"), ("m", 51, "y"), ("f", 40, "x, z")]
EXPORTS = {
    "blanks behind separators": 'sex, age, note\nf, 34, x\nm, 51, y\nf, 40, "x, z"\n',
    "blanks behind separators of records": 'sex,age,note\nf, 34, x\nm, 51, y\nf, 40, "x, z"\n',
    "blanks around names": ' sex , age, note\nf,34,x\nm,51,y\nf,40,"x, z"\n',
    "a line that names the separator": "sep=;\nsex;age;note\nf;34;x\nm;51;y\nf;40;x, z\n",
    "the same, filled up": "sep=;;;\r\nsex;age;note\r\nf;34;x\r\nm;51;y\r\nf;40;x, z\r\n",
    "a rare separator": "sep=#\nsex#age#note\nf#34#x\nm#51#y\nf#40#x, z\n",
    "separators at the ends of lines": "sex;age;note;\nf;34;x;\nm;51;y;\nf;40;x, z;\n",
    "several of them": "sex;age;note;;;\nf;34;x;;;\nm;51;y;;;\nf;40;x, z;;;\n",
    "separators at the ends of records": "sex;age;note\nf;34;x;\nm;51;y;\nf;40;x, z;\n",
    "a separator at the end of the header": "sex;age;note;\nf;34;x\nm;51;y\nf;40;x, z\n",
    "empty last rows": "sex;age;note\nf;34;x\nm;51;y\nf;40;x, z\n;;\n;;\n",
    "a sum": "sex;age;note\nf;34;x\nm;51;y\nf;40;x, z\nTotal;125;\n",
    "a mean": "sex;age;note\nf;34;x\nm;51;y\nf;40;x, z\nMittelwert:;41,67;\n",
    "both": "sex;age;note\nf;34;x\nm;51;y\nf;40;x, z\n;;\nmean;41.67;\n;;\nSuma;125;\n;;\n",
}


@pytest.mark.parametrize("text", EXPORTS.values(), ids=EXPORTS)
def test_tables_are_read_as_programs_export_them(text):
    """What programs write around a table is no part of it."""
    read_table = table(text)
    assert read_table.columns == ["sex", "age", "note"]
    assert read_table.rows() == RECORDS


@pytest.mark.parametrize(
    ("last", "row"),
    [
        (";;\n", "row 4 is left out: no value in 'sex', 'age', 'note'"),
        (";;\n;;\n", "rows 4 to 5 are left out: no value in 'sex', 'age', 'note'"),
        ("Gesamt;125;\n", "row 4 is left out: totals of 'age'"),
    ],
)
def test_rows_that_are_left_out_are_named(last, row, caplog):
    """A warning names the rows, counted as records are, and no value."""
    table("sex;age;note\nf;34;x\nm;51;y\nf;40;x\n" + last)
    assert caplog.messages == [f"t.csv: {row}"]


@pytest.mark.parametrize(
    "word",
    ["TOTAL:", "Grand Total", "Total general", "Summe", "Gesamtergebnis", "Insgesamt", "Suma"],
)
def test_words_for_totals_in_several_languages(word):
    """What spreadsheets and databases write in front of totals, in any case."""
    assert table(f"sex;age;note\nf;34;x\nm;51;y\n{word};85;\n").height == 2


@pytest.mark.parametrize("last", ["Total;34;x", "Totalini;125;", "f;125;x", "Sum;41;y", "f;;"])
def test_any_other_last_row_is_a_record(last):
    """A word is not enough, nor is a sum: a record must not be lost."""
    assert table(f"sex;age;note\nf;34;x\nm;51;y\nf;40;\n{last}\n").height == 4


def test_an_empty_last_row_is_a_record_if_others_are_empty():
    """Where cells were suppressed, rows may be empty: they are written and read as they are."""
    frame = pl.DataFrame({"sex": ["f", None, "m", None], "age": [34, None, 51, None]})
    target = io.BytesIO()
    write(frame, target, ",")
    assert_frame_equal(read(target.getvalue(), "t.csv"), frame)


def test_a_separator_at_the_end_with_values_behind_it_is_refused():
    """A column without a name, but with a value, is no column of a program."""
    assert "column 3 has no name" in refusal("a;b;\n1;2;\n3;4;5\n")
    assert "line 2: 4 cells where the header has 2" in refusal("a;b\n1;2;;\n3;4;5;\n6;7;;\n")


def test_the_caller_names_the_columns_of_a_file_without_a_header():
    """The first row is a record then, unless it has these names."""
    records = "f,34,x\nm,51,y\n"
    names = ["sex", "age", "note"]
    named = read(records.encode(), "t.csv", columns=names)
    assert named.rows(named=True)[0] == {"sex": "f", "age": 34, "note": "x"}
    assert read(f"sex,age,note\n{records}".encode(), "t.csv", columns=names).equals(named)
    assert read(b"f,34,x,\nm,51,y,\n", "t.csv", columns=names).equals(named)
    with pytest.raises(DataError, match="has 3 columns, but 2 are named"):
        read(records.encode(), "t.csv", columns=names[:2])


def test_no_last_row_is_written_that_a_reader_leaves_out():
    """What is written must be read as it is."""
    for rows in ([("a", 1), (None, None)], [("a", 1), ("Total", None)]):
        frame = pl.DataFrame(rows, schema=["x", "y"], orient="row")
        with pytest.raises(DataError, match="row 2: a reader of CSV leaves out"):
            write(frame, io.BytesIO(), ",")


def test_cells_that_all_begin_with_a_blank_are_quoted():
    """Else the blanks would belong to the separators."""
    frame = pl.DataFrame({"a": ["x", "y"], "b": [" x", " y"]})
    target = io.BytesIO()
    write(frame, target, ",")
    assert_frame_equal(read(target.getvalue(), "t.csv"), frame)


def refusal(text, separator=None):
    """Return the message with which a file is refused."""
    with pytest.raises(DataError) as refused:
        table(text, separator)
    return str(refused.value)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_detected(separator):
    """Comma, semicolon, tab and bar are told from the rows."""
    text = "name,age,city\nann,34,Bonn\nbob,51,Ulm\n".replace(",", separator)
    assert table(text).rows() == [("ann", 34, "Bonn"), ("bob", 51, "Ulm")]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("name;height\nann;1,71\nbob;1,80\n", ["name", "height"]),
        ("name;salary, net;age\nann;100;3\nbob;90, or so;4\n", ["name", "salary, net", "age"]),
        ('"last, first";age\n"Doe, Jo";3\n"Roe, Al";4\n', ["last, first", "age"]),
        ("a,b,c|d\nx,y,z|w\n", ["a", "b", "c|d"]),
        ("comment\nnothing\n", ["comment"]),
    ],
)
def test_other_separators_inside_cells_do_not_mislead(text, columns):
    """A decimal comma, a comma in a name or in quotes does not pass for the separator."""
    assert table(text).columns == columns


def test_a_byte_order_mark_is_no_part_of_a_name():
    """Files of Windows programs start with a mark that is not data."""
    assert table(b"\xef\xbb\xbfage,zip\n34,01234\n").rows(named=True) == [
        {"age": 34, "zip": "01234"}
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_end_as_any_system_ends_them(end):
    """LF, CRLF and CR end a row, and the last row may lack it."""
    assert table(end.join(["a,b", "1,x", "2,y"])).rows() == [(1, "x"), (2, "y")]


def test_quoted_cells_hold_anything():
    """Separators, newlines and doubled quotes inside quotes are part of the cell."""
    text = 'note,n\n"one\ntwo, ""three""",1\n"a\r\nb",2\n'
    assert table(text).rows() == [('one\ntwo, "three"', 1), ("a\r\nb", 2)]


def test_a_quoted_header_may_hold_a_newline():
    """Names are cells like others."""
    assert table('"two\nlines",b\n1,2\n').columns == ["two\nlines", "b"]


def test_an_empty_cell_is_null_and_a_quoted_one_is_empty():
    """Quotes tell an empty text from a missing one."""
    assert table('a,b\n,x\n"",y\nz,\n')["a"].to_list() == [None, "", "z"]


def test_an_empty_quoted_cell_in_a_column_of_numbers_is_null():
    """Programs that quote every cell write null as an empty quoted cell."""
    assert table('"a","b"\n"1","x"\n"","y"\n')["a"].to_list() == [1, None]


def test_words_for_null_are_text():
    """NA, null, None and the like are values of their own, never guessed away."""
    words = ["NA", "null", "None", "n/a", "-", "1"]
    assert table("a\n" + "\n".join(words))["a"].to_list() == words


def test_blank_lines_are_no_rows_between_several_columns():
    """Blank lines before the header, between rows and at the end are skipped."""
    assert table("\n\na,b\n1,2\n\n3,4\n\n").rows() == [(1, 2), (3, 4)]


def test_blank_lines_are_nulls_in_one_column():
    """In a table of one column a blank line is a record without a value."""
    assert table("a\n1\n\n3\n")["a"].to_list() == [1, None, 3]


@pytest.mark.parametrize("text", ["age,zip", "age,zip\n", "age,zip\r\n\r\n"])
def test_a_header_alone_is_a_table_of_no_rows(text):
    """Names without records are a table."""
    assert_frame_equal(table(text), pl.DataFrame(schema={"age": pl.String, "zip": pl.String}))


@pytest.mark.parametrize(
    ("text", "found", "line"),
    [
        ("a,b\n1,2\n3\n", 1, 3),
        ("a,b\n1,2\n3,4,5\n6,7\n", 3, 3),
        ('a,b\n"x\ny",2\n\n3\n', 1, 5),
        ("a;b\n1;2\n3;4;\n", 3, 3),
    ],
)
def test_a_ragged_row_is_named_by_its_line(text, found, line):
    """A row of another length is refused with line, both counts and the separator."""
    message = refusal(text)
    assert f"t.csv, line {line}: {found} cells where the header has 2" in message
    assert "semicolon" in message if ";" in text else "comma" in message


def test_a_ragged_row_far_down_is_found():
    """A fault beyond the rows that are looked at for detection is found as well."""
    text = "a,b\n" + "1,2\n" * 50_000 + "3\n" + "1,2\n" * 10
    assert "line 50002: 1 cells where the header has 2" in refusal(text)


def test_a_quote_that_stays_open_swallows_no_rows():
    """A quote without end would hide the rest of the file: it is refused with its line."""
    message = refusal('a,b\n1,2\n3,"4\n5,6\n7,8\n')
    assert "t.csv, line 3: a quoted cell is not closed" in message


def test_a_quote_inside_a_cell_is_a_character():
    """An inch mark in a cell without quotes is text."""
    assert table("name,size\nann,5'10\"\nbob,6'1\n")["size"].to_list() == ["5'10\"", "6'1"]


@pytest.mark.parametrize(
    ("text", "line", "byte"),
    [
        (b"name,n\nJos\xe9,1\n", 2, 11),
        (b"Stra\xdfe,n\nx,1\n", 1, 5),
        (b"a,b\n" + b"1,2\n" * 400_000 + b"3,\xff\n", 400_002, 1_600_007),
    ],
)
def test_other_encodings_are_named_by_line_and_byte(text, line, byte):
    """What is not UTF-8 is refused with its place and the way out."""
    message = refusal(text)
    assert f"t.csv is not UTF-8: line {line}, byte {byte} of the file" in message
    assert "--encoding windows-1252" in message


ACCENTS = "name;Straße\nJosé;Łódź\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (ACCENTS.encode("windows-1250", "replace"), "windows-1250"),
        (ACCENTS.replace("Łódź", "Köln").encode("windows-1252"), "windows-1252"),
        (ACCENTS.encode("utf-16-le"), "utf-16-le"),
        ("name;Strasse\nAda;Bonn\n".encode("utf-16-le"), "utf-16-le"),
        (ACCENTS.encode("utf-16-le"), None),
        (ACCENTS.encode("utf-16-be"), None),
        ("name;町\nAnn;Bonn\n".encode("utf-16-le"), None),
        (b"\xff\xfe" + ACCENTS.encode("utf-16-le"), None),
        (b"\xfe\xff" + ACCENTS.encode("utf-16-be"), "windows-1252"),
        (ACCENTS.encode(), "windows-1252"),
        (ACCENTS.encode("utf-8-sig"), "utf-16"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_text_file_is_read_by_its_encoding(data, encoding, packed, tmp_path):
    """UTF-8 and UTF-16 are recognized; for others the encoding counts."""
    place = tmp_path / ("t.csv.gz" if packed else "t.csv")
    place.write_bytes(gzip.compress(data) if packed else data)
    found, content = read_with_content(place, encoding=encoding)
    assert found.columns[1] in ("Straße", "Strasse", "町")
    assert found[found.columns[1]][0] in ("Łódź", "Köln", "Bonn")
    assert content.sha256 == sha256(place)


@pytest.mark.parametrize(
    ("name", "data", "encoding", "said"),
    [
        ("t.csv", b"a\n\xe9\n", "windows-12", "encoding 'windows-12' is unknown"),
        ("t.csv", b"a\n\xe9\n", "hex", "encoding 'hex' is unknown"),
        ("t.csv", b"a\n\x81\n", "windows-1252", "t.csv is not encoded as windows-1252 at byte 3"),
        ("t.csv", b"\xff\xfea", None, "t.csv is not encoded as utf-16 at byte 3"),
        ("t.parquet", b"PAR1", "windows-1252", "encoding is for text files; this is parquet"),
    ],
)
def test_an_encoding_that_is_not_the_files_is_an_error(name, data, encoding, said, tmp_path):
    """An unknown name, bytes that it does not have, and files that are no text are refused."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=re.escape(said)):
        ka.read_table(tmp_path / name, encoding=encoding)


def test_two_columns_of_one_name_are_an_error():
    """Names must differ, or nobody knows which column is meant."""
    assert "column name 'age' occurs 2 times in the header" in refusal("age,zip,age\n1,2,3\n")


def test_a_column_without_a_name_is_an_error():
    """The row index that pandas writes is refused with the way out, not released unnoticed."""
    message = refusal(",age\n0,34\n1,51\n")
    assert "column 1 has no name in the header" in message
    assert "index=False" in message


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("Male;39;White\nFemale;28;Black\n", 2),
        ("01234,x\n98765,y\n", 1),
        ("x,2020-01-31\ny,2021-01-31\n", 2),
        ("x,1.5e3\ny,\n", 2),
        ("Male;39", 2),
    ],
    ids=["number", "postal code", "date", "exponent over null", "single row"],
)
def test_a_first_row_of_values_is_no_header(text, column):
    """A record in the place of the header is refused, and none of its values is shown."""
    message = refusal(text)
    assert f"t.csv has no header: its first row holds a value in column {column}" in message
    assert not any(
        cell in message
        for cell in text.replace("\n", ";").replace(",", ";").split(";")
        if len(cell) > 2
    )


def test_a_first_row_that_occurs_again_is_no_header():
    """Texts are no names where the same texts stand below them in most columns."""
    assert "has no header: 2 cells of its first row occur again" in refusal(
        "Male,White,a\nFemale,Black,b\nMale,White,c\n"
    )


def test_a_name_may_occur_as_a_value():
    """One column called like one of its values is a column, not a sign of a missing header."""
    assert table("smoker,age\nsmoker,34\nother,51\n").columns == ["smoker", "age"]


def test_a_name_may_be_a_number_above_texts():
    """A column called 2024 is fine as long as it could not be one of its own values."""
    assert table("2024,age\nyes,34\nno,51\n").columns == ["2024", "age"]


def test_long_cells_are_read():
    """A cell of megabytes is a cell."""
    text = 'a,b\n"' + "x" * 3_000_000 + '",1\ny,2\n'
    assert table(text)["a"].str.len_chars().to_list() == [3_000_000, 1]


def test_a_row_beyond_all_measure_is_an_error():
    """A row longer than the block that is parsed at once is refused."""
    assert "a row is longer than 16 MB" in refusal("a,b\n" + "x" * (40 << 20) + ",1\n")


def test_nested_columns_are_refused():
    """CSV has no lists."""
    with pytest.raises(DataError, match="column 'l' holds List"):
        write(pl.DataFrame({"l": [[1]]}), io.BytesIO(), ",")


def test_quotes_stand_where_they_are_needed_only():
    """What is written is plain, with the given separator."""
    target = io.BytesIO()
    write(pl.DataFrame({"a": ["x", "y;z", "", None], "b": [1, 2, 3, 4]}), target, ";")
    assert target.getvalue() == b'a;b\nx;1\n"y;z";2\n"";3\n;4\n'


CELLS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=6).map(
    lambda text: text + "!"
)


ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8)


@given(ROWS.filter(lambda rows: any(rows[-1])), st.sampled_from(",;\t|"))
def test_texts_come_back_whatever_they_hold(rows, separator):
    """Every text survives writing and reading, with any separator, also when it is detected."""
    frame = pl.DataFrame(rows, schema=dict.fromkeys("abc", pl.String), orient="row")
    target = io.BytesIO()
    write(frame, target, separator)
    assert_frame_equal(read(target.getvalue(), "t.csv", separator), frame)
