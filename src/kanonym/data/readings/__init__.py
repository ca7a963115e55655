"""Readings: numbers, dates, times and bands as people write them: `31.12.1954`, `165 cm`, `90+`.

A reading reads the texts of a column as values and writes values, and labels made of
values (`[1950-01-01, 1959-12-31]`), in the same style. It belongs to an attribute of a policy
(`type`, `format`, `years_from`, `missing`, `exceptions`), declared there or detected in a column
of texts. This is the one place that decides how a column is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from kanonym.data.errors import PolicyError
from kanonym.data.readings.columns import (
    canonical_table,
    changed_texts,
    settle_readings,
    styled_columns,
    styled_table,
    typed_like,
    typed_table,
    with_infinite,
)
from kanonym.data.readings.dates import DateReading
from kanonym.data.readings.detection import Detection, detect, detect_readings, settle
from kanonym.data.readings.numbers import NumberReading
from kanonym.data.readings.reading import MARK, Exceptional, OrderedReading, Reading, Style

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
    "with_infinite",
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
