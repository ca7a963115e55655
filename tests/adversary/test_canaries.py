"""Nothing that is written holds a value that the release hides.

Every identifier, every quasi-identifier and every suppressed record of the input has a text that
stands nowhere else. All that the commands write is searched for these texts: as bytes, in UTF-16,
in base64, and within zip, gzip, zlib, Parquet and Arrow.
"""

from __future__ import annotations

import pickle
from pathlib import Path

import polars as pl
import pytest

import kanonym as ka
from adversary.independent import forms_of, uncovered
from effort import NIGHTLY
from kanonym.cli import main

N = 60
FORMATS = ("csv", "tsv", "jsonl", "json", "parquet", "feather", "xlsx", "csv.gz")
POLICY = """\
version: 1
attributes:
  name: {role: identifier}
  zip:  {role: quasi-identifier, hierarchy: {file: zip.csv}}
  town: {role: quasi-identifier}
  age:  {role: quasi-identifier, hierarchy: {intervals: {width: [20, 100], origin: 0}}}
  s:    {role: sensitive}
models:
  - {type: k-anonymity, k: 5}
suppression_limit: 0.05
algorithm: {type: full-domain}
"""


def people():
    """Return records of which one stands alone: by its town, its age and its diagnosis."""
    return pl.DataFrame(
        {
            "name": [f"namecanary{i:03}q" for i in range(N)],
            "zip": [f"zipcanary{i:03}q" for i in range(N)],
            "town": ["towncanaryq" if i == 59 else ("Bern", "Genf")[i % 2] for i in range(N)],
            "age": [98765432109876 if i == 59 else 20 + i % 40 for i in range(N)],
            "s": ["secretcanaryq" if i == 59 else ("flu", "cold")[i % 2] for i in range(N)],
        }
    )


CANARIES = ("namecanary", "zipcanary", "towncanaryq", "secretcanaryq", "98765432109876")


def leaks(folder, ignored):
    """Return the canaries that stand in any file of a folder, by file."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in ignored:
            for data in uncovered(path.read_bytes()):
                found += [
                    (path.name, one)
                    for one in CANARIES
                    if any(form in data for form in forms_of(one))
                ]
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with the table, a hierarchy and a policy in it."""
    monkeypatch.chdir(tmp_path)
    table = people()
    table.write_csv("in.csv")
    sides = ["north" if i < 30 else "south" for i in range(N)]
    lines = [f"zipcanary{i:03}q;{side};*" for i, side in enumerate(sides)]
    Path("zip.csv").write_text("\n".join(lines) + "\n")
    Path("policy.yaml").write_text(POLICY)
    return tmp_path


def run(line):
    """Run a command line; return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    return ended.value.code or 0


@pytest.mark.parametrize("form", FORMATS if NIGHTLY else ("csv", "xlsx"))
def test_what_a_release_writes_holds_no_canary(folder, capfdbinary, form):
    """Release, manifest, reports and all that is printed are searched."""
    line = (
        f"anonymize in.csv --policy policy.yaml -o out.{form} --manifest m.json "
        "--report r.html --report r.md --report r.json"
    )
    line += "" if form in ("csv", "xlsx") else " --no-attack"
    assert run(line) == 0
    printed = capfdbinary.readouterr()
    (folder / "stdout.txt").write_bytes(printed.out)
    (folder / "stderr.txt").write_bytes(printed.err)
    assert leaks(folder, {"in.csv", "zip.csv"}) == []


def test_what_json_and_the_log_tell_holds_no_canary(folder, capfdbinary):
    """--json, -vv and a run that fails are searched."""
    assert run("anonymize in.csv --policy policy.yaml --dry-run --json -vv") == 0
    assert run("anonymize in.csv --policy policy.yaml --dry-run -k 61") == 1
    assert run("measure in.csv -q town,age -s s --json") == 0
    assert run("check policy.yaml in.csv -vv") == 0
    printed = capfdbinary.readouterr()
    (folder / "stdout.txt").write_bytes(printed.out)
    (folder / "stderr.txt").write_bytes(printed.err)
    assert leaks(folder, {"in.csv", "zip.csv"}) == []


def test_a_profile_and_its_policy_hold_no_canary(folder, capfdbinary):
    """Profile, suggested policy and recommendation name no value of a person."""
    assert run("profile in.csv --write suggested.yaml") == 0
    assert run("profile in.csv --json -vv") == 0
    printed = capfdbinary.readouterr()
    (folder / "stdout.txt").write_bytes(printed.out)
    (folder / "stderr.txt").write_bytes(printed.err)
    assert leaks(folder, {"in.csv", "zip.csv"}) == []


@pytest.mark.parametrize("algorithm", ["full-domain", "mondrian"])
def test_a_fitted_recoding_holds_values_of_hierarchies_alone(folder, capfdbinary, algorithm):
    """The recoding is kept like the table; a batch and the log hold no canary at all."""
    Path("policy.yaml").write_text(POLICY.replace("full-domain", algorithm))
    assert run("fit in.csv --policy policy.yaml -o recoding.json -vv") == 0
    assert run("apply recoding.json in.csv -o out.csv --update -vv") == 0
    printed = capfdbinary.readouterr()
    (folder / "stdout.txt").write_bytes(printed.out)
    (folder / "stderr.txt").write_bytes(printed.err)
    found = set(leaks(folder, {"in.csv", "zip.csv"}))
    assert {name for name, _ in found} == {"recoding.json"}
    assert {"namecanary", "secretcanaryq"}.isdisjoint(one for _, one in found)


def test_comparisons_and_recommendations_hold_no_canary(folder, capfdbinary):
    """Rows, chart, state, written policies and log are searched."""
    asked = "--policy policy.yaml --sweep k=5 --resume state.jsonl -o rows.csv --chart c.html"
    assert run(f"compare in.csv {asked} --write best.yaml -vv") == 0
    assert run("recommend in.csv --write suggested.yaml -vv") == 0
    printed = capfdbinary.readouterr()
    (folder / "stdout.txt").write_bytes(printed.out)
    (folder / "stderr.txt").write_bytes(printed.err)
    assert leaks(folder, {"in.csv", "zip.csv"}) == []
    suggested = (folder / "suggested.yaml").read_text("utf-8")
    assert not any(value in suggested for value in ("Bern", "Genf", "flu", "cold"))


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_a_frame_that_is_written_by_its_own_library_holds_no_canary(folder, library):
    """Pickled, the released frame and the release have no buffer of the input."""
    table = people()
    table = {"polars": table, "pandas": table.to_pandas(), "pyarrow": table.to_arrow()}[library]
    release = ka.anonymize(table, ka.Policy.from_file("policy.yaml"))
    assert release.suppressed == 1
    (folder / "frame.pickle").write_bytes(pickle.dumps(release.frame))
    (folder / "printed.txt").write_text(f"{release!r}\n{release}\n{release.verification}")
    assert leaks(folder, {"in.csv", "zip.csv"}) == []


def test_the_search_finds_what_is_there(folder):
    """Canaries in the input are found in every format: the search is no empty one."""
    ka.write_table(people(), "in.csv.gz")
    for form in FORMATS:
        (folder / "held").mkdir(exist_ok=True)
        ka.write_table(people(), f"held/plain.{form}")
        found = {one for _, one in leaks(folder / "held", set())}
        assert {"namecanary", "zipcanary", "towncanaryq", "secretcanaryq"} <= found, form
        (folder / "held" / f"plain.{form}").unlink()
