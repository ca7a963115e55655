"""Values of columns: texts, moments, order, years, and columns that repeat another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias, cast

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.results import ShortRepr


def moment_texts(values: pl.Series, form: str = "iso:strict") -> pl.Series:
    """Return dates and times as ISO 8601; in UTC where the offset has seconds, which ISO lacks.

    form: of `Series.dt.to_string`; `iso` has a blank before the time of day.
    """
    texts = values.dt.to_string(form)
    odd = has_seconds_in_offset(values)
    if not odd.any():
        return texts
    return values.dt.convert_time_zone("UTC").dt.to_string(form).zip_with(odd, texts)


def has_seconds_in_offset(values: pl.Series) -> pl.Series:
    """Return (n,) bool: whether the local time differs from UTC by no whole minutes."""
    if getattr(values.dtype, "time_zone", None) is None:
        return pl.Series([False]).new_from_index(0, len(values))
    utc = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    offset = values.dt.replace_time_zone(None) - utc
    return (offset.dt.total_seconds() % 60 != 0).fill_null(value=False)


_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31 from 1970-01-01
_A_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def refuse_strange_years(series: pl.Series) -> None:
    """Refuse dates of years that neither Python nor the text form of a date knows."""
    # Years count from the physical number: the library ends the process on larger ones.
    a_day = 1 if series.dtype == pl.Date else _A_DAY[cast("pl.Datetime", series.dtype).time_unit]
    days = series.to_physical() // a_day
    strange = ((days < _FIRST_DAY) | (days > _LAST_DAY)).arg_true()
    if len(strange):
        raise DataError(
            f"column {series.name!r}, row {strange[0] + 1}: a date outside of the years 1 to "
            "9999; correct the cell, or leave it empty"
        )


@dataclass(frozen=True, slots=True, repr=False)
class RepeatedColumn(ShortRepr):
    """A column of few different values: these, each of which occurs, and where they stand.

    values: (m,) the values, with the name of the column.
    value_of_class: (n_classes,) uint32, the value of each class.
    classes: (n,) uint32, the class of each row; columns of one release share it.
    """

    _shown: ClassVar[tuple[str, ...]] = ("name",)

    values: pl.Series
    value_of_class: pl.Series
    classes: pl.Series

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.values.name

    def __len__(self) -> int:
        return len(self.classes)

    def to_series(self) -> pl.Series:
        """Return the column row by row."""
        return self.values.gather(self.value_of_class.gather(self.classes))


ReleasedColumn: TypeAlias = str | pl.Series | RepeatedColumn
"""A column of a release: a name stands for a column of the input."""


def text_of(values: pl.Series) -> pl.Series:
    """Return values as text: numbers in their shortest form, times in ISO 8601.

    Datetimes of which all are midnight are dates.
    """
    if values.dtype.is_float():
        return values.cast(pl.String).str.strip_suffix(".0")
    if values.dtype == pl.Datetime and _are_dates(values):
        return values.dt.to_string("%Y-%m-%d")
    if values.dtype == pl.Datetime:
        # No fraction where it is zero; the offset from UTC stays.
        return moment_texts(values).str.replace(r"\.0+($|[+-])", "$1")
    if values.dtype == pl.Time:
        return values.dt.to_string("%H:%M:%S%.f")  # a cast drops fractions of seconds
    if values.dtype == pl.Duration:
        return values.dt.to_string("iso")
    return values.cast(pl.String)


def _are_dates(values: pl.Series) -> bool:
    """Tell whether datetimes without a zone are all midnight: a library has no type of dates."""
    zone = values.dtype.time_zone if isinstance(values.dtype, pl.Datetime) else None
    return zone is None and len(values) > 0 and bool((values.dt.truncate("1d") == values).all())
