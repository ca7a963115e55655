"""Readings applied to tables: texts to values, and values and labels back to texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from kanonym.data import frames
from kanonym.data.columns.repeated_column import ReleasedColumn, RepeatedColumn
from kanonym.data.errors import DataError
from kanonym.data.readings.labels import translate_labels

if TYPE_CHECKING:
    from kanonym.data.readings import Reading

FrameT = TypeVar("FrameT")
Column = TypeVar("Column", bound=ReleasedColumn)


def typed_table(native: FrameT, readings: Mapping[str, Reading]) -> FrameT:
    """Return a table whose columns of text with a reading hold values.

    native: as `frames.to_eager` returns it.

    Raises
    ------
    DataError
        A text is none of its reading: names column and row.

    """
    names = frames.column_names(native)
    read = {name: _texts(native, name) for name in names if name in readings}
    typed = {
        name: _parse_texts(column, readings[name])
        for name, column in read.items()
        if column is not None
    }
    return _replace_columns(native, names, typed)


def canonical_table(native: FrameT, readings: Mapping[str, Reading]) -> FrameT:
    """Return a released table whose columns with a reading hold values or plain labels.

    A column of values alone holds values; one of labels has the values within them as labels
    have them without a reading, and all other labels as they are. The columns `name_min`
    and `name_max` are read by the reading of `name`.
    """
    names = frames.column_names(native)
    changed = {}
    for name in names:
        reading = _reading_for(name, names, readings)
        column = None if reading is None else _texts(native, name)
        if column is not None and reading is not None:
            changed[name] = _canonical_texts(column, reading)
    return _replace_columns(native, names, changed)


def styled_columns(columns: Sequence[Column], readings: Mapping[str, Reading]) -> list[Column]:
    """Return released columns with values and labels in the style of their readings.

    A name stands for a column of the input, which has its style. A column that the style cannot
    hold exactly stays as it is.
    """
    names = [one if isinstance(one, str) else one.name for one in columns]

    def style(one: Column) -> Any:
        if isinstance(one, str):
            return one
        reading = _reading_for(one.name, names, readings)
        if reading is None:
            return one
        if isinstance(one, RepeatedColumn):
            return replace(one, values=_style_column(one.values, reading))
        return _style_column(one, reading)

    return [style(one) for one in columns]


def styled_table(native: FrameT, readings: Mapping[str, Reading]) -> FrameT:
    """Return a table with values in the style of their readings; the inverse of `typed_table`.

    A column that the style cannot hold exactly stays as it is.
    """
    names = frames.column_names(native)
    styled = {
        name: _style_column(frames.column(native, name), readings[name])
        for name in names
        if name in readings
    }
    return _replace_columns(native, names, styled)


def _reading_for(
    name: str, names: Sequence[str], readings: Mapping[str, Reading]
) -> Reading | None:
    if name in readings:
        return readings[name]
    stem = name.removesuffix("_min").removesuffix("_max")
    return None if stem in names else readings.get(stem)


def _texts(native: Any, name: str) -> pl.Series | None:
    """Return a column if it holds texts, else None: values need no reading."""
    column = frames.column(native, name)
    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    return column if column.dtype == pl.String else None


def _parse_texts(texts: pl.Series, reading: Reading) -> pl.Series:
    values = reading.read(texts)
    wrong = values.is_null() & texts.is_not_null() & (texts.str.strip_chars() != "")
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise DataError(
            f"column {texts.name!r}, row {row + 1}: {texts[row]!r} is no {reading.kind} "
            f"written as {reading.form!r}; correct the cell, or the type of the attribute"
        )
    return values


def _canonical_texts(texts: pl.Series, reading: Reading) -> pl.Series:
    values = reading.read(texts)
    if values.null_count() == texts.null_count():
        return values
    return translate_labels(
        texts,
        lambda parts: reading.write_canonical(reading.read(parts)),
        (reading.separator, ", "),
        ranges=True,
    )


def _style_column(column: pl.Series, reading: Reading) -> pl.Series:
    if column.dtype != pl.String:
        texts = reading.write(column)
        exact = reading.read(texts).cast(column.dtype).eq_missing(column).all()
        return texts if exact else column
    texts = translate_labels(
        column,
        lambda parts: reading.write(reading.read_canonical(parts)),
        (", ", reading.separator),
    )
    back = translate_labels(
        texts,
        lambda parts: reading.write_canonical(reading.read(parts)),
        (reading.separator, ", "),
    )
    return texts if back.eq_missing(column).all() else column


def _replace_columns(
    native: FrameT, names: Sequence[str], changed: Mapping[str, pl.Series]
) -> FrameT:
    if not changed:
        return native
    columns = [changed.get(name, name) for name in names]
    return frames.assemble(native, None, columns)


def changed_texts(released: Any, plain: Any, names: Sequence[str]) -> dict[str, pl.Series]:
    """Return those of the released columns whose texts tell more apart than what is read of them.

    plain: the table as `canonical_table` returns it.
    """
    if plain is released:
        return {}
    both = {name: (_column(released, name), _column(plain, name)) for name in names}
    return {
        name: texts
        for name, (texts, values) in both.items()
        if texts is not None
        and values is not None
        and texts.dtype == pl.String
        and texts.n_unique() > values.n_unique()
    }


def _column(table: Any, name: str) -> pl.Series | None:
    """Return a column; None for lists and the like."""
    try:
        return frames.column(table, name)
    except DataError:
        return None
