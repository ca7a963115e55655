"""Risk and utility as tables on the terminal; they read the JSON contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kanonym.cli.terminal import files_written, number

BY_COLUMN = ("gcp", "rmse", "total_variation", "wasserstein", "interval_overlap")
"""Measures whose parts are shown by column; --json has those of all."""


def assessed(found: Mapping[str, Any], written: Sequence[str]) -> list[RenderableType]:
    """Return what `kanonym assess` tells: risk, presets, and utility where it was measured."""
    risk = _told(found["risk"])
    shown: list[RenderableType] = [_measures("risk", risk), _judged(found["risk"]["presets"])]
    if "utility" in found:
        utility = found["utility"]
        shown.append(_measures("utility", utility))
        columns = _by_column(utility)
        if columns is not None:
            shown.append(columns)
    return [*shown, *([files_written(written)] if written else [])]


def _told(risk: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the measures of risk; the journalist's only where they are not the prosecutor's."""
    same = {
        name: risk.get(name.replace("journalist", "prosecutor"), {}).get("value") == one["value"]
        for name, one in risk.items()
        if name.startswith("journalist_")
    }
    left_out = {"presets", *(same if all(same.values()) else ())}
    return {name: one for name, one in risk.items() if name not in left_out}


def _measures(heading: str, entries: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    table.add_column(heading, overflow="fold")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("range", justify="right", no_wrap=True)
    table.add_column("better", no_wrap=True)
    table.add_column("what it counts", overflow="fold")
    for name, one in entries.items():
        said = one["unit"] if one["value"] is not None else f"no value: {one['reason']}"
        table.add_row(
            Text(name.replace("_", " ")),
            number(one["value"]),
            f"{_bound(one['low'])} to {_bound(one['high'])}",
            one["better"],
            Text(said),
        )
    return table


def _bound(value: float | None) -> str:
    return "∞" if value is None else number(value)


def _judged(presets: Mapping[str, Mapping[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    table.add_column("preset", overflow="fold")
    table.add_column("met", no_wrap=True)
    table.add_column("why", overflow="fold")
    for name, one in presets.items():
        met = {True: "yes", False: "NO", None: "–"}[one["met"]]
        style = {True: "green", False: "bold red", None: ""}[one["met"]]
        table.add_row(Text(name), Text(met, style=style), Text(one["reason"]))
    return table


def _by_column(utility: Mapping[str, Mapping[str, Any]]) -> Table | None:
    """Return the measures that say most of a single column, one column a line."""
    parts = {name: utility[name].get("parts", {}) for name in BY_COLUMN if name in utility}
    names = list(dict.fromkeys(name for of_measure in parts.values() for name in of_measure))
    held = [measure for measure, of_measure in parts.items() if of_measure]
    if not names:
        return None
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    table.add_column("column", overflow="fold")
    for measure in held:
        table.add_column(measure.replace("_", " "), justify="right", overflow="fold")
    for name in names:
        cells = [number(parts[measure].get(name)) for measure in held]
        table.add_row(Text(name), *cells)
    return table
