"""The manifest beside a release: written with it, and found by `verify`, which counts persons."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from pages import ROOT, blocks
from printed import words_of

ATTRIBUTES = """\
version: 1
attributes:
  patient_id: {role: identifier}
  age: {role: quasi-identifier}
  disease: {role: sensitive}
"""
DIVERSE = "  - {type: l-diversity, attribute: disease, l: 2}\n"
PERSONS = f"{ATTRIBUTES}models:\n  - {{type: k-anonymity, k: 4, entity: patient_id}}\n{DIVERSE}"
TOGETHER = PERSONS.replace("entity: patient_id", "entity: [patient_id, ward]").replace(
    "  age", "  ward: {role: identifier}\n  age"
)
ROWS = f"{ATTRIBUTES}rows: persons\nmodels:\n  - {{type: k-anonymity, k: 4}}\n{DIVERSE}"
PRIVATE = """\
version: 1
attributes:
  age: {role: quasi-identifier, hierarchy: {intervals: {width: 100, bottom: 0, top: 100}}}
others: identifier
models: [{type: differential-privacy, epsilon: 1, delta: 1e-6}]
algorithm: {type: full-domain, levels: {age: 1}}
"""
POLICIES = {"persons": PERSONS, "together": TOGETHER, "rows": ROWS, "private": PRIVATE}
LINE = "anonymize visits.csv -p persons.yaml -o out.csv"
VERIFY = "verify out.csv -p persons.yaml"
BESIDE = "out.csv.manifest.json"


@pytest.fixture(autouse=True)
def tables(folder):
    """Write visits, three for each patient, and policies that count patients, records or none."""
    n = 240
    table = pl.DataFrame(
        {
            "patient_id": [1000 + i // 3 for i in range(n)],
            "age": [20 + i % 40 for i in range(n)],
            "disease": [("flu", "cold", "burn", "gout")[(i + i // 40) % 4] for i in range(n)],
        }
    )
    table.write_csv(folder / "visits.csv")
    table.write_parquet(folder / "visits.parquet")
    for name, text in POLICIES.items():
        (folder / f"{name}.yaml").write_text(text)


def names_in(folder):
    """Return the files of a folder."""
    return {one.name for one in folder.iterdir()}


@pytest.mark.parametrize(
    ("table", "output", "options"),
    [
        ("visits.csv", "out.csv", ""),
        ("visits.csv", "out.csv.gz", ""),
        ("visits.csv", "out.csv", "--aggregate"),
        ("visits.csv", "out.parquet", "--no-read-back"),
        ("visits.parquet", "out.parquet", "--engine duckdb"),
    ],
)
def test_a_release_of_persons_is_verified_by_the_policy_alone(
    kanonym, folder, table, output, options
):
    """Its manifest lies beside it, is named on the terminal, and `verify` finds it and says so."""
    ran = kanonym(f"anonymize {table} -p persons.yaml -o {output} {options}")
    beside = f"{output}.manifest.json"
    assert beside in ran.text
    assert f"{beside} says how the release was made" in ran.error
    hashed = json.loads((folder / beside).read_text())["output"]["sha256"]
    assert hashed == hashlib.sha256((folder / output).read_bytes()).hexdigest()
    count = "--count count" if options == "--aggregate" else ""
    ran = kanonym(f"verify {output} -p persons.yaml --json {count}")
    assert (ran.code, ran.json["verdict"]) == (0, "satisfied")
    assert ran.json["models"][0]["recorded"] is True
    assert f"{beside} tells what was found beside the original, and how many persons" in ran.error


def test_persons_of_several_columns_are_verified_by_the_policy_alone(kanonym, folder):
    """Where two identifiers tell persons apart together, the manifest has their number, too."""
    table = pl.read_csv(folder / "visits.csv").with_columns(ward=pl.lit("a"))
    table.write_csv(folder / "wards.csv")
    assert kanonym("anonymize wards.csv -p together.yaml -o out.csv").code == 0
    ran = kanonym("verify out.csv -p together.yaml --json")
    assert (ran.code, ran.json["models"][0]["recorded"]) == (0, True)


def test_a_batch_of_persons_is_verified_by_the_policy_alone(kanonym, folder):
    """`apply` writes a manifest as `anonymize` does, and leaves it out if that is asked for."""
    levels = "intervals: {width: [10, 20], bottom: 0, top: 100}"
    policy = PERSONS.replace("age: {role", f"age: {{hierarchy: {{{levels}}}, role")
    (folder / "batches.yaml").write_text(f"{policy}algorithm: {{type: full-domain}}\n")
    assert kanonym("fit visits.csv -p batches.yaml -o recoding.json").code == 0
    ran = kanonym("apply recoding.json visits.csv -o out.csv --update")
    assert (ran.code, BESIDE in ran.text) == (0, True)
    ran = kanonym("verify out.csv -p batches.yaml --json")
    assert (ran.code, ran.json["models"][0]["recorded"]) == (0, True)
    ran = kanonym("apply recoding.json visits.csv -o second.csv --no-manifest")
    assert (ran.code, "which the release no longer has" in ran.error) == (0, True)
    assert kanonym("apply recoding.json visits.csv -o third.csv --manifest kept.json").code == 0
    assert {"out.csv.manifest.json", "kept.json"} == {
        one for one in names_in(folder) if "json" in one and "recoding.json" not in one
    }
    (folder / "fourth.csv.manifest.json").write_text("of somebody")
    ran = kanonym("apply recoding.json visits.csv -o fourth.csv")
    assert (ran.code, "exists and is no manifest" in ran.error) == (3, True)


def test_readme_holds_for_a_policy_with_an_entity(kanonym, folder):
    """The README's commands with a policy run one after another where persons are counted."""
    (folder / "visits.csv").rename(folder / "patients.csv")
    (folder / "persons.yaml").rename(folder / "policy.yaml")
    page = (ROOT / "README.md").read_text("utf-8")
    lines = re.findall(r"^\$ (.*)$", "\n".join(one.text for one in blocks(page)), re.MULTILINE)
    commands = [words_of(one) for one in lines if "--policy policy.yaml" in one]
    assert [words[0] for words in commands] == ["anonymize", "verify"]
    assert [kanonym("", *words).code for words in commands] == [0, 0]


