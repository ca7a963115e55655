"""`kanonym inject`: files in and out, and marked records out again."""

from __future__ import annotations

import io
import json
from collections import Counter

import polars as pl
import pytest

from kanonym.data.files import read_table

COLUMNS = "inject patients.csv -q sex -s disease"
RUN = f"{COLUMNS} -o out.csv --size 6"


@pytest.fixture(autouse=True)
def no_names(folder):
    """Take the names out of the patients: eight different texts in eight records."""
    table = pl.read_csv(folder / "patients.csv", schema_overrides={"zip": pl.String})
    table.drop("name").write_csv(folder / "patients.csv")
    (folder / "key.txt").write_text("of these tests only, never of data\n", "utf-8")


def test_classes_reach_the_size_and_the_terminal_says_so(kanonym, monkeypatch):
    """The file has the added records; what is printed tells before, after and what stands out."""
    monkeypatch.setenv("COLUMNS", "100")
    ran = kanonym(f"{RUN} --seed 1")
    assert ran.code == 0
    table = read_table("out.csv")
    assert table.columns == ["age", "zip", "sex", "disease"]
    assert dict(table.group_by("sex").len().rows()) == {"f": 6, "m": 6}
    assert "4 to 2 of 2 classes" in ran.text
    assert "4 to 4, mean 4" in ran.text
    assert "6 to 6, mean 6" in ran.text
    assert "2 of the 2 classes with 6 records" in ran.text


def test_json_has_the_account_and_no_value(kanonym):
    """--json prints one object with before, after, distance and what gives records away."""
    ran = kanonym(f"{COLUMNS} -o out.csv -l 3 --diversity 60 --size 5 --seed 1 --json")
    found = ran.json
    assert (found["rows_in"], found["rows_out"]) == (8, 8 + found["added"])
    assert found["wanted"] == {"size": 5, "diversity_percent": 60.0, "l": 3}
    assert found["after"]["attributes"]["disease"]["l_distinct"] >= 3
    assert found["after"]["anonymity_set"]["min"] >= 5
    assert found["written"] == ["out.csv"]
    assert "asthma" not in ran.text


def test_dropped_columns_are_left_out(kanonym, folder):
    """--drop leaves columns out of the result; a dropped column makes no class."""
    assert kanonym(f"{RUN} --drop zip,age").code == 0
    assert read_table("out.csv").columns == ["sex", "disease"]
    ran = kanonym(f"{COLUMNS} --drop sex -o no.csv --size 6")
    assert (ran.code, "'sex' is dropped" in ran.error) == (3, True)
    assert not (folder / "no.csv").exists()


def test_only_the_named_class_gets_records(kanonym):
    """--class names a class by its values; the other keeps its records."""
    assert kanonym(RUN, "--class", "sex=m").code == 0
    assert dict(read_table("out.csv").group_by("sex").len().rows()) == {"f": 4, "m": 6}


def test_an_interval_as_a_value_stands_in_quotes(kanonym, folder):
    """An entry with a comma is quoted; an empty value is null."""
    table = pl.DataFrame({"age": ["[20, 30)", None] * 3, "sex": ["f"] * 6, "n": [1, 2, 1, 2, 2, 1]})
    table.write_csv(folder / "bands.csv")
    line = "inject bands.csv -q age,sex -o out.csv --size 5 --overwrite --class"
    assert kanonym(line, '"age=[20, 30)",sex=f').code == 0
    assert read_table("out.csv")["age"].null_count() == 3
    assert len(read_table("out.csv")) == 8
    assert kanonym(line, "age=,sex=f").code == 0
    assert read_table("out.csv")["age"].null_count() == 5


def test_constraints_hold_in_the_file(kanonym, folder):
    """--constraint is said to the model, and kept."""
    days = pl.DataFrame(
        {"ward": ["a", "b"] * 10, "in": [1, 2, 3, 3, 5] * 4, "out": [2, 9, 4, 3, 7] * 4}
    )
    days.write_csv(folder / "days.csv")
    ran = kanonym("inject days.csv -q ward -o out.csv --size 60 --constraint", "out >= in")
    assert ran.code == 0
    table = read_table("out.csv")
    assert len(table) == 120
    assert (table["out"] >= table["in"]).all()


