"""`kanonym anonymize`: files in, files out."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest

from kanonym.data.files import read_table, write_table

RUN = "anonymize patients.csv -p policy.yaml"
CHECKED = {"satisfied": True, "guarantee": "per class", "verdict": "checked"}
SHORT = "anonymize patients.csv -q age,zip,sex -s disease -i name"


def classes_of(table):
    """Return the sizes of the classes of a released table of patients."""
    return table.group_by("age", "zip", "sex").len()["len"]


def in_order(path):
    """Return the records of a file in the order of their values."""
    return read_table(path).sort(pl.all())


def test_release_satisfies_its_policy_and_drops_identifiers(kanonym):
    """The released file has no identifier, and k records or more in every class."""
    assert kanonym(f"{RUN} -o out.csv").code == 0
    released = read_table("out.csv")
    assert released.columns == ["age", "zip", "sex", "disease"]
    assert released.height == 8
    assert classes_of(released).min() >= 2
    assert kanonym("verify out.csv -p policy.yaml").code == 0


@pytest.mark.parametrize(
    "name", ["t.csv", "t.tsv", "t.jsonl", "t.json", "t.parquet", "t.feather", "t.xlsx", "t.csv.gz"]
)
def test_every_format_goes_in_and_out(kanonym, name):
    """A table in any format gives the release that it gives as CSV, in that format."""
    write_table(read_table("patients.csv"), name)
    assert kanonym(f"anonymize {name} -p policy.yaml -o out-{name}").code == 0
    assert kanonym(f"{RUN} -o out.csv").code == 0
    assert in_order(f"out-{name}").equals(in_order("out.csv"))


def test_semicolons_are_detected(kanonym, folder):
    """The separator of a CSV file is detected."""
    text = (folder / "patients.csv").read_text("utf-8").replace(",", ";")
    (folder / "semicolons.csv").write_text(text, "utf-8")
    assert kanonym("anonymize semicolons.csv -p policy.yaml -o semi.csv").code == 0
    assert kanonym(f"{RUN} -o out.csv").code == 0
    assert in_order("semi.csv").equals(in_order("out.csv"))


def test_standard_input_and_output_carry_the_table(kanonym, folder):
    """`-` reads standard input and writes standard output; what people read goes elsewhere."""
    patients = (folder / "patients.csv").read_bytes()
    ran = kanonym("anonymize - -p policy.yaml -o -", stdin=patients)
    assert ran.code == 0
    assert pl.read_csv(io.BytesIO(ran.out)).columns == ["age", "zip", "sex", "disease"]
    assert "k-anonymity" in ran.error


def test_format_leaves_a_known_extension_alone(kanonym):
    """`--format` says what `-` is; the input's own extension still counts."""
    ran = kanonym("anonymize patients.csv -p policy.yaml -o - --format jsonl")
    assert ran.code == 0
    assert set(json.loads(ran.out.splitlines()[0])) == {"age", "zip", "sex", "disease"}


def test_format_tells_what_standard_output_carries(kanonym, folder):
    """`--format` says what `-` is."""
    write_table(read_table("patients.csv"), "patients.jsonl")
    lines = (folder / "patients.jsonl").read_bytes()
    ran = kanonym("anonymize - -p policy.yaml -o - --format jsonl", stdin=lines)
    assert ran.code == 0
    assert set(json.loads(ran.out.splitlines()[0])) == {"age", "zip", "sex", "disease"}


def test_leading_zeros_stay(kanonym):
    """A postal code that keeps all of its digits keeps its leading zero."""
    assert kanonym(f"{SHORT} -k 1 -o out.csv").code == 0
    assert set(read_table("out.csv")["zip"]) == set(read_table("patients.csv")["zip"])


