"""The command line as a process: how it starts, is interrupted, and ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import pytest
import typer

from kanonym.cli import app
from kanonym.cli.group import SUMMARIES

COMMAND = [sys.executable, "-c", "import kanonym.cli; kanonym.cli.main()"]


def test_help_is_quick():
    """`kanonym --help` takes at most half a second of a processor, the best of three."""
    seconds = []
    for _ in range(3):
        before = os.times()
        subprocess.run([*COMMAND, "--help"], check=True, capture_output=True)
        after = os.times()
        seconds.append(
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )
    assert min(seconds) < 0.5


HEAVY = {"numpy", "polars", "numba", "scipy", "sklearn", "altair", "yaml", "rich"}


@pytest.mark.parametrize(
    ("line", "forbidden"),
    [
        ("--version", HEAVY | {"kanonym.cli.making.anonymize"}),
        ("--help", HEAVY | {"kanonym.cli.making.anonymize"}),
        ("anonymize --help", HEAVY),
        ("anonymize no.csv -q age -k 2 -o o.csv", HEAVY - {"numpy", "polars", "yaml", "rich"}),
        ("anonymize no.csv --no-such-option", HEAVY),
        ("verify no.csv -q age -k 2", HEAVY - {"numpy", "polars", "yaml", "rich"}),
    ],
)
def test_a_command_loads_only_what_it_works_with(line, forbidden):
    """Help and version load no library that a command works with; one that fails, no kernel."""
    code = (
        "import sys, kanonym.cli\n"
        f"try: kanonym.cli.main({line.split()!r})\n"
        "except SystemExit: pass\n"
        f"found = {forbidden!r} & set(sys.modules)\n"
        "sys.exit(str(found) if found else 0)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_the_help_says_of_each_command_what_its_own_help_says():
    """The list of commands, which imports none of them, has the first sentence of each."""
    commands = typer.main.get_command(app).commands
    assert {name: one.get_short_help_str(200) for name, one in commands.items()} == SUMMARIES


@pytest.mark.parametrize("table", [[], ["table.csv"]])
def test_a_policy_of_one_table_loads_neither_attacks_nor_synthesis(tmp_path, table):
    """Checking a policy of one table loads no attack, synthesizer or workbook reader."""
    (tmp_path / "table.csv").write_text("age\n30\n30\n")
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "attributes: {age: {role: quasi-identifier}}\nmodels: [{type: k-anonymity, k: 2}]\n"
    )
    code = (
        "import sys, kanonym.cli\n"
        f"try: kanonym.cli.main(['check', {str(policy)!r}, *{table!r}])\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        f"engines = {[] if table else ['kanonym.engines', 'kanonym.pipeline']!r}\n"
        "unused = {'scipy.sparse', 'fastexcel', 'kanonym.linked.linked_risk',\n"
        "    'kanonym.synthesis.tables', 'rich.progress', *engines} & set(sys.modules)\n"
        "sys.exit(str(unused) if unused else 0)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr


def test_the_end_of_a_command_searches_for_no_garbage():
    """When a command ends, its objects are out of the reach of the last collection."""
    code = (
        "import atexit, gc, kanonym.cli\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 1000))\n"
        "kanonym.cli.main(['--version'])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[1:] == ["True"]


def test_duckdb_has_nothing_to_tell_at_the_end(folder):
    """A command that fails in DuckDB ends with one line on standard error."""
    pytest.importorskip("duckdb")
    command = "import kanonym.cli; kanonym.cli.main()"
    asked = "anonymize patients.csv -q none -k 2 --others insensitive --engine duckdb -o o.parquet"
    ran = subprocess.run(
        [sys.executable, "-c", command, *asked.split()],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert ran.returncode
    assert len(ran.stderr.splitlines()) == 1, ran.stderr


@pytest.mark.parametrize("line", ["--version", "--help", "-h", "hierarchy --help", "demo -h"])
def test_asking_is_no_error(kanonym, line):
    """Asking for help or the version answers on standard output and ends with 0."""
    ran = kanonym(line)
    assert ran.code == 0
    assert "kanonym" in ran.text
    assert ran.error == ""


def test_no_command_shows_the_help(kanonym):
    """Without a command, the help is shown, and it is wrong usage."""
    ran = kanonym("")
    assert ran.code == 2
    assert "anonymize" in ran.text + ran.error


@pytest.mark.parametrize("line", ["demo --version", "anonymize patients.csv --version"])
def test_the_version_may_be_asked_anywhere(kanonym, line):
    """`--version` answers behind any command, and does nothing else."""
    ran = kanonym(line)
    assert (ran.code, ran.text.split()[0]) == (0, "kanonym")


ANONYMIZE = "anonymize patients.csv -i name -q age,zip,sex -s disease -k 2 -o r.csv"


@pytest.mark.parametrize("line", [f"-v {ANONYMIZE}", f"{ANONYMIZE} --verbose", f"{ANONYMIZE} -vv"])
def test_verbose_logs_stages_without_values(kanonym, line):
    """`--verbose` tells stages with their seconds, and no value of the table."""
    ran = kanonym(line)
    assert ran.code == 0
    assert re.search(r"^kanonym: verify: \d+\.\d\d s$", ran.error, re.MULTILINE)
    assert not [value for value in ("Ada", "01234", "flu") if value in ran.error]


def test_quiet_says_nothing_but_errors(kanonym):
    """`--quiet` leaves nothing on standard error but the error of a run that fails."""
    assert kanonym(f"{ANONYMIZE} --algorithm full-domain --quiet").error == ""
    ran = kanonym("measure no.csv -q age --quiet")
    assert ran.error.startswith("kanonym: error: ")


def test_threads_are_limited():
    """`--threads 1` reaches the libraries before they are loaded."""
    code = (
        "import kanonym.cli, polars\n"
        "from kanonym.kernels.parallel import cores\n"
        "print(polars.thread_pool_size(), cores())"
    )
    begin = "from kanonym.cli import group; group.limit_threads(1)\n"
    ran = subprocess.run(
        [sys.executable, "-c", begin + code], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["1", "1"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_installed(shell):
    """The shell's completion script names the program."""
    ran = subprocess.run(
        [*COMMAND],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "_KANONYM_COMPLETE": f"source_{shell}"},
    )
    assert "kanonym" in ran.stdout


