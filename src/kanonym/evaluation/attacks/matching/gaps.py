"""How far persons are from the nearest of what released records leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kanonym.evaluation.attacks.matching.cells import regroup_records
from kanonym.evaluation.attacks.matching.classes import classes_by
from kanonym.evaluation.attacks.matching.lookup import find_candidates
from kanonym.evaluation.pair.tables import CategoricalColumn, Column, NumericColumn, TablePair

CELLS = 1 << 24
"""Persons times classes that are looked at together: bounds the memory."""


def nearest_gaps(
    pair: TablePair, persons: NDArray[np.int64], names: Sequence[str], units: TablePair
) -> NDArray[np.float64]:
    """Return how far the nearest released record is from each person.

    persons: (n,) rows of the original.

    Returns
    -------
    (n,) float64, at least 0. The distance is a sum over columns: of a number its way to the
    released interval in units, at most 1; 1 for a category that is not left open, and for
    null beside a value. 0 where some record leaves all values of the person open.

    Notes
    -----
    Cost of a search in the classes' tree (`ReleasedClasses.nearest`); where cells are sets of
    numbers, O(columns · n_classes) for each person whom no class leaves open. Distances are
    rounded to float32, so that equal ones are equal whatever was added up first.

    """
    classes = regroup_records(pair, names)
    if not any(_has_sets(pair.column(name)) for name in names):
        searched = classes_by(replace(pair, classes=classes), names, units)
        apart = searched.nearest(*searched.persons(pair, persons))[1]
        return apart.astype(np.float32).astype(np.float64)
    rows = np.unique(classes, return_index=True)[1]
    fitting = find_candidates(replace(pair, classes=classes), persons, names).numbers > 0
    found = np.zeros(len(persons))
    lost = np.flatnonzero(~fitting)
    step = max(CELLS // max(len(rows), 1), 1)
    for start in range(0, len(lost), step):
        places = lost[start : start + step]
        apart = np.zeros((len(places), len(rows)), np.float32)
        for name in names:
            column = pair.column(name)
            own = column.original[persons[places]].astype(np.float64)
            # Equal values are compared once; float32 halves what has to be added up.
            values, place = np.unique(own, return_inverse=True)
            apart += _gaps(column, values, rows, units.column(name))[place]
        found[places] = apart.min(axis=1)
    return found


def _has_sets(column: Column) -> bool:
    """Whether some cells are sets of numbers."""
    return isinstance(column, NumericColumn) and column.sets is not None


def _gaps(
    column: Column, values: NDArray[np.float64], rows: NDArray[np.int64], unit: Column
) -> NDArray[np.float32]:
    """Return (n_values, n_rows) in [0, 1]: how far each value is from what a record leaves open."""
    if isinstance(column, CategoricalColumn):
        return _categories_differ(column, values, rows).astype(np.float32)
    known = unit.original[~np.isnan(unit.original)]
    width = (float(np.ptp(known)) if len(known) else 0.0) or 1.0
    return _number_gaps(column, values, rows, width).astype(np.float32)


def _number_gaps(
    column: NumericColumn, values: NDArray[np.float64], rows: NDArray[np.int64], width: float
) -> NDArray[np.float64]:
    low, high = column.low[rows], column.high[rows]
    asked = values[:, None]
    apart = np.maximum(np.maximum(low - asked, asked - high), 0)
    if column.sets is not None:
        apart = np.fmax(apart, column.sets.gaps(values, rows))
    apart /= width
    apart = np.minimum(np.where(np.isnan(apart), 1.0, apart), 1.0)
    apart[np.isnan(values)] = ~np.isnan(low)
    apart[:, column.suppressed[rows]] = 0.0
    return apart


def _categories_differ(
    column: CategoricalColumn, values: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.bool_]:
    place = np.full(len(column.categories), -1, np.int64)
    place[values.astype(np.int64)] = np.arange(len(values))
    labels = np.repeat(np.arange(len(column.offsets) - 1), np.diff(column.offsets))
    asked = place[column.members]
    apart = np.ones((len(values), len(column.offsets) - 1), np.bool_)
    apart[asked[asked >= 0], labels[asked >= 0]] = False
    return apart[:, column.labels[rows]]
