"""Records of SIGO: JSON Lines, a JSON array or CSV in, and out as Go writes them.

A value that nobody replaces is printed as it came, so `1.10` stays `1.10` and a number of
thirty digits keeps them all. Most files have few layouts (orders of keys), and are read by a
kernel. All others are read one by one, and so are those with a fault, which is then told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError, SchemaError
from kanonym.data.files import delimited
from kanonym.data.files.disk import decode, read_bytes
from kanonym.data.files.json_records import is_text, read_objects
from kanonym.data.results import ShortRepr
from kanonym.data.schema import Insensitive, Role, Schema
from kanonym.data.text_encoding import to_utf8

SMALL, LARGE = 1e-6, 1e21
"""Go's `encoding/json` writes numbers outside of these with an exponent."""


def go_number(value: float) -> str:
    """Return a finite number as Go's `encoding/json` writes it.

    The shortest digits that read back as the same number; no `.0`; an exponent only below
    1e-6 and from 1e21 on, without leading zeros.

    Examples
    --------
    >>> [go_number(value) for value in (3.0, 18.17, 1e-05, 1e-07, 1e20, 1e22)]
    ['3', '18.17', '0.00001', '1e-7', '100000000000000000000', '1e+22']

    """
    text = repr(float(value))
    if value != 0 and not SMALL <= abs(value) < LARGE:
        digits, _, exponent = text.partition("e")
        return f"{digits}e{exponent[0]}{exponent[1:].lstrip('0')}"
    if "e" in text:
        text = format(Decimal(text), "f")
    return text.removesuffix(".0")


def go_numbers(values: NDArray[np.float64]) -> pl.Series:
    """Return (n,) texts of finite numbers, each distinct one written once."""
    distinct, place = np.unique(values, return_inverse=True)
    return _format_distinct(list(map(go_number, distinct.tolist())), place)


def iso_dates(days: NDArray[np.float64]) -> pl.Series:
    """Return (n,) JSON texts of dates, given as whole days since 1970."""
    distinct, place = np.unique(days, return_inverse=True)
    dates = distinct.astype(np.int64).astype("datetime64[D]")
    return _format_distinct([f'"{date}"' for date in dates.astype(str).tolist()], place)


def quote_texts(texts: pl.Series) -> pl.Series:
    """Return texts, without null, as JSON strings."""
    return pl.Series(
        texts.name, [json.dumps(text, ensure_ascii=False) for text in texts], pl.String
    )


def json_lines(
    records: Records, order: NDArray[np.int64] | None, values: Mapping[str, pl.Series]
) -> bytes:
    """Return records as JSON Lines.

    order: (m,) rows of the input in printed order; None for all in their own.
    values: by key, (m,) JSON texts in printed order that take the place of the input's, null where
    that stays. Keys that a record does not have follow its own.
    """
    layout = records.layout if order is None else records.layout[order]
    m = len(layout)
    rows = np.arange(m) if order is None else order
    printed, places = [], []
    for one in np.unique(layout):
        place = np.flatnonzero(layout == one)
        names = records.layouts[one]
        parts: list[pl.Expr] = []
        for name in names:
            old = records.columns[name].gather(rows[place])
            new = values[name].gather(place) if name in values else None
            parts.append(_key(name, "," if parts else "{"))
            parts.append(pl.lit(old) if new is None else pl.coalesce(pl.lit(new), pl.lit(old)))
        further = [  # null where the value is null
            pl.concat_str(_key(name, ""), pl.lit(column.gather(place)))
            for name, column in values.items()
            if name not in names
        ]
        if names:
            parts += [pl.concat_str(pl.lit(","), one).fill_null("") for one in further]
        else:
            parts = [pl.repeat("{", len(place))]
            parts += [pl.concat_str(further, separator=",", ignore_nulls=True)] if further else []
        parts.append(pl.lit("}\n"))
        printed.append(pl.select(pl.concat_str(parts).alias("line")).to_series())
        places.append(place)
    if not printed:
        return b""
    every = pl.concat(printed)
    if len(printed) > 1:
        every = every.gather(np.argsort(np.concatenate(places)))
    text: str = every.str.join("").item()
    return text.encode()


