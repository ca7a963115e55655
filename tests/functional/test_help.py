"""What the command line answers to a wrong call, and to a request for help."""

from __future__ import annotations

import pytest
import typer

from kanonym.cli import app, group
from kanonym.cli.command_options import complete_columns
from kanonym.cli.group import SUMMARIES

SCREEN = 56
RUN = "anonymize patients.csv -q age -s disease -i name,sex,zip -o out.csv"


@pytest.mark.parametrize("name", SUMMARIES)
def test_help_fits_on_a_screen_and_shows_requirements_first(kanonym, name):
    """The help of a command is at most a screen, and what is required stands first in it."""
    text = kanonym(f"{name} --help").text
    assert text.count("\n") <= SCREEN
    assert "Requirements:" not in text or text.index("Requirements:") < text.index("Output:")


def test_the_whole_help_lists_every_option(kanonym):
    """`--help-all` lists the options that `--help` leaves out."""
    command = typer.main.get_command(app).commands["anonymize"]
    words = kanonym("anonymize --help-all").text.replace(",", " ").split()
    assert {max(one.opts, key=len) for one in command.params if one.opts[0][0] == "-"} - {
        "--help-all"
    } <= {*words}
    assert "--engine" not in kanonym("anonymize --help").text.split()


@pytest.mark.parametrize("wrong", ["-k five", "-k 0", "-k 2 -t 7", "-k 2 --rows people"])
def test_values_that_an_option_cannot_have_end_alike(kanonym, wrong):
    """A value of another type, beyond the range or of no such word is wrong usage, in JSON too."""
    ran = kanonym(f"{RUN} {wrong} --json")
    assert ran.code == 2
    assert "Invalid value for" in ran.error
    assert ran.json["error"]["exit_code"] == 2
    assert "Invalid value for" in ran.json["error"]["message"]


def test_columns_without_commas_are_told_of_them(kanonym):
    """Columns that stand apart are wrong usage, and the message says how they are written."""
    ran = kanonym("measure patients.csv -q age zip sex")
    assert ran.code == 2
    assert "separate columns by commas" in " ".join(ran.error.split())


def test_an_error_of_the_data_is_json_where_results_are(kanonym):
    """With `--json`, an error is an object on standard output beside its line."""
    ran = kanonym("measure nowhere.csv -q age --json")
    assert ran.code == 3
    assert ran.json["error"]["exit_code"] == 3
    assert "nowhere.csv" in ran.json["error"]["message"]


def test_quiet_leaves_standard_error_empty_beside_a_table_on_standard_output(kanonym):
    """`--quiet` prints no tables beside the release on standard output."""
    ran = kanonym(f"{RUN.replace('out.csv', '-')} -k 2 --quiet")
    group.configure(0, quiet=False)  # of this process, for the tests that follow
    assert ran.code == 0
    assert ran.error == ""
    assert ran.text.startswith("age")


def test_columns_of_the_table_are_completed(folder, monkeypatch):
    """The last of several columns is completed from the table, without those that are named."""
    monkeypatch.chdir(folder)
    context = typer.Context(typer.main.get_command(app))
    context.params = {"table": "patients.csv"}
    assert complete_columns(context, "age,") == ["age,name", "age,zip", "age,sex", "age,disease"]
    context.params = {"table": "nowhere.csv"}
    assert complete_columns(context, "a") == []
