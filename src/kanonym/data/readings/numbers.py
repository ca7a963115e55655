"""Numbers as people write them: with a unit or a currency, decimal commas, thousands, bounds."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from typing import ClassVar, Literal, Self

import numpy as np
import polars as pl

from kanonym.data.errors import PolicyError
from kanonym.data.readings.bounds import beside, sides_of, split_bounds, text_of_bound

CURRENCY = (
    r"(?:(?:US|CA|AU|NZ|R|C|A)?\$|\p{Sc}|EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL"
    r"|MXN|CAD|AUD|TRY|ZAR|Fr\.|SFr\.|Rs\.?|kr\.?|zł|Kč|Ft)"
)
_SIGN = r"°℃℉%‰\u066a\uff05µμ"
UNIT = rf"(?:{CURRENCY}|[\p{{L}}{_SIGN}][\p{{L}}\p{{M}}0-9²³°%‰µμ·^*./-]*(?: [\p{{L}}²³°/.-]+)*)"
"""What may stand behind a number: no digit first, and no digit in a second word."""
THOUSANDS = ".,'’ \u00a0\u2009\u202f"
_ALIKE = ("'’", " \u00a0\u2009\u202f")
"""Marks between thousands that are one to a reader."""
MINUS = "[-−–]"
_BODY = rf"[0-9](?:[0-9{THOUSANDS}]*[0-9])?|[.,][0-9]+"
CELL = (
    rf"^(?P<open>\()?(?P<sign>[-−–+])?(?P<prefix>{CURRENCY}\s?)?(?P<inner>{MINUS})?"
    rf"(?P<number>{_BODY})(?P<exponent>[eE][-+]?[0-9]+)?(?P<suffix>\s?{UNIT})?"
    rf"(?P<close>\))?(?P<after>-)?$"
)
"""A number in any style, its parts as groups; a bound without what makes it one."""
_DIGITS = 15  # of a number that a float holds exactly
_PLURALS = ("s", "es", "e", "n", "en")
_NO_NUMBER = 'format {!r} is not a number; write an example such as "1.234,50 €" or "170 cm"'


@dataclass(frozen=True, slots=True)
class NumberReading:
    """How the numbers of a column are written.

    Examples
    --------
    >>> euros = NumberReading.from_example("1.234,50 €")
    >>> euros.read(pl.Series(["58.200,50 €", "7,00 €", "7"])).to_list()
    [58200.5, 7.0, None]
    >>> euros.write(pl.Series([58200.5])).to_list()
    ['58.200,50 €']
    >>> NumberReading.from_example("170 cm").read(pl.Series(["165 cm", "1.5 cm"])).to_list()
    [165.0, 1.5]
    """

    decimal: str = "."
    thousands: str = ""
    prefix: str = ""
    suffix: str = ""
    decimals: int = 0
    indian: bool = False
    zero: str = "0"
    plus: bool = False
    negative: str = field(default="-", compare=False)
    singular: str = field(default="", compare=False)
    bounds: tuple[tuple[float, str], ...] = field(default=(), compare=False)
    fewest: int | None = field(default=None, compare=False)
    """Decimals that all numbers of a table have at least; `decimals` where no table is known."""

    kind: ClassVar[Literal["number"]] = "number"
    noun: ClassVar[str] = "numbers"

    @classmethod
    def from_example(cls, example: str) -> Self:
        """Return the reading of a number as it is written."""
        texts, zero = ascii_digits(pl.Series([example.strip()]))
        parts = texts.str.extract_groups(CELL).struct.unnest().row(0, named=True)
        if parts["number"] is None or parts["exponent"] or parts["open"] or parts["after"]:
            raise PolicyError(_NO_NUMBER.format(example))
        number = parts["number"]
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
        groups = re.split(f"[{re.escape(''.join(marks))}]", whole) if marks else []
        reading = cls(
            last if fractional else "," if last == "." else ".",
            (marks[0] if len(marks) > 1 else "") if fractional else last,
            parts["prefix"] or "",
            parts["suffix"] or "",
            len(fraction) if fractional else 0,
            indian=any(len(group) == 2 for group in groups[1:]),
            zero=zero,
            plus=parts["sign"] == "+",
        )
        if reading.read(pl.Series([example])).null_count():
            raise PolicyError(_NO_NUMBER.format(example))
        return reading

    @property
    def is_plain(self) -> bool:
        """Whether it is the style of programs: a decimal point, and nothing else."""
        return self == NumberReading()

    @property
    def is_of_programs(self) -> bool:
        """Whether it differs from the style of programs in the zeros at the end alone."""
        return self == NumberReading(decimals=self.decimals)

    @property
    def form(self) -> str | None:
        """The example that says it in a policy; None in the style of programs."""
        if self.is_plain:
            return None
        mark = self.thousands
        fraction = self.decimal + "5".ljust(self.decimals, "0") if self.decimals else ""
        whole = f"1{mark}234" if self.decimals or not mark else f"1{mark}234{mark}567"
        if self.indian:
            whole = f"12{mark}34{mark}567"
        elif not mark and not fraction and self.decimal == ",":
            fraction = ",5"
        number = (whole + fraction).translate(_from_ascii(self.zero))
        return f"{'+' * self.plus}{self.prefix}{number}{self.suffix}"

    @property
    def example(self) -> str:
        """A number as it is written."""
        return self.form or "1234.5"

    @property
    def separator(self) -> str:
        """What stands between the numbers of a label."""
        return "; " if "," in (self.decimal, self.thousands) else ", "

    @property
    def pattern(self) -> str:
        """The regular expression of a number of this style, in ASCII digits and stripped."""
        whole = r"(?:0|[1-9][0-9]*)"
        mark, point = _class_of(self.thousands), re.escape(self.decimal)
        if self.thousands and self.indian:
            whole = rf"(?:0|[1-9][0-9]{{0,2}}|[1-9][0-9]?(?:{mark}[0-9]{{2}})*{mark}[0-9]{{3}})"
        elif self.thousands:
            whole = rf"(?:{whole}|[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+)"
        number = rf"(?:{whole}(?:{point}[0-9]+)?|{point}[0-9]+)"
        if not (self.thousands or self.prefix or self.suffix):
            number += r"(?:[eE][-+]?[0-9]+)?"
        sign = "[-−–+]" if self.plus else MINUS
        before = re.escape(self.prefix.strip()) + r"\s?" if self.prefix else ""
        behind = ""
        if self.suffix:
            unit = self.suffix.strip()
            behind = rf"\s?(?:{'|'.join(map(re.escape, (unit, *singulars(unit))))})"
        return rf"^(\()?({sign})?{before}({MINUS})?({number})({behind})(\))?(-)?$"

    def read(self, texts: pl.Series) -> pl.Series:
        """Return the numbers of texts; null where a text is none, or has over 15 digits.

        Whole numbers are integers where no text has a fraction and none is a bound.
        """
        bare, zero = ascii_digits(texts.str.strip_chars(), self.zero)
        bare, sides = split_bounds(with_plain_marks(bare))
        if sides.any():
            bare = self._with_own_unit(bare).zip_with(pl.Series(sides != 0), bare)
        if zero != self.zero:
            bare = bare.clear(len(bare))
        groups = bare.str.extract_groups(self.pattern).struct.unnest()
        opened, sign, inner, number, unit, closed, after = groups.get_columns()
        if self.thousands:
            number = number.str.replace_all(_class_of(self.thousands), "")
        number = number.str.replace(self.decimal, ".", literal=True)
        fraction = number.str.contains("[.eE]")
        whole = not fraction.any() and not self.decimals and not sides.any()
        digits = number.str.count_matches("[0-9]")
        lost = digits > _DIGITS
        if self.is_plain:  # a fraction is that of a program, however long
            lost &= ~fraction
        negative = (sign != "+").fill_null(value=False) | inner.is_not_null() | after.is_not_null()
        negative |= opened.is_not_null()
        wrong = opened.is_not_null() != closed.is_not_null()
        wrong |= after.is_not_null() & ~fraction
        signs = sum(one.is_not_null().cast(pl.Int8) for one in (opened, sign, inner, after))
        wrong |= signs > 1
        bound = pl.Series(sides != 0)
        values = number.cast(pl.Int64 if whole else pl.Float64, strict=False)
        wrong |= lost.fill_null(value=True) | (bound & (digits > _BOUND_DIGITS))
        if self.suffix and singulars(self.suffix.strip()):
            alone = unit.str.strip_chars() != self.suffix.strip()
            wrong |= alone.fill_null(value=False) & (values >= 2).fill_null(value=False)
        values = (-values).zip_with(negative, values) if negative.any() else values
        if values.dtype.is_float():
            wrong |= values.is_infinite()  # 1e400
        values = values.set(wrong, None)
        if not bound.any():
            return values.alias(texts.name)
        read = values.fill_null(np.nan).to_numpy()
        found = pl.Series(texts.name, beside(read, sides))
        return found.fill_nan(None)

    def _with_own_unit(self, texts: pl.Series) -> pl.Series:
        """Return bounds with the unit of the column: `90` of heights, `85 years` of ages."""
        if not self.prefix and not self.suffix:
            return texts.str.replace(_YEARS, "$1")
        number = texts.str.contains(r"^[-−]?[0-9.,]*[0-9]$")
        return (self.prefix + texts + self.suffix).zip_with(number, texts)

    def settle(self, texts: pl.Series, counts: pl.Series) -> Self:
        """Return the reading with what the texts of a table show, the most frequent ones first.

        texts: distinct, each with its count.
        """
        bare, _ = ascii_digits(texts.str.strip_chars(), self.zero)
        values = self.in_order(self.read(texts))
        read = values.is_not_null()
        style = self
        ordered = pl.DataFrame({"text": bare, "value": values, "n": counts}).filter(read)
        ordered = ordered.sort("n", "text", descending=[True, False])
        if values.dtype.is_float():
            _, sides = sides_of(ordered["value"].to_numpy())
            bounds = ordered.filter(pl.Series(sides != 0))
            first = bounds.unique("value", keep="first", maintain_order=True)
            found = zip(first["value"].to_list(), first["text"].to_list(), strict=True)
            style = replace(style, bounds=tuple(found))
        parts = ordered["text"].str.extract_groups(self.pattern).struct.unnest().to_series(3)
        fractions = parts.drop_nulls().str.extract(rf"{re.escape(self.decimal)}([0-9]+)$", 1)
        if len(fractions):
            style = replace(style, fewest=min(fractions.str.len_chars().fill_null(0).unique()))
        below = ordered.filter(pl.col("value") < 0)["text"]
        for shape, negative in _NEGATIVES:
            if below.str.contains(shape).any():
                style = replace(style, negative=negative)
        unit = self.suffix.strip()
        if unit:
            own = ordered.filter(pl.col("value") == 1)["text"].str.extract(r"([^0-9\s]\D*)$", 1)
            if len(own) and own[0] in singulars(unit):
                style = replace(style, singular=self.suffix.replace(unit, own[0]))
        return style

    def in_order(self, values: pl.Series) -> pl.Series:
        """Return values without the bounds beyond which there is a number."""
        if not values.dtype.is_float():
            return values
        numbers = values.drop_nulls().unique().to_numpy()
        _, sides = sides_of(numbers)
        plain = numbers[sides == 0]
        if not sides.any() or not len(plain):
            return values
        low, high = plain.min(), plain.max()
        amid = numbers[((sides > 0) & (numbers < high)) | ((sides < 0) & (numbers > low))]
        return values.set(values.is_in(amid.tolist()).fill_null(value=False), None)

    def has_bounds(self, values: pl.Series) -> bool:
        """Tell whether some values are bounds."""
        if not values.dtype.is_float():
            return False
        return bool(sides_of(values.drop_nulls().unique().to_numpy())[1].any())

    def write(self, values: pl.Series) -> pl.Series:
        """Return numbers as text, with all of their digits."""
        distinct = values.drop_nulls().unique()
        texts = [self._text(value) for value in distinct.to_list()]
        texts = self._with_bounds(distinct, texts)
        return values.replace_strict(
            distinct, pl.Series(texts, dtype=pl.String), default=None, return_dtype=pl.String
        )

    def _with_bounds(self, values: pl.Series, texts: list[str]) -> list[str]:
        """Return texts of values with those of bounds in their places."""
        if not values.dtype.is_float():
            return texts
        numbers, sides = sides_of(values.to_numpy())
        known = dict(self.bounds)
        for i in np.flatnonzero(sides).tolist():
            bound = text_of_bound(self._text(float(numbers[i])), int(sides[i]))
            texts[i] = known.get(values[i], bound)
        return texts

    def _text(self, value: float) -> str:
        exact = format(Decimal(repr(value)), "f")
        whole, _, fraction = exact.removeprefix("-").partition(".")
        fewest = self.decimals if self.fewest is None else self.fewest
        fraction = fraction.rstrip("0").ljust(fewest, "0")
        if self.thousands:
            whole = _group_digits(whole, self.thousands, indian=self.indian)
        number = f"{whole}{self.decimal}{fraction}" if fraction else whole
        if self.zero != "0":
            number = number.translate(_from_ascii(self.zero))
        suffix = self.singular if self.singular and value in (1, -1) else self.suffix
        below = exact.startswith("-")
        if below and self.negative == "()":
            return f"({self.prefix}{number}{suffix})"
        if below and self.negative == "outer":
            return f"{self.prefix}({number}{suffix})"
        if below and self.negative == "after":
            return f"{self.prefix}{number}{suffix}-"
        if below and self.negative == "inner":
            return f"{self.prefix}-{number}{suffix}"
        sign = self.negative if below else "+" * (self.plus and value > 0)
        return f"{sign}{self.prefix}{number}{suffix}"

    def read_canonical(self, texts: pl.Series) -> pl.Series:
        """Return the numbers of texts in plain notation, as labels have them."""
        return texts.cast(pl.Float64, strict=False)

    def write_canonical(self, values: pl.Series) -> pl.Series:
        """Return numbers in plain notation, as labels have them."""
        return values.cast(pl.String).str.strip_suffix(".0")


_BOUND_DIGITS = 12
_NEGATIVES = (
    *((r"^\(", "()"), (r"^[^(]+\(", "outer"), ("−", "−"), ("–", "–")),
    *((r"^[^0-9(−–-]+[-−–]", "inner"), (r"[0-9]-$", "after")),
)
_YEARS = r"(?i)^([0-9]+)\s(?:years?(?: old)?|yrs?|Jahren?|años?|ans?)$"


def with_plain_marks(texts: pl.Series) -> pl.Series:
    """Return texts with `5` for `5.`, and `($5)` for `$(5)`."""
    if texts.str.contains(r"\(|\.$").any():
        texts = texts.str.replace(rf"^({CURRENCY}\s?)\(", "($1")
        texts = texts.str.replace(rf"^({MINUS}?[0-9]+)\.$", "$1")
    return texts


def _class_of(mark: str) -> str:
    """Return the regular expression of a mark between thousands."""
    return f"[{next((marks for marks in _ALIKE if mark in marks), re.escape(mark))}]"


def singulars(unit: str) -> tuple[str, ...]:
    """Return what the unit of 1 may be: `year` of `years`."""
    found = (unit.removesuffix(end) for end in _PLURALS if unit.endswith(end))
    return tuple(one for one in dict.fromkeys(found) if len(one) > 1 and one.isalpha())


def ascii_digits(texts: pl.Series, zero: str | None = None) -> tuple[pl.Series, str]:
    """Return texts with digits of one script as those of ASCII, and the digit 0 of the script.

    zero: the script; None takes the one that occurs first. Digits of other scripts stay.
    """
    if zero in (None, "0") and not texts.str.contains(r"[\p{Nd}--0-9]").any():
        return texts, "0"
    if zero is None:
        first = texts.str.extract(r"([\p{Nd}--0-9])", 1).drop_nulls()[0]
        zero = chr(ord(first) - unicodedata.digit(first))
    if zero == "0":
        return texts, zero
    olds = [chr(ord(zero) + digit) for digit in range(10)] + [*"\u066b\u066c\uff0e\uff0c\uff0d"]
    return texts.str.replace_many(olds, [*"0123456789.,.,-"]), zero


@cache
def _from_ascii(zero: str) -> dict[int, int]:
    return {ord("0") + digit: ord(zero) + digit for digit in range(10)}


def _group_digits(whole: str, mark: str, *, indian: bool) -> str:
    """Return digits in groups."""
    if not indian or len(whole) <= 3:
        return f"{int(whole):,}".replace(",", mark)
    head, tail = whole[:-3], whole[-3:]
    pairs = [head[max(end - 2, 0) : end] for end in range(len(head), 0, -2)]
    return mark.join([*reversed(pairs), tail])
