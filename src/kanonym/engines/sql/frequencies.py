"""The frequency set, counted on an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from sqlglot import exp

from kanonym.actions.base import Action, After
from kanonym.actions.registry import ColumnActions
from kanonym.data import frames
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.files import differing_texts
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.person_key import columns_of
from kanonym.data.readings import styled_columns
from kanonym.data.results import ShortRepr
from kanonym.data.schema import Schema, Sensitive
from kanonym.data.table import Domain, encode, first_leaves
from kanonym.engines.sql.statements import (
    COUNT,
    alias_column,
    count_query,
    empty_query,
    equal_condition,
    exact_column,
    free_name,
    nan_as_null,
    project,
    subquery,
)
from kanonym.engines.sql.store import Query, Source
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task, prepare
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.verification.released_classes import ColumnValues, FrequencySet, Repeats

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


_PENDING_ROWS = 1 << 22  # rows that are counted before they are merged with the others


@dataclass(frozen=True, repr=False)
class Frequencies(ShortRepr):
    """Distinct tuples of some columns, with their numbers of records.

    raw: (n_tuples, n_columns) the tuples as the engine has them: it finds them again by these.
    counts: (n_tuples,) int64 records of each.
    """

    raw: pl.DataFrame
    table: pl.DataFrame
    counts: Ints

    def select(self, names: Sequence[str]) -> Frequencies:
        """Return the same tuples with some of their columns."""
        return Frequencies(self.raw.select(names), self.table.select(names), self.counts)

    def column(self, name: str) -> pl.Series:
        """Return a column, ready to be encoded, with its exceptions."""
        return frames.column_with_exceptions(self.table, name)


def frequency_set(found: Frequencies, *, json: bool = False) -> FrequencySet:
    """Return counted tuples as the flow has them; json: raw ones are values of JSON."""
    return FrequencySet(
        found.column,
        len(found.counts),
        found.counts,
        lambda name: differing_texts(found.raw[name], found.column(name), json=json),
    )


def types_of(source: Source) -> dict[str, pl.DataType]:
    """Return the columns of a source and their types."""
    empty = source.store.fetch(empty_query(source.query))
    frames.column_names(empty)
    return dict(empty.schema)


def frequencies(
    source: Source, columns: Sequence[str], dtypes: Mapping[str, pl.DataType]
) -> Frequencies | None:
    """Count the records of each combination of values; None where they are too many."""
    columns = columns_of(columns)
    absent = [name for name in columns if name not in dtypes]
    if absent:
        raise SchemaError(f"no column {absent[0]!r}; the table has: {', '.join(dtypes)}")
    aliases = {name: f"c{place}" for place, name in enumerate(columns)}
    # Readers tell NaN from null and 0.0 from -0.0; a GROUP BY does so of texts alone.
    is_told = source.released and source.store.dialect != "sqlite"
    floats = {name: dtypes[name] for name in columns if is_told and dtypes[name].is_float()}

    def read(rows: pl.DataFrame) -> pl.DataFrame:
        numbers = [pl.col(name).cast(kind).fill_nan(None) + 0.0 for name, kind in floats.items()]
        return source.read(rows.with_columns(numbers))

    return fetch_frequencies(source, project(source, aliases, dtypes, floats), aliases, read)


def first_rows(source: Source, columns: Sequence[str], n: int) -> pl.DataFrame:
    """Return columns of the rows that the engine gives first, at most n, with local types."""
    query = exp.select(*(exact_column(name, "t") for name in columns))
    rows = source.store.fetch(query.from_(subquery(source.query, "t")).limit(n))
    return source.read(rows)


def fetch_frequencies(
    source: Source,
    query: Query,
    aliases: Mapping[str, str],
    read: Callable[[pl.DataFrame], pl.DataFrame] = lambda rows: rows,
) -> Frequencies | None:
    """Count the rows of a query by columns that have other names there; None for too many.

    read: gives columns of texts the values that local readers would.
    """
    many = source.most_tuples + 1
    frame = source.store.fetch(count_query(query, list(aliases.values())).limit(many))
    if len(frame) == many:
        return None
    raw = frame.select(pl.col(alias).alias(name) for name, alias in aliases.items())
    return Frequencies(raw, read(raw), frame[COUNT].cast(pl.Int64).to_numpy())


def counted_rows(parts: Iterable[pl.DataFrame], names: Sequence[str]) -> Frequencies:
    """Count the rows of a table of this process, which comes in parts, by some columns."""
    names = columns_of(names)
    number = free_name(names)
    pending: list[pl.DataFrame] = [
        pl.DataFrame(schema={**dict.fromkeys(names, pl.Null), number: pl.Int64})
    ]
    limit = _PENDING_ROWS
    for part in parts:
        frame = part.select(*names, pl.lit(1, pl.Int64).alias(number))
        pending.append(_sum_rows(frame, names, number))
        if sum(map(len, pending)) > limit:
            pending = [_sum_rows(pl.concat(pending, how="vertical_relaxed"), names, number)]
            limit = max(_PENDING_ROWS, 2 * len(pending[0]))
    found = _sum_rows(pl.concat(pending, how="vertical_relaxed"), names, number)
    raw = found.select(names)
    return Frequencies(raw, raw, found[number].to_numpy())


def _sum_rows(rows: pl.DataFrame, names: Sequence[str], number: str) -> pl.DataFrame:
    # Without a column all records are alike: one group.
    groups = rows.group_by(names) if names else rows.group_by(pl.lit(0).alias(f"{number}0"))
    return groups.agg(pl.col(number).sum()).select(*names, number)


CODED_VALUE = "value"
"""The column of values in a table of labels; `l0`, `l1`, … are its levels."""


@dataclass(frozen=True)
class CodedKey:
    """A quasi-identifier: its values on the engine, and the leaf of each.

    raw: (n,) distinct values, as the engine has them.
    leaves, counts: (n,) int32 leaf and (n,) int64 records of each.
    """

    domain: Domain
    hierarchy: Hierarchy
    raw: pl.Series
    leaves: Int32s
    counts: Ints
    dtype: pl.DataType
    built: dict[str, str]

    @property
    def records(self) -> Ints:
        """(n_leaves,) records of each value."""
        return np.bincount(self.leaves, self.counts, self.domain.size).astype(np.int64)

    def first(self, level: int) -> Int32s:
        """Return (n_leaves,) int32, the first leaf with the same label."""
        return first_leaves(self.hierarchy, level)

    def null(self, level: int) -> int:
        """Return what null is at a level; without null, whatever."""
        held = self.raw.is_null().to_numpy()
        return int(self.first(level)[self.leaves[held][0]]) if held.any() else 0

    def labels(self) -> pl.DataFrame:
        """Return the codes of each value but null, by level."""
        kept = self.raw.is_not_null()
        leaves = self.leaves[kept.to_numpy()]
        return pl.DataFrame(
            [
                self.raw.filter(kept).alias(CODED_VALUE),
                *(
                    pl.Series(f"l{level}", self.first(level)[leaves])
                    for level in range(self.hierarchy.n_levels)
                ),
            ]
        )


@dataclass(frozen=True)
class CodedSensitive:
    """A sensitive attribute: its values on the engine, and the code of each.

    raw, typed: (n,) distinct values, as the engine has them, and by the rules of local tables.
    codes: (n,) int32, -1 for a null that does not count.
    """

    domain: Domain
    raw: pl.Series
    typed: pl.Series
    codes: Int32s

    def of(self, values: pl.Series) -> tuple[Int32s, pl.Series]:
        """Return the codes of raw values, and the values as local tables have them."""
        frame = pl.DataFrame(
            {
                CODED_VALUE: self.raw,
                "typed": self.typed,
                "code": pl.Series(self.codes, dtype=pl.Int32),
            }
        )
        found = (
            values.alias(CODED_VALUE)
            .to_frame()
            .join(frame, on=CODED_VALUE, how="left", nulls_equal=True, maintain_order="left")
        )
        if found["code"].null_count():
            raise changed_error()
        return found["code"].to_numpy(), found["typed"]


def coded_key(
    source: Source, name: str, task: Task, dtypes: Mapping[str, pl.DataType], watch: Stopwatch
) -> CodedKey:
    """Count the values of a quasi-identifier, and bind its hierarchy to them."""
    found = values_of(source, name, dtypes)
    one = replace(task, schema=Schema({name: task.schema.attributes[name]}), models=())
    ready = prepare(one, found.column, len(found.counts), watch, found.counts)
    (domain,) = ready.table.domains
    if domain.hierarchy is None:
        raise AssertionError("levels of an attribute without a hierarchy")
    leaves = ready.table.codes[ready.table.tuple_of_row, 0]
    (dtype,) = ready.dtypes
    return CodedKey(
        domain, domain.hierarchy, found.raw[name], leaves, found.counts, dtype, ready.built
    )


def coded_sensitive(
    source: Source, name: str, task: Task, dtypes: Mapping[str, pl.DataType]
) -> CodedSensitive:
    """Count the values of a sensitive attribute."""
    found = values_of(source, name, dtypes)
    attribute = task.schema.attributes[name]
    tree, exclude = None, False
    if isinstance(attribute, Sensitive):
        tree, exclude = attribute.hierarchy, attribute.nulls == "exclude"
    typed = found.column(name)
    table = encode([], [(typed, tree, exclude)], len(typed), counts=found.counts)
    codes = table.sensitive_codes[table.tuple_of_row, 0]
    return CodedSensitive(table.sensitive[0], found.raw[name], typed, codes)


def values_of(source: Source, name: str, dtypes: Mapping[str, pl.DataType]) -> Frequencies:
    """Count the values of one column."""
    found = frequencies(source, [name], dtypes)
    if found is None:
        raise DataError(
            f"column {name!r} has more than {source.most_tuples} distinct values: generalize it "
            f"first (an action, a column of the engine), or give the source a larger most_tuples"
        )
    return found


def changed_error() -> DataError:
    """Say that somebody has written to the table meanwhile."""
    return DataError(
        "two counts of the table do not agree: a value that one query counted is not in the next. "
        "If others write to the table, work on a copy; else a view gives other rows each time"
    )


BEFORE, AFTER = "before", "after"


def apply_actions_on_engine(
    source: Source,
    types: Mapping[str, pl.DataType],
    actions: Mapping[str, Sequence[Action | After]],
    seed: int,
    entities: Sequence[str],
) -> tuple[Source, dict[str, pl.DataType]]:
    """Return a table whose columns are as their actions leave them, and their types."""
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
