"""The engine of tables in this process: pandas, polars and pyarrow."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.actions.registry import ColumnActions
from kanonym.data import files, frame_rows, frames
from kanonym.data.columns.rebuild import categories_as_text
from kanonym.data.columns.values import ReleasedColumn, RepeatedColumn
from kanonym.data.errors import DataError
from kanonym.data.item_sets import encode_sets, names_of_sets, read_sets
from kanonym.data.partition import RecodedAttribute
from kanonym.data.readings import (
    canonical_table,
    changed_texts,
    settle_readings,
    styled_columns,
    typed_table,
)
from kanonym.data.results import ShortRepr
from kanonym.data.schema import Role, Schema
from kanonym.differential_privacy.cells import declared_cells
from kanonym.engines.base import ABILITIES, SAMPLED, Ability, Run
from kanonym.engines.decided_sets import released_sets, texts_of_sets, with_sets
from kanonym.engines.decision import EncodedDecision, run_task
from kanonym.engines.release_view import view_of_release
from kanonym.engines.stopwatch import Stopwatch
from kanonym.kernels.arrays import Ints
from kanonym.kernels.parallel import parallel
from kanonym.models.differential import sampling_model
from kanonym.policy import Policy
from kanonym.recoding.recode import mix_equal_records, released_rows
from kanonym.verification.release_view import ReleaseView
from kanonym.verification.released_classes import ColumnValues, FrequencySet


def released_values(
    decision: EncodedDecision,
    schema: Schema,
    rows: Ints,
    acting: ColumnActions,
    changed: Mapping[str, Sequence[pl.Series]],
) -> list[ReleasedColumn]:
    """Return the columns of the release in order, as `data.frames.assemble` takes them.

    rows: (n_released,) the records of the input that are released, in their new order.
    acting: what is done to columns before the algorithm; changed: of `apply_late_actions`.
    """
    # As unsigned 32-bit Series, polars takes indices without a copy.
    labels = decision.labels[rows]
    classes = pl.Series(labels.view(np.uint32))
    # A class may be one of the population alone: what it would release is nobody's here.
    occurs = np.zeros(decision.n_classes, np.bool_)
    occurs[labels] = True

    def values(attribute: RecodedAttribute) -> list[ReleasedColumn]:
        if attribute.name in changed:
            return [column.gather(rows) for column in changed[attribute.name]]
        value_of_class = attribute.label_of_class
        used = np.zeros(len(attribute.columns[0]), np.bool_)
        used[value_of_class[occurs]] = True
        if not used.all():
            value_of_class = np.maximum(np.cumsum(used) - 1, 0)[value_of_class]
        places = pl.Series(value_of_class.astype(np.uint32, copy=False))
        return [
            RepeatedColumn(column.filter(used), places, classes) for column in attribute.columns
        ]

    names = (one.name for one in decision.recoded)
    recoded = dict(zip(names, parallel(values, decision.recoded), strict=True))
    released: list[ReleasedColumn] = []
    for name, attribute in schema.attributes.items():
        if attribute.role is Role.QUASI_IDENTIFIER:
            released += recoded[name]
        elif attribute.action or attribute.role is Role.SET:
            whole = changed[name] if name in changed else [acting.before(name)]
            released += [column.gather(rows) for column in whole]
        elif attribute.role is not Role.IDENTIFIER:
            released.append(name)
    return released


def apply_late_actions(
    decision: EncodedDecision, acting: ColumnActions
) -> dict[str, list[pl.Series]]:
    """Return the columns that actions change after the algorithm, by attribute.

    Each has n_rows values in the order of the input, null for suppressed records.
    """
    if not acting.late_attributes:
        return {}
    kept = decision.labels >= 0
    labels = decision.labels[kept]
    of_record = pl.Series(np.where(kept, np.cumsum(kept) - 1, 0), dtype=pl.UInt32).set(
        pl.Series(~kept), None
    )
    known = {attribute.name: attribute for attribute in decision.recoded}
    columns = {}
    for name in acting.late_attributes:
        if name in known:
            place = known[name].label_of_class[labels]
            released = [column.gather(place) for column in known[name].columns]
        else:
            released = [acting.before(name).filter(pl.Series(kept))]
        columns[name] = [
            acting.after(name, column, labels, np.flatnonzero(kept)).gather(of_record)
            for column in released
        ]
    return columns


RECORDS = 200_000
"""Records of a large table in which persons are looked for."""
_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, repr=False)
class LocalEngine(ShortRepr):
    """A table in this process.

    Attributes
    ----------
    given
        The table, of any kind that `data.frames` takes.
    texts
        Columns of a text file as text where several texts read as one value.
    frame
        The same, collected.
    """

    name: ClassVar[str] = "local"
    abilities: ClassVar[frozenset[Ability]] = ABILITIES

    given: Any
    texts: Mapping[str, pl.Series] = field(default_factory=dict)
    frame: Any = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", frames.to_eager(self.given))

    @property
    def columns(self) -> list[str]:
        """Names of the table's columns."""
        return frames.column_names(self.frame)

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return the records, whichever columns are asked for."""
        del names
        column = partial(frames.label_column, self.frame)
        raw = partial(frames.raw_column, self.frame)
        return FrequencySet(column, frames.n_rows(self.frame), texts=self.texts.get, sets=raw)

    def sample(self, names: Sequence[str]) -> pl.DataFrame:
        """Return records from the whole table, at equal distances."""
        n = frames.n_rows(self.frame)
        rows = np.arange(0, n, max(1, -(-n // SAMPLED)))
        records = frames.assemble(self.frame, rows, names)
        columns = []
        for name in names:
            with suppress(DataError):  # of a type that cannot be counted
                columns.append(frames.column(records, name))
        return pl.DataFrame(columns)

    def records(self) -> pl.DataFrame:
        """Return all records; of a large table those of some values of the column with most.

        So the records of a person stay together, where any column tells persons apart.
        """
        records = self.sample(self.columns)
        n = frames.n_rows(self.frame)
        if n <= RECORDS:
            every = (frames.column(self.frame, name) for name in records.columns)
            return pl.DataFrame(list(every)) if n > len(records) else records
        widest = max(records, key=pl.Series.n_unique, default=None)
        if widest is None:
            return records
        hashed = frames.column(self.frame, widest.name).hash(seed=0).to_numpy()
        rows = np.flatnonzero(hashed < np.uint64((1 << 64) * RECORDS // (2 * n)))[:RECORDS]
        chosen = frames.assemble(self.frame, rows, records.columns)
        return pl.DataFrame([frames.column(chosen, name) for name in records.columns])

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a column are repeated."""
        column = partial(frames.label_column, self.frame)
        return ColumnValues.of(_any_column(self.frame, column, name))

    def read(self, run: Run) -> LocalInput:
        """Return the table as a policy reads it."""
        if sampling_model(run.policy.models) is None:  # else what is declared is read cell by cell
            readings = settle_readings(self.frame, run.schema.readings, run.watch.warn)
            run = replace(run, schema=replace(run.schema, settled=readings))
        native = encoded_table(self.frame, run.policy, run.schema)
        acting = bind_actions(native, run.schema, run.seed)
        for name in acting.actions:
            acting.before(name)
        return LocalInput(self, native, run, acting)

    def require_place(self, place: str | None) -> None:
        """Refuse a place that cannot be written."""
        if place is not None:
            files.check_table_output(place)

    def close(self) -> None:
        """Leave everything as it is: nothing is held."""