def _key(name: str, before: str) -> pl.Expr:
    return pl.lit(f"{before}{json.dumps(name, ensure_ascii=False)}:")


def _format_distinct(texts: list[str], place: NDArray[np.int64]) -> pl.Series:
    return pl.Series(texts, dtype=pl.String).gather(place)


NULL = "null"


@dataclass(frozen=True, slots=True, repr=False)
class Records(ShortRepr):
    """The records of one file, column by column.

    columns: by key the (n,) JSON text of each record's value, null where it has no such key. A key
    that stands twice in a record has its last value.
    layout: (n,) int32, the place of each record's order in `layouts`.
    lines: (n,) int64, the line where each record begins; of CSV, its row below the header.
    """

    where: str
    columns: dict[str, pl.Series]
    layouts: tuple[tuple[str, ...], ...]
    layout: NDArray[np.int32]
    lines: NDArray[np.int64]
    is_json: bool = True

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.layout)

    def require(self, names: Sequence[str]) -> None:
        """Refuse names that no record has; a file without a record has all."""
        missing = [name for name in names if name not in self.columns]
        if missing and not self.is_json:
            raise SchemaError(
                f"{self.where}:1:1: neither a JSON object nor a CSV header with "
                f"{', '.join(map(repr, missing))}"
            )
        if missing and len(self):
            try:
                Schema.resolve(
                    list(self.columns), dict.fromkeys(names, Insensitive()), Role.INSENSITIVE
                )
            except SchemaError as error:
                raise SchemaError(f"{self.where}: {error}") from None

    def place(self, row: int) -> str:
        """Return where a record stands, for messages."""
        line = int(self.lines[row])
        return f"{self.where}:{line}" if self.is_json else f"{self.where}, record {line}"


def read_records(path: str) -> Records:
    """Read a file, or standard input for `-`.

    Notes
    -----
    All is held in memory. Cost O(bytes); objects of few layouts are read many times faster than
    others.

    """
    where = "standard input" if path == "-" else path
    data = to_utf8(read_bytes(path), where, None)
    text = decode(data, where)
    first = text[_skip_blank(text, 0) :][:1]
    if first not in ("", "{", "["):
        return _read_csv(data, where)
    texts = read_objects(text)
    return _read_sequence(text, where) if texts is None else Records(where, *texts)


def _read_csv(data: bytes, where: str) -> Records:
    frame = delimited.read(data, where)
    columns = {}
    for column in frame:
        if column.dtype.is_float():
            texts = go_numbers(column.fill_null(0).to_numpy())
        elif column.dtype.is_integer() or column.dtype == pl.Boolean:
            texts = column.cast(pl.String)
        else:
            texts = quote_texts(column.cast(pl.String).fill_null(""))
        columns[column.name] = pl.select(
            pl.when(column.is_null()).then(pl.lit(NULL)).otherwise(texts.fill_null(NULL))
        ).to_series()
    n = len(frame)
    return Records(
        where, columns, (tuple(columns),), np.zeros(n, np.int32), np.arange(1, n + 1), is_json=False
    )


def _read_sequence(text: str, where: str) -> Records:
    """Read any sequence of objects."""
    columns: dict[str, list[str | None]] = {}
    layouts: dict[tuple[str, ...], int] = {}
    layout: list[int] = []
    lines: list[int] = []
    line, counted = 1, 0
    for start, record in _objects(text, where):
        line += text.count("\n", counted, start)
        counted = start
        n = len(layout)
        for name, value in record.items():
            column = columns.get(name)
            if column is None:
                column = columns[name] = []
            column.extend([None] * (n - len(column)))
            column.append(value)
        layout.append(layouts.setdefault(tuple(record), len(layouts)))
        lines.append(line)
    n = len(layout)
    return Records(
        where,
        {
            name: pl.Series(name, column + [None] * (n - len(column)), pl.String)
            for name, column in columns.items()
        },
        tuple(layouts),
        np.array(layout, np.int32),
        np.array(lines, np.int64),
    )


