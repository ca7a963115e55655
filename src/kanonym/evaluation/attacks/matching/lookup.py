"""Lookup of persons in released records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.results import ShortRepr
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints

Distance = Literal["euclidean", "manhattan"]

TIE = 1e-9
"""Distances that differ by less than this share are equal: the rest is rounding."""

MOST_IN_TREE = 20
"""With more columns a k-d tree compares nearly all points, slower than one by one."""

DISTANCES = 1 << 22
"""Distances that are held together: bounds the memory."""

_ORDERS = {"euclidean": 2.0, "manhattan": 1.0}


def nearest_points(
    points: Floats, asked: Floats, distance: Distance = "euclidean"
) -> tuple[Ints, Floats]:
    """Find the nearest point of each one asked.

    points: (m, d) float64, finite; at least one, at least one column.
    asked: (n, d) float64, finite. Returns: (n,) int64 numbers of points, the lowest of those
        equally near, and (n,) float64 distances to them.
    """
    from scipy.spatial import KDTree  # noqa: PLC0415 - takes a while to load

    distinct, first = np.unique(points, axis=0, return_index=True)
    if points.shape[1] > MOST_IN_TREE:
        # In the order of the points, the first of those equally near is the lowest number.
        order = np.argsort(first)
        numbers, distances = _compare_points(distinct[order], asked, distance)
        return first[order][numbers], distances
    tree = KDTree(distinct)
    numbers = np.empty(len(asked), np.int64)
    distances = np.empty(len(asked))
    pending = np.arange(len(asked))
    width = 2
    while len(pending):
        width = min(width, len(distinct))
        found, places = tree.query(asked[pending], k=range(1, width + 1), p=_ORDERS[distance])
        equal = found <= found[:, :1] * (1 + TIE)
        distances[pending] = found[:, 0]
        numbers[pending] = np.where(equal, first[places], len(points)).min(axis=1)
        # Where all that were asked for are equally near, there may be more of them.
        pending = pending[equal[:, -1]] if width < len(distinct) else pending[:0]
        width *= 4
    return numbers, distances


def _compare_points(points: Floats, asked: Floats, distance: Distance) -> tuple[Ints, Floats]:
    """Compare with each point."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415 - takes a while to load

    kind = "euclidean" if distance == "euclidean" else "cityblock"
    numbers, distances = np.empty(len(asked), np.int64), np.empty(len(asked))
    step = max(DISTANCES // len(points), 1)
    for start in range(0, len(asked), step):
        some = slice(start, start + step)
        found = cdist(asked[some], points, kind)
        distances[some] = found.min(axis=1)
        numbers[some] = (found <= distances[some, None] * (1 + TIE)).argmax(axis=1)
    return numbers, distances


OPEN = "every released record leaves several values open, so none is equal to a person's values"

Limits = Mapping[str, Floats]
"""By column of numbers, the borders of its bins."""


def person_values(
    pair: TablePair, names: Sequence[str], limits: Limits | None = None
) -> pl.DataFrame:
    """Return the values of the persons of a pair, null for null.

    limits: numbers are the bins that these borders make; None leaves them as they are.
    """
    columns = []
    for name in names:
        column = pair.column(name)
        if isinstance(column, NumericColumn):
            columns.append(_numbers(column.original, name, limits))
        else:
            values = column.categories.cast(pl.String).gather(column.original)
            columns.append(values.alias(name))
    return pl.DataFrame(columns)


def record_values(
    pair: TablePair, names: Sequence[str], limits: Limits | None = None
) -> pl.DataFrame:
    """Return the values of the released records of which each cell says one value.

    limits: as of `person_values`; an interval within one bin says one value.
    """
    columns = []
    single = np.ones(pair.n_released, np.bool_)
    for name in names:
        column = pair.column(name)
        if isinstance(column, NumericColumn):
            low, high = (_numbers(end, name, limits) for end in (column.low, column.high))
            single &= low.eq_missing(high).to_numpy()
            columns.append(low)
        else:
            first = column.members[column.offsets[:-1]][column.labels]
            single &= (np.diff(column.offsets) == 1)[column.labels]
            columns.append(column.categories.cast(pl.String).gather(first).alias(name))
        single &= ~column.suppressed
    return pl.DataFrame(columns).filter(pl.Series(single, dtype=pl.Boolean))


def held_by_one(values: pl.DataFrame, whose: Ints | None) -> Bools:
    """Return (n,) bool: rows of values that no other person has.

    whose: (n,) int64, whose each row is; None where each is another person's.
    """
    if whose is None:
        return values.is_unique().to_numpy()
    owner = pl.Series("\0", whose)  # no column of a table is called so
    alone = pl.col("\0").n_unique().over(values.columns) == 1
    return values.with_columns(owner).select(alone).to_series().to_numpy()


def are_among(values: pl.DataFrame, records: pl.DataFrame) -> Bools:
    """Return (n,) bool: rows that some record equals in all of the records' columns."""
    rows = values.with_row_index("\0").join(
        records.unique(), on=records.columns, how="semi", nulls_equal=True
    )
    mask = np.zeros(len(values), np.bool_)
    mask[rows["\0"].to_numpy()] = True
    return mask


def _numbers(values: Floats, name: str, limits: Limits | None) -> pl.Series:
    """Return numbers, or the numbers of their bins; null for NaN."""
    null = np.isnan(values)
    if limits is not None:
        values = np.searchsorted(limits[name], values, side="right").astype(np.float64)
    return pl.Series(name, np.where(null, np.nan, values), dtype=pl.Float64).fill_nan(None)


def join_persons(pair: TablePair, control: TablePair) -> TablePair:
    """Return the release beside the persons of a pair, and those of the control behind them.

    Columns that the two have read in different ways are left out.
    """
    both = zip(
        pair.columns, map(control.column, (column.name for column in pair.columns)), strict=True
    )
    return replace(
        control,
        columns=tuple(_join(*one) for one in both if type(one[0]) is type(one[1])),
        n_original=pair.n_original + control.n_original,
        persons=None,
    )


def _join(own: Column, other: Column) -> Column:
    """Return a column of the control with the persons of another pair before its own."""
    if isinstance(other, NumericColumn):
        return replace(other, original=np.concatenate([own.original, other.original]))
    assert isinstance(own, CategoricalColumn)  # noqa: S101 - of one type, as `join_persons` asks
    code = {text: i for i, text in enumerate(other.categories.to_list())}
    codes = np.array([code[text] for text in own.categories.to_list()], np.int32)
    return replace(other, original=np.concatenate([codes[own.original], other.original]))


CELLS = 1 << 24
"""Persons times classes that are looked at together: bounds the memory."""


@dataclass(frozen=True, slots=True, repr=False)
class Candidates(ShortRepr):
    """The classes that could be each person's, as a sparse table.

    offsets: (n_persons + 1,) int64: person i has the classes[offsets[i]:offsets[i + 1]].
    classes: (n_found,) int32 numbers of `TablePair.classes`, ascending for each person.
    """

    offsets: Ints
    classes: Int32s

    @property
    def numbers(self) -> Ints:
        """(n_persons,) int64, how many classes could be each person's."""
        return np.diff(self.offsets)

    @property
    def persons(self) -> Ints:
        """(n_found,) int64, the place of the person to whom each class was found."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.numbers)


def classes_of(pair: TablePair) -> tuple[Int32s, Ints]:
    """Return (n_released,) int32 classes, and (n_classes,) int64 one record of each."""
    classes = pair.classes
    if classes is None:
        classes = np.arange(pair.n_released, dtype=np.int32)
    return classes, np.unique(classes, return_index=True)[1]


def find_candidates(
    pair: TablePair,
    persons: Ints,
    names: Sequence[str] | None = None,
    *,
    among: Ints | None = None,
    nearest: bool = False,
) -> Candidates:
    """Find the classes that leave each person's values open.

    persons: (n,) rows of the original.
    among: (n_among,) int64, the classes that are looked at, ascending; None for all.
    """
    columns = [pair.column(name) for name in (pair.quasi_identifiers if names is None else names)]
    _, rows = classes_of(pair)
    rows = rows if among is None else rows[among]
    numbers, found = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    step = max(CELLS // max(len(rows), 1), 1)
    for start in range(0, len(persons) if len(rows) else 0, step):
        some = persons[start : start + step]
        owner, place = _open_pairs(columns, some, rows)
        number = np.bincount(owner, minlength=len(some))
        lost = np.flatnonzero(number == 0) if nearest else np.zeros(0, np.int64)
        if len(lost):
            far, near = _nearest(columns, some[lost], rows)
            owner, place = np.append(owner, lost[far]), np.append(place, near)
            order = np.argsort(owner, kind="stable")
            owner, place = owner[order], place[order]
            number = np.bincount(owner, minlength=len(some))
        numbers.append(number)
        found.append(place)
    counted = np.concatenate(numbers) if len(rows) else np.zeros(len(persons), np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counted)])
    classes = np.concatenate(found)
    return Candidates(offsets, (classes if among is None else among[classes]).astype(np.int32))


def informative_candidates(pair: TablePair, persons: Ints, *, nearest: bool) -> Candidates:
    """Find the classes that say something of each person.

    An intruder takes a person for one of the few who were suppressed only where nothing else fits.
    """
    _, rows = classes_of(pair)
    silent = np.ones(len(rows), np.bool_)
    for name in pair.quasi_identifiers:
        silent &= pair.column(name).suppressed[rows]
    if not silent.any():
        return find_candidates(pair, persons, nearest=nearest)
    candidates = find_candidates(pair, persons, among=np.flatnonzero(~silent), nearest=nearest)
    lost = np.flatnonzero(candidates.numbers == 0)
    others = np.flatnonzero(silent).astype(np.int32)
    owner = np.append(candidates.persons, np.repeat(lost, len(others)))
    classes = np.append(candidates.classes, np.tile(others, len(lost)))
    numbers = np.bincount(owner, minlength=len(persons))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(numbers)])
    return Candidates(offsets, classes[np.argsort(owner, kind="stable")])


def is_changed(pair: TablePair) -> bool:
    """Tell whether released values are means, rounded or noisy: no record may fit a person.

    Where more persons have a value that no record leaves open than records are missing, values were
    changed. A suppressed cell says nothing of it, and its record counts as missing.
    """
    missing = max(pair.n_original - pair.n_released, 0)
    _, rows = classes_of(pair)
    for column in map(pair.column, pair.quasi_identifiers):
        says = rows[~column.suppressed[rows]]
        if (~_leaves_value_open(column, says)).sum() > missing + column.suppressed.sum():
            return True
    return False


def _leaves_value_open(column: Column, rows: Ints) -> Bools:
    """Return (n_original,) bool: whether a cell, none suppressed, leaves a value open."""
    if isinstance(column, NumericColumn) and column.sets is not None:
        column = column.as_categories()
    if isinstance(column, CategoricalColumn):
        released = np.zeros(max(len(column.offsets) - 1, 0), np.bool_)
        released[column.labels[rows]] = True
        mask = np.zeros(int(column.members.max(initial=len(column.categories) - 1)) + 1, np.bool_)
        mask[column.members[np.repeat(released, np.diff(column.offsets))]] = True
        return mask[column.original]
    null = np.isnan(column.low[rows])
    order = np.argsort(column.low[rows[~null]])
    low, high = (ends[rows[~null]][order] for ends in (column.low, column.high))
    # Of all intervals that begin before a value, the farthest end tells.
    farthest = np.append(np.maximum.accumulate(high), -np.inf)
    begun = np.searchsorted(low, column.original, side="right") - 1
    return np.where(np.isnan(column.original), null.any(), farthest[begun] >= column.original)


def _open_pairs(columns: Sequence[Column], persons: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return pairs of a person's place and an open row's place, ascending."""
    words = -(-len(rows) // 64)
    bits = np.zeros((len(persons), words * 8), np.uint8)
    bits[:, : -(-len(rows) // 8)] = np.packbits(np.ones(len(rows), np.bool_), bitorder="little")
    for column in columns:
        values, place = np.unique(column.original[persons], return_inverse=True)
        packed = np.packbits(_masks(column, values, rows), axis=1, bitorder="little")
        bits[:, : packed.shape[1]] &= packed[place]
    # Most words are empty, and only the others are unpacked.
    owner, word = np.nonzero(bits.view(np.uint64))
    held = bits.reshape(len(persons), words, 8)[owner, word]
    entry, bit = np.nonzero(np.unpackbits(held, axis=1, bitorder="little"))
    return owner[entry], word[entry] * 64 + bit


def _masks(column: Column, values: NDArray[Any], rows: Ints) -> Bools:
    """Return (n_values, n_rows) bool: whether a released record leaves a value open."""
    if isinstance(column, NumericColumn) and column.sets is not None:
        line = np.unique(column.original)
        column, values = column.as_categories(), np.searchsorted(line, values)
    if isinstance(column, NumericColumn):
        low, high = column.low[rows], column.high[rows]
        asked = values[:, None]
        inside = (low <= asked) & (asked <= high)
        null = np.isnan(values)
        inside[null] = np.isnan(low) | column.suppressed[rows]
        return inside
    return _labels_open(column, values)[column.labels[rows]].T


def _labels_open(column: CategoricalColumn, values: NDArray[Any]) -> Bools:
    """Return (n_labels, n_values) bool: whether a label leaves a category open."""
    most = max(int(column.members.max(initial=-1)) + 1, len(column.categories))
    place = np.full(most, -1, np.int64)
    place[values.astype(np.int64)] = np.arange(len(values))
    owners = np.repeat(np.arange(len(column.offsets) - 1), np.diff(column.offsets))
    asked = place[column.members]
    mask = np.zeros((len(column.offsets) - 1, len(values)), np.bool_)
    mask[owners[asked >= 0], asked[asked >= 0]] = True
    return mask


def _nearest(columns: Sequence[Column], persons: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return pairs of a person's place and a nearest row's place, ascending."""
    apart = np.zeros((len(persons), len(rows)))
    for column in columns:
        if isinstance(column, NumericColumn):
            apart += _gaps(column, persons, rows)
        else:
            values, place = np.unique(column.original[persons], return_inverse=True)
            apart += ~_masks(column, values, rows)[place]
    least = apart.min(axis=1, keepdims=True)
    return np.nonzero(apart <= least * (1 + TIE))  # type: ignore[return-value]


def _gaps(column: NumericColumn, persons: Ints, rows: Ints) -> Floats:
    """Return (n_persons, n_rows) float64: how far each value is from what is left open."""
    low, high = column.low[rows], column.high[rows]
    ends = np.concatenate([column.low, column.high])
    known = ends[~np.isnan(ends)]
    width = float(np.ptp(known)) if len(known) else 0.0
    values = column.original[persons][:, None]
    gaps = np.maximum(np.maximum(low - values, values - high), 0)
    if column.sets is not None:
        gaps = np.fmax(gaps, column.sets.gaps(values[:, 0], rows))
    gaps /= width or 1.0
    null = np.isnan(values)
    gaps = np.where(null, ~(np.isnan(low) | column.suppressed[rows]), gaps)
    return np.where(np.isnan(gaps), 1.0, gaps)
