"""A few questions on a table, in plain words, whose answers are a policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kanonym.data.errors import DataError, Message, SchemaError
from kanonym.data.option import split_names
from kanonym.data.schema import Role
from kanonym.profiling.reasons import Reason
from kanonym.profiling.roles import Entity

if TYPE_CHECKING:
    from kanonym.profiling.profile import ColumnProfile, Profile

EACH_ROW, UNKNOWN, NOTHING = "yes", "unknown", "none"
"""Words that answer: each row is a person; it is not known; no column."""
RECIPIENTS = {"public": 11, "partner": 5, "inside": 3}
"""k by who gets the table: 0.09 of the EMA for the public, and the usual cell sizes of others."""
K = 5
SHOWN = 5
"""Columns whose evidence a question has."""
LISTS = {
    "identifiers": Role.IDENTIFIER,
    "known": Role.QUASI_IDENTIFIER,
    "sensitive": Role.SENSITIVE,
    "harmless": Role.INSENSITIVE,
}
"""Questions that name columns, with the role of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAnswers:
    """What a person says of a table; None: as the profile suggests.

    Parameters
    ----------
    persons
        `yes`: each row is a person; `unknown`; or the column that tells persons apart.
    identifiers, known, sensitive, harmless
        Columns that identify persons, that others may know, that would hurt if they became known,
        and that anybody may see. What is in none of them counts as known.
    unneeded
        Columns that nobody needs.
    k
        Smallest number of persons in a class.
    """

    persons: str | None = None
    identifiers: tuple[str, ...] | None = None
    known: tuple[str, ...] | None = None
    sensitive: tuple[str, ...] | None = None
    harmless: tuple[str, ...] | None = None
    unneeded: tuple[str, ...] | None = None
    k: int | None = None


NO_ANSWERS = TableAnswers()


@dataclass(frozen=True, slots=True)
class Question:
    """One question: the field of `TableAnswers` that it fills, its evidence, and its default.

    columns: those that an answer may name. shown: those that are suggested and tell most.
    """

    name: str
    text: Message
    evidence: tuple[str, ...]
    default: tuple[str, ...]
    columns: tuple[str, ...] = ()
    shown: tuple[ColumnProfile, ...] = ()

    def read(self, typed: str) -> str | int | tuple[str, ...] | None:
        """Return the answer that a person typed: names, `+name` and `-name`, or a word.

        Nothing accepts the default. Errors: `DataError`, for what is no answer.
        """
        typed = typed.strip()
        if not typed:
            return None
        if self.name == "k":
            number = RECIPIENTS.get(typed.lower()) or (int(typed) if typed.isdecimal() else 0)
            if not number:
                raise DataError(f"{typed!r} is neither a number nor {', '.join(RECIPIENTS)}")
            return number
        if self.name == "persons":
            word = {"y": EACH_ROW, "no": UNKNOWN, "n": UNKNOWN, "?": UNKNOWN}.get(typed, typed)
            if word not in (EACH_ROW, UNKNOWN, *self.columns):
                raise DataError(
                    f"{typed!r} is neither {EACH_ROW} nor {UNKNOWN} nor a column that may tell "
                    "persons apart"
                )
            return word
        if typed == NOTHING and NOTHING not in self.columns:
            return ()
        return tuple(self._chosen(split_names([typed])))

    def _chosen(self, words: Sequence[str]) -> list[str]:
        """Return the columns that words name, in the order of the table."""
        unknown = [column for column in words if not {column, column[1:]} & {*self.columns}]
        if unknown:
            raise DataError(f"{unknown[0]!r} is no column that this question is about")
        exact = [column for column in words if column in self.columns]
        more = {column[1:] for column in words if column not in exact and column[0] == "+"}
        less = {column[1:] for column in words if column not in exact and column[0] == "-"}
        if less - {*self.default}:
            raise DataError(f"{min(less - {*self.default})!r} is not in the list to begin with")
        chosen = {*(exact or self.default), *more} - less
        return [name for name in self.columns if name in chosen]


