"""`kanonym assess`: risk of a table, and risk and utility of a release beside its original."""

from __future__ import annotations

import pytest

import kanonym as ka
from kanonym.data.example_tables import patients
from kanonym.data.files import read_table

KNOWN = ["age", "zip", "sex"]


@pytest.fixture
def released(folder, kanonym):
    """Write a release of `patients.csv` as `released.csv`, and return its text."""
    assert kanonym("anonymize patients.csv -p policy.yaml -o released.csv").code == 0
    return (folder / "released.csv").read_bytes()


def test_a_table_alone_is_its_risk(kanonym):
    """Of one table the JSON object has the risk, as `ka.risk` gives it, and no utility."""
    ran = kanonym("assess patients.csv -q age,zip -q sex -s disease --json")
    assert ran.code == 0
    table = read_table("patients.csv")
    found = ka.risk(table, quasi_identifiers=KNOWN, sensitive=["disease"]).to_dict()
    assert ran.json.keys() == {"risk"}
    assert ran.json["risk"].keys() == found.keys()
    assert {name: one.get("value") for name, one in ran.json["risk"].items()} == {
        name: one.get("value") for name, one in found.items()
    }
    assert ran.json["risk"]["uniques"]["value"] == 8


@pytest.mark.usefixtures("released")
def test_a_release_is_its_risk_and_its_utility(kanonym):
    """With a release, risk is of the release, and utility of both, by the policy's columns."""
    ran = kanonym("assess patients.csv released.csv -p policy.yaml --json")
    assert ran.code == 0
    assert ran.json.keys() == {"risk", "utility"}
    assert ran.json["risk"]["k"]["value"] >= 2
    assert ran.json["risk"]["l_distinct"]["value"] >= 2
    for part in ("risk", "utility"):
        for name, one in ran.json[part].items():
            if name != "presets":
                assert one.keys() >= {"value", "low", "high", "better", "unit", "source"}
    assert 0 < ran.json["utility"]["gcp"]["value"] <= 1
    names = kanonym(
        "assess patients.csv released.csv -q age,zip,sex -s disease --json", "--seed", "0"
    )
    assert names.json["risk"]["k"] == ran.json["risk"]["k"]


@pytest.mark.usefixtures("released")
def test_inputs_are_not_modified(kanonym, folder):
    """Assessing writes what it was told to write and nothing else."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    line = "assess patients.csv released.csv -p policy.yaml --records records.csv"
    assert kanonym(line).code == 0
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert after.pop("records.csv")
    assert after == before


@pytest.mark.parametrize("file", ["records.csv", "records.parquet", "records.json"])
def test_records_are_written_without_their_values(kanonym, folder, file):
    """`--records` has one row a record in the table's order: numbers, no quasi-identifier."""
    ran = kanonym(f"assess patients.csv -q sex --population 100 --records {file}")
    assert ran.code == 0
    assert file in ran.text
    records = read_table(folder / file)
    assert records.columns[:4] == ["class", "class_size", "prosecutor", "journalist"]
    assert {"suda", "dis"} <= set(records.columns)
    assert records["class_size"].to_list() == [4] * 8
    assert all(dtype.is_numeric() for dtype in records.dtypes)


def test_records_on_standard_output_leave_it_to_them(kanonym):
    """`--records -` gives CSV on standard output, and the tables go to standard error."""
    ran = kanonym("assess patients.csv -q age --records -")
    assert ran.code == 0
    assert ran.text.splitlines()[0].startswith("class,class_size,prosecutor,journalist")
    assert len(ran.text.splitlines()) == 9
    assert "prosecutor highest" in ran.error


def test_standard_input_is_a_table(kanonym, folder):
    """`-` is standard input, for the table or for the release."""
    table = (folder / "patients.csv").read_bytes()
    ran = kanonym("assess - -q age --json", stdin=table)
    assert ran.json == kanonym("assess patients.csv -q age --json").json
    pair = kanonym("assess patients.csv - -q age --json", stdin=table)
    assert pair.json["utility"]["gcp"]["value"] == 0


def test_format_holds_for_both_tables(kanonym, folder):
    """`--format` reads every file whose name does not say how, the release too."""
    for name in ("one.data", "other.data"):
        (folder / name).write_text('{"age": 1}\n{"age": 2}\n', "utf-8")
    ran = kanonym("assess one.data other.data -q age --format jsonl --json")
    assert ran.code == 0
    assert ran.json["utility"]["gcp"]["value"] == 0


def test_population_is_a_number_or_a_file(kanonym, folder):
    """A number gives population uniques; a file of everybody the journalist."""
    number = kanonym("assess patients.csv -q age --population 1000 --json").json["risk"]
    assert 0 < number["population_uniques_dankar"]["value"] <= 1000
    ages = [line.split(",")[1] for line in (folder / "patients.csv").read_text().splitlines()]
    (folder / "all.csv").write_text("\n".join(ages + ages[1:]) + "\n", "utf-8")
    table = kanonym("assess patients.csv -q age --population all.csv --json").json["risk"]
    assert table["journalist_highest"]["value"] == 0.5
    assert "population_uniques_dankar" not in table


