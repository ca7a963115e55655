"""The profile of a table, and the policy that it suggests."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from kanonym.data.columns.rebuild import Frame
from kanonym.data.files import write_text
from kanonym.data.readings import Reading, declared_form
from kanonym.data.results import Result, ResultTable, ShortRepr
from kanonym.data.schema import Role
from kanonym.policy import Policy
from kanonym.policy.writing import policy_yaml
from kanonym.profiling.columns import Content
from kanonym.profiling.company import Entity, entity_of
from kanonym.profiling.minimal import MinimalSets, Separation
from kanonym.profiling.persons import ProposedPersons
from kanonym.profiling.reasons import Reason
from kanonym.profiling.remarks import remarks_of
from kanonym.profiling.repeated_persons import RepeatedPersons

MOST_FREQUENT = 0.8
"""l-diversity is asked of a sensitive attribute if no value has more of the records, else
t-closeness."""

DOMINATES = 0.5
FEW_VALUES = 3
"""Entropy l-diversity is asked if a value has more of the records, or there are no more values."""

HEADING = (
    "Values do not show what a column means: read the reasons, and correct what is wrong.",
    "When in doubt a column is a quasi-identifier. Identifiers are dropped.",
)
RECODED = (
    "Numbers, dates and ordered categories are released as ranges of the values in their class, "
    "other columns as labels of their hierarchies; columns without one, of few values, as lists. "
    "Without this line all hierarchies are used."
)
LISTED = 5
"""Columns of at most so many values may be released as lists of them."""
NO_LISTS = ("codes", "dates as text", "dates as other text", "numbers as text", "leading zeros")
"""Texts of these forms are never released as lists: a list tells little, and shows their values."""
LEAST_T = 0.02
"""t of t-closeness is at least so much: of a rarer value a small class could have no record."""
MONDRIAN = {"type": "mondrian"}
OF_LEVELS = ("full-domain", "local-recoding")
"""Algorithms that release levels of hierarchies, and leave no choice of a recoding."""

NOTHING_TO_RECODE = Reason("nothing-to-recode")
"""What is said where all columns are dropped or are the same in every record."""

SHOWN = 5
"""Column sets that a policy's heading names."""


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
            "action": _action(self),
            "remarks": list(self.remarks),
        }


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

    """

    _shown: ClassVar[tuple[str, ...]] = (
        "rows",
        "columns",
    )

    rows: int
    columns: tuple[ColumnProfile, ...]
    together: Separation
    unique_sets: MinimalSets
    near_unique_sets: MinimalSets
    proposed_persons: tuple[ProposedPersons, ...] = ()
    repeated_persons: RepeatedPersons | None = None

    def names(self, role: Role) -> list[str]:
        """Return the columns of one role, in the order of the table."""
        return [column.name for column in self.columns if column.role is role]

    @property
    def entity(self) -> Entity:
        """Who is who: what tells persons apart, or that each row is one."""
        return entity_of(self.columns, self.proposed_persons, self.repeated_persons)

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
        """Return a row for each column, its role and why; and what is known about persons."""
        rows = [
            (column.name, str(column.role), "; ".join(column.evidence)) for column in self.columns
        ]
        lead = (
            f"records {self.rows:,} · current k {self.together.smallest:,} · "
            f"records alone in their class {self.together.uniques:,}"
        )
        tables = [ResultTable(("column", "role", "why"), rows, lead=lead)]
        if self.persons:
            tables.append(ResultTable(("persons",), [(person,) for person in self.persons]))
        return tables

    def policy(self, k: int = 5) -> Policy:
        """Return the policy that the profile suggests.

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
            Smallest number of records of a class.

        Raises
        ------
        PolicyError
            No column is a quasi-identifier, or k is no number of at least 1.

        """
        return Policy.from_text(self.policy_text(k), source="the suggested policy")

    def write_policy(self, path: str | os.PathLike[str], k: int = 5) -> None:
        """Write the suggested policy as YAML, with the evidence as comments, for an editor.

        Raises
        ------
        DataError
            The file cannot be written.

        """
        write_text(Path(path), self.policy_text(k))

    def policy_text(
        self,
        k: int = 5,
        algorithm: Mapping[str, Any] = MONDRIAN,
        why: Sequence[str] = (),
    ) -> str:
        """Return the YAML text of the suggested policy.

        Parameters
        ----------
        k
            Smallest number of records of a class.
        algorithm
            The form of the algorithm.
        why
            What is said above it.

        """
        levels = algorithm["type"] in OF_LEVELS
        entity = self.entity
        counted = {"entity": entity.name} if entity.values >= k else {}
        form = {
            "version": 1,
            "attributes": {column.name: attribute_form(column) for column in self.columns},
            "models": [
                {"type": "k-anonymity", "k": k, **counted},
                *(
                    _model(column)
                    for column in self.columns
                    if column.role is Role.SENSITIVE and column.content.counted.distinct >= 2
                ),
            ],
            **({"rows": "persons"} if entity.rows_are_persons else {}),
            "algorithm": dict(algorithm),
            **({} if levels else {"recoding": "interval"}),
            "suppression_limit": 0.0,
        }
        comments: dict[tuple[str, ...], list[str]] = {
            ("attributes", column.name): [
                _as_remark(text)
                for text in (
                    *column.evidence,
                    *(() if column.role is Role.IDENTIFIER else column.remarks),
                )
            ]
            for column in self.columns
        }
        comments["algorithm",] = list(why)
        if entity.reason:
            comments["rows" if entity.rows_are_persons else "models",] = [_as_remark(entity.reason)]
        comments["recoding",] = [RECODED]
        return policy_yaml(form, self._heading(k), comments)

    def _heading(self, k: int) -> list[str]:
        known = self.names(Role.QUASI_IDENTIFIER)
        heading = [f"Suggested from {self.rows:,} records.", *HEADING]
        if known:
            heading.append(
                f"As the table is, {self.together.uniques:,} of the records are unique in their "
                f"quasi-identifiers."
            )
        near = self.near_unique_sets
        for how, found in (
            ("All records differ in", self.unique_sets),
            (f"A record equals at most {near.others:g} others, on average, in", near),
        ):
            if found.sets:
                named = "; ".join(", ".join(names) for names, _ in found.sets[:SHOWN])
                more = f"; and {len(found.sets) - SHOWN} more" if len(found.sets) > SHOWN else ""
                heading.append(f"{how}: {named}{more}.")
        if not known:
            heading.append(_as_remark(NOTHING_TO_RECODE.to_text()))
        if self.rows < k:
            heading.append(f"There are fewer than {k} records: no release satisfies this policy.")
        return heading


def attribute_form(one: ColumnProfile) -> dict[str, Any]:
    """Return the policy's form of a column; one that may be released as lists has no hierarchy."""
    form: dict[str, Any] = {"role": str(one.role)}
    hierarchy = one.role is Role.QUASI_IDENTIFIER and not _listable(one.content)
    if hierarchy and one.content.suggestion is not None:
        ((kind, given),) = one.content.suggestion.builder.to_dict().items()
        form["hierarchy"] = {kind: given} if given else kind
    if one.reading is not None and one.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        given = declared_form(one.reading)
        form |= {name: value for name, value in given.items() if value is not None}
    actions = _action(one)
    return form | ({"action": actions} if actions else {})


