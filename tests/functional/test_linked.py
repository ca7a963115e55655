"""Linked tables through the command line: folders, SQLite, DuckDB, written whole or not at all."""

from __future__ import annotations

import json
import sqlite3

import polars as pl
import pytest

from kanonym.data.errors import InfeasibleError
from kanonym.data.example_tables import hospital
from kanonym.linked.given_tables import Place, read_tables, write_tables

POLICY = """\
version: 1
person: patients
tables:
  patients:
    key: patient
    attributes:
      name: {role: identifier}
      born: {role: quasi-identifier, hierarchy: {dates: {levels: decade}}}
      sex:  {role: quasi-identifier, hierarchy: flat}
      zip:  {role: insensitive}
  admissions:
    key: admission
    references: {patient: patients}
    merge: true
    attributes:
      ward: {role: quasi-identifier, hierarchy: flat}
  diagnoses:
    key: [admission, position]
    references: {admission: admissions}
    rows: unknown
    attributes:
      icd10: {role: insensitive}
models:
  - {type: k-anonymity, k: 3}
others: identifier
suppression_limit: 0.1
"""
NAMES = ["patients", "admissions", "diagnoses"]
PLACES = ["clinic", "clinic.db", "clinic.duckdb"]


@pytest.fixture
def clinic(folder, monkeypatch):
    """Put the tables of a small hospital into a SQLite file, and the policy beside it."""
    monkeypatch.chdir(folder)
    tables = hospital(120, seed=4)
    write_tables(tables, Place.of("clinic.db"), lambda _: None)
    (folder / "policy.yaml").write_text(POLICY)
    return tables


@pytest.mark.parametrize("place", PLACES)
def test_tables_go_from_place_to_place(kanonym, folder, clinic, place):
    """A release is written as a whole, verifies from its place, and joins there."""
    if place != "clinic.db":
        write_tables(clinic, Place.of(place), lambda _: None)
    target = place.replace("clinic", "released")
    told = "--report r.html --report r.md --manifest m.json --json"
    ran = kanonym(f"anonymize -p policy.yaml --from {place} --to {target} {told}")
    assert ran.code == 0
    found = ran.json
    assert found["verification"]["verdict"] == "not assessed"  # nothing is declared sensitive
    released = read_tables(Place.of(target), NAMES)
    assert {name: one.height for name, one in released.items()} == {
        name: one["rows_out"] for name, one in found["tables"].items()
    }
    assert released["admissions"]["patient"].is_in(released["patients"]["patient"].implode()).all()
    assert "name" not in released["patients"].columns
    assert kanonym(f"verify {target} -p policy.yaml --accept-findings").code == 0
    manifest = json.loads((folder / "m.json").read_text("utf-8"))
    assert manifest["output"]["sha256"]
    assert manifest["promise"].startswith("k counts persons")
    assert "Ada" not in (folder / "m.json").read_text("utf-8")
    measured = kanonym(f"measure {target} -p policy.yaml --json").json
    assert measured["persons_by_multiset_k"] >= 3
    again = kanonym(f"anonymize -p policy.yaml --from {place} --to {target}")
    assert again.code == 3
    assert "exists: remove it, or name another place" in again.error


def test_a_dangling_row_is_refused_and_nothing_written(kanonym, folder, clinic):
    """A reference that leads nowhere is told by table, column and count."""
    stay = clinic["admissions"][:1].with_columns(admission=pl.lit("X"), patient=pl.lit("secret"))
    changed = {**clinic, "admissions": clinic["admissions"].vstack(stay)}
    write_tables(changed, Place.of("broken.db"), lambda _: None)
    ran = kanonym("anonymize -p policy.yaml --from broken.db --to released.db")
    assert ran.code == 3
    assert "admissions.patient has 1 value that patients.patient lacks (1 row)" in ran.error
    assert "secret" not in ran.error
    assert not (folder / "released.db").exists()
    assert not [one for one in folder.iterdir() if one.name.endswith(".tmp")]


