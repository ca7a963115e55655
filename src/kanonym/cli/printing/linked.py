"""Linked tables on the terminal; what is printed is read from the JSON contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from kanonym.cli.terminal import (
    format_number,
    grid,
    plain_table,
    verdict_tables,
    written_files_table,
)

_MEANINGS = (
    ("persons_k", "the table of persons alone"),
    ("persons_by_set_k", "all rows, not how often each occurs"),
    ("persons_by_multiset_k", "all rows, repeated ones included"),
    ("persons_by_count_k", "the numbers of rows"),
)


def linked_release_tables(found: Mapping[str, Any], written: Sequence[str]) -> list[RenderableType]:
    """Return what `kanonym anonymize --from --to` tells."""
    search = found["algorithm"]
    proof = "minimal" if search["optimal"] else "not proven minimal"
    facts = grid(
        ("suppressed persons", found["suppressed_persons"]),
        ("span loss", f"{100 * search['score']:.1f} %, {proof}"),
        (
            "combinations of levels",
            f"{format_number(search['nodes_checked'])} of {format_number(search['lattice_size'])}",
        ),
        ("seconds", f"{found['seconds']['total']:.2f}"),
    )
    rows = plain_table("table", "rows in", "rows out", "merged")
    for name, one in found["tables"].items():
        given = "–" if one["rows_in"] is None else format_number(one["rows_in"])
        merged = format_number(one["merged"]["rows"]) if "merged" in one else "–"
        rows.add_row(Text(name), given, format_number(one["rows_out"]), merged)
    levels = plain_table("quasi-identifier", "level")
    for name, level in search["levels"].items():
        levels.add_row(Text(name), f"{level} of {search['highest_levels'][name]}")
    files = written_files_table(written) if written else "  nothing written (dry run)\n"
    return [facts, rows, levels, *verdict_of_tables(found["verification"]), files]


def verdict_of_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return the verdict on released tables, other meanings of k, and notes."""
    notes = [Text(f"  note: {one}") for one in found["notes"]]
    return [*verdict_tables(found), *notes, *measured_tables(found["measured"])]


def measured_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return the smallest classes of persons for intruders who know more or less."""
    whole = plain_table("an intruder knows", "persons in the smallest class")
    for key, words in _MEANINGS:
        whole.add_row(words, format_number(found[key]))
    whole.add_row("persons who are alone", format_number(found["unique_persons"]))
    header = ["joined", "1 known row", "2 known rows", "number of rows"]
    table = plain_table("smallest class by", *header, "most rows of one")
    for name, one in found["tables"].items():
        known = one["known_rows_k"]
        numbers = [one["join_persons_k"], known["1"], known["2"], one["by_count_k"]]
        table.add_row(Text(name), *(format_number(n) for n in [*numbers, one["most_rows"]]))
    return [whole, table] if found["tables"] else [whole]
