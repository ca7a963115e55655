"""`kanonym draw` and `anonymize --drawn`: one value per cell, and which table was verified."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import polars as pl
import pytest

from kanonym.data.files import read_table

RUN = "draw labels.csv -p policy.yaml -o out.csv"
POLICY = """
version: 1
attributes:
  age: {role: quasi-identifier}
  town: {role: quasi-identifier}
others: insensitive
models:
  - {type: k-anonymity, k: 5}
algorithm: {type: mondrian}
"""


@pytest.fixture
def labels(kanonym, folder):
    """Write a policy, a table of 200 persons, and its release `labels.csv`."""
    random = np.random.default_rng(0)
    age = random.integers(20, 60, 200)
    town = random.choice(["Bonn", "Rom, Nord"], 200)
    pl.DataFrame({"age": age, "town": town, "limit": 60}).write_csv(folder / "people.csv")
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    assert kanonym("anonymize people.csv -p policy.yaml -o labels.csv").code == 0
    return read_table("labels.csv")


def test_labels_become_values(kanonym, labels):
    """Each cell holds a value of its label, and the terminal says which table was verified."""
    ran = kanonym(f"{RUN} --seed 1 --constraint age<limit")
    assert ran.code == 0
    found = read_table("out.csv")
    assert found.schema == {"age": pl.Int64, "town": pl.String, "limit": pl.Int64}
    for value, label in zip(found["age"], labels["age"], strict=True):
        low, high = label.strip("[]").split(", ") if label.startswith("[") else (label, label)
        assert int(low) <= value <= int(high)
    assert set(found["town"]) == {"Bonn", "Rom, Nord"}
    for said in ("not assessed, k = 5", "not verified, smallest class 1", "do not hold for these"):
        assert said in " ".join(ran.text.split())


@pytest.mark.usefixtures("labels")
def test_what_is_drawn_is_not_called_verified(kanonym, folder):
    """By its values the table violates the policy; --json and manifest say what was verified."""
    told = kanonym(f"{RUN} --seed 1 --manifest m.json --json").json
    assert told["verified"] == {"table": "labels", "verdict": "not assessed", "k": 5}
    assert told["values"]["verified"] is False
    manifest = json.loads((folder / "m.json").read_text())
    files = {"input": "labels.csv", "output": "out.csv"}
    for part, name in files.items():
        assert manifest[part]["sha256"] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    assert manifest["drawn"]["meaning"] == told["meaning"]
    assert manifest["drawn"]["seed"] == 1
    assert kanonym("verify out.csv -p policy.yaml").code == 1
    assert kanonym("verify labels.csv -p policy.yaml --accept-findings").code == 0


@pytest.mark.parametrize("made", ["draw", "anonymize"])
def test_a_drawn_table_is_never_green_beside_its_manifest(kanonym, folder, made):
    """Where its values satisfy a policy by chance, verification warns, and exits with 1."""
    pl.DataFrame({"town": ["Bonn", "Rom"] * 100, "limit": 60}).write_csv(folder / "people.csv")
    policy = POLICY.replace("  age: {role: quasi-identifier}\n", "")
    (folder / "policy.yaml").write_text(policy.replace("k: 5", "k: 150"), encoding="utf-8")
    asked = "anonymize people.csv -p policy.yaml -o labels.csv"
    if made == "draw":
        assert kanonym(asked).code == 0
        assert kanonym(f"{RUN} --seed 1 --manifest m.json").code == 0
    else:
        assert kanonym(f"{asked} --drawn out.csv --manifest m.json").code == 0
    (folder / "policy.yaml").write_text(policy.replace("k: 5", "k: 50"), encoding="utf-8")
    assert kanonym("verify out.csv -p policy.yaml --accept-findings").code == 0
    ran = kanonym("verify out.csv -p policy.yaml --manifest m.json --json")
    assert (ran.code, ran.json["verdict"]) == (1, "satisfied with findings")
    assert [one["kind"] for one in ran.json["findings"]] == ["drawn-values"]


@pytest.mark.usefixtures("labels")
def test_a_release_writes_its_drawn_table_beside_it(kanonym, folder):
    """By the values of each class too; manifest and --json say how it was drawn."""
    ran = kanonym(
        "anonymize people.csv -p policy.yaml -o l.csv --drawn d.csv --drawn-by class "
        "--constraint age<limit --manifest m.json --json"
    )
    assert ran.code == 0
    told = json.loads((folder / "m.json").read_text())["drawn"]
    assert told == ran.json["drawn"]
    assert (told["by"], told["file"]) == ("class", "d.csv")
    assert told["sha256"] == hashlib.sha256((folder / "d.csv").read_bytes()).hexdigest()
    assert "how frequent each value is within a class" in told["meaning"]
    assert set(read_table("d.csv")["age"]) <= set(read_table("people.csv")["age"])
    assert read_table("l.csv")["age"].dtype == pl.String


def test_dates_and_numbers_are_written_as_the_labels_write_them(kanonym, folder):
    """Days before months and decimal commas, in a file whose labels alone tell it."""
    random = np.random.default_rng(0)
    born = pl.Series(random.integers(5000, 9000, 100)).cast(pl.Date).dt.strftime("%d.%m.%Y")
    pay = [f"{one},5" for one in random.integers(1000, 3000, 100)]
    pl.DataFrame({"age": born, "town": pay}).write_csv(folder / "people.csv", separator=";")
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    assert kanonym("anonymize people.csv -p policy.yaml -o labels.csv").code == 0
    assert kanonym(RUN).code == 0
    found = read_table("out.csv")
    assert found["age"].str.contains(r"^\d\d\.\d\d\.19\d\d$").all()
    assert found["town"].str.contains(r"^[12]\d\d\d,\d$").all()


@pytest.mark.usefixtures("labels")
def test_one_seed_gives_one_file(kanonym, folder):
    """The same seed writes the same bytes, another seed others."""
    written = []
    for seed in (1, 1, 2):
        assert kanonym(f"{RUN} --seed {seed} --overwrite").code == 0
        written.append((folder / "out.csv").read_bytes())
    assert written[0] == written[1] != written[2]


@pytest.mark.usefixtures("labels")
@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("draw people.csv -p policy.yaml -o out.csv", 1, "released table violates k-anonymity"),
        (f"{RUN} --constraint age>town", 3, "have no order"),
        (f"{RUN} --constraint age>limit", 3, "have no values that keep the constraints"),
        ("anonymize people.csv -p policy.yaml -o l.csv --drawn-by class", 2, "needs --drawn"),
        ("anonymize people.csv -p policy.yaml -o l.csv --drawn -", 2, "file of its own"),
        ("anonymize people.csv -p policy.yaml -o l.csv --drawn d.csv --drawn-by x", 2, "'x'"),
        ("anonymize people.csv -p policy.yaml -o l.csv --drawn l.csv", 2, "--drawn"),
        ("draw labels.csv -p policy.yaml -o labels.csv", 2, "-o"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(kanonym, folder, line, code, message):
    """No file is written: labels fail their policy, or options or constraints are wrong."""
    ran = kanonym(line)
    assert (ran.code, message in " ".join(ran.error.split())) == (code, True)
    assert not {"out.csv", "l.csv", "d.csv"} & {one.name for one in folder.iterdir()}
