"""What a table tells about itself: roles of its columns, with the evidence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from kanonym.data import frames
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.files import table_of
from kanonym.data.readings import detect_readings, typed_table
from kanonym.data.schema import QuasiIdentifier, Role, Schema
from kanonym.profiling import identifiers
from kanonym.profiling.columns import Content, content_of, unreadable_content
from kanonym.profiling.groupings import CodedColumn
from kanonym.profiling.identifiers import Finding
from kanonym.profiling.minimal import Codes, Threshold, minimal_sets, separation_of
from kanonym.profiling.persons import ProposedPersons, proposed_persons
from kanonym.profiling.profile import ColumnProfile, Profile
from kanonym.profiling.questions import Question, TableAnswers, questions
from kanonym.profiling.reasons import NOTHING_TO_RECODE, Reason
from kanonym.profiling.repeated_persons import RepeatedPersons, repeated_persons
from kanonym.profiling.roles import confidential_by_company, role_of
from kanonym.profiling.words import name_hints

__all__ = [
    "ColumnProfile",
    "Profile",
    "ProposedPersons",
    "Question",
    "RepeatedPersons",
    "TableAnswers",
    "identifiers_of",
    "profile",
    "proposed_persons",
    "questions",
    "repeated_persons",
]

FEW_OTHERS = 4
FEW_SHARE = 0.01
"""Records that equal so few others, and so few of all others, on average, are nearly unique."""
OF_PERSONS = {"occupation", "household"}
"""Names of students or families may be those of their numbers; other attributes number nobody."""
MANY_GROUPS = 100
"""So many groups of records, with numbers and no name, are persons too: teachers, physicians."""


def profile(
    frame: Any,
    *,
    quasi_identifiers: Sequence[str] = (),
    free_text: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Profile:
    """Suggest the role of each column of a table, with the evidence.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame, a pyarrow Table or the path of a file.
    quasi_identifiers
        Columns that are quasi-identifiers whatever they look like.
    free_text
        Whether to look, by Presidio, for identifiers that are written in free text.
    progress
        Called with the name of each stage as it begins: `read`, `columns`, `sets`.

    Raises
    ------
    DataError
        The frame is none, or has no proper column names; or a named quasi-identifier cannot be
        recoded: lists, or numbers that are infinite.
    SchemaError
        A named quasi-identifier is no column.
    MissingExtraError
        `free_text` without Presidio installed.

    Notes
    -----
    All numbers are exact, and what is said of a column set holds of all records; of tables of
    more than 100,000 records `minimal_sets` looks for the sets in a sample, and may miss some.
    Cost: a few passes and a sort for each column, and the bounded search for column sets.

    Examples
    --------
    >>> from kanonym.data.example_tables import patients
    >>> found = profile(patients(500))
    >>> {one.name: str(one.role) for one in found.columns if one.role is not Role.QUASI_IDENTIFIER}
    {'name': 'identifier', 'national_number': 'identifier', 'diagnosis': 'sensitive'}
    """
    step = progress or (lambda _stage: None)
    step("read")
    if isinstance(quasi_identifiers, str):
        raise SchemaError(f"give a list of columns, not the text {quasi_identifiers!r}")
    native = frames.to_eager(table_of(frame))
    written = detect_readings(native, lenient=True)
    for note in written.sentences:
        step(f"encode: {note}")
    native = typed_table(native, written.readings)
    names, n_rows = frames.column_names(native), frames.n_rows(native)
    given = {name: QuasiIdentifier() for name in quasi_identifiers}
    Schema.resolve(names, {**given}, Role.INSENSITIVE)
    step("columns")
    columns, coded, proposed = _columns_of(native, given, free_text)
    columns = [replace(column, reading=written.readings.get(column.name)) for column in columns]
    released = {column.name for column in columns if column.role is not Role.IDENTIFIER}
    coded = {name: column for name, column in coded.items() if name in released}
    repeated = None if proposed else repeated_persons(list(coded.values()))
    codes = {name: (column.codes, column.size) for name, column in coded.items()}
    step("sets")
    known = [
        column.name
        for column in columns
        if column.role is Role.QUASI_IDENTIFIER and column.name in codes
    ]
    telling = {
        column.name: codes[column.name]
        for column in columns
        if _distinguishes_records(column, codes)
    }
    if columns and not any(column.role is Role.QUASI_IDENTIFIER for column in columns):
        columns[0] = replace(columns[0], reasons=(*columns[0].reasons, NOTHING_TO_RECODE))
    few = min(FEW_OTHERS, FEW_SHARE * n_rows)
    return Profile(
        rows=n_rows,
        columns=tuple(columns),
        together=separation_of([codes[name] for name in known], n_rows),
        unique_sets=minimal_sets(telling, n_rows, Threshold(0)),
        near_unique_sets=minimal_sets(telling, n_rows, Threshold(few)),
        proposed_persons=proposed,
        repeated_persons=repeated,
    )


def identifiers_of(frame: Any, known: Collection[str] = ()) -> list[str]:
    """Return the columns of a table that `profile` calls identifiers, but those that are known.

    Errors as of `profile`. Cost: a few passes over each column.
    """
    native = frames.to_eager(frame)
    names = [name for name in frames.column_names(native) if name not in known]
    if not names:
        return []
    columns, _, _ = _columns_of(frames.select(native, names), (), free_text=False)
    return [
        column.name
        for column in columns
        if column.role is Role.IDENTIFIER and not column.content.trouble
    ]


def _columns_of(
    native: Any,
    given: Collection[str],
    free_text: bool,  # noqa: FBT001
) -> tuple[list[ColumnProfile], dict[str, CodedColumn], tuple[ProposedPersons, ...]]:
    """Return what is found in each column, the codes of those that can be read, and the persons."""
    contents: list[Content] = []
    findings: dict[str, tuple[Finding, ...]] = {}
    coded: dict[str, CodedColumn] = {}
    for name in frames.column_names(native):
        try:
            column = frames.column(native, name)
        except DataError as error:
            if name in given:
                raise
            contents.append(unreadable_content(name, error, frames.n_rows(native)))
            continue
        content, coded[name] = content_of(column)
        exceptions = frames.exceptions_of(frames.raw_column(native, name))
        if exceptions is not None:  # answers, but no values
            nulls = exceptions.is_null() & column.is_null()
            content = replace(content, nulls=len(column.filter(nulls)))
        if name in given and content.trouble:
            raise DataError(
                f"column {name!r} cannot be a quasi-identifier as it is; {content.trouble}"
            )
        contents.append(content)
        findings[name] = _findings(column, free_text)
    hints = {one.name: name_hints(one.name) for one in contents}
    beside = confidential_by_company(contents, hints, coded)
    columns = [
        _column_profile(
            one, findings.get(one.name, ()), beside.get(one.name), named=one.name in given
        )
        for one in contents
    ]
    proposed = proposed_persons(list(coded.values()))
    numbered = any(one.role is Role.IDENTIFIER and _is_number(one.name) for one in columns)
    columns = [
        one if one.name in given else _with_persons(one, proposed, numbered=numbered)
        for one in columns
    ]
    return columns, coded, proposed


def _with_persons(
    one: ColumnProfile, proposed: Sequence[ProposedPersons], *, numbered: bool
) -> ColumnProfile:
    """Make a column that seems to number persons an identifier, unless its name says otherwise."""
    hints = name_hints(one.name)
    attribute = any(
        hint.sure and hint.role is not Role.IDENTIFIER and hint.what not in OF_PERSONS
        for hint in hints
    )
    # Where `user_id` numbers persons, `movie_id` numbers something else.
    other = hints and not any(hint.sure for hint in hints) and numbered
    said = bool(hints) and any(hint.role is not Role.IDENTIFIER for hint in hints)
    for persons in proposed:
        groups = persons.likely_groups and (
            said or len(persons.columns) > 1 or persons.values < MANY_GROUPS
        )
        if one.name == persons.columns[0] and not groups:
            counts = {"values": persons.values, "records": persons.records}
            reason = Reason("persons", counts)
            if one.role is Role.IDENTIFIER or attribute or other:
                return replace(one, reasons=(*one.reasons, reason))
            return replace(one, role=Role.IDENTIFIER, reasons=(reason,))
    return one


def _is_number(name: str) -> bool:
    """Whether a name is surely that of an identifier."""
    return any(hint.sure and hint.role is Role.IDENTIFIER for hint in name_hints(name))


def _findings(column: pl.Series, free_text: bool) -> tuple[Finding, ...]:  # noqa: FBT001
    findings = identifiers.find_identifiers(column)
    if free_text and any(finding.kind == "free text" for finding in findings):
        findings += identifiers.find_in_text(column)
    return findings


def _column_profile(
    content: Content, findings: tuple[Finding, ...], beside: Reason | None, *, named: bool
) -> ColumnProfile:
    hinted = name_hints(content.name)
    role, reasons = role_of(content, findings, hinted, named=named, beside=beside)
    if role is Role.IDENTIFIER:
        kinds = [finding.kind for finding in findings]
        removed = [finding.safe_harbor for finding in findings]
    else:
        others = sorted(hint for hint in hinted if hint.role is not Role.IDENTIFIER and hint.sure)
        kinds = list(dict.fromkeys(other.what for other in others))
        removed = [other.safe_harbor for other in others]
    return ColumnProfile(
        content=content,
        role=role,
        reasons=reasons,
        kinds=tuple(kinds),
        safe_harbor=next(filter(None, removed), None),
    )


def _distinguishes_records(one: ColumnProfile, codes: dict[str, Codes]) -> bool:
    """Whether a column is released in some form, and tells records apart."""
    return one.name in codes and one.content.counted.distinct > 1