def test_the_shell_is_told_the_columns_of_the_table(folder):
    """After an option that takes columns, those of the table on the line complete a word."""
    line = "kanonym anonymize patients.csv -q z"
    asked = {"COMP_WORDS": line, "COMP_CWORD": "4", "_KANONYM_COMPLETE": "complete_bash"}
    ran = subprocess.run(
        COMMAND,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, **asked},
    )
    assert ran.stdout.split() == ["zip"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("anonymize patients.csv -i name -q age,zip,sex -s disease -k 9 -o r.csv", 1),
        ("anonymize patients.csv -o r.csv --no-such-option", 2),
        ("anonymize no.csv -q age -k 2 -o r.csv", 3),
        ("anonymize patients.csv -q age -k 2 -o r.csv", 3),
        ("anonymize patients.csv --policy no.yaml -o r.csv", 3),
    ],
)
def test_exit_codes_tell_failures_apart(kanonym, line, code):
    """1 requirement not met, 2 wrong usage, 3 invalid input or policy."""
    assert kanonym(line).code == code


@pytest.mark.parametrize("line", ["--debug measure no.csv -q a", "measure no.csv -q a --debug"])
def test_debug_shows_the_traceback(kanonym, line):
    """`--debug`, wherever it stands, adds the traceback; the exit code stays."""
    ran = kanonym(line)
    assert ran.code == 3
    assert "Traceback" in ran.error
    assert ran.error.splitlines()[-1].startswith("kanonym: error: no file no.csv")


def test_defect_is_told_without_values(kanonym, monkeypatch):
    """An error that kanonym did not foresee is told by its kind: its text may hold data."""

    def broken(*_, **__):
        raise ValueError("Ada Lovelace, diabetes")

    monkeypatch.setattr("kanonym.pipeline.measure", broken)
    ran = kanonym("measure patients.csv -q age")
    assert ran.code == 70
    assert "ValueError" in ran.error
    assert "Ada" not in ran.error
    assert "Traceback" not in ran.error


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_interruption_is_one_line(kanonym, monkeypatch, error):
    """An interrupted command ends with 130, one without memory with 70, each with one line."""

    def broken(*_, **__):
        raise error

    monkeypatch.setattr("kanonym.pipeline.measure", broken)
    ran = kanonym("measure patients.csv -q age")
    assert ran.code == (130 if error is KeyboardInterrupt else 70)
    assert ran.error.count("\n") == 1
    assert ran.error.startswith("kanonym: ")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT between processes")
def test_control_c_ends_with_130(folder):
    """Ctrl-C while a command waits for its input ends it with 130 and one line."""
    process = subprocess.Popen(
        [*COMMAND, "measure", "-", "-q", "age"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        text=True,
    )
    process.stdin.write("age\n" + "40\n" * 100_000)  # more than a pipe holds: it has begun to read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert error == "kanonym: interrupted\n"


def test_terminal_without_greek_is_no_error(folder):
    """Where standard output cannot show a letter, a question mark stands for it."""
    ran = subprocess.run(
        [*COMMAND, "measure", "patients.csv", "-q", "age", "-s", "disease"],
        cwd=folder,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert ran.returncode == 0
    assert b"?, largest share" in ran.stdout


@pytest.mark.skipif(os.name == "nt", reason="Windows has no broken pipes")
def test_closed_pipe_is_quiet(folder):
    """A reader that goes away (`| head`) ends the command without a word."""
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [*COMMAND, "hierarchy", "build", "patients.csv", "zip", "--as", "masking"],
        stdout=writer,
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert ran.returncode == 141
    assert ran.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no broken pipes")
def test_closed_pipe_of_a_table_is_quiet(folder):
    """The tables that people read may be cut off by a pager, too."""
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [*COMMAND, "measure", "patients.csv", "-q", "age"],
        stdout=writer,
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert ran.returncode == 141
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr
