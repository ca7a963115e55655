"""What a measure says of itself, and a number that it gave."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Better = Literal["lower", "higher"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """How to read the numbers of one measure."""

    name: str
    low: float
    high: float
    better: Better
    unit: str
    source: str


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
