"""Columns that repeat a column of the table that they refer to: a name, a birth date."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.schema import Identifier, Insensitive, QuasiIdentifier, Sensitive
from kanonym.linked.given_tables import Column, Tables, as_key, parent_rows
from kanonym.linked.linked_policy import LinkedPolicy

Rows = NDArray[np.int64]

DISTINCT = 10
"""Different values that columns of two names have in common before they are called copies."""

GLANCED = 100
"""Rows that are compared before all rows are."""


def copied_columns(tables: Tables, policy: LinkedPolicy) -> list[tuple[Column, Column]]:
    """Return pairs of a column and the column above it that it repeats in every row.

    Above is every table that a row belongs to, and every table that it refers to. Columns of
    different names need `DISTINCT` values, so that few flags are not called copies.
    """
    return [
        ((name, column), (above, other))
        for name in policy.tables
        for above, rows in _ways_up(tables, policy, name)
        for column in _free(tables, policy, name)
        for other in _free(tables, policy, above)
        if _is_copy(tables[name][column], tables[above][other], rows, same=column == other)
    ]


def _free(tables: Tables, policy: LinkedPolicy, name: str) -> list[str]:
    linking = policy.tables[name].linking
    return [one for one in tables[name].columns if one not in linking]


def _ways_up(tables: Tables, policy: LinkedPolicy, name: str) -> Iterator[tuple[str, Rows]]:
    """Yield the tables above one, each with the row that each row refers to, -1 for none."""
    table = policy.tables[name]
    for one in policy.tables[name].other_references:
        if one.table != name:
            yield one.table, parent_rows(tables, table, one, policy)
    at, rows = table, np.arange(tables[name].height, dtype=np.int64)
    while at.owner is not None:
        rows = parent_rows(tables, at, at.owner, policy)[rows]
        at = policy.tables[at.owner.table]
        yield at.name, rows


def _is_copy(column: pl.Series, other: pl.Series, rows: Rows, *, same: bool) -> bool:
    plain = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Date, pl.Datetime)
    if not all(one.dtype.is_numeric() or one.dtype in plain for one in (column, other)):
        return False
    held = np.flatnonzero((rows >= 0) & column.is_not_null().to_numpy())
    for part in (held[:GLANCED], held):
        here, there = as_key(column.gather(part)), as_key(other.gather(rows[part]))
        both = there.is_not_null()
        if not both.any() or not (here == there).filter(both).all():
            return False
    return here.n_unique() >= (2 if same else DISTINCT)


def hidden_copies(
    copies: Sequence[tuple[Column, Column]],
    policy: LinkedPolicy,
    is_changed: Callable[[str, str], bool],
) -> list[tuple[str, str]]:
    """Return the columns that are released as they are, and repeat one that is not, with it.

    is_changed: whether released values of a column of a table are not those of the input.
    """
    found = []
    for pair in copies:
        for shown, hidden in (pair, pair[::-1]):
            attribute = policy.tables[shown[0]].attributes[shown[1]]
            open_ = isinstance(attribute, Insensitive | Sensitive) and not attribute.action
            other = policy.tables[hidden[0]].attributes[hidden[1]]
            hides = isinstance(other, Identifier | QuasiIdentifier) or bool(other.action)
            if open_ and hides and is_changed(*hidden):
                found.append((".".join(shown), ".".join(hidden)))
    return found
