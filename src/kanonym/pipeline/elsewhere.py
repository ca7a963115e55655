"""The flow for tables that stay where they are: counted, recoded and verified by their engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import polars as pl

from kanonym.data.errors import DataError, PolicyError
from kanonym.data.files import differing_texts, typed_texts
from kanonym.data.schema import Schema
from kanonym.engines.sql.column_values import VALUE, column_values
from kanonym.engines.sql.frequencies import (
    Frequencies,
    counted_rows,
    fetched,
    frequencies,
    types_of,
)
from kanonym.engines.sql.statements import projected, renamed
from kanonym.engines.sql.store import MOST_TUPLES, Source, Staged
from kanonym.engines.task import Stopwatch, sensitive_names
from kanonym.pipeline.asking import counting_of, entities_of, persons_of_policy
from kanonym.pipeline.checking import Opened, Taken, require_satisfied, seen_by_models, unmodelled
from kanonym.pipeline.conventions import refuse_conventions
from kanonym.pipeline.decisions import Decision, decision_about
from kanonym.pipeline.person_checks import named_by_amounts, warned_of_input
from kanonym.policy import Policy
from kanonym.release.elsewhere import ReleaseElsewhere
from kanonym.verification import (
    ColumnValues,
    SensitiveColumn,
    Verification,
    VerificationWarning,
    classes_as_released,
    dominance,
    group_released,
    unprotected,
    verify_columns,
)


def source_of(frame: Any) -> Source:
    """Return the source that a table is, or the one that an engine's own table makes."""
    if isinstance(frame, Source):
        return frame
    if type(frame).__module__.startswith("pyspark"):
        from kanonym.engines.spark import Spark  # noqa: PLC0415 - it may be absent

        return Spark(frame)
    from kanonym.engines.duckdb import DuckDB  # noqa: PLC0415 - it may be absent

    return DuckDB(frame)


def anonymize(
    source: Source, policy: Policy, output: str | None, watch: Stopwatch
) -> ReleaseElsewhere:
    """Release a table on the engine that holds it; see `released_from`."""
    if output is None:
        return released_from(source, policy, None, watch)  # what is held there is read later
    with closing(source.store):
        return released_from(source, policy, output, watch)


def released_from(
    source: Source, policy: Policy, output: str | None, watch: Stopwatch
) -> ReleaseElsewhere:
    """Release a table on the engine that holds it.

    Parameters
    ----------
    source
        The table.
    policy
        What is asked.
    output
        Where the release is written; None for a table of the engine that is computed when
        it is read.
    watch
        Notes the seconds of each stage.

    Raises
    ------
    PolicyError
        The policy asks for what only tables of this process can have.
    PolicyError, SchemaError, HierarchyError, DataError, InfeasibleError
        As `anonymize`.

    """
    with watch.stage("read"):
        dtypes = types_of(source)
        schema = policy.schema_for(list(dtypes))
        _require_possible(policy, schema)
        source.store.require_place(output)
    decided = decision_about(source, policy, schema, dtypes, watch)
    with watch.stage("verify"):
        warned = warned_of_input(policy, schema, opened(source).values)

    def released(decided: Decision, place: str | None) -> tuple[Any, Verification]:
        with watch.stage("write"):
            staged = source.store.stage(decided.query(), place)
        try:
            with watch.stage("verify"):
                found = _verified(source, staged, policy, schema, decided)
                _require(found, decided.rows_out)
                found = found.with_warnings(
                    *warned, *_named_by_amounts(source, staged, policy, schema, decided)
                )
            with watch.stage("write"):
                return staged.publish(), found
        except BaseException:
            staged.discard()
            raise

    def written(place: str) -> Any:
        known = decided
        with closing(source.store):
            source.store.require_place(place)
            if not decided.lasting:  # what the engine held of it is gone: decide the same again
                known = decision_about(source, policy, schema, dtypes, Stopwatch())
            return released(known, place)[0]

    frame, verification = released(decided, output)
    return ReleaseElsewhere(
        frame=frame,
        policy=policy,
        schema=schema,
        verification=verification,
        rows_in=decided.rows_in,
        rows_out=decided.rows_out,
        suppressed=decided.rows_in - decided.rows_out,
        outcome=decided.outcome,
        seconds=watch.seconds,
        rows=None,
        engine=source.store.name,
        names=tuple(decided.columns),
        writer=written,
        counted=decided.counted,
        measured=decided.utility,
    )


