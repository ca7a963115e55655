"""Released tables of the same persons, as verification sees them: a record is a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.message import Message
from kanonym.data.partition import Distribution
from kanonym.data.schema import Attribute, Insensitive, QuasiIdentifier, Role, Schema, Sensitive
from kanonym.data.table import value_codes
from kanonym.linked.copied_columns import copied_columns, hidden_copies
from kanonym.linked.dates import milliseconds, shifted_columns, times_since_first
from kanonym.linked.fitted_policy import released_policy, with_column_roles
from kanonym.linked.given_tables import Column, Tables, as_key, parent_rows
from kanonym.linked.linked_policy import LinkedPolicy
from kanonym.linked.linked_rows import Codes, LinkedRows, combine, known_codes, known_names
from kanonym.linked.person_models import SLACK, PersonModels
from kanonym.models.base import PrivacyModel
from kanonym.verification import (
    ColumnValues,
    FrequencySet,
    ModelCheck,
    ReleaseView,
)
from kanonym.verification.checked_classes import CheckedClasses, check_models
from kanonym.verification.findings.dominant_value import DOUBT_LEFT, NEARLY_ALL, DominatedClasses
from kanonym.verification.frequency_set import values_of
from kanonym.verification.release_view import SampledColumns

SAMPLED = 10_000
"""Rows of a table that are looked at for columns that tell others."""
TREE = "rows in other tables"
"""Stands for a person's rows in other tables, as one more attribute of the person."""


@dataclass(frozen=True, slots=True)
class PersonPolicy:
    """What a linked policy requires of persons, as verification reads it.

    Attributes
    ----------
    attributes
        Those of the table of persons by name, of other tables by `table.column`.
    models, others
        As of the linked policy.

    """

    rows: ClassVar[Literal["persons"]] = "persons"

    attributes: Mapping[str, Attribute]
    models: Sequence[PrivacyModel]
    others: Role | None

    @property
    def entities(self) -> list[str]:
        """None: each row of the table of persons is a person."""
        return []


@dataclass(frozen=True, slots=True)
class LinkedColumns:
    """The released columns of all tables.

    Attributes
    ----------
    tables, rows
        The tables, and the person of each row.
    places
        By the name that verification knows, the table and the column.

    """

    tables: Tables
    rows: LinkedRows
    places: Mapping[str, Column]

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(self.places)

    def take(self, names: Sequence[str]) -> FrequencySet:
        """Return columns of the table of persons."""
        del names
        person = self.rows.policy.person
        return FrequencySet(self.tables[person].get_column, self.tables[person].height)

    def values(self, name: str) -> ColumnValues:
        """Return how often the values of a column are repeated by different persons."""
        table, column = self.places[name]
        whose = pl.Series(self.rows.persons[table]) if table in self.rows.persons else None
        own = values_of(self.tables[table].get_column, column, persons=whose)
        return own._replace(sample=own.sample.alias(name))

    def sample(self, names: Sequence[str]) -> pl.DataFrame:
        """Return records of the table of persons."""
        return self.tables[self.rows.policy.person].select(names)

    def records(self) -> pl.DataFrame:
        """Return the table of persons."""
        return self.tables[self.rows.policy.person]


