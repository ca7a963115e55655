"""Readings: dates and numbers as people write them, `31.12.1954` and `58.200,50 €`.

A reading reads the texts of a column as values and writes values, and labels made of
values (`[1950-01-01, 1959-12-31]`), in the same style. It belongs to an attribute of a policy
(`type`, `format`), declared there or detected in a column of texts.
"""

from __future__ import annotations

import polars as pl

from kanonym.data.errors import PolicyError
from kanonym.data.readings.columns import (
    canonical_table,
    changed_texts,
    styled_columns,
    styled_table,
    typed_table,
)
from kanonym.data.readings.dates import DateReading
from kanonym.data.readings.detection import Detection, detect, detect_readings
from kanonym.data.readings.numbers import NumberReading

__all__ = [
    "TYPES",
    "DateReading",
    "Detection",
    "NumberReading",
    "Reading",
    "canonical_table",
    "changed_texts",
    "detect",
    "detect_readings",
    "plain_text",
    "reading_of",
    "styled_columns",
    "styled_table",
    "typed_table",
]

Reading = DateReading | NumberReading

TYPES = ("date", "number", "text")
"""What `type` of an attribute may be; `text` is not read as anything else."""


def plain_text(text: str, reading: Reading) -> str:
    """Return a value as text without its reading, `1954-12-31`; other texts as they are."""
    found = reading.write_canonical(reading.read(pl.Series([text])))[0]
    return text if found is None else str(found)


def reading_of(kind: str | None, form: str | None) -> Reading | None:
    """Return the reading that an attribute declares; None for none.

    Parameters
    ----------
    kind
        One of `TYPES`, or None.
    form
        A format of dates, or a number as an example.

    Raises
    ------
    PolicyError
        Another type, a type without its format, or a format that says too little.

    """
    if kind is not None and kind not in TYPES:
        raise PolicyError(f"type {kind!r} is unknown; it is one of {', '.join(TYPES)}")
    if kind in (None, "text"):
        if form is not None:
            raise PolicyError("format needs a type: date or number")
        return None
    if form is None:
        example = '"%d.%m.%Y"' if kind == "date" else '"1.234,50"'
        raise PolicyError(f"type {kind} needs a format, such as {example}")
    return DateReading(form) if kind == "date" else NumberReading.from_example(form)
