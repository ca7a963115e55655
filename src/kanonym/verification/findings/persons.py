"""Records that may be several of one person, and persons who are in several releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from kanonym.data.errors import DataError
from kanonym.data.schema import Identifier, QuasiIdentifier, Role
from kanonym.profiling.persons import ProposedPersons, proposed_persons
from kanonym.profiling.repeated_persons import repeated_persons as search_repeated_persons
from kanonym.profiling.words import name_hints
from kanonym.verification.verdict import Evidence, column_names_text, finding_kind

if TYPE_CHECKING:
    from kanonym.verification.release_view import ReleaseView


@finding_kind("repeated-identifier", "persons")
def repeated_identifier(view: ReleaseView) -> Iterator[Evidence]:
    """Find identifiers, and columns that look like one, with fewer values than records.

    Nothing is found where the policy states who the persons are. Without the original, recoded
    values repeat by design, so quasi-identifiers are left out.
    """
    table = view.released if view.original is None else view.original
    for name, attribute in view.schema.attributes.items() if view.persons is None else ():
        hidden = view.original is None and (
            isinstance(attribute, QuasiIdentifier) or name not in view.released.columns
        )
        declared = isinstance(attribute, Identifier)
        sounds_so = any(hint.role is Role.IDENTIFIER for hint in name_hints(name))
        if hidden or not (declared or sounds_so):
            continue
        try:
            values = table.values(name)
        except DataError:
            continue
        repeats = values.repeats
        if 1 < repeats.values < repeats.records and (declared or _looks_identifying(values.sample)):
            entity = f"set entity: {name} in k-anonymity"
            message = (
                f"{name} has {repeats.values:,} values in {repeats.records:,} records. If these "
                "are several records of one person, k counts records, not people: "
                f"{entity if declared else f'make it an identifier and {entity}'}. If each record "
                "is a person, set rows: persons in the policy"
            )
            yield [name], message, {"values": repeats.values, "records": repeats.records}


def _looks_identifying(column: pl.Series) -> bool:
    from kanonym.profiling.identifiers import find_identifiers  # noqa: PLC0415 - half a second

    return bool(find_identifiers(column))


@finding_kind("person-column", "persons", needs_original=True)
def person_column(view: ReleaseView) -> Iterator[Evidence]:
    """Find columns whose values repeat, and determine others as a person does: the best proposal.

    Looked for in the structure of the original, whatever the columns are called, and although the
    policy states that rows are persons; not where it names an entity. Identifiers have findings of
    their own.
    """
    attributes = view.schema.attributes
    for proposed in _proposals(view)[:1] if not view.policy.entities else ():
        if not view.persons and any(
            isinstance(attributes[name], Identifier) for name in proposed.columns
        ):
            continue
        columns = " and ".join(proposed.columns)
        message = (
            f"{columns}: {proposed.values:,} values in {proposed.records:,} records, each with one "
            f"value of {column_names_text(proposed.constant)}: these look like several records of "
            "one person each. k counts "
            f"records, not people: make {columns} an identifier, and set entity in k-anonymity"
        )
        yield proposed.columns, message, {"values": proposed.values, "records": proposed.records}


@finding_kind("repeated-persons", "persons", needs_original=True)
def repeated_persons(view: ReleaseView) -> Iterator[Evidence]:
    """Find records that agree as those of one person do, although no column numbers the persons."""
    if view.policy.entities or view.original is None or _proposals(view):
        return
    if repeated := search_repeated_persons(view.records):
        message = (
            f"{column_names_text(repeated.columns)}: {repeated.values:,} combinations in "
            f"{repeated.records:,} records, of which {repeated.alone:,} are alone, agree as "
            "several records of one person do, and k counts records, not people: anonymize a "
            "table with a column that tells the persons apart, and set entity in k-anonymity"
        )
        counts = {"values": repeated.values, "records": repeated.records, "alone": repeated.alone}
        yield repeated.columns, message, counts


def _proposals(view: ReleaseView) -> list[ProposedPersons]:
    """Return who the persons may be; groups of persons count where nobody states that rows are."""
    if view.original is None:
        return []
    stated = view.persons is not None
    return [
        person for person in proposed_persons(view.records) if not (stated and person.likely_groups)
    ]


@finding_kind("batches-together", "persons")
def batches_together(view: ReleaseView) -> Iterator[Evidence]:
    """Find sensitive attributes of which several batches of a series leave too few values open."""
    for name, (known, least) in view.given_away.items():
        message = (
            f"{name}: all batches together leave {least:,} of the values open of a person "
            f"who is in several, and one value, which is then known, of {known:,} persons. "
            "Suppress their records by least_values (--least-values), or release the batches "
            "as one table"
        )
        yield [name], message, {"known": known, "least": least}
