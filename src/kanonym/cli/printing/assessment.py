"""Risk, utility and attacks on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kanonym.cli.terminal import format_number, plain_table, text_table, written_files_table
from kanonym.metrics.measured_value import short_name

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.result import AttackResult, AttackResults
    from kanonym.evaluation.attacks.sentences import LimitVerdict


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
    table = text_table("attack", "question", whole={"attack"})
    for name, question in questions.items():
        table.add_row(Text(name), Text(question))
    return table


def _untried_table(outcomes: Sequence[AttackResult]) -> Table:
    table = text_table("not run", "why")
    for outcome in outcomes:
        table.add_row(Text(outcome.type), Text(outcome.reason or ""))
    return table


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


BY_COLUMN = ("span_loss", "gcp", "rmse", "total_variation", "wasserstein", "interval_overlap")
"""Measures whose parts are shown by column; --json has those of all."""


BEST_TO_WORST = "best to\nworst"


def assessment_tables(found: Mapping[str, Any], written: Sequence[str]) -> list[RenderableType]:
    """Return what `kanonym assess` tells: risk, presets, and utility where it was measured."""
    risk = _relevant_measures(found["risk"])
    shown: list[RenderableType] = [
        *_measures("risk", risk),
        _preset_table(found["risk"]["presets"]),
    ]
    if "utility" in found:
        utility = found["utility"]
        shown += _measures("utility", utility)
        columns = _column_table(utility)
        if columns is not None:
            shown.append(columns)
    return [*shown, *([written_files_table(written)] if written else [])]


def _relevant_measures(risk: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the measures of risk; the journalist's only where they are not the prosecutor's."""
    same = {
        name: risk.get(name.replace("journalist", "prosecutor"), {}).get("value") == one["value"]
        for name, one in risk.items()
        if name.startswith("journalist_")
    }
    left_out = {"presets", *(same if all(same.values()) else ())}
    return {name: one for name, one in risk.items() if name not in left_out}


def _measures(heading: str, entries: Mapping[str, Mapping[str, Any]]) -> list[RenderableType]:
    """Return a table of the measures with a value, and one of those without, by reason."""
    table = text_table(heading)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column(BEST_TO_WORST, justify="right", no_wrap=True)
    table.add_column("what it counts", overflow="fold")
    missing: dict[str, list[str]] = {}
    for name, one in entries.items():
        if one["value"] is None:
            missing.setdefault(one["reason"], []).append(short_name(name))
        else:
            text = Text(_unit(one))
            table.add_row(Text(short_name(name)), _figure(one["value"]), _ends(one), text)
    lacking = text_table("no value", "why")
    for reason, names in missing.items():
        lacking.add_row(Text("\n".join(names)), Text(reason))
    return [*([table] if table.row_count else []), *([lacking] if missing else [])]


def _unit(one: Mapping[str, Any]) -> str:
    """Return what a measure counts, with the threshold where it goes by one."""
    threshold = one.get("parts", {}).get("threshold")
    return one["unit"] if threshold is None else f"{one['unit']}, {format_number(threshold)}"


def _ends(one: Mapping[str, Any]) -> str:
    """Return the range of a measure, its good end first."""
    low, high = ("∞" if one[end] is None else format_number(one[end]) for end in ("low", "high"))
    return f"{low} to {high}" if one["better"] == "lower" else f"{high} to {low}"


def _figure(value: float | None) -> str:
    """Return a number; large ones as whole numbers, without an exponent."""
    if value is not None and 1e3 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    return format_number(value)


def _preset_table(presets: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return what the presets say; those that say the same stand together."""
    together: dict[tuple[bool | None, str], list[str]] = {}
    for name, one in presets.items():
        together.setdefault((one["met"], one["reason"]), []).append(name)
    table = text_table("preset", "met", "why", whole={"met"})
    for (met, reason), names in together.items():
        said = {True: "yes", False: "NO", None: "–"}[met]
        style = {True: "green", False: "bold red", None: ""}[met]
        table.add_row(Text("\n".join(names)), Text(said, style=style), Text(reason))
    return table


def _column_table(utility: Mapping[str, Mapping[str, Any]]) -> Table | None:
    """Return the measures that say most of a single column, one column a line."""
    parts = {name: utility[name].get("parts", {}) for name in BY_COLUMN if name in utility}
    names = list(dict.fromkeys(name for of_measure in parts.values() for name in of_measure))
    held = [measure for measure, of_measure in parts.items() if of_measure]
    if not names:
        return None
    table = plain_table("column", *map(short_name, held))
    for name in names:
        cells = [_figure(parts[measure].get(name)) for measure in held]
        table.add_row(Text(name), *cells)
    return table