@pytest.mark.usefixtures("clinic")
def test_a_violation_is_found_from_released_tables_alone(kanonym, folder):
    """Verification refuses a set in which one row makes a person unique."""
    assert kanonym("anonymize -p policy.yaml --from clinic.db --to released.db").code == 0
    with sqlite3.connect(folder / "released.db") as connection:
        row = connection.execute("SELECT patient FROM admissions").fetchone()
        connection.executemany(
            "INSERT INTO admissions VALUES (?, ?, ?)", [(10_000 + i, *row, "x") for i in range(9)]
        )
    connection.close()
    ran = kanonym("verify released.db -p policy.yaml")
    assert ran.code == 1
    assert "violates k-anonymity" in ran.error


@pytest.mark.usefixtures("clinic")
def test_a_written_set_that_fails_is_not_published(folder):
    """Tables whose check fails as they are read back leave nothing behind."""

    def check(_):
        raise InfeasibleError("no")

    tables = read_tables(Place.of("clinic.db"), NAMES)
    for place in ("out", "out.db", "out.duckdb"):
        with pytest.raises(InfeasibleError):
            write_tables(tables, Place.of(place), check)
        assert not (folder / place).exists()
    assert not [one for one in folder.iterdir() if one.name.endswith(".tmp")]


@pytest.mark.usefixtures("clinic")
@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--from clinic.db", 2, "give both --from and --to"),
        ("--from clinic.db --to clinic.csv", 3, "clinic.csv holds no set of tables"),
        ("--from clinic.db --to out.db -o x.csv", 2, "not for linked tables"),
        ("--from clinic.db --to out.db -k 5", 2, "not for linked tables"),
        ("--from clinic.db --to out.db --engine spark", 2, "not for linked tables"),
        ("--from nothing.db --to out.db", 3, "no file nothing.db"),
        ("--from nothing --to out", 3, "nothing: no such folder"),
        ("--from clinic.db --to out.db --schema s", 3, "a schema is for postgresql"),
    ],
)
def test_refusals_are_told(kanonym, folder, options, code, message):
    """What linked tables have not is refused in one line, and nothing is written."""
    ran = kanonym(f"anonymize -p policy.yaml {options}")
    assert ran.code == code
    assert message in " ".join(ran.error.split())
    assert not (folder / "out.db").exists()


def test_demo_of_linked_tables(kanonym, folder):
    """The demo leaves a hospital, its policy, a release that verifies, and a report."""
    ran = kanonym("demo --linked --rows 300 --directory demo")
    assert ran.code == 0
    files = {"hospital.db", "hospital.yaml", "key", "manifest.json", "released.db", "report.html"}
    assert {one.name for one in (folder / "demo").iterdir()} == files
    assert kanonym("verify demo/released.db -p demo/hospital.yaml").code == 0
    key = (folder / "demo" / "key").read_text().strip()
    assert key not in (folder / "demo" / "manifest.json").read_text("utf-8")


@pytest.mark.usefixtures("clinic")
def test_a_policy_of_linked_tables_is_checked(kanonym):
    """`check` knows policies about several tables, and commands of one table say what to do."""
    found = kanonym("check policy.yaml clinic.db --json").json
    assert found["tables"]["patients"] == 120
    assert found["copies"] == {"admissions.born": "patients.born"}
    assert found["numbered_key_columns"] == ["diagnoses.position"]
    shown = kanonym("check policy.yaml clinic.db").out.decode()
    assert "repeats patients.born" in shown
    assert "in a key: numbered anew" in shown
    ran = kanonym("anonymize patients.csv -p policy.yaml -o x.csv")
    assert ran.code == 3
    assert "policy.yaml is about several tables: give their place by --from" in ran.error


@pytest.mark.usefixtures("clinic")
def test_a_release_is_attacked_in_its_place(kanonym):
    """The attack reads both databases, and takes no option for one table."""
    assert kanonym("anonymize --policy policy.yaml --from clinic.db --to out.db").code == 0
    done = kanonym("attack clinic.db out.db --policy policy.yaml --attempts 50 --json")
    assert [one["type"] for one in json.loads(done.out)["attacks"]][-1] == "all-rows"
    assert kanonym("attack clinic.db out.db --policy policy.yaml --second x.csv").code == 2