def test_threshold_entity_weight_and_household_are_taken(kanonym, folder):
    """Further columns add their measures, and the threshold decides who is at risk."""
    rows = [f"{i % 2},{i % 3},{i + 1}.5,h{i % 4}" for i in range(12)]
    (folder / "sample.csv").write_text("\n".join(["age,person,weight,house", *rows]) + "\n")
    line = "assess sample.csv -q age --entity person --weight weight --household house --json"
    strict, mild = (
        kanonym(f"{line} --threshold {threshold}").json["risk"] for threshold in ("0.1", "0.9")
    )
    assert strict["prosecutor_number_at_risk"]["value"] == 12
    assert mild["prosecutor_number_at_risk"]["value"] == 0
    assert {"person_highest", "individual_highest", "household_highest"} <= strict.keys()


def test_persons_are_told_apart_by_several_columns(kanonym, folder):
    """`--entity A,B` measures the risk of combinations, which are fewer than records."""
    rows = [f"{i % 2},s{i % 2},{i // 2 % 3}" for i in range(12)]
    (folder / "sample.csv").write_text("\n".join(["age,site,number", *rows]) + "\n")
    found = kanonym("assess sample.csv -q age --entity site,number --json").json["risk"]
    assert found["person_highest"]["value"] == pytest.approx(1 / 3)


def test_a_target_is_learned_on_both_tables(kanonym, folder):
    """`--target` trains models on both tables and adds `learning`, of generated patients."""
    patients(300).drop("name", "national_number", "birth_date").write_csv(folder / "many.csv")
    line = "assess many.csv many.csv -q postal_code,sex --target sex --json"
    found = kanonym(line).json["utility"]["learning"]
    assert found["value"] is not None
    assert found["parts"]


def test_hierarchies_read_labels_and_add_distances(kanonym, folder):
    """A hierarchy file of a quasi-identifier reads labels, one of a sensitive attribute adds t."""
    (folder / "sex.csv").write_text("f;person\nm;person\n", "utf-8")
    (folder / "disease.csv").write_text("flu;viral;*\ncold;viral;*\nasthma;other;*\n", "utf-8")
    table = (folder / "patients.csv").read_text("utf-8")
    (folder / "out.csv").write_text(table.replace(",f,", ",person,").replace(",m,", ",person,"))
    line = "assess patients.csv out.csv -q sex -s disease --json --hierarchy sex=sex.csv"
    found = kanonym(f"{line} --hierarchy disease=disease.csv").json
    assert found["utility"]["gcp"]["value"] == 1
    assert found["risk"]["t_hierarchical"]["value"] == 0


