"""Whether released tables satisfy their policy together, from their values alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import polars as pl

from kanonym.data.errors import SchemaError
from kanonym.data.message import Message
from kanonym.data.results.result import Result, ResultTable
from kanonym.linked.given_tables import polars_tables
from kanonym.linked.linked_keys import insensitive_parts, quiet_numbers
from kanonym.linked.linked_policy import (
    LinkedPolicy,
    LinkedPolicySource,
    Tables,
    banded_policy,
    is_plain,
)
from kanonym.linked.linked_view import LinkedView
from kanonym.linked.person_counts import LinkedMeasurement, count_persons
from kanonym.linked.person_rows import Codes, LinkedRows, codes_of, combine
from kanonym.policy.document import read_or_given
from kanonym.verification import Verification, verify_release


@dataclass(frozen=True, slots=True, repr=False)
class LinkedVerification(Result):
    """What verification found in several tables.

    Attributes
    ----------
    persons
        The verdict on persons with all their rows; `rows` are persons there.
    measured
        Other meanings of k, for intruders who know less.
    rows
        Rows by table.
    notes
        What the counts of persons do not cover: a sentence each.

    """

    _shown: ClassVar[tuple[str, ...]] = ("persons.rows", "persons.k", "persons.verdict")

    persons: Verification
    measured: LinkedMeasurement
    rows: Mapping[str, int]
    notes: tuple[Message, ...]

    @property
    def satisfied(self) -> bool | None:
        """Whether every model is satisfied."""
        return self.persons.satisfied

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            **self.persons.to_dict(),
            "k": self.persons.k,
            "tables": dict(self.rows),
            "measured": self.measured.to_dict(),
            "notes": list(self.notes),
        }

    def tables(self) -> list[ResultTable]:
        """Return the verdict, other meanings of k, and the notes."""
        parts, models = self.persons.tables()
        lead = parts.lead.replace("records", "persons")
        notes = (*models.notes, *(f"note: {one}" for one in self.notes))
        return [
            replace(parts, lead=lead),
            replace(models, notes=notes),
            *self.measured.tables(),
        ]


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
    tables: Tables,
    policy: LinkedPolicy,
    before: Tables | None,
    person_table: pl.DataFrame | None,
) -> LinkedView:
    """Return released tables as verification sees them; policy: of the release, without bands."""
    rows = LinkedRows.read(tables, policy)
    _check_released(tables, rows.policy)
    return LinkedView.of(tables, rows, policy, before, person_table)


def measured_persons(view: LinkedView, found: Verification) -> LinkedVerification:
    """Return a verdict on persons with other meanings of k, and with what it does not cover."""
    return LinkedVerification(
        found,
        count_persons(view.rows, view.own),
        {name: view.tables[name].height for name in view.rows.policy.tables},
        tuple(_notes(view.tables, view.rows, view.own)),
    )


def _check_released(tables: Tables, policy: LinkedPolicy) -> None:
    """Refuse identifiers that are still there, and columns that are missing and counted."""
    protected = {one.attribute for one in policy.models}
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
        for one in policy.tables[name].other_references:
            if one.table in policy.order:
                yield Message(
                    "{reference} links rows of persons to rows of {table}: who is linked to whom "
                    "is not counted, and can identify",
                    reference=f"{name}.{one.text}",
                    table=one.table,
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
        for column in insensitive_parts(tables, policy, name):
            keys = combine([own[name], codes_of(tables[name][column])], len(own[name]))
            yield Message(
                "{column} is in a key, repeats, and is insensitive, so that it does not count: "
                "whoever knows its values finds {alone:,} persons alone in their class",
                column=f"{name}.{column}",
                alone=int((rows.class_sizes({**own, name: keys}) == 1).sum()),
            )
