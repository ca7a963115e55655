"""Injected records as tables on the terminal; they read the JSON contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kanonym.cli.terminal import format_number, grid, written_files_table


def injection_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym inject` tells: what was added, what it changed, what gives it away."""
    before, after = found["before"], found["after"]
    added = f"{format_number(found['added'])} to {format_number(found['classes_changed'])}"
    facts = grid(
        (
            "records",
            f"{format_number(found['rows_in'])} in, {format_number(found['rows_out'])} written",
        ),
        ("added", f"{added} of {format_number(found['classes'])} classes"),
        ("change of the joint distribution", _value(found["distance"])),
        ("distinguishable, AUC (0.5: chance)", _value(found["detection"])),
        ("seconds", f"{found['seconds']['total']:.2f}"),
    )
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    table.add_column("minimum, mean and maximum per class", overflow="fold")
    table.add_column("before", justify="right")
    table.add_column("after", justify="right")
    table.add_row(
        "records (anonymity set size)", *(_spread(one["anonymity_set"]) for one in (before, after))
    )
    for name, one in before["attributes"].items():
        both = one, after["attributes"][name]
        table.add_row(
            Text(f"distinct values of {name}, %"),
            *(_spread(measured["diversity_percent"]) for measured in both),
        )
        table.add_row(
            Text(f"distinct values of {name}, minimum"),
            *(format_number(measured["l_distinct"]) for measured in both),
        )
    told: list[tuple[str, object]] = []
    for sentence in found["gives_away"]:
        subject, _, said = sentence.partition(": ")
        told.append((subject, said))
    still: list[RenderableType] = [grid(*told), ""] if told else []
    return [facts, table, *still, written_files_table(found["written"])]


def removal_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym inject --remove` tells."""
    facts = grid(
        (
            "records",
            f"{format_number(found['rows_in'])} in, {format_number(found['rows_out'])} written",
        ),
        (
            "removed",
            f"{format_number(found['removed'])} of {format_number(found['marks'])} that are marked",
        ),
        ("seconds", f"{found['seconds']['total']:.2f}"),
    )
    return [facts, written_files_table(found["written"])]


def _value(measured: Mapping[str, Any]) -> str:
    value = measured["value"]
    if value is None:
        return f"– ({measured['reason']})"
    parts = measured.get("parts", {})
    if "low" not in parts:
        return format_number(value)
    low, high = format_number(parts["low"]), format_number(parts["high"])
    return f"{format_number(value)}, from {low} to {high}"


def _spread(value: Mapping[str, float]) -> str:
    return " / ".join(format_number(value[name]) for name in ("min", "mean", "max"))
