"""The slow twin of `attacks.matching.lookup`: every person against every released record."""

from __future__ import annotations

import numpy as np

from kanonym.evaluation.pair.tables import NumericColumn


def open_to(pair, persons, rows, names):
    """Return (n_persons, n_rows) bool: whether a record leaves all of a person's values open.

    A person's null is open to a null and to a suppressed cell.
    """
    found = np.ones((len(persons), len(rows)), np.bool_)
    for name in names:
        column = pair.column(name)
        of_kind = _numbers_open if isinstance(column, NumericColumn) else _categories_open
        found &= of_kind(column, persons, rows)
    return found


def _numbers_open(column, persons, rows):
    values = column.original[persons][:, None]
    low, high = column.low[rows], column.high[rows]
    inside = (low <= values) & (values <= high)
    return inside | (np.isnan(values) & (np.isnan(low) | column.suppressed[rows]))


def _categories_open(column, persons, rows):
    labels, place = np.unique(column.labels[rows], return_inverse=True)
    by_label = np.zeros((len(labels), len(column.categories)), np.bool_)
    for i, label in enumerate(labels):
        by_label[i, column.members[column.offsets[label] : column.offsets[label + 1]]] = True
    return by_label[place].T[column.original[persons]]