def _objects(text: str, where: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the objects of a text and where they begin, in an array or one behind the other."""
    place = _skip_blank(text, 0)
    in_array = text[place : place + 1] == "["
    more = True
    try:
        if in_array:
            place = _skip_blank(text, place + 1)
            more = text[place : place + 1] != "]"
            place = place if more else _skip_blank(text, place + 1)
        while more and (in_array or place < len(text)):
            record, after = _object(text, place)
            yield place, record
            place = _skip_blank(text, after)
            if in_array:
                more = _mark(text, place, ",]") == ","
                place = _skip_blank(text, place + 1)
        if not more:
            _end(text, place)
    except json.JSONDecodeError as error:
        raise DataError(_fault(text, error.pos, error.msg, where)) from None
    except RecursionError:
        raise DataError(f"{where}: a value is nested too deeply") from None


def _object(text: str, place: int) -> tuple[dict[str, str], int]:
    """Return the texts of an object's values by key, and the place behind it."""
    _mark(text, place, "{")
    record: dict[str, str] = {}
    place = _skip_blank(text, place + 1)
    if text[place : place + 1] == "}":
        return record, place + 1
    while True:
        _mark(text, place, '"')
        start = place
        name, place = _DECODER.raw_decode(text, start)
        if not is_text(name):
            raise json.JSONDecodeError("Key with half of a surrogate pair", text, start)
        place = _skip_blank(text, place)
        _mark(text, place, ":")
        start = _skip_blank(text, place + 1)
        try:
            _, place = _DECODER.raw_decode(text, start)
        except _NoJsonError as error:
            raise json.JSONDecodeError(str(error), text, start) from None
        value = text[start:place]
        # Blanks inside of nested values go: a record is one line of output.
        record[name] = _compact(value) if value[0] in "{[" else value
        place = _skip_blank(text, place)
        if _mark(text, place, ",}") == "}":
            return record, place + 1
        place = _skip_blank(text, place + 1)


def _mark(text: str, place: int, allowed: str) -> str:
    """Return the character at a place, which must be one of those allowed."""
    mark = text[place : place + 1]
    if not mark or mark not in allowed:
        raise json.JSONDecodeError(f"Expecting {' or '.join(map(repr, allowed))}", text, place)
    return mark


def _end(text: str, place: int) -> None:
    """Refuse anything that follows an array."""
    if place < len(text):
        raise json.JSONDecodeError("Extra data behind the array", text, place)


def _compact(value: str) -> str:
    return _STRING_OR_BLANK.sub(lambda found: found[1] or "", value)


def _skip_blank(text: str, place: int) -> int:
    if text[place : place + 1] not in _BLANKS:  # mostly
        return place
    match = _BLANK.match(text, place)
    return match.end() if match else place


def _fault(text: str, place: int, reason: str, where: str) -> str:
    """Say what is wrong; what is missing at the end of a line is missing there."""
    before = text[:place]
    kept = before.rstrip()
    if "\n" in before[len(kept) :] and reason != "Expecting '{'":
        before = kept
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    return f"{where}:{line}:{column}: {reason}; nothing was printed"


class _NoJsonError(Exception):
    """A constant that Python's parser takes although JSON has none such."""


def _refuse_constant(constant: str) -> NoReturn:
    raise _NoJsonError(f"{constant} is not JSON")


_BLANKS = frozenset(" \t\r\n")
_BLANK = re.compile(r"[ \t\r\n]*")
_STRING_OR_BLANK = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\r\n]+')
# Numbers are not converted: a long one would take long.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=str, parse_float=str)
