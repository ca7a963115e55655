"""Masks: of characters, e-mail addresses, phone numbers and accounts; redaction and suppression."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

import polars as pl

from kanonym.actions.base import Action, Context, cell_texts, rewrite_texts
from kanonym.data.errors import Message, PolicyError, SchemaError, shown_value
from kanonym.data.hierarchy.labels import plain_text
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


@dataclass(frozen=True, slots=True)
class Redact(Action):
    """One text in place of every value, whatever it is; null stays null.

    Parameters
    ----------
    text
        What every value becomes.

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


@dataclass(frozen=True, slots=True)
class Suppress(Action):
    """Null in place of all values, of some values, or of rare ones; types stay as they are.

    Parameters
    ----------
    values
        Suppress these values only. A value that the column does not hold is not missed.
    fewer_than
        Instead: suppress the values that fewer records than this share.

    Raises
    ------
    PolicyError
        Both are given, `values` is empty, or `fewer_than` is below 2.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> jobs = pl.Series("job", ["nurse", "nurse", "mayor", None])
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> Suppress(fewer_than=2).apply(jobs, context).to_list()
    ['nurse', 'nurse', None, None]
    >>> Suppress().apply(jobs, context).to_list()
    [None, None, None, None]
    """

    type: ClassVar[str] = "suppress"
    keeps_values: ClassVar[bool] = True
    protects: ClassVar[str] = Message("A suppressed value is not in the release at all.")
    exposes: ClassVar[str] = Message(
        "Values that are not suppressed remain unchanged, and an empty cell can itself reveal that "
        "its value is one of the suppressed ones."
    )

    values: Sequence[Any] | None = None
    fewer_than: int | None = None

    def __post_init__(self) -> None:
        if self.values is not None:
            if self.fewer_than is not None:
                raise PolicyError(f"{self.type}: give one of values and fewer_than, or none")
            if isinstance(self.values, str) or not self.values:
                raise PolicyError(
                    f"{self.type}: values is {shown_value(self.values)}; it must be a list of at "
                    "least one"
                )
            object.__setattr__(self, "values", tuple(self.values))
        if self.fewer_than is not None:
            check_integer(self.type, "fewer_than", self.fewer_than, 2)

    @property
    def per_value(self) -> bool:
        """Whether a value alone says what becomes of it: `fewer_than` counts records."""
        return self.fewer_than is None

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the column with cells emptied; see `Action.apply`. Cost O(n)."""
        del context  # looks at its own column only
        column = pl.col(values.name)
        frame = values.to_frame()
        if self.values is not None:
            listed = self._is_listed(values).fill_null(value=False)
            return frame.select(pl.when(~listed).then(column))[values.name]
        if self.fewer_than is not None:
            common = pl.len().over(column) >= self.fewer_than
            return frame.select(pl.when(common).then(column))[values.name]
        return pl.Series(values.name, [None] * len(values), dtype=values.dtype)

    def _is_listed(self, values: pl.Series) -> pl.Series:
        """Return which cells hold one of the listed values, compared as what the column holds."""
        kind, wanted = values.dtype, self.values or ()
        try:
            if kind.is_float() or kind.is_decimal():
                numbers = [float(value) for value in wanted]
                if kind == pl.Float32:
                    return values.is_in(pl.Series(numbers).cast(pl.Float32).to_list())
                return values.cast(pl.Float64).is_in(numbers)
            if isinstance(kind, pl.Date | pl.Datetime):
                zone = getattr(kind, "time_zone", None)
                times = pl.Series([_moment(value, zone) for value in wanted])
                return values.cast(times.dtype).is_in(times.implode())
        except (ValueError, TypeError, OverflowError):
            raise SchemaError(
                f"column {values.name!r} holds {kind}, and not all values that {self.type} lists "
                "can be read as such; list values of the column"
            ) from None
        return cell_texts(values, self.type).is_in([_text(value) for value in wanted])


def _moment(value: object, zone: str | None) -> datetime:
    """Return a date, a time or an ISO text of a policy as a time in a zone, or in none."""
    when = datetime.fromisoformat(value) if isinstance(value, str) else value
    if not isinstance(when, datetime):
        if not isinstance(when, date):
            raise TypeError(value)
        when = datetime(when.year, when.month, when.day)  # noqa: DTZ001 - its zone comes below
    if zone is None:
        return when if when.tzinfo is None else when.astimezone(UTC).replace(tzinfo=None)
    return when.replace(tzinfo=ZoneInfo(zone)) if when.tzinfo is None else when


def _text(value: object) -> str | None:
    """Return a value of a policy as cells read it."""
    whole = isinstance(value, float) and value.is_integer()
    return plain_text(int(value) if whole else value)  # type: ignore[call-overload]


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

    Blanks, hyphens and other separators stay where they are. A country code is one that follows `+`
    or `00`. What is no telephone number of at least seven digits is hidden whole. Null stays null.

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
