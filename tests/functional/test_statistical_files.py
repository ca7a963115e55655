"""SPSS, Stata and SAS files from the command line."""

from __future__ import annotations

import polars as pl
import pytest

pyreadstat = pytest.importorskip("pyreadstat")


@pytest.mark.parametrize("output", ["out.sav", "out.dta", "out.xpt"])
def test_a_survey_is_anonymized_and_verified(kanonym, folder, output):
    """A survey in SPSS's format is released in each of the three, with its labels."""
    pyreadstat.write_sav(
        pl.DataFrame({"age": [20, 21, 40, 41], "sex": [1, 1, 2, 2], "job": [1, 2, 1, 2]}),
        str(folder / "in.sav"),
        column_labels={"job": "Occupation"},
        variable_value_labels={"job": {1: "nurse", 2: "clerk"}},
    )
    options = "-q age,sex -s job -k 2 --others insensitive"
    assert kanonym(f"anonymize in.sav {options} -o {output}").code == 0
    assert kanonym(f"measure {output} -q age,sex --json").json["k"] == 2
    read = {"sav": pyreadstat.read_sav, "dta": pyreadstat.read_dta, "xpt": pyreadstat.read_xport}
    described = read[output[-3:]](str(folder / output))[1]
    assert described.column_names_to_labels["job"] == "Occupation"
    if output != "out.xpt":
        assert described.variable_value_labels == {"job": {1.0: "nurse", 2.0: "clerk"}}


@pytest.mark.parametrize(
    "command",
    [
        "transform in.sav --drop sex -o out.sav",
        "inject in.sav -q age --size 2 --drop sex --seed 1 -o out.sav",
        "synthesize in.sav --rows 20 --drop sex -o out.sav",
        "apply recoding.json in.sav -o out.sav",
    ],
)
def test_every_command_that_writes_a_table_keeps_its_labels(kanonym, folder, command):
    """Labels of columns, and of the values that occur, go along with every written table."""
    pyreadstat.write_sav(
        pl.DataFrame({"age": [20, 21, 40, 41] * 5, "sex": [1, 2] * 10, "job": [1, 2, 1, 2] * 5}),
        str(folder / "in.sav"),
        column_labels={"job": "Occupation"},
        variable_value_labels={"job": {1: "nurse", 2: "clerk", 3: "mayor"}},
    )
    if command.startswith("apply"):
        asked = "-q age,sex --others insensitive -k 2"
        assert kanonym(f"fit in.sav {asked} -o recoding.json").code == 0
    assert kanonym(command).code == 0
    described = pyreadstat.read_sav(str(folder / "out.sav"))[1]
    assert described.column_names_to_labels["job"] == "Occupation"
    assert described.variable_value_labels == {"job": {1.0: "nurse", 2.0: "clerk"}}


@pytest.mark.parametrize("name", ["in.por", "-"])
def test_portable_files_are_read_and_not_written(kanonym, folder, name):
    """Portable files of SPSS are read, also by their first bytes; the error says what to write."""
    table = pl.DataFrame({"AGE": [20, 21, 40, 41], "SEX": [1, 1, 2, 2]})
    pyreadstat.write_por(table, str(folder / "in.por"), column_labels={"AGE": "Age"})
    data = (folder / "in.por").read_bytes()
    found = kanonym(f"measure {name} -q SEX --json", stdin=data if name == "-" else None)
    assert found.json["k"] == 2
    asked = "-q SEX -k 2 --others insensitive"
    refused = kanonym(f"anonymize in.por {asked} -o out.por")
    assert refused.code == 3
    assert "this format is only read; write .sav" in refused.error
    assert kanonym(f"anonymize in.por {asked} -o out.sav").code == 0
    described = pyreadstat.read_sav(str(folder / "out.sav"))[1]
    assert described.column_names_to_labels["AGE"] == "Age"


def test_user_missing_codes_are_kept_and_declared_again(kanonym, folder):
    """A refusal is a category of its own in classes, and is declared missing in the release."""
    pyreadstat.write_sav(
        pl.DataFrame({"age": [20, 20, 40, 40], "sex": [1, 9, 9, 1], "job": [1, 9, 2, 1]}),
        str(folder / "in.sav"),
        variable_value_labels={"job": {1: "nurse", 2: "clerk", 9: "refused"}},
        missing_ranges={"sex": [9], "job": [9]},
    )
    asked = "-q age,sex -s job --user-missing keep"
    assert kanonym(f"measure in.sav {asked} --json").json["uniques"] == 4
    done = kanonym(f"anonymize in.sav {asked} -k 2 --others insensitive --keep-order -o out.sav")
    assert done.code == 0
    assert "column 'job': cells with a user-missing code are kept" in done.error
    frame, described = pyreadstat.read_sav(
        str(folder / "out.sav"), user_missing=True, output_format="polars"
    )
    assert frame["job"].to_list() == [1, 9, 2, 1]
    assert described.missing_ranges["job"] == [{"lo": 9.0, "hi": 9.0}]
    assert described.variable_value_labels["job"] == {1: "nurse", 2: "clerk", 9: "refused"}
    assert kanonym(f"assess in.sav out.sav {asked} --json").code == 0


def test_codes_that_no_level_changes_keep_their_labels(kanonym, folder):
    """A quasi-identifier at level 0 has its codes, and labels; at a higher one it has neither."""
    pyreadstat.write_sav(
        pl.DataFrame({"sex": [1, 1, 2, 2], "region": [1, 2, 3, 4]}),
        str(folder / "in.sav"),
        variable_value_labels={"sex": {1: "man", 2: "woman"}, "region": {1: "Bern", 2: "Zug"}},
    )
    options = "-q sex,region -k 2 --algorithm full-domain --levels sex=0,region=1"
    done = kanonym(f"anonymize in.sav {options} -o out.sav")
    assert done.code == 0, done.error
    described = pyreadstat.read_sav(str(folder / "out.sav"))[1]
    assert described.variable_value_labels == {"sex": {1.0: "man", 2.0: "woman"}}
    assert b"Bern" not in (folder / "out.sav").read_bytes()


def test_numbers_of_an_action_have_no_labels_of_codes(kanonym, folder):
    """Noisy numbers are no codes: only columns that keep their values are labelled."""
    pyreadstat.write_sav(
        pl.DataFrame({"area": [3, 1, 2], "job": [1, 2, 1]}),
        str(folder / "in.sav"),
        variable_value_labels={"area": {1: "north", 2: "south"}, "job": {1: "nurse", 2: "clerk"}},
    )
    action = '--action area={"type":"gaussian-noise","scale":0.1,"keep_integers":true}'
    done = kanonym(f"transform in.sav {action} --action job=shuffle --seed 1 -o out.sav")
    assert done.code == 0, done.error
    described = pyreadstat.read_sav(str(folder / "out.sav"))[1]
    assert described.variable_value_labels == {"job": {1.0: "nurse", 2.0: "clerk"}}
