"""Whether released tables satisfy their policy together, from their values alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import polars as pl

from kanonym.data.errors import Message, SchemaError
from kanonym.data.partition import Distribution
from kanonym.data.results import ResultTable
from kanonym.data.schema import Insensitive, QuasiIdentifier, Schema, Sensitive
from kanonym.linked.given_tables import Column, banded_policy, is_plain, polars_tables
from kanonym.linked.linked_policy import LinkedPolicy, LinkedPolicySource, Tables
from kanonym.linked.linked_risk import LinkedMeasurement, count_persons
from kanonym.linked.person_classes import person_columns
from kanonym.linked.person_rows import (
    Codes,
    LinkedRows,
    codes_of,
    combine,
    hidden_copies,
    milliseconds,
    shifted_columns,
    times_since_first,
)
from kanonym.linked.released_rows import known_codes, known_names, quiet_numbers, repeating_parts
from kanonym.policy import Policy
from kanonym.policy.document import read_or_given
from kanonym.verification.checked_classes import CheckedClasses, check_models
from kanonym.verification.findings import verify_release
from kanonym.verification.release_view import ReleaseView, SampledColumns
from kanonym.verification.released_classes import ColumnValues, FrequencySet, is_countable
from kanonym.verification.verdict import Verification

SAMPLED = 10_000
"""Rows of a table that are looked at for columns that tell others."""
TREE = "rows in other tables"
"""Stands for a person's rows in other tables, as one more attribute of the person."""


@dataclass(frozen=True, slots=True)
class LinkedColumns:
    """The columns of all tables; places: by the name that verification knows, where they are."""

    tables: Tables
    rows: LinkedRows
    places: Mapping[str, Column]

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(self.places)

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return columns of the table of persons."""
        del names
        return FrequencySet(self.records().get_column, self.records().height)

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a column are repeated by different persons."""
        table, column = self.places[name]
        whose = pl.Series(self.rows.persons[table]) if table in self.rows.persons else None
        return ColumnValues.of(self.tables[table][column].alias(name), persons=whose)

    def sample(self, names: Sequence[str]) -> pl.DataFrame:
        """Return records of the table of persons."""
        return self.records().select(names)

    def records(self) -> pl.DataFrame:
        """Return the table of persons."""
        return self.tables[self.rows.policy.person]


