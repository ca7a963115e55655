"""A measured value, and the table that it is measured on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kanonym.data.results import ResultTable

Better = Literal["lower", "higher"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """How to read the numbers of one measure."""

    name: str
    low: float = 0.0
    high: float = 1.0
    better: Better = "lower"
    unit: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """One measured number."""

    meaning: Meaning
    value: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None
    guess: float | None = None

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
