"""Cells read one at a time, by what the policy declares: no record decides how another is read.

Readers of files and frame libraries give a column one type, and one odd record changes it for
all: a word among dates, a fraction among long numbers. Under differential privacy a record must
change nothing but its own cell. So each cell becomes a text that follows from it alone and from
the declared `type` and `format`, and equal values have one text whatever type their column has:
7, 7.0 and `7.0`; a date and its midnight; an instant in any zone.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from kanonym.data import frames
from kanonym.data.columns.texts import cells_of, text_of_value
from kanonym.data.files.text_cells import values_of_file
from kanonym.data.hierarchy.builders.interval import number_text
from kanonym.data.readings import OrderedReading, reading_of
from kanonym.data.readings.reading import is_missing
from kanonym.data.schema import Attribute

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,14}")
_PLAIN = r"^(0|-?[1-9][0-9]{0,8}|-?(0|[1-9][0-9]{0,8})\.[0-9]{0,3}[1-9])$"
"""Numbers that are canonical as they are written."""
_NUMBER = re.compile(r"-?(((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]+)?|inf|infinity)")
_CLOCK = r"([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:\.([0-9]*))?"
_ZONE = r"(?:z|([-+])([0-9]{2}):?([0-9]{2})?:?([0-9]{2})?)"
_TIME = re.compile(_CLOCK)
_INSTANT = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})[t ]{_CLOCK} ?({_ZONE})?")
_DAYS = (-719_162, 2_932_896)  # 0001-01-01 and 9999-12-31 from 1970-01-01
_A_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def declared_cells(
    frame: Any, attributes: Mapping[str, Attribute], *, exact: Iterable[str] = ()
) -> pl.DataFrame:
    """Return the columns of a table that a policy describes, as texts, each cell read alone.

    exact: the columns that tell persons apart, as they are written; a blank names nobody.
    """
    native = frames.to_eager(frame)
    names = [name for name in frames.column_names(native) if name in attributes]
    return pl.DataFrame(
        [
            exact_texts(cells_of(native, name)).replace({"": None})
            if name in set(exact)
            else read_cells(cells_of(native, name), attributes[name])
            for name in names
        ]
    )


def table_of_cells(cells: pl.DataFrame) -> pl.DataFrame:
    """Return cells that were read alone as a table with types, for measures of its holder."""
    return pl.DataFrame([values_of_file(_plain_texts(cell)) for cell in cells])


def read_cells(
    column: pl.Series, attribute: Attribute | None, *, listed: bool = False
) -> pl.Series:
    """Return the text of each cell, read by what its attribute declares of how it is written.

    A text that is not written so is null where `exceptions` says so; else it is read as any other
    value is, and whether a hierarchy or a domain lists it decides what is released. listed: the
    cells are those that a hierarchy or a domain lists, which may be written in either way.
    """
    kind, form, years_from, missing = (
        getattr(attribute, name, None) for name in ("type", "format", "years_from", "missing")
    )
    style = reading.style if (reading := reading_of(kind, form, years_from)) else None
    if kind == "text":
        texts = exact_texts(column)
    elif style is None or isinstance(style, OrderedReading):  # the order of bands is the table's
        texts = canonical_texts(column)
    else:
        written = _written_texts(column)
        values = canonical_texts(style.write_canonical(style.read(written)))
        texts = pl.select(pl.coalesce(values, canonical_texts(column))).to_series()
        if getattr(attribute, "exceptions", None) == "null" and not listed:
            texts = texts.set(values.is_null() & written.is_not_null(), None)
    null = is_missing(_plain_texts(column), missing or (), words=style is not None)
    return texts.set(null, None)


def exact_texts(column: pl.Series) -> pl.Series:
    """Return values as they are written, without blanks around them; numbers with all digits."""
    return _plain_texts(column).str.strip_chars()


def canonical_texts(column: pl.Series) -> pl.Series:
    """Return values as texts: equal values have one text, whatever type their column has.

    7, 7.0 and "7.0" are one text, "007" another; true and "True" are one; a date and its midnight,
    and an instant in all zones. Whole numbers from 2^53 on are compared as floats, which is what
    libraries make of them. NaN is null, also as text; so are values without a text, such as lists.

    Notes
    -----
    Cost: a step of Python for each different value that is no short number.

    """
    texts = _plain_texts(column)
    if column.dtype.is_float():
        return texts
    written = texts.filter(~texts.str.contains(_PLAIN)).unique()
    if written.is_empty():
        return texts
    return texts.replace(written, pl.Series(map(canonical_text, written), dtype=pl.String))


def canonical_text(text: str) -> str | None:
    """Return the one text of a value that may be written in several ways.

    Examples
    --------
    >>> canonical_text(" 7.0"), canonical_text("007"), canonical_text("TRUE"), canonical_text("NaN")
    ('7', '007', 'true', None)
    >>> canonical_text("2024-07-01 00:00"), canonical_text("2024-07-01T10:30+02:00")
    ('2024-07-01', '2024-07-01T08:30:00+00:00')

    """
    text = text.strip()
    lower = text.lower()
    if lower in ("true", "false") or _WHOLE.fullmatch(lower):
        return lower
    if lower == "nan":
        return None
    if _NUMBER.fullmatch(lower):
        return number_text(float(lower))
    if match := _INSTANT.fullmatch(lower):
        return _instant_text(match) or text
    if match := _TIME.fullmatch(lower):
        return _clock_text(*match.groups())
    return text


def _plain_texts(column: pl.Series) -> pl.Series:
    """Return the text that a column of any type has for each value, null where it has none."""
    dtype = column.dtype
    if dtype in (pl.Object, pl.Binary):
        texts = [text_of_value(value) for value in column]
        return pl.Series(column.name, texts, dtype=pl.String)
    if dtype.is_float():
        return _number_texts(column.fill_nan(None))
    if isinstance(dtype, pl.Duration):
        return column.dt.to_string("iso")
    if isinstance(dtype, pl.Date | pl.Datetime):
        # Beyond the years 1 to 9999 the library has no text, and may end the process.
        unit = 1 if isinstance(dtype, pl.Date) else _A_DAY[dtype.time_unit]
        column = column.set(~(column.to_physical() // unit).is_between(*_DAYS), None)
        if getattr(dtype, "time_zone", None):
            return column.dt.to_string("%Y-%m-%dT%H:%M:%S%.f%:z")
    if dtype.is_nested():
        return pl.Series(column.name, [None] * len(column), dtype=pl.String)
    return column.cast(pl.String)


def _written_texts(column: pl.Series) -> pl.Series:
    """Return the cells that are texts, null for numbers, dates and other values with a type."""
    if column.dtype in (pl.Object, pl.Binary):
        values = (value if isinstance(value, str | bytes) else None for value in column)
        texts = [text_of_value(value) for value in values]
        return pl.Series(column.name, texts, dtype=pl.String)
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    return pl.Series(column.name, [None] * len(column), dtype=pl.String)


def _number_texts(column: pl.Series) -> pl.Series:
    """Return floats as labels show them: `39` for 39.0."""
    distinct = column.unique()
    texts = [None if one is None else number_text(one) for one in distinct.to_list()]
    return column.replace_strict(
        distinct, pl.Series(texts, dtype=pl.String), return_dtype=pl.String
    )


def _clock_text(minute: str, second: str | None, fraction: str | None) -> str:
    """Return a time of day as `10:30:00`, a fraction of a second without zeros at the end."""
    part = (fraction or "").rstrip("0")
    return f"{minute}{second or ':00'}" + (f".{part}" if part else "")


def _instant_text(found: re.Match[str]) -> str | None:
    """Return a time as `2024-07-01T10:30:00`, with a zone in UTC; midnight without one a date."""
    day, minute, second, fraction, zone, sign, *offset = found.groups()
    clock = _clock_text(minute, second, fraction)
    if zone is None:
        return day if clock == "00:00:00" else f"{day}T{clock}"
    whole, _, part = clock.partition(".")
    hours, minutes, seconds = (int(one or 0) for one in offset)
    shift = dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
    try:
        instant = dt.datetime.fromisoformat(f"{day}T{whole}")
        instant += shift if sign == "-" else -shift
    except (ValueError, OverflowError):  # no such time
        return None
    return instant.isoformat() + (f".{part}" if part else "") + "+00:00"
