"""Reading numbers and times without a hierarchy: values, intervals, sets, masks, `*`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from kanonym.data.columns.values import text_of
from kanonym.data.hierarchy.base import ROOT
from kanonym.data.hierarchy.labels import members_of
from kanonym.data.results import ShortRepr
from kanonym.data.table import LARGEST, Domain, encode_column
from kanonym.evaluation.pair.reading.texts import (
    Cells,
    Codes,
    ColumnReading,
    Span,
    encode_distinct,
    parse_values,
    period_of,
    says_nothing,
    span_of,
    spread_over_class,
    to_physical,
    value_range,
    with_stars,
)
from kanonym.evaluation.pair.tables import Generalization, NumberSets, NumericColumn
from kanonym.kernels.arrays import Bools, Floats, Int32s
from kanonym.kernels.classes.grouping import group_rows

_ALL = Span(None, None)


@dataclass(frozen=True, slots=True, repr=False)
class _Labels(ShortRepr):
    """Distinct released cells as intervals of a line; the last two are null and suppressed.

    place: (n_released,) int32, the label of each cell.
    low, high: (n_labels,) float64, infinite where open to that side.
    low_open, high_open: (n_labels,) bool, whether that end is left out.
    low_code, high_code: (n_labels,) int32 codes of ends that are values of the original, -1 for
    others; None where float64 tells its values apart.
    """

    place: Int32s
    low: Floats
    high: Floats
    low_open: Bools
    high_open: Bools
    members: dict[int, Int32s] = field(default_factory=dict)
    low_code: Int32s | None = None
    high_code: Int32s | None = None

    @property
    def everything(self) -> Bools:
        """(n_labels,) bool, labels that leave everything open."""
        return np.asarray(np.isneginf(self.low) & np.isposinf(self.high))


def read_numbers(cells: Cells) -> ColumnReading:
    """Read a column of numbers or times."""
    domain, codes = encode_column(cells.original)
    line = to_physical(domain.values)
    found = _labels_of_ends(cells) if len(cells.released) > 1 else _labels_of_column(cells, domain)
    first, last = _covered_codes(found, line, domain)
    labels, everything = found.place, found.everything
    low, high = _closed_ends(found, line, cells.original.dtype)
    low, high = low[labels], high[labels]
    blank = everything[labels]
    low[blank], high[blank] = value_range(line)
    sets = NumberSets.of(np.where(blank, -1, labels), found.members, line)
    column = NumericColumn(domain.name, to_physical(cells.original), low, high, blank, sets)
    gaps = line if found.low_code is None else _offsets(domain.values)
    read = _generalization(domain, codes, (line, gaps), found, (first, last))
    if cells.rows is None:
        return ColumnReading(
            column, read if cells.recoded else None, contains=False, unchanged=False
        )
    own = codes[cells.rows]
    inside = (first[labels] <= own) & (own <= last[labels])
    if found.members:
        inside = np.where(_lists_values(found)[labels], _members(found, own, domain), inside)
    alone = (read.values == 1)[labels] & ~blank
    if cells.recoded:
        point = (found.low == found.high)[labels]
        read = spread_over_class(read, cells.classes, point & ~inside, own, gaps)
    return ColumnReading(
        column,
        read if cells.recoded else None,
        contains=bool(inside.all()),
        unchanged=bool((inside & alone).all()),
    )


def _labels_of_column(cells: Cells, domain: Domain) -> _Labels:
    """Return the labels of one released column."""
    values, place = encode_distinct(cells.released[0])
    released, original = values.dtype, domain.values.dtype
    both_numbers = released.is_numeric() and original.is_numeric()
    if both_numbers or (released.is_temporal() and original.is_temporal()):
        line = to_physical(values if both_numbers else values.cast(original, strict=False))
        _refuse(cells, place, np.isnan(line))
        both_exact = released.is_integer() or released == original
        at = _codes_of(values.cast(original, strict=False), domain) if both_exact else None
        return _complete_labels(cells, place, line, line, at=None if at is None else (at, at))
    if released.is_numeric() or released.is_temporal():
        _refuse(cells, place, np.ones(len(values), np.bool_))
    return _labels_of_texts(cells, domain, values.cast(pl.String), place)


def _labels_of_texts(cells: Cells, domain: Domain, texts: pl.Series, place: Int32s) -> _Labels:
    """Return the labels of distinct texts."""
    low = _finite(parse_values(texts, domain.values))
    high = low.copy()
    letters = set("".join(text_of(domain.values).to_list()))
    times = domain.values.dtype.is_temporal()
    given = texts.to_list()
    texts = pl.Series(
        texts.name,
        [
            with_stars(text, letters) if np.isnan(end) else text
            for text, end in zip(given, low, strict=True)
        ],
        dtype=pl.String,
    )
    low_open, high_open = np.zeros((2, len(low)), np.bool_)
    wanted = np.flatnonzero(np.isnan(low)).tolist()
    spans = {i: span for i in wanted if (span := _span(texts[i], times=times)) is not None}
    low[list(spans)] = _ends([span.low for span in spans.values()], domain, -np.inf)
    high[list(spans)] = _ends([span.high for span in spans.values()], domain, np.inf)
    low_open[list(spans)] = [span.low_open for span in spans.values()]
    high_open[list(spans)] = [span.high_open for span in spans.values()]
    low[low > high] = np.nan  # 2020-01 is no range of numbers
    line, members = to_physical(domain.values), {}
    others = np.flatnonzero(np.isnan(low) | np.isnan(high)).tolist()
    values = _Values(domain, [texts[i] for i in others]) if others else None
    for i in others:
        codes = None if values is None else values.under(texts[i])
        if codes is not None:
            members[i] = codes
            low[i], high[i] = value_range(line[codes[codes < len(line)]])
    _refuse(cells, place, np.isnan(low) | np.isnan(high))
    at = None
    if _is_dense(line):
        ends = [
            [getattr(spans[i], side) if i in spans else texts[i] for i in range(len(texts))]
            for side in ("low", "high")
        ]
        column = text_of(domain.values)
        at = tuple(_places(pl.Series(one, dtype=pl.String), column) for one in ends)
    return _complete_labels(cells, place, low, high, (low_open, high_open), members, at)


def _is_dense(line: Floats) -> bool:
    """Whether distinct values ascending, (n_values,), are not distinct as float64."""
    return bool((np.diff(line) <= 0).any())


def _codes_of(values: pl.Series, domain: Domain) -> Int32s | None:
    """Return the codes of values, -1 for others, where float64 does not tell the domain's apart."""
    return _places(values, domain.values) if _is_dense(to_physical(domain.values)) else None


