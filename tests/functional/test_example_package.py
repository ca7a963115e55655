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
