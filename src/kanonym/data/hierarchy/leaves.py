"""Between the texts of a hierarchy and the values of a column, in both directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time

import polars as pl

from kanonym.data.columns.moments import moment_texts
from kanonym.data.errors import HierarchyError

_WITH_TEXT = (
    pl.String,
    pl.Categorical,
    pl.Enum,
    pl.Boolean,
    pl.Date,
    pl.Datetime,
    pl.Time,
    pl.Null,
)
_DATETIMES = (
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
)
_OFFSET_DATETIMES = ("%Y-%m-%dT%H:%M:%S%.f%:z", "%Y-%m-%d %H:%M:%S%.f%:z")


def has_null(values: pl.Series) -> bool:
    """Whether a column holds null; NaN is null."""
    return values.has_nulls() or (values.dtype.is_float() and bool(values.is_nan().any()))


def require_text(values: pl.Series) -> None:
    """Refuse a column whose values have no text of their own."""
    if not (values.dtype.is_numeric() or values.dtype in _WITH_TEXT):
        raise HierarchyError(
            f"column {values.name!r} holds {values.dtype}, over which there is no hierarchy"
        )


def value_texts(values: pl.Series) -> pl.Series:
    """Return the values as text, as level 0 shows them: ISO dates, `true` and `false`."""
    return moment_texts(values, "iso") if values.dtype == pl.Datetime else values.cast(pl.String)


def parse_leaves(leaves: pl.Series, dtype: pl.DataType, where: Callable[[int], str]) -> pl.Series:
    """Return leaf texts as values of a column's type.

    `39` and `39.0` are the same whole number. Integers become wider and enumerations
    longer where a leaf does not fit: a hierarchy may know more than the column.
    """
    require_text(pl.Series(leaves.name, [], dtype=dtype))
    values = parse_values(leaves, dtype)
    if values.dtype.is_float():
        values = values.fill_nan(None)
    bad = (values.is_null() & leaves.is_not_null()).arg_true()
    if len(bad):
        raise HierarchyError(
            f"{where(bad[0])}: {leaves[bad[0]]!r} is no {dtype}, which column {leaves.name!r} "
            "holds; null is written as an empty cell"
        )
    twice = (~values.is_first_distinct()).arg_true()
    if len(twice):
        first = values.index_of(values[twice[0]]) or 0
        raise HierarchyError(
            f"{where(twice[0])}: the value {quote_first([leaves[twice[0]]])} occurs a second time, "
            f"after {where(first)}"
        )
    return values


def parse_values(leaves: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return texts as values of a type, or of a wider one of its kind; null where one is none."""
    if dtype in (pl.String, pl.Categorical, pl.Null):
        return leaves if dtype == pl.Null else leaves.cast(dtype)
    if isinstance(dtype, pl.Enum):
        known = dtype.categories.to_list()
        more = leaves.drop_nulls().unique(maintain_order=True).to_list()
        return leaves.cast(pl.Enum([*known, *(text for text in more if text not in set(known))]))
    stripped = leaves.str.strip_chars()
    if dtype == pl.Boolean:
        lower = stripped.str.to_lowercase()
        truth = {"true": True, "1": True, "false": False, "0": False}
        return lower.replace_strict(truth, default=None, return_dtype=pl.Boolean)
    if dtype == pl.Date:
        return stripped.str.to_date("%Y-%m-%d", strict=False)
    if isinstance(dtype, pl.Datetime):
        return _datetimes(stripped, dtype)
    if dtype == pl.Time:
        return stripped.str.to_time("%H:%M:%S%.f", strict=False)
    if dtype.is_integer():
        return _integers(stripped, dtype)
    return stripped.cast(dtype, strict=False)


def _integers(leaves: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Parse whole numbers, of which `39.0` is one."""
    whole = leaves.cast(pl.Int128, strict=False)
    if whole.null_count() > leaves.null_count():
        reals = leaves.cast(pl.Float64, strict=False)
        rounded = reals.cast(pl.Int128, strict=False)
        same = (rounded.cast(pl.Float64) == reals).fill_null(value=False)
        whole = whole.zip_with(whole.is_not_null() | ~same, rounded)
    for kind in (dtype, pl.Int64(), pl.Int128()):
        fitting = whole.cast(kind, strict=False)
        if fitting.null_count() == whole.null_count():
            break
    return fitting


def parse_times(values: pl.Series) -> pl.Series:
    """Return ISO texts as dates and times, null where a text is none."""
    return _datetimes(values.str.strip_chars(), pl.Datetime("us"))


def _datetimes(leaves: pl.Series, dtype: pl.Datetime) -> pl.Series:
    """Parse ISO dates and times, each in any of the usual forms."""
    zone, unit = dtype.time_zone, dtype.time_unit
    parsed = pl.Series(leaves.name, [None] * len(leaves), dtype=dtype)
    for form in _DATETIMES:
        naive = leaves.str.to_datetime(form, strict=False, time_unit=unit)
        local = naive if zone is None else naive.dt.replace_time_zone(zone, ambiguous="earliest")
        parsed = parsed.zip_with(parsed.is_not_null(), local)
    for form in _OFFSET_DATETIMES if zone else ():
        fixed = leaves.str.to_datetime(form, strict=False, time_unit=unit, time_zone="UTC")
        parsed = parsed.zip_with(parsed.is_not_null(), fixed.dt.convert_time_zone(zone or "UTC"))
    return parsed


def plain_text(value: object) -> str | None:
    """Return a value of Python as a file would hold it; None is null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date | datetime | time) else str(value)


def quote_first(values: Sequence[object]) -> str:
    """Return the first of some values as an error names it, and how many more there are."""
    named = "null" if values[0] is None else f"'{values[0]}'"
    more = len(values) - 1
    return f"{named} and {more} more (--show-values names them)" if more else named


def count_phrase(n: int, noun: str) -> str:
    """Return `1 value is` or `3 values are`."""
    return f"1 {noun} is" if n == 1 else f"{n} {noun}s are"
