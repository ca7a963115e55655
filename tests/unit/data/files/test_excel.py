"""Excel workbooks."""

from __future__ import annotations

import datetime as dt
import io
import zipfile

import fastexcel
import polars as pl
import pytest
import xlsxwriter

from kanonym.data.errors import DataError
from kanonym.data.files.excel import read, write


def workbook(*rows, sheets=1):
    """Return the bytes of a workbook with these rows in its first sheet."""
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target)
    pages = [book.add_worksheet() for _ in range(sheets)]
    for number, row in enumerate(rows):
        pages[0].write_row(number, 0, row)
    if sheets > 1:
        pages[1].write_row(0, 0, ["other"])
    book.close()
    return target.getvalue()


def round_trip(frame):
    """Write a frame and read it back."""
    target = io.BytesIO()
    write(frame, target)
    return read(target.getvalue(), "t.xlsx")


def refusal(data):
    """Return the message with which a workbook is refused."""
    with pytest.raises(DataError) as refused:
        read(data, "t.xlsx")
    return str(refused.value)


@pytest.mark.parametrize("packed", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("place", [0, 1])
def test_a_cell_that_no_spreadsheet_holds_is_refused(place, packed):
    """A text of millions of characters, in a small file, is told by its row and column."""
    small = io.BytesIO(
        workbook(*(["a", "PLACE"] if row == place else ["b", 1] for row in range(3)))
    )
    large = io.BytesIO()
    with zipfile.ZipFile(small) as given, zipfile.ZipFile(large, "w", packed) as made:
        for name in given.namelist():
            made.writestr(name, given.read(name).replace(b"PLACE", b"x" * 3_000_000))
    said = f"row {place + 1}, column 2 holds a text of more than 1,000,000 bytes"
    assert said in refusal(large.getvalue())


def test_a_text_that_fills_the_memory_is_not_unpacked(monkeypatch):
    """A small file with a text of many megabytes is refused before the workbook is opened."""
    monkeypatch.setattr(fastexcel, "read_excel", None)
    large = io.BytesIO()
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as made:
        cell = b'<row r="7"><c r="C7" t="inlineStr"><is><t>'
        made.writestr("xl/worksheets/sheet1.xml", cell + b"x" * 30_000_000)
    assert "row 7, column 3 holds a text" in refusal(large.getvalue())


def test_the_first_sheet_is_read():
    """A workbook is its first sheet."""
    assert read(workbook(["a"], [1], [2], sheets=2), "t.xlsx")["a"].to_list() == [1, 2]


def test_texts_are_never_formulas_links_or_numbers():
    """What looks like a formula, a link or a number to Excel is written as text."""
    texts = ["=1+1", "http://example.org", "0123", "1e5", "{=SUM(A1)}"]
    assert round_trip(pl.DataFrame({"x": texts}))["x"].to_list() == texts


def test_names_that_differ_in_case_are_two_columns():
    """A sheet is no table of Excel, whose columns may not differ in case alone."""
    assert round_trip(pl.DataFrame({"Age": [1], "age": [2]})).columns == ["Age", "age"]


def test_inner_rows_of_nulls_are_records():
    """A record without any value between others is kept."""
    frame = pl.DataFrame({"a": [1, None, 3], "b": ["x", None, "z"]})
    assert round_trip(frame).rows() == frame.rows()


def test_a_last_row_of_nulls_is_refused():
    """A sheet ends with its last value, so a last record without any would be lost."""
    with pytest.raises(DataError, match="the last row is all null: an Excel sheet would lose"):
        write(pl.DataFrame({"a": [1, None], "b": ["x", None]}), io.BytesIO())


def test_a_column_of_nulls_is_text(capfd):
    """A column without values is read, and nothing is said about it on standard error."""
    frame = pl.DataFrame({"a": [1, 2], "b": [None, None]})
    assert round_trip(frame)["b"].to_list() == [None, None]
    assert capfd.readouterr().err == ""


def test_times_that_excel_lacks_are_texts():
    """Times with a zone and times of day are spelt in ISO 8601."""
    frame = pl.DataFrame(
        {
            "t": pl.Series([dt.datetime(2020, 6, 1, 12)]).dt.replace_time_zone("UTC"),
            "c": [dt.time(1, 2, 3)],
        }
    )
    assert round_trip(frame).row(0) == ("2020-06-01 12:00:00.000000+00:00", "01:02:03")


def test_numbers_keep_all_of_their_digits():
    """Seventeen digits are written where a number needs them, and the largest numbers too."""
    numbers = [0.30000000000000004, 0.3, 1 / 3, 5e-324, 1.7976931348623157e308]
    assert round_trip(pl.DataFrame({"x": numbers}))["x"].to_list() == numbers


@pytest.mark.parametrize("number", [1e100, 1e19, -(2.0**63) * 1.5])
def test_whole_numbers_beyond_64_bits_are_read(number):
    """A column of large whole numbers is read as floating-point numbers."""
    assert round_trip(pl.DataFrame({"x": [number, 1.0]}))["x"].to_list() == [number, 1.0]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([None, dt.datetime(2020, 1, 1, 1, 1, 1, 123456)], [None, "2020-01-01 01:01:01.123456"]),
        ([dt.date(1850, 1, 1), dt.date(2020, 1, 1)], ["1850-01-01", "2020-01-01"]),
        ([dt.date(1900, 2, 28)], ["1900-02-28"]),
    ],
    ids=["below a millisecond", "before 1900", "beside the day that never was"],
)
def test_dates_and_times_beyond_excel_are_texts(values, texts):
    """A column with a date or time that Excel would change is spelt in ISO 8601."""
    assert round_trip(pl.DataFrame({"x": values}))["x"].to_list() == texts


