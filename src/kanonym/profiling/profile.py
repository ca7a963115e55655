"""The profile of a table, and the policy that it suggests."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from kanonym.data.columns.rebuild import Frame
from kanonym.data.errors import Message
from kanonym.data.files import write_text
from kanonym.data.readings import Reading
from kanonym.data.results import Result, ResultTable, ShortRepr, format_number, shortened_names
from kanonym.data.schema import Role
from kanonym.policy import Policy
from kanonym.profiling.columns import Content
from kanonym.profiling.first_policy import action_form, policy_text
from kanonym.profiling.minimal import MinimalSets, Separation
from kanonym.profiling.persons import ProposedPersons
from kanonym.profiling.questions import NO_ANSWERS, K, TableAnswers, entity_of_answers, with_answers
from kanonym.profiling.reasons import Reason
from kanonym.profiling.repeated_persons import RepeatedPersons
from kanonym.profiling.roles import Entity, entity_of


def remarks_of(content: Content) -> Iterator[str]:
    """Yield a sentence on each thing about the content that a person should look at."""
    records, outliers, traits = content.counted.records, content.outliers, content.traits
    if content.nulls and not content.constant:
        nulls = content.nulls
        yield Message(
            "{nulls:,} of {records:,} records have no value", nulls=nulls, records=records
        )
    for sentinel in content.sentinels:
        value = sentinel.value
        yield Message(
            "{value}, in {records:,} records, seems to stand for a missing value: if it does, "
            "leave these cells empty",
            value=Message("a number far from the others") if value is None else repr(value),
            records=sentinel.records,
        )
    if outliers is not None and outliers.far == 1:
        yield Message(
            "1 number lies far from the others; as an action, {advice} hides it",
            advice=outliers.advice,
        )
    elif outliers is not None and outliers.far:
        yield Message(
            "{far:,} numbers lie far from the others; as an action, {advice} hides them",
            far=outliers.far,
            advice=outliers.advice,
        )
    if "dates as other text" in traits:
        yield Message("its texts are dates: written as 2024-12-31 they could be recoded as dates")
    if "dates as text" in traits and content.type == "text":
        yield Message("its texts are ISO dates: as a column of dates they would lose less")
    if "numbers as text" in traits:
        yield Message("its texts are numbers: as a column of numbers they would lose less")
    if "leading zeros" in traits:
        yield Message("its numbers start with zeros: it is a code, and stays text")


@dataclass(frozen=True, slots=True, repr=False)
class ColumnProfile(ShortRepr):
    """One column of a profiled table."""

    _shown: ClassVar[tuple[str, ...]] = ("name",)

    content: Content
    role: Role
    reasons: tuple[Reason, ...]
    kinds: tuple[str, ...] = ()
    safe_harbor: str | None = None
    reading: Reading | None = None

    @property
    def name(self) -> str:
        """The column's name."""
        return self.content.name

    @property
    def evidence(self) -> tuple[str, ...]:
        """The reasons in English sentences, without a value of the table."""
        return tuple(reason.to_text() for reason in self.reasons)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else to look at before a release, in sentences."""
        return tuple(remarks_of(self.content))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form. Codes for missing values are the only values in it."""
        content = self.content
        counted = content.counted.to_dict()
        outliers, suggestion = content.outliers, content.suggestion
        return {
            "role": str(self.role),
            "evidence": list(self.evidence),
            "reasons": [reason.to_dict() for reason in self.reasons],
            "kinds": list(self.kinds),
            "safe_harbor": self.safe_harbor,
            "type": content.type,
            **(
                {}
                if self.reading is None or self.reading.style is None
                else {"format": self.reading.style.form}
            ),
            **{name: counted[name] for name in ("distinct", "uniques", "distinction")},
            "separation": content.counted.separation,
            "nulls": content.nulls,
            "null_share": content.nulls / max(content.counted.records, 1),
            "sentinels": [
                {"value": sentinel.value, "records": sentinel.records}
                for sentinel in content.sentinels
            ],
            "outliers": outliers
            and {
                "near": outliers.near,
                "far": outliers.far,
                "low": outliers.low,
                "high": outliers.high,
                "advice": outliers.advice or None,
            },
            "hierarchy": suggestion
            and {
                "form": suggestion.builder.to_dict(),
                "reason": suggestion.reason,
                "text": suggestion.describe(),
            },
            "action": action_form(self),
            "remarks": list(self.remarks),
        }


