"""The text of a value, whatever type its column was read in.

One record can change the type of a whole column: a word among numbers makes texts of all of them.
Under differential privacy it must change nothing but its own cell. So `1e3`, `1000` and 1000.0
have one text, and it follows from the value alone.
"""

from __future__ import annotations

import polars as pl

from kanonym.data.hierarchy.builders.grid import number_text

_WHOLE = r"^(0|-?[1-9][0-9]*)$"
_NUMBER = r"^-?(((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]+)?|inf|infinity)$"
_TIME = r"^(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d)(:\d\d)?(\.\d*?)?0*([-+z].*)?$"


def canonical_texts(column: pl.Series) -> pl.Series:
    """Return values as texts: equal values have one text, whatever type their column has.

    7, 7.0 and "7.0" are one text, "007" another; true and "True" are one; a date and a time are
    joined by T. NaN is null, also as text. Values that have no text, such as lists, are null.

    Notes
    -----
    Cost: of texts a regular expression each, of floats a step of Python for each different one.

    """
    dtype = column.dtype
    if dtype.is_integer() or dtype == pl.Boolean:
        return column.cast(pl.String)
    if dtype.is_float():
        return _number_texts(column.fill_nan(None))
    readable = dtype.is_temporal() or dtype.is_decimal() or dtype in (pl.String, pl.Null)
    if not readable and dtype not in (pl.Categorical, pl.Enum):
        return pl.Series(column.name, [None] * len(column), dtype=pl.String)
    texts = column.cast(pl.String).str.strip_chars()
    lower = texts.str.to_lowercase()
    marked = _is(lower, r"^(true|false)$")
    texts = texts.zip_with(~marked, lower)
    texts = texts.zip_with(~_is(lower, r"^nan$"), pl.Series([None], dtype=pl.String))
    times = _is(lower, _TIME)
    if times.any():
        texts = texts.zip_with(~times, _time_texts(lower))
    numbers = _is(lower, _NUMBER) & ~_is(lower, _WHOLE)
    if numbers.any():
        known = lower.zip_with(numbers, pl.Series([None], dtype=pl.String))
        texts = texts.zip_with(~numbers, _number_texts(known.cast(pl.Float64, strict=False)))
    return texts.alias(column.name)


def _is(texts: pl.Series, pattern: str) -> pl.Series:
    return texts.str.contains(pattern).fill_null(value=False)


def _number_texts(column: pl.Series) -> pl.Series:
    """Return floats as labels show them: `39` for 39.0."""
    distinct = column.unique()
    texts = [None if one is None else number_text(one) for one in distinct.to_list()]
    return column.replace_strict(
        distinct, pl.Series(texts, dtype=pl.String), return_dtype=pl.String
    )


def _time_texts(lower: pl.Series) -> pl.Series:
    """Return times as `2024-07-01T10:30:00`, fractions of a second without zeros at the end."""
    day, minute, second, fraction, zone = (
        lower.str.extract(_TIME, group).fill_null("") for group in range(1, 6)
    )
    second = second.replace({"": ":00"})
    fraction = fraction.replace({".": ""})
    zone = zone.replace({"z": "+00:00"})
    return day + "T" + minute + second + fraction + zone
