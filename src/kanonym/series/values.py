"""Values and their types as a file holds them, and columns brought to the types of the fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.hierarchy.leaves import parse_leaves, parse_times, value_texts

_PLAIN: dict[str, pl.DataType] = {
    str(dtype): dtype
    for dtype in (
        *(pl.Int8(), pl.Int16(), pl.Int32(), pl.Int64(), pl.Int128()),
        *(pl.UInt8(), pl.UInt16(), pl.UInt32(), pl.UInt64()),
        *(pl.Float32(), pl.Float64(), pl.Boolean(), pl.String(), pl.Date(), pl.Time()),
    )
}
_BY_TEXT = (pl.Date, pl.Datetime, pl.Time, pl.Decimal)


def type_form(dtype: pl.DataType) -> Any:
    """Return a column type as JSON holds it: its name, or a mapping from it to parameters."""
    if isinstance(dtype, pl.Enum):
        return {"Enum": dtype.categories.to_list()}
    if isinstance(dtype, pl.Datetime):
        return {"Datetime": [dtype.time_unit, dtype.time_zone]}
    if isinstance(dtype, pl.Duration):
        return {"Duration": dtype.time_unit}
    if isinstance(dtype, pl.Decimal):
        return {"Decimal": [dtype.precision, dtype.scale]}
    return "Categorical" if dtype == pl.Categorical else str(dtype)


def type_of(form: Any) -> pl.DataType:
    """Return the column type of a form.

    Raises
    ------
    ValueError
        There is no such type.

    """
    if form == "Categorical":
        return pl.Categorical()
    if isinstance(form, str) and form in _PLAIN:
        return _PLAIN[form]
    if isinstance(form, dict) and len(form) == 1:
        ((name, given),) = form.items()
        if name == "Enum":
            return pl.Enum(given)
        if name == "Datetime":
            return pl.Datetime(*given)
        if name == "Duration":
            return pl.Duration(given)
        if name == "Decimal":
            return pl.Decimal(*given)
    raise ValueError(f"no column type: {form!r}")


def to_json(values: pl.Series) -> list[Any]:
    """Return values as JSON holds them: times as ISO text, durations as whole numbers."""
    if values.dtype == pl.Duration:
        return values.to_physical().to_list()
    return (value_texts(values) if values.dtype in _BY_TEXT else values).to_list()


def from_json(name: str, values: Sequence[Any], dtype: pl.DataType) -> pl.Series:
    """Return the values of a type that `to_json` made."""
    if dtype == pl.Duration:
        return pl.Series(name, values, dtype=pl.Int64).cast(dtype)
    if dtype in _BY_TEXT:
        known = list(dict.fromkeys(one for one in values if one is not None))
        places = {text: place for place, text in enumerate(known)}
        read = parse_leaves(pl.Series(name, known, dtype=pl.String), dtype, lambda _: "the file")
        chosen = [None if one is None else places[one] for one in values]
        return read.gather(pl.Series(chosen, dtype=pl.UInt32))
    if dtype == pl.Categorical:
        return pl.Series(name, values, dtype=pl.String).cast(dtype)
    return pl.Series(name, values, dtype=dtype)


def align_column(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return a column of a batch so that it can be compared with the column of the fit.

    Files lose types: a column of whole numbers is text where one batch has a code with a
    leading zero. Numbers stay as wide as they are; categories that an enumeration of the fit
    does not have come after its own.

    Parameters
    ----------
    column
        As the batch has it.
    dtype
        The type that the column had in the fit.

    Raises
    ------
    DataError
        A cell is no value of that type: names its row.

    """
    own = column.dtype
    both = own, dtype
    if own == dtype or all(one.is_integer() for one in both) or all(one.is_float() for one in both):
        return column
    if column.null_count() == len(column):
        return pl.Series(column.name, [None] * len(column), dtype=dtype)
    if dtype in (pl.String, pl.Categorical):
        return column.cast(pl.String)
    if isinstance(dtype, pl.Enum) and own in (pl.String, pl.Categorical, pl.Enum):
        known = dtype.categories.to_list()
        words = column.cast(pl.String)
        more = set(words.drop_nulls().unique().to_list()) - set(known)
        return words.cast(pl.Enum([*known, *sorted(more)]))
    cast = _convert_column(column, dtype)
    if cast is None:
        raise DataError(
            f"column {column.name!r} holds {own}, but {dtype} in the table that was fitted; "
            "convert it"
        )
    lost = cast.is_null() & column.is_not_null()
    if own.is_numeric() or own == pl.Datetime:  # to fewer digits, to days
        lost |= (cast.cast(own) != column).fill_null(value=False)
    if lost.any():
        row = lost.arg_max() or 0
        raise DataError(
            f"column {column.name!r}, row {row + 1}: {str(column[row])!r} is no {dtype}, which the "
            "column held in the table that was fitted; correct the cell, or leave it empty"
        )
    return cast


def _convert_column(column: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    """Return a column in another type, null where a cell has no such value; or None."""
    own = column.dtype
    days = (pl.Date, pl.Datetime)
    if dtype.is_numeric() and (own.is_numeric() or own == pl.String):
        return column.cast(dtype, strict=False)
    if dtype == pl.Boolean and own == pl.String:
        truth = {"true": True, "1": True, "false": False, "0": False}
        words = column.str.strip_chars().str.to_lowercase()
        return words.replace_strict(truth, default=None, return_dtype=pl.Boolean)
    if dtype not in days or own not in (*days, pl.String):
        return None
    times = parse_times(column) if own == pl.String else column
    if isinstance(dtype, pl.Datetime) and dtype.time_zone and own != pl.Datetime:
        times = times.cast(pl.Datetime(dtype.time_unit)).dt.replace_time_zone(dtype.time_zone)
    return times.cast(dtype, strict=False)


def categories_as_text(values: pl.Series) -> pl.Series:
    """Return truth values and categories as text, as domains hold them; others as they are."""
    return values.cast(pl.String) if values.dtype in (pl.Boolean, pl.Categorical) else values


def stack_columns(above: pl.Series, below: pl.Series) -> pl.Series:
    """Return two columns of one attribute end to end, in the narrowest type that holds both."""
    if above.dtype == below.dtype:
        return pl.concat([above, below.alias(above.name)])
    if isinstance(above.dtype, pl.Enum) and isinstance(below.dtype, pl.Enum):
        words = dict.fromkeys([*above.dtype.categories, *below.dtype.categories])
        both = pl.Enum(list(words))
        return pl.concat([above.cast(both), below.cast(both).alias(above.name)])
    parts = [one.alias(above.name).to_frame() for one in (above, below)]
    return pl.concat(parts, how="vertical_relaxed").to_series()