SETS = 10
"""Column sets that are shown; the JSON form has all that were found."""
MOST_COLUMNS = 40
"""Of wider tables, what is told fits on a screen."""
SETS_OF_WIDE = 2


def columns_table(columns: Sequence[ColumnProfile]) -> ResultTable:
    """Return a row for each column: its role, what it holds, and why."""
    rows = []
    for column in columns:
        told = [_content_text(column), *column.evidence, *column.remarks]
        sentences = ". ".join(one[:1].upper() + one[1:] for one in told)
        rows.append((column.name, str(column.role), sentences))
    return ResultTable(("column", "role", "content, reasons, remarks"), rows)


def roles_table(columns: Sequence[ColumnProfile]) -> ResultTable:
    """Return a row for each role, with its columns: those that tell most first."""
    groups: dict[tuple[Role, str], list[str]] = {}
    for column in sorted(columns, key=lambda one: -one.content.counted.separation):
        guessed = any(reason.kind == "unknown" for reason in column.reasons)
        why = ", no evidence" if guessed and column.role is Role.QUASI_IDENTIFIER else ""
        groups.setdefault((column.role, why), []).append(column.name)
    order = [*Role]
    rows = [
        (f"{role}{why}", format_number(len(groups[role, why])), shortened_names(groups[role, why]))
        for role, why in sorted(groups, key=lambda group: (order.index(group[0]), group[1]))
    ]
    noted = sum(bool(column.remarks) for column in columns)
    note = "the JSON form and the policy (--write) have each column with its reasons"
    note += f"; remarks on {noted} of them" if noted else ""
    header = ("role", "columns", "those that distinguish most records first")
    return ResultTable(header, rows, frozenset({1}), notes=(note,))


def _content_text(column: ColumnProfile) -> str:
    """Return what a column holds, in a few words, but for what the evidence begins with."""
    content = column.content
    values = f"{content.counted.distinct:,} value{'' if content.counted.distinct == 1 else 's'}"
    told = any(one.startswith(values) for one in column.evidence)
    nulls = [f"{content.nulls:,} null"] if content.nulls else []
    return ", ".join([content.type, *([] if told else [values]), *nulls])