@dataclass(frozen=True, repr=False)
class LocalInput(ShortRepr):
    """A table in this process as a policy reads it."""

    engine: LocalEngine
    native: Any
    run: Run
    acting: ColumnActions

    @property
    def watch(self) -> Stopwatch:
        """Notes the seconds of each stage."""
        return self.run.watch

    @property
    def _named(self) -> list[str]:
        """The columns that are released beside quasi-identifiers and sets."""
        schema = self.run.schema
        named = [name for name in schema.names(Role.IDENTIFIER) if name in self.acting.actions]
        return named + schema.names(Role.SENSITIVE) + schema.names(Role.INSENSITIVE)

    def decide(self) -> EncodedDecision:
        """Divide the table into classes; see `decision.run_task`."""
        task, watch, policy = self.run.task, self.run.watch, self.run.policy
        column = encoded_columns(self.native, policy, self.acting)
        persons, key = policy.entities, sorting_keys(self.engine.frame, self.acting)
        return run_task(
            task,
            column,
            frames.n_rows(self.native),
            watch,
            given=partial(frames.column, self.native),
            with_sets=partial(
                with_sets, task=task, column=partial(frames.raw_column, self.native), watch=watch
            ),
            mix=partial(
                mix_equal_records,
                names=[*persons, *self._named, *self.run.schema.names(Role.SET)],
                column=lambda name: column(name) if name in persons else key(name),
                seed=self.acting.seed,
            ),
        )

    def stage(self, decision: EncodedDecision) -> LocalRelease:
        """Assemble the released table."""
        schema, acting = self.run.schema, self.acting
        with self.run.watch.stage("recode"):
            readings = schema.readings
            after = apply_late_actions(decision, acting)
            changed = {column.name: column for columns in after.values() for column in columns}
            sets = released_sets(decision, schema)
            rows = released_rows(
                decision.labels,
                [one for one in decision.recoded if one.name not in acting.late_attributes],
                [*(name for name in self._named if name not in changed), *changed, *sets],
                sorting_keys(self.engine.frame, acting, {**changed, **texts_of_sets(sets)}),
                None if self.run.policy.keep_order else acting.seed,
            )
            values = released_values(
                decision, schema, rows, acting, {**after, **{n: [one] for n, one in sets.items()}}
            )
            released = frames.assemble(
                self.engine.frame, rows, styled_columns(values, readings), self.engine.given
            )
            if self.run.policy.keep_order:
                released = frame_rows.with_row_numbers(released, self.engine.frame, rows)
            written = frames.to_eager(released)
            checked = canonical_table(written, readings)
        return LocalRelease(self, released, written, checked, rows)

    def view(self, decision: EncodedDecision, staged: LocalRelease) -> ReleaseView:
        """Return what was staged, as verification sees it."""
        sets = None
        if decision.sets is not None:
            attributes = names_of_sets(self.run.schema.attributes)
            lists = {
                name: read_sets(frames.raw_column(staged.written, name), one)
                for name, one in attributes.items()
            }
            tree = decision.sets.given.tree
            sets = encode_sets(tree, lists, len(staged.rows), any_level=True)
        return view_of_release(self.run, decision, staged, self._originals(staged), sets)

    def _originals(self, staged: LocalRelease) -> LocalEngine:
        """Return the released records as they came in."""
        if len(staged.rows) == frames.n_rows(self.native):
            return LocalEngine(self.native)
        names = frames.column_names(self.native)
        return LocalEngine(frames.assemble(self.native, np.sort(staged.rows), names))