@dataclass(frozen=True, kw_only=True)
class LinkedView(ReleaseView):
    """Released tables, with the classes of persons who are alike with all their rows.

    Attributes
    ----------
    tables, linked_policy
        The released tables, and their policy without what was dropped.
    before, asked
        The tables before anonymization, None where they are not given, and their policy.
    person_table
        The table of persons, whose sensitive values classes are compared with; or None.
    named
        The columns that the policy names.

    """

    linked: ClassVar[bool] = True

    tables: Tables
    linked_policy: LinkedPolicy
    before: Tables | None
    asked: LinkedPolicy
    person_table: pl.DataFrame | None
    named: AbstractSet[Column]

    @classmethod
    def of(
        cls,
        tables: Tables,
        given: LinkedPolicy,
        before: Tables | None,
        person_table: pl.DataFrame | None,
    ) -> LinkedView:
        """Return a view of released tables; given: the policy, without bands."""
        named = {(name, one) for name, table in given.tables.items() for one in table.attributes}
        policy = with_column_roles(released_policy(given, tables), tables)
        rows = LinkedRows.of(tables, policy)
        places = {
            column if name == policy.person else f"{name}.{column}": (name, column)
            for name, table in policy.tables.items()
            for column in table.attributes
            if column in tables[name].columns and column not in table.linking
        }
        attributes = {
            place: policy.tables[name].attributes[column]
            for place, (name, column) in places.items()
        }
        released = LinkedColumns(tables, rows, places)
        return cls(
            policy=PersonPolicy(attributes, policy.models, policy.others),
            schema=Schema(attributes),
            released=released,
            labels=known_names(tables, policy, policy.person),
            original=None if before is None else LinkedColumns(before, rows, places),
            tables=tables,
            linked_policy=policy,
            before=before,
            asked=given if before is None else with_column_roles(given, before),
            person_table=person_table,
            named=named,
        )

    @property
    def rows(self) -> LinkedRows:
        """The person of each row."""
        assert isinstance(self.released, LinkedColumns)  # noqa: S101 - `of` made it
        return self.released.rows

    @property
    def _places(self) -> Mapping[str, Column]:
        assert isinstance(self.released, LinkedColumns)  # noqa: S101 - `of` made it
        return self.released.places

    @property
    def persons(self) -> Message:
        """Who the persons are."""
        return Message("each row of {table} is a person", table=self.linked_policy.person)

    @property
    def unit(self) -> str:
        """What is counted, for messages."""
        return "persons"

    @property
    def unnamed(self) -> list[str]:
        """The released columns that only `others` makes insensitive."""
        if self.policy.others is not Role.INSENSITIVE:
            return []
        return [name for name, place in self._places.items() if place not in self.named]

    @cached_property
    def own(self) -> dict[str, Codes]:
        """By table, equal numbers for rows with equal quasi-identifiers."""
        return known_codes(self.tables, self.linked_policy)

    @cached_property
    def person_models(self) -> PersonModels:
        """The models, asked about persons."""
        return PersonModels.of(self.tables, self.rows, self.linked_policy, self.person_table)

    @cached_property
    def person_classes(self) -> Codes:
        """(n_persons,) int64: equal numbers for persons who are alike with all their rows."""
        trees = self.rows.trees(self.own, counting=self.linked_policy.counting)
        return combine([self.own[self.linked_policy.person], trees], self.rows.n_persons)

    @cached_property
    def checked(self) -> CheckedClasses:
        """The classes of persons, and what every model says of them."""
        models, person = self.person_models, self.tables[self.linked_policy.person]
        tree = pl.Series(TREE, self.rows.trees(self.own, counting=self.linked_policy.counting))
        known = [person[name] for name in self.labels]
        checked = check_models([*known, tree], models.sensitive, models.own, person.height)
        classes = self.person_classes
        sizes = np.bincount(classes) if len(classes) else np.zeros(0, np.int64)
        failing = models.failing(classes) if len(classes) else np.zeros(0, np.bool_)
        checks = {id(one): check for one, check in zip(models.own, checked.checks, strict=True)}
        for model in models.elsewhere:
            failed = models.failing_elsewhere(model, classes, sizes)
            checks[id(model)] = self._check_elsewhere(model, satisfied=not failed.any())
        for one in checked.violating:
            one["class"].pop(TREE, None)
        return replace(
            checked,
            checks=tuple(checks[id(one)] for one in self.linked_policy.models),
            n_violating=int(failing.sum()),
            labels=checked.labels[:-1],
        )

    def _check_elsewhere(self, model: PrivacyModel, *, satisfied: bool) -> ModelCheck:
        shares = self.person_models.held[str(model.attribute)].largest_shares(self.person_classes)
        achieved = float(shares.max(initial=0.0))
        within = achieved <= float(model.required) + SLACK
        return ModelCheck(
            model.type,
            model.attribute,
            model.required,
            achieved if satisfied or not within else float("inf"),
            satisfied,
            protects=model.protects,
        )

    @cached_property
    def distributions(self) -> dict[str, Distribution]:
        """How sensitive attributes of the table of persons are distributed over classes."""
        found = {}
        for name in self.sensitive:
            if name in self.checked.classes.distributions:
                found[name] = self.checked.classes.distributions[name]
        return found

    def dominated_classes(self, name: str) -> DominatedClasses:
        """Return the classes in which nearly all persons have one value of an attribute."""
        held = self.person_models.held.get(name)
        if held is None:
            return super().dominated_classes(name)
        shares = held.largest_shares(self.person_classes)
        sizes = np.bincount(self.person_classes)
        table = held.largest_shares(np.zeros_like(self.person_classes)).max(initial=0.0)
        nearly = (shares >= NEARLY_ALL) & (1 - shares <= DOUBT_LEFT * (1 - table) + SLACK)
        return DominatedClasses(shares[nearly], sizes[nearly], len(shares))

    def records_in_small_classes(self, names: Sequence[str]) -> int:
        """Return the persons in classes of fewer than k, if further columns are known, too."""
        known = dict(self.own)
        for place in names:
            name, column = self._places[place]
            codes = value_codes(self.tables[name][column])[0].astype(np.int64)
            known[name] = combine([known[name], codes], len(codes))
        sizes = self._sizes_if_known(known, {self._places[one][0] for one in names})
        return int((sizes < self.k).sum())

    def _sizes_if_known(self, known: Mapping[str, Codes], tables: set[str]) -> NDArray[np.int64]:
        """Return (n_persons,) persons in the class of each, if rows of some tables are known."""
        policies = dict(self.linked_policy.tables)
        for name in tables:
            at = policies[name]
            while at.owner is not None:
                policies[at.name] = replace(at, known=True)
                at = policies[at.owner.table]
        counted = replace(self.rows, policy=replace(self.linked_policy, tables=policies))
        trees = counted.trees(known, counting=self.linked_policy.counting)
        classes = combine([known[self.linked_policy.person], trees], self.rows.n_persons)
        return np.bincount(classes)[classes] if len(classes) else classes

    def sampled_columns(self) -> Iterator[SampledColumns]:
        """Yield rows of each table, with the quasi-identifiers of the rows that they belong to."""
        if self.before is None:
            return
        for name in self.asked.order:
            table = self.asked.tables[name]
            at, above = table, np.arange(self.before[name].height, dtype=np.int64)
            rows = np.arange(0, len(above), max(1, -(-len(above) // SAMPLED)))
            columns, known = [], []
            while True:
                frame = self.before[at.name]
                place = pl.Series(above[rows])
                for column in frame.columns:
                    attribute = at.attributes.get(column)
                    if column in at.linking or not _is_plain(frame[column]):
                        continue
                    title = column if at.name == self.asked.person else f"{at.name}.{column}"
                    is_known = isinstance(attribute, QuasiIdentifier)
                    open_ = isinstance(attribute, Insensitive | Sensitive) and not attribute.action
                    if is_known or (at is table and open_):
                        columns.append(frame[column].gather(place).alias(title))
                    if is_known:
                        known.append(title)
                if at.owner is None:
                    break
                parents = parent_rows(self.before, at, at.owner, self.asked)
                above = parents[above]
                at = self.asked.tables[at.owner.table]
            others = [one.name for one in columns if one.name not in known]
            if known and others:
                yield SampledColumns(pl.DataFrame(columns), known, others)

    def copied_columns(self) -> list[tuple[str, str]]:
        """Return columns that repeat a hidden column of another table, with it."""
        if self.before is None:
            return []
        copies = copied_columns(self.before, self.asked)
        return hidden_copies(copies, self.asked, partial(_is_changed, self.before, self.tables))

    def interval_persons(self) -> tuple[tuple[str, ...], int, int] | None:
        """Return the shifted dates whose intervals are known, with how many of all are found."""
        dates = {
            (name, column): days
            for name, column in self._shifted
            if column not in self.linked_policy.tables[name].quasi_identifiers
            and (days := milliseconds(self.tables[name][column])) is not None
        }
        if not self._shifted:
            return None
        known = dict(self.own)
        for (name, _), since in times_since_first(dates, self.rows).items():
            known[name] = combine([known[name], since], len(since))
        sizes = self._sizes_if_known(known, {name for name, _ in dates})
        few = int((sizes < max(self.k, 2)).sum())
        names = tuple(f"{name}.{column}" for name, column in dates)
        return (names, few, self.rows.n_persons) if few else None

    def unshifted_dates(self) -> tuple[str, ...]:
        """Return the dates of persons that do not shift with their other dates."""
        if not self._shifted:
            return ()
        policy = self.linked_policy
        return tuple(
            f"{name}.{column}"
            for name in policy.order
            for column in policy.tables[name].attributes
            if (name, column) not in self._shifted
            and column in self.tables[name].columns
            and column not in policy.tables[name].linking
            and milliseconds(self.tables[name][column]) is not None
        )

    @cached_property
    def _shifted(self) -> list[tuple[str, str]]:
        found = shifted_columns(self.linked_policy)
        return [(name, column) for name, column in found if column in self.tables[name].columns]


def _is_plain(column: pl.Series) -> bool:
    return not column.dtype.is_nested() and column.dtype != pl.Object


def _is_changed(before: Tables, after: Tables, name: str, column: str) -> bool:
    """Whether released values of a column are not those of the input."""
    if column not in after[name].columns:
        return True
    given: Any = set(as_key(before[name][column].unique()).to_list())
    return not set(as_key(after[name][column].unique()).to_list()) <= given
