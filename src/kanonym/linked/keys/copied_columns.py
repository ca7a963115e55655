"""Columns that repeat a column of the table that they refer to: a name, a birth date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.schema import Identifier, Insensitive, QuasiIdentifier, Sensitive
from kanonym.linked.keys.integrity import Tables, as_key, parent_rows
from kanonym.linked.policies.linked_policy import LinkedPolicy
from kanonym.verification import VerificationWarning

Column = tuple[str, str]
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
    for one in policy.other_references(name):
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


def copy_warnings(
    copies: Sequence[tuple[Column, Column]], policy: LinkedPolicy, levels: Mapping[Column, int]
) -> list[VerificationWarning]:
    """Return a warning of each column that is released as it is, and repeats one that is not.

    levels: of each quasi-identifier, as it is released.
    """
    found = []
    for pair in copies:
        for shown, hidden in (pair, pair[::-1]):
            attribute = policy.tables[shown[0]].attributes[shown[1]]
            open_ = isinstance(attribute, Insensitive | Sensitive) and not attribute.action
            if open_ and _is_hidden(policy, hidden, levels):
                name, other = ".".join(shown), ".".join(hidden)
                found.append(
                    VerificationWarning(
                        "copied-column",
                        (name,),
                        f"{name} repeats {other}, which is generalized, replaced or dropped, and "
                        "is released as it is: drop it (identifier), or give both one role, "
                        "hierarchy and action",
                    )
                )
    return found


def _is_hidden(policy: LinkedPolicy, column: Column, levels: Mapping[Column, int]) -> bool:
    attribute = policy.tables[column[0]].attributes[column[1]]
    return (
        isinstance(attribute, Identifier)
        or bool(attribute.action)
        or (isinstance(attribute, QuasiIdentifier) and levels.get(column, 0) > 0)
    )