def opened(source: Source) -> Opened:
    """Return a table on an engine, ready to be looked at: its frequency set comes here.

    Raises
    ------
    DataError
        It has more than `source.most_tuples` different rows in the columns that are taken.

    """
    dtypes = types_of(source)

    def take(names: Sequence[str]) -> Taken:
        found = frequencies(source, names, dtypes)
        source.store.close()
        if found is None:
            raise DataError(
                f"the table has more than {source.most_tuples} different rows in these columns: "
                "give the source a larger most_tuples"
            )
        return Taken(
            found.column,
            len(found.counts),
            found.counts,
            lambda name: differing_texts(found.raw[name], found.column(name)),
        )

    def values(name: str) -> ColumnValues:
        return column_values(source, projected(source, {name: VALUE}, dtypes), name)

    return Opened(list(dtypes), take, values)


def _require_possible(policy: Policy, schema: Schema) -> None:
    """Refuse what needs every record in this process."""
    refuse_conventions(policy)
    acting = [name for name, one in schema.attributes.items() if one.action]
    if acting:
        raise PolicyError(
            f"attribute {acting[0]!r} has an action: an engine does not carry out actions. "
            "Change the column there first, or anonymize a table of this process"
        )
    if entities_of(policy):
        raise PolicyError(
            "k-anonymity with an entity counts persons by an identifier, which a release on an "
            "engine has not: anonymize a table of this process"
        )
    if policy.keep_order:
        raise PolicyError(
            "keep_order: rows of an engine have no order that could be kept; leave it out"
        )


def _verified(
    source: Source, staged: Staged, policy: Policy, schema: Schema, decided: Decision
) -> Verification:
    """Group what was written, and ask every model again."""
    named = [column.name for one in decided.outcome.recoded for column in one.columns]
    hidden = sensitive_names(schema, policy.models)
    texts = {one.name for one in decided.outcome.table.sensitive if one.values.dtype == pl.String}
    found = _frequencies_of(source, staged, [*named, *hidden])

    def seen(name: str) -> pl.Series:
        # The form that was written may know texts alone.
        values = found.column(name)
        return values if name in named or name in texts else typed_texts(values)

    checked = verify_columns(
        [seen(name) for name in named],
        seen_by_models(seen, schema, policy, decided.original),
        policy.models,
        len(found.counts),
        found.counts,
        persons_of_policy(policy, schema),
        counting_of(policy),
    )
    further = unmodelled(schema, policy)
    checked = checked.with_warnings(*unprotected(further, policy.models))
    for name in further:
        checked = _with_share(checked, source, staged, named, name)
    return checked


def _with_share(
    checked: Verification, source: Source, staged: Staged, named: Sequence[str], attribute: str
) -> Verification:
    """Add what one sensitive attribute tells that no model names; nothing where it is too long."""
    try:
        found = _frequencies_of(source, staged, [*named, attribute])
    except DataError:
        return checked
    known = [found.column(name) for name in named]
    groups = group_released(known, len(found.counts))
    column = SensitiveColumn(found.column(attribute))
    classes = classes_as_released(groups, [column], found.counts)
    shares, warned = dominance(classes, [attribute])
    shared = replace(checked, largest_shares=(*checked.largest_shares, *shares))
    return shared.with_warnings(*warned)


def _named_by_amounts(
    source: Source, staged: Staged, policy: Policy, schema: Schema, decided: Decision
) -> list[VerificationWarning]:
    """Return a warning of written columns whose values single out their owners."""

    def values(name: str) -> ColumnValues:
        return column_values(source, renamed(staged.query, {name: VALUE}), name)

    return named_by_amounts(policy, schema, decided.columns, values)


def _frequencies_of(source: Source, staged: Staged, names: Sequence[str]) -> Frequencies:
    """Count what was written by columns of their own names."""
    if staged.rows is not None:
        return counted_rows(staged.rows(), names)
    aliases = {name: f"c{place}" for place, name in enumerate(names)}
    most = max(source.most_tuples, MOST_TUPLES)
    found = fetched(replace(source, most_tuples=most), renamed(staged.query, aliases), aliases)
    if found is None:
        raise DataError(
            f"the release has more than {most} different rows in the columns that are verified: "
            "give the source a larger most_tuples, or ask for larger classes"
        )
    return found


def _require(found: Verification, rows: int) -> None:
    """Refuse a release that is not what was decided."""
    if found.rows != rows:
        raise DataError(
            f"{rows} records were counted for the release, and {found.rows} were written. Nothing "
            "is released. If others write to the table, work on a copy; else a join or a view "
            "gives other rows each time"
        )
    require_satisfied(found)
