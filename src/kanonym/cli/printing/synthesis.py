"""Synthetic, drawn, added and minimized records on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kanonym.cli.printing.assessment import attack_tables
from kanonym.cli.printing.releases import drawn_rows
from kanonym.cli.terminal import format_number, grid, records_row, text_table, written_files_table
from kanonym.metrics.measured_value import short_name

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.result import AttackResults


def drawn_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym draw` tells: what was drawn, and what its verification means."""
    facts = grid(*drawn_rows(found), ("seconds", f"{found['seconds']['total']:.2f}"))
    return [facts, f"  {found['meaning']}\n", written_files_table(found["written"])]


def injection_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym inject` tells: what was added, what it changed, what gives it away."""
    before, after = found["before"], found["after"]
    added = f"{format_number(found['added'])} to {format_number(found['classes_changed'])}"
    facts = grid(
        records_row(found, "written"),
        ("added", f"{added} of {format_number(found['classes'])} classes"),
        ("change of the joint distribution", _value(found["distance"])),
        ("distinguishable, AUC (0.5: chance)", _value(found["detection"])),
        ("seconds", f"{found['seconds']['total']:.2f}"),
    )
    table = text_table("minimum, mean and maximum per class")
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
        records_row(found, "written"),
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
        return f"– ({measured.get('reason')})"
    parts = measured.get("parts", {})
    if "low" not in parts:
        return format_number(value)
    low, high = format_number(parts["low"]), format_number(parts["high"])
    return f"{format_number(value)}, from {low} to {high}"


def _spread(value: Mapping[str, float]) -> str:
    return " / ".join(format_number(value[name]) for name in ("min", "mean", "max"))


NOT_ANONYMOUS = (
    "  This is not anonymization: other columns still distinguish people.\n"
    "  For a guarantee, anonymize the minimized table.\n"
)

SHOWN = 5
"""Split points that are named one by one."""


def minimization_tables(found: Mapping[str, Any]) -> list[RenderableType]:
    """Return what `kanonym minimize` tells: what became of each feature, and what it costs."""
    score = found["score"]
    facts = grid(
        ("records", format_number(found["rows"])),
        ("model", f"{found['model']}, of {found['label']}"),
        ("predictions kept", _kept(found)),
        ("score", f"{format_number(score['after'])}, before {format_number(score['before'])}"),
        ("GCP", format_number(found["gcp"])),
        *_features(found["generalizations"]),
        ("seconds", f"{found['seconds']['total']:.2f}"),
    )
    return [facts, NOT_ANONYMOUS, written_files_table(found["written"])]


def _kept(found: Mapping[str, Any]) -> str:
    """Return how well predictions of records held out stay, beside what was asked for."""
    kept, asked = found["relative_accuracy"], found["accuracy"]
    records = f"of {format_number(found['unseen'])} records held out"
    if found["model"].endswith("numbers"):
        return f"R² {kept:.3f} {records}; asked for {asked:g}"
    return f"{100 * kept:.1f} % {records}; asked for {100 * asked:g} %"


def _features(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a line for each feature."""
    lines = []
    for name, points in given["ranges"].items():
        named = ", ".join(f"{point:g}" for point in points[:SHOWN])
        more = f" and {len(points) - SHOWN} more" if len(points) > SHOWN else ""
        lines.append((name, f"split at {named}{more}" if points else "one value for all"))
    for name, groups in given["categories"].items():
        lines.append((name, f"{len(groups)} groups" if len(groups) > 1 else "one value for all"))
    return lines + [(name, "unchanged") for name in given["untouched"]]


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
    copies = found["copies"]
    equal = f"{_percent(copies['learned'])} of the synthetic records"
    lines: list[tuple[str, object]] = [
        ("distinguishable, AUC (0.5: chance)", _value(found["detection"])),
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
    table = text_table("utility")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("better", no_wrap=True)
    table.add_column("what it counts", overflow="fold")
    for name, one in measures.items():
        if one["value"] is not None:
            shown = Text(short_name(name))
            table.add_row(shown, format_number(one["value"]), one["better"], Text(one["unit"]))
    return table