def test_json_is_the_contract(kanonym):
    """`--json` prints one object with the fields of the contract, and nothing else."""
    ran = kanonym(f"{RUN} -o out.csv --json")
    found = ran.json
    assert ran.code == 0
    assert (found["rows_in"], found["rows_out"], found["suppressed"]) == (8, 8, 0)
    assert found["algorithm"]["type"] == "mondrian"
    assert found["algorithm"]["classes"] >= found["verification"]["classes"] > 1
    assert found["verification"]["satisfied"] is True
    assert found["verification"]["models"] == [
        {"type": "k-anonymity", "required": 2, "achieved": 2, **CHECKED},
        {"type": "l-diversity", "attribute": "disease", "required": 2, "achieved": 2, **CHECKED},
    ]
    assert {"gcp", "discernibility", "average_class_size"} <= set(found["utility"])
    assert 0 < found["risk"]["prosecutor"]["average"] <= found["risk"]["prosecutor"]["highest"]
    assert found["risk"]["prosecutor"]["highest"] == 0.5
    assert found["risk"]["uniques"] == 0
    seconds = found["seconds"]
    stages = {"read", "encode", "algorithm", "recode", "verify", "write"}
    assert set(seconds) == stages | {"total"}
    assert seconds["total"] == pytest.approx(sum(seconds[stage] for stage in stages))


def test_time_of_a_report_is_not_that_of_writing(kanonym):
    """The seconds of a report, with its attacks, are its own."""
    seconds = kanonym(f"{RUN} -o out.csv --report r.json --json").json["seconds"]
    assert seconds["report"] > seconds["write"]


def test_tables_tell_what_was_asked_and_achieved(kanonym):
    """Without --json, people read the models, what was required and achieved, and the files."""
    ran = kanonym(f"{RUN} -o out.csv")
    assert "k-anonymity" in ran.text
    assert "l-diversity of disease" in ran.text
    assert "out.csv" in ran.text
    assert max(map(len, ran.text.splitlines())) <= 80


def test_short_options_say_what_a_policy_says(kanonym, folder):
    """The short options give the release of the policy that they abbreviate."""
    (folder / "zip.csv").write_text(
        "01234;0123*;0*;*\n01235;0123*;0*;*\n01310;0131*;0*;*\n01311;0131*;0*;*\n"
        "04555;0455*;0*;*\n04556;0455*;0*;*\n04780;0478*;0*;*\n04781;0478*;0*;*\n",
        "utf-8",
    )
    policy = (folder / "policy.yaml").read_text("utf-8")
    (folder / "policy.yaml").write_text(policy.replace("masking", "{file: zip.csv}"), "utf-8")
    assert kanonym(f"{RUN} -o policy.csv").code == 0
    assert kanonym(f"{SHORT} -k 2 -l 2 --hierarchy zip=zip.csv -o short.csv").code == 0
    assert in_order("short.csv").equals(in_order("policy.csv"))


def test_models_and_algorithms_are_given_as_in_a_policy(kanonym):
    """`--model` and `--algorithm` take a part with its parameters; the policy's model goes."""
    parts = [
        "--model",
        "{type: l-diversity, attribute: disease, l: 1.5, kind: entropy}",
        "--algorithm",
        "{type: segmentation, order: kd}",
    ]
    ran = kanonym(f"{RUN} -o out.csv --json", *parts)
    assert ran.code == 0
    found = json.loads(ran.out)
    assert (found["algorithm"]["type"], found["algorithm"]["order"]) == ("segmentation", "kd")
    models = {one["type"]: one["required"] for one in found["verification"]["models"]}
    assert models["l-diversity"] == 1.5
    assert len(found["verification"]["models"]) == len(models)


def test_a_part_that_is_none_is_refused(kanonym):
    """A name alone is no model, and broken YAML is told as such."""
    assert "--model: give a part" in kanonym(f"{RUN} -o out.csv --model", "k-anonymity").error
    assert "--algorithm" in kanonym(f"{RUN} -o out.csv --algorithm", "{type: [}").error


