"""Who is who in a table: the identifier of persons, or rows that are persons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kanonym.data.message import Message
from kanonym.data.schema import Role
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
    """What a policy should say of rows and persons, and why.

    Attributes
    ----------
    name
        The identifier by which k-anonymity counts persons; None to count rows.
    rows_are_persons
        Whether the policy may say so. Neither where it is open.
    values
        Number of its distinct values; 0 without one.
    reason
        One sentence for the policy; empty where no column is an identifier.

    """

    name: str | None = None
    values: int = 0
    rows_are_persons: bool = False
    reason: str = ""


def entity_of(columns: Sequence[ColumnProfile]) -> Entity:
    """Return who is who in a table.

    A number of persons that repeats is the entity; one that differs in each row makes each
    row a person; then any other number that repeats is the entity. Of several the one with the
    fewest values is taken: where it numbers more than persons, k only asks for more.
    """
    named = [one for one in columns if one.role is Role.IDENTIFIER and not one.content.trouble]
    several = [one for one in named if _repeats(one)]
    numbers = [one for one in named if not one.kinds or set(one.kinds) & set(NUMBERS)]
    personal = [one for one in numbers if _is_personal(one)]
    unique = [one for one in personal if _is_unique(one)]
    repeated = [one for one in personal if _repeats(one)]
    if not repeated and unique:
        reason = Message(
            "no value of {column} repeats: each row is treated as a person", column=unique[0].name
        )
        return Entity(rows_are_persons=True, reason=reason)
    repeated = repeated or [one for one in numbers if _repeats(one)]
    if repeated:
        chosen = min(repeated, key=lambda one: one.content.counted.distinct)
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


def _is_personal(one: ColumnProfile) -> bool:
    return bool(set(one.kinds) & set(OF_ONE_PERSON) or PERSON_WORDS & set(name_words(one.name)))


def _is_unique(one: ColumnProfile) -> bool:
    return one.content.counted.distinct == one.content.counted.records and not one.content.nulls


def _repeats(one: ColumnProfile) -> bool:
    content = one.content
    return (
        1 < content.counted.distinct - (content.nulls > 0) < content.counted.records - content.nulls
    )
