"""The role of a column, the reasons for it, and what the columns beside it tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.schema import Role
from kanonym.profiling.columns import Content
from kanonym.profiling.groupings import CodedColumn
from kanonym.profiling.identifiers import Finding
from kanonym.profiling.persons import ProposedPersons
from kanonym.profiling.reasons import Reason
from kanonym.profiling.repeated_persons import RepeatedPersons
from kanonym.profiling.words import PERIOD, Hint, is_like_known, name_words

MOST_SENSITIVE = 0.5
"""A sensitive attribute of texts has at most so many values for each record."""
OWN_TEXT = 0.95
"""Texts that differ in so many records name them, in a table of"""
OWN_TEXT_RECORDS = 50
"""at least so many records."""

EVENTS = {"diagnosis", "operation"}
FEW_CODES = 20
"""More numbers of these are no codes: they tell when it was."""
NUMBERED = {"id", "ids", "key"}
"""Words of names that number something: `test_id` is no result."""

Reasons = tuple[Reason, ...]


def role_of(
    content: Content,
    findings: Sequence[Finding],
    hinted: Collection[Hint],
    *,
    named: bool = False,
    beside: Reason | None = None,
) -> tuple[Role, Reasons]:
    """Return the role of a column and why.

    In doubt a column is a quasi-identifier: wrongly so, it costs information; wrongly not,
    it costs somebody's privacy. Insensitive is only what is the same in every record. `beside`
    is what the other columns say of one whose name says nothing.
    """
    if named:
        return Role.QUASI_IDENTIFIER, (Reason("given"), *_separation_reasons(content))
    if content.trouble:
        return Role.IDENTIFIER, (Reason("trouble", detail=content.trouble),)
    reasons = _identifier_reasons(content, findings, hinted)
    if reasons:
        return Role.IDENTIFIER, reasons
    hinted = [hint for hint in hinted if hint.sure]
    sensitive = {hint.what for hint in hinted if hint.role is Role.SENSITIVE}
    if NUMBERED & set(name_words(content.name)):
        sensitive, beside = set(), None
    if content.constant:
        return _constant(sensitive)
    if sensitive:
        known = {hint.what for hint in hinted if hint.role is Role.QUASI_IDENTIFIER}
        return _sensitive(content, sensitive, known)
    if beside is not None and not _tells_dates(content):
        return Role.SENSITIVE, (beside, *_value_reasons(content))
    return Role.QUASI_IDENTIFIER, _quasi_identifying(content, hinted)


def _identifier_reasons(
    content: Content, findings: Sequence[Finding], hinted: Collection[Hint]
) -> Reasons:
    """Return why a column names persons; empty where nothing says so."""
    counted, reasons = (
        content.counted,
        [reason for finding in findings for reason in finding.reasons],
    )
    if "running" in content.traits and not _is_attribute(hinted):
        each = "records" if counted.distinct == counted.records else "groups"
        reasons.append(Reason(f"counts-{each}"))
    own = counted.distinct - (content.nulls > 0)
    if (
        not reasons
        and content.type in ("text", "categories")
        and not content.traits & {"dates as text", "dates as other text", "numbers as text"}
        and counted.records >= OWN_TEXT_RECORDS
        and own >= OWN_TEXT * counted.records
        and not _is_known(hinted)
    ):
        reasons.append(Reason("own-text", {"own": own, "records": counted.records}))
    if reasons and 1 < counted.distinct < counted.records - content.nulls:
        counts = {"values": counted.distinct, "records": counted.records}
        reasons.append(Reason("entity", counts))
    return tuple(reasons)


def _is_known(hinted: Collection[Hint]) -> bool:
    """Whether a name says for sure that others know its values, as those of a postal code."""
    return any(hint.sure and hint.role is Role.QUASI_IDENTIFIER for hint in hinted)


def _is_attribute(hinted: Collection[Hint]) -> bool:
    """Whether a name says that ascending numbers are ages or the like, and number nothing."""
    if any(hint.role is Role.IDENTIFIER for hint in hinted):
        return False
    return any(hint.sure and hint.what != "household" for hint in hinted)


def _constant(sensitive: Collection[str]) -> tuple[Role, Reasons]:
    if not sensitive:
        return Role.INSENSITIVE, (Reason("constant"),)
    return Role.SENSITIVE, (_name_reason(sensitive), Reason("constant-sensitive"))


def _sensitive(content: Content, sensitive: set[str], known: set[str]) -> tuple[Role, Reasons]:
    """Return the role of a column whose name says that it is sensitive."""
    counted, why = content.counted, _name_reason(sensitive)
    but = None
    # A blood pressure at discharge: the name says when it was taken.
    dated = known == {"date"} and sensitive == {"test result"} and not _tells_dates(content)
    if known and not dated:
        but = (
            Reason("seen") if known == sensitive else Reason("seen-as", terms=tuple(sorted(known)))
        )
    elif _tells_dates(content) or (
        sensitive <= EVENTS and content.is_number and counted.distinct > FEW_CODES
    ):
        but = Reason("seen-as", terms=("date",))
    elif not content.is_number and counted.distinct > MOST_SENSITIVE * counted.records:
        but = Reason("many-values", {"values": counted.distinct, "records": counted.records})
    if but is not None:
        return Role.QUASI_IDENTIFIER, (why, but, *_separation_reasons(content))
    return Role.SENSITIVE, (why, *_value_reasons(content))


def _tells_dates(content: Content) -> bool:
    """Whether values are days or moments, which others know whatever happened on them."""
    return content.type in ("date", "date and time") or bool(
        content.traits & {"dates as text", "dates as other text"}
    )


def _value_reasons(content: Content) -> Reasons:
    """Return what the values of a sensitive column say of whoever has them."""
    counts = {"values": content.counted.distinct}
    share = content.largest / max(content.counted.records, 1)
    reasons = (Reason("most-frequent", counts, {"share": share}),)
    if content.rounding is None:
        return reasons
    return (*reasons, Reason("amount", {"records": content.counted.uniques}))


def _quasi_identifying(content: Content, hinted: Collection[Hint]) -> Reasons:
    """Return what makes a column a quasi-identifier that is nothing else."""
    known = {hint.what for hint in hinted if hint.role is Role.QUASI_IDENTIFIER}
    weights = any(hint.role is Role.INSENSITIVE for hint in hinted)
    reasons = [Reason("name", terms=tuple(sorted(known)))] if known else []
    if weights and "positive" in content.traits:
        reasons.append(Reason("weight"))
    elif not known:
        reasons.append(Reason("unknown"))
    return (*reasons, *_separation_reasons(content))


def _separation_reasons(content: Content) -> Reasons:
    """Return how far a column tells records apart."""
    counted = content.counted
    if not counted.records or not counted.distinct:
        return ()
    values, alone = {"values": counted.distinct}, {"records": counted.uniques}
    tells = Reason("tells", values, {"share": counted.separation})
    return (tells, Reason("alone", alone)) if counted.uniques else (tells,)


def _name_reason(whats: Collection[str]) -> Reason:
    return Reason("name-sensitive", terms=tuple(sorted(whats)))


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


CONFIDENTIAL = frozenset(
    (
        *("health", "diagnosis", "operation", "treatment", "test result"),
        *("crime", "genetic data", "sexual life", "substance use"),
    )
)
MONEY = frozenset(("income", "wealth or debt"))
LEAST_CONFIDENTIAL = 3
"""A table is about such things if the names of at least so many columns say so, and no fewer
than say that others know a column; beside money, occupation and household count as known."""
OF_PERSONS = frozenset(("age", "sex", "date of birth"))
"""One column of these shows that a table is of persons, not of weather or counties."""
FEW_VALUES = 10
"""Texts of more values may be places, occupations and the like, numbers those of persons."""
LEAST_LETTERS = 3
"""Names of fewer letters say nothing at all: `aa` may be an ethnic group."""
LEAST_ITEMS = 5
"""So many columns of the same few answers make a questionnaire."""
ANSWERS = range(4, 12)
LEAST_VALUES = 10
"""A column of fewer values may agree with another by chance."""

_NUMBERED = re.compile(r".*[^\W\d][\W_]*\d+[\W_]*[a-zA-Z]?")


def confidential_by_company(
    contents: Sequence[Content],
    hints: Mapping[str, frozenset[Hint]],
    coded: Mapping[str, CodedColumn],
) -> dict[str, Reason]:
    """Return why columns whose names say nothing are measured or told, by name.

    Their name tells a period, as of what was done in the last 30 days; they are answers of a
    questionnaire; they take another value where a sensitive column does, as its logarithm; or
    most names in the table are those of confidential columns.
    """
    roles = {
        name: {hint.role for hint in some if hint.sure and hint.role is not Role.IDENTIFIER}
        for name, some in hints.items()
    }
    sensitive = [name for name, suggested in roles.items() if suggested == {Role.SENSITIVE}]
    outside = [
        name
        for name, some in hints.items()
        if any(hint.role is Role.QUASI_IDENTIFIER and not hint.yields for hint in some)
    ]
    described = sum(Role.QUASI_IDENTIFIER in suggested for suggested in roles.values())
    subjects = [{hint.what for hint in hints[name]} for name in sensitive]
    health = sum(bool(subject & CONFIDENTIAL) for subject in subjects)
    money = sum(bool(subject & (CONFIDENTIAL | MONEY)) for subject in subjects)
    about = any(
        hint.sure and hint.what in OF_PERSONS for some in hints.values() for hint in some
    ) and (
        health >= max(LEAST_CONFIDENTIAL, len(outside))
        or money >= max(LEAST_CONFIDENTIAL, described)
    )
    items = _questionnaire([content for content in contents if content.name not in outside])
    reasons: dict[str, Reason] = {}
    for content in contents:
        name = content.name
        if roles[name] or content.trouble:
            continue
        twin = next((other for other in sensitive if _same_groups(other, name, coded)), None)
        if PERIOD.search(name):
            reasons[name] = Reason("period")
        elif name in items:
            reasons[name] = Reason("items", {"columns": len(items)})
        elif twin is not None:
            reasons[name] = Reason("twin", detail=twin)
        elif about and not _may_be_outside(content, outside, coded, numbers=bool(hints[name])):
            reasons[name] = Reason("company", {"columns": money})
    return reasons


def _questionnaire(contents: Sequence[Content]) -> set[str]:
    """Return the columns of the same answers: numbered ones, or scales such as 1 to 5."""
    sizes = {content.name: content.counted.distinct - (content.nulls > 0) for content in contents}
    numbered = {
        content.name: sizes[content.name]
        for content in contents
        if content.type in ("integer", "real number", "categories", "ordered categories")
        and _NUMBERED.fullmatch(content.name)
    }
    scales = {
        content.name: trait
        for content in contents
        for trait in content.traits
        if trait.startswith("scale") and sizes[content.name] in ANSWERS
    }
    answers, same = Counter(numbered.values()), Counter(scales.values())
    return {
        name
        for name, size in numbered.items()
        if size in ANSWERS and sum(answers[size + more] for more in (-1, 0, 1)) >= LEAST_ITEMS
    } | {name for name, scale in scales.items() if same[scale] >= LEAST_ITEMS}


def _may_be_outside(
    content: Content, outside: Sequence[str], coded: Mapping[str, CodedColumn], *, numbers: bool
) -> bool:
    """Whether others may know a column whose name says nothing.

    It has many texts or numbers of persons, a name of one or two letters or like `educdec`, or
    is empty exactly where a column is that others know: the day of a death is missing where its
    year is.
    """
    if content.counted.distinct > FEW_VALUES and (
        numbers or content.type in ("text", "categories")
    ):
        return True
    words = name_words(content.name)
    if max(map(len, words), default=0) < LEAST_LETTERS or any(map(is_like_known, words)):
        return True
    if not content.nulls:
        return False
    column = coded[content.name]
    empty = column.codes == column.null
    others = (coded[name] for name in outside if name in coded and coded[name].null >= 0)
    return any(bool((empty == (other.codes == other.null)).all()) for other in others)


def _same_groups(first: str, second: str, coded: Mapping[str, CodedColumn]) -> bool:
    """Whether two columns group the records alike, with two records a group or more."""
    if first not in coded or second not in coded:
        return False
    left, right = coded[first], coded[second]
    if left.size != right.size or not LEAST_VALUES <= left.size <= len(left.codes) / 2:
        return False
    return len(np.unique(left.codes.astype(np.int64) * right.size + right.codes)) == left.size