def test_options_may_be_repeated_or_joined_by_commas(kanonym, folder):
    """`-q a -q b` is `-q a,b`, and a name with a comma in it stands in quotes."""
    (folder / "odd.csv").write_text('"age, years",sex\n1,f\n2,m\n1,f\n2,m\n', "utf-8")
    joined = kanonym("measure odd.csv --json -q", '"age, years",sex')
    repeated = kanonym("measure odd.csv --json -q sex -q", '"age, years"')
    assert joined.json == repeated.json
    assert joined.json["classes"] == 2


def test_seed_decides_the_order(kanonym):
    """One seed gives one file; another seed gives the same records in another order."""
    for output, seed in (("a.csv", 1), ("b.csv", 1), ("c.csv", 2)):
        assert kanonym(f"{SHORT} -k 2 --seed {seed} -o {output}").code == 0
    first, again, other = (read_table(name) for name in ("a.csv", "b.csv", "c.csv"))
    assert first.equals(again)
    assert not first.equals(other)
    assert first.sort(pl.all()).equals(other.sort(pl.all()))


def test_keep_order_keeps_the_order(kanonym):
    """With --keep-order, the sensitive column stands as it stood."""
    assert kanonym(f"{SHORT} -k 2 --keep-order -o out.csv").code == 0
    assert read_table("out.csv")["disease"].equals(read_table("patients.csv")["disease"])


AGES = """\
attributes: {age: {role: quasi-identifier}}
others: insensitive
models: [{type: k-anonymity, k: 3}]
algorithm: mdav
"""


def test_keep_integers_keeps_whole_numbers_whole(kanonym, folder):
    """With --keep-integers means of ages are whole numbers; the file verifies either way."""
    (folder / "ages.yaml").write_text(AGES, "utf-8")
    (folder / "whole.yaml").write_text(f"{AGES}keep_integers: true\n", "utf-8")
    short = "anonymize patients.csv -q age -k 3 --algorithm mdav --others insensitive"
    for run, dtype in (
        (short, pl.Float64),
        (f"{short} --keep-integers", pl.Int64),
        ("anonymize patients.csv -p whole.yaml", pl.Int64),
    ):
        assert kanonym(f"{run} -o out.csv").code == 0
        assert read_table("out.csv")["age"].dtype == dtype
        assert kanonym("verify out.csv -p ages.yaml --accept-findings").code == 0


def test_aggregate_counts_every_record_once(kanonym):
    """The aggregate form has one row a class and sensitive value; counts add up to all."""
    assert kanonym(f"{RUN} -o rows.csv").code == 0
    assert kanonym(f"{RUN} --aggregate -o counts.csv").code == 0
    rows, counts = read_table("rows.csv"), read_table("counts.csv")
    expected = rows.group_by(rows.columns).agg(count=pl.len().cast(pl.Int64))
    assert counts.sort(pl.all()).equals(expected.sort(pl.all()))
    assert kanonym("verify counts.csv -p policy.yaml --count count").code == 0


def test_range_gives_two_columns(kanonym):
    """The recoding `range` releases the smallest and the largest value of the class."""
    assert (
        kanonym(
            "anonymize patients.csv -q age -k 2 --recoding range --others insensitive -o r.csv"
        ).code
        == 0
    )
    released = read_table("r.csv")
    assert released.columns[1:3] == ["age_min", "age_max"]
    assert (released["age_min"] <= released["age_max"]).all()


