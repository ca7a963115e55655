"""Values as the texts that labels have of them."""

from __future__ import annotations

import polars as pl

from kanonym.data.columns.moments import moment_texts


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
