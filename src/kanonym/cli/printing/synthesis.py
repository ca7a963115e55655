"""Synthetic tables as tables on the terminal; they read the JSON contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kanonym.cli.printing.assessment import NAMES
from kanonym.cli.printing.attacks import attack_tables
from kanonym.cli.terminal import format_number, grid, written_files_table

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.result import AttackResults

UNJUDGED = (
    "  Not judged, and nothing is promised: this method gives no guarantee of privacy. To attack\n"
    "  the table and compare it with the original, add --judge and --hold-out; for a guarantee,\n"
    "  add --epsilon.\n"
)


def synthesis_tables(
    found: Mapping[str, Any], attacks: AttackResults | None
) -> list[RenderableType]:
    """Return what `kanonym synthesize` tells: how the table was made, and how it is judged.

    attacks: None where it was not judged.
    """
    if "guarantee" in found:
        return _private_tables(found, attacks)
    learned = f"{format_number(found['rows_in'] - found['held_out'])} learned from"
    facts = grid(
        ("records", f"{learned}, {format_number(found['held_out'])} held out"),
        ("synthetic", f"{format_number(found['rows'])} by {found['method']}, seed {found['seed']}"),
        ("dropped", ", ".join(found["dropped"]) or "no column"),
        *(("seems to identify people", one) for one in found["identifiers"]),
        *(("constraint", one) for one in found["constraints"]),
        *_quality_rows(found),
        ("seconds", f"{found['seconds']['total']:.2f}"),
    )
    shown: list[RenderableType] = [facts]
    if attacks is not None:
        shown += [_utility(found["utility"]), *attack_tables(attacks)]
    else:
        shown.append(UNJUDGED)
    return [*shown, written_files_table(found["written"])]


def _private_tables(
    found: Mapping[str, Any], attacks: AttackResults | None
) -> list[RenderableType]:
    """Return what is promised, and, if the table was judged, how it compares for its holder."""
    ledger = found["ledger"]
    spent = [("ledger", "none: the cost is not recorded")] if found["private"] else []
    if ledger:
        total = f"epsilon {ledger['epsilon']:g}, delta {ledger['delta']:g}"
        spent = [("spent so far", f"{total} in {format_number(ledger['releases'])} releases")]
    promise = [("guarantee", found["meaning"])]
    if found["private"]:
        promise = [
            ("guarantee", f"epsilon {found['epsilon']:g}, delta {found['delta']:g}"),
            ("protects", found["protects"]),
            ("meaning", found["meaning"]),
        ]
    facts = grid(
        ("synthetic", f"{format_number(found['rows'])} by {found['method']}"),
        *promise,
        ("public before", "the domain of each column: values, ranges and bins; constraints"),
        ("dropped", ", ".join(found["dropped"]) or "no column"),
        *(("constraint", one) for one in found["constraints"]),
        *spent,
        *_quality_rows(found),
    )
    shown: list[RenderableType] = [facts]
    if attacks is not None:
        shown += [Text(f"  {found['evaluation']}\n"), _utility(found["utility"])]
        shown += attack_tables(attacks)
    return [*shown, written_files_table(found["written"])]


def _quality_rows(found: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return the lines about how much the records are like real ones."""
    if "detection" not in found:
        return []
    measured, copies = found["detection"], found["copies"]
    told = f"– ({measured.get('reason')})"
    if measured["value"] is not None:
        parts = measured["parts"]
        ends = f"from {format_number(parts['low'])} to {format_number(parts['high'])}"
        told = f"{format_number(measured['value'])}, {ends}"
    equal = f"{_percent(copies['learned'])} of the synthetic records"
    lines: list[tuple[str, object]] = [
        ("distinguishable, AUC (0.5: chance)", told),
        ("equal to a real record", equal),
    ]
    if copies["held_out"] is not None:
        mine, theirs = _percent(copies["learned_as_many"]), _percent(copies["held_out"])
        lines.append(("of as many real records", f"{mine}, of those held out {theirs}"))
    return lines


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _utility(measures: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return the measures that have a value."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=True)
    table.add_column("utility", overflow="fold")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("better", no_wrap=True)
    table.add_column("what it counts", overflow="fold")
    for name, one in measures.items():
        if one["value"] is not None:
            shown = Text(NAMES.get(name, name.replace("_", " ")))
            table.add_row(shown, format_number(one["value"]), one["better"], Text(one["unit"]))
    return table
