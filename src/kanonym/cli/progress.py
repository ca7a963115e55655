"""Progress on standard error: the step at work, its share and the time left where it is known."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread, Timer
from time import monotonic

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from kanonym.data.progress import Progress as Told
from kanonym.kernels.compile import announce_compilation

PATIENCE = 1.0  # seconds without a word, on a terminal
PAUSE = 5.0  # seconds between two lines, where there is no terminal
LONGEST_PAUSE = 60.0  # to which the pause grows
RARER = 1.5  # times longer is each further pause


@contextmanager
def working() -> Iterator[Callable[[str], None]]:
    """Show the step at work while the block runs; it is told by the function that is given.

    On a terminal, a line appears after a second and vanishes at the end; where a step says
    "3 of 10 …", it has a bar and the time left. Elsewhere, a line says every few seconds what
    is done and how long it has taken, ever more rarely. Hierarchies that are built, and that
    kernels are being compiled (once on a machine), are told in any case. `--quiet` silences all.
    """
    if is_quiet():
        yield lambda _text: None
        return
    console = Console(stderr=True)
    lines = _Terminal(console) if console.is_terminal else _Lines()

    def step(text: str) -> None:
        stage, _, sentence = text.partition(": ")
        if stage == "encode" and sentence:
            note(sentence)
        else:
            lines.update(text)

    with announce_compilation(lambda: note("compiling its kernels, once on this machine …")):
        lines.start()
        try:
            yield step
        finally:
            lines.stop()


def note(sentence: str) -> None:
    """Print a line about the run on standard error, unless `--quiet` forbids it."""
    if not is_quiet():
        console = Console(stderr=True)
        console.print(f"kanonym: {sentence}", markup=False, highlight=False, soft_wrap=True)


def is_quiet() -> bool:
    """Return whether the command line has `--quiet`."""
    return not logging.getLogger("kanonym").isEnabledFor(logging.WARNING)


class _Terminal:
    """A line with a spinner, or a bar where the share is known."""

    def __init__(self, console: Console) -> None:
        self._bare = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        self._full = (*self._bare, BarColumn(20), TaskProgressColumn(), TimeRemainingColumn())
        self._progress = Progress(*self._bare, console=console, transient=True)
        self._task = self._progress.add_task("starting", total=None)
        self._stage = ""
        self._timer = Timer(PATIENCE, self._progress.start)
        self._timer.daemon = True

    def start(self) -> None:
        self._timer.start()

    def update(self, text: str) -> None:
        stage, known = text.partition(": ")[0], isinstance(text, Told)
        if stage != self._stage:  # the time left is that of the stage
            self._stage = stage
            self._progress.reset(self._task, total=None)
        self._progress.columns = self._full if known else self._bare
        done, total = (text.done, text.total) if isinstance(text, Told) else (0, None)
        self._progress.update(self._task, description=escape(text), completed=done, total=total)

    def stop(self) -> None:
        self._timer.cancel()
        self._progress.stop()


class _Lines:
    """Lines for logs and pipes: what is done, and since when."""

    def __init__(self) -> None:
        self._text = ""
        self._begun = monotonic()
        self._ended = Event()
        self._thread = Thread(target=self._tell, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def update(self, text: str) -> None:
        self._text = text

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _tell(self) -> None:
        pause = PAUSE
        while not self._ended.wait(pause):
            if self._text:
                note(f"{self._text} ({monotonic() - self._begun:.0f} s)")
            pause = min(pause * RARER, LONGEST_PAUSE)
