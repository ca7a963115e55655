"""Actions on an engine: carried out on the distinct values of a column, and joined there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl
from sqlglot import exp

from kanonym.actions.base import Action, After
from kanonym.actions.registry import ColumnActions
from kanonym.data.errors import PolicyError
from kanonym.data.readings import styled_columns
from kanonym.engines.sql.coded_columns import values_of
from kanonym.engines.sql.statements import (
    alias_column,
    equal_condition,
    exact_column,
    nan_as_null,
    subquery,
)
from kanonym.engines.sql.store import Source

BEFORE, AFTER = "before", "after"


def apply_actions_on_engine(
    source: Source,
    types: Mapping[str, pl.DataType],
    actions: Mapping[str, Sequence[Action | After]],
    seed: int,
    entities: Sequence[str],
) -> tuple[Source, dict[str, pl.DataType]]:
    """Return a table whose columns are as their actions leave them, and their types.

    Notes
    -----
    One GROUP BY and one join a column.

    """
    reads = exp.select().from_(subquery(source.query, "t"))
    picked: dict[str, exp.Condition] = {name: exact_column(name, "t") for name in types}
    changed: dict[str, pl.DataType] = {}
    typed = set(source.typed)
    distinct = {name: values_of(source, name, types) for name in actions}
    acting = ColumnActions(lambda name: distinct[name].column(name), actions, seed)
    for place, (name, frequencies) in enumerate(distinct.items()):
        given, after = frequencies.column(name), acting.before(name)
        if name in entities and after.n_unique() < given.n_unique():
            raise PolicyError(
                f"k-anonymity counts persons by {name!r}, several of which an action makes equal: "
                f"use an action that keeps them distinct, such as surrogate, or drop the column"
            )
        (after,) = styled_columns([after.alias(name)], source.readings)
        table = pl.DataFrame({BEFORE: frequencies.raw[name], AFTER: after})
        column = nan_as_null(source, exact_column(name, "t"), types[name])
        key = f"m{place}"
        condition = equal_condition(source, column, exact_column(BEFORE, key), types[name])
        reads = reads.join(subquery(source.store.put(table), key), on=condition)
        picked[name] = exact_column(AFTER, key)
        changed[name] = after.dtype
        typed |= {name} if name not in source.readings or after.dtype != pl.String else set()
    query = reads.select(*(alias_column(column, name) for name, column in picked.items()))
    types = {**types, **changed}
    return replace(source, query=query, typed=frozenset(typed)), types
