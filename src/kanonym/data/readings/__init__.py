"""Readings: numbers, dates, times and bands as people write them: `31.12.1954`, `165 cm`, `90+`.

A reading reads the texts of a column as values and writes values, and labels made of
values (`[1950-01-01, 1959-12-31]`), in the same style. It belongs to an attribute of a policy
(`type`, `format`, `years_from`, `missing`, `exceptions`), declared there or detected in a column
of texts. This is the one place that decides how a column is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import polars as pl

from kanonym.data import frames
from kanonym.data.columns.values import ReleasedColumn, RepeatedColumn
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.readings.bounds import translate_labels
from kanonym.data.readings.dates import DateReading
from kanonym.data.readings.detection import Detection, detect, detect_readings, settle, settle_like
from kanonym.data.readings.numbers import NumberReading
from kanonym.data.readings.reading import (
    MARK,
    Exceptional,
    OrderedReading,
    Reading,
    Style,
    is_missing,
)

FrameT = TypeVar("FrameT")
Column = TypeVar("Column", bound=ReleasedColumn)


def settle_readings(
    native: Any, readings: Mapping[str, Reading], told: Callable[[str], None] | None = None
) -> dict[str, Reading]:
    """Return readings with what a table shows of them: exceptions, bounds, names of months.

    native: as `frames.to_eager` returns it. told: called with a sentence for each column with
    exceptions.
    """
    names = frames.column_names(native)
    found = {}
    for name, reading in readings.items():
        column = _texts(native, name, reading) if name in names else None
        if column is None or reading.style is None or reading.exceptions is not None:
            found[name] = reading
            continue
        found[name], note = settle(reading, column)
        if note is not None and told is not None:
            told(note)
    return found


def typed_like(native: FrameT, readings: Mapping[str, Reading]) -> FrameT:
    """Return a table read as another one: `typed_table` by the settled readings of that."""
    names = frames.column_names(native)
    known = {}
    for name, reading in readings.items():
        column = _texts(native, name, reading) if name in names else None
        if column is not None and reading.exceptions is not None:
            reading = settle_like(reading, column)  # noqa: PLW2901 - the same, for this table
        known[name] = reading
    return typed_table(native, known)


def typed_table(native: FrameT, readings: Mapping[str, Reading]) -> FrameT:
    """Return a table whose columns of text with a reading hold values.

    A column with exceptions holds both (`frames.with_exceptions`); who asks for a column of
    values gets null for them.

    native: as `frames.to_eager` returns it.
    """
    names = frames.column_names(native)
    typed = {}
    for name, reading in settle_readings(native, readings).items():
        if name not in names:
            continue
        texts = _texts(native, name, reading)
        if texts is not None:
            typed[name] = _read(texts, reading)
        elif reading.missing or reading.is_text:
            typed[name] = reading.read(frames.column(native, name))
    return _replace_columns(native, names, typed)


def canonical_table(native: FrameT, readings: Mapping[str, Reading]) -> FrameT:
    """Return a released table whose columns with a reading hold values or plain labels.

    A column of values alone holds values; one of labels has the values within them as labels
    have them without a reading, and all other labels as they are. The columns `name_min`
    and `name_max` are read by the reading of `name`. Exceptions that the readings know are null,
    and stand beside the values (`frames.with_exceptions`).
    """
    names = frames.column_names(native)
    changed = {}
    for name in names:
        reading = _reading_for(name, names, readings)
        if reading is None:
            continue
        column = _texts(native, name, reading)
        if column is not None and reading.style is not None:
            changed[name] = _canonical_texts(column, reading, reading.style)
        elif reading.missing or reading.is_text:
            changed[name] = reading.read(frames.column(native, name))
    return _replace_columns(native, names, changed)


def styled_columns(columns: Sequence[Column], readings: Mapping[str, Reading]) -> list[Column]:
    """Return released columns with values and labels in the style of their readings.

    A name stands for a column of the input, which has its style. A column that the style cannot
    hold exactly stays as it is.
    """
    names = [column if isinstance(column, str) else column.name for column in columns]

    def style(one: Column) -> Any:
        if isinstance(one, str):
            return one
        reading = _reading_for(one.name, names, readings)
        if reading is None or reading.style is None:
            return one
        if isinstance(one, RepeatedColumn):
            return replace(one, values=_style_column(one.values, reading, reading.style))
        return _style_column(one, reading, reading.style)

    return [style(column) for column in columns]


def styled_table(native: FrameT, readings: Mapping[str, Reading]) -> FrameT:
    """Return a table with values in the style of their readings; the inverse of `typed_table`.

    A column that the style cannot hold exactly stays as it is.
    """
    names = frames.column_names(native)
    styled = {
        name: _style_column(frames.column(native, name), readings[name], style)
        for name in names
        if name in readings and (style := readings[name].style) is not None
    }
    return _replace_columns(native, names, styled)


def _reading_for(
    name: str, names: Sequence[str], readings: Mapping[str, Reading]
) -> Reading | None:
    if name in readings:
        return readings[name]
    stem = name.removesuffix("_min").removesuffix("_max")
    return None if stem in names else readings.get(stem)


def _texts(native: Any, name: str, reading: Reading) -> pl.Series | None:
    """Return a column if it holds texts, else None: values need no reading.

    Whole numbers that are declared as dates, 19540318, are the texts of their digits.
    """
    column = frames.column(native, name)
    compact = isinstance(reading.style, DateReading) and column.dtype.is_integer()
    if column.dtype in (pl.Categorical, pl.Enum) or compact:
        column = column.cast(pl.String)
    return column if column.dtype == pl.String else None


def _read(texts: pl.Series, reading: Reading) -> pl.Series:
    """Return the values of texts, with the exceptions where there are some."""
    values, exceptions = reading.read(texts), reading.exceptions_of(texts)
    if exceptions is None or not exceptions.is_not_null().any():
        return values
    return frames.with_exceptions(values, exceptions)


def _canonical_texts(texts: pl.Series, reading: Reading, style: Style) -> pl.Series:
    values, bare = reading.read(texts), texts.str.strip_chars()
    exceptional = bare.is_in(list(reading.exceptions or ())).fill_null(value=False)
    column = ~is_missing(bare, reading.missing, words=True)
    if column.any() and not (values.is_null() & column & ~exceptional).any():
        return _read(texts, reading)
    labels = translate_labels(
        texts.set(exceptional, None),
        lambda parts: style.write_canonical(style.read(parts)),
        (style.separator, ", "),
        ranges=style.kind != "ordered",
    )
    if not exceptional.any() or reading.exceptional == "null":
        return labels
    return frames.with_exceptions(labels, bare.set(~exceptional, None))


def _style_column(column: pl.Series, reading: Reading, style: Style) -> pl.Series:
    if reading.is_plain:
        return column
    if column.dtype != pl.String:
        numbers = isinstance(style, NumberReading) and style.is_of_programs
        if (numbers or style.is_plain) and not style.has_bounds(column):
            return column
        texts = style.write(column)
        exact = style.read(texts).cast(column.dtype).eq_missing(column).all()
        return texts if exact else column
    marked = column.str.starts_with(MARK).fill_null(value=False)
    labels = column.set(marked, None)
    exact = True

    def rewrite_parts(parts: pl.Series) -> pl.Series:
        nonlocal exact
        values = style.read_canonical(parts)
        texts = style.write(values)
        exact = style.read(texts).cast(values.dtype).eq_missing(values).all()
        return texts

    texts = translate_labels(labels, rewrite_parts, (", ", style.separator))
    texts = texts if exact else labels
    return column.str.strip_prefix(MARK).zip_with(marked, texts) if marked.any() else texts


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
        and (texts.n_unique() > values.n_unique() or texts.null_count() < values.null_count())
    }


def _column(table: Any, name: str) -> pl.Series | None:
    """Return a column; None for lists and the like."""
    try:
        return frames.column(table, name)
    except DataError:
        return None


__all__ = [
    "EXCEPTIONAL",
    "MARK",
    "TYPES",
    "DateReading",
    "Detection",
    "Exceptional",
    "NumberReading",
    "OrderedReading",
    "Reading",
    "canonical_table",
    "changed_texts",
    "declared_form",
    "detect",
    "detect_readings",
    "plain_text",
    "reading_of",
    "settle",
    "settle_readings",
    "styled_columns",
    "styled_table",
    "typed_like",
    "typed_table",
]

TYPES = ("date", "time", "number", "ordered", "text")
"""What `type` of an attribute may be; `text` is not read as anything else."""

EXCEPTIONAL = ("keep", "null", "refuse")
"""What `exceptions` of an attribute may be."""


def plain_text(text: str, reading: Reading) -> str:
    """Return a value as text without its reading, `1954-12-31`; other texts as they are."""
    style = reading.style
    if style is None:
        return text
    found = style.write_canonical(style.read(pl.Series([text])))[0]
    return text if found is None else str(found)


def reading_of(
    kind: str | None,
    form: str | None = None,
    years_from: int | None = None,
    missing: Sequence[str | int | float] = (),
    exceptional: Exceptional = "keep",
) -> Reading | None:
    """Return the reading that an attribute declares; None for none."""
    if kind is not None and kind not in TYPES:
        raise PolicyError(f"type {kind!r} is unknown; it is one of {', '.join(TYPES)}")
    if exceptional not in EXCEPTIONAL:
        raise PolicyError(
            f"exceptions {exceptional!r} is unknown; it is one of {', '.join(EXCEPTIONAL)}"
        )
    if isinstance(missing, str) or not isinstance(missing, Sequence):
        raise PolicyError(f"missing is {missing!r}; it must be a list of words or codes")
    if form is not None and kind in (None, "text", "ordered"):
        raise PolicyError("format needs a type: date, time or number")
    if years_from is not None and (kind != "date" or form is None):
        raise PolicyError("years_from needs type: date, and a format with %y")
    words = tuple(str(one) for one in missing)
    style = _style(kind, form, years_from)
    if style is None and not words and kind != "text":
        return None
    return Reading(style, words, exceptional, is_text=kind == "text")


def declared_form(reading: Reading) -> dict[str, Any]:
    """Return the keys of an attribute of a policy that declare a reading."""
    style = reading.style
    if style is None:
        return {}
    form: dict[str, Any] = {"type": style.kind, "format": style.form, "years_from": None}
    if isinstance(style, DateReading):
        form |= {"format": None if style.is_plain else style.form, "years_from": style.years_from}
    return form


def _style(kind: str | None, form: str | None, years_from: int | None) -> Style | None:
    if kind == "number":
        return NumberReading() if form is None else NumberReading.from_example(form)
    if kind == "ordered":
        return OrderedReading()
    if kind in (None, "text"):
        return None
    default = "%Y-%m-%d" if kind == "date" else "%H:%M"
    style = DateReading(form or default, years_from)
    if style.kind != kind:
        raise PolicyError(f"format {form!r} is not a {kind} format; its type is {style.kind}")
    return style