@dataclass(frozen=True, slots=True, repr=False)
class Profile(Result):
    """The disclosure risks of a table as it is, and suggested roles and recodings.

    Attributes
    ----------
    rows
        Number of records.
    columns
        One `ColumnProfile` a column, in the order of the table.
    together
        How far all quasi-identifiers together tell the records apart; `smallest` is the k
        of the table as it is.
    unique_sets
        The minimal sets of columns, identifiers left out, in which no two records are equal,
        counted on all of them.
    near_unique_sets
        Those in which a record equals at most four others, and at most every hundredth, on
        average, counted on all of them.
    proposed_persons
        Columns whose values may be the persons, best first: they repeat, and determine others.
    repeated_persons
        Columns in which records agree as those of one person do, where no column is proposed.
    answers
        What a person said (`with_answers`).
    """

    _shown: ClassVar[tuple[str, ...]] = ("rows", "columns")

    rows: int
    columns: tuple[ColumnProfile, ...]
    together: Separation
    unique_sets: MinimalSets
    near_unique_sets: MinimalSets
    proposed_persons: tuple[ProposedPersons, ...] = ()
    repeated_persons: RepeatedPersons | None = None
    answers: TableAnswers = NO_ANSWERS

    def with_answers(self, answers: TableAnswers) -> Profile:
        """Return the profile with what a person answered in the place of what it suggests.

        Raises
        ------
        SchemaError
            An answer names no column of the table, or one that can only be dropped.
        """
        return with_answers(self, answers)

    def names(self, role: Role) -> list[str]:
        """Return the columns of one role, in the order of the table."""
        return [column.name for column in self.columns if column.role is role]

    @property
    def entity(self) -> Entity:
        """Who is who: what tells persons apart, or that each row is one."""
        said = entity_of_answers(self)
        return said or entity_of(self.columns, self.proposed_persons, self.repeated_persons)

    @property
    def persons(self) -> tuple[str, ...]:
        """What the structure of the table says about its persons, in sentences."""
        repeated = [] if self.repeated_persons is None else [self.repeated_persons.reason]
        return (*(person.reason for person in self.proposed_persons), *repeated)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; no value of the table but codes for missing values."""
        return {
            "rows": self.rows,
            "entity": self.entity._asdict(),
            "persons": {
                "proposed": [person.to_dict() for person in self.proposed_persons],
                "repeated": self.repeated_persons and self.repeated_persons.to_dict(),
            },
            "k": self.together.smallest,
            "columns": {column.name: column.to_dict() for column in self.columns},
            "quasi_identifiers": {
                "columns": self.names(Role.QUASI_IDENTIFIER),
                **self.together.to_dict(),
            },
            "unique_sets": self.unique_sets.to_dict(),
            "near_unique_sets": self.near_unique_sets.to_dict(),
        }

    def report(self, frame: Frame, path: str | Path, *, language: str = "en") -> None:
        """Write a page on the table: `ka.reporting.report_profile`. It shows original data."""
        from kanonym.reporting import report_profile  # noqa: PLC0415 - reports stand above

        report_profile(frame, self, path, language=language)

    def plot(self, language: str = "en") -> Any:
        """Return an Altair chart: which share of the pairs of records each column distinguishes."""
        from kanonym.reporting.plots import plot_profile  # noqa: PLC0415 - reports stand above

        return plot_profile(self, language)

    def tables(self) -> list[ResultTable]:
        """Return a row for each column, its role and why; persons; and sets that tell records."""
        wide = len(self.columns) > MOST_COLUMNS
        facts = ResultTable.of_facts(
            ("records", self.rows),
            ("current k", self.together.smallest),
            ("records alone in their class", self.together.uniques),
            ("distinguishable pairs", f"{100 * self.together.separation:.2f} %"),
            notes=tuple(f"persons: {reason}" for reason in self.persons[: 1 if wide else None]),
        )
        columns = roles_table(self.columns) if wide else columns_table(self.columns)
        return [facts, columns, *self._sets(SETS_OF_WIDE if wide else SETS)]

    def _sets(self, most: int) -> Iterator[ResultTable]:
        """Yield the sets of columns that tell the records apart, exactly and nearly."""
        for sets, heading in (
            (self.unique_sets.sets, "columns without equal records"),
            (self.near_unique_sets.sets, "columns with few equal records"),
        ):
            rows = [
                (", ".join(names), format_number(one.distinct), format_number(one.uniques))
                for names, one in sets
            ]
            header = (heading, "combinations", "unique records")
            if rows:
                yield ResultTable(header, rows, frozenset({1, 2})).first(most, shown=most)

    def policy(self, k: int | None = None) -> Policy:
        """Return the first policy of the table: `recommend` and the workbench give the same.

        k-anonymity, of persons where an identifier repeats, and a model for each sensitive
        attribute with several values that holds of the table as one class, so that a release
        exists. l-diversity: two distinct values are asked for; of an attribute of at most three
        values, or with one that most records have, entropy l-diversity, for classes with two
        distinct values could be nearly all one of them. t-closeness where more than 80 % of the
        records have one value. Lists of values are released only of columns of at most five
        texts; others as ranges and labels of hierarchies.

        Parameters
        ----------
        k
            Smallest number of records of a class; default: as answered, else 5.

        Raises
        ------
        PolicyError
            No column is a quasi-identifier, or k is no number of at least 1.
        """
        return Policy.from_text(self.policy_text(k), source="the suggested policy")

    def policy_text(self, k: int | None = None) -> str:
        """Return the text of the first policy in YAML, with the evidence as comments."""
        return policy_text(self, k or self.answers.k or K)

    def write_policy(self, path: str | os.PathLike[str], k: int | None = None) -> None:
        """Write the first policy as YAML, with the evidence as comments, for an editor.

        Raises
        ------
        DataError
            The file cannot be written.
        """
        write_text(Path(path), self.policy_text(k))
