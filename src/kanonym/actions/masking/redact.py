"""Replace every value by one and the same text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.data.errors import PolicyError
from kanonym.data.message import Message


@dataclass(frozen=True, slots=True)
class Redact(Action):
    """One text in place of every value, whatever it is; null stays null.

    Parameters
    ----------
    text
        What every value becomes.

    Raises
    ------
    PolicyError
        `text` is no text.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> Redact().apply(pl.Series("religion", ["C", "M", None]), context).to_list()
    ['***', '***', None]

    """

    type: ClassVar[str] = "redact"
    per_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message("No part of a value can be read, not even its length.")
    exposes: ClassVar[str] = Message("Which records have no value remains visible.")

    text: str = "***"

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise PolicyError(f"{self.type}: text is {self.text!r}; it must be a text")

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the same text in every cell that has a value; see `Action.apply`."""
        del context  # looks at its own column only
        held = values.is_not_null()
        if values.dtype.is_float():
            held &= values.is_not_nan()
        constant = pl.when(held).then(pl.lit(self.text, pl.String))
        return pl.select(constant.alias(values.name))[values.name]
