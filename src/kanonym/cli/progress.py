"""What goes on, on standard error: shown when it takes longer than a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from kanonym.kernels.compile import announce_compilation

PATIENCE = 1.0  # seconds without a word


@contextmanager
def working() -> Iterator[Callable[[str], None]]:
    """Show the step at work while the block runs; it is told by the function that is given.

    The line appears after a second, only where standard error is a terminal, and
    vanishes at the end. That kernels are being compiled is always told: it happens
    once on a machine and takes seconds that nobody would expect.
    """
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    progress = Progress(*columns, console=console, transient=True)
    task = progress.add_task("starting", total=None)
    timer = Timer(PATIENCE, progress.start)
    timer.daemon = True

    def step(name: str) -> None:
        progress.update(task, description=name)

    def compiling() -> None:
        console.print("kanonym: compiling its kernels, once on this machine …")

    if console.is_terminal:
        timer.start()
    try:
        with announce_compilation(compiling):
            yield step
    finally:
        timer.cancel()
        if console.is_terminal:  # elsewhere, stopping would print an empty line
            progress.stop()
