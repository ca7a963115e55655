"""Texts of released cells, read as labels."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from kanonym.data.columns.values import text_of
from kanonym.data.errors import SchemaError
from kanonym.data.hierarchy.base import ROOT
from kanonym.data.hierarchy.labels import members_of, parse_times
from kanonym.data.results import ShortRepr
from kanonym.evaluation.pair.tables import Column, Generalization
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows


@dataclass(frozen=True, slots=True, repr=False)
class Cells(ShortRepr):
    """One attribute of an original and of a release.

    original: (n_original,) values.
    released: one (n_released,) column, or two of lowest and highest values.
    rows: (n_released,) int64, the original record of each released one, or None.
    classes: (n_released,) int32 equivalence classes of the release, from 0.
    """

    original: pl.Series
    released: tuple[pl.Series, ...]
    rows: Ints | None
    classes: Int32s
    recoded: bool
    labelled: bool = False

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.original.name

    @property
    def null(self) -> Bools:
        """(n_released,) bool, cells without a value."""
        found = self.released[0].is_null()
        for other in self.released[1:]:
            found &= other.is_null()
        return found.to_numpy()

    def blank(self) -> Bools:
        """Return (n_released,) bool: the cells without a value that are suppressed.

        Where records are known, those of classes of which a record had a value. Else none as
        long as the release has no more of them than the original; with more, nobody can tell
        which are suppressed, and all are taken to be.
        """
        null, before = self.null, self.original.is_null().to_numpy()
        if self.rows is not None:
            lost = np.zeros(int(self.classes.max(initial=-1)) + 1, np.bool_)
            lost[self.classes[null & ~before[self.rows]]] = True
            return null & lost[self.classes]
        return null if null.sum() > before.sum() else np.zeros(len(null), np.bool_)

    def unreadable(self, row: int, column: int = 0) -> SchemaError:
        """Return the error about one released value."""
        values = self.released[column]
        return SchemaError(
            f"column {values.name!r}, row {row + 1} of the release: {str(values[row])!r} is "
            f"neither a value of the original's {self.name!r} nor an interval, a set or a mask "
            "of its values; give the hierarchy of which it is a label (--hierarchy "
            f"{self.name}=FILE, hierarchies={{{self.name!r}: …}}, or in the policy)"
        )


@dataclass(frozen=True, slots=True, repr=False)
class ColumnReading(ShortRepr):
    """What was read of one attribute."""

    column: Column
    generalization: Generalization | None
    contains: bool
    unchanged: bool
    new: int = 0


def encode_distinct(values: pl.Series) -> tuple[pl.Series, Int32s]:
    """Return the distinct non-null values and (n,) int32 places among them, -1 for null."""
    column = values.drop_nulls().unique(maintain_order=True)
    numbers = pl.int_range(len(column), dtype=pl.Int32, eager=True)
    place = values.replace_strict(column, numbers, default=-1, return_dtype=pl.Int32)
    return column, place.to_numpy()


def to_physical(values: pl.Series) -> Floats:
    """Return numbers, or times in their physical unit, as float64; NaN for null."""
    plain = values.to_physical() if values.dtype.is_temporal() else values
    return plain.cast(pl.Float64).to_numpy(writable=True)


def value_range(line: Floats) -> tuple[float, float]:
    """Return the smallest and largest number, NaN where there is none."""
    held = line[~np.isnan(line)]
    return (float(held.min()), float(held.max())) if len(held) else (np.nan, np.nan)


def parse_values(texts: pl.Series, values: pl.Series) -> Floats:
    """Return texts as numbers or times of a column, NaN where a text is none.

    values: distinct values of the column; a text as recoding writes one of them is that.
    """
    line = pl.Series(to_physical(values))
    column = texts.replace_strict(text_of(values), line, default=None, return_dtype=pl.Float64)
    if values.dtype.is_numeric():
        others = texts.str.strip_chars().cast(pl.Float64, strict=False)
    else:
        others = pl.Series(to_physical(_times(texts, values.dtype)))
    return column.fill_null(others.fill_nan(None)).to_numpy(writable=True)


def _times(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return ISO texts in a type of time, null where one is none."""
    if dtype == pl.Time:
        return texts.str.to_time("%H:%M:%S%.f", strict=False)
    if dtype == pl.Date:
        return parse_times(texts).cast(pl.Date)
    if not isinstance(dtype, pl.Datetime):
        return pl.Series(texts.name, [None] * len(texts), dtype=dtype)
    unit, zone = dtype.time_unit, dtype.time_zone
    naive = parse_times(texts).cast(pl.Datetime(unit))
    if zone is None:
        return naive
    local = naive.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    fixed = texts.str.to_datetime(
        "%Y-%m-%dT%H:%M:%S%.f%:z", strict=False, time_unit=unit, time_zone="UTC"
    )
    return fixed.dt.convert_time_zone(zone).fill_null(local)


