"""Progress on standard error: the step at work, its share and the time left where it is known."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Event, Thread
from time import monotonic
from typing import Any

from rich.console import Console

from kanonym.data.errors import Progress as Told
from kanonym.kernels.compile import announce_compilation

PAUSE = 5.0  # seconds between two lines, where there is no terminal
LONGEST_PAUSE = 60.0  # to which the pause grows
RARER = 1.5  # times longer is each further pause

_live: Console | None = None
"""The console whose line is shown at present."""


@contextmanager
def show_progress() -> Iterator[Callable[[str], None]]:
    """Show the step at work while the block runs; it is told by the function that is given.

    On a terminal, and in a notebook with `ipywidgets`, a line appears after a second and vanishes
    at the end; where a step knows its share, it has a bar and the time left. Elsewhere, a line says
    every few seconds what is done and how long it has taken, ever more rarely. Hierarchies that are
    built, and that kernels are being compiled (once on a machine), are told in any case. `--quiet`
    silences all.

    Examples
    --------
    >>> import kanonym as ka
    >>> from kanonym.data.example_tables import patients
    >>> with ka.show_progress() as step:
    ...     found = ka.profile(patients(500), progress=step)

    """
    if is_quiet():
        yield lambda _text: None
        return
    global _live  # noqa: PLW0603 - there is one standard error
    console = Console(stderr=True)
    lines: Any = _Lines()
    if _is_live(console):
        from kanonym.cli.progress_line import Line  # loads more of rich

        lines = Line(console)
    _live = console

    said: set[str] = set()

    def step(text: str) -> None:
        stage, _, sentence = text.partition(": ")
        if stage == "encode" and sentence:
            if sentence not in said:
                print_note(sentence)
            said.add(sentence)
        else:
            lines.update(text)

    with announce_compilation(lambda: print_note("compiling its kernels (once per machine) …")):
        lines.start()
        try:
            yield step
        finally:
            lines.stop()
            _live = None


def _is_live(console: Console) -> bool:
    """Whether a line can move: on a terminal, or in a notebook that has widgets."""
    return console.is_terminal or (console.is_jupyter and find_spec("ipywidgets") is not None)


def print_note(sentence: str) -> None:
    """Print a line about the run on standard error, unless `--quiet` forbids it."""
    if not is_quiet():
        # Above a line that moves, the console that moves it has to print.
        console = _live or Console(stderr=True)
        console.print(f"kanonym: {sentence}", markup=False, highlight=False, soft_wrap=True)


def is_quiet() -> bool:
    """Return whether the command line has `--quiet`."""
    return not logging.getLogger("kanonym").isEnabledFor(logging.WARNING)


def format_duration(seconds: float) -> str:
    """Write a time in seconds, or in minutes where it is long.

    >>> format_duration(59), format_duration(150)
    ('59 s', '2 min')
    """
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds // 60:.0f} min"


class _Lines:
    """Lines for logs and pipes: what is done, and since when."""

    def __init__(self) -> None:
        self._text = ""
        self._begun = self._stage_begun = monotonic()
        self._ended = Event()
        self._thread = Thread(target=self._tell, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def update(self, text: str) -> None:
        if text.partition(": ")[0] != self._text.partition(": ")[0]:
            self._stage_begun = monotonic()
        self._text = text

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _tell(self) -> None:
        pause = PAUSE
        while not self._ended.wait(pause):
            if self._text:
                print_note(f"{self._text} ({self._times(self._text)})")
            pause = min(pause * RARER, LONGEST_PAUSE)

    def _times(self, text: str) -> str:
        now = monotonic()
        taken = format_duration(now - self._begun)
        if not isinstance(text, Told) or not text.done:
            return taken
        left = (now - self._stage_begun) * (text.total - text.done) / text.done
        return f"{taken}, about {format_duration(left)} left"
