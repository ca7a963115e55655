"""What commands write: never over what they read, whole, as verified, and told by its hash."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import pytest

from kanonym.data.files import read_table

RUN = "import kanonym.cli; kanonym.cli.main()"
COMMAND = [sys.executable, "-c", RUN]
LIMIT = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64));"
ON_A_FULL_DISK = [sys.executable, "-c", f"{LIMIT} {RUN}"]
KEYED = """\
version: 1
attributes:
  name:    {role: identifier, action: {type: keyed-hash, key: {file: secret.key}}}
  age:     {role: quasi-identifier}
  zip:     {role: quasi-identifier, hierarchy: {file: zip.csv}}
  sex:     {role: quasi-identifier}
  disease: {role: sensitive, action: {type: surrogate, mapping: mapping.csv}}
models:
  - {type: k-anonymity, k: 2}
  - {type: k-map, k: 2, population: people.csv}
algorithm: {type: full-domain}
"""


@pytest.fixture
def keyed(folder, kanonym):
    """Return the folder with a policy that reads a key, a mapping, a hierarchy and a population."""
    (folder / "keyed.yaml").write_text(KEYED, "utf-8")
    (folder / "secret.key").write_text("0123456789abcdef0123456789abcdef", "utf-8")
    (folder / "people.csv").write_bytes((folder / "patients.csv").read_bytes())
    (folder / "mapping.csv").write_text("value,pseudonym\n", "utf-8")
    assert kanonym("hierarchy build patients.csv zip --as masking -o zip.csv").code == 0
    return folder


@pytest.mark.parametrize(
    ("option", "file", "link"),
    [
        ("-o", "secret.key", None),
        ("--manifest", "people.csv", None),
        ("-o", "mapping.csv", None),
        ("--manifest", "zip.csv", None),
        ("-o", "keyed.yaml", None),
        ("-o", "patients.csv", os.link),
        ("--manifest", "secret.key", os.symlink),
        ("--report", "zip.csv", os.link),
        ("--report", "people.csv", os.symlink),
    ],
)
def test_no_output_is_a_file_that_is_read(kanonym, keyed, option, file, link):
    """Key, mapping, hierarchy, population, policy and input are refused, by any name."""
    before = {one.name: one.read_bytes() for one in keyed.iterdir()}
    name = file
    if link is not None or option == "--report":
        name = "other.csv" if option != "--report" else "other.json"
        (link or os.symlink)(keyed / file, keyed / name)
    output = f"-o {name}" if option == "-o" else f"-o out.csv {option} {name}"
    ran = kanonym(f"anonymize patients.csv -p keyed.yaml {output} --format csv")
    assert ran.code == 2
    assert "already; name another file" in ran.error
    assert {one: (keyed / one).read_bytes() for one in before} == before


@pytest.mark.parametrize(
    "line",
    [
        "hierarchy build patients.csv zip --as masking -o patients.csv",
        "hierarchy build patients.csv zip --as masking -o ./patients.csv",
        "profile patients.csv --write patients.csv",
        "recommend patients.csv --write patients.csv",
        "lattice patients.csv -p keyed.yaml -o zip.csv",
        "compare patients.csv -p keyed.yaml -o people.csv",
        "fit patients.csv -p keyed.yaml -o secret.key",
        "transform patients.csv -o m.csv --action name={type: surrogate, mapping: m.csv}",
        "transform patients.csv -o t.csv --action name={type: surrogate, mapping: patients.csv}",
        "synthesize patients.csv -o patients.csv",
        "assess patients.csv -p keyed.yaml --records people.csv",
        "sigo reidentification -o patients.csv -m people.csv --output patients.csv",
    ],
)
def test_every_command_spares_what_it_reads(kanonym, keyed, line):
    """No command writes over a file that it reads."""
    before = {one.name: one.read_bytes() for one in keyed.iterdir()}
    head, mark, action = line.partition(" --action ")
    ran = kanonym(head, *(["--action", action] if mark else []))
    assert ran.code == 2
    assert "already; name another file" in ran.error
    assert {one.name: one.read_bytes() for one in keyed.iterdir()} == before


def test_hashes_are_of_the_bytes_that_were_read_and_written(kanonym, folder, monkeypatch):
    """The manifest has the hash of the input as it was read, whatever became of it since."""
    from kanonym import pipeline

    source = (folder / "patients.csv").read_bytes()
    anonymize = pipeline.anonymize

    def slow(*given, **named):
        (folder / "patients.csv").write_text("something else", "utf-8")
        return anonymize(*given, **named)

    monkeypatch.setattr(pipeline, "anonymize", slow)
    line = "anonymize patients.csv -p policy.yaml -o out.csv --manifest m.json --report r.json"
    assert kanonym(line).code == 0
    manifest = json.loads((folder / "m.json").read_text("utf-8"))
    written = (folder / "out.csv").read_bytes()
    assert manifest["input"] == {
        "file": "patients.csv",
        "sha256": hashlib.sha256(source).hexdigest(),
    }
    assert manifest["output"] == {"file": "out.csv", "sha256": hashlib.sha256(written).hexdigest()}
    assert hashlib.sha256(source).hexdigest() in (folder / "r.json").read_text("utf-8")


def test_cells_that_excel_runs_are_told_and_made_safe(kanonym, folder):
    """A CSV with formulas gives a note that names the column; `--safe-cells` marks them."""
    table = "name,age\n=1+1,23\n+1+cmd|x,25\n'=1+1,-5\nAda,41\n"
    (folder / "patients.csv").write_text(table, "utf-8")
    ran = kanonym("transform patients.csv --drop age -o t.csv")
    assert ran.code == 0
    assert "run cells of name as" in ran.error
    ran = kanonym("transform patients.csv --safe-cells --sample 1 -o t.csv --overwrite")
    assert "formulas" not in ran.error
    expected = ["'=1+1", "'+1+cmd|x", "''=1+1", "Ada"]
    assert read_table(folder / "t.csv")["name"].to_list() == expected
    assert read_table(folder / "t.csv")["age"].to_list() == [23, 25, -5, 41]


def test_safe_cells_are_for_csv(refused):
    """Formats whose texts are never formulas have no safe cells."""
    assert "safe cells are for CSV" in refused(
        "anonymize patients.csv -p policy.yaml --safe-cells -o out.parquet"
    )


def test_a_value_that_a_format_cannot_hold_is_refused(refused, folder):
    """A release that would read back as another one is no release; without reading back it is."""
    (folder / "patients.csv").write_text('age,disease\n20,"a"\n20,""\n21,b\n21,\n', "utf-8")
    line = "anonymize patients.csv -q age -s disease -k 2 -l 2 -o out.xlsx"
    assert "column 'disease', row" in refused(line)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit of file sizes")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_standard_output_that_is_cut_is_an_error(folder, unbuffered):
    """A disk that is full in the middle of the output ends the command with an error line."""
    with (folder / "cut.csv").open("wb") as out:
        ran = subprocess.run(
            [*ON_A_FULL_DISK, "hierarchy", "build", "patients.csv", "zip", "--as", "masking"],
            stdout=out,
            stderr=subprocess.PIPE,
            cwd=folder,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert ran.returncode == 3
    assert "standard output cannot be written: File too large" in ran.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit of file sizes")
def test_results_that_are_cut_are_an_error(folder):
    """The same holds for results that people read, with Python's own buffers off."""
    with (folder / "cut.txt").open("wb") as out:
        ran = subprocess.run(
            [*ON_A_FULL_DISK, "measure", "patients.csv", "-q", "age", "--json"],
            stdout=out,
            stderr=subprocess.PIPE,
            cwd=folder,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    assert ran.returncode == 3
    assert "File too large" in ran.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no broken pipes")
def test_a_closed_pipe_without_buffers_is_no_success(folder):
    """A reader that goes away ends the command with 141, with Python's buffers off as well."""
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [*COMMAND, "measure", "patients.csv", "-q", "age", "--json"],
        stdout=writer,
        stderr=subprocess.PIPE,
        cwd=folder,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    os.close(writer)
    assert ran.returncode == 141