@dataclass(frozen=True, repr=False)
class LocalRelease(ShortRepr):
    """A released table in this process that is still to be verified and written.

    rows: (n_released,) int64, which record of the input each released one is.
    """

    source: LocalInput
    frame: Any
    written: Any
    checked: Any
    rows: Ints

    @property
    def columns(self) -> list[str]:
        """The released columns, in order."""
        return frames.column_names(self.checked)

    def column(self, name: str) -> pl.Series:
        """Return a column as it is released; of who is counted, that of the input."""
        # Who is who is not released, or as a pseudonym: persons are those of the input.
        if name in self.source.run.policy.entities:
            return frames.column(self.source.native, name).gather(self.rows)
        return frames.column(self.checked, name)

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return the released records."""
        known = [name for name in names if name in self.columns]
        texts = changed_texts(self.written, self.checked, known)
        raw = partial(frames.raw_column, self.checked)
        return FrequencySet(self.column, len(self.rows), texts=texts.get, sets=raw)

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a released column are repeated."""
        entities = self.source.run.policy.entities
        persons = self.column(entities[0]) if entities else None
        return ColumnValues.of(_any_column(self.checked, self.column, name), persons=persons)

    def publish(self) -> Any:
        """Write the file, if one is asked for, and return the table."""
        if self.source.run.place is not None:
            with self.source.run.watch.stage("write"):
                files.write_table(frames.to_polars(self.frame), self.source.run.place)
        return self.frame

    def discard(self) -> None:
        """Leave everything as it is: nothing is written yet."""


