"""A minimized table on the terminal; it reads the JSON contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType

from kanonym.cli.terminal import format_number, grid, written_files_table

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
