"""Columns whose cells keep their own types: nothing is converted because of another cell."""

from __future__ import annotations

import datetime as dt
import math
import numbers
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError
from kanonym.data.hierarchy.builders.grid import number_text

_LARGEST = 10**300
"""Larger whole numbers have no float."""


def cells_of(native: Any, name: str) -> pl.Series:
    """Return a column of a table as it is; one without a type of its own as Python objects.

    native: as `frames.to_eager` returns it. Objects and categories of pandas may be of any types.
    """
    try:
        column = None if _may_be_mixed(native, name) else frames.raw_column(native, name)
    except DataError:  # several types, or one that polars does not have
        column = None
    if column is not None and not column.dtype.is_extension():
        return column
    given = native[name]
    values = given.astype(object).tolist() if hasattr(given, "astype") else given.to_pylist()
    return _objects(name, values)


def _may_be_mixed(native: Any, name: str) -> bool:
    """Tell whether a column is one of pandas without a type of its own."""
    return hasattr(native, "iloc") and str(native[name].dtype) in ("object", "category")


def _objects(name: str, values: list[Any]) -> pl.Series:
    return pl.Series(name, values, dtype=pl.Object)


def text_of_value(value: Any) -> str | None:
    """Return the text of one value of Python; None for a missing one, and for lists and the like.

    Examples
    --------
    >>> [text_of_value(one) for one in (True, 7.0, dt.date(2024, 7, 1), " a", float("nan"), [1])]
    ['true', '7', '2024-07-01', ' a', None, None]

    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()  # half of a surrogate pair is no text
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return None
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, np.datetime64 | np.timedelta64):
        value = value.astype("datetime64[us]" if isinstance(value, np.datetime64) else "m8[us]")
        return text_of_value(value.item())
    if isinstance(value, dt.timedelta):
        text: str | None = pl.Series([value]).dt.to_string("iso")[0]
        return text
    if isinstance(value, dt.date | dt.time):
        return value.isoformat() if value == value else None  # noqa: PLR0124 - NaT is not
    if isinstance(value, numbers.Complex) and not value.imag:
        value = value.real
    if isinstance(value, numbers.Integral) and abs(int(value)) < _LARGEST:
        return str(int(value))
    if isinstance(value, numbers.Real | Decimal):
        return _float_text(value)
    return str(value) if isinstance(value, UUID) or type(value).__name__ == "Period" else None


def _float_text(value: Any) -> str | None:
    try:
        number = float(value)
    except OverflowError:
        return "inf" if value > 0 else "-inf"
    except ValueError:  # a signalling NaN
        return None
    return None if math.isnan(number) else number_text(number)
