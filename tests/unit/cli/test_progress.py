"""Laws of the progress that the command line shows."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from kanonym.cli import progress
from kanonym.cli.progress_line import Line
from kanonym.data.errors import Progress

HALF = Progress("3 of 6 combinations done", done=3, total=6).of("compare")


@pytest.fixture(name="console")
def fixture_console():
    """Give a terminal of 80 columns that is a text."""
    return Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None)


@pytest.fixture(name="clock")
def fixture_clock(monkeypatch):
    """Give a list whose last number is the time."""
    times = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: times[-1])
    return times


def test_a_share_comes_from_its_figures_and_not_from_the_sentence(console):
    """A stage has the share that it told last; a sentence alone has none."""
    line = Line(console)
    shares = []
    for told in (HALF, "compare: 5 of 6 combinations done", "write: 5 of 6 rows"):
        line.update(told)
        (task,) = line._progress.tasks  # noqa: SLF001
        shares.append((task.completed, task.total))
    assert shares == [(3, 6), (3, 6), (0, None)]


def test_a_line_on_a_pipe_says_the_time_that_is_left(clock):
    """Half of a stage that began after four seconds took six: six more are left."""
    lines = progress._Lines()  # noqa: SLF001
    clock.append(4.0)
    lines.update(HALF)
    clock.append(10.0)
    assert lines._times(HALF) == "10 s, about 6 s left"  # noqa: SLF001
    assert lines._times("encode") == "10 s"  # noqa: SLF001


def test_a_note_is_printed_above_the_line_that_moves(console, monkeypatch):
    """The console that draws the line prints the note: no copy of the line stays behind."""
    monkeypatch.setattr(progress, "_live", console)
    progress.print_note("no hierarchy given")
    assert console.file.getvalue() == "kanonym: no hierarchy given\n"
