"""Files of SPSS, Stata and SAS."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

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
    assert read_table(survey)["sex"].to_list() == ["male", "female", None, "male"]
    assert "column 'sex': cells with a user-missing code are read as null (1 of 4)" in caplog.text


LABELS = {1: "north", 2: "south", 3: "south", 4: "7", 9: "refused"}


@pytest.mark.parametrize(
    ("measure", "codes", "values"),
    [
        ("nominal", [1, 4, 5], ["north", "4 7", "5"]),
        ("nominal", [2, 3, None], ["2 south", "3 south", None]),
        ("nominal", [1, 6, 7, 8], [1, 6, 7, 8]),
        ("unknown", [1, 2], ["north", "2 south"]),
        ("unknown", [1, 5], [1, 5]),
        ("ordinal", [1, 2], [1, 2]),
        ("scale", [1, 2], [1, 2]),
    ],
)
def test_nominal_codes_are_their_labels_and_go_round(tmp_path, measure, codes, values):
    """Labels that two codes share, or that read like another code, have the code in front."""
    described = {"variable_value_labels": {"x": LABELS}, "variable_measure": {"x": measure}}
    pyreadstat.write_sav(pl.DataFrame({"x": codes}), str(tmp_path / "in.sav"), **described)
    read = read_table(tmp_path / "in.sav")
    assert read["x"].to_list() == values
    assert (read["x"].dtype == pl.Categorical) == (values != codes)
    write_table(read, tmp_path / "out.sav", like=tmp_path / "in.sav", coded=["x"])
    found, again = pyreadstat.read_sav(str(tmp_path / "out.sav"), output_format="polars")
    assert found["x"].to_list() == codes
    assert again.variable_value_labels == {
        "x": {code: LABELS[code] for code in codes if code in LABELS}
    }


def test_codes_of_stata_are_their_labels_if_all_have_one(tmp_path, caplog):
    """Stata does not say what is nominal: a column with other numbers holds amounts."""
    labels = {"sex": {1: "male", 2: "female"}, "age": {20: "twenty"}}
    table = pl.DataFrame({"sex": [1, 2], "age": [20, 34]})
    pyreadstat.write_dta(table, str(tmp_path / "t.dta"), variable_value_labels=labels)
    assert read_table(tmp_path / "t.dta").rows() == [("male", 20), ("female", 34)]
    assert "t.dta: nominal codes are read as their labels: 'sex'" in caplog.text


def test_kept_codes_of_an_amount_are_labelled(tmp_path):
    """A refusal beside ages is a word, so that nobody takes it for an age."""
    pyreadstat.write_sav(
        pl.DataFrame({"age": [20, 34, 99, 98]}),
        str(tmp_path / "in.sav"),
        variable_value_labels={"age": {99: "refused"}},
        missing_ranges={"age": [{"lo": 98, "hi": 99}]},
    )
    kept = read_table(tmp_path / "in.sav", user_missing="keep")
    assert kept["age"].to_list() == ["20", "34", "refused", "98"]
    write_table(kept, tmp_path / "out.sav", like=tmp_path / "in.sav", coded=["age"])
    assert read_table(tmp_path / "out.sav", user_missing="keep").equals(kept)


def test_integers_are_integers_of_stata(tmp_path):
    """Whole numbers that Stata's longest integers hold are not written as floating-point ones."""
    table = pl.DataFrame({"small": [1, None, 3], "full": [1, 2, 3], "large": [1, 2, 2**31]})
    write_table(table, tmp_path / "t.dta")
    described = pyreadstat.read_dta(str(tmp_path / "t.dta"))[1]
    types = {"small": "int32", "full": "int32", "large": "double"}
    assert described.readstat_variable_types == types
    assert read_table(tmp_path / "t.dta").equals(table)


