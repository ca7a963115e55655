"""The flow: a table and a policy in, a verified release out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from kanonym.data import frames
from kanonym.data.conventions import canonical_table, styled_columns, typed_table
from kanonym.data.schema import Role
from kanonym.data.table import value_codes
from kanonym.engines.task import Outcome, Stopwatch, run
from kanonym.metrics.risk import PersonRisk, person_risk
from kanonym.pipeline.asking import (
    acting_on,
    as_counted,
    counting_of,
    entities_of,
    is_elsewhere,
    one_policy,
    sorting_keys,
    task_of,
)
from kanonym.pipeline.checking import (
    Taken,
    counted_ones,
    measure,
    released_columns,
    require_satisfied,
    seen_by_models,
    unmodelled,
    verify,
)
from kanonym.pipeline.conventions import canonical, changed_texts, typed, with_conventions
from kanonym.pipeline.person_checks import named_by_amounts, values_of, warned_of_input
from kanonym.pipeline.recorded import recorded_persons
from kanonym.policy import Policy
from kanonym.release import Release
from kanonym.transforms.ordering import released_rows
from kanonym.transforms.persons import PopulationColumn
from kanonym.verification import unprotected, verify_columns

__all__ = [
    "acting_on",
    "anonymize",
    "as_counted",
    "canonical",
    "entities_of",
    "measure",
    "one_policy",
    "recorded_persons",
    "released_columns",
    "task_of",
    "typed",
    "verify",
    "with_conventions",
]


def anonymize(
    frame: Any,
    policy: Policy | str | os.PathLike[str] | None = None,
    *,
    output: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
    **short: Any,
) -> Release:
    """Release a table that satisfies a policy.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame or a pyarrow Table; or a table that
        stays where it is: a DuckDB relation, a Spark DataFrame, or what `DuckDB`, `Spark` or
        `Database` made.
    policy
        What is asked, or the path of a policy file; or leave it out and use the short forms.
    output
        Where the release is written: a file; of a table in a database the name of another
        one. None writes nothing.
    progress
        Called with the name of each stage as it begins, and with `stage: sentence` for
        what a stage tells: `encode` of hierarchies that it builds because none was
        given, `algorithm` of a long search.
    short
        Parts of `Policy.short`: `quasi_identifiers`, `sensitive`, `identifiers`,
        `hierarchies`, `k`, `l`, `t`, `others`, and the options of `Policy`. Beside a policy
        they change its values.

    Raises
    ------
    PolicyError, SchemaError, HierarchyError, DataError
        Something that was given is wrong; the message says what and where.
    InfeasibleError
        No release satisfies the policy; or, as a last defence, verification of the
        released values found a class that does not.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 25, 41, 42], "disease": ["flu", "flu", "cold", "flu"]})
    >>> release = anonymize(
    ...     table, quasi_identifiers=["age"], sensitive=["disease"], k=2, keep_order=True
    ... )
    >>> release.frame["age"].to_list()
    ['[23, 25]', '[23, 25]', '[41, 42]', '[41, 42]']
    >>> release.verification.satisfied
    True

    """
    policy = one_policy(policy, short)
    watch = Stopwatch(progress)
    if is_elsewhere(frame):
        from kanonym.pipeline import elsewhere  # noqa: PLC0415 - what it needs may be absent

        place = None if output is None else os.fspath(output)
        return elsewhere.anonymize(elsewhere.source_of(frame), policy, place, watch)
    with watch.stage("read"):
        given = frames.eager(frame)
        conventions = policy.schema_for(frames.column_names(given)).conventions
        native = typed_table(given, conventions)
        task = task_of(policy, native)
    schema, n_rows = task.schema, frames.n_rows(native)
    acting = acting_on(native, schema, policy.seed)
    for name in acting.actions:
        acting.before(name)
    outcome = run(task, as_counted(native, policy, acting), n_rows, watch)
    with watch.stage("recode"):
        named = [name for name in schema.names(Role.IDENTIFIER) if name in acting.actions]
        after = outcome.changed(acting)
        changed = {column.name: column for columns in after.values() for column in columns}
        named += schema.names(Role.SENSITIVE) + schema.names(Role.INSENSITIVE)
        rows = released_rows(
            outcome.labels,
            [one for one in outcome.recoded if one.name not in acting.changed_after],
            [*(name for name in named if name not in changed), *changed],
            sorting_keys(given, acting, changed),
            None if policy.keep_order else acting.seed,
        )
        released = frames.assemble(
            given,
            rows,
            styled_columns(outcome.columns(schema, rows, acting, after), conventions),
            frame,
        )
    with watch.stage("verify"):
        written = frames.eager(released)
        checked = canonical_table(written, conventions)
        names = [column.name for part in outcome.recoded for column in part.columns]
        known = [frames.column(checked, name) for name in names]
        # Suppression shifts the distribution that t-closeness and the like compare with:
        # what counts is that of the input.
        persons_of = entities_of(policy)

        def seen(name: str) -> pl.Series:
            # Who is who is not released, or as a pseudonym: persons are those of the input.
            if name in persons_of:
                return frames.column(native, name).gather(rows)
            return frames.column(checked, name)

        before = Taken(acting.before, n_rows) if len(rows) < n_rows else None
        free = unmodelled(schema, policy)
        further = counted_ones(free, seen)
        hidden = seen_by_models(seen, schema, policy, before, further)
        levels = outcome.levels_of(rows)
        persons = task.population and [
            PopulationColumn(
                task.population(domain.name),
                domain.hierarchy,
                None if levels is None else np.ascontiguousarray(levels[:, a]),
            )
            for a, domain in enumerate(outcome.table.domains)
        ]
        verification = verify_columns(
            known,
            hidden,
            policy.models,
            len(rows),
            population=persons,
            counting=counting_of(policy),
            texts=changed_texts(written, checked, names),
        )
        require_satisfied(verification, acting.changed_after)
        owners = seen(persons_of[0]) if persons_of else None
        verification = verification.with_warnings(
            *unprotected([name for name in free if name not in further], policy.models),
            *warned_of_input(policy, schema, values_of(partial(frames.column, native))),
            *named_by_amounts(
                policy, schema, frames.column_names(checked), values_of(seen, persons=owners)
            ),
        )
    release = Release(
        frame=released,
        policy=policy,
        schema=schema,
        verification=verification,
        rows_in=n_rows,
        rows_out=len(rows),
        suppressed=n_rows - len(rows),
        outcome=outcome,
        seconds=watch.seconds,
        rows=rows,
        persons=_persons_at_risk(native, persons_of, outcome),
    )
    if output is not None:
        with watch.stage("write"):
            release.write(output)
    return release


def _persons_at_risk(native: Any, entities: Sequence[str], outcome: Outcome) -> PersonRisk | None:
    """Return the risk of persons, by the first entity that is counted; None without one."""
    if not entities:
        return None
    codes, _ = value_codes(frames.column(native, entities[0]))
    return person_risk(outcome.labels, outcome.partition.n_classes, codes)