_INTERVAL = re.compile(r"([\[(\]])(.+?),\s*(.+)([\])\[])", re.DOTALL)
_PLAIN = re.compile(r"[\[(]-?[\d.]+, -?[\d.]+[\])]")
_BOUND = re.compile(r"(<=|>=|<|>|≤|≥)\s*(.+)", re.DOTALL)
_UPWARD = re.compile(r"(-?\d[\d.]*)\s*\+")
_RANGE = re.compile(r"(-?\d[\d.]*)\s*[-–—]\s*(-?\d[\d.]*)")
_TIMES = re.compile(r"(\d{4}-.+?)(?:\s+[-–—]\s+|\s*[–—]\s*)(\d{4}-.+)")
_PERIOD = re.compile(r"(\d{4})(?:-(\d\d))?")
_YEARS = re.compile(r"(\d{4})\s*[-–—]\s*(\d{4})")
_MONTHS = re.compile(r"(\d{1,2})/(\d{4})\s*[-–—]\s*(\d{1,2})/(\d{4})")
_MASKS = "xX#?_•·"
_RUN = re.compile(r"(?P<run>([^\w\s])\2+|(?:([^\W\d_])\3+))")

MONTHS = 12


@dataclass(frozen=True, slots=True)
class Span:
    """An interval as text: its ends, None where it has none, and which of them is left out."""

    low: str | None
    high: str | None
    low_open: bool = False
    high_open: bool = False


def span_of(text: str) -> Span | None:
    """Return the interval that a text is: `[20, 30)`, `[20, 30[`, `<18`, `15-25`, `65+`; or None.

    Both ends of `15-25` belong to it.

    Examples
    --------
    >>> span_of("[20, 30)")
    Span(low='20', high='30', low_open=False, high_open=True)
    >>> span_of(">=90")
    Span(low='90', high=None, low_open=False, high_open=False)
    """
    match = _INTERVAL.fullmatch(text)
    if match:
        return Span(match[2], match[3], match[1] in "(]", match[4] in ")[")
    match = _RANGE.fullmatch(text) or _TIMES.fullmatch(text)
    if match:
        return Span(match[1], match[2])
    match = _UPWARD.fullmatch(text)
    if match:
        return Span(match[1], None)
    match = _BOUND.fullmatch(text)
    if match is None:
        return None
    if match[1] in ("<", "<=", "≤"):
        return Span(None, match[2], high_open=match[1] == "<")
    return Span(match[2], None, low_open=match[1] == ">")


