"""Columns as engines hand them over, in the types that the local readers would give them.

Spark apart, every engine speaks Arrow. What Arrow cannot say is mended here: sums of integers
that come as decimals, decimals that come as text, enumerations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import polars as pl
import pyarrow as pa

from kanonym.data.errors import DataError

ArrowTable: TypeAlias = Any  # pyarrow carries no types
ArrowField: TypeAlias = Any

_WIDEST = 38  # digits of a decimal
_TYPE = b"POSTGRESQL:type"
_MODIFIER = b"POSTGRESQL:typmod"


def frame_of(
    table: ArrowTable,
    *,
    scales: Mapping[str, int] | None = None,
    words: Mapping[str, Sequence[str]] | None = None,
) -> pl.DataFrame:
    """Return an engine's answer as polars."""
    columns = []
    for field, array in zip(table.schema, table.columns, strict=True):
        if words and field.name in words:
            texts = array.cast(pa.large_string())
            series = pl.Series(texts, dtype=pl.Enum(words[field.name]))
        else:
            series = _series(field, array, None if scales is None else scales.get(field.name))
        columns.append(series.alias(field.name))
    return pl.DataFrame(columns)


def to_plain_types(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table of the types that every engine takes: categories and no type are text."""
    texts = {
        name: pl.String
        for name, dtype in frame.schema.items()
        if dtype in (pl.Categorical, pl.Enum, pl.Null)
    }
    return frame.cast(texts) if texts else frame  # type: ignore[arg-type]


def is_decimal_text(field: ArrowField) -> bool:
    """Tell whether a column of PostgreSQL is a `numeric`, which arrives as text."""
    return (field.metadata or {}).get(_TYPE) == b"numeric"


def declared_scale(field: ArrowField) -> int | None:
    """Return the digits behind the point of a `numeric`; None where it has no limit."""
    modifier = int((field.metadata or {}).get(_MODIFIER, b"-1"))
    if modifier < 0:
        return None
    # PostgreSQL keeps precision and an 11-bit scale with sign in one number, four too large.
    scale = (modifier - 4) & 0x7FF
    return max(scale - 0x800 if scale >= 0x400 else scale, 0)


def _series(field: ArrowField, array: Any, scale: int | None) -> pl.Series:
    if is_decimal_text(field):
        return _decimals(array.cast(pa.string()), field, scale)
    if pa.types.is_decimal(field.type) and field.type.precision == _WIDEST:
        return _whole(pl.Series(array)) if field.type.scale == 0 else pl.Series(array)
    if pa.types.is_null(field.type):
        return pl.Series(array).cast(pl.String)
    return pl.Series(array)


def _decimals(texts: Any, field: ArrowField, scale: int | None) -> pl.Series:
    """Return `numeric` as decimals; what counts without a fraction and type is whole numbers."""
    series = pl.Series(texts, dtype=pl.String)
    series = series.set(series == "NaN", None)
    declared = declared_scale(field) if scale is None else scale
    if declared is None:
        digits = series.str.split(".").list.get(1, null_on_oob=True).str.len_chars().max()
        declared = int(str(digits or 0))
        if not digits:
            whole = series.cast(pl.Int64, strict=False)
            if whole.null_count() == series.null_count():
                return whole
    try:
        return series.cast(pl.Decimal(_WIDEST, declared))
    except pl.exceptions.PolarsError:
        raise DataError(
            f"column {field.name!r} holds numbers that are infinite or have more than {_WIDEST} "
            "digits; make a view that rounds them, and take that"
        ) from None


def _whole(series: pl.Series) -> pl.Series:
    small = series.cast(pl.Int64, strict=False)
    return small if small.null_count() == series.null_count() else series
