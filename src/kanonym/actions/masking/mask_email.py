"""Email addresses by their shape."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.cells import cell_texts, rewrite_texts
from kanonym.data.message import Message

_ADDRESS = re.compile(r"([^@\s])[^@\s]*@([^@\s.])[^@\s]*(\.[^@\s.]+)")


@dataclass(frozen=True, slots=True)
class MaskEmail(Action):
    """The first letters of name and domain, and what stands after the last dot.

    Three stars stand for all the rest, however long it is. What is no email address is
    hidden whole. Null stays null.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> mails = pl.Series("mail", ["anna.maier@example.com", "unknown", None])
    >>> MaskEmail().apply(mails, Context(np.random.default_rng(0), column=None)).to_list()
    ['a***@e***.com', '***', None]

    """

    type: ClassVar[str] = "mask-email"
    per_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "The address cannot be used, and neither name nor domain can be read."
    )
    exposes: ClassVar[str] = Message(
        "The two initials and the top-level domain remain: a known address can be matched "
        "against them, and few other records may fit."
    )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the masked addresses; see `Action.apply`. Cost O(distinct values)."""
        del context  # looks at its own column only
        return rewrite_texts(cell_texts(values, self.type), _mask)


def _mask(text: str) -> str:
    match = _ADDRESS.fullmatch(text.strip())
    return "{}***@{}***{}".format(*match.groups()) if match else "***"