def _any_column(frame: Any, column: Callable[[str], pl.Series], name: str) -> pl.Series:
    """Return a column of a table, of lists and structs as well; column: gives the others."""
    try:
        return column(name)
    except DataError:
        return frames.raw_column(frame, name)


def draw_seed() -> int:
    """Return a seed from the system's source."""
    return secrets.randbits(128)


def resolve_seed(seed: int | None) -> int:
    """Return a seed, or one that is drawn for a release that asks for none."""
    return draw_seed() if seed is None else seed


def bind_actions(native: Any, schema: Schema, seed: int | None) -> ColumnActions:
    """Return the columns of a table as the actions of its attributes leave them.

    seed: None draws one anew from the system's source; the result has it.
    """
    actions = {
        name: attribute.action for name, attribute in schema.attributes.items() if attribute.action
    }
    return ColumnActions(partial(frames.column, native), actions, resolve_seed(seed))


def encoded_table(native: Any, policy: Policy, schema: Schema) -> Any:
    """Return a table as it is encoded: values in columns whose texts the policy explains.

    native: as `frames.to_eager` returns it. Under differential privacy only the columns that the
    policy needs are left, as texts: each cell is read alone.
    """
    promised = sampling_model(policy.models)
    if promised is None:
        return typed_table(native, schema.readings)
    person = [] if promised.entity is None else [promised.entity]
    names = {*schema.names(Role.QUASI_IDENTIFIER), *person}
    needed = {name: attribute for name, attribute in schema.attributes.items() if name in names}
    return declared_cells(native, needed, exact=person)


def encoded_columns(
    native: Any, policy: Policy, acting: ColumnActions
) -> Callable[[str], pl.Series]:
    """Return what gives the columns that are encoded: as actions leave them, with exceptions.

    Persons are those of the input, whatever is released in the place of their identifier.
    """
    persons = policy.entities

    def column(name: str) -> pl.Series:
        if name in persons:
            return frames.column(native, name)
        values = acting.before(name)
        exceptions = frames.exceptions_of(frames.raw_column(native, name))
        return values if exceptions is None else frames.with_exceptions(values, exceptions)

    return column


def sorting_keys(
    native: Any, acting: ColumnActions, changed: Mapping[str, pl.Series] = _NONE
) -> Callable[[str], pl.Series]:
    """Return what gives the columns that records are sorted by before they are shuffled.

    changed: the columns that actions changed after the algorithm.
    """

    def key(name: str) -> pl.Series:
        if name in changed:
            return changed[name]
        return acting.before(name) if name in acting.actions else _sorting_key(native, name)

    return key


def _sorting_key(frame: object, name: str) -> pl.Series:
    """Return what puts the records of a table in an order by one column.

    The column itself. Where it has no order (lists, structs, bytes), a number for each value,
    by which equal ones stand together; objects of several types are compared by their `repr`.
    """
    native = frames.to_eager(frame)
    try:
        return frames.column(native, name)
    except DataError as error:
        refused = error
    try:
        series = frames.to_polars(frames.assemble(native, None, [name])).to_series()
    except DataError:  # objects of several types
        series = None
    if series is None or series.dtype == pl.Object:
        return pl.Series(name, [repr(one) for one in native[name]], pl.String)
    if series.dtype.is_temporal():
        raise refused
    return categories_as_text(series).hash(0).reinterpret(signed=True).alias(name)
