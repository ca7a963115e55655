"""The released table of a division that stays on its engine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from sqlglot import exp

from kanonym.data.schema import Schema
from kanonym.engines.sql.large.coding import CODE, VALUE, summed
from kanonym.engines.sql.large.dividing import Divided
from kanonym.engines.sql.large.finishing import CLASS, RELEASED
from kanonym.engines.sql.releasing import FIRST, LAST, untouched
from kanonym.engines.sql.statements import (
    COUNT,
    aliased,
    free_name,
    inner,
    named,
    ordering,
    shuffled,
)
from kanonym.engines.sql.store import Query, Source
from kanonym.recoding.recode import released_names

KEPT = "t"
"""Columns that are released as they are, in the join."""


def released_query(
    source: Source, found: Divided, schema: Schema, dtypes: Mapping[str, pl.DataType]
) -> Query:
    """Return a query of the released table, ordered by its values.

    Notes
    -----
    Where all columns that are released as they are belong to the tuples, the input is not read
    again: each distinct released row is written as often as there are records. Otherwise the
    codes of every record are joined with what was decided about them.

    """
    released = _names(found)
    kept = untouched(schema)
    order = []
    for name in schema.attributes:
        order += released.get(name, [name] if name in kept else [])
    aliases = {own: f"{RELEASED}{place}" for place, own in enumerate(
        own for domain in found.job.domains for own in released[domain.name]
    )}  # fmt: skip
    if set(kept) <= set(found.coding.names) - found.coding.texts:
        return _repeated(source, found, order, aliases)
    return _joined(source, found, order, aliases, kept, dtypes)


def _names(found: Divided) -> dict[str, list[str]]:
    """Return the released columns of each quasi-identifier."""
    return {
        domain.name: released_names(domain.name, recoding)
        for domain, recoding in zip(found.job.domains, found.job.recodings, strict=True)
    }


def _repeated(
    source: Source, found: Divided, order: list[str], aliases: Mapping[str, str]
) -> Query:
    """Return each distinct released row as often as it has records."""
    classes, names = found.classes, found.coding.names
    numbered = source.store.put(pl.DataFrame({CLASS: classes.numbers, "number": classes.classes}))
    values = classes.released().with_columns(number=np.arange(len(classes.sizes), dtype=np.int32))
    keys = {name: f"{CODE}{names.index(name)}" for name in order if name not in aliases}
    columns = [named("number", "m"), *(named(code, "d") for code in keys.values())]
    times = free_name(order)
    grouped = (
        exp.select(*columns, aliased(summed(COUNT), times))
        .from_(inner(found.tuples, "d"))
        .join(inner(numbered, "m"), on=exp.EQ(this=named(CLASS, "d"), expression=named(CLASS, "m")))
        .group_by(*(column.copy() for column in columns))
    )
    query = exp.select(
        *(
            aliased(
                named(aliases[own], "v") if own in aliases else named(VALUE, f"d{place}"),
                own,
            )
            for place, own in enumerate(order)
        ),
        named(times, "g"),
    ).from_(inner(grouped, "g"))
    query = query.join(
        inner(source.store.put(values), "v"),
        on=exp.EQ(this=named("number", "g"), expression=named("number", "v")),
    )
    for place, own in enumerate(order):
        if own in keys:
            query = query.join(
                inner(found.coding.dictionaries[own], f"d{place}"),
                on=exp.EQ(this=named(keys[own], "g"), expression=named(CODE, f"d{place}")),
            )
    # Sorted while it is small, and written down: what is repeated stays in order.
    few = exp.select(exp.Star()).from_(inner(query, "s")).order_by(*map(named, order))
    return source.store.repeat(source.store.hold(few), times)


def _joined(
    source: Source,
    found: Divided,
    order: list[str],
    aliases: Mapping[str, str],
    kept: list[str],
    dtypes: Mapping[str, pl.DataType],
) -> Query:
    """Return the records with what their tuples are released as."""
    own = {name: f"{KEPT}{place}" for place, name in enumerate(kept)}
    kinds = {name: dtypes[name] for name in kept}
    codes = found.coding.codes
    records = found.coding.joined(source, dtypes, own)
    conditions: list[exp.Expression] = [
        exp.EQ(this=named(code, "x"), expression=named(code, "a")) for code in codes
    ]
    if found.job.separated:
        others = [ordering(named(alias, "y"), dtypes[name]) for name, alias in own.items()]
        number = exp.Window(
            this=exp.RowNumber(),
            partition_by=[named(code, "y") for code in codes],
            order=exp.Order(expressions=[exp.Ordered(this=shuffled(source, others))]),
        )
        every = exp.Column(this=exp.Star(), table=exp.to_identifier("y", quoted=True))
        records = exp.select(every, aliased(number, "number")).from_(inner(records, "y"))
        conditions.append(
            exp.Between(this=named("number", "x"), low=named(FIRST, "a"), high=named(LAST, "a"))
        )
    picked = [
        aliased(named(aliases[name], "v") if name in aliases else named(own[name], "x"), name)
        for name in order
    ]
    classes = found.classes
    of_class = classes.released()[classes.classes].with_columns(pl.Series(CLASS, classes.numbers))
    joined = (
        exp.select(*picked)
        .from_(inner(records, "x"))
        .join(inner(found.tuples, "a"), on=exp.and_(*conditions))
        .join(
            inner(source.store.put(of_class), "v"),
            on=exp.EQ(this=named(CLASS, "a"), expression=named(CLASS, "v")),
        )
    )
    # Around the join: an order by the released columns, not by those of the input.
    return (
        exp.select(exp.Star())
        .from_(inner(joined, "r"))
        .order_by(*(ordering(named(name, "r"), kinds.get(name)) for name in order))
    )
