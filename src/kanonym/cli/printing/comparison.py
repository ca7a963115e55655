"""A comparison as tables on the terminal; they read the JSON contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kanonym.cli.terminal import format_number, grid, written_files_table

KNEE, FRONT = "●", "○"
LEGEND = f"{KNEE} recommended   {FRONT} on the frontier: none is better in both"


def comparison_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym compare` tells: every combination, what to take, and why."""
    every = found["combinations"]
    released = [one for one in every if one["released"]]
    facts = grid(
        ("records", found["rows"]),
        ("combinations", f"{len(every)}, {len(released)} with a release"),
        ("seconds", f"{found['seconds']:.2f}"),
    )
    shown: list[RenderableType] = [facts]
    if released:
        shown += [
            _releases(released, found["measure"], found["counted"]),
            Text(f"  {LEGEND}\n", style="dim"),
        ]
    refused = [one for one in every if not one["released"]]
    if refused:
        shown.append(_refusal_table(refused))
    written = found["written"]
    return [*shown, found["reason"], *(["", written_files_table(written)] if written else [])]


def recommendation_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym recommend` tells: the policy's reasons, and what was tried."""
    tried = found["comparison"]["combinations"]
    released = [one for one in tried if one["released"]]
    reasons = Table(box=None, show_header=False, padding=(0, 2))
    reasons.add_column(overflow="fold")
    for reason in found["reasons"]:
        reasons.add_row(Text(reason))
    return [
        reasons,
        _releases(released, "span-loss", found["comparison"]["counted"]),
        grid(("seconds", f"{found['seconds']:.2f}")),
        *([written_files_table(found["written"])] if found["written"] else []),
    ]


def _releases(released: Sequence[Mapping[str, Any]], measure: str, counted: str) -> Table:
    """Return a row for each release; further measures and models are in --json and -o."""
    judged = [] if measure == "span-loss" else [measure]
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    table.add_column("")
    table.add_column("release", overflow="fold", min_width=10)
    named = ["span\nloss", *(name.replace("-", "\n") for name in judged)]
    suppressed = ["sup-\npressed"] if any(one["suppressed"] for one in released) else []
    smallest = "fewest\npersons" if counted == "persons" else "smallest\nclass"
    for name in (smallest, "classes", *suppressed, *named, "average\nrisk"):
        table.add_column(Text(name, justify="right"), justify="right", no_wrap=True)
    if not judged:
        table.add_column("seconds", justify="right", no_wrap=True)
    for one in released:
        mark = KNEE if one["knee"] else FRONT if one["frontier"] else ""
        table.add_row(
            mark,
            Text(one["label"]),
            format_number(one["k"]),
            format_number(one["classes"]),
            *([format_number(one["suppressed"])] if suppressed else []),
            *(_digits(one["utility"].get(name)) for name in ("span-loss", *judged)),
            _digits(one["average_risk"]),
            *([] if judged else [f"{one['seconds']:.2f}"]),
            style="bold green" if one["knee"] else "bold" if one["frontier"] else "",
        )
    return table


def _digits(value: float | None) -> str:
    """Return a measured value with three digits."""
    return format_number(value if value is None else float(f"{value:.3g}"))


def _refusal_table(refused: Sequence[Mapping[str, Any]]) -> Table:
    """Return each reason for which there is no release, with the combinations that it stops."""
    stopped: dict[str, list[str]] = {}
    for one in refused:
        stopped.setdefault(one["reason"], []).append(one["label"])
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    table.add_column("no release", overflow="fold")
    table.add_column("why", overflow="fold")
    for reason, several in stopped.items():
        table.add_row(Text("\n".join(several)), Text(reason))
    return table
