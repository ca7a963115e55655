"""Measures as lines of text, for `print`."""

from __future__ import annotations

from collections.abc import Mapping

from kanonym.metrics.measured import Measured


def lines_of(heading: str, entries: Mapping[str, Measured]) -> list[str]:
    """Return a heading, and each number on a line of its own, those of its parts below it.

    Parts that are pairs of columns are left out; `to_dict` has them.
    """
    lines = [f"{heading:34}{'value':>14}   better"]
    for name, one in entries.items():
        if one.value is None:
            lines.append(f"{name:34}{'–':>14}   {one.reason}")
            continue
        lines.append(f"{name:34}{figure(one.value):>14}   {one.meaning.better}")
        lines += [
            f"  {part:32}{figure(value):>14}"
            for part, value in one.parts.items()
            if " × " not in part
        ]
    return lines


def figure(value: float) -> str:
    """Return a number with six digits; counts in full."""
    return f"{value:,.0f}" if abs(value) >= 1e6 else f"{value:,.6g}"
