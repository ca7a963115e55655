"""The line of a terminal that shows the step at work, its share and the time left."""

from __future__ import annotations

from threading import Timer

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
)
from rich.table import Column
from rich.text import Text

from kanonym.cli.progress import format_duration
from kanonym.data.errors import Progress as Told

PATIENCE = 1.0  # seconds without a word


class _Times(ProgressColumn):
    """How long it has taken, and how long it may still take."""

    def render(self, task: Task) -> Text:
        taken = format_duration(task.elapsed or 0)
        left = task.time_remaining
        return Text(taken if left is None else f"{taken}, about {format_duration(left)} left")


class Line:
    """A line with a spinner, or a bar where the share is known."""

    def __init__(self, console: Console) -> None:
        # Columns of a fixed width come first: a long sentence moves none of them.
        whole_line = Column(ratio=1, no_wrap=True, overflow="ellipsis")
        sentence = TextColumn("· {task.description}", table_column=whole_line)
        self._bare = (SpinnerColumn(), _Times(), sentence)
        self._full = (SpinnerColumn(), BarColumn(16), TaskProgressColumn(), _Times(), sentence)
        self._progress = Progress(*self._bare, console=console, transient=True, expand=True)
        self._task = self._progress.add_task("starting", total=None)
        self._stage = ""
        self._timer = Timer(PATIENCE, self._progress.start)
        self._timer.daemon = True

    def start(self) -> None:
        """Appear, unless the work ends before."""
        self._timer.start()

    def update(self, text: str) -> None:
        """Show a step."""
        stage = text.partition(": ")[0]
        if stage != self._stage:  # share and times are those of the stage
            self._stage = stage
            self._progress.columns = self._bare
            self._progress.remove_task(self._task)
            self._task = self._progress.add_task("", total=None)
        if isinstance(text, Told):
            self._progress.columns = self._full
            self._progress.update(self._task, completed=text.done, total=text.total)
        self._progress.update(self._task, description=escape(text))

    def stop(self) -> None:
        """Vanish."""
        self._timer.cancel()
        self._progress.stop()
