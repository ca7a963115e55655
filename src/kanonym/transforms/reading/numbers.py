"""Reading numbers and times without a hierarchy: values, intervals, sets, masks, `*`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.hierarchy.base import ROOT
from kanonym.data.table import Domain, encode_column
from kanonym.kernels.grouping import group_rows
from kanonym.metrics.utility.pair import Generalization, NumericColumn
from kanonym.transforms.reading.cells import Cells, Reading, distinct, extent, parsed, physical
from kanonym.transforms.reading.spread import spread
from kanonym.transforms.reading.texts import Codes, Span, members_of, says_nothing, span_of
from kanonym.transforms.recoding import text_of

_ALL = Span(None, None)


@dataclass(frozen=True, slots=True)
class _Labels:
    """Distinct released cells as intervals of a line; the last two are null and suppressed.

    Attributes
    ----------
    place
        (n_released,) int32, the label of each cell.
    low, high
        (n_labels,) float64, infinite where open to that side.
    low_open, high_open
        (n_labels,) bool, whether that end is left out.
    members
        By label the codes of its values, where they are no interval.

    """

    place: NDArray[np.int32]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    low_open: NDArray[np.bool_]
    high_open: NDArray[np.bool_]
    members: dict[int, NDArray[np.int32]] = field(default_factory=dict)

    @property
    def everything(self) -> NDArray[np.bool_]:
        """(n_labels,) bool, labels that leave everything open."""
        return np.asarray(np.isneginf(self.low) & np.isposinf(self.high))


def read_numbers(cells: Cells) -> Reading:
    """Read a column of numbers or times.

    Raises
    ------
    SchemaError
        Names the first released value that cannot be read.

    Notes
    -----
    Cost: a sort of the original's distinct values, one hash join, and the parsing of each
    distinct released text.

    """
    domain, codes = encode_column(cells.original)
    line = physical(domain.values)
    found = _of_two(cells) if len(cells.released) > 1 else _of_one(cells, domain)
    first, last = _covered(found, line, domain)
    labels, everything = found.place, found.everything
    low, high = _closed(found, line, cells.original.dtype)
    low, high = low[labels], high[labels]
    blank = everything[labels]
    low[blank], high[blank] = extent(line)
    column = NumericColumn(domain.name, physical(cells.original), low, high, blank)
    read = _generalization(domain, codes, line, found, (first, last))
    if cells.rows is None:
        return Reading(column, read if cells.recoded else None, contains=False, unchanged=False)
    own = codes[cells.rows]
    inside = (first[labels] <= own) & (own <= last[labels])
    if found.members:
        inside = np.where(_enumerated(found)[labels], _members(found, own, domain), inside)
    alone = (read.values == 1)[labels] & ~blank
    if cells.recoded:
        point = (found.low == found.high)[labels]
        read = spread(read, cells.classes, point & ~inside, own, line)
    return Reading(
        column,
        read if cells.recoded else None,
        contains=bool(inside.all()),
        unchanged=bool((inside & alone).all()),
    )


def _of_one(cells: Cells, domain: Domain) -> _Labels:
    """Return the labels of one released column."""
    values, place = distinct(cells.released[0])
    released, original = values.dtype, domain.values.dtype
    both_numbers = released.is_numeric() and original.is_numeric()
    if both_numbers or (released.is_temporal() and original.is_temporal()):
        line = physical(values if both_numbers else values.cast(original, strict=False))
        _refuse(cells, place, np.isnan(line))
        return _finished(cells, place, line, line)
    if released.is_numeric() or released.is_temporal():
        _refuse(cells, place, np.ones(len(values), np.bool_))
    return _of_texts(cells, domain, values.cast(pl.String), place)


def _of_texts(cells: Cells, domain: Domain, texts: pl.Series, place: NDArray[np.int32]) -> _Labels:
    """Return the labels of distinct texts."""
    low = parsed(texts, domain.values)
    high = low.copy()
    low_open, high_open = np.zeros((2, len(low)), np.bool_)
    wanted = np.flatnonzero(np.isnan(low)).tolist()
    spans = {i: span for i in wanted if (span := _span(texts[i])) is not None}
    low[list(spans)] = _ends([span.low for span in spans.values()], domain, -np.inf)
    high[list(spans)] = _ends([span.high for span in spans.values()], domain, np.inf)
    low_open[list(spans)] = [span.low_open for span in spans.values()]
    high_open[list(spans)] = [span.high_open for span in spans.values()]
    line, members = physical(domain.values), {}
    others = np.flatnonzero(np.isnan(low) | np.isnan(high)).tolist()
    values = _Values(domain) if others else None
    for i in others:
        codes = None if values is None else values.under(texts[i])
        if codes is not None:
            members[i] = codes
            low[i], high[i] = extent(line[codes[codes < len(line)]])
    _refuse(cells, place, np.isnan(low) | np.isnan(high))
    return _finished(cells, place, low, high, (low_open, high_open), members)


def _span(text: str) -> Span | None:
    return _ALL if says_nothing(text) else span_of(text)


def _ends(texts: list[str | None], domain: Domain, outside: float) -> NDArray[np.float64]:
    """Return ends of intervals as numbers; None is what lies outside of all of them."""
    given = pl.Series(texts, dtype=pl.String)
    found = parsed(given.fill_null(""), domain.values)
    found[given.is_null().to_numpy()] = outside
    return found


class _Values:
    """The original's values as text, to be looked up by sets and masks."""

    def __init__(self, domain: Domain) -> None:
        self._texts = text_of(domain.values).to_list()
        self._place = {text: i for i, text in enumerate(self._texts)}
        self._null = domain.null_code
        self._whole = domain.values.dtype.is_integer()
        self._padded: dict[int, Codes] = {}

    def under(self, text: str) -> NDArray[np.int32] | None:
        """Return the codes of the members of a set, or of the values under a mask; else None."""
        members = members_of(text)
        if members is not None:
            codes = [self._null if one is None else self._place.get(one, -1) for one in members]
            known = min(codes) >= 0 and any(one is not None for one in members)
            return np.unique(np.array(codes, np.int32)) if known else None
        if ROOT not in text:
            return None
        width = len(text) if self._whole else 0
        if width not in self._padded:
            self._padded[width] = Codes([one.zfill(width) for one in self._texts])
        found = self._padded[width].under(text)
        return np.array(found, np.int32) if found else None


