"""The report that is made after the release is the one that is made with it."""

from __future__ import annotations

import json

import polars as pl
import pytest

LATER = "report out.csv --original patients.csv --no-attack"


def facts_of(path):
    """Return what a report says, but for seconds and the command that made it."""
    report = json.loads(path.read_text())
    del report["seconds"], report["provenance"]["command"]
    return report


def release(kanonym, folder, options="--private-seed seed"):
    """Release the patients with a report, and keep the policy in the manifest alone."""
    (folder / "seed").write_text("a secret of 32 characters, or more")
    ran = kanonym(
        f"anonymize patients.csv -p policy.yaml -o out.csv --report with.json --no-attack {options}"
    )
    assert ran.code == 0, ran.error


@pytest.mark.parametrize("options", ["", "-p policy.yaml --manifest out.csv.manifest.json"])
def test_a_later_report_says_the_same(kanonym, folder, options):
    """Every section is the same, the hash of the released file among it."""
    release(kanonym, folder)
    if options:
        with (folder / "policy.yaml").open("a") as policy:
            policy.write("private_seed: {file: seed}\n")
    ran = kanonym(f"{LATER} -o later.json {options}")
    assert ran.code == 0, ran.error
    later, made = (facts_of(folder / f"{one}.json") for one in ("later", "with"))
    for one in (later, made):  # where the policy stands is said
        for name in ("policy", "checks", "policy_printed"):
            one["provenance"].pop(name, None)
    assert later == made


def test_attacks_of_a_later_report_are_the_same(kanonym, folder):
    """Attacks, risk, utility and profile do not depend on when they are asked for."""
    release(kanonym, folder, "--private-seed seed --attack")
    assert kanonym("report out.csv --original patients.csv -o later.json").code == 0
    assert facts_of(folder / "later.json") == facts_of(folder / "with.json")


def test_what_cannot_be_made_again_is_refused(kanonym, folder):
    """A table of other records, another original and chance without its seed have no report."""
    release(kanonym, folder)
    table = pl.read_csv(folder / "out.csv")
    table.reverse().write_csv(folder / "turned.csv")
    table.head(6).write_csv(folder / "out.csv")
    refused = kanonym(f"{LATER} -o later.html")
    assert refused.code == 2
    assert "out.csv is not the output of out.csv.manifest.json" in refused.error
    (folder / "out.csv.manifest.json").unlink()
    assert "give its policy" in kanonym(f"{LATER} -o later.html").error
    ran = kanonym(f"{LATER} -o later.html -p policy.yaml")
    assert ran.code == 3
    assert "no private_seed to repeat it" in ran.error
    assert not (folder / "later.html").exists()
