"""A metric: the levels that were climbed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kanonym.metrics.information_loss import Height


@dataclass(frozen=True, slots=True)
class Climbed(Height):
    """The sum of the levels, under another name."""

    type: ClassVar[str] = "climbed"
    title: ClassVar[str] = "Levels climbed"
    unit: ClassVar[str] = "levels"
    source: ClassVar[str] = "Everest (1953)"
