"""Measures as a table, for `print` and notebooks."""

from __future__ import annotations

from collections.abc import Mapping

from kanonym.data.results.result import ResultTable
from kanonym.metrics.measured_value import MeasuredValue


def measured_table(
    heading: str, entries: Mapping[str, MeasuredValue], lead: str = "", notes: tuple[str, ...] = ()
) -> ResultTable:
    """Return a row for each number, those of its parts below it; or the reason why there is none.

    Parts that are pairs of columns are left out; `to_dict` has them.
    """
    rows = []
    for name, one in entries.items():
        if one.value is None:
            rows.append((name, "–", one.reason or ""))
            continue
        rows.append((name, format_figure(one.value), one.meaning.better))
        rows += [
            (f"  {part}", format_figure(value), "")
            for part, value in one.parts.items()
            if " × " not in part
        ]
    return ResultTable((heading, "value", "better"), rows, frozenset({1}), lead, notes)


def format_figure(value: float) -> str:
    """Return a number with six digits; counts in full."""
    return f"{value:,.0f}" if abs(value) >= 1e6 else f"{value:,.6g}"
