"""What records are sorted by, whatever their columns hold."""

from __future__ import annotations

import polars as pl

from kanonym.data import frames
from kanonym.data.columns.rebuild import categories_as_text
from kanonym.data.errors import DataError


def sorting_key(frame: object, name: str) -> pl.Series:
    """Return what puts the records of a table in an order by one column.

    The column itself. Where it has no order (lists, structs, bytes), a number for each value,
    by which equal ones stand together; objects of several types are compared by their `repr`.
    """
    native = frames.to_eager(frame)
    try:
        return frames.column(native, name)
    except DataError as error:
        refused = error
    try:
        series = frames.to_polars(frames.assemble(native, None, [name])).to_series()
    except DataError:  # objects of several types
        series = None
    if series is None or series.dtype == pl.Object:
        return pl.Series(name, [repr(one) for one in native[name]], pl.String)
    if series.dtype.is_temporal():
        raise refused
    return categories_as_text(series).hash(0).reinterpret(signed=True).alias(name)
