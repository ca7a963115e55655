"""Columns that repeat a column of the table that they refer to: a name, a birth date."""

from __future__ import annotations

import numpy as np
import polars as pl

from kanonym.data.schema import Identifier, Insensitive, QuasiIdentifier, Sensitive
from kanonym.linked.given_tables import Column, as_key
from kanonym.linked.linked_policy import Tables
from kanonym.linked.person_rows import Codes, LinkedRows

DISTINCT = 10
"""Different values that columns of two names have in common before they are called copies."""

GLANCED = 100
"""Rows that are compared before all rows are."""


def copied_columns(tables: Tables, rows: LinkedRows) -> list[tuple[Column, Column]]:
    """Return pairs of a column and the column above it that it repeats in every row.

    Above is every table that a row belongs to, and every table that it refers to. Columns of
    different names need `DISTINCT` values, so that few flags are not called copies.
    """
    policy = rows.policy
    free = {
        name: [one for one in tables[name].columns if one not in table.linking]
        for name, table in policy.tables.items()
    }
    above = {
        name: [
            *((one.table, rows.targets[name][one]) for one in table.other_references),
            *(rows.way_up(name)[1:] if name in rows.sizes else ()),
        ]
        for name, table in policy.tables.items()
    }
    return [
        ((name, column), (at, other))
        for name in policy.tables
        for at, row in above[name]
        for column in free[name]
        for other in free[at]
        if at != name
        and _is_copy(tables[name][column], tables[at][other], row, same=column == other)
    ]


def _is_copy(column: pl.Series, other: pl.Series, rows: Codes, *, same: bool) -> bool:
    """Whether a column has, in all rows with both, the value of the row above."""
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


def hidden_copies(before: Tables, rows: LinkedRows, after: Tables) -> list[tuple[str, str]]:
    """Return the columns that are released as they are, and repeat one that is not, with it.

    before, rows: the tables that came in. after: the released ones.
    """
    found = []
    for pair in copied_columns(before, rows):
        for shown, hidden in (pair, pair[::-1]):
            attribute, other = (
                rows.policy.tables[name].attributes[c] for name, c in (shown, hidden)
            )
            open_ = isinstance(attribute, Insensitive | Sensitive) and not attribute.action
            hides = isinstance(other, Identifier | QuasiIdentifier) or bool(other.action)
            if open_ and hides and _is_changed(before, after, *hidden):
                found.append((".".join(shown), ".".join(hidden)))
    return found


def _is_changed(before: Tables, after: Tables, name: str, column: str) -> bool:
    """Whether released values of a column are not those of the input."""
    if column not in after[name].columns:
        return True
    given, released = (set(as_key(one[name][column].unique())) for one in (before, after))
    return not released <= given
