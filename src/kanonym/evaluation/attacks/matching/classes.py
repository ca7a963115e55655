"""Released records that are equal, as shapes that persons are looked up in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.data.results import ShortRepr
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.grouping import Groups, dense_ranks, group_rows
from kanonym.kernels.neighbours import class_tree as opened
from kanonym.kernels.neighbours import nearest_classes as linkage
from kanonym.kernels.parallel import parallel

Members = tuple[Ints, Ints]
"""Pairs of a class's place and of a person in it."""


class Shape(NamedTuple):
    """The cells of one column in some classes, and what is read off their shape.

    several: (n_classes,) bool, whether the cell leaves several values open.
    named: (n_classes,) int64, how many values are named: one of a cell that leaves one open, the
    two ends of an interval, all members of a set, both values of a label that stands for two, and
    those of one of which all are known to occur; none of a suppressed cell or of another label of a
    hierarchy.
    occurring: (n_classes,) int64, how many of these a person of the class has.
    expected: (n_classes,) float64 in [0, 1], how likely a person of the class has a value drawn
    from those of the original that the cell leaves open.
    """

    several: Bools
    named: Ints
    occurring: Ints
    expected: Floats


def shape_of(pair: TablePair, name: str, rows: Ints, members: Members, present: Bools) -> Shape:
    """Read the shape of a quasi-identifier's cells.

    rows: (n_classes,) one released record of each class.
    members: (n_members,) places of classes and rows of the original.
    present: (n_classes,) bool, where all labels one level below the cell's are known to occur.
    """
    column = pair.column(name)
    silent = column.suppressed[rows] | _wide_labels(pair, name, rows, present)
    if isinstance(column, NumericColumn) and column.sets is not None:
        column = column.as_categories()
    if isinstance(column, NumericColumn):
        return _number_shape(column, rows, members, silent)
    return _category_shape(column, rows, members, silent)


def _wide_labels(pair: TablePair, name: str, rows: Ints, present: Bools) -> Bools:
    """Return (n_classes,) bool: cells that are labels of more than two values of a hierarchy."""
    own = next(
        (generalization for generalization in pair.generalizations if generalization.name == name),
        None,
    )
    if own is None or own.levels is None:
        return np.zeros(len(rows), np.bool_)
    labels = own.labels[rows]
    mask: Bools = present & (own.levels[labels] == 1)
    return np.asarray((own.values[labels] > 2) & ~mask)


def _number_shape(column: NumericColumn, rows: Ints, members: Members, silent: Bools) -> Shape:
    line, own = np.unique(column.original, return_inverse=True)
    counts = np.bincount(own)
    low, high = column.low[rows], column.high[rows]
    # Null is the last of the line and its own end.
    first = np.searchsorted(line, low)
    last = np.searchsorted(line, high, side="right") - 1
    mask = (low < high) | column.suppressed[rows]
    classes, codes = _distinct(members, own, len(line))
    inside = (first[classes] <= codes) & (codes <= last[classes])
    upto = np.concatenate([[0], np.cumsum(counts)])
    totals = upto[np.maximum(last + 1, first)] - upto[first]
    ends = np.stack([first, last])
    asked = np.stack([np.ones(len(rows), np.bool_), mask]) & ~silent
    padded = np.append(line, np.nan)
    reached = (padded[ends] == [low, high]) | (np.isnan(low) & (first <= last))
    places = np.broadcast_to(np.arange(len(rows)), ends.shape)
    return _compare_shape(
        mask,
        (places[asked], np.where(reached, ends, -1)[asked]),
        (classes[inside], codes[inside]),
        counts,
        totals,
    )


def _category_shape(
    column: CategoricalColumn, rows: Ints, members: Members, silent: Bools
) -> Shape:
    size = len(column.categories)
    counts = np.bincount(column.original, minlength=size)
    starts = column.offsets[column.labels[rows]]
    numbers = column.offsets[column.labels[rows] + 1] - starts
    places = np.repeat(np.arange(len(rows)), numbers)
    behind = np.cumsum(numbers) - numbers
    open_ = column.members[np.arange(len(places)) + np.repeat(starts - behind, numbers)]
    classes, codes = _distinct(members, column.original, size)
    inside = np.isin(classes * size + codes, places * size + open_)
    mask = ~silent[places]
    return _compare_shape(
        (numbers > 1) | column.suppressed[rows],
        (places[mask], open_[mask].astype(np.int64)),
        (classes[inside], codes[inside]),
        counts,
        np.bincount(places, counts[open_], len(rows)),
    )


def _distinct(members: Members, own: NDArray[np.integer], size: int) -> Members:
    """Return the distinct pairs of a class and a code that one of its persons has."""
    places, persons = members
    keys = np.unique(places * size + own[persons])
    return keys // max(size, 1), keys % max(size, 1)