def test_a_release_keeps_labels_of_what_it_holds(survey, tmp_path):
    """Labels of columns and measures are written, and labels of values that occur, no others."""
    released = read_table(survey).filter(pl.col("sex") == "male")
    write_table(released, tmp_path / "out.sav", like=survey, coded=["sex"])
    described = pyreadstat.read_sav(str(tmp_path / "out.sav"))[1]
    assert described.column_names_to_labels["sex"] == "Sex of the person"
    assert described.variable_value_labels == {"sex": {1.0: "male"}}
    assert described.variable_measure["sex"] == "nominal"


def test_whole_numbers_are_shown_without_decimals(tmp_path):
    """SPSS shows a code as 1, not as 1.00, and a long number in full."""
    table = pl.DataFrame({"code": [1, None], "id": [-(10**11), 3], "share": [0.5, 1.0]})
    write_table(table, tmp_path / "out.sav")
    described = pyreadstat.read_sav(str(tmp_path / "out.sav"))[1]
    shown = described.original_variable_types
    assert shown == {"code": "F8.0", "id": "F13.0", "share": "F8.2"}


def test_every_edition_of_stata_since_14_reads_what_is_written(tmp_path):
    """The format is 118; that of version 15 is refused by most editions."""
    write_table(TABLE, tmp_path / "out.dta")
    assert b"<release>118</release>" in (tmp_path / "out.dta").read_bytes()[:60]


def test_a_recoded_column_loses_the_labels_of_its_codes(survey, tmp_path):
    """A column of texts has no labels of values, but that of the column."""
    recoded = read_table(survey).with_columns(sex=pl.lit("{1, 2}"))
    write_table(recoded, tmp_path / "out.dta", like=survey, coded=["sex"])
    described = pyreadstat.read_dta(str(tmp_path / "out.dta"))[1]
    assert described.variable_value_labels == {}
    assert described.column_names_to_labels["sex"] == "Sex of the person"


CANARY = "CANARY"


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_nothing_that_is_not_released_is_in_the_bytes(tmp_path, ending):
    """Notes, the file's label, dropped columns and labels of suppressed codes are not written."""
    table = pl.DataFrame({"name": ["CANARY 1", "CANARY 2"], "job": [1, 5], "age": [20, 99]})
    own = {"note": "CANARY 3"} if ending == "sav" else {}
    {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}[ending](
        table,
        str(tmp_path / f"in.{ending}"),
        file_label="CANARY 4",
        column_labels={"name": "CANARY 5", "job": "Job"},
        variable_value_labels={"job": {1: "nurse", 5: "CANARY 6"}, "age": {99: "CANARY 7"}},
        **own,
    )
    released = read_table(tmp_path / f"in.{ending}").head(1).drop("name")
    released = released.with_columns(age=pl.lit("[20, 99]"))
    files = {one: tmp_path / f"{one}.{ending}" for one in ("in", "out")}
    write_table(released, files["out"], like=files["in"], coded=["job", "age"])
    assert CANARY.encode() in files["in"].read_bytes()
    assert CANARY.encode() not in files["out"].read_bytes()
    assert b"nurse" in files["out"].read_bytes()


def test_numbers_that_were_made_anew_have_no_labels(survey, tmp_path):
    """A column that is not said to hold values of the input has no labels of values."""
    write_table(pl.DataFrame({"sex": [2, 1, 2]}), tmp_path / "out.sav", like=survey)
    described = pyreadstat.read_sav(str(tmp_path / "out.sav"))[1]
    assert described.variable_value_labels == {}


def test_kept_codes_make_a_column_of_categories(survey, caplog):
    """Where user-missing codes are kept, the column has categories, which is told."""
    kept = read_table(survey, user_missing="keep")
    assert kept["sex"].to_list() == ["male", "female", "refused", "male"]
    assert kept["age"].to_list() == [20, 30, 40, 50]
    assert "column 'sex': cells with a user-missing code are kept" in caplog.text