def questions(
    profile: Profile, answers: TableAnswers, costs: Sequence[str] = (), k: int = K
) -> Iterator[Question]:
    """Yield the questions on a table, the most consequential first: at most seven.

    profile: as it suggests. answers: so far. costs: sentences on what columns cost. k: the default.
    """
    now = with_answers(profile, answers)
    usable = tuple(column.name for column in profile.columns if not column.content.trouble)
    entity = now.entity
    yield Question(
        "persons",
        Message(
            "Is each row a person? If a person may have several rows: which column tells persons "
            "apart?"
        ),
        tuple(filter(None, dict.fromkeys([profile.entity.reason, *profile.persons])))[:2]
        or (Message("no column seems to name or number persons"),),
        (EACH_ROW if entity.rows_are_persons else entity.name or UNKNOWN,),
        tuple(column.name for column in profile.columns if column.content.counted.distinct > 1),
    )
    for name, text in (
        ("identifiers", Message("Which columns name or number a person? They are dropped.")),
        (
            "known",
            Message(
                "Which may others know about a person, from seeing, talking to or looking up the "
                "person? They are made coarser."
            ),
        ),
        (
            "sensitive",
            Message(
                "Which would hurt a person if they became known? Their values are kept, and mixed "
                "in every class."
            ),
        ),
    ):
        chosen = [column for column in now.columns if column.role is LISTS[name]]
        columns = (
            tuple(column.name for column in profile.columns) if name == "identifiers" else usable
        )
        evidence = _rest(chosen)
        if name == "known" and answers.known is None and answers.identifiers is None:
            evidence = (_uniques(profile), *evidence)
        default = tuple(column.name for column in chosen)
        yield Question(name, text, evidence, default, columns, _first(chosen))
    unlisted = [
        column
        for column in now.columns
        if column.name in usable
        and _role(profile, answers, column.name) in (None, Role.INSENSITIVE)
    ]
    if unlisted:
        yield Question(
            "harmless",
            Message(
                "Nothing protects these columns. Which may anybody see, whoever they are about? "
                "The others are made coarser."
            ),
            _rest(unlisted),
            tuple(column.name for column in unlisted if column.role is Role.INSENSITIVE),
            tuple(column.name for column in unlisted),
            _first(unlisted),
        )
    known = now.names(Role.QUASI_IDENTIFIER)
    kept = tuple(column.name for column in now.columns if column.role is not Role.IDENTIFIER)
    yield Question(
        "unneeded",
        Message("Which columns does nobody need? Dropping them costs nobody anything."),
        tuple(costs)
        or (
            Message(
                "{columns} columns are made coarser; each of them makes the others coarser, too",
                columns=len(known),
            ),
        ),
        tuple(name for name in answers.unneeded or () if name in kept),
        kept,
    )
    yield Question(
        "k",
        Message(
            "Who gets the table: anybody (public), somebody bound by a contract (partner), or your "
            "own institution (inside)? Or: among how many persons must each one be hidden?"
        ),
        (
            Message(
                "public: {public}, as the European Medicines Agency asks; partner: {partner}; "
                "inside: {inside}; at most the {rows:,} records of the table",
                **RECIPIENTS,
                rows=profile.rows,
            ),
        ),
        (str(answers.k or k),),
    )


def with_answers(profile: Profile, answers: TableAnswers) -> Profile:
    """Return a profile with the roles that a person gave; errors: `SchemaError`."""
    known = {column.name: column for column in profile.columns}
    named = [name for part in LISTS for name in getattr(answers, part) or ()]
    named += answers.unneeded or ()
    named += [answers.persons] if answers.persons not in (None, EACH_ROW, UNKNOWN) else []
    missing = [name for name in named if name not in known]
    if missing:
        raise SchemaError(f"{missing[0]!r} is no column of the table")
    columns = tuple(_with_role(profile, answers, column) for column in profile.columns)
    return replace(profile, columns=columns, answers=answers)


def entity_of_answers(profile: Profile) -> Entity | None:
    """Return who is who as a person said; None where nobody did."""
    said = profile.answers.persons
    if said is None:
        return None
    if said == EACH_ROW:
        return Entity(rows_are_persons=True, reason=Message("answered: each row is a person"))
    if said == UNKNOWN:
        return Entity(reason=Message("answered: it is not known who the persons are"))
    content = next(column.content for column in profile.columns if column.name == said)
    values = content.counted.distinct - (content.nulls > 0)
    return Entity(
        said, values, reason=Message("answered: {column} tells persons apart", column=said)
    )


def _role(profile: Profile, answers: TableAnswers, name: str) -> Role | None:
    """Return the role that answers give a column; None where it is in no list any more."""
    role: Role | None = next(column.role for column in profile.columns if column.name == name)
    for part, meant in LISTS.items():
        chosen = getattr(answers, part)
        if chosen is not None and name in chosen:
            role = meant
        elif chosen is not None and role is meant:
            role = None
    return Role.IDENTIFIER if name == answers.persons else role


ANSWERED = {
    Role.IDENTIFIER: Reason("answered-identifier"),
    Role.QUASI_IDENTIFIER: Reason("answered-quasi-identifier"),
    Role.SENSITIVE: Reason("answered-sensitive"),
    Role.INSENSITIVE: Reason("answered-insensitive"),
}
"""What stands first among the reasons of a column whose role was answered."""


def _with_role(profile: Profile, answers: TableAnswers, column: ColumnProfile) -> ColumnProfile:
    """Return a column as it was answered, with the answer as its first reason."""
    if column.name in (answers.unneeded or ()):
        return replace(
            column, role=Role.IDENTIFIER, reasons=(Reason("answered-unneeded"), *column.reasons)
        )
    role = _role(profile, answers, column.name) or Role.QUASI_IDENTIFIER
    if role is column.role:
        return column
    if column.content.trouble:
        raise SchemaError(f"column {column.name!r} can only be dropped; {column.content.trouble}")
    answered = _role(profile, answers, column.name) is not None
    reason = ANSWERED[role] if answered else Reason("answered-open")
    return replace(column, role=role, reasons=(reason, *column.reasons))


def _first(columns: Sequence[ColumnProfile]) -> tuple[ColumnProfile, ...]:
    """Return the columns that tell most of those that are suggested."""
    ranked = sorted(columns, key=lambda column: -column.content.counted.separation)
    return tuple(column for column in ranked[:SHOWN] if column.reasons)


def _rest(columns: Sequence[ColumnProfile]) -> tuple[str, ...]:
    """Say how many more columns there are."""
    more = len(columns) - SHOWN
    return (Message("and {more} more columns", more=more),) if more > 0 else ()


def _uniques(profile: Profile) -> Message:
    return Message(
        "{uniques:,} of {rows:,} records are alone with what is suggested here",
        uniques=profile.together.uniques,
        rows=profile.rows,
    )