# --- wrong usage ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("assess", "TABLE"),
        ("assess patients.csv", "missing columns: give --policy"),
        ("assess patients.csv -p policy.yaml -q age", "not allowed with --policy"),
        ("assess patients.csv -p policy.yaml -s disease", "not allowed with --policy"),
        ("assess patients.csv -q age --target disease", "compare two tables"),
        ("assess patients.csv -q age --aligned", "compare two tables"),
        ("assess patients.csv -q age --threshold 2", "--threshold"),
        ("assess patients.csv -q age --threshold much", "--threshold"),
        ("assess patients.csv -q age --seed -1", "--seed"),
        ("assess patients.csv -q age --hierarchy age", "is not COLUMN=FILE"),
        ("assess patients.csv -q age --json --records -", "cannot hold both"),
        ("assess - - -q age", "standard input can be read once"),
        ("assess - -q age --population -", "standard input can be read once"),
        ("assess patients.csv -q age --records patients.csv", "is TABLE already"),
        ("assess patients.csv patients.csv -q age --records ./patients.csv", "already"),
        ("assess patients.csv -q age --population p.csv --records p.csv", "--population already"),
        ("assess patients.csv -q age --hierarchy age=a.csv --records a.csv", "age already"),
        ("assess patients.csv -p policy.yaml --records policy.yaml", "is --policy already"),
        ("assess patients.csv -q age --colour red", "--colour"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_touches_nothing(kanonym, folder, line, said):
    """A command that makes no sense ends with 2 before anything is read or written."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ran = kanonym(line)
    assert ran.code == 2
    assert ran.out == b""
    assert said in " ".join(ran.error.split())
    assert "Traceback" not in ran.error
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# --- the data says no -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("assess nowhere.csv -q age", "no file nowhere.csv"),
        ("assess patients.csv nowhere.csv -q age", "no file nowhere.csv"),
        ("assess patients.csv -p nowhere.yaml", "nowhere.yaml"),
        ("assess patients.csv -q age,height", "no column for: height. It has: name, age"),
        ("assess patients.csv -q age,age", "'age' is named twice"),
        ("assess patients.csv -q age -s age", "both quasi-identifying and sensitive"),
        ("assess patients.csv -q age -s height", "no such column: 'height'"),
        ("assess patients.csv -q age --hierarchy zip=zips.csv", "hierarchy of 'zip'"),
        ("assess patients.csv -q age --entity nobody", "no column 'nobody'"),
        ("assess patients.csv -q age --weight name", "'name' is not a column of weights"),
        ("assess patients.csv -q age --household nobody", "no column 'nobody'"),
        ("assess patients.csv -q age --population 3", "the population only 3 persons"),
        ("assess patients.csv -q age --population 1e6", "no file 1e6"),
        (
            "assess patients.csv -q age --population one.csv",
            "nobody in the population table has it",
        ),
        ("assess patients.csv one.csv -q age --aligned", "they are not aligned"),
        ("assess patients.csv patients.csv -q age --target height", "target 'height'"),
        ("assess patients.csv -q age --records records.xyz", "records.xyz"),
        ("assess patients.csv -q age --records away/records.csv", "away"),
        ("assess empty.csv patients.csv -q age", "the original has no record"),
    ],
)
def test_data_that_says_no_is_one_line_and_exit_code_1(refused, folder, line, said):
    """What is wrong with the data is one line, without a traceback, and no file is left."""
    (folder / "one.csv").write_text("age\n23\n", "utf-8")
    (folder / "empty.csv").write_text("age\n", "utf-8")
    (folder / "zips.csv").write_text("01234;*\n", "utf-8")
    assert said in refused(line)


def test_a_release_that_cannot_be_read_is_named_by_cell(refused, folder):
    """A released value that is nothing known is named with column and row."""
    (folder / "out.csv").write_text("age\n23\nold\n", "utf-8")
    assert "column 'age', row 2 of the release: 'old'" in refused(
        "assess patients.csv out.csv -q age"
    )


# --- on the terminal --------------------------------------------------------------------


@pytest.mark.usefixtures("released")
@pytest.mark.parametrize("width", ["80", "120"])
def test_tables_fit_into_the_terminal(kanonym, monkeypatch, width):
    """The tables are no wider than the terminal, and name each measure that has a value."""
    monkeypatch.setenv("COLUMNS", width)
    ran = kanonym("assess patients.csv released.csv -p policy.yaml --population 1000")
    assert ran.code == 0
    assert max(map(len, ran.text.splitlines())) <= int(width)
    for said in ("k, null as wildcard", "prosecutor average", "SUDA highest", "GCP", "pMSE"):
        assert said in ran.text


def test_what_has_no_value_stands_apart_with_its_reason_once(kanonym):
    """Measures without a value are listed by reason, so that numbers stand together."""
    text = kanonym("assess patients.csv patients.csv -q age --shuffled").text
    numbers, _, rest = text.partition("no value")
    assert "RMSE" not in numbers
    lacking = " ".join(rest.split())
    assert "RMSE" in lacking
    assert lacking.count("which original record") == 1


def test_presets_that_say_the_same_stand_together(kanonym):
    """A verdict is written once for all presets that reach it the same way."""
    text = kanonym("assess patients.csv -q sex").text
    for name in ka.risk(read_table("patients.csv"), quasi_identifiers=["sex"]).to_dict()["presets"]:
        assert text.count(f" {name} ") == 1
    assert " ".join(text.split()).count("11 is the least allowed") < 3


def test_the_threshold_is_told(kanonym):
    """Whoever reads how many are at risk reads above which risk."""
    text = " ".join(kanonym("assess patients.csv -q sex --threshold 0.2").text.split())
    assert "the threshold, 0.2" in text


# --- generated patients -----------------------------------------------------------------


def test_the_demos_patients_are_safer_after_than_before(kanonym, folder):
    """Of generated patients nearly all are unique before, and none of the release is."""
    patients(400).write_csv(folder / "many.csv")
    known = "postal_code,birth_date,sex,occupation"
    line = f"anonymize many.csv -q {known} -s diagnosis -i name,national_number -k 5 -o out.csv"
    assert kanonym(line).code == 0
    before = kanonym(f"assess many.csv -q {known} -s diagnosis --json").json["risk"]
    after = kanonym(f"assess many.csv out.csv -q {known} -s diagnosis --json").json
    assert before["unique_share"]["value"] > 0.9
    assert after["risk"]["uniques"]["value"] == 0
    assert after["risk"]["prosecutor_highest"]["value"] <= 0.2
    assert after["utility"]["gcp"]["value"] > 0


def test_measures_are_chosen_by_either_name(kanonym):
    """--measures takes names with - and _; --largest 0 leaves SUDA out."""
    both = "assess patients.csv patients.csv -q age,zip -s disease --aligned"
    ran = kanonym(f"{both} --measures sse_sst,gcp --largest 0 --json")
    assert list(ran.json["utility"]) == ["sse_sst", "gcp"]
    assert "suda_highest" not in ran.json["risk"]
    assert kanonym("assess patients.csv -q age --measures gcp").code == 2