def test_decimals_that_floats_round_are_texts():
    """Decimals are numbers where these hold every digit, else texts."""
    long = ["0.1234567890123456788", "0.1234567890123456789"]
    frame = pl.DataFrame({"x": long, "y": ["1.50", "0.10"]}).cast(
        {"x": pl.Decimal(30, 19), "y": pl.Decimal(9, 2)}
    )
    read_back = round_trip(frame)
    assert read_back["x"].to_list() == long
    assert read_back["y"].to_list() == [1.5, 0.1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a", "a"], [1, 2]], "column name 'a' occurs 2 times"),
        ([["a", None, "b"], [1, 2, 3]], "column 2 has no name in the header"),
        ([["Male", 39], ["Female", 28]], "t.xlsx has no header"),
        ([], "is empty"),
    ],
)
def test_a_sheet_needs_a_header(rows, message):
    """Names must be there, differ, and not be a record."""
    assert message in refusal(workbook(*rows))


def test_what_is_no_workbook_is_refused():
    """Other bytes are refused."""
    assert refusal(b"PK\x03\x04 but no more") == "t.xlsx is not an Excel workbook, or is damaged"


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"x": [1.0, float("inf")]}), "'x' holds an infinite number"),
        (pl.DataFrame({"x": ["y" * 32_768]}), "'x' holds a text of over 32767 characters"),
        (pl.DataFrame({"x": ["😀" * 16_384]}), "'x' holds a text of over 32767 characters"),
        (pl.DataFrame({"x": ["a", ""]}), "'x', row 2: Excel cannot tell an empty text from null"),
        (pl.DataFrame({"x": [[1]]}), "'x' holds List"),
        (pl.DataFrame({"x": range(1_048_576)}), "1048576 rows of 1 columns: Excel holds 1048575"),
    ],
)
def test_what_excel_cannot_hold_is_refused(frame, message):
    """Infinity, long texts, lists and too many rows are errors, never cut or lost."""
    with pytest.raises(DataError, match=message):
        write(frame, io.BytesIO())


def sheets(**pages):
    """Return the bytes of a workbook with named sheets of rows."""
    target = io.BytesIO()
    book = xlsxwriter.Workbook(target)
    for name, rows in pages.items():
        page = book.add_worksheet(name)
        for number, row in enumerate(rows):
            for place, cell in enumerate(row):
                if cell is not None:
                    page.write(number, place, cell)
    book.close()
    return target.getvalue()


TWO = {"info": [["about"], ["x"]], "data": [["age", "zip"], [1, "a"], [2, "b"]]}


@pytest.mark.parametrize("sheet", ["data", "2", 2])
def test_a_sheet_is_read_by_name_or_number(sheet):
    """A sheet is asked for by its name, or by its number from 1."""
    assert read(sheets(**TWO), "t.xlsx", sheet).columns == ["age", "zip"]


