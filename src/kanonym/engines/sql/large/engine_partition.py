"""Partition on the engine, and its release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from sqlglot import exp

from kanonym.algorithms.base import compile_criteria, require_feasible
from kanonym.algorithms.mondrian import Mondrian
from kanonym.algorithms.outliers import TriedCuts
from kanonym.algorithms.span_partition import Histogram, Tree
from kanonym.data.errors import DataError
from kanonym.data.partition import Partition
from kanonym.data.schema import Schema
from kanonym.engines.sql.large.coding import (
    CODE,
    VALUE,
    Coding,
    encode_columns,
    fragment_limit,
    frequency_set,
    require_values,
    sum_column,
    table_of_counts,
)
from kanonym.engines.sql.large.fragments import (
    BATCH,
    CLASS,
    RELEASED,
    SIZE,
    ReleasedClasses,
    WorkerContext,
    refine_fragment,
    released_classes,
)
from kanonym.engines.sql.large.tree_builder import NODE, TreeBuilder, pack_batches
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
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task
from kanonym.recoding.recode import released_names

LARGE = -1
"""Classes that are larger than a fragment are numbered downwards from here."""


@dataclass(frozen=True)
class EnginePartition:
    """What was decided about a frequency set that stays on its engine."""

    tuples: Query
    classes: ReleasedClasses
    coding: Coding
    job: WorkerContext
    rows: int
    account: Mapping[str, Any]


def partition_on_engine(
    source: Source,
    task: Task,
    names: Sequence[str],
    dtypes: Mapping[str, pl.DataType],
    watch: Stopwatch,
    fragment: int | None = None,
) -> EnginePartition:
    """Divide a table into classes without taking its frequency set to this process.

    Notes
    -----
    Strict Mondrian has the classes of a table of this process. Others divide each fragment by
    itself, after it was cut as Mondrian cuts large nodes: none of their classes reaches over
    the border of a fragment.

    One aggregation a column, one for the frequency set, and one for each level of the tree, of
    which there are about log2(tuples / fragment). To this process come the values of each
    column, and the counts of values by node.
    """
    algorithm = task.algorithm
    largest = fragment_limit(algorithm, task.models, task.suppression_limit)
    coding = encode_columns(source, task, names, dtypes, watch)
    table = coding.ready.table
    require_values(algorithm, coding.ready, task.models)
    criteria = compile_criteria(task.models, table)
    require_feasible(table, task.models)
    key = task.draw_key()
    with watch.stage("count"):
        query, n_tuples = frequency_set(source, coding, dtypes, table.n_rows)
    if algorithm.cuts is not None:
        criteria = algorithm.cuts.with_chance(criteria, key)
    tried = TriedCuts() if algorithm.cuts is None else algorithm.cuts.tried_cuts(n_tuples)
    size = max(largest if fragment is None else fragment, *tried)
    costs = task.weigh(table, coding.ready.costs)
    tree = Tree(table.n_rows, n_tuples, costs, criteria, size)
    sizes = [domain.size for domain in (*table.domains, *table.sensitive)]
    growing = TreeBuilder(source, query, len(table.domains), sizes, tree)
    with watch.stage("cut"):
        growing.grow()
    job = WorkerContext.of(task, coding.ready, criteria, tried, key)
    with watch.stage("algorithm"):
        tuples, classes = _refine_fragments(growing, job, size)
    account = {
        "tuples": n_tuples,
        "fragments": len(tree.numbers_in_state("fragment")),
        "levels": growing.levels,
        "large_classes": len(tree.numbers_in_state("class")),
    }
    return EnginePartition(tuples, classes, coding, job, table.n_rows, {"outgrown": account})


def _refine_fragments(
    growing: TreeBuilder, job: WorkerContext, size: int
) -> tuple[Query, ReleasedClasses]:
    """Divide the fragments, and give every class its values; return tuples and classes."""
    store, schema = growing.source.store, _schema(job)
    wanted = {name: schema[name] for name in [CLASS, *_class_columns(schema, job)]}
    parts: list[Query] = []
    small: Query | None = None
    batches = pack_batches(growing.tree, size)
    if batches:
        done = store.by_group(
            _batch_query(growing, batches), BATCH, partial(refine_fragment, job=job), schema
        )
        small = store.hold(_columns(done, schema))  # it is read several times
        parts.append(_columns(small, job.tuple_columns))
    large = growing.tree.numbers_in_state("class")
    if large:
        parts.append(_columns(_large_class_tuples(growing, large, job), job.tuple_columns))
    others = pl.DataFrame(schema=wanted)
    for number, histograms in growing.counts(large) if large else ():
        frame = _one_class(histograms, job)
        others.extend(
            frame.select(pl.lit(LARGE - number, pl.Int64).alias(CLASS), *list(wanted)[1:])
        )
    query = parts[0]
    for part in parts[1:]:
        query = exp.union(query, part, distinct=False, copy=False)
    return query, released_classes(_classes(growing.source, small, others), job)


def _classes(source: Source, done: Query | None, others: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each class, ordered by its number, its texts as categories in order.

    done: reads what `refine_fragment` returned, if it was asked. others: classes beside those.
    """

    def read(names: Sequence[str]) -> pl.DataFrame:
        own = others.select(names)
        if done is not None:
            of_class = exp.Is(this=exact_column(SIZE), expression=exp.Null()).not_()
            query = _columns(done, names).where(of_class).limit(source.most_tuples + 1)
            frame = source.store.fetch(query)
            if len(frame) > source.most_tuples:
                raise DataError(
                    f"the release has more than {source.most_tuples} classes: give the source a "
                    "larger most_tuples"
                )
            own = pl.concat([frame.cast(own.schema), own])
        return own.sort(CLASS)

    texts = [name for name, dtype in others.schema.items() if dtype == pl.String]
    table = read([name for name in others.columns if name not in texts])
    # One by one: few of them are different, and all together would be most of the memory.
    for name in texts:
        column = read([CLASS, name])[name]
        words = column.drop_nulls().unique().sort()
        table = table.with_columns(column.cast(pl.Enum(words)))
    return table.select(others.columns)


