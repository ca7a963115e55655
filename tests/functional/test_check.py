"""`kanonym check` and `kanonym anonymize --dry-run`: nothing is written."""

from __future__ import annotations

import json
import sqlite3

import pytest


def test_a_policy_without_faults_is_said_to_have_none(kanonym):
    """The models are shown, and the exit code is 0."""
    ran = kanonym("check policy.yaml")
    assert ran.code == 0
    assert "no faults" in ran.text
    assert "k-anonymity: k 2" in ran.text


def test_all_faults_are_listed(kanonym, folder):
    """Two faults of a policy are told at once, with the nearest name; the exit code is 3."""
    text = (folder / "policy.yaml").read_text("utf-8")
    (folder / "policy.yaml").write_text(
        text.replace("role: identifier", "role: identfier") + "sed: 1\n"
    )
    ran = kanonym("check policy.yaml")
    assert ran.code == 3
    assert "identifier" in ran.error
    assert "did you mean 'seed'" in ran.error


def test_a_table_is_checked_against_the_policy(kanonym):
    """Roles, records and built hierarchies are shown, and no algorithm runs."""
    ran = kanonym("check policy.yaml patients.csv --json")
    assert ran.code == 0
    assert ran.json["table"]["rows"] == 8
    assert ran.json["table"]["roles"]["zip"] == "quasi-identifier"


def test_a_policy_is_known_by_its_hash(kanonym, folder):
    """`check` prints the SHA-256 of the manifest and the report of a release by the policy."""
    assert (
        kanonym("anonymize patients.csv --policy policy.yaml -o out.csv --report out.json").code
        == 0
    )
    checked = kanonym("check policy.yaml patients.csv --json").json["sha256"]
    manifest = json.loads((folder / "out.csv.manifest.json").read_text("utf-8"))
    report = (folder / "out.json").read_text("utf-8")
    assert manifest["policy_sha256"] == checked
    assert checked in report
    changed = (folder / "policy.yaml").read_text("utf-8").replace("k: 2", "k: 3")
    (folder / "policy.yaml").write_text(changed, "utf-8")
    assert kanonym("check policy.yaml patients.csv --json").json["sha256"] != checked


def test_a_table_of_a_database_is_checked(kanonym, folder):
    """A table is named as for `anonymize`; a schema is of PostgreSQL alone."""
    pytest.importorskip("adbc_driver_sqlite")
    with sqlite3.connect(folder / "clinic.sqlite") as database:
        rows = (folder / "patients.csv").read_text("utf-8").splitlines()
        names, *records = [row.split(",") for row in rows]
        database.execute(f"CREATE TABLE visits ({', '.join(names)})")
        for record in records:
            cells = ", ".join(f"'{cell}'" for cell in record)
            database.execute(f"INSERT INTO visits VALUES ({cells})")  # noqa: S608 - our own cells
    ran = kanonym("check policy.yaml clinic.sqlite --table visits --json")
    assert ran.json["table"]["rows"] == 8
    assert "--table" in kanonym("check policy.yaml clinic.sqlite").error
    refused = kanonym("check policy.yaml clinic.sqlite --table visits --schema public")
    assert refused.code == 2
    assert "only for postgresql" in refused.error


@pytest.mark.parametrize(
    ("old", "new", "code", "reason"),
    [
        ("  sex:", "  gender:", 3, "gender"),
        ("  sex:     {role: quasi-identifier}\n", "", 3, "sex"),
        ("k: 2", "k: 9", 1, "the best possible is 8"),
        ("l: 2", "l: 4", 1, "the best possible is 3"),
        ("hierarchy: masking", "hierarchy: {mapping: {'01234': ['*']}}", 3, "zip"),
    ],
)
def test_what_does_not_fit_is_told_before_the_work(kanonym, folder, old, new, code, reason):
    """Missing columns, columns without a role, uncovered values and impossible models."""
    text = (folder / "policy.yaml").read_text("utf-8")
    assert old in text
    (folder / "policy.yaml").write_text(text.replace(old, new), "utf-8")
    ran = kanonym("check policy.yaml patients.csv")
    assert ran.code == code
    assert reason in ran.error


def test_a_dry_run_writes_nothing(kanonym, folder):
    """The release is made and verified as always, and no file appears."""
    before = sorted(folder.iterdir())
    line = "anonymize patients.csv -p policy.yaml"
    dry = kanonym(f"{line} --dry-run -o out.csv --report out.html --manifest m.json")
    assert dry.code == 0
    assert "dry run" in dry.text
    assert kanonym(f"{line} --dry-run").code == 0
    assert sorted(folder.iterdir()) == before
    told = json.loads(kanonym(f"{line} --dry-run --json").out)
    done = json.loads(kanonym(f"{line} -o out.csv --json").out)
    del told["seconds"], done["seconds"]
    assert told == done


def test_a_dry_run_refuses_what_a_run_would(refused):
    """An impossible requirement and a bad place end as without --dry-run."""
    refused("anonymize patients.csv -p policy.yaml -k 9 --dry-run", expected=1)
    refused("anonymize patients.csv -p policy.yaml --dry-run -o none/out.csv")


def test_without_an_output_a_dry_run_must_be_asked_for(kanonym):
    """`-o` is required otherwise."""
    ran = kanonym("anonymize patients.csv -p policy.yaml")
    assert ran.code == 2
    assert "missing option" in ran.error


def test_short_options_change_the_policy_of_a_file(kanonym):
    """-k takes the place of the policy's k."""
    ran = kanonym("anonymize patients.csv -p policy.yaml -k 4 --dry-run --json")
    required = {one["type"]: one["required"] for one in ran.json["verification"]["models"]}
    assert required == {"k-anonymity": 4, "l-diversity": 2}


def test_values_beyond_a_declared_domain_are_told(kanonym, folder):
    """A synthetic table would have other values in their place, or leave their records out."""
    text = (folder / "policy.yaml").read_text("utf-8")
    asked = text.replace("{role: sensitive}", "{role: sensitive, domain: {values: [flu, cold]}}")
    (folder / "policy.yaml").write_text(asked, "utf-8")
    ran = kanonym("check policy.yaml patients.csv")
    assert ran.code == 0
    assert "beyond the domain of disease" in ran.text
    assert "2 records" in ran.text