def test_a_sheet_chosen_by_default_names_the_others(caplog):
    """Where the first of several sheets is read, a warning names the others."""
    read(sheets(data=TWO["data"], info=TWO["info"]), "t.xlsx")
    assert "t.xlsx: the sheet 'data' is read; others: 'info'" in caplog.text


@pytest.mark.parametrize("cover", [[["about"]], [["about"], ["x"]], [["author", "Ann"]]])
def test_a_cover_sheet_is_no_table(cover):
    """A first sheet of one or two columns before a larger one is an error that names that one."""
    table = [["age", "zip", "sex"], [1, "a", "f"], [2, "b", "m"]]
    with pytest.raises(DataError, match=r"--sheet 'data' \(sheet='data' in Python\)"):
        read(sheets(cover=cover, data=table), "t.xlsx")


def test_an_empty_first_sheet_is_refused_with_the_others():
    """The error names the sheets that may have the table."""
    with pytest.raises(DataError, match=r"'cover' is empty; name another one \(--sheet\): 'data'"):
        read(sheets(cover=[], data=TWO["data"]), "t.xlsx")


def test_a_last_row_of_totals_is_no_record_of_a_sheet(caplog):
    """Totals are left out before columns get types, and told."""
    rows = [["id", "age"], *([place, 20 + place] for place in range(5)), ["Total", 110]]
    table = read(sheets(data=rows), "t.xlsx")
    assert table.rows() == [(place, 20 + place) for place in range(5)]
    assert "row 6 is left out: totals of 'age'" in caplog.text


def test_a_sheet_without_a_header_gets_the_names_of_the_caller():
    """Columns are named by the caller; a first row of these names is the header."""
    rows = [[1, "a"], [2, "b"]]
    named = read(sheets(data=rows), "t.xlsx", columns=["age", "zip"])
    assert named.rows(named=True) == [{"age": 1, "zip": "a"}, {"age": 2, "zip": "b"}]
    assert read(sheets(data=[["age", "zip"], *rows]), "t.xlsx", columns=["age", "zip"]).equals(
        named
    )
    with pytest.raises(DataError, match="has 2 columns, but 1 are named"):
        read(sheets(data=rows), "t.xlsx", columns=["age"])


def test_empty_columns_behind_the_names_are_none():
    """A last column without a name and without a value is no column."""
    assert read(sheets(data=[["a", ""], [1, ""]]), "t.xlsx").columns == ["a"]


def test_an_unknown_sheet_lists_those_there_are():
    """A sheet that does not exist is an error with numbers and names of all."""
    with pytest.raises(DataError, match=r"no sheet 'dat'. It has: 1 'info', 2 'data'"):
        read(sheets(**TWO), "t.xlsx", "dat")


ABOVE = {
    "title": [["Patients of 2024"], [], ["age", "zip", "sex"], [1, "a", "f"]],
    "merged heads": [["person", None, "place"], [], ["age", "sex", "zip"], [1, "f", "a"]],
}


@pytest.mark.parametrize("rows", ABOVE.values(), ids=ABOVE)
def test_rows_above_the_header_are_told_and_skipped(rows):
    """A title or merged heads are an error that names the row of the header, which can be given."""
    data = sheets(s=rows)
    assert "row 1 is not a header" in refusal(data)
    assert "--header-row 3" in refusal(data)
    assert read(data, "t.xlsx", header_row=3).columns == rows[2]


def test_empty_rows_above_the_header_are_skipped():
    """The first row that is not empty is the header."""
    assert read(sheets(s=[[], [], ["age"], [1]]), "t.xlsx")["age"].to_list() == [1]


def test_a_header_row_beyond_the_sheet_is_refused():
    """A header row that the sheet does not have is an error."""
    with pytest.raises(DataError, match="has no row 9"):
        read(sheets(s=[["age"], [1]]), "t.xlsx", header_row=9)


def test_notes_below_the_table_are_told():
    """Rows of one cell behind an empty row are notes, and an error names the first one."""
    rows = [["age", "zip", "sex"], [1, "a", "f"], [2, "b", "m"], [], ["Source: register"]]
    assert "row 5 seems to be a note below the table, which ends in row 3" in refusal(
        sheets(s=rows)
    )
