"""The engine of tables that stay where they are: they are counted, recoded and written there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar, NamedTuple, Self

import polars as pl

from kanonym.data.errors import DataError, PolicyError
from kanonym.data.partition import RecodedAttribute
from kanonym.data.person_key import columns_of
from kanonym.data.readings import Reading, settle, styled_columns
from kanonym.data.schema import Schema
from kanonym.data.table import Domain
from kanonym.engines.base import SAMPLED, Ability, Run
from kanonym.engines.decision import Decision, EncodedDecision, EngineDecision, decide, with_input
from kanonym.engines.release_view import view_of_release
from kanonym.engines.sql import large, premerged
from kanonym.engines.sql.frequencies import (
    VALUE,
    Frequencies,
    apply_actions_on_engine,
    column_values,
    first_rows,
    frequencies,
    frequency_set,
    types_of,
)
from kanonym.engines.sql.release_query import (
    SqlRelease,
    assign_tuples,
    released_query,
    unchanged_columns,
)
from kanonym.engines.sql.statements import project
from kanonym.engines.sql.store import Query, Source, without_rows
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task, prepare
from kanonym.verification.release_view import ReleaseView
from kanonym.verification.released_classes import ColumnValues, FrequencySet, is_countable

RECORDS = 50_000
"""Records in which persons are looked for."""


@dataclass(frozen=True)
class SqlEngine:
    """A table on an engine outside of this process."""

    abilities: ClassVar[frozenset[Ability]] = frozenset()

    source: Source

    @property
    def name(self) -> str:
        """What holds the table."""
        return self.source.store.name

    @cached_property
    def types(self) -> dict[str, pl.DataType]:
        """The columns and their types."""
        return types_of(self.source)

    @property
    def columns(self) -> list[str]:
        """Names of the table's columns."""
        return list(self.types)

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return the frequency set of some columns: it comes here."""
        found = frequencies(self.source, names, self.types)
        if found is None:
            raise DataError(
                f"the table has more than {self.source.most_tuples} different rows in these "
                "columns: give the source a larger most_tuples"
            )
        return frequency_set(found, json=self.source.json)

    def sample(self, names: Sequence[str]) -> pl.DataFrame:
        """Return the records that the engine gives first."""
        plain = [name for name in names if is_countable(self.types[name])]
        return first_rows(self.source, plain, SAMPLED)

    def records(self) -> pl.DataFrame:
        """Return the records that the engine gives first."""
        plain = [name for name in self.columns if is_countable(self.types[name])]
        return first_rows(self.source, plain, RECORDS)

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a column are repeated."""
        return column_values(self.source, project(self.source, {name: VALUE}, self.types), name)

    def read(self, run: Run) -> SqlInput:
        """Return the table as a policy reads it: actions are carried out on distinct values."""
        readings = self._settle_readings(run)
        run = replace(run, schema=replace(run.schema, settled=readings))
        engine = self.with_readings(readings)
        actions = {
            name: attribute.action
            for name, attribute in run.schema.attributes.items()
            if attribute.action
        }
        if not actions:
            return SqlInput(engine, engine.source, self.types, run)
        source, types = apply_actions_on_engine(
            engine.source, self.types, actions, run.seed, columns_of(run.policy.entities)
        )
        return SqlInput(engine, source, types, run)

    def _settle_readings(self, run: Run) -> dict[str, Reading]:
        """Return readings with their exceptions, bounds and names: one GROUP BY a column."""
        settled = dict(run.schema.readings)
        for name, reading in settled.items():
            attribute = run.schema.attributes[name]
            if reading.style is None or attribute.action or self.types.get(name) != pl.String:
                continue
            found = frequencies(self.source, [name], self.types)
            if found is None:  # as many as the frequency set cannot have
                continue
            texts, counts = found.raw[name], pl.Series(found.counts)
            try:
                settled[name], note = settle(reading, texts, counts)
            except DataError as error:
                raise DataError(without_rows(str(error))) from None
            if note is not None:
                run.watch.warn(without_rows(note))
        return settled

    def with_readings(self, readings: Mapping[str, Reading], *, released: bool = False) -> Self:
        """Return the table with values in columns whose texts a policy explains; or with labels."""
        texts = {
            name
            for name, one in readings.items()
            if one.is_text and not one.missing and self.types.get(name) == pl.String
        }
        readings = {name: one for name, one in readings.items() if name not in texts}
        typed = self.source.typed | texts
        return replace(
            self, source=replace(self.source, readings=readings, released=released, typed=typed)
        )

    def require_place(self, place: str | None) -> None:
        """Refuse a place that the engine cannot write."""
        self.source.store.require_place(place)

    def close(self) -> None:
        """Take away everything that was left on the engine."""
        self.source.store.close()


class SqlPlan(NamedTuple):
    """What writes the release of a decision on an engine."""

    query: Callable[[Sequence[str]], Query]
    released: tuple[str, ...]
    texts: frozenset[str]
    originals: Callable[[], Query] | None = None


