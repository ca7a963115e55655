"""Conventions: dates and numbers as people write them, `31.12.1954` and `58.200,50 €`.

A convention reads the texts of a column as values and writes values, and labels made of
values (`[1950-01-01, 1959-12-31]`), in the same style. It belongs to an attribute of a policy
(`type`, `format`), declared there or detected in a column of texts.
"""

from __future__ import annotations

import polars as pl

from kanonym.data.conventions.columns import (
    canonical_table,
    changed_texts,
    styled_columns,
    styled_table,
    typed_table,
)
from kanonym.data.conventions.dates import DateConvention
from kanonym.data.conventions.detection import Detection, detect, detect_conventions
from kanonym.data.conventions.numbers import NumberConvention
from kanonym.data.errors import PolicyError

__all__ = [
    "TYPES",
    "Convention",
    "DateConvention",
    "Detection",
    "NumberConvention",
    "canonical_table",
    "changed_texts",
    "convention_of",
    "detect",
    "detect_conventions",
    "plain_text",
    "styled_columns",
    "styled_table",
    "typed_table",
]

Convention = DateConvention | NumberConvention

TYPES = ("date", "number", "text")
"""What `type` of an attribute may be; `text` is not read as anything else."""


def plain_text(text: str, convention: Convention) -> str:
    """Return a value as text without its convention, `1954-12-31`; other texts as they are."""
    found = convention.write_canonical(convention.read(pl.Series([text])))[0]
    return text if found is None else str(found)


def convention_of(kind: str | None, form: str | None) -> Convention | None:
    """Return the convention that an attribute declares; None for none.

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
    return DateConvention(form) if kind == "date" else NumberConvention.from_example(form)