def _places(values: pl.Series, known: pl.Series) -> Int32s:
    """Return (n,) int32, the place of each value among distinct ones, -1 for none."""
    numbers = pl.int_range(len(known), dtype=pl.Int32, eager=True)
    return values.replace_strict(known, numbers, default=-1, return_dtype=pl.Int32).to_numpy()


def _offsets(values: pl.Series) -> Floats:
    """Return (n_values,) float64, how far each of ascending values is from the first."""
    whole = values.to_physical() if values.dtype.is_temporal() else values
    if whole.dtype not in (pl.Int64, pl.UInt64):
        line = to_physical(whole)
        return np.asarray(line - line[0])
    # Differences modulo 2^64 are those of the values, for none is below the first.
    bits = whole.to_numpy().astype(np.uint64)
    gaps: Floats = (bits - bits[0]).astype(np.float64)
    return gaps


def _span(text: str, *, times: bool) -> Span | None:
    if says_nothing(text):
        return _ALL
    return (period_of(text) if times else None) or span_of(text)


def _ends(texts: list[str | None], domain: Domain, outside: float) -> Floats:
    """Return ends of intervals as numbers; None is what lies outside of all of them."""
    given = pl.Series(texts, dtype=pl.String)
    found = _finite(parse_values(given.fill_null(""), domain.values))
    found[given.is_null().to_numpy()] = outside
    return found


