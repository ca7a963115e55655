"""The cells of a column as actions take them: as text, as numbers or as times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError, SchemaError
from kanonym.data.hierarchy.builders.grid import numbers_of
from kanonym.data.hierarchy.leaves import parse_times

TEXT = (pl.String, pl.Categorical, pl.Enum)
_WITH_TEXT = (*TEXT, pl.Boolean, pl.Date, pl.Time, pl.Null)
_DATE_LENGTH = len("2020-05-17")


def cell_texts(values: pl.Series, action: str) -> pl.Series:
    """Return the text of every cell, the same one for the same value in any table.

    A whole number reads alike as integer and as floating-point number, a time alike in any
    unit and, in UTC, in any time zone. NaN is null.
    """
    kind = values.dtype
    if kind.is_float():
        return _float_texts(values.fill_nan(None))
    if kind.is_decimal():
        plain = values.cast(pl.String)
        bare = plain.str.strip_chars_end("0").str.strip_suffix(".")
        return bare.zip_with(plain.str.contains(".", literal=True).fill_null(value=False), plain)
    if isinstance(kind, pl.Datetime):
        if kind.time_zone is None:
            return values.dt.to_string("%Y-%m-%dT%H:%M:%S%.f")
        return values.dt.convert_time_zone("UTC").dt.to_string("%Y-%m-%dT%H:%M:%S%.fZ")
    if kind == pl.Duration:
        return values.dt.to_string("iso")
    if not (kind.is_numeric() or kind in _WITH_TEXT):
        raise SchemaError(
            f"column {values.name!r} holds {kind}, and {action} needs values with a text: write "
            "it as text or as numbers"
        )
    return values.cast(pl.String)


def _float_texts(values: pl.Series) -> pl.Series:
    """Return the shortest text of each number, of whole ones all digits and no sign of zero."""
    whole = (values == values.floor()) & values.is_finite()
    fits = (whole & (values.abs() < 2.0**63)).fill_null(value=False)
    plain = values.cast(pl.String)
    column = values.set(~fits, None).cast(pl.Int64).cast(pl.String).zip_with(fits, plain)
    large = (whole & ~fits).fill_null(value=False)
    if not large.any():
        return column
    digits = pl.Series([format(int(one), "d") for one in values.filter(large)], dtype=pl.String)
    return column.scatter(large.arg_true(), digits)


def rewrite_texts(given: pl.Series, change: Callable[[str], str]) -> pl.Series:
    """Return a column of text with every text changed, each distinct one once; null stays."""
    distinct = given.drop_nulls().unique()
    new = pl.Series([change(text) for text in distinct], dtype=pl.String)
    return given.replace_strict(distinct, new, default=None, return_dtype=pl.String)


def present_numbers(values: pl.Series, action: str) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Return which cells hold a number, (n,) bool, and the numbers as int64 or float64.

    NaN is null.
    """
    if not (values.dtype.is_numeric() or values.dtype == pl.Null):
        raise SchemaError(
            f"column {values.name!r} holds {values.dtype}, and {action} needs numbers: write it "
            "as numbers, or choose another action"
        )
    if values.dtype.is_float():
        infinite = values.is_infinite().arg_true()
        if len(infinite):
            raise DataError(
                f"column {values.name!r}, row {infinite[0] + 1}: {action} cannot process "
                f"{values[infinite[0]]}; replace it, or leave the cell empty for a missing value"
            )
        values = values.fill_nan(None)
    column = values.is_not_null()
    return column.to_numpy(), numbers_of(values.filter(column))


def with_numbers(values: pl.Series, held: NDArray[np.bool_], numbers: NDArray[Any]) -> pl.Series:
    """Return a column with new numbers in the cells that hold one, null in the others.

    It keeps its type where every number fits: integers that are no longer whole become
    64-bit floating-point numbers, integers that grew too large 64-bit integers.
    """
    filled = np.zeros(len(values), numbers.dtype)
    filled[held] = numbers
    plain = pl.Series(values.name, filled).to_frame()
    column = plain.select(pl.when(pl.Series(held)).then(values.name).alias(values.name)).to_series()
    if values.dtype.is_integer() and numbers.dtype != np.int64:
        return column
    typed = column.cast(values.dtype, strict=False)
    return typed if typed.null_count() == column.null_count() else column


def cell_times(values: pl.Series, action: str) -> pl.Series:
    """Return dates, or dates and times; texts must be ISO ones."""
    if values.dtype in (pl.Date, pl.Datetime):
        return values
    if values.dtype not in (*TEXT, pl.Null):
        raise SchemaError(
            f"column {values.name!r} holds {values.dtype}, and {action} needs dates: write it as "
            "dates, or choose another action"
        )
    given = values.cast(pl.String)
    when = parse_times(given)
    wrong = (when.is_null() & given.is_not_null()).arg_true()
    if len(wrong):
        raise DataError(
            f"column {values.name!r}, row {wrong[0] + 1}: {given[wrong[0]]!r} is not an ISO date, "
            f"and "
            f"{action} needs them; write dates as 2020-12-31"
        )
    return when


def in_original_type(when: pl.Series, values: pl.Series) -> pl.Series:
    """Return changed times as `values` holds them: as dates, times, or ISO texts with or without.

    A text without a time of day stays one without.
    """
    if values.dtype in (pl.Date, pl.Datetime):
        return when
    short = values.cast(pl.String).str.strip_chars().str.len_chars() <= _DATE_LENGTH
    days = when.dt.to_string("%Y-%m-%d")
    return days.zip_with(short, when.dt.to_string("%Y-%m-%dT%H:%M:%S%.f")).alias(values.name)