def period_of(text: str) -> Span | None:
    """Return the days of a year `1980`, a month `1980-05`, years `1980-1989` or months; or None.

    Months are `1/1980-12/1989`.

    Examples
    --------
    >>> period_of("1980-12")
    Span(low='1980-12-01', high='1981-01-01', low_open=False, high_open=True)
    """
    years = _YEARS.fullmatch(text)
    if years:
        return Span(f"{years[1]}-01-01", f"{int(years[2]) + 1:04}-01-01", high_open=True)
    months = _MONTHS.fullmatch(text)
    if months:
        low, high = (period_of(f"{months[i + 1]}-{months[i]:0>2}") for i in (1, 3))
        return low and high and Span(low.low, high.high, high_open=True)
    match = _PERIOD.fullmatch(text)
    if match is None or not 1 <= int(match[2] or 1) <= MONTHS:
        return None
    year, month = int(match[1]), int(match[2] or 1)
    after = (year + 1, 1) if match[2] is None or month == MONTHS else (year, month + 1)
    return Span(f"{year:04}-{month:02}-01", "{:04}-{:02}-01".format(*after), high_open=True)


def with_stars(text: str, letters: set[str]) -> str:
    """Return a mask with `*` for its mask character, other texts as they are.

    Examples
    --------
    >>> with_stars("25xxx", set("0123456789"))
    '25***'
    >>> with_stars("Max", set("Ben")), with_stars("7", {"8"})
    ('Max', '7')
    >>> with_stars("25$$$", set("0123456789")), with_stars("25ZZZ", set("0123456789"))
    ('25***', '25***')
    """
    if _PLAIN.fullmatch(text):  # most of them: an interval of numbers has no mask
        return text
    end = _masked_end(text, letters)
    if end:
        return end
    masks = {letter for letter in text if letter in _MASKS and letter not in letters}
    if ROOT in text or len(masks) != 1:
        return text
    mask = masks.pop()
    rest = text.replace(mask, "")
    # One letter at the end of a word is no mask.
    if mask.isalpha() and text.count(mask) == 1 and not rest.isdigit():
        return text
    return text.replace(mask, ROOT)


def _masked_end(text: str, letters: set[str]) -> str:
    """Return a text that begins or ends with a mark several times with `*` for it, else ""."""
    for match in _RUN.finditer(text):
        mark = match["run"][0]
        at_an_end = match.start() == 0 or match.end() == len(text)
        plain = mark.isalpha() and any(letter.isalpha() for letter in letters)
        rest = text[: match.start()] + text[match.end() :]
        if at_an_end and not plain and mark not in letters and rest and set(rest) <= letters:
            stars = ROOT * len(match["run"])
            return text[: match.start()] + stars + text[match.end() :]
    return ""


