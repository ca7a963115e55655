"""Quasi-identifiers as numbers: of numbers, dates and texts, and back to JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import DataError
from kanonym.data.table import LARGEST
from kanonym.sigo.records import NULL, Records, go_numbers, iso_dates

Kind = Literal["number", "date", "text"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One quasi-identifier.

    values: (n,) float64 by record: the number, the days since 1970, or the text's rank.
    """

    name: str
    kind: Kind
    values: NDArray[np.float64]
    vocabulary: pl.Series | None = None

    def format_values(self, values: NDArray[np.float64]) -> pl.Series:
        """Return (m,) JSON texts of values of this attribute; of dates, the nearest day's."""
        if self.vocabulary is not None:
            return self.vocabulary.gather(values.astype(np.int64))
        return iso_dates(round_half_away(values, 0)) if self.kind == "date" else go_numbers(values)


def round_half_away(values: NDArray[np.float64], digits: int) -> NDArray[np.float64]:
    """Round half away from zero, as Go's `math.Round` after scaling by a power of ten."""
    scaled = values * 10.0**digits
    whole = np.trunc(scaled)
    whole += np.sign(scaled) * (np.abs(scaled - whole) >= 0.5)
    result: NDArray[np.float64] = whole / 10.0**digits
    return result


def read_attribute(records: Records, name: str) -> Attribute:
    """Read one quasi-identifier."""
    cells = records.columns[name]
    numbers = cells.cast(pl.Float64, strict=False)
    if not numbers.null_count():  # texts have quotes
        return _attribute_of_numbers(records, name, numbers)
    _refuse(records, name, cells.is_null(), "is missing; give every record a value")
    _refuse(records, name, cells == NULL, "is null; replace it, or leave the record out")
    nested = cells.str.contains(r"^[\[{]")
    middle = "put its middle in its place, or take what meanAggregation prints"
    _refuse(records, name, nested, f"is neither a number nor a text; {middle}")
    is_text = cells.str.starts_with('"')
    texts = _unquote(cells.replace({"true": "1", "false": "0"}), is_text)
    numbers = texts.cast(pl.Float64, strict=False)
    bad = numbers.is_null()
    if is_text.all() and bad.any():
        return _attribute_of_texts(name, texts)
    _refuse(records, name, bad, "is a text among numbers; make it a number, or all of them texts")
    return _attribute_of_numbers(records, name, numbers)


def _attribute_of_numbers(records: Records, name: str, numbers: pl.Series) -> Attribute:
    fits = numbers.abs() <= LARGEST
    _refuse(records, name, ~fits, f"is not a finite number of at most {LARGEST:g}; replace it")
    return Attribute(name, "number", numbers.to_numpy())


def _attribute_of_texts(name: str, texts: pl.Series) -> Attribute:
    dates = texts.str.to_date("%Y-%m-%d", strict=False)
    if not dates.null_count() and (dates.cast(pl.String) == texts).all():
        return Attribute(name, "date", dates.cast(pl.Int32).cast(pl.Float64).to_numpy())
    words = texts.unique().sort()
    ranks = texts.replace_strict(words, pl.int_range(len(words), eager=True))
    vocabulary = [json.dumps(word, ensure_ascii=False) for word in words]
    return Attribute(name, "text", ranks.cast(pl.Float64).to_numpy(), pl.Series(vocabulary))


def _unquote(cells: pl.Series, is_text: pl.Series) -> pl.Series:
    """Return texts without quotes and escapes, other values as they are written."""
    if not is_text.any():
        return cells
    bare = cells.str.slice(1).str.head(-1).zip_with(is_text, cells)
    escaped = is_text & cells.str.contains("\\", literal=True)
    if escaped.any():
        decoded = [json.loads(cell) for cell in cells.filter(escaped)]
        bare.scatter(escaped.arg_true(), decoded)
    return bare


def identities(cells: pl.Series) -> pl.Series:
    """Return the texts by which sensitive values are told apart.

    A missing value is null; a number is the same however it is written, as a text too (`7`, `7.0`
    and `"7"`), a text however it is escaped, and an object whatever the order of its keys.
    """
    cells = cells.fill_null(NULL)
    plain = cells.str.contains(_PLAIN)
    if plain.all():
        return cells
    odd = cells.filter(~plain).unique()
    same = pl.Series([_canonical(json.loads(cell, **_AS_WRITTEN)) for cell in odd])
    return cells.replace(odd, same)


def _canonical(value: Any) -> str:
    """Return the text of a parsed value: of a number, or a text of one, its shortest digits."""
    if isinstance(value, dict):
        members = sorted((key, _canonical(one)) for key, one in value.items())
        return json.dumps(members, ensure_ascii=False)
    if isinstance(value, list):
        return json.dumps([_canonical(one) for one in value], ensure_ascii=False)
    if not isinstance(value, str):
        return json.dumps(value)
    number = _NUMBER.fullmatch(value)
    if number is None:
        return json.dumps(value, ensure_ascii=False)
    sign, whole, part, power = number.groups("")
    digits = (whole + part).lstrip("0")
    kept = digits.rstrip("0")
    zeros = int(power or 0) - len(part) + len(digits) - len(kept)
    if not kept:
        return "0"
    sign = sign.removeprefix("+")
    return (
        f"{sign}{kept}{'0' * zeros}" if 0 <= zeros <= _MOST - len(kept) else f"{sign}{kept}e{zeros}"
    )


_MOST = 40
"""Digits of a whole number that is written out."""
_PLAIN = rf'^(?:0|-?[1-9]\d{{0,{_MOST - 1}}}|null|true|false|"(?:[^"\\\d+.-][^"\\]*)?")$'
"""Cells that are canonical as they are."""
_NUMBER = re.compile(r"([+-]?)(?=\.?\d)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,18}))?", re.ASCII)
_AS_WRITTEN: dict[str, Any] = {"parse_int": str, "parse_float": str}


def _refuse(records: Records, name: str, bad: pl.Series, reason: str) -> None:
    if not bad.any():
        return
    row = int(bad.arg_max() or 0)
    cell = records.columns[name][row]
    value = "" if cell in (None, NULL) else f": {shorten(cell, 60, placeholder='…')}"
    raise DataError(f"{records.place(row)}: quasi-identifier {name!r}{value} {reason}")
