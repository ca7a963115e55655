"""How often the values of one column are repeated, counted where the table is."""

from __future__ import annotations

from sqlglot import exp

from kanonym.engines.sql.statements import COUNT, alias_column, count_query, exact_column, subquery
from kanonym.engines.sql.store import Query, Source
from kanonym.verification.released_classes import ColumnValues, Repeats

VALUE = "c0"
SAMPLED = 10_000
"""Distinct values that come to this process."""


def column_values(source: Source, query: Query, name: str) -> ColumnValues:
    """Return the values of a column on an engine: one GROUP BY there, and a sample of values.

    query: reads the column alone, as `c0`. name: of the column here.
    """
    known = exp.Not(this=exp.Is(this=exact_column(VALUE, "g"), expression=exp.Null()))
    groups = subquery(count_query(query, [VALUE]), "g")
    once = exp.EQ(this=exact_column(COUNT, "g"), expression=exp.Literal.number(1))
    one, zero = exp.Literal.number(1), exp.Literal.number(0)
    frame = source.store.fetch(
        exp.select(
            alias_column(exp.Sum(this=exact_column(COUNT, "g")), "records"),
            alias_column(exp.Count(this=exp.Star()), "distinct_values"),
            alias_column(exp.Sum(this=exp.Case().when(once, one).else_(zero)), "alone"),
        )
        .from_(groups)
        .where(known)
    )
    sample = source.store.fetch(
        exp.select(exact_column(VALUE, "g")).from_(groups.copy()).where(known.copy()).limit(SAMPLED)
    )
    records, distinct, alone = (int(one or 0) for one in frame.row(0))
    return ColumnValues(sample.to_series().alias(name), Repeats(records, distinct, alone))
