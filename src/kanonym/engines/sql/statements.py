"""The few statements of which everything is made: project, count, join."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast

import polars as pl
import sqlglot
from sqlglot import exp

from kanonym.data.errors import PolicyError
from kanonym.engines.sql.store import Query, Source

EXECUTED = ("duckdb", "postgres", "spark", "sqlite")
"""Dialects of which the tests run printed statements on the database itself."""
DIALECTS = (*EXECUTED, "bigquery", "databricks", "snowflake", "trino", "tsql")

COUNT = "n"
"""The column of record counts."""


def free_name(names: Iterable[str]) -> str:
    """Return a name that is none of these, in any case."""
    taken = {name.lower() for name in names}
    return next(one for place in range(len(taken) + 1) if (one := f"n{place}") not in taken)


def exact_column(name: str, table: str | None = None) -> exp.Column:
    """Return a column by its exact name."""
    return exp.column(name, table=table, quoted=True)


def table_query(name: str) -> Query:
    """Return a query of everything in a table."""
    return exp.select(exp.Star()).from_(exp.table_(name, quoted=True))


def subquery(query: Query, alias: str) -> exp.Subquery:
    """Return a query in brackets, with a name."""
    return query.subquery(exp.to_identifier(alias, quoted=True))


def alias_column(column: exp.Condition, name: str) -> exp.Alias:
    """Return a column under another name, exactly as it is written."""
    return exp.Alias(this=column, alias=exp.to_identifier(name, quoted=True))


def empty_query(query: Query) -> Query:
    """Return a query of the same columns without a row."""
    return exp.select(exp.Star()).from_(subquery(query, "t")).limit(0)


def project(
    source: Source,
    columns: Mapping[str, str],
    dtypes: Mapping[str, pl.DataType],
    texts: Collection[str] = (),
) -> Query:
    """Return a query of some columns of a source under other names, NaN as null.

    columns: the new name of each; without any, the source. dtypes: the types of the columns.
    texts: the columns that become texts, NaN as such.
    """
    if not columns:  # a SELECT of nothing is none
        return source.query
    return exp.select(
        *(
            alias_column(
                exp.cast(exact_column(name, "t"), exp.DataType.Type.TEXT)
                if name in texts
                else nan_as_null(source, exact_column(name, "t"), dtypes[name]),
                alias,
            )
            for name, alias in columns.items()
        )
    ).from_(subquery(source.query, "t"))


def nan_as_null(source: Source, column: exp.Column, dtype: pl.DataType) -> exp.Condition:
    """Return what a column of a source holds, NaN as null."""
    # SQLite has no NaN, and reads its name as 0.
    if not dtype.is_float() or source.store.dialect == "sqlite":
        return column
    nan = exp.cast(exp.Literal.string("NaN"), exp.DataType.Type.DOUBLE)
    return exp.Nullif(this=column, expression=nan)


def rename_columns(query: Query, columns: Mapping[str, str]) -> Query:
    """Return a query of some columns of another one under new names."""
    picked = (alias_column(exact_column(name, "t"), alias) for name, alias in columns.items())
    return exp.select(*picked).from_(subquery(query, "t"))


def count_query(query: Query, columns: Sequence[str]) -> Query:
    """Return a query of the distinct rows of some columns, and of the records of each, `n`."""
    keys = [exact_column(name, "t") for name in columns]
    number = alias_column(exp.Count(this=exp.Star()), COUNT)
    select = exp.select(*[column.copy() for column in keys], number).from_(subquery(query, "t"))
    # Without a column all records are alike; of an empty table there is then no row, as elsewhere.
    if not keys:
        return select.having(
            exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(0))
        )
    return select.group_by(*keys)


def equal_condition(
    source: Source, left: exp.Condition, right: exp.Condition, dtype: pl.DataType
) -> exp.Condition:
    """Return the condition that two columns of one type hold the same value, null included."""
    equal = exp.NullSafeEQ(this=left, expression=right)
    if source.store.dialect in ("duckdb", "spark"):
        return equal

    # No key of a hash join elsewhere: what stands in the place of null is compared beside it.
    def fill_null(column: exp.Condition) -> exp.Condition:
        number = dtype.is_numeric()
        given = column.copy() if number else exp.cast(column.copy(), exp.DataType.Type.TEXT)
        other = exp.Literal.number(0) if number else exp.Literal.string("")
        return exp.Coalesce(this=given, expressions=[other])

    return exp.and_(exp.EQ(this=fill_null(left), expression=fill_null(right)), equal)


def order_key(column: exp.Column, dtype: pl.DataType | None) -> exp.Condition:
    """Return what to order a column by: of lists and the like their text, which engines can order.

    dtype: None for released values, which are never nested.
    """
    if dtype is None or not (dtype.is_nested() or dtype == pl.Object):
        return column
    return exp.cast(column, exp.DataType.Type.TEXT)


def hash_values(source: Source, columns: Sequence[exp.Condition]) -> exp.Condition:
    """Return a hash of values: nearly always another one for other values."""
    given = [column.copy() for column in columns]
    if source.store.dialect == "postgres":
        row = exp.Anonymous(this="ROW", expressions=given)
        return exp.Anonymous(this="MD5", expressions=[exp.cast(row, exp.DataType.Type.TEXT)])
    name = {"duckdb": "HASH", "spark": "XXHASH64"}.get(source.store.dialect)
    if name is None:
        raise PolicyError(
            f"{source.store.name} cannot distinguish equal records, which this algorithm "
            f"separates, if columns outside of the models are released: choose mondrian or "
            f"full-domain, or load the table into memory"
        )
    return exp.Anonymous(this=name, expressions=given)


def number_equal_records(
    source: Source,
    records: exp.Subquery,
    keys: Sequence[exp.Condition],
    others: Sequence[exp.Condition],
    names: tuple[str, str],
    seed: int,
) -> exp.Select:
    """Return records with their number, from 1, among those of equal keys, in a drawn order.

    records: with an alias, of which the keys and the other columns are. names: of the numbers, and
        of another column that is added. Records that are equal in the other columns, too, are drawn
        one by one: which of them is which makes no difference, and nothing keeps them together.
    """

    def number(partition: Sequence[exp.Condition], key: exp.Condition) -> exp.Window:
        return exp.Window(
            this=exp.RowNumber(),
            partition_by=[column.copy() for column in partition],
            order=exp.Order(expressions=[exp.Ordered(this=key)]),
        )

    every = exp.Column(this=exp.Star(), table=exp.to_identifier(records.alias, quoted=True))
    name, copy = names
    alike = hash_values(source, others)
    counted = exp.select(every, alias_column(number([*keys, alike], alike.copy()), copy))
    parts = [alike.copy(), exact_column(copy, records.alias), exp.Literal.string(str(seed))]
    texts = [exp.cast(part, exp.DataType.Type.TEXT) for part in parts]
    # A digest of one text: engines combine the hashes of several columns by simple sums.
    digest = exp.Anonymous(
        this="MD5", expressions=[exp.func("CONCAT_WS", exp.Literal.string(" "), *texts)]
    )
    numbered = exp.select(every.copy(), alias_column(number(keys, digest), name))
    return numbered.from_(subquery(counted.from_(records), records.alias))


def named_table(name: str, dialect: str) -> exp.Table:
    """Return a table by the name that a person gave, exactly as each part of it is written.

    `{{ ref('visits') }}` stays as it is: dbt puts the name in its place.
    """
    if dialect not in DIALECTS:
        raise PolicyError(f"no dialect {dialect!r}; there are: {', '.join(DIALECTS)}")
    if name.startswith("{{") and name.endswith("}}"):
        return exp.Table(this=exp.var(name))
    try:
        parts = reversed(sqlglot.to_table(name, dialect=dialect).parts)
    except (sqlglot.errors.SqlglotError, ValueError):
        raise PolicyError(f"{name!r} is no name of a table: quote what has other signs") from None
    quoted = (exp.to_identifier(part.name, quoted=True) for part in parts)
    return exp.Table(**dict(zip(("this", "db", "catalog"), quoted, strict=False)))


def parsed(text: str) -> exp.Condition:
    """Return an expression whose names are quoted: short ones may be words of a dialect."""

    def quoted(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Identifier):
            node.set("quoted", True)  # noqa: FBT003 - of sqlglot
        return node

    return cast("exp.Condition", sqlglot.parse_one(text).transform(quoted))