def test_kept_codes_go_round(survey, tmp_path):
    """Values, labels, missing ranges, measure and label of the column come back in SPSS."""
    kept = read_table(survey, user_missing="keep")
    write_table(kept, tmp_path / "out.sav", like=survey, coded=["sex"])
    frame, described = pyreadstat.read_sav(
        str(tmp_path / "out.sav"), user_missing=True, output_format="polars"
    )
    assert frame["sex"].to_list() == [1, 2, 9, 1]
    assert described.missing_ranges == {"sex": [{"lo": 9.0, "hi": 9.0}]}
    assert described.variable_value_labels == {"sex": {1.0: "male", 2.0: "female", 9.0: "refused"}}
    assert described.variable_measure["sex"] == "nominal"
    assert described.column_names_to_labels["sex"] == "Sex of the person"
    assert read_table(tmp_path / "out.sav", user_missing="keep").equals(kept)


def test_ranges_of_codes_that_are_not_released_are_not_declared(survey, tmp_path):
    """A release without refusals does not tell that there were any."""
    kept = read_table(survey, user_missing="keep").filter(pl.col("sex") != "refused")
    write_table(kept, tmp_path / "out.sav", like=survey, coded=["sex"])
    described = pyreadstat.read_sav(str(tmp_path / "out.sav"), user_missing=True)[1]
    assert described.missing_ranges == {}


def test_ranges_and_missing_texts_go_round(tmp_path):
    """A range of codes, one beside it, and a missing text are declared again."""
    pyreadstat.write_sav(
        pl.DataFrame({"x": [1, 98, -9, None], "s": ["a", "no", None, "b"]}),
        str(tmp_path / "in.sav"),
        missing_ranges={"x": [-9, {"lo": 97, "hi": 99}], "s": ["no"]},
    )
    kept = read_table(tmp_path / "in.sav", user_missing="keep")
    assert kept.rows() == [("1", "a"), ("98", "no"), ("-9", None), (None, "b")]
    write_table(kept, tmp_path / "out.sav", like=tmp_path / "in.sav", coded=["x", "s"])
    both = [pyreadstat.read_sav(str(tmp_path / name), user_missing=True) for name in ONES]
    assert both[0][1].missing_ranges == both[1][1].missing_ranges
    assert both[0][0].equals(both[1][0])
    assert read_table(tmp_path / "in.sav")["s"].to_list() == ["a", None, None, "b"]


ONES = ("in.sav", "out.sav")


def test_missing_letters_of_stata_go_round(tmp_path, caplog):
    """`.a` is null and counted, or kept as a category and declared missing again."""
    cells = pl.Series("x", [1, 2, "a", "b", None], dtype=pl.Object)
    pyreadstat.write_dta(
        pl.DataFrame([cells]),
        str(tmp_path / "in.dta"),
        missing_user_values={"x": ["a", "b"]},
        variable_value_labels={"x": {1: "one", "a": "refused"}},
    )
    assert read_table(tmp_path / "in.dta")["x"].to_list() == [1, 2, None, None, None]
    assert "column 'x': cells with a user-missing code are read as null (2 of 5)" in caplog.text
    kept = read_table(tmp_path / "in.dta", user_missing="keep")
    assert kept["x"].to_list() == ["1", "2", "refused", ".b", None]
    write_table(kept.head(3), tmp_path / "out.dta", like=tmp_path / "in.dta", coded=["x"])
    frame, described = pyreadstat.read_dta(
        str(tmp_path / "out.dta"), user_missing=True, output_format="polars"
    )
    assert frame["x"].to_list() == [1, 2, "a"]
    assert described.missing_user_values == {"x": ["a"]}
    assert described.variable_value_labels == {"x": {1: "one", "a": "refused"}}


def test_codes_that_a_format_cannot_declare_stay_texts(survey, tmp_path):
    """Stata has no ranges of missing numbers: no program can take 9 for an amount there."""
    kept = read_table(survey, user_missing="keep")
    write_table(kept, tmp_path / "out.dta", like=survey, coded=["sex"])
    written = read_table(tmp_path / "out.dta")["sex"]
    assert written.to_list() == ["male", "female", "refused", "male"]