def _finite(line: Floats) -> Floats:
    """Return numbers, NaN for those without a finite square: they have no place here."""
    line[np.abs(line) > LARGEST] = np.nan
    return line


class _Values:
    """The original's values as text, to be looked up by sets and masks."""

    def __init__(self, domain: Domain, masks: list[str]) -> None:
        self._masks = masks
        self._texts = text_of(domain.values).to_list()
        self._place = {text: i for i, text in enumerate(self._texts)}
        self._null = domain.null_code
        self._whole = domain.values.dtype.is_integer()
        self._padded: dict[int, Codes] = {}

    def under(self, text: str) -> Int32s | None:
        """Return the codes of the members of a set, or of the values under a mask; else None."""
        members = members_of(text)
        if members is not None:
            codes = [
                self._null if member is None else self._place.get(member, -1) for member in members
            ]
            known = min(codes) >= 0 and any(member is not None for member in members)
            return np.unique(np.array(codes, np.int32)) if known else None
        if ROOT not in text:
            return None
        width = len(text) if self._whole else 0
        if width not in self._padded:
            masks = [mask for mask in self._masks if not width or len(mask) == width]
            self._padded[width] = Codes([one.zfill(width) for one in self._texts], masks)
        found = self._padded[width].under(text)
        return np.array(found, np.int32) if found else None


def _labels_of_ends(cells: Cells) -> _Labels:
    """Return the labels of two released columns of ends."""
    domain, _ = encode_column(cells.original)
    dense = _is_dense(to_physical(domain.values))
    ends, places, codes = [], [], []
    for column, released in enumerate(cells.released):
        values, place = encode_distinct(released)
        if values.dtype == pl.String:
            line = parse_values(values, domain.values)
        elif values.dtype.is_numeric() == domain.values.dtype.is_numeric():
            line = to_physical(values.cast(domain.values.dtype, strict=False))
        else:
            line = np.full(len(values), np.nan)
        _refuse(cells, place, np.isnan(line), column)
        ends.append(np.append(line, np.nan))
        places.append(np.where(place < 0, len(line), place).astype(np.int32))
        if dense:
            texts = values.dtype == pl.String
            known = text_of(domain.values) if texts else domain.values
            own = values if texts else values.cast(domain.values.dtype, strict=False)
            codes.append(np.append(_places(own, known), np.int32(-1)))
    groups = group_rows(places, [len(line) for line in ends])
    low, high = (line[groups.codes[:, side]] for side, line in enumerate(ends))
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    at = tuple(one[groups.codes[:, side]] for side, one in enumerate(codes)) or None
    return _complete_labels(cells, np.where(cells.null, -1, groups.labels), low, high, at=at)


def _complete_labels(
    cells: Cells,
    place: Int32s,
    low: Floats,
    high: Floats,
    are_open: tuple[Bools, Bools] | None = None,
    members: dict[int, Int32s] | None = None,
    at: tuple[Int32s, ...] | None = None,
) -> _Labels:
    """Return the labels with those of null and of the suppressed cell behind them."""
    labels = np.where(place >= 0, place, len(low)).astype(np.int32)
    labels[cells.blank()] = len(low) + 1
    shut = np.zeros(len(low), np.bool_)
    low_open, high_open = are_open or (shut, shut)
    return _Labels(
        labels,
        np.append(low, [np.nan, -np.inf]),
        np.append(high, [np.nan, np.inf]),
        np.append(low_open, [False, False]),
        np.append(high_open, [False, False]),
        members or {},
        *(() if at is None else (np.append(one, np.full(2, -1, np.int32)) for one in at)),
    )


def _refuse(cells: Cells, place: Int32s, wrong: Bools, column: int = 0) -> None:
    """Refuse a column of which a distinct value cannot be read."""
    if wrong.any():
        rows = np.append(wrong, np.False_)[place]
        raise cells.unreadable(int(rows.argmax()), column)


