"""Attacks as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.limits import LimitVerdict
    from kanonym.evaluation.attacks.result import AttackResult, AttackResults

STYLES: Mapping[LimitVerdict, str] = {
    "kept": "green",
    "undecided": "yellow",
    "exceeded": "bold red",
    "not run": "",
}
ALARMING = 0.1  # a risk whose interval begins above this is printed in red
TOLD = (
    "  In percent. Risk: success beyond chance, with its 95 % interval.\n"
    "  Chance: the control (the same attack on people who are not in the table), or\n"
    "  else the baseline (without the release, or without the person's record in it).\n"
)


def attack_tables(found: AttackResults) -> list[RenderableType]:
    """Return what `kanonym attack` tells: rates beside chance, what they show, and the limits."""
    from kanonym.evaluation.attacks.sentences import finding_notes, limit_notes

    # The longest name, and intervals up to 100.0, fit into 80 columns.
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1), collapse_padding=True)
    table.add_column("attack", overflow="fold")
    for heading in ("rate", "baseline", "control", "risk"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("interval", justify="right", no_wrap=True)
    for result in found:
        if not result.attempts:
            continue
        low, high = result.interval
        control = result.control if result.control and result.control.attempts else None
        table.add_row(
            Text(result.type),
            _percent(result.targets.rate),
            _percent(result.baseline.rate),
            "–" if control is None else _percent(control.rate),
            Text(_percent(result.risk), style="bold red" if low > ALARMING else ""),
            f"{_percent(low)} to {_percent(high)}",
        )
    shown: list[RenderableType] = [table, TOLD, *map(_indented, finding_notes(found.results))]
    idle = [one for one in found if not one.attempts]
    if idle:
        shown.append(_untried_table(idle))
    shown += map(_indented, found.notes)
    if found.checks:
        shown.append("\n  Limits of the policy:")
    for check, sentence in zip(found.checks, limit_notes(found.checks), strict=True):
        shown.append(_indented(sentence, STYLES[check.verdict]))
    return shown


def _indented(sentence: str, style: str = "") -> Padding:
    return Padding(Text(sentence, style=style), (0, 2))


def attack_list(questions: Mapping[str, str]) -> Table:
    """Return every attack with its question."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    table.add_column("attack", no_wrap=True)
    table.add_column("question", overflow="fold")
    for name, question in questions.items():
        table.add_row(Text(name), Text(question))
    return table


def _untried_table(outcomes: Sequence[AttackResult]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    table.add_column("not run", overflow="fold")
    table.add_column("why", overflow="fold")
    for outcome in outcomes:
        table.add_row(Text(outcome.type), Text(outcome.reason or ""))
    return table


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