def test_codes_of_amounts_are_null_even_if_kept(tmp_path, caplog):
    """A column with fractions holds amounts: its codes are null, and that is told."""
    pyreadstat.write_sav(
        pl.DataFrame({"x": [1.5, 99.0]}), str(tmp_path / "t.sav"), missing_ranges={"x": [99]}
    )
    assert read_table(tmp_path / "t.sav", user_missing="keep")["x"].to_list() == [1.5, None]
    assert "are read as null (1 of 2)" in caplog.text


@pytest.mark.parametrize(
    ("name", "choice", "message"),
    [
        ("t.csv", "keep", "user_missing is for files of SPSS, Stata and SAS; this is csv"),
        ("t.sav", "kept", "user_missing is 'kept'; it is one of null, keep"),
        ("t.xpt", "keep", "t.xpt: user-missing codes of a .xpt file cannot be kept"),
    ],
)
def test_a_choice_that_cannot_be_met_is_refused(tmp_path, name, choice, message):
    """What becomes of user-missing codes is not ignored."""
    write_table(pl.DataFrame({"x": [1]}), tmp_path / name)
    with pytest.raises(DataError, match=message):
        read_table(tmp_path / name, user_missing=choice)


@pytest.fixture
def sas(tmp_path, monkeypatch):
    """Return a .sas7bdat file that pyreadstat cannot write: what reads it is replaced."""
    file = tmp_path / "in.sas7bdat"
    file.write_bytes(bytes(12) + b"\xc2\xea" + b"table")

    def read(_, **__):
        described = pyreadstat.metadata_container()
        described.variable_to_label = {"sex": "SEXF", "age": "BEST"}
        return pl.DataFrame(), described

    monkeypatch.setattr(pyreadstat, "read_sas7bdat", read)
    return file


@pytest.mark.parametrize("given", [False, True], ids=["beside", "given"])
def test_a_catalog_of_sas_gives_labels(sas, tmp_path, monkeypatch, given):
    """The catalog beside a .sas7bdat, or the one that is given, labels the values of a release."""
    catalog = tmp_path / ("formats.sas7bcat" if given else "in.sas7bcat")
    catalog.write_bytes(b"formats")

    def read(path, **_):
        assert Path(path).read_bytes() == b"formats"
        described = pyreadstat.metadata_container()
        described.value_labels = {"SEXF": {1.0: "male", 2.0: "female", 3.0: "other"}}
        return pl.DataFrame(), described

    monkeypatch.setattr(pyreadstat, "read_sas7bcat", read)
    labels = {"like": sas, "coded": ["sex"], "catalog": catalog if given else None}
    write_table(pl.DataFrame({"sex": [1, 2], "age": [20, 30]}), tmp_path / "out.sav", **labels)
    described = pyreadstat.read_sav(str(tmp_path / "out.sav"))[1]
    assert described.variable_value_labels == {"sex": {1.0: "male", 2.0: "female"}}


def test_a_damaged_catalog_is_an_error(sas, tmp_path):
    """What is no catalog is refused, and nothing is written."""
    (tmp_path / "in.sas7bcat").write_bytes(b"nothing")
    with pytest.raises(DataError, match="the catalog is not a \\.sas7bcat file, or damaged"):
        write_table(pl.DataFrame({"sex": [1]}), tmp_path / "out.sav", like=sas, coded=["sex"])
    assert not (tmp_path / "out.sav").exists()


def test_a_catalog_without_its_table_is_refused(survey, tmp_path):
    """A catalog is not ignored: it belongs to a .sas7bdat, and to a format that holds labels."""
    with pytest.raises(DataError, match=r"a catalog is for a \.sas7bdat input"):
        write_table(TABLE, tmp_path / "out.sav", like=survey, catalog=survey)


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
    with pytest.raises(DataError, match=r"t.sav is not a file of spss, or is damaged"):
        read_table(tmp_path / "t.sav")
