"""The query that makes a release on an engine, and its staged table."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl
from sqlglot import exp

from kanonym.data.columns.values import text_of
from kanonym.data.errors import DataError
from kanonym.data.files import typed_texts
from kanonym.data.person_key import columns_of
from kanonym.data.schema import Role, Schema
from kanonym.data.table import value_codes
from kanonym.engines.base import Run
from kanonym.engines.decision import EncodedDecision
from kanonym.engines.sql import frequencies
from kanonym.engines.sql.statements import (
    alias_column,
    equal_condition,
    exact_column,
    free_name,
    nan_as_null,
    number_equal_records,
    order_key,
    rename_columns,
    subquery,
)
from kanonym.engines.sql.store import MOST_TUPLES, Query, Source, StagedTable
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows
from kanonym.verification.released_classes import ColumnValues, FrequencySet

FIRST, LAST = "first", "last"
"""Which of the equal records of a tuple a row of the assigned table is about, counted from 1."""


@dataclass(frozen=True)
class TupleAssignment:
    """What is released, and in the place of what."""

    table: pl.DataFrame
    whole: bool
    keys: Sequence[str]
    columns: Mapping[str, str]
    rows: int
    separated: bool

    @property
    def count(self) -> str:
        """The name of the column of record counts, with `whole`."""
        return free_name(self.columns)


def unchanged_columns(schema: Schema) -> list[str]:
    """Return the columns that are released as they are: actions are carried out before."""
    roles = (Role.SENSITIVE, Role.INSENSITIVE)
    return [
        name
        for name, one in schema.attributes.items()
        if one.role in roles or (one.role is Role.IDENTIFIER and one.action)
    ]


def assign_tuples(
    decision: EncodedDecision, counted: frequencies.Frequencies, schema: Schema, *, whole: bool
) -> TupleAssignment:
    """Return what each tuple of a frequency set is released as.

    decision: of the frequency set, with its counts. whole: whether the frequency set has all
    columns of `unchanged_columns`, and no others are needed; else it has those that it was counted
    by.
    """
    labels, sizes = decision.labels, counted.counts
    tuples = np.arange(len(sizes))
    separated = len(labels) != len(sizes)
    if separated:
        # Records of a tuple are alike: how many of them are in each class is all there is.
        width = decision.partition.n_classes + 1
        pairs = np.repeat(tuples, sizes) * width + labels + 1
        pairs, sizes = np.unique(pairs, return_counts=True)
        tuples, labels = pairs // width, (pairs % width - 1).astype(np.int32)
    ends = np.cumsum(sizes)
    kept = labels >= 0
    labels, tuples, sizes = labels[kept], tuples[kept], sizes[kept]
    columns: dict[str, str] = {}
    aliases = (f"r{place}" for place in itertools.count())
    recoded = {attribute.name: attribute for attribute in decision.recoded}
    kept_names = unchanged_columns(schema)
    for name in schema.attributes:
        if name in recoded:
            columns |= {column.name: next(aliases) for column in recoded[name].columns}
        elif name in kept_names:
            columns[name] = ""

    def release_values(of_class: Int32s) -> list[pl.Series]:
        return [
            column.gather(one.label_of_class[of_class])
            for one in decision.recoded
            for column in one.columns
        ]

    if whole:
        kept_columns = [counted.raw[name] for name in kept_names]
        table = _distinct_rows(labels, tuples, sizes, kept_columns, release_values, columns)
    else:
        named = [(f"k{i}", one.gather(tuples)) for i, one in enumerate(counted.raw)]
        named += [(f"r{i}", one) for i, one in enumerate(release_values(labels))]
        if separated:
            starts = (ends - np.diff(ends, prepend=0))[kept]
            first = np.concatenate([[0], np.cumsum(counted.counts)])[tuples]
            named.append((FIRST, pl.Series(starts - first + 1)))
            named.append((LAST, pl.Series(starts - first + sizes)))
        table = pl.DataFrame([column.alias(name) for name, column in named])
    return TupleAssignment(table, whole, counted.raw.columns, columns, int(sizes.sum()), separated)


def _distinct_rows(
    labels: Int32s,
    tuples: Ints,
    sizes: Ints,
    kept: Sequence[pl.Series],
    released: Callable[[Int32s], list[pl.Series]],
    columns: Mapping[str, str],
) -> pl.DataFrame:
    """Return the distinct rows of a release, ordered by their values, and their counts.

    labels, tuples, sizes: class, tuple and records of each part. kept: columns by tuple,
    released as they are. released: gives the recoded ones of classes. columns: the order.
    """
    coded = [value_codes(column) for column in kept]
    groups = group_rows(
        [labels, *(codes[tuples] for codes, _ in coded)],
        [int(labels.max(initial=0)) + 1, *(size for _, size in coded)],
    )
    first = groups.first
    recoded = iter(released(labels[first]))
    given = iter(column.gather(tuples[first]) for column in kept)
    parts = [next(recoded if alias else given).alias(name) for name, alias in columns.items()]
    counts = np.bincount(groups.labels, sizes, len(first)).astype(np.int64)
    return pl.DataFrame([*parts, pl.Series(free_name(columns), counts)]).sort(list(columns))


def released_query(
    source: Source,
    decided: TupleAssignment,
    dtypes: Mapping[str, pl.DataType],
    seed: int,
    further: Sequence[str] = (),
) -> Query:
    """Return a query of the released table.

    seed: decides which of equal records is in which class.
    further: columns of the input that stand behind the released ones; not with `whole`.

    Its rows are ordered by their values: nothing is left of the order of the input, and the
    same records give the same release whoever holds them.

    Notes
    -----
    Where everything that is released stands in the assigned table, the input is not read
    again: each distinct released row is written as often as there are records. Otherwise one
    join of the input with the assigned table, on the values of the tuples.
    """
    given = source.store.put(decided.table)
    if decided.whole:
        return source.store.repeat(given, decided.count)
    return _join_query(source, decided, given, dtypes, seed, further)


def _join_query(
    source: Source,
    decided: TupleAssignment,
    given: Query,
    dtypes: Mapping[str, pl.DataType],
    seed: int,
    further: Sequence[str],
) -> Query:
    """Return the join of the input with the assigned table, which `given` reads."""
    columns = {**decided.columns, **dict.fromkeys(further, "")}
    reads = subquery(source.query, "t")
    own = [nan_as_null(source, exact_column(name, "t"), dtypes[name]) for name in decided.keys]
    if decided.separated:
        others = [
            order_key(exact_column(name, "t"), dtypes[name])
            for name in columns
            if not columns[name]
        ]
        names = free_name(dtypes), free_name([*dtypes, free_name(dtypes)])
        numbered = number_equal_records(source, reads, own, others, names, seed)
        reads = subquery(numbered, "t")
    conditions: list[exp.Condition] = [
        equal_condition(source, column, exact_column(f"k{place}", "a"), dtypes[name])
        for place, (name, column) in enumerate(zip(decided.keys, own, strict=True))
    ]
    if decided.separated:
        number_ = exact_column(free_name(dtypes), "t")
        conditions.append(
            exp.Between(this=number_, low=exact_column(FIRST, "a"), high=exact_column(LAST, "a"))
        )
    picked = [
        alias_column(exact_column(alias, "a") if alias else exact_column(name, "t"), name)
        for name, alias in columns.items()
    ]
    kinds = {name: dtypes[name] for name in columns if not columns[name]}
    joined = exp.select(*picked).from_(reads)
    table = subquery(given, "a")
    joined = (
        joined.join(table, on=exp.and_(*conditions))
        if conditions
        else joined.join(table, join_type="cross")
    )
    # Around the join: an order by the released columns, not by those of the input.
    return (
        exp.select(*(exact_column(name, "r") for name in columns))
        .from_(subquery(joined, "r"))
        .order_by(*(order_key(exact_column(name, "r"), kinds.get(name)) for name in columns))
    )


@dataclass(frozen=True)
class SqlRelease:
    """A released table on an engine."""

    rows: ClassVar[None] = None

    run: Run
    source: Source
    staged: StagedTable
    columns: list[str]
    labels: Collection[str]
    texts: Collection[str]
    entities: Sequence[str] = ()
    persons: Sequence[str] = ()
    with_persons: Callable[[], Query] | None = None

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return the frequency set of some columns, as they were written.

        Who is who is not written: persons are counted in the query of the release, and its
        classes must be those that were written.
        """
        asked = [name for name in names if name in self.persons]
        if not asked or self.with_persons is None:
            return self._read(self._count_written(names))
        found = self._count_rows(self.with_persons(), names)
        labels = [name for name in names if name in self.labels]
        if labels and not _have_same_records(
            self._read(self._count_written(labels)), self._read(found), labels
        ):
            raise DataError(
                "the classes that were written are not those in which persons were counted: the "
                "table was changed in the meantime. Nothing is released; run again, or work on a "
                "copy "
                "that stays as it is"
            )
        return self._read(found)

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a released column are repeated, by persons if counted."""
        if self.entities:
            who = self.entities[0]
            found = self.take([name, who])
            return ColumnValues.of(found.column(name).alias(name), found.counts, found.column(who))
        query = rename_columns(self.staged.query, {name: frequencies.VALUE})
        return frequencies.column_values(self.source, query, name)

    def publish(self) -> Any:
        """Put the release in its place, whole, and return it."""
        with self.run.watch.stage("write"):
            return self.staged.publish()

    def discard(self) -> None:
        """Take everything away that was written."""
        self.staged.discard()

    def _count_written(self, names: Sequence[str]) -> frequencies.Frequencies:
        """Count what was written."""
        if self.staged.rows is not None:
            return frequencies.counted_rows(self.staged.rows(), names)
        return self._count_rows(self.staged.query, names)

    def _count_rows(self, query: Query, names: Sequence[str]) -> frequencies.Frequencies:
        """Count the rows of a query by columns of their own names."""
        aliases = {name: f"c{place}" for place, name in enumerate(columns_of(names))}
        most = max(self.source.most_tuples, MOST_TUPLES)
        wide = replace(self.source, most_tuples=most)
        found = frequencies.fetch_frequencies(wide, rename_columns(query, aliases), aliases)
        if found is None:
            raise DataError(
                f"the release has more than {most} different rows in the columns that are "
                "verified: give the source a larger most_tuples, or ask for larger classes"
            )
        return found

    def _read(self, found: frequencies.Frequencies) -> FrequencySet:
        if self.source.readings and found.table.width:
            read = replace(self.source, released=True, typed=frozenset(), text=False, iso=False)
            found = frequencies.Frequencies(found.raw, read.read(found.table), found.counts)

        def column(name: str) -> pl.Series:
            # The form that was written may know texts alone.
            values = found.column(name)
            known = name in self.labels or name in self.texts or name in self.persons
            return values if known else typed_texts(values)

        return FrequencySet(column, len(found.counts), found.counts)


def _have_same_records(left: FrequencySet, right: FrequencySet, names: Sequence[str]) -> bool:
    """Say whether two frequency sets have the same records in some columns."""
    number = free_name(names)

    def count(found: FrequencySet) -> pl.DataFrame:
        columns = [text_of(found.column(name)).alias(name) for name in names]
        rows = pl.DataFrame([*columns, pl.Series(number, found.counts)])
        return rows.group_by(names).agg(pl.col(number).sum()).sort(*names, nulls_last=True)

    return count(left).equals(count(right))
