"""`kanonym demo`: the whole job, and every file that it names."""

from __future__ import annotations

import json

import pytest

from kanonym.data.files import read_table

FILES = ["patients.csv", "policy.yaml", "released.csv", "released.csv.manifest.json", "report.html"]


def test_demo_does_the_whole_job(kanonym, folder):
    """The demo leaves table, policy, release, report and manifest; the release verifies."""
    ran = kanonym("demo --rows 500 --directory demo")
    assert ran.code == 0
    assert sorted(file.name for file in (folder / "demo").iterdir()) == FILES
    assert all(f"demo/{name}" in ran.text for name in FILES)
    assert read_table("demo/patients.csv").height == 500
    assert kanonym("verify demo/released.csv -p demo/policy.yaml").code == 0


@pytest.mark.usefixtures("own_order")
def test_demo_can_be_repeated_by_hand(kanonym, folder):
    """The commands on the demo's files give the demo's records, in another order."""
    assert kanonym("demo --rows 500 --directory demo").code == 0
    assert kanonym("anonymize demo/patients.csv -p demo/policy.yaml -o again.csv").code == 0
    again, first = ((folder / one).read_text("utf-8") for one in ("again.csv", "demo/released.csv"))
    assert again != first
    assert sorted(again.splitlines()) == sorted(first.splitlines())


def texts(part):
    """Return all keys and texts of a JSON document but hashes, whose digits are anything's."""
    if isinstance(part, dict):
        inner = [text for key, one in part.items() if key != "sha256" for text in texts(one)]
        return [*part, *inner]
    if isinstance(part, list):
        return [text for one in part for text in texts(one)]
    return [part] if isinstance(part, str) else []


def test_manifest_holds_no_name(kanonym, folder):
    """The manifest says what was done, and holds no value of any record."""
    assert kanonym("demo --rows 200 --directory demo").code == 0
    manifest = json.loads((folder / "demo/released.csv.manifest.json").read_text("utf-8"))
    assert manifest["policy"]["models"][0]["k"] == 5
    patients = read_table("demo/patients.csv")
    for column in ("name", "national_number", "postal_code", "diagnosis"):
        values = set(patients[column])
        assert not any(value in text for value in values for text in texts(manifest))


@pytest.mark.parametrize("name", ["patients.csv", "notes.txt"])
def test_demo_overwrites_nothing(kanonym, folder, name):
    """A folder with anything in it is refused, and stays as it was."""
    (folder / "demo").mkdir()
    (folder / "demo" / name).write_text("mine", "utf-8")
    ran = kanonym("demo --rows 200 --directory demo")
    assert ran.code == 3
    assert "demo is not empty" in ran.error
    assert [file.name for file in (folder / "demo").iterdir()] == [name]