def test_another_place_is_named_or_none(kanonym, folder):
    """--manifest and --no-manifest leave the place beside the release empty."""
    assert kanonym(f"{LINE} --manifest kept.json").code == 0
    assert BESIDE not in names_in(folder)
    ran = kanonym(VERIFY)
    assert (ran.code, "--manifest" in ran.error) == (3, True)
    assert kanonym(f"{VERIFY} --manifest kept.json").code == 0
    assert kanonym(f"{LINE} --manifest kept.json").code == 0
    (folder / "kept.json").unlink()
    ran = kanonym(f"{LINE} --no-manifest --overwrite")
    assert ran.code == 0
    assert not {one for one in names_in(folder) if "json" in one}
    assert "which the release no longer has" in ran.error
    assert kanonym(f"{LINE} --no-manifest --manifest kept.json").code == 2


def test_the_named_manifest_is_the_one_that_is_read(kanonym, folder):
    """--manifest of `verify` stands above what lies beside the table."""
    assert kanonym(LINE).code == 0
    (folder / "kept.json").write_bytes((folder / BESIDE).read_bytes())
    (folder / BESIDE).write_text("{}")
    assert kanonym(VERIFY).code == 3
    ran = kanonym(f"{VERIFY} --manifest kept.json")
    assert (ran.code, BESIDE in ran.error) == (0, False)


def test_no_other_file_is_overwritten(kanonym, refused, folder):
    """Where something else has the name, nothing is made; an older manifest is replaced."""
    (folder / BESIDE).write_text('{"notes": "of somebody"}')
    error = refused(LINE)
    assert "exists and is no manifest" in error
    assert "--no-manifest" in error
    assert (folder / BESIDE).read_text() == '{"notes": "of somebody"}'
    (folder / BESIDE).unlink()
    assert kanonym(LINE).code == 0
    before = (folder / BESIDE).read_bytes()
    assert kanonym(LINE).code == 0
    assert (folder / BESIDE).read_bytes() != before
    assert kanonym(VERIFY).code == 0


