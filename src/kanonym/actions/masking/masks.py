"""Masks of e-mail addresses, phone numbers and bank accounts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from kanonym.actions.base import Action, Context, cell_texts, rewrite_texts
from kanonym.data.errors import Message

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
        return rewrite_texts(cell_texts(values, self.type), _mask_email)


def _mask_email(text: str) -> str:
    match = _ADDRESS.fullmatch(text.strip())
    return "{}***@{}***{}".format(*match.groups()) if match else "***"


_FEWEST_DIGITS = 7
_SHOWN = 2
_NUMBER = re.compile(r"(\+|00)?[\d\s()./-]+")
# Country codes of one and two digits (ITU-T E.164); all others have three.
_COUNTRY = re.compile(r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}")


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
        return rewrite_texts(cell_texts(values, self.type), _mask_phone)


def _mask_phone(text: str) -> str:
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


_SHOWN_OF_IBAN = 4
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
        return rewrite_texts(cell_texts(values, self.type), _mask_iban)


def _mask_iban(text: str) -> str:
    account = text.strip()
    compact = re.sub(r"[\s-]", "", account)
    if not _IBAN.fullmatch(compact):
        return "***"
    hidden = len(compact) - 2 - _SHOWN_OF_IBAN
    return account[:2] + re.sub(r"[A-Za-z0-9]", "*", account[2:], count=hidden)