def _covered_codes(found: _Labels, line: Floats, domain: Domain) -> tuple[Int32s, Int32s]:
    """Return the first and last code of each label; none lies between where it has no value."""
    low, high = found.low, found.high
    left, right = np.searchsorted(line, low), np.searchsorted(line, low, side="right")
    first = np.where(found.low_open, right, left)
    left, right = np.searchsorted(line, high), np.searchsorted(line, high, side="right")
    last = np.where(found.high_open, left, right) - 1
    if found.low_code is not None and found.high_code is not None:
        first = np.where(found.low_code >= 0, found.low_code + found.low_open, first)
        last = np.where(found.high_code >= 0, found.high_code - found.high_open, last)
    last = np.maximum(last, first - 1)
    # Null is the last code, and what is left open everywhere includes it.
    top = max(domain.size - 1, 0)
    first[-2] = last[-2] = top
    last[found.everything] = top
    return first.astype(np.int32), last.astype(np.int32)


def _closed_ends(found: _Labels, line: Floats, dtype: pl.DataType) -> tuple[Floats, Floats]:
    """Return both ends, both included: whole numbers and days exactly, others as they are."""
    low, high = found.low.copy(), found.high.copy()
    if dtype.is_integer() or dtype == pl.Date:
        low = np.where(found.low_open, np.floor(low) + 1, low)
        high = np.where(found.high_open, np.ceil(high) - 1, high)
    least, most = value_range(line)
    low = np.where(np.isneginf(low), np.fmin(least, high), low)
    high = np.where(np.isposinf(high), np.fmax(most, low), high)
    return low, np.where(high < low, low, high)


def _lists_values(found: _Labels) -> Bools:
    """Return (n_labels,) bool: labels whose values are listed."""
    listed = np.zeros(len(found.low), np.bool_)
    listed[list(found.members)] = True
    return listed


def _members(found: _Labels, own: Int32s, domain: Domain) -> Bools:
    """Return (n_released,) bool: whether the listed values of each cell's label hold a code."""
    size = max(domain.size, 1)
    keys = np.concatenate(
        [np.int64(label) * size + codes for label, codes in found.members.items()]
    )
    return np.isin(found.place.astype(np.int64) * size + own, keys)


def _generalization(
    domain: Domain,
    codes: Int32s,
    lines: tuple[Floats, Floats],
    found: _Labels,
    ends: tuple[Int32s, Int32s],
) -> Generalization:
    """Count what each label leaves open.

    lines: the values as float64, and how far they are from the least.
    """
    (first, last), (line, gaps) = ends, lines
    counts = np.bincount(codes, minlength=max(domain.size, 1))
    upto = np.concatenate([[0], np.cumsum(counts)])
    least, most = value_range(line)
    spans = np.clip(found.high, least, most) - np.clip(found.low, least, most)
    if found.low_code is not None and found.high_code is not None:
        base, (least, most) = least, value_range(gaps)
        low, high = (np.clip(one - base, least, most) for one in (found.low, found.high))
        low = np.where(found.low_code >= 0, gaps[found.low_code], low)
        spans = np.where(found.high_code >= 0, gaps[found.high_code], high) - low
    penalties = np.nan_to_num(spans / (most - least)) if most > least else np.zeros(len(spans))
    penalties[found.everything] = float(domain.size > 1)
    penalties[-1] = 1.0
    values = last.astype(np.int64) - first + 1
    records = upto[last + 1] - upto[first]
    covered = penalties.copy()
    for label, members in found.members.items():
        if members[-1] == domain.null_code:
            covered[label] = 1.0
        values[label], records[label] = len(members), counts[members].sum()
        penalties[label] = (len(members) - 1) / max(domain.size - 1, 1)
    return Generalization(
        domain.name, codes, domain.size, None, found.place, values, records, penalties, covered
    )