@dataclass(frozen=True)
class SqlInput:
    """A table on an engine as a policy reads it."""

    engine: SqlEngine
    source: Source
    types: Mapping[str, pl.DataType]
    run: Run

    @property
    def _schema(self) -> Schema:
        return self.run.schema

    @property
    def watch(self) -> Stopwatch:
        """Notes the seconds of each stage."""
        return self.run.watch

    def decide(self) -> Decision:
        """Divide the table into classes: of its frequency set, wherever that is."""
        task, watch, entities = self.run.task, self.run.watch, self.run.policy.entities
        with watch.stage("count"):
            counted = frequencies(self.source, task.columns, self.types)
        if counted is not None:
            ready = prepare(task, counted.column, len(counted.counts), watch, counted.counts)
            decision = decide(task, ready, watch)
            if not entities and decision.rows_out == decision.rows_in:
                counted = _drop_unneeded(counted, self._schema)
            decision = with_input(decision, task, frequency_set(counted))
            return self._add_writer(decision, self.source, self.types, counted, watch)
        watch.tell(
            f"more than {self.source.most_tuples} different tuples: the frequency set stays on "
            f"{self.source.store.name}"
        )
        if entities:
            raise PolicyError(
                f"k-anonymity counts persons by {entities[0]!r}, which needs the whole "
                f"frequency set in this process, and it has more than {self.source.most_tuples} "
                "tuples: give the source a larger most_tuples"
            )
        if self.source.readings:
            raise PolicyError(
                f"attribute {next(iter(self.source.readings))!r}, type and format: the texts are "
                f"read in this process, and the table has more than {self.source.most_tuples} "
                "different tuples: convert the column there, or give the source a larger "
                "most_tuples"
            )
        if task.algorithm.lattice is not None:
            search = premerged.search_on_engine(self.source, task, self.types, watch)
            decision = search.decide(watch)
            own = self._add_writer(decision, search.source, search.dtypes, search.counted, watch)
            plan = own.plan._replace(originals=None)  # the source has codes
            return replace(own, plan=plan, measured=search.utility(decision), lasting=False)
        return self._decide_on_engine(task, watch)

    def _add_writer(
        self,
        decision: EncodedDecision,
        source: Source,
        types: Mapping[str, pl.DataType],
        counted: Frequencies,
        watch: Stopwatch,
    ) -> EncodedDecision:
        """Return a decision with what writes its release.

        source, types: the table that the tuples of the frequency set are found in.
        """
        kept = unchanged_columns(self._schema)
        whole = set(kept) <= set(counted.raw.columns)
        styled = replace(decision, recoded=_styled(decision.recoded, source.readings))
        with watch.stage("recode"):
            needed = counted.select(kept) if whole else counted
            table = assign_tuples(styled, needed, self._schema, whole=whole)

        def query(further: Sequence[str]) -> Query:
            if not further:
                return released_query(source, table, types, self.run.seed)
            joined = assign_tuples(styled, counted, self._schema, whole=False) if whole else table
            return released_query(source, joined, types, self.run.seed, further)

        def originals() -> Query:
            joined = assign_tuples(decision, counted, self._schema, whole=False)
            every = {name: "" for name, dtype in types.items() if is_countable(dtype)}
            return released_query(source, replace(joined, columns=every), types, self.run.seed)

        texts = _text_columns(decision.table.sensitive)
        plan = SqlPlan(query, tuple(table.columns), texts, originals)
        # Else what actions gave is gone with the engine.
        return replace(decision, plan=plan, lasting=self.source is self.engine.source)

    def _decide_on_engine(self, task: Task, watch: Stopwatch) -> Decision:
        """Divide a frequency set that stays on the engine."""
        partition = large.partition_on_engine(self.source, task, task.columns, self.types, watch)
        classes, kept = partition.classes, unchanged_columns(self._schema)
        by_name = {
            attribute.name: [column.name for column in attribute.columns]
            for attribute in classes.recoded
        }
        order = [
            column
            for name in self._schema.attributes
            for column in by_name.get(name, [name] if name in kept else [])
        ]
        plan = SqlPlan(
            query=lambda _: large.released_query(
                self.source, partition, self._schema, self.types, self.run.seed
            ),
            released=tuple(order),
            texts=_text_columns(partition.coding.ready.table.sensitive),
        )
        return EngineDecision(
            recoded=classes.recoded,
            class_sizes=classes.sizes,
            rows_in=partition.rows,
            account=partition.account,
            built=partition.coding.ready.built,
            measured=classes.utility,
            plan=plan,
            lasting=False,
        )

    def stage(self, decision: Decision) -> SqlRelease:
        """Write the released table on the engine, where nobody takes it for a release."""
        plan = decision.plan
        if not isinstance(plan, SqlPlan):
            raise TypeError("the decision is about a table of another engine")
        entities = self.run.policy.entities
        hidden = [name for name in columns_of(entities) if name not in plan.released]
        with self.run.watch.stage("write"):
            staged = self.source.store.stage(plan.query([]), self.run.place)
        return SqlRelease(
            run=self.run,
            source=self.source,
            staged=staged,
            columns=list(plan.released),
            labels=decision.columns,
            texts=plan.texts,
            entities=entities,
            persons=entities if hidden else (),
            with_persons=partial(plan.query, hidden) if hidden else None,
        )

    def view(self, decision: Decision, staged: SqlRelease) -> ReleaseView:
        """Return what was staged, as verification sees it."""
        engine, plan = self.engine, decision.plan
        if decision.rows_out < decision.rows_in and plan.originals is not None:
            engine = SqlEngine(replace(self.source, query=plan.originals()))
        return view_of_release(self.run, decision, staged, engine)


def _styled(
    recoded: Sequence[RecodedAttribute], readings: Mapping[str, Reading]
) -> tuple[RecodedAttribute, ...]:
    """Return attributes with labels in the style of their readings."""
    return tuple(
        replace(attribute, columns=tuple(styled_columns(attribute.columns, readings)))
        for attribute in recoded
    )


def _drop_unneeded(counted: Frequencies, schema: Schema) -> Frequencies:
    """Return what is still needed of a frequency set that is encoded: columns take memory."""
    kept = unchanged_columns(schema)
    return counted.select(kept) if set(kept) <= set(counted.raw.columns) else counted


def _text_columns(domains: Sequence[Domain]) -> frozenset[str]:
    """Return the columns whose values are texts."""
    return frozenset(domain.name for domain in domains if domain.values.dtype == pl.String)
