"""`kanonym count`: how many records a table has."""

from __future__ import annotations

from kanonym.cli import options
from kanonym.cli.terminal import show, show_json


def count(
    table: options.Table, *, reading: options.ReadingOptions, json: options.Json = False
) -> None:
    """Count the records of a table."""
    records = len(reading.rows(table))
    if json:
        show_json({"records": records})
    else:
        show(f"{records} records")
