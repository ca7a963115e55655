"""An action: texts in capitals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from kanonym.actions.base import Action, Context


@dataclass(frozen=True, slots=True)
class Shout(Action):
    """Each text in capitals. Null stays null."""

    type: ClassVar[str] = "shout"
    per_value: ClassVar[bool] = True
    by_value: ClassVar[bool] = True
    protects: ClassVar[str] = "How a text was written."
    exposes: ClassVar[str] = "What it says."

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the texts in capitals."""
        del context  # looks at its own column only
        return values.str.to_uppercase()
