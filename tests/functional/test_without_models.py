"""Policies that require nothing: the command line says so wherever it would say `satisfied`."""

from __future__ import annotations

import json

import pytest

from kanonym.data.files import read_table

POLICY = """\
version: 1
attributes:
  age: {role: quasi-identifier}
others: insensitive
models: []
algorithm: {type: kmeans, clusters: 3}
"""
CLASSES = "none was required; smallest class: 1 record "


@pytest.fixture(autouse=True)
def policy(folder):
    """Write the policy, and a table with an outlier."""
    (folder / "nothing.yaml").write_text(POLICY, "utf-8")
    (folder / "ages.csv").write_text("age\n20\n21\n21\n40\n41\n99\n", "utf-8")


def test_the_terminal_says_that_nothing_was_required(kanonym):
    """Instead of a table of models there is one line, with the k that happens to be."""
    ran = kanonym("anonymize ages.csv -p nothing.yaml -o out.csv")
    assert ran.code == 0
    assert CLASSES in ran.text
    assert "satisfied" not in ran.text
    assert "nothing required" in ran.text
    assert sorted(set(read_table("out.csv")["age"])) == [62 / 3, 40.5, 99]


def test_short_options_need_no_model_either(kanonym):
    """`--algorithm kmeans` without -k is the algorithm with its own parameters."""
    ran = kanonym("anonymize ages.csv -q age --algorithm kmeans -o out.csv --json")
    assert ran.code == 3
    assert "clusters is 8, but the table has 5 distinct records" in ran.error
    ran = kanonym("anonymize ages.csv -q age --algorithm individual-ranking -o out.csv")
    assert ran.code == 0
    assert "smallest class: 3 records" in ran.text
    ran = kanonym("anonymize ages.csv -q age --algorithm mondrian -o out.csv")
    assert ran.code == 3
    assert "nothing is required: give at least one of k" in ran.error


def test_json_has_no_verdict_but_k(kanonym):
    """`satisfied` is null where nothing was required, and `k` says what there is."""
    ran = kanonym("anonymize ages.csv -p nothing.yaml -o out.csv --json --manifest m.json")
    told = ran.json["verification"]
    assert told.pop("parts")["identity"]["verdict"] == "not assessed"
    expected = {
        "satisfied": None,
        "verdict": "nothing required",
        "k": 1,
        "classes": 3,
        "models": [],
        "largest_shares": [],
        "findings": [],
    }
    assert told == expected
    with open("m.json", encoding="utf-8") as file:  # noqa: PTH123 - the working folder is the test's
        manifest = json.load(file)
    manifest["verification"].pop("parts")
    assert manifest["verification"] == expected
    assert manifest["policy"]["models"] == []


def test_verify_neither_confirms_nor_refuses(kanonym):
    """A release of such a policy violates nothing, but it is not satisfied either: exit code 1."""
    assert kanonym("anonymize ages.csv -p nothing.yaml -o out.csv").code == 0
    ran = kanonym("verify out.csv -p nothing.yaml --accept-findings")
    assert ran.code == 1
    assert "error" not in ran.error
    assert CLASSES in ran.text
    assert kanonym("verify out.csv -p nothing.yaml --json").json["satisfied"] is None


@pytest.mark.parametrize("extension", ["html", "md", "json"])
def test_no_report_reads_as_satisfied(kanonym, folder, extension):
    """Every form of the report says that nothing was required, and the k that there is."""
    report = folder / f"report.{extension}"
    ran = kanonym(f"anonymize ages.csv -p nothing.yaml -o out.csv --report {report}")
    assert ran.code == 0
    text = report.read_text("utf-8")
    assert "No requirement was set, so nothing is guaranteed." in text
    assert "The release happens to be 1-anonymous." in text
    assert "olicy satisfied" not in text
    assert "satisfies" not in text


def test_with_k_it_is_verified_as_ever(kanonym):
    """The same algorithm under k-anonymity proves it."""
    form = "anonymize ages.csv -q age --algorithm mdav -k 2 -o out.csv --json"
    found = kanonym(form).json["verification"]
    assert found["satisfied"] is True
    assert "k" not in found
