"""What a shell completes: words that an option may have, and the columns of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import typer

LARGEST = 50_000_000  # bytes of a table that is read for its columns while a user waits
TABLES = ("table", "original", "released", "batch")

Completion = Callable[..., list[str]]


def complete_words(words: Sequence[str]) -> Completion:
    """Return what completes one of several words."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def complete_columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete the last of several column names that are separated by commas."""
    given, comma, last = incomplete.rpartition(",")
    taken = given.split(",")
    return [
        f"{given}{comma}{name}"
        for name in _columns(ctx)
        if name.startswith(last) and name not in taken
    ]


def _columns(ctx: typer.Context) -> list[str]:
    """Return the columns of the table on the command line; none where it cannot be read."""
    from kanonym.data.errors import KanonymError
    from kanonym.data.files import read_table

    place = next((ctx.params[name] for name in TABLES if ctx.params.get(name)), None)
    if place is None or not Path(place).is_file() or Path(place).stat().st_size > LARGEST:
        return []
    try:
        return list(read_table(place).columns)
    except KanonymError:
        return []
