"""The verdict on the command line: terminal, JSON, manifest, report and exit code."""

from __future__ import annotations

import json

import polars as pl
import pytest

HEAD = """
version: 1
attributes:
  patient_id: {role: identifier}
  age: {role: quasi-identifier}
  disease: {role: sensitive}
"""
DIVERSE = "  - {type: l-diversity, attribute: disease, l: 2}\n"
POLICIES = {
    "open.yaml": HEAD + "models:\n  - {type: k-anonymity, k: 4}\n" + DIVERSE,
    "rows.yaml": HEAD + "rows: persons\nmodels:\n  - {type: k-anonymity, k: 4}\n" + DIVERSE,
    "persons.yaml": HEAD + "models:\n  - {type: k-anonymity, k: 4, entity: patient_id}\n" + DIVERSE,
    "k1.yaml": HEAD + "rows: persons\nmodels:\n  - {type: k-anonymity, k: 1}\n",
}


@pytest.fixture(autouse=True)
def files(folder):
    """Write visits, three for each patient, and policies."""
    n = 120
    table = {
        "patient_id": [1000 + 37 * i % n // 3 for i in range(n)],
        "age": [20 + i % 40 for i in range(n)],
        "disease": [("flu", "cold", "burn", "gout")[(i + i // 40) % 4] for i in range(n)],
    }
    pl.DataFrame(table).write_csv(folder / "visits.csv")
    for name, text in POLICIES.items():
        (folder / name).write_text(text)


def test_a_finding_is_everywhere(kanonym, folder):
    """Terminal, manifest and report tell of rows of one person; the release is still written."""
    ran = kanonym(
        "anonymize visits.csv -p open.yaml -o out.csv --manifest m.json --report r.md --no-attack"
    )
    assert ran.code == 0
    assert "satisfied with findings" in ran.text
    assert "patient_id has 40 values in 120 records" in " ".join(ran.text.split())
    checked = json.loads((folder / "m.json").read_text())["verification"]
    assert checked["verdict"] == "satisfied with findings"
    assert [one["kind"] for one in checked["findings"]] == ["repeated-identifier"]
    assert checked["largest_shares"][0]["attribute"] == "disease"
    report = (folder / "r.md").read_text("utf-8")
    assert "but there is one finding" in report
    assert "40 values of “patient\\_id” occur in 120 records" in report


def test_a_decision_makes_it_green(kanonym):
    """`rows: persons` in the policy, or `--rows persons`."""
    assert kanonym("anonymize visits.csv -p rows.yaml -o out.csv").code == 0
    ran = kanonym("verify out.csv -p rows.yaml --json")
    assert (ran.code, ran.json["verdict"], ran.json["findings"]) == (0, "satisfied", [])
    short = "anonymize visits.csv -i patient_id -q age -s disease -k 4 -l 2 -o out.csv --json"
    assert kanonym(f"{short} --rows persons").json["verification"]["verdict"] == "satisfied"
    found = kanonym(short).json["verification"]
    assert found["verdict"] == "satisfied with findings"


def test_verify_ends_with_1_where_something_was_found(kanonym):
    """A dropped identifier leaves open who has several rows; the option accepts that."""
    assert kanonym("anonymize visits.csv -p open.yaml -o out.csv").code == 0
    ran = kanonym("verify out.csv -p open.yaml")
    assert ran.code == 1
    assert "1 finding;" in ran.error
    assert "--accept-findings" in ran.error
    assert kanonym("verify out.csv -p open.yaml --accept-findings").code == 0
    ran = kanonym("verify out.csv -p open.yaml --original visits.csv --json")
    assert [one["kind"] for one in ran.json["findings"]] == ["repeated-identifier"]


def test_nothing_required_is_not_satisfied(kanonym):
    """Where k is 1 a release is written, and never confirmed."""
    ran = kanonym("anonymize visits.csv -p k1.yaml -o out.csv")
    assert ran.code == 0
    assert "nothing required" in ran.text
    assert kanonym("verify out.csv -p k1.yaml --accept-findings").code == 1


def test_a_table_without_a_record_is_not_assessed(kanonym, folder):
    """It says so wherever a verdict is, and verification ends with 1 whatever is accepted."""
    (folder / "none.csv").write_text("age,disease\n")
    ran = kanonym("verify none.csv -p rows.yaml --accept-findings --json")
    assert (ran.code, ran.json["verdict"]) == (1, "not assessed")
    ran = kanonym("verify none.csv -p rows.yaml")
    assert ran.code == 1
    assert "no record was released" in ran.error
    assert "yes" not in ran.text
    (folder / "nobody.csv").write_text("patient_id,age,disease\n")
    ran = kanonym("anonymize nobody.csv -p rows.yaml -o out.csv --report r.md --json")
    assert ran.json["verification"]["verdict"] == "not assessed"
    assert "Identity: not assessed" in (folder / "r.md").read_text("utf-8")


def test_a_release_by_entity_is_verified_with_its_manifest(kanonym, folder):
    """The manifest recorded the persons; it holds for the very file, and the answer says so."""
    made = kanonym("anonymize visits.csv -p persons.yaml -o out.csv --manifest m.json --json")
    assert made.json["verification"]["verdict"] == "satisfied"
    ran = kanonym("verify out.csv -p persons.yaml")
    assert ran.code != 0
    assert "--manifest" in ran.error
    ran = kanonym("verify out.csv -p persons.yaml --manifest m.json --json")
    assert (ran.code, ran.json["verdict"]) == (0, "satisfied")
    assert ran.json["models"][0]["recorded"] is True
    assert ran.json["models"][0]["achieved"] == made.json["verification"]["models"][0]["achieved"]
    assert ran.json["models"][0]["attribute"] == "patient_id"
    told = kanonym("verify out.csv -p persons.yaml --manifest m.json").text
    assert "as recorded" in " ".join(told.split())
    with (folder / "out.csv").open("a") as file:
        file.write("\n")
    ran = kanonym("verify out.csv -p persons.yaml --manifest m.json")
    assert ran.code != 0
    assert "is not the file of the manifest" in ran.error


@pytest.mark.parametrize("engine", ["", " --engine duckdb"])
def test_persons_of_two_columns_are_counted_and_verified_with_the_manifest(kanonym, folder, engine):
    """`--entity A,B` counts combinations; another k than they have is violated by the manifest."""
    n = 240
    table = {
        "clinic": [f"c{i % 2}" for i in range(n)],
        "number": [f"{i // 2 % 3:03}" for i in range(n)],
        "age": [20 + i // 80 for i in range(n)],
        "disease": [("flu", "cold", "burn", "gout")[i % 4] for i in range(n)],
    }
    pl.DataFrame(table).write_csv(folder / "clinics.csv")
    asked = "-i clinic,number -q age -s disease -l 2 --entity clinic,number"
    made = kanonym(f"anonymize clinics.csv {asked} -k 6 -o out.csv --json{engine}")
    assert made.json["verification"]["models"][0]["achieved"] == 6
    recorded = json.loads((folder / "out.csv.manifest.json").read_text())
    assert recorded["policy"]["models"][0]["entity"] == ["clinic", "number"]
    for k, code in ((7, 1), (6, 0)):
        policy = {**recorded["policy"], "models": [{**recorded["policy"]["models"][0], "k": k}]}
        (folder / "asked.json").write_text(json.dumps(policy))
        ran = kanonym("verify out.csv -p asked.json --accept-findings --json")
        told = {"attribute": "clinic + number", "required": k, "achieved": 6, "recorded": True}
        assert ran.code == code
        assert told.items() <= ran.json["models"][0].items()
    told = kanonym("check asked.json clinics.csv").text
    assert "told apart by clinic + number" in " ".join(told.split())
    assert kanonym(f"anonymize clinics.csv {asked} -k 7 -o out.csv{engine}").code == 1


def test_a_manifest_tells_of_repeats_too(kanonym):
    """What was found when the identifier was there stands again."""
    kanonym("anonymize visits.csv -p open.yaml -o out.csv --manifest m.json")
    ran = kanonym("verify out.csv -p open.yaml --manifest m.json --json")
    assert [one["kind"] for one in ran.json["findings"]] == ["repeated-identifier"]


def test_no_manifest_is_refused(kanonym, folder):
    """Another JSON file is told from a manifest."""
    kanonym("anonymize visits.csv -p open.yaml -o out.csv")
    (folder / "m.json").write_text("{}")
    ran = kanonym("verify out.csv -p open.yaml --manifest m.json")
    assert ran.code != 0
    assert "is not a manifest of a released file" in ran.error


def test_the_profile_writes_the_entity(kanonym, folder):
    """The suggested policy counts patients, runs as it is, and is green by its manifest."""
    assert kanonym("profile visits.csv --write p.yaml").code == 0
    text = (folder / "p.yaml").read_text()
    assert "{type: k-anonymity, k: 5, entity: patient_id}" in text
    assert kanonym("anonymize visits.csv -p p.yaml -o out.csv").code == 0


def test_the_profile_says_that_rows_are_persons(kanonym, folder):
    """Where each patient has one row the policy says so."""
    pl.read_csv(folder / "visits.csv").unique("patient_id").write_csv(folder / "persons.csv")
    assert kanonym("profile persons.csv --write p.yaml").code == 0
    assert "rows: persons" in (folder / "p.yaml").read_text()


NONE = POLICIES["rows.yaml"].replace("disease: {role: sensitive}", "disease: {role: insensitive}")
NONE = NONE.replace(DIVERSE, "") + "sensitive: none\n"
STATED = "the custodian states that no attribute is sensitive (sensitive: none)"


def test_that_nothing_is_sensitive_is_stated(kanonym, folder):
    """By the policy and by the option, in terminal, JSON, manifest and both reports."""
    (folder / "none.yaml").write_text(NONE)
    line = "anonymize visits.csv -p none.yaml -o out.csv --report r.md --no-attack"
    assert STATED in " ".join(kanonym(line).text.split())
    part = kanonym("verify out.csv -p none.yaml --json").json["parts"]["attributes"]
    assert part == {"verdict": "checked", "rests_on": STATED}
    manifest = json.loads((folder / "out.csv.manifest.json").read_text())
    assert manifest["verification"]["parts"]["attributes"] == part
    assert manifest["policy"]["sensitive"] == "none"
    assert "The custodian states that no attribute is sensitive" in (folder / "r.md").read_text()
    kanonym(f"{line.replace('r.md', 'es.md')} --language es")
    assert "afirma que ningún atributo es sensible" in (folder / "es.md").read_text("utf-8")
    short = "anonymize visits.csv -i patient_id -q age --others insensitive -k 4 --rows persons"
    for option, verdict in (("-s none", "checked"), ("", "not assessed")):
        found = kanonym(f"{short} {option} --dry-run --json").json["verification"]["parts"]
        assert found["attributes"]["verdict"] == verdict


def test_a_statement_that_the_policy_contradicts_is_refused(refused, folder):
    """Nothing is sensitive, and a column is: one of them is wrong."""
    (folder / "both.yaml").write_text(POLICIES["rows.yaml"] + "sensitive: none\n")
    assert "'disease' is sensitive" in refused("check both.yaml")