@dataclass(frozen=True, kw_only=True)
class LinkedView(ReleaseView):
    """Released tables, with the classes of persons who are alike with all their rows."""

    linked: ClassVar[bool] = True
    unit: ClassVar[str] = "persons"

    released: LinkedColumns
    original: LinkedColumns | None
    person_table: pl.DataFrame | None

    @property
    def tables(self) -> Tables:
        """The released tables."""
        return self.released.tables

    @property
    def rows(self) -> LinkedRows:
        """Their rows."""
        return self.released.rows

    @property
    def persons(self) -> Message:
        """Who the persons are."""
        return Message("each row of {table} is a person", table=self.rows.policy.person)

    @cached_property
    def own(self) -> dict[str, Codes]:
        """By table, equal numbers for rows with equal quasi-identifiers."""
        return known_codes(self.tables, self.rows.policy)

    @cached_property
    def checked(self) -> CheckedClasses:
        """The classes of persons, and what every model says of them."""
        person = self.tables[self.rows.policy.person]
        tree = pl.Series(TREE, self.rows.trees(self.own, counting=self.rows.policy.counting))
        known = [*(person[name] for name in self.labels), tree]
        sensitive = person_columns(self.tables, self.rows, self.person_table)
        checked = check_models(known, sensitive, self.policy.models, person.height)
        for one in checked.violating:
            one["class"].pop(TREE, None)
        return replace(checked, labels=checked.labels[:-1])

    @cached_property
    def distributions(self) -> dict[str, Distribution]:
        """How sensitive attributes of the table of persons are distributed over classes."""
        every = self.checked.classes.distributions
        return {name: one for name, one in every.items() if one.totals is None}

    def records_in_small_classes(self, names: Sequence[str]) -> int:
        """Return the persons in classes of fewer than k, if further columns are known, too."""
        columns = [self.released.places[place] for place in names]
        further = [(name, codes_of(self.tables[name][one])) for name, one in columns]
        return self._in_small_classes(further, self.k)

    def _in_small_classes(self, further: Sequence[tuple[str, Codes]], k: int) -> int:
        """Return the persons in classes of fewer than k, if further codes of tables are known."""
        known = dict(self.own)
        for name, codes in further:
            known[name] = combine([known[name], codes], len(codes))
        rows = self.rows.knowing(name for name, _ in further)
        return int((rows.class_sizes(known, self.rows.policy.counting) < k).sum())

    def sampled_columns(self) -> Iterator[SampledColumns]:
        """Yield rows of each table, with the quasi-identifiers of the rows that they belong to."""
        if self.original is None:
            return
        policy = self.original.rows.policy
        for name in policy.order:
            columns, known = [], []
            for at, above in self.original.rows.way_up(name):
                table, frame = policy.tables[at], self.original.tables[at]
                place = pl.Series(above[:: max(1, -(-len(above) // SAMPLED))])
                for column in frame.columns:
                    attribute = table.attributes.get(column)
                    if column in table.linking or not is_countable(frame[column].dtype):
                        continue
                    title = column if at == policy.person else f"{at}.{column}"
                    is_known = isinstance(attribute, QuasiIdentifier)
                    open_ = isinstance(attribute, Insensitive | Sensitive) and not attribute.action
                    if is_known or (at == name and open_):
                        columns.append(frame[column].gather(place).alias(title))
                    if is_known:
                        known.append(title)
            others = [one.name for one in columns if one.name not in known]
            if known and others:
                yield SampledColumns(pl.DataFrame(columns), known, others)

    def copied_columns(self) -> list[tuple[str, str]]:
        """Return columns that repeat a hidden column of another table, with it."""
        if self.original is None:
            return []
        return hidden_copies(self.original.tables, self.original.rows, self.tables)

    def interval_persons(self) -> tuple[tuple[str, ...], int, int] | None:
        """Return the shifted dates whose intervals are known, with how many of all are found."""
        dates = {
            (name, column): days
            for name, column in self._shifted
            if column not in self.rows.policy.tables[name].quasi_identifiers
            and (days := milliseconds(self.tables[name][column])) is not None
        }
        if not self._shifted:
            return None
        since = times_since_first(dates, self.rows).items()
        few = self._in_small_classes([(name, one) for (name, _), one in since], max(self.k, 2))
        names = tuple(f"{name}.{column}" for name, column in dates)
        return (names, few, self.rows.n_persons) if few else None

    def unshifted_dates(self) -> tuple[str, ...]:
        """Return the dates of persons that do not shift with their other dates."""
        return tuple(
            f"{name}.{column}"
            for name, column in self.released.places.values()
            if self._shifted
            and name in self.rows.sizes
            and (name, column) not in self._shifted
            and milliseconds(self.tables[name][column]) is not None
        )

    @cached_property
    def _shifted(self) -> list[Column]:
        found = shifted_columns(self.rows.policy)
        return [(name, column) for name, column in found if column in self.tables[name].columns]


@dataclass(frozen=True, kw_only=True, repr=False)
class LinkedVerification(Verification):
    """What verification found in several tables: `rows` and classes are of persons.

    Attributes
    ----------
    measured
        Other meanings of k, for intruders who know less.
    table_rows
        Rows by table.
    notes
        What the counts of persons do not cover: a sentence each.

    """

    _counted: ClassVar[str] = "persons"

    measured: LinkedMeasurement
    table_rows: Mapping[str, int]
    notes: tuple[Message, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            **super().to_dict(),
            "k": self.k,
            "tables": dict(self.table_rows),
            "measured": self.measured.to_dict(),
            "notes": list(self.notes),
        }

    def tables(self) -> list[ResultTable]:
        """Return the verdict, other meanings of k, and the notes."""
        models, verdict = super().tables()
        notes = tuple(f"note: {note}" for note in self.notes)
        return [models, replace(verdict, notes=notes), *self.measured.tables()]


def verify(
    tables: Mapping[str, Any], policy: LinkedPolicySource, *, original: Any = None
) -> LinkedVerification:
    """Check released tables against their policy: references resolve, and persons are alike.

    Parameters
    ----------
    tables
        The released pandas, polars or pyarrow tables by name.
    policy
        What is required: a `LinkedPolicy`, or the path of one.
    original
        The tables before anonymization by name, or the table of persons alone: t-closeness and
        the like compare with it, and columns that tell others show beside all of them.

    Raises
    ------
    SchemaError
        A table or a column is missing, or an identifier is still there.
    DataError
        Keys repeat, or references lead nowhere.

    """
    asked = banded_policy(read_or_given(policy, LinkedPolicy))
    named = original if isinstance(original, Mapping) else {asked.person: original}
    before = {} if original is None else polars_tables(named, asked)
    person_table = before.get(asked.person)
    whole = before if {*asked.tables} <= {*before} else None
    view = view_of_tables(polars_tables(tables, asked), asked, whole, person_table)
    return measured_persons(view, verify_release(view))


def view_of_tables(
    tables: Tables, given: LinkedPolicy, before: Tables | None, person_table: pl.DataFrame | None
) -> LinkedView:
    """Return released tables as verification sees them; given: the policy, without bands."""
    rows = LinkedRows.read(tables, given)
    policy = rows.policy
    _check_released(tables, policy)
    places = {
        column if name == policy.person else f"{name}.{column}": (name, column)
        for name, table in policy.tables.items()
        for column in table.attributes
        if column in tables[name].columns and column not in table.linking
    }
    attributes = {
        place: policy.tables[name].attributes[column] for place, (name, column) in places.items()
    }
    original = None
    if before is not None:
        original = LinkedColumns(before, LinkedRows.read(before, given), places)
    required = Policy.model_construct(  # of persons; attributes of other tables by `table.column`
        attributes={
            place: attributes[place]
            for place, (name, column) in places.items()
            if column in given.tables[name].attributes
        },
        models=policy.models,
        others=policy.others,
        rows="persons",
        sensitive=policy.sensitive,
        minimality="none",
    )
    return LinkedView(
        policy=required,
        schema=Schema(attributes),
        released=LinkedColumns(tables, rows, places),
        labels=known_names(tables, policy, policy.person),
        original=original,
        person_table=person_table,
        hides_refusals=required.hides_refusals,
    )


def measured_persons(
    view: LinkedView, found: Verification, notes: Sequence[Message] = ()
) -> LinkedVerification:
    """Return a verdict on persons with other meanings of k, and with what it does not cover."""
    return LinkedVerification(
        **vars(found),
        measured=count_persons(view.rows, view.own),
        table_rows={name: view.tables[name].height for name in view.rows.policy.tables},
        notes=(*_notes(view.tables, view.rows, view.own), *notes),
    )


def _check_released(tables: Tables, policy: LinkedPolicy) -> None:
    """Refuse identifiers that are still there, and columns that are missing and counted."""
    protected = {model.attribute for model in policy.models}
    for name, table in policy.tables.items():
        columns = tables[name].columns
        prefix = "" if name == policy.person else f"{name}."
        for column in table.attributes:
            if column in columns and column not in table.linking and is_plain(table, column):
                raise SchemaError(
                    f"{name} still has the identifier {column}: it is not a release. Drop it; to "
                    "measure tables before anonymization, use measure"
                )
            if column in table.quasi_identifiers and column not in columns:
                raise SchemaError(f"{name} has no column {column!r}, which is a quasi-identifier")
            if f"{prefix}{column}" in protected and column not in columns:
                raise SchemaError(f"{name} has no column {column!r}, which a model is about")


def _notes(tables: Tables, rows: LinkedRows, own: Mapping[str, Codes]) -> Iterator[Message]:
    """Yield what counts of persons do not cover."""
    policy = rows.policy
    unknown = [name for name in policy.order[1:] if not policy.tables[name].known]
    if unknown:
        yield Message(
            "{tables}: the policy says that nobody knows how many rows a person has there; "
            "whoever does finds {alone:,} persons alone in their class",
            tables=", ".join(unknown),
            alone=int((rows.knowing(unknown).class_sizes(own) == 1).sum()),
        )
    for name in policy.order:
        for reference in policy.tables[name].other_references:
            if reference.table in policy.order:
                yield Message(
                    "{reference} links rows of persons to rows of {table}: who is linked to whom "
                    "is not counted, and can identify",
                    reference=f"{name}.{reference.text}",
                    table=reference.table,
                )
    if policy.counting == "set":
        yield Message(
            "repeated rows are counted once: whoever knows how often a person's rows occur may "
            "find persons alone in their class"
        )
    for name in policy.order:
        for column in quiet_numbers(tables, policy, name):
            if tables[name][column].n_unique() < tables[name].height:
                yield Message(
                    "{column} numbers rows and does not count: kanonym draws the numbers in random "
                    "order; if others numbered the rows, the order can identify",
                    column=f"{name}.{column}",
                )
        for column in repeating_parts(tables, policy, name, (Insensitive,)):
            keys = combine([own[name], codes_of(tables[name][column])], len(own[name]))
            yield Message(
                "{column} is in a key, repeats, and is insensitive, so that it does not count: "
                "whoever knows its values finds {alone:,} persons alone in their class",
                column=f"{name}.{column}",
                alone=int((rows.class_sizes({**own, name: keys}) == 1).sum()),
            )