def _schema(job: WorkerContext) -> dict[str, pl.DataType]:
    """Return the columns of what `refine_fragment` returns, and their types."""
    codes = {name: pl.Int32() for name in [BATCH, NODE, *job.codes]}
    frame = pl.DataFrame([[0]] * len(codes) + [[1]], schema={**codes, COUNT: pl.Int64()})
    whole = replace(job, algorithm=Mondrian(), tried=TriedCuts())
    found = dict(refine_fragment(frame, whole).schema)
    return {
        name: found.get(name, pl.Int64())
        for name in [*job.tuple_columns, *_class_columns(found, job)]
    }


def _class_columns(schema: Mapping[str, pl.DataType], job: WorkerContext) -> list[str]:
    """Return the columns that are about classes."""
    return [name for name in schema if name not in job.tuple_columns]


def _batch_query(growing: TreeBuilder, batches: Mapping[int, int]) -> Query:
    """Return the tuples of all fragments, with the batch of each."""
    tuples = growing.tuples_of(list(batches))
    table = pl.DataFrame({NODE: list(batches), BATCH: list(batches.values())})
    put = growing.source.store.put(table)
    return (
        exp.select(exp.Column(this=exp.Star(), table=exp.to_identifier("p", quoted=True)))
        .select(exact_column(BATCH, "b"))
        .from_(subquery(tuples, "p"))
        .join(
            subquery(put, "b"),
            on=exp.EQ(this=exact_column(NODE, "p"), expression=exact_column(NODE, "b")),
        )
    )


def _large_class_tuples(growing: TreeBuilder, numbers: Sequence[int], job: WorkerContext) -> Query:
    """Return the tuples of classes that are too large for a worker."""
    whole = {
        CLASS: exp.Sub(this=exp.Literal.number(LARGE), expression=exact_column(NODE, "p")),
        FIRST: exp.Literal.number(1),
        LAST: exact_column(COUNT, "p"),
    }
    columns = [
        alias_column(exp.cast(whole[name], exp.DataType.Type.BIGINT), name)
        if name in whole
        else exact_column(name, "p")
        for name in job.tuple_columns
    ]
    return exp.select(*columns).from_(subquery(growing.tuples_of(numbers), "p"))


def _one_class(histograms: Sequence[Histogram], job: WorkerContext) -> pl.DataFrame:
    """Return what a class releases: of its values, what stands beside what does not matter."""
    places, weights = table_of_counts([one.records for one in histograms])
    codes = np.zeros((len(weights), len(job.codes)), np.int32)
    for a, (histogram, place) in enumerate(zip(histograms, places.T, strict=True)):
        codes[:, a] = histogram.codes[place]
    table = job.table(codes, weights)
    return job.recode_partition(table, Partition(np.zeros(len(weights), np.int32), 1))[1]


def _columns(query: Query, names: Iterable[str]) -> exp.Select:
    return exp.select(*(exact_column(name) for name in names)).from_(subquery(query, "q"))


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
