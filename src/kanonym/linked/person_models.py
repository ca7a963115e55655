"""What privacy models say of classes of persons with rows in several tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.schema import Sensitive
from kanonym.kernels.classes.grouping import Groups
from kanonym.linked.linked_policy import LinkedPolicy, Tables
from kanonym.linked.person_rows import Codes, LinkedRows, codes_of
from kanonym.models.base import PrivacyModel
from kanonym.verification import ModelCheck, SensitiveColumn, classes_of_release

SLACK = 1e-12
"""Shares are quotients of integers: what is as large as alpha is not above it."""


class HeldValues(NamedTuple):
    """Which persons have which values in a column of another table, each pair once: (n_pairs,)."""

    persons: Codes
    values: Codes

    @classmethod
    def of(cls, persons: Codes, column: pl.Series) -> HeldValues:
        """Return who has which value; null is none."""
        present = column.is_not_null().to_numpy()
        codes = codes_of(column)
        pairs = np.unique(np.stack([persons[present], codes[present]], axis=1), axis=0)
        return cls(pairs[:, 0], pairs[:, 1])

    def largest_shares(self, classes: Codes) -> NDArray[np.float64]:
        """Return (n_classes,) float64: the share of the persons who have the commonest value.

        classes: (n_persons,) int64, the class of each person.
        """
        sizes = np.bincount(classes)
        most = np.zeros(len(sizes), np.int64)
        if len(self.persons):
            span = int(self.values.max()) + 1
            keys, counts = np.unique(classes[self.persons] * span + self.values, return_counts=True)
            np.maximum.at(most, keys // span, counts)
        return most / np.maximum(sizes, 1)


@dataclass(frozen=True, slots=True)
class PersonModels:
    """The models of a policy, asked about classes of persons.

    own: models of the table of persons. elsewhere: of attributes of other tables, by the share of
    persons with a value. sensitive: what `own` look at. held: by `table.column`, who has what.
    """

    own: Sequence[PrivacyModel]
    elsewhere: Sequence[PrivacyModel]
    sensitive: Sequence[SensitiveColumn]
    held: Mapping[str, HeldValues]

    @classmethod
    def of(
        cls,
        tables: Tables,
        rows: LinkedRows,
        policy: LinkedPolicy,
        original: pl.DataFrame | None = None,
    ) -> PersonModels:
        """Return the models of a policy over tables; original: the table of persons before."""
        person, frame = policy.tables[policy.person], tables[policy.person]
        sensitive = [
            SensitiveColumn(
                frame[name],
                attribute.hierarchy,
                attribute.nulls == "exclude",
                None if original is None else original[name],
            )
            for name, attribute in person.attributes.items()
            if isinstance(attribute, Sensitive) and name in frame.columns
        ]
        held = {
            f"{name}.{column}": HeldValues.of(rows.persons[name], tables[name][column])
            for name in policy.order[1:]
            for column in policy.tables[name].sensitive
            if column in tables[name].columns
        }
        elsewhere = [one for one in policy.models if one.attribute in held]
        own = [one for one in policy.models if one.attribute not in held]
        return cls(own, elsewhere, sensitive, held)

    def failing(self, classes: Codes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: which classes fail a model.

        classes: (n_persons,) int64, numbered from 0, none empty.
        """
        _, first, sizes = np.unique(classes, return_index=True, return_counts=True)
        no_columns = np.zeros((len(sizes), 0), np.int32)
        groups = Groups(classes.astype(np.int32), sizes, first, no_columns)
        named = {model.attribute for model in self.own}
        seen = classes_of_release(
            groups, [one for one in self.sensitive if one.values.name in named]
        )
        failing = np.zeros(len(sizes), np.bool_)
        for model in self.own:
            for criterion in model.criteria():
                failing |= ~criterion.satisfied(seen)
        for model in self.elsewhere:
            failing |= self.failing_elsewhere(model, classes, sizes)
        return failing

    def failing_elsewhere(
        self, model: PrivacyModel, classes: Codes, sizes: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: which classes fail a model about another table."""
        shares = self.held[str(model.attribute)].largest_shares(classes)
        return (shares > float(model.required) + SLACK) | (sizes < getattr(model, "k", 1))

    def check_elsewhere(self, model: PrivacyModel, classes: Codes) -> ModelCheck:
        """Return what a model about another table is found to be."""
        failed = self.failing_elsewhere(model, classes, np.bincount(classes)).any()
        achieved = float(self.held[str(model.attribute)].largest_shares(classes).max(initial=0.0))
        if failed and achieved <= float(model.required) + SLACK:  # a class is too small
            achieved = float("inf")
        return ModelCheck(
            model.type,
            model.attribute,
            model.required,
            achieved,
            not failed,
            protects=model.protects,
        )
