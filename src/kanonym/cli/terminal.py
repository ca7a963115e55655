"""What the terminal shows: tables, lines and JSON objects."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from kanonym.cli.progress import is_quiet
from kanonym.data.option import command_line


class _Terminal(Console):
    """A console that leaves it to the command what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        """Let the error through; rich would end the process here."""
        raise BrokenPipeError


def show(*renderables: RenderableType, to_stderr: bool = False) -> None:
    """Print tables and lines, on standard error where standard output carries data.

    `--quiet` leaves out what would go to standard error.
    """
    if to_stderr and is_quiet():
        return
    console = _Terminal(stderr=to_stderr, highlight=False)
    for renderable in renderables:
        # Text takes brackets as they are; rich would read them as markup.
        whole = isinstance(renderable, Text) and renderable.no_wrap is True
        text = Text(renderable) if isinstance(renderable, str) else renderable
        console.print(text, soft_wrap=whole)


def show_json(contract: Mapping[str, Any]) -> None:
    """Print one JSON object; numbers that JSON does not have (infinity, NaN) become null."""
    json.dump(_finite(contract), sys.stdout, indent=2, default=str)
    sys.stdout.write("\n")


def show_result(
    contract: Mapping[str, Any], *renderables: RenderableType, json: bool, to_stderr: bool = False
) -> None:
    """Print a result: one JSON object if that is asked for, else its tables."""
    if json:
        show_json(contract)
    else:
        show(*renderables, to_stderr=to_stderr)


def command_text(*words: object) -> Text:
    """Return a command of ours to run: quoted for a shell, and never wrapped."""
    return Text(f"  {command_line('kanonym', *words)}", no_wrap=True, overflow="ignore")


def format_number(value: object) -> str:
    """Return a number as people read it: four digits, whole numbers in full."""
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:,.0f}" if value.is_integer() else f"{value:,.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "–" if value is None else str(value)


def written_files_table(written: Sequence[str]) -> Table:
    """Return the files that were written, one a line."""
    names = ["standard output" if place == "-" else place for place in written]
    return grid(("written", names[0]), *(("", name) for name in names[1:]))


def grid(*rows: tuple[str, object]) -> Table:
    """Return names and values in two columns, without a heading."""
    table = Table(box=None, show_header=False, padding=(0, 2))
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value) if isinstance(value, str) else format_number(value))
    return table


def text_table(*headings: str, whole: Collection[str] = ()) -> Table:
    """Return an empty table of texts; whole: the columns that are never wrapped."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    for heading in headings:
        if heading in whole:
            table.add_column(heading, no_wrap=True)
        else:
            table.add_column(heading, overflow="fold")
    return table


def records_row(found: Mapping[str, Any], done: str) -> tuple[str, str]:
    """Return the line about the records that were read, and released or written."""
    read, made = format_number(found["rows_in"]), format_number(found["rows_out"])
    return "records", f"{read} in, {made} {done}"


def plain_table(first: str, *others: str) -> Table:
    """Return an empty table: texts in the first column, numbers in the others."""
    table = text_table(first)
    for name in others:
        table.add_column(Text(name), justify="right", overflow="fold")
    return table


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
