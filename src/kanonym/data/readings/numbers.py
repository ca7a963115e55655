"""Numbers with a decimal comma, thousands marks, a currency or percent: `58.200,50 €`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Literal, Self

import polars as pl

from kanonym.data.errors import PolicyError

AFFIX = r"(?:€|\$|£|¥|EUR|USD|GBP|CHF|kr|zł|%|‰)"
THOUSANDS = ".,'’ \u00a0\u202f"
_DIGITS = 15  # of a number that a float holds exactly
_EXAMPLE = re.compile(
    rf"^(?P<prefix>{AFFIX}\s?)?(?P<number>[0-9](?:[0-9{THOUSANDS}]*[0-9])?)(?P<suffix>\s?{AFFIX})?$"
)


@dataclass(frozen=True, slots=True)
class NumberReading:
    """How the numbers of a column are written.

    Parameters
    ----------
    decimal
        The mark before the fraction: a point or a comma.
    thousands
        The mark between groups of three digits, or none.
    prefix, suffix
        What stands around every number: a currency or a percent sign, with its blank. The value
        of `45 %` is 45.
    decimals
        Digits of the fraction that are written at least.

    Examples
    --------
    >>> euros = NumberReading.from_example("1.234,50 €")
    >>> euros.read(pl.Series(["58.200,50 €", "7,00 €", "7"])).to_list()
    [58200.5, 7.0, None]
    >>> euros.write(pl.Series([58200.5])).to_list()
    ['58.200,50 €']

    """

    decimal: str = "."
    thousands: str = ""
    prefix: str = ""
    suffix: str = ""
    decimals: int = 0

    kind: ClassVar[Literal["number"]] = "number"

    @classmethod
    def from_example(cls, example: str) -> Self:
        """Return the reading of a number as it is written.

        Raises
        ------
        PolicyError
            It is no number, or its only mark may be of thousands or of the fraction.

        """
        found = _EXAMPLE.match(example.strip())
        if not found:
            raise PolicyError(
                f'format {example!r} is not a number; write an example such as "1.234,50 €"'
            )
        number = found["number"]
        marks = [letter for letter in number if not letter.isdigit()]
        last = marks[-1] if marks else ""
        whole, _, fraction = number.rpartition(last) if last else (number, "", "")
        single = len(marks) == 1 and len(fraction) == 3 and re.fullmatch("[1-9][0-9]{0,2}", whole)
        if single and last in ".,":
            raise PolicyError(
                f"format {example!r} is ambiguous: {last!r} may separate thousands or decimals; "
                'write both, as in "1.234,5" or "1,234.5"'
            )
        fractional = bool(last) and last in ".," and marks.count(last) == 1
        decimal = last if fractional else "," if last == "." else "."
        thousands = (marks[0] if len(marks) > 1 else "") if fractional else last
        reading = cls(
            decimal,
            thousands,
            found["prefix"] or "",
            found["suffix"] or "",
            len(fraction) if fractional else 0,
        )
        if reading.read(pl.Series([example])).null_count():
            raise PolicyError(
                f'format {example!r} is not a number; write an example such as "1.234,50 €"'
            )
        return reading

    @property
    def form(self) -> str:
        """The example that says it in a policy."""
        if self.decimals:
            number = f"1{self.thousands}234{self.decimal}{'5'.ljust(self.decimals, '0')}"
        else:
            number = f"1{self.thousands}234{self.thousands}567"
        return f"{self.prefix}{number}{self.suffix}"

    @property
    def separator(self) -> str:
        """What stands between the numbers of a label."""
        return "; " if "," in (self.decimal, self.thousands) else ", "

    @property
    def pattern(self) -> str:
        """The regular expression of a number of this style, blanks around it stripped."""
        whole = r"(?:0|[1-9][0-9]*)"
        if self.thousands:
            mark = re.escape(self.thousands)
            whole = rf"(?:{whole}|[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+)"
        number = rf"-?{whole}(?:{re.escape(self.decimal)}[0-9]+)?"
        return f"^{re.escape(self.prefix)}{number}{re.escape(self.suffix)}$"

    def read(self, texts: pl.Series) -> pl.Series:
        """Return the numbers of texts; null where a text is none, or has over 15 digits.

        Whole numbers are integers where no text has a fraction.
        """
        bare = texts.str.strip_chars()
        bare = bare.set(~bare.str.contains(self.pattern), None)
        number = bare.str.strip_prefix(self.prefix).str.strip_suffix(self.suffix)
        if self.thousands:
            number = number.str.replace_all(self.thousands, "", literal=True)
        number = number.str.replace(self.decimal, ".", literal=True)
        digits = number.str.replace_all("[^0-9]", "").str.len_chars()
        number = number.set((digits > _DIGITS).fill_null(value=False), None)
        whole = not number.str.contains(".", literal=True).any() and not self.decimals
        return number.cast(pl.Int64 if whole else pl.Float64)

    def write(self, values: pl.Series) -> pl.Series:
        """Return numbers as text, with all of their digits."""
        distinct = values.drop_nulls().unique()
        texts = [self._text(value) for value in distinct.to_list()]
        return values.replace_strict(
            distinct, pl.Series(texts, dtype=pl.String), default=None, return_dtype=pl.String
        )

    def _text(self, value: float) -> str:
        exact = format(Decimal(repr(value)), "f")
        whole, _, fraction = exact.removeprefix("-").partition(".")
        fraction = fraction.rstrip("0").ljust(self.decimals, "0")
        if self.thousands:
            whole = f"{int(whole):,}".replace(",", self.thousands)
        sign = "-" if exact.startswith("-") else ""
        number = f"{whole}{self.decimal}{fraction}" if fraction else whole
        return f"{self.prefix}{sign}{number}{self.suffix}"

    def read_canonical(self, texts: pl.Series) -> pl.Series:
        """Return the numbers of texts in plain notation, as labels have them."""
        return texts.cast(pl.Float64, strict=False)

    def write_canonical(self, values: pl.Series) -> pl.Series:
        """Return numbers in plain notation, as labels have them."""
        return values.cast(pl.String).str.strip_suffix(".0")
