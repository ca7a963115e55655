"""Slow, obvious twins: patterns of suppressed cells, and candidates that are open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, product

import numpy as np

from kanonym.evaluation.pair.tables import NumericColumn

Row = tuple[object, ...]


def agree(one: Row, other: Row) -> bool:
    """Say whether two rows have equal values wherever neither is null."""
    return all(a == b for a, b in zip(one, other, strict=True) if None not in (a, b))


def k_value(rows: Sequence[Row]) -> int:
    """Return the size of the smallest class, null equal to null alone."""
    return min(Counter(rows).values())


def k_wildcard(rows: Sequence[Row]) -> int:
    """Return the fewest rows that agree with a row, itself included."""
    return min(sum(agree(one, other) for other in rows) for one in rows)


def parts(rows: Sequence[Row], size: int) -> Iterable[list[Row]]:
    """Yield the rows with so many of their columns only, for every choice of columns."""
    for chosen in combinations(range(len(rows[0])), size):
        yield [tuple(row[a] for a in chosen) for row in rows]


def blanked(row: Row, pattern: Iterable[int]) -> Row:
    """Return a row without the values of some columns."""
    return tuple(None if a in pattern else value for a, value in enumerate(row))


def patterns(d: int) -> list[tuple[int, ...]]:
    """Return all sets of columns."""
    return [one for size in range(d + 1) for one in combinations(range(d), size)]


def cost(row: Row, pattern: Iterable[int], costs: Sequence[int]) -> int:
    """Return what blanking some columns of a row costs: nulls cost nothing."""
    return sum(costs[a] for a in pattern if row[a] is not None)


def fits(row: Row, rows: Sequence[Row], k: int) -> bool:
    """Say whether k rows agree with what a row shows."""
    return sum(agree(row, other) for other in rows) >= k


def least_cost_wildcard(
    rows: Sequence[Row], k: int, costs: Sequence[int], size: int | None = None
) -> int:
    """Return the least cost after which what each row shows, or any `size` of it, fits k rows."""
    d = len(costs)
    size = d if size is None else size
    total = 0
    for row in rows:
        known = []
        for pattern in patterns(d):
            shown = blanked(row, pattern)
            views = [
                blanked(shown, set(range(d)) - set(kept)) for kept in combinations(range(d), size)
            ]
            if all(fits(view, rows, k) for view in views):
                known.append(cost(row, pattern, costs))
        total += min(known)
    return total


def least_cost_value(rows: Sequence[Row], k: int, costs: Sequence[int]) -> int:
    """Return the least cost of blanks after which every class has k rows: all are tried."""
    every = patterns(len(costs))
    return min(
        sum(cost(row, pattern, costs) for row, pattern in zip(rows, chosen, strict=True))
        for chosen in product(every, repeat=len(rows))
        if k_value([blanked(row, one) for row, one in zip(rows, chosen, strict=True)]) >= k
    )


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