def _compare_shape(
    several: Bools, named: Members, held: Members, counts: Ints, totals: NDArray[np.number]
) -> Shape:
    """Compare what is named, and what may be drawn, with what the classes hold."""
    n_classes, size = len(several), max(len(counts), 1)
    (places, codes), (classes, values) = named, held
    occurs = (codes >= 0) & np.isin(places * size + codes, classes * size + values)
    return Shape(
        several,
        np.bincount(places, minlength=n_classes),
        np.bincount(places, occurs, n_classes).astype(np.int64),
        np.bincount(classes, counts[values], n_classes) / np.maximum(totals, 1),
    )


CHUNK = 20_000
"""Persons that one thread looks for at a time."""

CELLS = 32
"""Cells along each of the first columns of numbers, to sort persons by."""

SORTED_BY = 8
"""Columns of numbers that persons are sorted by, at most."""

FARTHEST = 1e6
"""No released number counts as farther from the originals than so many of their ranges."""


@dataclass(frozen=True, slots=True, repr=False)
class ReleasedClasses(ShortRepr):
    """Released records that leave the same values open in some columns, to be searched.

    A class is nearer to a person than another if its nearest open values are: summed over columns,
    for a number its way to the interval as a share of the original's range, at most 1; for a
    category that is not left open 1; for null beside a value 1; for a number that is not in a set
    of numbers 1 more. Of classes equally near by that, as are all that leave a person's values
    open, the one is nearer from which a value drawn evenly is expected to be: the one that says
    more, and has the person in its middle. Distances within a relative 1e-9 are equal.

    of_record: (n_released,) int32, the class of each released record.
    sizes: (n_classes,) int64, released records.
    """

    names: tuple[str, ...]
    of_record: Int32s
    sizes: Ints
    origins: dict[str, float]
    ranges: dict[str, float]
    grove: opened.ClassTree

    def persons(self, pair: TablePair, chosen: Ints) -> tuple[Floats, Int32s]:
        """Return chosen persons of a pair as kernels see them: numbers, and codes of categories.

        (n, n_numbers) float64 and (n, n_categorical) int32. The pair is the one that the
        classes were made of: another one may code its categories otherwise.
        """
        columns = [pair.column(name) for name in self.names]
        numbers = [
            _scale_numbers(
                column.original[chosen], self.origins[column.name], self.ranges[column.name]
            )
            for column in columns
            if isinstance(column, NumericColumn)
        ]
        codes = [category.original[chosen] for category in _categories(columns)]
        n = len(chosen)
        return (
            np.ascontiguousarray(np.array(numbers, np.float64).reshape(-1, n).T),
            np.ascontiguousarray(np.array(codes, np.int32).reshape(-1, n).T),
        )

    def nearest(self, numbers: Floats, codes: Int32s) -> tuple[Ints, Floats]:
        """Return each person's nearest class, and how far its nearest open values are.

        (n,) int64 and float64; a distance of 0 leaves all values of the person open. Persons
        with the same values are looked for once.
        """
        alike = group_persons(numbers, codes)
        numbers, codes = numbers[alike.first], codes[alike.first]
        found, first = np.empty(len(numbers), np.int64), np.empty(len(numbers))
        order = _similarity_order(numbers)
        numbers, codes = numbers[order], codes[order]

        def search(part: slice) -> None:
            linkage.nearest_class(self.grove, numbers[part], codes[part], found[part], first[part])

        parallel(search, _slices(len(numbers)))
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        own = back[alike.labels]
        return found[own], first[own]

    def count_tied(self, numbers: Floats, codes: Int32s, own: Ints) -> Ints:
        """Return how many records are as near to each person as those of one class.

        own: (n,) int64 classes, -1 for none. (n,) int64: 0 where others are nearer.
        """
        records = np.empty(len(own), np.int64)
        # Persons of one class ask for the same leaves.
        order = np.argsort(np.append(self.grove.place, -1)[own], kind="stable")
        numbers, codes, own = numbers[order], codes[order], own[order]

        def search(part: slice) -> None:
            linkage.tied_records(self.grove, numbers[part], codes[part], own[part], records[part])

        parallel(search, _slices(len(own)))
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return records[back]


def group_persons(numbers: Floats, codes: Int32s) -> Groups:
    """Group persons who have the same values; arrays as of `ReleasedClasses.persons`."""
    columns = [dense_ranks(one)[1] for one in numbers.T]
    columns += [np.ascontiguousarray(one) for one in codes.T]
    return group_rows(columns, [int(column.max(initial=0)) + 1 for column in columns])


