"""Whether released tables satisfy their policy together, from their values alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data.errors import SchemaError
from kanonym.data.message import Message
from kanonym.data.results.result import Result, ResultTable
from kanonym.data.schema import Identifier
from kanonym.data.table import value_codes
from kanonym.engines.frequency_set import values_of
from kanonym.linked.given_tables import polars_tables
from kanonym.linked.keys.integrity import Tables, check_columns, check_keys
from kanonym.linked.keys.key_parts import insensitive_parts, quiet_numbers
from kanonym.linked.persons.dates import date_warnings
from kanonym.linked.persons.linked_rows import LinkedRows, known_codes, known_names
from kanonym.linked.persons.person_counts import LinkedMeasurement, count_persons
from kanonym.linked.persons.person_models import SLACK, PersonModels
from kanonym.linked.persons.person_trees import combine
from kanonym.linked.persons.row_limits import banded_policy
from kanonym.linked.policies.column_roles import with_column_roles
from kanonym.linked.policies.linked_policy import LinkedPolicy, LinkedPolicySource
from kanonym.linked.policies.released_policy import released_policy
from kanonym.models.base import PrivacyModel
from kanonym.pipeline.person_checks import owner_and_text_warnings
from kanonym.policy.document import read_or_given
from kanonym.verification import (
    ColumnValues,
    ModelCheck,
    Verification,
    VerificationWarning,
    unprotected_warnings,
    verify_columns,
)
from kanonym.verification.dominant_values import NEARLY_ALL

TREE = "rows in other tables"
"""Stands for a person's rows in other tables, as one more attribute of the person."""


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
        found = self.persons.to_dict()
        for one in found["violating"]:
            one["class"].pop(TREE, None)
        return {
            **found,
            "k": self.persons.k,
            "tables": dict(self.rows),
            "measured": self.measured.to_dict(),
            "notes": list(self.notes),
        }

    def tables(self) -> list[ResultTable]:
        """Return the verdict, other meanings of k, and the notes."""
        verdict, *others = self.persons.tables()
        notes = (*verdict.notes, *(f"note: {one}" for one in self.notes))
        lead = verdict.lead.replace("records", "persons")
        return [replace(verdict, notes=notes, lead=lead), *others, *self.measured.tables()]


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
        The table of persons before anonymization, which t-closeness and the like compare with.

    Raises
    ------
    SchemaError
        A table or a column is missing, or an identifier is still there.
    DataError
        Keys repeat, or references lead nowhere.

    """
    asked = banded_policy(read_or_given(policy, LinkedPolicy))
    if original is not None:
        original = polars_tables({asked.person: original}, asked)[asked.person]
    return verify_tables(polars_tables(tables, asked), asked, original)


def verify_tables(
    tables: Tables, policy: LinkedPolicy, original: pl.DataFrame | None
) -> LinkedVerification:
    """Return what `verify` does of polars tables; policy: of the release, without bands."""
    policy = released_policy(policy, tables)
    check_columns(tables, policy)
    check_keys(tables, policy)
    policy = with_column_roles(policy, tables)
    _check_released(tables, policy)
    rows = LinkedRows.of(tables, policy)
    own = known_codes(tables, policy)
    tree = pl.Series(TREE, rows.trees(own, counting=policy.counting))
    person = tables[policy.person]
    known = [person[name] for name in known_names(tables, policy, policy.person)]
    models = PersonModels.of(tables, rows, policy, original)
    found = verify_columns([*known, tree], models.sensitive, models.own, person.height)
    classes = combine([own[policy.person], tree.to_numpy()], person.height)
    found = _with_other_tables(found, models, classes, policy)
    warned = [
        *_value_warnings(tables, rows, policy),
        *date_warnings(tables, rows, policy, own),
    ]
    found = found.with_warnings(*warned)
    return LinkedVerification(
        found,
        count_persons(rows, own),
        {name: tables[name].height for name in policy.tables},
        (*notes(policy, rows, own), *_key_notes(tables, policy, rows, own)),
    )


def _check_released(tables: Tables, policy: LinkedPolicy) -> None:
    """Refuse identifiers that are still there, and quasi-identifiers that are missing."""
    for name, table in policy.tables.items():
        columns = tables[name].columns
        for column, attribute in table.attributes.items():
            plain = isinstance(attribute, Identifier) and not attribute.action
            if plain and column in columns and column not in table.linking:
                raise SchemaError(
                    f"{name} still has the identifier {column}: it is not a release. Drop it; to "
                    "measure tables before anonymization, use measure"
                )
            if column in table.quasi_identifiers and column not in columns:
                raise SchemaError(f"{name} has no column {column!r}, which is a quasi-identifier")


def _with_other_tables(
    found: Verification, models: PersonModels, classes: np.ndarray[Any, Any], policy: LinkedPolicy
) -> Verification:
    """Add models and warnings about sensitive attributes of other tables."""
    sizes = np.bincount(classes) if len(classes) else np.zeros(0, np.int64)
    failing = models.failing(classes) if len(classes) else np.zeros(0, np.bool_)
    checks = {id(one): check for one, check in zip(models.own, found.checks, strict=True)}
    for model in models.elsewhere:
        failed = models.failing_elsewhere(model, classes, sizes)
        checks[id(model)] = _check(model, models, classes, satisfied=not failed.any())
    named = {one.attribute for one in policy.models}
    warned = list(unprotected_warnings([one for one in models.held if one not in named], ()))
    for name, held in models.held.items():
        warned += _dominant(name, held.largest_shares(classes), sizes)
    return replace(
        found,
        checks=tuple(checks[id(one)] for one in policy.models),
        n_violating=int(failing.sum()),
    ).with_warnings(*warned)


def _value_warnings(
    tables: Tables, rows: LinkedRows, policy: LinkedPolicy
) -> list[VerificationWarning]:
    """Return warnings of free text, and of values that single out persons, in any table."""
    places = {
        column if name == policy.person else f"{name}.{column}": (name, column)
        for name, table in policy.tables.items()
        for column in table.attributes
        if column in tables[name].columns and column not in table.linking
    }

    def values(place: str) -> ColumnValues:
        name, column = places[place]
        whose = pl.Series(rows.persons[name]) if name in rows.persons else None
        own = values_of(tables[name].get_column, column, persons=whose)
        return own._replace(sample=own.sample.alias(place))

    attributes = {
        place: policy.tables[name].attributes[column] for place, (name, column) in places.items()
    }
    return owner_and_text_warnings(attributes, values)


def _check(
    model: PrivacyModel, models: PersonModels, classes: np.ndarray[Any, Any], *, satisfied: bool
) -> ModelCheck:
    shares = models.held[str(model.attribute)].largest_shares(classes)
    achieved = float(shares.max(initial=0.0))
    within = achieved <= float(model.required) + SLACK
    return ModelCheck(
        model.type,
        model.attribute,
        model.required,
        achieved if satisfied or not within else float("inf"),
        satisfied,
    )


def _dominant(
    name: str, shares: np.ndarray[Any, Any], sizes: np.ndarray[Any, Any]
) -> list[VerificationWarning]:
    """Return a warning where nearly all persons of a class have one value."""
    hollow = shares >= NEARLY_ALL
    if not hollow.any():
        return []
    counts = {"classes": int(hollow.sum()), "records": int(sizes[hollow].sum())}
    return [
        VerificationWarning(
            "dominant-value",
            (name,),
            f"{name}: in {counts['classes']:,} of {len(shares):,} classes "
            f"({counts['records']:,} persons) at least {NEARLY_ALL:.0%} of the persons have one "
            "value: it is practically known of everybody there. Require alpha-k-anonymity of it",
            {"share": float(shares.max()), **counts},
        )
    ]


def notes(policy: LinkedPolicy, rows: LinkedRows, own: Mapping[str, Any]) -> tuple[Message, ...]:
    """Return what counts of persons do not cover."""
    found: list[Message] = []
    unknown = [name for name in policy.order[1:] if not policy.is_counted(name)]
    if unknown:
        known = replace(
            policy, tables={name: replace(one, known=True) for name, one in policy.tables.items()}
        )
        counted = replace(rows, policy=known)
        classes = combine([own[policy.person], counted.trees(own)], rows.n_persons)
        alone = int((np.bincount(classes)[classes] == 1).sum()) if len(classes) else 0
        found.append(
            Message(
                "{tables}: the policy says that nobody knows how many rows a person has there; "
                "whoever does finds {alone:,} persons alone in their class",
                tables=", ".join(unknown),
                alone=alone,
            )
        )
    found += [
        Message(
            "{reference} links rows of persons to rows of {table}: who is linked to whom is not "
            "counted, and can identify",
            reference=f"{name}.{one.text}",
            table=one.table,
        )
        for name in policy.order
        for one in policy.other_references(name)
        if one.table in policy.order
    ]
    if policy.counting == "set":
        found.append(
            Message(
                "repeated rows are counted once: whoever knows how often a person's rows occur "
                "may find persons alone in their class"
            )
        )
    return tuple(found)


def _key_notes(
    tables: Tables, policy: LinkedPolicy, rows: LinkedRows, own: Mapping[str, Any]
) -> list[Message]:
    """Return what columns of composite keys tell that is not counted."""
    found = []
    for name in policy.order:
        found += [
            Message(
                "{column} numbers rows and does not count: kanonym draws the numbers in random "
                "order; if others numbered the rows, the order can identify",
                column=f"{name}.{column}",
            )
            for column in quiet_numbers(tables, policy, name)
            if tables[name][column].n_unique() < tables[name].height
        ]
        for column in insensitive_parts(tables, policy, name):
            values = tables[name][column]
            keys = combine([own[name], value_codes(values)[0].astype(np.int64)], len(values))
            known = {**own, name: keys}
            classes = combine([known[policy.person], rows.trees(known)], rows.n_persons)
            found.append(
                Message(
                    "{column} is in a key, repeats, and is insensitive, so that it does not count: "
                    "whoever knows its values finds {alone:,} persons alone in their class",
                    column=f"{name}.{column}",
                    alone=int((np.bincount(classes)[classes] == 1).sum()),
                )
            )
    return found


__all__ = ["LinkedVerification", "notes", "verify"]