def test_marked_records_are_removed_again(kanonym, folder):
    """--remove with the key and the marks writes the records that came in."""
    assert kanonym(f"{RUN} --key key.txt --marks marks.json").code == 0
    assert len(json.loads((folder / "marks.json").read_text("utf-8"))["records"]) == 4
    shuffled = pl.read_csv("out.csv", schema_overrides={"zip": pl.String})
    shuffled.sample(fraction=1, shuffle=True, seed=1).write_csv("again.csv")
    line = "inject again.csv --remove --key key.txt --marks marks.json -o back.csv --overwrite"
    ran = kanonym(f"{line} --json")
    assert (ran.json["removed"], ran.json["marks"], ran.json["rows_out"]) == (4, 4, 8)
    back = Counter(read_table("back.csv").rows())
    assert back == Counter(read_table("patients.csv").rows())
    assert "4 of 4 that are marked" in kanonym(line).text


def test_one_seed_gives_one_file(kanonym, folder):
    """The same seed writes the same bytes, another seed others."""
    written = []
    for seed in (1, 1, 2):
        assert kanonym(f"{RUN} --seed {seed} --overwrite").code == 0
        written.append((folder / "out.csv").read_bytes())
    assert written[0] == written[1] != written[2]


def test_standard_input_and_output_carry_the_table(kanonym, folder):
    """`-` reads standard input and writes standard output; what people read goes elsewhere."""
    patients = (folder / "patients.csv").read_bytes()
    ran = kanonym("inject - -q sex -o - --size 6", stdin=patients)
    assert len(pl.read_csv(io.BytesIO(ran.out))) == 12
    assert "2 of 2 classes" in ran.error


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{COLUMNS} -o out.csv", "inject: set a target for classes"),
        (f"{COLUMNS} -o out.csv --diversity 101", "inject: diversity is 101.0"),
        (f"{RUN} --class sex=x", "inject: class 1 of 1 is not in the table: no record has 'x'"),
        (f"{RUN} --constraint age", "'age' is not a constraint"),
        (f"{RUN} --key nothing.txt --marks marks.json", "inject: the key is a text and names no"),
        (
            "inject patients.csv --remove --key key.txt --marks no.json -o out.csv",
            "no file no.json",
        ),
        (
            "inject patients.csv --remove --key key.txt --marks patients.csv -o out.csv",
            "patients.csv holds no marks",
        ),
    ],
)
def test_a_refusal_is_one_line_and_leaves_no_file(refused, line, said):
    """What cannot be done is told in one line, and nothing is written."""
    assert refused(line).startswith(said)


def test_a_class_that_cannot_get_so_many_values_ends_with_1(refused):
    """The target is named, and no file is left behind."""
    error = refused(f"{COLUMNS} -o out.csv -l 4", expected=1)
    assert error.startswith("inject: 4 different values of 'disease' cannot be")


@pytest.mark.parametrize(
    "line",
    [
        "inject patients.csv -o out.csv --size 6",
        f"{RUN} --key key.txt",
        f"{RUN} --marks marks.json",
        f"{RUN} --key key.txt --marks -",
        f"{RUN} --key key.txt --marks key.txt",
        f"{RUN} --key key.txt --marks out.csv",
        f"{RUN} --class sex",
        f"{RUN} --class sex=f,sex=m",
        f"{COLUMNS} --size 6 -o - --json",
        f"{COLUMNS} --size 6 -o patients.csv",
        "inject patients.csv --remove -o out.csv",
        "inject patients.csv --remove --size 3 --key key.txt --marks marks.json -o out.csv",
    ],
)
def test_wrong_usage_is_told_before_anything_is_written(kanonym, folder, line):
    """Exit code 2: what is missing, or an output that would overwrite another file."""
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert kanonym(line).code == 2
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_the_help_fits_and_names_the_targets(kanonym):
    """Every option has a line in the help."""
    text = kanonym("inject --help").text
    for option in ("--size", "--diversity", "-l", "--class", "--constraint", "--key", "--marks"):
        assert option in text


def test_all_faults_are_told_at_once(kanonym, folder):
    """Every unknown column, value out of range and broken constraint is named in one error."""
    ran = kanonym("inject patients.csv -q age,zap -s sick --size 0 --drop nane -o out.csv")
    assert ran.code == 3
    assert "4 faults" in ran.error
    assert not (folder / "out.csv").exists()