def classes_by(
    pair: TablePair, names: Sequence[str], units: TablePair | None = None
) -> ReleasedClasses:
    """Group released records by what they leave open in some columns."""
    columns = [pair.column(name) for name in names]
    numeric = [column for column in columns if isinstance(column, NumericColumn)]
    categorical = _categories(columns)
    groups = _group_records(pair, numeric, categorical)
    rows = groups.first
    known = [(units or pair).column(one.name).original for one in numeric]
    origins, ranges = {}, {}
    for one, values in zip(numeric, known, strict=True):
        held = values[~np.isnan(values)]
        origins[one.name] = float(held.min()) if len(held) else 0.0
        ranges[one.name] = (float(np.ptp(held)) if len(held) else 0.0) or 1.0
    left_open, positions = _class_bounds(numeric, categorical, rows, origins, ranges)
    return ReleasedClasses(
        tuple(names),
        groups.labels,
        groups.sizes,
        origins,
        ranges,
        opened.build_class_tree(left_open._replace(sizes=groups.sizes), positions),
    )


def _categories(columns: Sequence[Column]) -> list[CategoricalColumn]:
    """Return columns of categories, and those of numbers that have sets, as categories, too."""
    return [
        column.as_categories() if isinstance(column, NumericColumn) else column
        for column in columns
        if isinstance(column, CategoricalColumn) or column.sets is not None
    ]


def _class_bounds(
    numeric: Sequence[NumericColumn],
    categorical: Sequence[CategoricalColumn],
    rows: Ints,
    origins: dict[str, float],
    ranges: dict[str, float],
) -> tuple[opened.ClassBounds, Floats]:
    """Return what some released rows leave open, and where they stand to each other."""
    n = len(rows)
    low, high = np.empty((2, n, len(numeric)))
    nullable = np.empty((n, len(numeric)), np.bool_)
    labels = np.empty((n, len(categorical)), np.int64)
    positions = np.empty((n, len(numeric) + len(categorical)))
    for a, one in enumerate(numeric):
        low[:, a] = _scale_numbers(one.low[rows], origins[one.name], ranges[one.name])
        high[:, a] = _scale_numbers(one.high[rows], origins[one.name], ranges[one.name])
        null = np.isnan(low[:, a])
        nullable[:, a] = null | one.suppressed[rows]
        # What leaves everything open stands apart, so that it spoils few leaves.
        positions[:, a] = np.where(nullable[:, a], -1, (low[:, a] + high[:, a]) / 2)
        low[null, a], high[null, a] = np.inf, -np.inf
    offsets, members = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)]
    for b, column in enumerate(categorical):
        labels[:, b] = column.labels[rows] + sum(map(len, offsets)) - 1
        offsets.append(column.offsets[1:] + sum(map(len, members)))
        members.append(column.members)
        place = column.members[column.offsets[:-1]] / len(column.categories)
        place[np.diff(column.offsets) == len(column.categories)] = -1
        positions[:, len(numeric) + b] = place[column.labels[rows]]
    left_open = opened.ClassBounds(
        low,
        high,
        nullable,
        labels,
        np.concatenate(offsets),
        np.concatenate(members),
        np.ones(n, np.int64),
    )
    return left_open, positions


def _group_records(
    pair: TablePair, numeric: Sequence[NumericColumn], categorical: Sequence[CategoricalColumn]
) -> Groups:
    """Group released records by what they leave open."""
    classes = pair.classes
    if classes is None:
        classes = np.arange(pair.n_released, dtype=np.int32)
    rows = np.zeros(int(classes.max()) + 1, np.int64)
    rows[classes] = np.arange(pair.n_released)
    codes, sizes = [], []
    for one in numeric:
        for values in (one.low, one.high, one.suppressed.astype(np.int64)):
            first, place = dense_ranks(values[rows])
            codes.append(place)
            sizes.append(len(first))
    for column in categorical:
        codes.append(column.labels[rows])
        sizes.append(len(column.offsets) - 1)
    groups = group_rows(codes, sizes)
    labels = groups.labels[classes]
    return Groups(labels, np.bincount(labels), rows[groups.first], groups.codes)


def _scale_numbers(values: Floats, origin: float, unit: float) -> Floats:
    """Return numbers in units of a column's range; far ones are cut off."""
    return np.clip((values - origin) / unit, -FARTHEST, FARTHEST)


def _similarity_order(numbers: Floats) -> Ints:
    """Return an order of persons in which those with similar numbers ask one after the other."""
    cells = np.nan_to_num(np.clip(numbers[:, :SORTED_BY], 0, 1) * (CELLS - 1)).astype(np.int64)
    key = np.zeros(len(numbers), np.int64)
    for column in cells.T:
        key = key * CELLS + column
    return np.argsort(key, kind="stable")


def _slices(n: int) -> list[slice]:
    return [slice(start, start + CHUNK) for start in range(0, n, CHUNK)]
