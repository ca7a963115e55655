"""What the shape of released cells tells of a column: values that a minimal cell must hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kanonym.evaluation.pair.tables import CategoricalColumn, NumericColumn, TablePair

Members = tuple[NDArray[np.int64], NDArray[np.int64]]
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

    several: NDArray[np.bool_]
    named: NDArray[np.int64]
    occurring: NDArray[np.int64]
    expected: NDArray[np.float64]


def shape_of(
    pair: TablePair,
    name: str,
    rows: NDArray[np.int64],
    members: Members,
    present: NDArray[np.bool_],
) -> Shape:
    """Read the shape of a quasi-identifier's cells.

    rows: (n_classes,) one released record of each class.
    members: (n_members,) places of classes and rows of the original.
    present: (n_classes,) bool, where all labels one level below the cell's are known to occur.

    Notes
    -----
    Cost: a sort of the members by class and value.

    """
    column = pair.column(name)
    silent = column.suppressed[rows] | _wide_labels(pair, name, rows, present)
    if isinstance(column, NumericColumn) and column.sets is not None:
        column = column.as_categories()
    if isinstance(column, NumericColumn):
        return _number_shape(column, rows, members, silent)
    return _category_shape(column, rows, members, silent)


def _wide_labels(
    pair: TablePair, name: str, rows: NDArray[np.int64], present: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return (n_classes,) bool: cells that are labels of more than two values of a hierarchy.

    But for labels directly above values that are known to occur.
    """
    own = next(
        (generalization for generalization in pair.generalizations if generalization.name == name),
        None,
    )
    if own is None or own.levels is None:
        return np.zeros(len(rows), np.bool_)
    labels = own.labels[rows]
    mask: NDArray[np.bool_] = present & (own.levels[labels] == 1)
    return np.asarray((own.values[labels] > 2) & ~mask)


def _number_shape(
    column: NumericColumn, rows: NDArray[np.int64], members: Members, silent: NDArray[np.bool_]
) -> Shape:
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
    column: CategoricalColumn, rows: NDArray[np.int64], members: Members, silent: NDArray[np.bool_]
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
    several: NDArray[np.bool_],
    named: Members,
    held: Members,
    counts: NDArray[np.int64],
    totals: NDArray[np.number],
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
