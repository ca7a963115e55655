"""Dates and times in the format of a column, such as `%d.%m.%Y`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from kanonym.data.errors import PolicyError

_DIRECTIVE = re.compile(r"%-?([a-zA-Z%])")
_DATE = {"d", "m", "b", "B", "Y"}
_TIME = {"H", "M", "S"}
_NEEDED = ({"d", "m", "Y"}, {"d", "b", "Y"}, {"d", "B", "Y"})
_FOUR_DIGITS = r"(^|[^0-9])[0-9]{4}([^0-9]|$)"


@dataclass(frozen=True, slots=True)
class DateReading:
    """How the dates or times of a column are written.

    Parameters
    ----------
    form
        Day, month and a year of four digits, with or without a time: `%d`, `%m` (or `%b`,
        `%B`), `%Y`, `%H`, `%M`, `%S`; `%-d` writes no leading zero.

    Raises
    ------
    PolicyError
        A part is missing or unknown, or the year has two digits.

    Examples
    --------
    >>> german = DateReading("%d.%m.%Y")
    >>> german.read(pl.Series(["31.12.1954", None, "soon"])).to_list()
    [datetime.date(1954, 12, 31), None, None]

    """

    form: str

    kind: ClassVar[Literal["date"]] = "date"
    separator: ClassVar[str] = ", "

    def __post_init__(self) -> None:
        parts = _DIRECTIVE.findall(self.form)
        if "y" in parts:
            raise PolicyError(
                f"format {self.form!r}: %y is ambiguous, 54 may be 1954 or 2054; "
                "write years with four digits (%Y)"
            )
        dates = set(parts) - _TIME
        times = set(parts) & _TIME
        if (
            dates not in _NEEDED
            or len(parts) != len(set(parts))
            or times not in (set(), {"H", "M"}, _TIME)
        ):
            raise PolicyError(
                f"format {self.form!r} is not a date format: it needs %d, %m and %Y, "
                "for times %H and %M as well"
            )

    @property
    def has_time(self) -> bool:
        """Whether it has a time of day."""
        return "%H" in self.form or "%-H" in self.form

    def read(self, texts: pl.Series) -> pl.Series:
        """Return the dates or times of texts; null where a text is none."""
        bare = texts.str.strip_chars()
        bare = bare.set(~bare.str.contains(_FOUR_DIGITS), None)  # %Y takes 54 for the year 54
        if self.has_time:
            return bare.str.to_datetime(self.form, time_unit="us", strict=False)
        return bare.str.to_date(self.form, strict=False)

    def write(self, values: pl.Series) -> pl.Series:
        """Return dates or times as text."""
        return values.dt.to_string(self.form)

    def read_canonical(self, texts: pl.Series) -> pl.Series:
        """Return the values of texts in ISO 8601, as labels have them; null where one is none."""
        if self.has_time:
            return texts.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
        return texts.str.to_date("%Y-%m-%d", strict=False)

    def write_canonical(self, values: pl.Series) -> pl.Series:
        """Return values in ISO 8601."""
        return values.dt.to_string("%Y-%m-%dT%H:%M:%S" if self.has_time else "%Y-%m-%d")
