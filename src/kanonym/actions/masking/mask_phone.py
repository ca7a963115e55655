"""Telephone numbers by their shape."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.cells import cell_texts, rewrite_texts
from kanonym.data.message import Message

_FEWEST_DIGITS = 7
_SHOWN = 2
_NUMBER = re.compile(r"(\+|00)?[\d\s()./-]+")
# Country codes of one and two digits (ITU-T E.164); all others have three.
_COUNTRY = re.compile(
    r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}",
)


@dataclass(frozen=True, slots=True)
class MaskPhone(Action):
    """The country code and the last two digits, a star for each of the others.

    Blanks, hyphens and other separators stay where they are. A country code is one that
    follows `+` or `00`. What is no telephone number of at least seven digits is hidden
    whole. Null stays null.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> phones = pl.Series("phone", ["+49 30 123 4567", "030-1234567", "112", None])
    >>> MaskPhone().apply(phones, Context(np.random.default_rng(0), column=None)).to_list()
    ['+49 ** *** **67', '***-*****67', '***', None]

    """

    type: ClassVar[str] = "mask-phone"
    per_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "The number cannot be called, and the area code cannot be read."
    )
    exposes: ClassVar[str] = Message(
        "Country, length, grouping and the last two digits remain: a known number can be matched "
        "against them."
    )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the masked numbers; see `Action.apply`. Cost O(distinct values)."""
        del context  # looks at its own column only
        return rewrite_texts(cell_texts(values, self.type), _mask)


def _mask(text: str) -> str:
    number = text.strip()
    match = _NUMBER.fullmatch(number)
    if not match:
        return "***"
    start = len(match[1] or "")
    country = _COUNTRY.match(number, start) if start else None
    kept = country.end() if country else start
    hidden = sum(character.isdecimal() for character in number[kept:]) - _SHOWN
    if hidden < _FEWEST_DIGITS - _SHOWN:
        return "***"
    return number[:kept] + re.sub(r"\d", "*", number[kept:], count=hidden)
