"""Keep the first or last characters and hide the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.cells import cell_texts
from kanonym.data.errors import PolicyError
from kanonym.data.message import Message
from kanonym.models.base import check_integer


@dataclass(frozen=True, slots=True)
class Keep(Action):
    """The first and the last characters of each value, one mark for each of the others.

    A value that is too short to have anything hidden is hidden whole. Numbers and dates
    become text. Null stays null.

    Parameters
    ----------
    first, last
        How many characters stay visible at either end; at least one is above 0.
    character
        What a hidden character becomes.

    Raises
    ------
    PolicyError
        Nothing would be kept, or `character` is not one character.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> zips = pl.Series("zip", ["25105", "15846", "25", None])
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> Keep(first=2).apply(zips, context).to_list()
    ['25***', '15***', '**', None]

    """

    type: ClassVar[str] = "keep"
    per_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message("The hidden characters can no longer be read.")
    exposes: ClassVar[str] = Message(
        "The kept characters and the length remain; where few values share them, they still "
        "distinguish records."
    )

    first: int = 0
    last: int = 0
    character: str = "*"

    def __post_init__(self) -> None:
        check_integer(self.type, "first", self.first, 0)
        check_integer(self.type, "last", self.last, 0)
        if self.first + self.last == 0:
            raise PolicyError(
                f"{self.type}: first and last are both 0; set how many characters to keep, or use "
                f"redact to hide all"
            )
        if not isinstance(self.character, str) or len(self.character) != 1:
            raise PolicyError(
                f"{self.type}: character is {self.character!r}; it must be one character"
            )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the masked texts; see `Action.apply`. Cost O(characters)."""
        del context  # looks at its own column only
        given = cell_texts(values, self.type)
        frame = pl.DataFrame({"text": given, "length": given.str.len_chars().cast(pl.Int64)})
        text, length = pl.col("text"), pl.col("length")
        long = length > self.first + self.last
        mark = "$$" if self.character == "$" else self.character  # `$` names a group there
        hidden = (length - self.first - self.last).clip(0)
        masked = pl.concat_str(
            text.str.slice(0, self.first),
            text.str.slice(self.first, hidden).str.replace_all(r"(?s).", mark),
            text.str.slice(length - self.last),
        )
        whole = text.str.replace_all(r"(?s).", mark)
        return frame.select(pl.when(long).then(masked).otherwise(whole).alias(values.name))[
            values.name
        ]
