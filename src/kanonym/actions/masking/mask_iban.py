"""International bank account numbers by their shape."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.cells import cell_texts, rewrite_texts
from kanonym.data.message import Message

_SHOWN = 4
_IBAN = re.compile(r"[A-Za-z]{2}\d{2}[A-Za-z0-9]{11,30}")  # ISO 13616


@dataclass(frozen=True, slots=True)
class MaskIban(Action):
    """The country and the last four characters, a star for each of the others.

    Blanks and hyphens stay where they are. What does not have the form of an IBAN is hidden
    whole; check digits are not computed. Null stays null.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> accounts = pl.Series("iban", ["NL91 ABNA 0417 1643 00", "GB29NWBK60161331926819", "1234"])
    >>> MaskIban().apply(accounts, Context(np.random.default_rng(0), column=None)).to_list()
    ['NL** **** **** **43 00', 'GB****************6819', '***']

    """

    type: ClassVar[str] = "mask-iban"
    per_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "Bank and account cannot be read, and no money can be withdrawn."
    )
    exposes: ClassVar[str] = Message(
        "Country and the last four characters remain: a known account can be matched against "
        "them, and the same account is recognized wherever it occurs."
    )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the masked numbers; see `Action.apply`. Cost O(distinct values)."""
        del context  # looks at its own column only
        return rewrite_texts(cell_texts(values, self.type), _mask)


def _mask(text: str) -> str:
    account = text.strip()
    compact = re.sub(r"[\s-]", "", account)
    if not _IBAN.fullmatch(compact):
        return "***"
    hidden = len(compact) - 2 - _SHOWN
    return account[:2] + re.sub(r"[A-Za-z0-9]", "*", account[2:], count=hidden)
