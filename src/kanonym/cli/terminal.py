"""What the terminal shows: tables, lines and JSON objects."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from json import dump
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kanonym.cli.progress import is_quiet
from kanonym.data.option import command_line
from kanonym.data.results import Alarm, ResultTable

STYLES = {
    **dict.fromkeys(("violated", "not private", "NO", "exceeded", "identifier"), "bold red"),
    **dict.fromkeys(("satisfied", "yes", "checked", "by construction", "kept"), "green"),
    **dict.fromkeys(("satisfied with findings", "in the union", "undecided"), "yellow"),
    **dict.fromkeys(("finding", "findings", "quasi-identifier"), "yellow"),
    **dict.fromkeys(("not assessed", "nothing required", "○"), "bold"),
    "●": "bold green",
    "sensitive": "magenta",
    "insensitive": "dim",
}
"""How words look where a cell is one of them, or says one of them and why."""
LONGEST_NAME = 27
"""Letters of a name that stand on one line beside its figures."""
MANY = 5
"""More columns stand closer together."""


class _Terminal(Console):
    """A console that leaves it to the command what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        """Let the error through; rich would end the process here."""
        raise BrokenPipeError


def show(*parts: RenderableType | ResultTable, to_stderr: bool = False) -> None:
    """Print tables and lines, on standard error where standard output carries data.

    `--quiet` leaves out what would go to standard error.
    """
    if to_stderr and is_quiet():
        return
    console = _Terminal(stderr=to_stderr, highlight=False)
    for part in parts:
        for one in _drawn(part, console.width) if isinstance(part, ResultTable) else [part]:
            # Text takes brackets as they are; rich would read them as markup.
            whole = isinstance(one, Text) and one.no_wrap is True
            console.print(Text(one) if isinstance(one, str) else one, soft_wrap=whole)


def show_json(contract: Mapping[str, Any]) -> None:
    """Print one JSON object; numbers that JSON does not have (infinity, NaN) become null."""
    dump(_finite(contract), sys.stdout, indent=2, default=str)
    sys.stdout.write("\n")


def show_result(
    contract: Mapping[str, Any],
    tables: Callable[[], Iterable[ResultTable]],
    *more: RenderableType | ResultTable,
    json: bool,
    to_stderr: bool = False,
    seconds: float | None = None,
    written: Sequence[str] | None = None,
) -> None:
    """Print a result: its contract as one JSON object if that is asked for, else its tables.

    more: to be printed below them. seconds, written: as of `closing`.
    """
    if json:
        show_json(contract)
    else:
        show(*tables(), *more, *closing(seconds, written), to_stderr=to_stderr)


def show_written(
    contract: Mapping[str, Any],
    tables: Callable[[], Iterable[ResultTable]],
    seconds: float,
    output: str,
    *beside: object,
    json: bool,
) -> None:
    """Print what a command made: its result, how long it took, and the files that it wrote."""
    written = [output, *(str(place) for place in beside if place is not None)]
    show_result(
        {**contract, "seconds": {"total": seconds}, "written": written},
        tables,
        json=json,
        to_stderr=output == "-",
        seconds=seconds,
        written=written,
    )


def closing(
    seconds: float | None = None, written: Sequence[str] | None = None
) -> list[ResultTable]:
    """Return how long it took, and the files that were written, one a line."""
    rows = [] if seconds is None else [("seconds", f"{seconds:.2f}")]
    names = ["standard output" if place == "-" else place for place in written or ()]
    if written is not None and not names:
        names = ["nothing (dry run)"]
    rows += [("" if n else "written", name) for n, name in enumerate(names)]
    return [ResultTable((), rows)] if rows else []


def command_text(*words: object) -> Text:
    """Return a command of ours to run: quoted for a shell, and never wrapped."""
    return Text(f"  {command_line('kanonym', *words)}", no_wrap=True, overflow="ignore")


def _drawn(table: ResultTable, width: int) -> Iterator[RenderableType]:
    """Yield a table with the sentences above and below it; width: of the terminal."""
    if table.lead:
        yield Padding(Text(table.lead), (0, 2))
    columns = list(zip(*table.rows, strict=True))
    drawn = Table(box=None, show_header=False, padding=(0, 2))
    if table.header and columns:
        many = len(columns) > MANY
        drawn = Table(box=box.SIMPLE_HEAD, header_style="bold", collapse_padding=many)
        longest = [max(len(line) for one in cells for line in one.split("\n")) for cells in columns]
        room = width - (2 if many else 3) * len(columns) - 1
        whole = sum(max(len(name), most) for name, most in zip(table.header, longest, strict=True))
        for place, (name, most) in enumerate(zip(table.header, longest, strict=True)):
            right = place in table.numeric
            kept = most if right or most <= LONGEST_NAME else LONGEST_NAME if place == 0 else None
            drawn.add_column(
                Text(name.replace(" ", "\n") if right and whole > room else name),
                justify="right" if right else "left",
                overflow="fold",
                min_width=kept if right or whole <= room else None,
            )
    else:
        drawn.add_column()
        drawn.add_column(overflow="fold")
    for row in table.rows:
        style = STYLES.get(row[0], "") if row[0] in ("●", "○") else ""
        drawn.add_row(*map(_cell, row), style=style)
    if columns:
        yield drawn
    for note in table.notes:
        yield Padding(_cell(note), (0, 2))


def _cell(text: str) -> Text:
    """Return a text in its style: that of the words before a colon, where there is one."""
    shown = Text(text, style="bold red" if isinstance(text, Alarm) else "")
    words = text.partition(": ")[0]
    if words in STYLES:
        shown.stylize(STYLES[words], 0, len(words))
    return shown


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
