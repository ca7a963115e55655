"""Files of SPSS, Stata and SAS."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from kanonym.data.errors import DataError
from kanonym.data.files import read_table, write_table

pyreadstat = pytest.importorskip("pyreadstat")

TABLE = pl.DataFrame(
    {
        "sex": [1, 2, None],
        "age": [20.5, 0.1 + 0.2, 41.0],
        "job": ["nurse", None, "[20, 30)"],
        "born": [dt.date(1954, 12, 31), None, dt.date(2024, 2, 29)],
        "seen": [dt.datetime(2024, 2, 29, 12, 30), None, dt.datetime(1999, 1, 1)],
    }
)


@pytest.mark.parametrize("extension", ["sav", "dta", "xpt"])
def test_a_written_table_reads_back(tmp_path, extension):
    """Numbers, texts, dates, times and nulls come back as they were written."""
    file = tmp_path / f"table.{extension}"
    write_table(TABLE, file)
    assert read_table(file).equals(TABLE)


@pytest.fixture
def survey(tmp_path):
    """Write an SPSS file with labels, a measure and a user-missing code."""
    file = tmp_path / "survey.sav"
    pyreadstat.write_sav(
        pl.DataFrame({"sex": [1, 2, 9, 1], "age": [20, 30, 40, 50]}),
        str(file),
        column_labels={"sex": "Sex of the person"},
        variable_value_labels={"sex": {1: "male", 2: "female", 3: "other", 9: "refused"}},
        missing_ranges={"sex": [9]},
        variable_measure={"sex": "nominal"},
    )
    return file


def test_user_missing_codes_are_null_and_counted(survey, caplog):
    """A user-missing code is null, and a warning says how many cells had one."""
    assert read_table(survey)["sex"].to_list() == [1, 2, None, 1]
    assert "column 'sex': 1 cells with a user-missing code are read as null" in caplog.text


def test_a_release_keeps_labels_of_what_it_holds(survey, tmp_path):
    """Labels of columns and measures are written, and labels of values that occur, no others."""
    released = read_table(survey).filter(pl.col("sex") == 1)
    write_table(released, tmp_path / "out.sav", like=survey)
    described = pyreadstat.read_sav(str(tmp_path / "out.sav"))[1]
    assert described.column_names_to_labels["sex"] == "Sex of the person"
    assert described.variable_value_labels == {"sex": {1.0: "male"}}
    assert described.variable_measure["sex"] == "nominal"


def test_a_recoded_column_loses_the_labels_of_its_codes(survey, tmp_path):
    """A column of texts has no labels of values, but that of the column."""
    recoded = read_table(survey).with_columns(sex=pl.lit("{1, 2}"))
    write_table(recoded, tmp_path / "out.dta", like=survey)
    described = pyreadstat.read_dta(str(tmp_path / "out.dta"))[1]
    assert described.variable_value_labels == {}
    assert described.column_names_to_labels["sex"] == "Sex of the person"


REFUSED = {
    "empty text": ({"x": ["", None]}, "t.sav", "cannot tell an empty text from null"),
    "name": ({"a b": [1]}, "t.dta", "contains a space"),
    "blank at the end": ({"x": ["a ", "a"]}, "t.sav", "column 'x', row 1"),
    "only read": ({"x": [1]}, "t.sas7bdat", "only read; write .xpt"),
}


@pytest.mark.parametrize(("columns", "name", "message"), REFUSED.values(), ids=REFUSED)
def test_what_a_format_cannot_hold_is_refused(tmp_path, columns, name, message):
    """A table that would read back differently is not written."""
    with pytest.raises(DataError, match=message):
        write_table(pl.DataFrame(columns), tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_damaged_file_is_one_line(tmp_path):
    """A damaged file is an error that names it."""
    (tmp_path / "t.sav").write_bytes(b"$FL2 no file")
    with pytest.raises(DataError, match=r"t.sav is not a file of spss, or damaged"):
        read_table(tmp_path / "t.sav")
