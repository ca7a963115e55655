"""What is decided about a table on an engine: of its frequency set, wherever that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from kanonym.algorithms.full_domain import FullDomain
from kanonym.data.schema import Role, Schema
from kanonym.data.short_repr import ShortRepr
from kanonym.engines.sql import large as outgrown
from kanonym.engines.sql import premerged
from kanonym.engines.sql.frequencies import Frequencies, frequencies
from kanonym.engines.sql.releasing import assigned, released_query, untouched
from kanonym.engines.sql.store import Query, Source
from kanonym.engines.task import (
    Outcome,
    Prepared,
    Stopwatch,
    Task,
    decide,
    prepare,
    sensitive_names,
)
from kanonym.metrics.utility import Utility
from kanonym.pipeline.asking import task_for
from kanonym.pipeline.checking import Taken
from kanonym.policy import Policy
from kanonym.policy.algorithms import target_of


@dataclass(frozen=True, repr=False)
class Decision(ShortRepr):
    """A release that is still to be written.

    Attributes
    ----------
    query
        Gives a query of the released table; a new one each time.
    columns
        The released columns, in order.
    rows_in, rows_out
        Records of the table and of the release.
    outcome
        What was decided. Where the frequency set stayed on the engine, its table knows the
        columns one by one (`outgrown.outcome_of`).
    original
        What the models look at in the table, where records were suppressed; else None.
    utility
        What the release lost, where the outcome does not tell; else None.
    counted
        Whether the frequency set is in this process, as it is or at levels.
    lasting
        Whether `query` still works after the store was closed.

    """

    query: Callable[[], Query]
    columns: Sequence[str]
    rows_in: int
    rows_out: int
    outcome: Outcome
    original: Taken | None
    utility: Utility | None = None
    counted: bool = True
    lasting: bool = True


def decision_about(
    source: Source,
    policy: Policy,
    schema: Schema,
    dtypes: Mapping[str, pl.DataType],
    watch: Stopwatch,
) -> Decision:
    """Decide what becomes of a table on an engine; errors as of `pipeline.anonymize`."""
    named = [*schema.names(Role.QUASI_IDENTIFIER), *sensitive_names(schema, policy.models)]
    target = target_of(policy.algorithm, schema)
    if target is not None and target not in named:
        named.append(target)
    with watch.stage("count"):
        counted = frequencies(source, named, dtypes)
    if counted is not None:
        task = task_for(policy, schema, counted.column)
        ready = prepare(task, counted.column, len(counted.counts), watch, counted.counts)
        counted = _needed(counted, schema)
        return _of_counted(source, task, ready, counted, dtypes, watch)
    watch.tell(
        f"more than {source.most_tuples} different tuples: the frequency set stays on "
        f"{source.store.name}"
    )
    task = task_for(policy, schema, lambda name: pl.Series(name, [], pl.String))
    if isinstance(policy.algorithm, FullDomain):
        found = premerged.search(source, task, dtypes, watch)
        decision = _of_counted(
            found.source, found.task, found.ready, found.counted, found.dtypes, watch
        )
        return replace(decision, utility=found.utility(decision.outcome), lasting=False)
    return _of_divided(source, task, named, dtypes, watch)


def _needed(counted: Frequencies, schema: Schema) -> Frequencies:
    """Return what is still needed of a frequency set that is encoded: columns take memory."""
    kept = untouched(schema)
    return counted.only(kept) if set(kept) <= set(counted.raw.columns) else counted


def _of_counted(
    source: Source,
    task: Task,
    ready: Prepared,
    counted: Frequencies,
    dtypes: Mapping[str, pl.DataType],
    watch: Stopwatch,
) -> Decision:
    """Decide with the frequency set in this process.

    source, dtypes: the table that the rows of the frequency set are found in.
    """
    whole = set(untouched(task.schema)) <= set(counted.raw.columns)
    outcome = decide(task, ready, watch)
    with watch.stage("recode"):
        decided = assigned(outcome, counted, task.schema, whole=whole)
    rows = int(counted.counts.sum())
    lost = decided.rows < rows
    return Decision(
        query=lambda: released_query(source, decided, dtypes),
        columns=tuple(decided.columns),
        rows_in=rows,
        rows_out=decided.rows,
        outcome=outcome,
        original=Taken(counted.column, len(counted.counts), counted.counts) if lost else None,
    )


def _of_divided(
    source: Source,
    task: Task,
    named: Sequence[str],
    dtypes: Mapping[str, pl.DataType],
    watch: Stopwatch,
) -> Decision:
    """Decide where the frequency set is."""
    found = outgrown.divided(source, task, named, dtypes, watch)
    classes = found.classes
    kept = untouched(task.schema)
    by_name = {one.name: [column.name for column in one.columns] for one in classes.recoded}
    order = [
        column
        for name in task.schema.attributes
        for column in by_name.get(name, [name] if name in kept else [])
    ]
    return Decision(
        query=lambda: outgrown.released_query(source, found, task.schema, dtypes),
        columns=order,
        rows_in=found.rows,
        rows_out=found.rows,
        outcome=outgrown.outcome_of(found),
        original=None,
        utility=classes.utility,
        counted=False,
        lasting=False,
    )