def _of_two(cells: Cells) -> _Labels:
    """Return the labels of two released columns of ends."""
    domain, _ = encode_column(cells.original)
    ends, places = [], []
    for column, released in enumerate(cells.released):
        values, place = distinct(released)
        if values.dtype == pl.String:
            line = parsed(values, domain.values)
        elif values.dtype.is_numeric() == domain.values.dtype.is_numeric():
            line = physical(values.cast(domain.values.dtype, strict=False))
        else:
            line = np.full(len(values), np.nan)
        _refuse(cells, place, np.isnan(line), column)
        ends.append(np.append(line, np.nan))
        places.append(np.where(place < 0, len(line), place).astype(np.int32))
    groups = group_rows(places, [len(line) for line in ends])
    low, high = (line[groups.codes[:, side]] for side, line in enumerate(ends))
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return _finished(cells, np.where(cells.null, -1, groups.labels), low, high)


def _finished(
    cells: Cells,
    place: NDArray[np.int32],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    are_open: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
    members: dict[int, NDArray[np.int32]] | None = None,
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
    )


def _refuse(
    cells: Cells, place: NDArray[np.int32], wrong: NDArray[np.bool_], column: int = 0
) -> None:
    """Refuse a column of which a distinct value cannot be read."""
    if wrong.any():
        rows = np.append(wrong, np.False_)[place]
        raise cells.unreadable(int(rows.argmax()), column)


def _covered(
    found: _Labels, line: NDArray[np.float64], domain: Domain
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first and last code of each label; none lies between where it has no value."""
    low, high = found.low, found.high
    left, right = np.searchsorted(line, low), np.searchsorted(line, low, side="right")
    first = np.where(found.low_open, right, left)
    left, right = np.searchsorted(line, high), np.searchsorted(line, high, side="right")
    last = np.maximum(np.where(found.high_open, left, right) - 1, first - 1)
    # Null is the last code, and what is left open everywhere includes it.
    top = max(domain.size - 1, 0)
    first[-2] = last[-2] = top
    last[found.everything] = top
    return first.astype(np.int32), last.astype(np.int32)


def _closed(
    found: _Labels, line: NDArray[np.float64], dtype: pl.DataType
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both ends, both included: whole numbers and days exactly, others as they are."""
    low, high = found.low.copy(), found.high.copy()
    if dtype.is_integer() or dtype == pl.Date:
        low = np.where(found.low_open, np.floor(low) + 1, low)
        high = np.where(found.high_open, np.ceil(high) - 1, high)
    least, most = extent(line)
    low = np.where(np.isneginf(low), np.fmin(least, high), low)
    high = np.where(np.isposinf(high), np.fmax(most, low), high)
    return low, np.where(high < low, low, high)


def _enumerated(found: _Labels) -> NDArray[np.bool_]:
    """Return (n_labels,) bool: labels whose values are listed."""
    listed = np.zeros(len(found.low), np.bool_)
    listed[list(found.members)] = True
    return listed


def _members(found: _Labels, own: NDArray[np.int32], domain: Domain) -> NDArray[np.bool_]:
    """Return (n_released,) bool: whether the listed values of each cell's label hold a code."""
    size = max(domain.size, 1)
    keys = np.concatenate(
        [np.int64(label) * size + codes for label, codes in found.members.items()]
    )
    return np.isin(found.place.astype(np.int64) * size + own, keys)


def _generalization(
    domain: Domain,
    codes: NDArray[np.int32],
    line: NDArray[np.float64],
    found: _Labels,
    ends: tuple[NDArray[np.int32], NDArray[np.int32]],
) -> Generalization:
    first, last = ends
    counts = np.bincount(codes, minlength=max(domain.size, 1))
    upto = np.concatenate([[0], np.cumsum(counts)])
    least, most = extent(line)
    spans = np.clip(found.high, least, most) - np.clip(found.low, least, most)
    penalties = np.nan_to_num(spans / (most - least)) if most > least else np.zeros(len(spans))
    penalties[found.everything] = float(domain.size > 1)
    penalties[-1] = 1.0
    values = last.astype(np.int64) - first + 1
    records = upto[last + 1] - upto[first]
    for label, members in found.members.items():
        values[label], records[label] = len(members), counts[members].sum()
        penalties[label] = (len(members) - 1) / max(domain.size - 1, 1)
    return Generalization(
        domain.name, codes, domain.size, None, found.place, values, records, penalties
    )
