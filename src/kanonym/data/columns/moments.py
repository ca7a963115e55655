"""Moments as text that names the same moment."""

from __future__ import annotations

import polars as pl


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