@pytest.mark.parametrize(
    ("given", "policy"),
    [
        ("--policy policy.yaml --seed 3", "policy.json"),
        ("-i name -q age,zip,sex -s disease -k 2 -l 2 --rows persons --seed 3", "policy.json"),
        (
            "-q age -q zip --others insensitive -k 2 --hierarchy age=age.csv --seed 3 --keep-order",
            "policy.json",
        ),
        ("--policy seeded.yaml", "seeded.yaml"),
    ],
)
def test_the_command_of_a_report_repeats_its_release(kanonym, folder, given, policy):
    """Short options are printed as they were given; a policy file by its name if it says all."""
    tree = "".join(f"{age};{age // 10}0s;*\n" for age in (23, 25, 28, 29, 41, 43, 47, 49))
    (folder / "age.csv").write_text(tree)
    (folder / "seeded.yaml").write_text((folder / "policy.yaml").read_text() + "seed: 3\n")
    made = kanonym(f"anonymize patients.csv {given} -o out.csv --no-attack --report r.json")
    assert made.code == 0, made.error
    first = (folder / "out.csv").read_bytes()
    told = json.loads((folder / "r.json").read_text("utf-8"))["provenance"]
    assert kanonym(told["command"].removeprefix("kanonym ")).code == 0
    assert (folder / "out.csv").read_bytes() == first
    assert all(f"--policy {policy}" in check for check in told["checks"])


def test_reports_and_manifest_are_written(kanonym, folder):
    """Every report is written in the form of its extension, and the manifest as JSON."""
    ran = kanonym(
        f"{RUN} -o out.csv --report r.html --report r.md --report r.json --manifest m.json"
    )
    assert ran.code == 0
    assert (folder / "r.html").read_text("utf-8").lstrip().lower().startswith("<!doctype html>")
    assert (folder / "r.md").read_text("utf-8").startswith("#")
    assert json.loads((folder / "r.json").read_text("utf-8"))
    manifest = json.loads((folder / "m.json").read_text("utf-8"))
    assert manifest["policy"]["models"][0] == {"type": "k-anonymity", "k": 2}
    assert len(manifest["output"]["sha256"]) == 64


def test_empty_table_gives_an_empty_release(kanonym, folder):
    """A table of a header alone gives a release of a header alone: it harms nobody."""
    (folder / "patients.csv").write_text("name,age,zip,sex,disease\n", "utf-8")
    assert kanonym(f"{RUN} -o out.csv").code == 0
    assert (folder / "out.csv").read_text("utf-8").strip() == "age,zip,sex,disease"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("anonymize patients.csv -p policy.yaml", "missing option"),
        ("anonymize -p policy.yaml -o out.csv", "Missing argument"),
        ("anonymize patients.csv -o out.csv", "missing policy"),
        ("anonymize patients.csv -k 2 -o out.csv", "missing policy"),
        (f"{RUN} -o patients.csv", "patients.csv is INPUT already"),
        (f"{RUN} -o ./patients.csv", "is INPUT already"),
        (f"{RUN} -o out.csv --report patients.csv", "must end in .html, .pdf, .md, .json"),
        (f"{RUN} -o out.json --manifest out.json", "out.json is -o already"),
        (f"{RUN} -o out.csv --manifest policy.yaml", "is --policy already"),
        (f"{RUN} -o - --json", "cannot hold both"),
        (f"{SHORT} -k two -o out.csv", "Invalid value for '-k'"),
        (f"{SHORT} -k 2 --hierarchy zip.csv -o out.csv", "is not COLUMN=FILE"),
        (f"{RUN} -o out.csv --reprot r.html", "--report"),
        ("anonymise patients.csv", "anonymize"),
        ("verify patients.csv", "Missing option"),
        ("measure patients.csv", "missing columns: give -q COLUMNS"),
        ("hierarchy show masking", "--table"),
        ("hierarchy check zip.csv --table patients.csv", "must be given together"),
        ("demo --rows 3", "--rows"),
    ],
)
def test_wrong_usage_is_exit_code_2(kanonym, folder, line, message):
    """Wrong usage ends with 2, says what is wrong, writes nothing and changes no input."""
    before = {file: file.read_bytes() for file in folder.iterdir()}
    ran = kanonym(line)
    assert ran.code == 2
    assert message in ran.error
    assert ran.out == b""
    assert {file: file.read_bytes() for file in folder.iterdir()} == before
