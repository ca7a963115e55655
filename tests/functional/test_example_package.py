"""A package that adds kinds and a command by entry points."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "example_package"
RUN = "import kanonym.cli; kanonym.cli.main()"


@pytest.fixture
def extended(folder):
    """Run a command in a process in which the example package is installed."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        paths = [str(EXAMPLE), os.environ.get("PYTHONPATH", "")]
        return subprocess.run(
            [sys.executable, "-c", RUN, *words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_a_command_of_a_package_is_listed_and_takes_the_shared_options(extended):
    """Its summary stands in the help, and shared options read its table."""
    assert "Count the records of a table." in extended("--help").stdout
    assert json.loads(extended("count", "patients.csv", "--json").stdout) == {"records": 8}


def test_a_model_of_a_package_is_required_verified_and_reported(extended, folder):
    """A policy names it, the release satisfies it, and the report tells of it."""
    model = "{type: least-records, records: 4}"
    roles = ["-q", "age", "-s", "disease", "-i", "name,zip,sex", "--rows", "persons"]
    made = extended(
        *("anonymize", "patients.csv", *roles, "--model", model, "-o", "out.csv", "--json"),
        *("--report", "report.md", "--no-attack"),
    )
    assert made.returncode == 0, made.stderr
    (checked,) = json.loads(made.stdout)["verification"]["models"]
    assert (checked["type"], checked["required"], checked["satisfied"]) == (
        "least-records",
        4,
        True,
    )
    assert checked["achieved"] >= 4
    assert "least-records" in (folder / "report.md").read_text("utf-8")


def test_an_action_of_a_package_is_listed_and_carried_out(extended):
    """What it protects stands in the list of actions, and its name is one of a column."""
    assert "How a text was written." in extended("transform", "--list").stdout
    done = extended("transform", "patients.csv", "--action", "name=shout", "-o", "-", "--quiet")
    assert "ADA,23,01234,f,flu" in done.stdout


ROLES = ["-q", "age", "-s", "disease", "-i", "name,zip,sex", "--rows", "persons", "-k", "2"]


def test_an_algorithm_a_metric_and_a_finding_of_a_package_make_and_judge_a_release(
    extended, folder
):
    """A policy names them; the terminal and the report tell of the finding."""
    made = extended(
        *("anonymize", "patients.csv", *ROLES, "--algorithm", "one-class", "-o", "out.csv"),
        *("--report", "report.md", "--no-attack"),
    )
    assert made.returncode == 0, made.stderr
    assert "the release has only 8 records" in " ".join(made.stdout.split())
    assert "The release has only 8 records." in (folder / "report.md").read_text("utf-8")
    assert "one-class" in (folder / "report.md").read_text("utf-8")
    searched = ["--algorithm", "full-domain", "--metric", "climbed", "--dry-run"]
    made = extended("anonymize", "patients.csv", *ROLES, *searched)
    assert made.returncode == 0, made.stderr
    assert "score (climbed)" in made.stdout


def test_an_attack_of_a_package_is_listed_limited_and_reported(extended, folder):
    """It is named like any other, judged by a limit of the policy, and told in the report."""
    assert "What does a coin know?" in extended("attack", "--list").stdout
    made = extended(
        *("anonymize", "patients.csv", *ROLES, "-o", "out.csv", "--report", "report.md"),
        *("--attack", "--attack-limit", "coin-toss=0.9"),
    )
    assert made.returncode == 0, made.stderr
    assert "Coin toss" in (folder / "report.md").read_text("utf-8")
    ran = extended(
        *("attack", "patients.csv", "out.csv", "-q", "age", "--attack", "coin-toss", "--json")
    )
    assert [one["type"] for one in json.loads(ran.stdout)["attacks"]] == ["coin-toss"]


PLACES = """
import sys
sys.path.insert(0, "docs/_extensions")
from reference import kinds
from kanonym.policy.algorithms import ALGORITHMS
from kanonym.models import MODELS
from kanonym.actions.registry import ACTIONS
from kanonym.workbench.forms import fields_of, summary_of
for name in ("models.md", "algorithms.md", "actions.md", "metrics.md", "attacks.md"):
    print(name, *kinds.REGISTRIES[name])
print(summary_of(ALGORITHMS["one-class"]))
print([field.name for field in fields_of(MODELS["least-records"], {}, {})])
print([field.name for field in fields_of(ACTIONS["shout"], {}, {})])
"""


def test_kinds_of_a_package_stand_in_reference_pages_and_forms():
    """Both are made of the registries that the package adds to."""
    root = EXAMPLE.parents[1]
    paths = [str(EXAMPLE), os.environ.get("PYTHONPATH", "")]
    ran = subprocess.run(
        [sys.executable, "-c", PLACES],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    for name in ("least-records", "one-class", "shout", "climbed", "coin-toss"):
        assert f" {name}" in ran.stdout
    assert "Keep all records together." in ran.stdout
    assert "['records']" in ran.stdout