def ends_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield every way to read a text as `[low, high]` of values that may hold `, ` themselves."""
    if text.startswith("[") and text.endswith("]"):
        for match in re.finditer(", ", text):
            yield text[1 : match.start()], text[match.end() : -1]


class Codes:
    """Codes of a column, to be looked up by masks.

    `*` in a mask stands for one character; at either end for one or none, as masking pads short
    codes. Others are looked up by bisection.

    Examples
    --------
    >>> Codes(["13053", "13068", "148"]).under("130**")
    [0, 1]
    """

    def __init__(self, texts: list[str], masks: Iterable[str] = ()) -> None:
        self._order = sorted(range(len(texts)), key=texts.__getitem__)
        self._texts = [texts[i] for i in self._order]
        self._found: dict[tuple[_Shape, str], list[int]] = {}
        for mask in masks:
            if ROOT in mask and not says_nothing(mask):
                shape, inner = _shape_of(mask)
                if shape.before or shape.holes:
                    self._found[shape, inner] = []
        for shape in {shape for shape, _ in self._found}:
            self._note(shape)

    def under(self, mask: str) -> list[int]:
        """Return the places of the codes that a mask may stand for, ascending."""
        if ROOT not in mask:
            return []
        shape, inner = _shape_of(mask)
        if (shape, inner) in self._found:
            return sorted(set(self._found[shape, inner]))
        first, last = 0, len(self._texts)
        if not shape.before:
            # Codes that start alike stand side by side.
            start = inner.split(ROOT)[0]
            first = bisect_left(self._texts, start)
            last = bisect_left(self._texts, start + chr(sys.maxunicode), first)
        middle = ".".join(re.escape(part) for part in inner.split(ROOT))
        form = re.compile(f".{{0,{shape.before}}}{middle}.{{0,{shape.after}}}", re.DOTALL)
        return sorted(self._order[i] for i in range(first, last) if form.fullmatch(self._texts[i]))

    def _note(self, shape: _Shape) -> None:
        """Note the codes under each mask of a shape."""
        for text, place in zip(self._texts, self._order, strict=True):
            rest = len(text) - shape.length
            for start in range(max(rest - shape.after, 0), min(shape.before, rest) + 1):
                letters = list(text[start : start + shape.length])
                for hole in shape.holes:
                    letters[hole] = ROOT
                found = self._found.get((shape, "".join(letters)))
                if found is not None:
                    found.append(place)


class _Shape(NamedTuple):
    """Where a mask has `*`: how many before and after all others, and where between them."""

    before: int
    after: int
    length: int
    holes: tuple[int, ...]


def _shape_of(mask: str) -> tuple[_Shape, str]:
    """Return the shape of a mask, and what is between the `*` at its ends."""
    inner = mask.strip(ROOT)
    before = len(mask) - len(mask.lstrip(ROOT))
    holes = tuple(i for i, letter in enumerate(inner) if letter == ROOT)
    return _Shape(before, len(mask) - before - len(inner), len(inner), holes), inner


def says_nothing(text: str) -> bool:
    """Whether a text is `*` or a row of them: a suppressed cell."""
    return bool(text) and not text.strip(ROOT)


def is_label(text: str) -> bool:
    """Whether a text has the form of a label: an interval, a bound, a set or a mask."""
    return ROOT in text or span_of(text) is not None or members_of(text) is not None


def spread_over_class(
    read: Generalization, classes: Int32s, off: Bools, own: Int32s, line: Floats | None
) -> Generalization:
    """Let single values stand for the original values of their class.

    A mean, median or mode leaves open what went into it. Without knowing the records that cannot be
    seen, with them it can: of a class in which a released value is not the original one, the value
    stands for all from the smallest to the largest original value of the class, or for its distinct
    values where they have no order.

    classes: (n_released,) int32, from 0.
    off: (n_released,) bool, the cells with one value that is not the original one.
    own: (n_released,) int32, the original codes.
    line: (n_values,) float64, the non-null values of the domain on a line, None where they have no
        order.
    """
    touched = np.unique(classes[off])
    if not len(touched):
        return read
    number = np.full(int(classes.max()) + 1, -1, np.int32)
    number[touched] = np.arange(len(touched), dtype=np.int32)
    at = number[classes] >= 0
    groups = group_rows([number[classes[at]], own[at]], [len(touched), read.size])
    label, code = groups.codes.T
    counts = np.bincount(read.original, minlength=read.size)
    values = np.bincount(label, minlength=len(touched)).astype(np.int64)
    if line is None:
        records = np.bincount(label, counts[code], len(touched)).astype(np.int64)
        penalties = (values - 1) / max(read.size - 1, 1)
    else:
        ends = np.cumsum(values)
        low, high = code[ends - values], code[ends - 1]
        mixed = (high >= len(line)) & (low != high)
        low, high = np.where(mixed, 0, low), np.where(mixed, read.size - 1, high)
        upto = np.concatenate([[0], np.cumsum(counts)])
        values, records = high.astype(np.int64) - low + 1, upto[high + 1] - upto[low]
        padded = np.append(line, line[-1]) if len(line) else np.zeros(1)
        width = float(np.ptp(line)) if len(line) else 0.0
        spans = np.where(low == high, 0.0, padded[high] - padded[low])
        penalties = np.where(mixed, 1.0, spans / width if width > 0 else 0.0)
    labels = read.labels.copy()
    labels[at] = len(read.values) + number[classes[at]]
    return replace(
        read,
        labels=labels,
        values=np.concatenate([read.values, values]),
        records=np.concatenate([read.records, records]),
        penalties=np.concatenate([read.penalties, penalties]),
        spans=np.concatenate([read.spans, penalties]),
    )
