"""What goes on, on standard error: shown when it takes longer than a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from time import monotonic

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from kanonym.kernels.compile import announce_compilation

PATIENCE = 1.0  # seconds without a word
PAUSE = 5.0  # seconds until the second line about a stage, where there is no terminal
RARER = 1.5  # so many times longer is each further pause


@contextmanager
def working() -> Iterator[Callable[[str], None]]:
    """Show the step at work while the block runs; it is told by the function that is given.

    The line appears after a second, only where standard error is a terminal, and
    vanishes at the end. Always told are what is decided while encoding (hierarchies
    that are built), and that kernels are being compiled: it happens once on a machine
    and takes seconds that nobody would expect. Elsewhere than on a terminal, what a
    stage says of its progress makes lines, ever more rarely.
    """
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    progress = Progress(*columns, console=console, transient=True)
    task = progress.add_task("starting", total=None)
    timer = Timer(PATIENCE, progress.start)
    timer.daemon = True

    due, pause = monotonic() + PATIENCE, PAUSE

    def step(text: str) -> None:
        nonlocal due, pause
        stage, _, sentence = text.partition(": ")
        if stage == "encode" and sentence:
            tell(sentence)
            return
        progress.update(task, description=escape(text))
        if sentence and not console.is_terminal and monotonic() > due:
            tell(sentence)
            due, pause = monotonic() + pause, pause * RARER

    def tell(sentence: str) -> None:
        console.print(f"kanonym: {sentence}", markup=False, highlight=False, soft_wrap=True)

    def compiling() -> None:
        tell("compiling its kernels, once on this machine …")

    if console.is_terminal:
        timer.start()
    try:
        with announce_compilation(compiling):
            yield step
    finally:
        timer.cancel()
        if console.is_terminal:  # elsewhere, stopping would print an empty line
            progress.stop()
