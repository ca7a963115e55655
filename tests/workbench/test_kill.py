"""The workbench killed at any moment: the project is as it was, and releases are whole."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kanonym.data.example_tables import patients
from kanonym.data.files import read_table, sha256, write_table
from kanonym.workbench.project.folder import load_releases, settle_folders, staged_folder
from workbench_servers import Visitor, act, idle, running, state_of, text_of, until

START = "from kanonym.cli import main; main()"


@contextlib.contextmanager
def served(*words):
    """Run `kanonym workbench` as a process of its own; gives it and the address."""
    command = [sys.executable, "-c", START, "workbench", *map(str, words), "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process, re.search(r"http\S+", process.stderr.readline())[0]
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()


def entered(address):
    """Return somebody who opened the project of a workbench, and waited for its table."""
    visitor = Visitor.enter(address)
    visitor.at = visitor.place.rpartition("/")[0]
    idle(visitor)
    return visitor


def workers_of(process):
    """Return the processes that a process started and that still run."""
    return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()


def runs(pid):
    """Whether a process runs, and is no rest of one."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture(scope="module", name="killed")
def fixture_killed(tmp_path_factory):
    """Give a project whose server was killed in the middle of work, and what it showed."""
    if sys.platform != "linux":
        pytest.skip("/proc tells which processes run")
    folder = tmp_path_factory.mktemp("killed")
    table = patients(100).select("sex", "birth_date", "diagnosis")
    write_table(table, folder / "patients.csv")
    project = folder / "project"
    with served(folder / "patients.csv", "--project", project) as (process, address):
        visitor = entered(address)
        act(visitor, "run/save", type="mondrian", strict="on", split="auto")
        state = state_of(visitor)
        visitor.send("POST", f"{visitor.at}/run/start", {"state": state})
        until(lambda: load_releases(project / "releases"))  # the report on it takes seconds yet
        workers = workers_of(process)
        assert workers
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        until(lambda: not any(map(runs, workers)))
    return project, state


def test_a_restart_shows_the_project_as_it_was(killed):
    """After SIGKILL of the server its worker ends; a restart shows the policy and the release."""
    project, state = killed
    (kept,) = load_releases(project / "releases")
    with running(str(project)) as (_, addresses):
        visitor = entered(addresses[-1])
        assert state_of(visitor) == state
        assert kept.written.sha256 in visitor.get(f"{visitor.at}/export").text
        table = project / "releases" / kept.written.folder / "released.csv"
        assert sha256(table) == kept.written.sha256
        shown = f"{read_table(table).height} of 100 records released"
        assert shown in text_of(visitor.get(f"{visitor.at}/run"))
        until(lambda: "Records: 100" in text_of(visitor.get(f"{visitor.at}/records")))


def test_a_table_that_was_changed_is_not_taken_for_the_released_one(killed):
    """The files of the release stay, but no page shows it as one of the table as it is now."""
    project, _ = killed
    write_table(patients(101), project.parent / "patients.csv")
    with running(str(project)) as (_, addresses):
        visitor = entered(addresses[-1])
        assert "There is no release yet" in text_of(visitor.get(f"{visitor.at}/results"))
        history = visitor.get(f"{visitor.at}/history").text
        link = re.search(r'href="([^"]*released\.csv)"', history)[1]
        assert visitor.get(link).status == 200


@pytest.mark.parametrize("stop", ["while it is written", "before the old one goes", "between"])
def test_a_folder_is_whole_whenever_a_process_was_killed(tmp_path, stop):
    """What a killed process left is finished where it was whole, and dropped where it was not."""
    place = tmp_path / "0001"
    with staged_folder(place) as fresh:
        (fresh / "release.json").write_text("first")
    new, old = tmp_path / "0001.new", tmp_path / "0001.old"
    new.mkdir()
    if stop == "while it is written":
        (new / "released.csv").write_text("half")
    else:
        (new / "release.json").write_text("second")
    if stop == "between":
        place.rename(old)
    settle_folders(tmp_path)
    assert [one.name for one in tmp_path.iterdir() if not one.name.startswith(".")] == ["0001"]
    whole = {"between": "second"}.get(stop, "first")
    assert (place / "release.json").read_text() == whole


def test_an_error_while_a_folder_is_written_leaves_the_one_before(tmp_path):
    """A release that cannot be written takes nobody's place."""
    place = tmp_path / "0001"
    with staged_folder(place) as fresh:
        (fresh / "release.json").write_text("first")
    with contextlib.suppress(OSError), staged_folder(place) as fresh:
        (fresh / "release.json").write_text("second")
        raise OSError("full")
    assert (place / "release.json").read_text() == "first"
