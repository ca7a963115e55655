"""What an intruder sees: a release, and what is known of persons who may be in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kanonym.data.hierarchy import Hierarchy
from kanonym.metrics.utility.pair import CategoricalColumn, NumericColumn, TablePair


@dataclass(frozen=True, slots=True)
class Scene:
    """A release beside the persons whose records were anonymized, and persons who were not.

    Attributes
    ----------
    pair
        Persons of the original, and the release. Its `classes` group the released records.
    control
        Persons who are not in the original (of the same population), and the same release;
        None where there are none.
    sensitive
        Columns of both tables that the intruder wants to learn.
    second
        The persons of `pair`, row by row, beside a further release of them; None without.
    trees
        Hierarchies of sensitive columns, where they have one, with every value of the original.

    """

    pair: TablePair
    control: TablePair | None
    sensitive: tuple[str, ...]
    second: TablePair | None = None
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """What the intruder knows of a person."""
        return self.pair.quasi_identifiers


def drawn(n: int, attempts: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return at most `attempts` of n persons, ascending; all where there are no more."""
    if n <= attempts:
        return np.arange(n)
    return np.sort(random.choice(n, attempts, replace=False))


def open_to(
    pair: TablePair, persons: NDArray[np.int64], rows: NDArray[np.int64], names: tuple[str, ...]
) -> NDArray[np.bool_]:
    """Say which released records leave each person's values open.

    Parameters
    ----------
    pair
        The tables.
    persons, rows
        Rows of the original, and of the release.
    names
        Columns that the intruder compares.

    Returns
    -------
    (n_persons, n_rows) bool: whether the record could be the person's by these columns.
    A person's null is open to a null and to a suppressed cell.

    Notes
    -----
    Cost and memory O(persons · rows) a column: call it with few persons at a time.

    """
    found = np.ones((len(persons), len(rows)), np.bool_)
    for name in names:
        column = pair.column(name)
        if isinstance(column, NumericColumn):
            found &= _numbers_open(column, persons, rows)
        else:
            found &= _categories_open(column, persons, rows)
    return found


def _numbers_open(
    column: NumericColumn, persons: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.bool_]:
    values = column.original[persons][:, None]
    low, high = column.low[rows], column.high[rows]
    inside = (low <= values) & (values <= high)
    null = np.isnan(values)
    return inside | (null & (np.isnan(low) | column.suppressed[rows]))


def _categories_open(
    column: CategoricalColumn, persons: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.bool_]:
    labels, place = np.unique(column.labels[rows], return_inverse=True)
    by_label = np.zeros((len(labels), len(column.categories)), np.bool_)
    for i, label in enumerate(labels):
        by_label[i, column.members[column.offsets[label] : column.offsets[label + 1]]] = True
    return by_label[place].T[column.original[persons]]