@pytest.mark.parametrize("file", ["visits.csv", "persons.yaml"])
def test_no_manifest_takes_the_place_of_an_input(kanonym, folder, file):
    """A table or a policy that has its name, by a link, stays as it is."""
    before = (folder / file).read_bytes()
    (folder / BESIDE).hardlink_to(folder / file)
    assert kanonym(LINE).code == 3
    assert (folder / file).read_bytes() == before
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize("changed", ["the table", "the manifest"])
def test_a_manifest_of_another_file_is_no_evidence(kanonym, folder, changed):
    """An error where persons are counted by it; else a sentence, and the table is judged."""
    assert kanonym(LINE).code == 0
    if changed == "the table":
        with (folder / "out.csv").open("a") as file:
            file.write("\n")
    else:
        manifest = json.loads((folder / BESIDE).read_text())
        manifest["output"]["sha256"] = "0" * 64
        (folder / BESIDE).write_text(json.dumps(manifest))
    ran = kanonym(VERIFY)
    assert (ran.code, "another SHA-256" in ran.error) == (3, True)
    ran = kanonym("verify out.csv -p rows.yaml")
    assert (ran.code, f"{BESIDE} is ignored" in ran.error) == (0, True)


@pytest.mark.parametrize("text", ["", "{}", "[1]", "no JSON", '{"versions": []}'])
def test_what_is_no_manifest_changes_nothing(kanonym, folder, text):
    """A file of another kind under that name is not read where nothing depends on it."""
    assert kanonym("anonymize visits.csv -p rows.yaml -o out.csv --no-manifest").code == 0
    alone = kanonym("verify out.csv -p rows.yaml")
    assert alone.code == 0
    (folder / BESIDE).write_text(text)
    assert kanonym("verify out.csv -p rows.yaml") == alone


def test_a_manifest_of_a_drawn_table_is_its_own(kanonym, folder):
    """The labels and the drawn values have one manifest, which is ignored for neither."""
    assert kanonym(f"{LINE} --drawn drawn.csv").code == 0
    assert kanonym(VERIFY).code == 0
    (folder / BESIDE).rename(folder / "drawn.csv.manifest.json")
    ran = kanonym("verify drawn.csv -p rows.yaml")
    assert "is ignored" not in ran.error


@pytest.mark.parametrize(
    "line",
    [
        "anonymize visits.csv -p persons.yaml -o -",
        "anonymize visits.csv -p persons.yaml -o out.csv --dry-run",
        "anonymize visits.csv -p private.yaml -o out.csv --ledger spent.txt",
        "anonymize visits.csv -p persons.yaml -o sqlite:///{folder}/new.db",
    ],
)
def test_there_is_a_manifest_beside_files_alone(kanonym, folder, line):
    """None goes with standard output, a database, a dry run, or a release of noisy classes."""
    sqlite3.connect(folder / "new.db").close()
    assert kanonym(line.format(folder=folder)).code == 0
    assert not {one for one in names_in(folder) if "manifest" in one}


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs /dev/null, a device of POSIX")
def test_there_is_no_manifest_beside_a_device(kanonym):
    """A device has nothing beside it."""
    assert kanonym("anonymize visits.csv -p rows.yaml -o /dev/null --format csv").code == 0
    assert not Path("/dev/null.manifest.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are a POSIX thing")
def test_release_and_manifest_are_written_together_or_not_at_all(kanonym, folder):
    """Where the disk takes the table and not the manifest, both stay as they were."""
    assert kanonym(LINE).code == 0
    before = {one.name: one.read_bytes() for one in folder.iterdir()}
    small = ["visits.csv", "-p", "rows.yaml", "-o", "out.csv", "--aggregate", "-k", "60"]
    program = (
        "import resource, sys\n"
        "from kanonym.cli import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "main(['anonymize', *sys.argv[1:]])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, *small], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, f"{BESIDE} cannot be written" in ran.stderr) == (3, True), ran.stderr
    assert {one.name: one.read_bytes() for one in folder.iterdir()} == before
