"""Values of this process as a database holds them: exactly, or they are refused.

A driver converts what its database has no type for, at times without a word: PostgreSQL's cuts
nanoseconds and takes large unsigned numbers for negative ones, SQLite's drops time zones.
"""

from __future__ import annotations

from typing import NoReturn

import polars as pl
from polars import selectors

from kanonym.data.errors import DataError

_UNSIGNED = (pl.UInt8, pl.UInt16, pl.UInt32)
_LARGE = (pl.UInt64, pl.Int128, pl.UInt128)


def without_nan(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with null in the place of NaN."""
    return frame.with_columns(selectors.float().fill_nan(None))


def to_signed(frame: pl.DataFrame, engine: str) -> pl.DataFrame:
    """Return a table with whole numbers of at most 64 bits, and a sign."""
    small = frame.with_columns(selectors.by_dtype(*_UNSIGNED).cast(pl.Int64))
    for column in small.select(selectors.by_dtype(*_LARGE)):
        fitted = column.cast(pl.Int64, strict=False)
        if fitted.null_count() > column.null_count():
            refuse_column(
                column.name, "whole numbers of more than 64 bits", engine, "convert it to text"
            )
        small = small.with_columns(fitted)
    return small


def to_microseconds(frame: pl.DataFrame, engine: str) -> pl.DataFrame:
    """Return a table with dates and times in microseconds."""
    for column in frame.select(selectors.datetime(), selectors.time()):
        fine = column.dtype in (pl.Time, pl.Datetime("ns"), pl.Datetime("ns", "*"))
        if fine and bool((column.to_physical() % 1000 != 0).any()):
            refuse_column(
                column.name,
                "times below a microsecond",
                engine,
                "round it (dt.truncate('1us')) or convert it to text",
            )
    return frame.with_columns(selectors.datetime().dt.cast_time_unit("us"))


def times_as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with dates, times and durations as ISO 8601; moments in UTC."""
    digits = {"ms": 3, "us": 6, "ns": 9}
    texts = []
    for name, dtype in frame.schema.items():
        column = pl.col(name)
        if isinstance(dtype, pl.Datetime):
            if dtype.time_zone is not None:
                column = column.dt.convert_time_zone("UTC")
            offset = "" if dtype.time_zone is None else "+00:00"
            form = f"%Y-%m-%dT%H:%M:%S%.{digits[dtype.time_unit]}f{offset}"
            texts.append(column.dt.strftime(form))
        elif dtype in (pl.Date, pl.Time, pl.Duration):
            texts.append(column.dt.to_string("iso"))
    return frame.with_columns(texts)


def decimals_as_floats(frame: pl.DataFrame, engine: str) -> pl.DataFrame:
    """Return a table with floating-point numbers in the place of decimals."""
    for column in frame.select(selectors.decimal()):
        fitted = column.cast(pl.Float64)
        back = fitted.cast(column.dtype, strict=False)
        if not back.equals(column, null_equal=True):
            refuse_column(
                column.name,
                "decimals of more digits than a floating-point number has",
                engine,
                "round it, or convert it to text",
            )
        frame = frame.with_columns(fitted)
    return frame


def refuse_nul(frame: pl.DataFrame, engine: str) -> None:
    """Refuse texts with the character U+0000."""
    for column in frame.select(pl.col(pl.String)):
        if bool(column.str.contains("\0", literal=True).any()):
            refuse_column(column.name, "a text with the character U+0000", engine, "remove it")


def refuse_types(frame: pl.DataFrame, engine: str, *, lists: bool) -> None:
    """Refuse columns of types that no database has; lists: whether it has lists."""
    for name, dtype in frame.schema.items():
        nested = dtype.is_nested() and not (lists and isinstance(dtype, pl.List))
        if nested or dtype == pl.Object:
            refuse_column(
                name, f"values of the type {dtype}", engine, "drop it, or convert it to text"
            )


def refuse_column(column: str, what: str, engine: str, mend: str) -> NoReturn:
    """Say that a database cannot hold a column."""
    raise DataError(f"column {column!r} holds {what}, which {engine} cannot store exactly: {mend}")
