"""A measured value, and what it means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from kanonym.data.results import ResultTable, format_number

Better = Literal["lower", "higher"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """How to read the numbers of one measure.

    title, counted: its name and its unit in a report. short: its name in a column of a table; axis:
    on an axis, where that is not the title.
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    better: Better = "lower"
    unit: str = ""
    source: str = ""
    title: str = ""
    counted: str = ""
    short: str = ""
    axis: str = ""

    @property
    def label(self) -> str:
        """The name in a column of a table."""
        return self.short or self.name.replace("_", " ").replace("-", " ")

    def of_column(self, column: str) -> Meaning:
        """Return the same about one column, which its name tells."""
        return replace(self, name=f"{self.name}-{column}", title="")

    @property
    def ends(self) -> str:
        """The range of the measure, its good end first."""
        low, high = (
            "∞" if math.isinf(end) else format_number(end) for end in (self.low, self.high)
        )
        return f"{low} to {high}" if self.better == "lower" else f"{high} to {low}"


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """One measured number."""

    meaning: Meaning
    value: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None
    guess: float | None = None

    def to_text(self) -> str:
        """Return the value, with its interval where it has one, or why there is none."""
        if self.value is None:
            return f"– ({self.reason})"
        low, high = self.parts.get("low"), self.parts.get("high")
        interval = "" if low is None else f", from {format_number(low)} to {format_number(high)}"
        return f"{format_number(self.value)}{interval}"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9; infinite bounds become null."""
        meaning = self.meaning
        return {
            "value": self.value,
            "low": meaning.low if math.isfinite(meaning.low) else None,
            "high": meaning.high if math.isfinite(meaning.high) else None,
            "better": meaning.better,
            "unit": meaning.unit,
            "source": meaning.source,
            **({"parts": dict(self.parts)} if self.parts else {}),
            **({"reason": self.reason} if self.reason else {}),
        }


def measured_tables(
    heading: str, entries: Mapping[str, MeasuredValue], lead: str = "", notes: tuple[str, ...] = ()
) -> list[ResultTable]:
    """Return a row for each number with what it counts, and those without one, by reason."""
    rows = []
    missing: dict[str, list[str]] = {}
    for one in entries.values():
        if one.value is None:
            missing.setdefault(one.reason or "", []).append(one.meaning.label)
        else:
            unit, threshold = one.meaning.unit, one.parts.get("threshold")
            counted = unit if threshold is None else f"{unit}, {format_number(threshold)}"
            rows.append((one.meaning.label, format_figure(one.value), one.meaning.ends, counted))
    header = (heading, "value", "best to worst", "what it counts")
    lacking = [("\n".join(names), reason) for reason, names in missing.items()]
    return [
        ResultTable(header, rows, frozenset({1, 2}), lead, notes),
        *([ResultTable(("no value", "why"), lacking)] if lacking else []),
    ]


def format_figure(value: float | None) -> str:
    """Return a number; large ones as whole numbers, without an exponent."""
    if value is not None and 1e3 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    return format_number(value)
