"""Laws of how a report says to repeat its release: hashes that match, no listed values."""

from __future__ import annotations

import datetime
import json
from hashlib import sha256

import polars as pl
import pytest

import kanonym as ka
from kanonym.policy.faults import without_values
from kanonym.reporting import Provenance

TABLE = pl.DataFrame(
    {"age": [20, 21, 30, 31] * 3, "town": ["Bern", "Thun", "Chur", "Ems"] * 3, "d": list("ab") * 6}
)


@pytest.fixture
def release():
    """Give a release of twelve people."""
    return ka.anonymize(TABLE, quasi_identifiers=["age", "town"], sensitive=["d"], k=2)


def test_the_hash_is_that_of_the_written_release(release, tmp_path):
    """Who writes the release as CSV gets the SHA-256 that the report names."""
    release.write(tmp_path / "released.csv")
    release.report(tmp_path / "report.json")
    made = json.loads((tmp_path / "report.json").read_text("utf-8"))["provenance"]
    written = sha256((tmp_path / "released.csv").read_bytes()).hexdigest()
    assert made["release_hash"] == written


def test_files_are_named_without_folders(release, tmp_path):
    """The report names input and output, and what was in them, but not where they lay."""
    TABLE.write_csv(tmp_path / "patients 1.csv")
    release.write(tmp_path / "out.csv")
    files = {"input": tmp_path / "patients 1.csv", "output": tmp_path / "out.csv"}
    release.report(tmp_path / "report.md", **files)
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "kanonym anonymize 'patients 1.csv' --policy policy.json -o out.csv" in text
    assert sha256(files["input"].read_bytes()).hexdigest() in text
    assert str(tmp_path) not in text


def test_the_policy_of_a_report_can_be_run(release, tmp_path):
    """The printed policy is a policy file, and gives the same records; their order is drawn."""
    release.report(tmp_path / "report.json")
    made = json.loads((tmp_path / "report.json").read_text("utf-8"))
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps(made["policy"]), "utf-8")
    again = ka.anonymize(TABLE, ka.Policy.from_file(policy))
    columns = release.frame.columns
    assert again.frame.sort(columns).equals(release.frame.sort(columns))
    form = json.dumps(release.policy.to_dict(), sort_keys=True, ensure_ascii=False).encode()
    assert made["provenance"]["policy_hash"] == sha256(form).hexdigest()


def test_listed_values_become_hashes():
    """Values of hierarchies and actions, which may come from the table, are not printed."""
    tree = {"mapping": {"*": {"north": ["Ruritania"]}}}
    action = [{"type": "pram", "values": ["Ruritania"], "matrix": [[1.0]]}]
    policy = {"attributes": {"town": {"hierarchy": tree, "action": action}}, "seed": 3}
    told = without_values(policy)
    assert "Ruritania" not in json.dumps(told)
    assert (told["seed"], told["attributes"]["town"]["action"][0]["type"]) == (3, "pram")


def test_the_release_can_be_checked_by_itself():
    """The report says how; models that compare with the original are given it."""
    assert Provenance.of({}).checks == (
        "kanonym verify RELEASED.csv --policy policy.json",
        "kanonym attack TABLE.csv RELEASED.csv --policy policy.json",
    )
    verify, _ = Provenance.of({"models": [{"type": "t-closeness", "t": 0.2}]}).checks
    assert verify == "kanonym verify RELEASED.csv --policy policy.json --original TABLE.csv"


def test_the_date_is_in_no_hash(release, tmp_path):
    """A report of another day is of the same release."""
    release.report(tmp_path / "report.json")
    made = json.loads((tmp_path / "report.json").read_text("utf-8"))
    datetime.date.fromisoformat(made["date"])
    assert "date" not in made["provenance"]


def test_without_files_the_command_has_places_for_them():
    """TABLE and RELEASED stand where a name is not known."""
    assert Provenance.of({}).command == (
        "kanonym anonymize TABLE.csv --policy policy.json -o RELEASED.csv"
    )
