"""Who is who in a table: the identifier of persons, or rows that are persons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kanonym.data.message import Message
from kanonym.data.schema import Role
from kanonym.profiling.persons import ProposedPersons
from kanonym.profiling.repeated_persons import RepeatedPersons
from kanonym.profiling.words import name_words

if TYPE_CHECKING:
    from kanonym.profiling.profile import ColumnProfile

OF_ONE_PERSON = ("national number", "social security number", "passport number")
NUMBERS = (*OF_ONE_PERSON, "insurance number", "medical record number", "record number", "UUID")
"""Kinds that tell persons apart. Names, addresses and phones may be shared by several."""

_PERSONS = """
patient patients person persons client clients customer customers student students pupil
employee employees member members subject subjects participant participants respondent citizen
resident user staff kunde kunden schueler mitarbeiter paciente persona cliente empleado alumno
personne paziente persoon klant
"""
PERSON_WORDS = frozenset(_PERSONS.split())
"""Words of names such as `patient_id`, which number persons and not visits or households."""


class Entity(NamedTuple):
    """What a policy should say of rows and persons, and why."""

    name: str | None = None
    values: int = 0
    rows_are_persons: bool = False
    reason: str = ""


def entity_of(
    columns: Sequence[ColumnProfile],
    proposed: Sequence[ProposedPersons] = (),
    repeated: RepeatedPersons | None = None,
) -> Entity:
    """Return who is who in a table.

    Where a number of persons by its name, such as a national number, differs in each row, each row
    is a person. Else a column that repeats and determines others as persons do is the entity,
    whatever its name. Then a number of persons by its name that repeats; of several the one with
    the fewest values: where it numbers more than persons, k only asks for more. Where a number of
    records differs in each row, and nothing shows several rows of a person, each row is a person.
    """
    named = [
        column
        for column in columns
        if column.role is Role.IDENTIFIER and not column.content.trouble
    ]
    numbers = [one for one in named if not one.kinds or set(one.kinds) & set(NUMBERS)]
    numbers = [number for number in numbers if number.content.type != "real number"]
    personal = [number for number in numbers if _is_personal(number)]
    if not any(map(_is_unique, personal)):
        if proposed:
            return _proposed_entity(proposed[0], named)
        if repeated is not None:
            return Entity(reason=repeated.reason)
    several = [one for one in named if _repeats(one)]
    numbered = [one for one in personal if _repeats(one)]
    unique = next(filter(_is_unique, [*personal, *numbers]), None)
    if not numbered and unique is not None:
        reason = Message(
            "no value of {column} repeats: each row is treated as a person", column=unique.name
        )
        return Entity(rows_are_persons=True, reason=reason)
    numbered = numbered or [number for number in numbers if _repeats(number)]
    if numbered:
        chosen = min(numbered, key=lambda one: one.content.counted.distinct)
        counted = chosen.content.counted
        values = counted.distinct - (chosen.content.nulls > 0)
        reason = Message(
            "{column} has {values:,} values in {records:,} records: if it identifies persons, it "
            "is the entity of k-anonymity, which then counts persons; if each row is a person, set "
            "rows: persons instead",
            column=chosen.name,
            values=values,
            records=counted.records,
        )
        return Entity(chosen.name, values, reason=reason)
    if several:
        reason = Message(
            "{column} repeats, and it is unknown whether by chance or because one person has "
            "several rows: set rows: persons, or entity in k-anonymity",
            column=several[0].name,
        )
        return Entity(reason=reason)
    if named:
        return Entity(
            rows_are_persons=True,
            reason=Message("no identifier repeats: each row is treated as a person"),
        )
    return Entity()


def _proposed_entity(first: ProposedPersons, named: Sequence[ColumnProfile]) -> Entity:
    """Return what the structure says; one identifier that seems to number persons is the entity."""
    name, *more = first.columns
    if more or first.likely_groups or name not in {one.name for one in named}:
        return Entity(reason=first.reason)
    return Entity(name, first.values, reason=first.reason)


def _is_personal(one: ColumnProfile) -> bool:
    return bool(set(one.kinds) & set(OF_ONE_PERSON) or PERSON_WORDS & set(name_words(one.name)))


def _is_unique(one: ColumnProfile) -> bool:
    return one.content.counted.distinct == one.content.counted.records and not one.content.nulls


def _repeats(one: ColumnProfile) -> bool:
    content = one.content
    return (
        1 < content.counted.distinct - (content.nulls > 0) < content.counted.records - content.nulls
    )
