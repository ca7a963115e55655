"""The released table of a division that stays on its engine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from sqlglot import exp

from kanonym.data.schema import Schema
from kanonym.engines.sql.large.coding import CODE, VALUE, sum_column
from kanonym.engines.sql.large.engine_partition import EnginePartition
from kanonym.engines.sql.large.fragments import CLASS, RELEASED
from kanonym.engines.sql.release_query import FIRST, LAST, unchanged_columns
from kanonym.engines.sql.statements import (
    COUNT,
    alias_column,
    exact_column,
    free_name,
    number_equal_records,
    order_key,
    subquery,
)
from kanonym.engines.sql.store import Query, Source
from kanonym.recoding.recode import released_names

KEPT = "t"
"""Columns that are released as they are, in the join."""


def released_query(
    source: Source,
    found: EnginePartition,
    schema: Schema,
    dtypes: Mapping[str, pl.DataType],
    seed: int,
) -> Query:
    """Return a query of the released table, ordered by its values.

    seed: decides which of equal records is in which class.

    Notes
    -----
    Where all columns that are released as they are belong to the tuples, the input is not read
    again: each distinct released row is written as often as there are records. Otherwise the
    codes of every record are joined with what was decided about them.

    """
    released = _names(found)
    kept = unchanged_columns(schema)
    order = []
    for name in schema.attributes:
        order += released.get(name, [name] if name in kept else [])
    aliases = {own: f"{RELEASED}{place}" for place, own in enumerate(
        own for domain in found.job.domains for own in released[domain.name]
    )}  # fmt: skip
    if set(kept) <= set(found.coding.names) - found.coding.texts:
        return _repeat_query(source, found, order, aliases)
    return _join_query(source, found, order, aliases, kept, dtypes, seed)


def _names(found: EnginePartition) -> dict[str, list[str]]:
    """Return the released columns of each quasi-identifier."""
    return {
        domain.name: released_names(domain.name, recoding)
        for domain, recoding in zip(found.job.domains, found.job.recodings, strict=True)
    }


def _repeat_query(
    source: Source, found: EnginePartition, order: list[str], aliases: Mapping[str, str]
) -> Query:
    """Return each distinct released row as often as it has records."""
    classes, names = found.classes, found.coding.names
    numbered = source.store.put(pl.DataFrame({CLASS: classes.numbers, "number": classes.classes}))
    values = classes.released().with_columns(number=np.arange(len(classes.sizes), dtype=np.int32))
    keys = {name: f"{CODE}{names.index(name)}" for name in order if name not in aliases}
    columns = [exact_column("number", "m"), *(exact_column(code, "d") for code in keys.values())]
    times = free_name(order)
    grouped = (
        exp.select(*columns, alias_column(sum_column(COUNT), times))
        .from_(subquery(found.tuples, "d"))
        .join(
            subquery(numbered, "m"),
            on=exp.EQ(this=exact_column(CLASS, "d"), expression=exact_column(CLASS, "m")),
        )
        .group_by(*(column.copy() for column in columns))
    )
    query = exp.select(
        *(
            alias_column(
                exact_column(aliases[own], "v")
                if own in aliases
                else exact_column(VALUE, f"d{place}"),
                own,
            )
            for place, own in enumerate(order)
        ),
        exact_column(times, "g"),
    ).from_(subquery(grouped, "g"))
    query = query.join(
        subquery(source.store.put(values), "v"),
        on=exp.EQ(this=exact_column("number", "g"), expression=exact_column("number", "v")),
    )
    for place, own in enumerate(order):
        if own in keys:
            query = query.join(
                subquery(found.coding.dictionaries[own], f"d{place}"),
                on=exp.EQ(
                    this=exact_column(keys[own], "g"), expression=exact_column(CODE, f"d{place}")
                ),
            )
    # Sorted while it is small, and written down: what is repeated stays in order.
    few = exp.select(exp.Star()).from_(subquery(query, "s")).order_by(*map(exact_column, order))
    return source.store.repeat(source.store.hold(few), times)


def _join_query(
    source: Source,
    found: EnginePartition,
    order: list[str],
    aliases: Mapping[str, str],
    kept: list[str],
    dtypes: Mapping[str, pl.DataType],
    seed: int,
) -> Query:
    """Return the records with what their tuples are released as."""
    own = {name: f"{KEPT}{place}" for place, name in enumerate(kept)}
    kinds = {name: dtypes[name] for name in kept}
    codes = found.coding.codes
    records = found.coding.join_codes(source, dtypes, own)
    conditions: list[exp.Expression] = [
        exp.EQ(this=exact_column(code, "x"), expression=exact_column(code, "a")) for code in codes
    ]
    if found.job.separates_equal:
        others = [order_key(exact_column(alias, "y"), dtypes[name]) for name, alias in own.items()]
        keys = [exact_column(code, "y") for code in codes]
        own_records = subquery(records, "y")
        names = "number", "copy"
        records = number_equal_records(source, own_records, keys, others, names, seed)
        conditions.append(
            exp.Between(
                this=exact_column("number", "x"),
                low=exact_column(FIRST, "a"),
                high=exact_column(LAST, "a"),
            )
        )
    picked = [
        alias_column(
            exact_column(aliases[name], "v") if name in aliases else exact_column(own[name], "x"),
            name,
        )
        for name in order
    ]
    classes = found.classes
    of_class = classes.released()[classes.classes].with_columns(pl.Series(CLASS, classes.numbers))
    joined = (
        exp.select(*picked)
        .from_(subquery(records, "x"))
        .join(subquery(found.tuples, "a"), on=exp.and_(*conditions))
        .join(
            subquery(source.store.put(of_class), "v"),
            on=exp.EQ(this=exact_column(CLASS, "a"), expression=exact_column(CLASS, "v")),
        )
    )
    # Around the join: an order by the released columns, not by those of the input.
    return (
        exp.select(exp.Star())
        .from_(subquery(joined, "r"))
        .order_by(*(order_key(exact_column(name, "r"), kinds.get(name)) for name in order))
    )
