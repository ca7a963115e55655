"""A release as verification sees it, whichever way it was made, and what its manifest recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from kanonym.actions.registry import has_late_actions
from kanonym.data import files
from kanonym.data.errors import DataError, Message, SchemaError, Sentence
from kanonym.data.item_sets import EncodedSets
from kanonym.data.partition import Distribution
from kanonym.data.person_key import PersonKey, columns_of
from kanonym.data.schema import Attribute, Insensitive, Role, Schema, Sensitive
from kanonym.kernels.arrays import Bools
from kanonym.models import KAnonymity, PrivacyModel
from kanonym.policy import Policy
from kanonym.policy.shorthand import model_of
from kanonym.profiling.groupings import CodedColumn, coded_columns
from kanonym.profiling.persons import ProposedPersons, proposed_persons
from kanonym.verification.checked_classes import CheckedClasses, PopulationColumn, check_models
from kanonym.verification.linked_rows import with_linked_rows
from kanonym.verification.released_classes import (
    Columns,
    Counting,
    FrequencySet,
    SensitiveColumn,
    Table,
    classes_of_release,
    group_released,
)
from kanonym.verification.verdict import (
    DominatedClasses,
    Finding,
    ModelCheck,
    PartName,
    dominated_classes,
)


@dataclass(frozen=True, slots=True)
class RecordedRelease:
    """What was known when a release was made."""

    persons: Mapping[str, float]
    findings: tuple[Finding, ...]
    drawn_columns: tuple[str, ...] = ()
    drawn_cells: int = 0

    def counts(self, model: PrivacyModel) -> bool:
        """Whether the manifest tells what a model achieved."""
        return model.entity is not None and model.entity in self.persons

    def with_checks(
        self, checks: Sequence[ModelCheck], models: Sequence[PrivacyModel], k: int
    ) -> tuple[ModelCheck, ...]:
        """Return the checks of all models, recorded ones too; k: of the smallest class."""
        others = iter(checks)
        return tuple(
            self._check(model, k) if self.counts(model) else next(others) for model in models
        )

    def _check(self, model: PrivacyModel, k: int) -> ModelCheck:
        achieved = min(self.persons[str(model.entity)], k)
        return ModelCheck(
            model.type,
            model.entity,
            model.required,
            achieved,
            achieved >= model.required or not k,
            trivial=model.required <= 1,
            recorded=True,
            guarantee=model.guarantee,
            protects=model.protects,
        )


def recorded_release(manifest: str | Path, released: str | Path, policy: Policy) -> RecordedRelease:
    """Read what the manifest of a release recorded."""
    try:
        form = json.loads(Path(manifest).read_text(encoding="utf-8"))
        digest, checked = form["output"]["sha256"], form["verification"]
        attributes = form["policy"]["attributes"]
        persons = {
            str(one["attribute"]): float(one["achieved"])
            for one in checked["models"]
            if one["type"] == KAnonymity.type and "attribute" in one
        }
        findings = tuple(map(Finding.from_dict, checked["findings"]))
    except OSError as error:
        raise DataError(f"{manifest}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError):
        raise DataError(
            f"{manifest}: is not a manifest of a released file; `kanonym anonymize` writes one"
        ) from None
    found, drawn = files.sha256(released), form.get("drawn")
    drawn = drawn if isinstance(drawn, Mapping) and drawn.get("cells") else {}
    is_drawn = drawn.get("sha256") == found
    if not is_drawn and found != digest:
        raise DataError(
            f"{released}: is not the file of the manifest {manifest} (another SHA-256): what was "
            "recorded of persons holds for that file alone"
        )
    role = str(Role.QUASI_IDENTIFIER)
    known = [name for name, one in attributes.items() if one.get("role") == role]
    asked = [name for name, one in policy.attributes.items() if one.role is Role.QUASI_IDENTIFIER]
    if sorted(known) != sorted(asked):
        raise DataError(
            f"{manifest}: the release has the quasi-identifiers {', '.join(known)}, the policy "
            f"{', '.join(asked)}: persons were counted in other classes"
        )
    if not is_drawn:
        return RecordedRelease(persons, findings)
    columns = tuple(map(str, drawn.get("columns", ())))
    return RecordedRelease(persons, findings, columns, int(drawn["cells"]))


class Mechanism(NamedTuple):
    """What shows of the mechanism of a release under differential privacy."""

    foreign: tuple[str, ...]
    delta: float
    repeatable: bool
    recorded: bool | None = None

    def judge(self, check: ModelCheck) -> ModelCheck:
        """Return a check as the mechanism has it, if it made the release and cannot repeat it."""
        if check.guarantee != "mechanism":
            return check
        satisfied = check.satisfied and not self.foreign and not self.repeatable
        return replace(check, satisfied=satisfied, repeatable=self.repeatable)


class SampledColumns(NamedTuple):
    """Records of a table before anonymization, of which columns may tell quasi-identifiers."""

    sample: pl.DataFrame
    known: Sequence[str]
    unprotected: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class ReleaseView:
    """A release as verification sees it: every way in makes one, and nothing else is looked at."""

    linked: ClassVar[bool] = False
    unit: ClassVar[str] = "records"  # what a row of the release is, for messages

    policy: Policy
    schema: Schema
    released: Columns
    labels: Sequence[str]
    original: Table | None = None
    reference: FrequencySet | None = None
    reference_told: bool = False
    population: Sequence[PopulationColumn] | None = None
    counting: Counting | None = None
    sets: EncodedSets | None = None
    mechanism: Mechanism | None = None
    recorded: RecordedRelease | None = None
    unread: tuple[str, ...] = ()
    hides_refusals: bool | None = None
    given_away: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def persons(self) -> Message | None:
        """Who the policy states the persons to be; None where it does not."""
        if self.policy.entities:
            return Message("k counts the persons of {column}", column=self.policy.entities[0])
        if self.policy.rows == "persons":
            return Message("the policy states that each row is a person")
        return None

    @property
    def models(self) -> list[PrivacyModel]:
        """The models that released values can answer."""
        recorded = self.recorded
        return [
            model for model in self.policy.models if recorded is None or not recorded.counts(model)
        ]

    @property
    def attributes(self) -> dict[str, Attribute]:
        """The released attributes, with their actions."""
        columns = set(self.released.columns)
        return {
            name: self.policy.attributes.get(name, one)
            for name, one in self.schema.attributes.items()
            if name in columns
        }

    @property
    def sensitive(self) -> list[str]:
        """The released sensitive attributes."""
        return [name for name, one in self.attributes.items() if isinstance(one, Sensitive)]

    @property
    def unnamed(self) -> list[str]:
        """The released columns that only `others` makes insensitive."""
        if self.policy.others is not Role.INSENSITIVE or not (self.labels or self.linked):
            return []
        return [name for name in self.released.columns if name not in self.policy.attributes]

    @property
    def k(self) -> int:
        """The k that is required, or else was reached."""
        asked = [check.required for check in self.checked.checks if check.type == model_of("k")]
        if asked:
            return int(max(asked))
        sizes = self.checked.classes.sizes
        return int(sizes.min()) if len(sizes) else 0

    @cached_property
    def checked(self) -> CheckedClasses:
        """The classes of the release, and what every model says of them."""
        models = self.models
        names = sensitive_names(self.schema, models)
        taken = self.released.take([*self.labels, *names])
        checked = check_models(
            [taken.column(name) for name in self.labels],
            [self.sensitive_column(taken, name) for name in names],
            models,
            taken.n_rows,
            taken.counts,
            self.population,
            self.counting,
            taken.as_text(self.labels),
            self.sets,
            reference_told=self.reference_told,
        )
        if self.mechanism is not None:
            checked = replace(checked, checks=tuple(map(self.mechanism.judge, checked.checks)))
        return with_linked_rows(self, checked)

    @cached_property
    def distributions(self) -> dict[str, Distribution]:
        """How each released sensitive attribute is distributed over classes; lists are left out."""
        found = {}
        for name in self.sensitive:
            held = self.checked.classes.distributions.get(name)
            if held is None:
                try:
                    taken = self.released.take([*self.labels, name])
                    column = self.sensitive_column(taken, name)
                except DataError:
                    continue
                groups = self.checked.groups
                if taken.counts is not None:
                    known = [taken.column(label) for label in self.labels]
                    groups = group_released(known, taken.n_rows)
                if not self.reference_told:
                    column = column.alone()
                classes = classes_of_release(groups, [column], taken.counts)
                held = classes.distributions[name]
            found[name] = held
        return found

    def judged(self, name: str) -> Bools:
        """Return (n_classes,) bool: classes in which null matches no other value."""
        if name in self.checked.classes.distributions:
            return self.checked.judged
        return np.ones(len(self.distributions[name].offsets) - 1, np.bool_)

    def dominated_classes(self, name: str) -> DominatedClasses:
        """Return the classes that are nearly all one value of a sensitive attribute."""
        found = {**self.distributions, **self.checked.classes.distributions}
        if name not in found:
            return DominatedClasses(np.zeros(0), np.zeros(0, np.int64), 0)
        return dominated_classes(found[name], self.judged(name))

    def records_in_small_classes(self, names: Sequence[str]) -> int:
        """Return the records in classes of fewer than k, if further columns are known, too."""
        columns = [*self.labels, *names]
        try:
            taken = self.released.take(columns)
            known = [taken.column(name) for name in columns]
        except DataError:  # so many combinations that they cannot be counted here
            return self.checked.rows
        groups = group_released(known, taken.n_rows)
        sizes = np.bincount(groups.labels, taken.counts).astype(np.int64)
        return int(sizes[sizes < self.k].sum())

    def sampled_columns(self) -> Iterator[SampledColumns]:
        """Yield samples of the original in which columns may tell quasi-identifiers."""
        known = self.schema.names(Role.QUASI_IDENTIFIER)
        unprotected = [
            name
            for name, one in self.schema.attributes.items()
            if isinstance(one, Insensitive | Sensitive) and not one.action
        ]
        if self.original is None or not known or not unprotected:
            return
        try:
            sample = self.original.sample([*known, *unprotected])
        except DataError:  # values that cannot come to this process
            return
        yield SampledColumns(sample, known, unprotected)

    @cached_property
    def coded_records(self) -> list[CodedColumn]:
        """The columns of records of the original, in which persons show, as codes."""
        return [] if self.original is None else coded_columns(self.original.records())

    @cached_property
    def proposed_persons(self) -> list[ProposedPersons]:
        """Who the persons may be; groups of persons count where nobody states that rows are."""
        stated = self.persons is not None
        proposed = proposed_persons(self.coded_records)
        return [person for person in proposed if not (stated and person.likely_groups)]

    def copied_columns(self) -> list[tuple[str, str]]:
        """Return columns of linked tables that repeat a hidden column of another one, with it."""
        return []

    def interval_persons(self) -> tuple[tuple[str, ...], int, int] | None:
        """Return the shifted dates whose intervals are known, with how many of all are found."""
        return None

    def unshifted_dates(self) -> tuple[str, ...]:
        """Return the dates of persons that do not shift with their other dates."""
        return ()

    def sensitive_column(self, taken: FrequencySet, name: str) -> SensitiveColumn:
        """Return a sensitive attribute, or an identifier of persons, as models look at it."""
        attribute = self.schema.attributes.get(name)
        if not isinstance(attribute, Sensitive):
            return SensitiveColumn(taken.column(name))
        compared = name in {model.attribute for model in self.policy.models}
        if self.reference is None or not compared or has_late_actions(attribute.action):
            return SensitiveColumn.of(taken.coded(name), attribute)
        counts = self.reference.counts
        return SensitiveColumn.of(taken.coded(name), attribute, self.reference.column(name), counts)


def sensitive_names(schema: Schema, models: Sequence[PrivacyModel]) -> list[str]:
    """Return the sensitive attributes and persons' identifiers that models look at, in order."""
    named = {
        model.attribute: model.type
        for model in models
        if model.attribute is not None and model.known_items is None
    }
    for name, model in named.items():
        for column in columns_of([name]):
            if column not in schema.attributes:
                raise SchemaError(
                    f"{model} is about {column!r}, but the table has no such column. "
                    f"It has: {', '.join(schema.attributes)}"
                )
    keys = [name for name in named if isinstance(name, PersonKey)]
    if taken := [name for name in keys if name in schema.attributes]:
        raise SchemaError(
            f"column {str(taken[0])!r} has the name of the persons of {taken[0]!r} together: "
            "rename it"
        )
    return [*(name for name in schema.attributes if name in named), *keys]


Evidence = Iterator[tuple[Sequence[str], str, Mapping[str, float]]]
"""What a search yields: of each finding its columns, its message, its counts."""


@dataclass(frozen=True, slots=True)
class FindingKind:
    """A kind of finding, of which `search` yields what a release has; see `findings.FINDINGS`."""

    type: str
    part: PartName
    sentence: str
    search: Callable[[ReleaseView], Evidence]
    needs_original: bool = False
    linked: bool = False

    @property
    def rests_on_original(self) -> bool:
        """Whether the original tells more of it than the release."""
        return self.needs_original or self.part == "persons"

    def find(self, view: ReleaseView) -> list[Finding]:
        """Return what a release has of this kind."""
        return [
            Finding(self.type, self.part, tuple(columns), message, counts)
            for columns, message, counts in self.search(view)
        ]


def finding_kind(
    type_: str, part: PartName, sentence: str, *, needs_original: bool = False, linked: bool = False
) -> Callable[[Callable[[ReleaseView], Evidence]], FindingKind]:
    """Make a kind of a search; linked: it is looked for in linked tables alone.

    sentence: for reports; it may name `columns` and what is counted.
    """
    return lambda search: FindingKind(
        type_, part, Sentence(sentence), search, needs_original, linked
    )