def _action(one: ColumnProfile) -> list[dict[str, Any]] | None:
    """Return what is suggested to do to the values before the release."""
    rounding = one.content.rounding
    return rounding.actions if rounding and one.role is Role.SENSITIVE else None


def _listable(content: Content) -> bool:
    """Whether a list of the column's values is short, and tells as much as a range would."""
    named = content.type in ("text", "categories", "yes or no")
    return named and content.counted.distinct <= LISTED and not content.traits & {*NO_LISTS}


def _model(one: ColumnProfile) -> dict[str, Any]:
    """Return what is asked of a sensitive column: one that the whole table satisfies.

    Where a value has more than 80 % of the records, t-closeness: l-diversity would ask next to
    nothing. t is below half of the share of all other values, and at least 0.02: no class then
    leaves half of the doubt that the table leaves or less, unless the others are rarer than 4 %.
    """
    distinct, share = _value_counts(one.content)
    if share <= MOST_FREQUENT:
        diversity = _diversity(distinct, share)
        return {"type": "l-diversity", "attribute": one.name, **diversity}
    t = max(LEAST_T, (math.ceil(100 * (1 - share) / 2 - 1e-9) - 1) / 100)
    return {"type": "t-closeness", "attribute": one.name, "t": t}


def _value_counts(content: Content) -> tuple[int, float]:
    """Return the distinct values and the share of the most frequent one, after its action."""
    counted, rounding = content.counted, content.rounding
    if rounding is None:
        return counted.distinct, content.largest / counted.records
    largest = max(rounding.largest, content.nulls)
    return rounding.values + (content.nulls > 0), largest / counted.records


def _diversity(distinct: int, share: float) -> dict[str, Any]:
    """Return which l-diversity is asked of a column: one that the whole table satisfies.

    Two distinct values are little where there are few, or where one has most of the records:
    a class of a thousand records, all but one of which agree, has two. Entropy l-diversity
    then asks for half of the way from one value to what the table has at the least, given the
    share p of its most frequent value: as many values of that share as there is room for, and
    one of the rest.
    """
    if distinct > FEW_VALUES and share <= DOMINATES:
        return {"l": 2}
    rest = 1 - share * math.floor(1 / share)
    shares = [*[share] * math.floor(1 / share), *([rest] if rest > 0 else [])]
    possible = math.exp(-sum(p * math.log(p) for p in shares))
    return {"l": math.floor(100 * (1 + possible) / 2) / 100, "kind": "entropy"}


def _as_remark(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:] + "."
