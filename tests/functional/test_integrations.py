"""What runs `kanonym verify` elsewhere: a hook of pre-commit, an action of GitHub, an image."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import yaml

from kanonym.cli import main
from pages import ROOT

POLICY = """\
version: 1
attributes:
  age: {role: quasi-identifier}
  ill: {role: sensitive}
rows: persons
models:
  - {type: k-anonymity, k: 2}
  - {type: l-diversity, attribute: ill, l: 2}
"""
COMMAND = Path(sys.executable).parent


@pytest.fixture
def repository(tmp_path):
    """Return a folder with a policy and a release that satisfies it."""
    (tmp_path / "policy.yaml").write_text(POLICY)
    release(tmp_path, [30, 30])
    return tmp_path


def release(folder, ages):
    """Write a release of two persons."""
    pl.DataFrame({"age": ages, "ill": ["flu", "gout"]}).write_csv(folder / "released.csv")


def run(words, folder, **variables):
    """Run a program; return its exit code."""
    path = f"{COMMAND}{os.pathsep}{os.environ['PATH']}"
    known = {**os.environ, "PATH": path, **variables}
    return subprocess.run(words, cwd=folder, env=known, capture_output=True, check=False).returncode


@pytest.mark.skipif(sys.platform == "win32", reason="the hook is a shell script")
def test_a_hook_keeps_a_release_that_fails_from_being_committed(repository):
    """The entry that pre-commit calls ends with 1, so that git makes no commit."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    git = ["git", "-c", "user.name=steward", "-c", "user.email=steward@example.org"]
    run([*git, "init", "--quiet"], repository)
    script = repository / ".git" / "hooks" / "pre-commit"
    script.write_text(f"#!/bin/sh\nexec {hook['entry']} released.csv --policy policy.yaml\n")
    script.chmod(0o755)
    commit = [*git, "commit", "--quiet", "--message", "A release"]
    assert run([*git, "add", "."], repository) == run(commit, repository) == 0
    release(repository, [30, 31])
    run([*git, "add", "."], repository)
    assert run(commit, repository) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="the action runs in bash")
def test_the_action_fails_where_a_requirement_does_not_hold(repository):
    """Its last step is run as it stands, with this installation in the place of its own."""
    step = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][-1]["run"]
    (repository / "kanonym").mkdir()
    (repository / "kanonym" / "bin").symlink_to(COMMAND)
    given = {"RUNNER_TEMP": str(repository), "RELEASED": "released.csv", "POLICY": "policy.yaml"}
    assert run(["bash", "-c", step], repository, **given, OPTIONS="") == 0
    release(repository, [30, 31])
    assert run(["bash", "-c", step], repository, **given, OPTIONS="--json") == 1


def test_workflows_and_the_image_name_what_there_is():
    """Commands and extras that they run exist."""
    extras = (ROOT / "pyproject.toml").read_text("utf-8")
    for path in [ROOT / "Dockerfile", *(ROOT / ".github" / "workflows").glob("*.yml")]:
        text = path.read_text("utf-8")
        for extra in ("test", "docs", "duckdb"):
            assert f".[{extra}]" not in text or f"\n{extra} = [" in extras
    assert "kanonym compile" in (ROOT / "Dockerfile").read_text("utf-8")
    assert (ROOT / ".ci" / "run").exists()


@pytest.mark.nightly
def test_compile_runs_and_says_for_what(capsys):
    """Every job is carried out."""
    with pytest.raises(SystemExit) as ended:
        main(["compile"])
    assert not ended.value.code
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "mondrian, segmentation, full-domain, local-recoding, auto, k-member, mdav, report" in told
    )
