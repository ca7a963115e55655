"""Attacks as tables on the terminal; they read the JSON contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

ALARMING = 0.1  # a risk whose interval begins above this is printed in red
TOLD = (
    "  In percent. Risk: success beyond chance, with its 95 % interval.\n"
    "  Chance: the control (the same attack on people who are not in the table), or\n"
    "  else the baseline (without the release, or without the person's record in it).\n"
)


def attack_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym attack` tells: rates beside chance, and what could not be tried."""
    # The longest name, and intervals up to 100.0, fit into 80 columns.
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1), collapse_padding=True)
    table.add_column("attack", overflow="fold")
    for heading in ("rate", "baseline", "control", "risk"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("interval", justify="right", no_wrap=True)
    idle = []
    for one in found["attacks"]:
        if one.get("reason") and not one["attempts"]:
            idle.append(one)
            continue
        low, high = one["interval"]
        table.add_row(
            Text(one["type"]),
            _percent(one["rate"]),
            _percent(one["baseline"]),
            "–" if one["control"] is None else _percent(one["control"]),
            Text(_percent(one["risk"]), style="bold red" if low > ALARMING else ""),
            f"{_percent(low)} to {_percent(high)}",
        )
    notes = [Text(f"  {one}") for one in found.get("notes", ())]
    return [table, TOLD, *([_untried_table(idle)] if idle else []), *notes]


def attack_list(questions: Mapping[str, str]) -> Table:
    """Return every attack with its question."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    table.add_column("attack", no_wrap=True)
    table.add_column("question", overflow="fold")
    for name, question in questions.items():
        table.add_row(Text(name), Text(question))
    return table


def _untried_table(outcomes: list[Mapping[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    table.add_column("not run", overflow="fold")
    table.add_column("why", overflow="fold")
    for one in outcomes:
        table.add_row(Text(one["type"]), Text(one["reason"]))
    return table


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
