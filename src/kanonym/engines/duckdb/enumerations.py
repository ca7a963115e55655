"""Texts of few values as enumerations of DuckDB: it repeats and keeps these by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from kanonym.engines.sql.statements import alias_column, exact_column, subquery
from kanonym.engines.sql.store import Query

if TYPE_CHECKING:
    from kanonym.engines.duckdb.store import DuckStore

MOST_WORDS = 1 << 16
"""Texts of more values, or about so many, stay texts."""


def enumerable_columns(store: DuckStore, query: Query, names: Sequence[str]) -> list[str]:
    """Return those of the columns that hold texts, of few different values.

    Cost: one pass over the rows, which counts different values approximately.
    """
    found = store.relation(query)
    types = dict(zip(found.columns, found.types, strict=True))
    texts = [name for name in names if types[name].id == "varchar"]
    if not texts:
        return []
    counts = store.fetch(
        exp.select(
            *(
                alias_column(exp.ApproxDistinct(this=exact_column(name, "t")), f"c{place}")
                for place, name in enumerate(texts)
            )
        ).from_(subquery(query, "t"))
    ).row(0)
    return [name for name, count in zip(texts, counts, strict=True) if 0 < count <= MOST_WORDS]


def enumeration_of(query: Query, name: str, kind: str) -> str:
    """Return the statement that makes an enumeration of the values of a column, in their order."""
    column = exact_column(name, "t")
    words = (
        exp.select(column)
        .distinct()
        .from_(subquery(query, "t"))
        .where(exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null())))
        .order_by(column.copy())
    )
    return f'CREATE TEMPORARY TYPE "{kind}" AS ENUM ({words.sql(dialect="duckdb")})'


def with_enumerations(store: DuckStore, query: Query) -> Query:
    """Return a query with the enumerations themselves that it casts to text at last."""
    bare, found = query.copy(), query.copy()
    for cast in _casts(bare):
        cast.set("this", cast.this.this)
    relation = store.relation(bare)
    types = dict(zip(relation.columns, relation.types, strict=True))
    for cast in _casts(found):
        if types[cast.alias].id == "enum":
            cast.set("this", cast.this.this)
    return found


def with_texts(store: DuckStore, query: Query) -> Query:
    """Return a query with texts in the place of enumerations.

    As Parquet, DuckDB 2.0.0 writes other values than an enumeration of millions of rows holds,
    in about every third file.
    """
    relation = store.relation(query)
    return exp.select(
        *(
            exp.alias_(exp.cast(exact_column(name, "t"), "TEXT"), name, quoted=True)
            if kind.id == "enum"
            else exact_column(name, "t")
            for name, kind in zip(relation.columns, relation.types, strict=True)
        )
    ).from_(subquery(query, "t"))


def _casts(query: Query) -> list[exp.Alias]:
    return [
        select
        for select in query.selects
        if isinstance(select, exp.Alias) and isinstance(select.this, exp.Cast)
    ]
