"""What privacy models say of classes of persons with rows in several tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.schema import Sensitive
from kanonym.data.table import value_codes
from kanonym.kernels.classes.grouping import Groups
from kanonym.linked.keys.integrity import Tables
from kanonym.linked.persons.linked_rows import LinkedRows
from kanonym.linked.persons.person_trees import Codes
from kanonym.linked.policies.linked_policy import LinkedPolicy
from kanonym.models.base import PrivacyModel
from kanonym.verification import SensitiveColumn, classes_of_release


class HeldValues(NamedTuple):
    """Which persons have which values in a column of another table, each pair once.

    Attributes
    ----------
    persons, values
        (n_pairs,) int64.

    """

    persons: Codes
    values: Codes

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

    Attributes
    ----------
    own
        Models of the table of persons.
    elsewhere
        Models of sensitive attributes in other tables, by the share of persons with a value.
    sensitive
        The sensitive attributes that `own` look at.
    held
        By `table.column`, who has which value.

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
        person = policy.tables[policy.person]
        sensitive = []
        for name in person.sensitive:
            if name not in tables[policy.person].columns:
                continue
            attribute = person.attributes[name]
            assert isinstance(attribute, Sensitive)  # noqa: S101 - it is one of these
            reference = None if original is None else original[name]
            excluded = attribute.nulls == "exclude"
            sensitive.append(
                SensitiveColumn(
                    tables[policy.person][name], attribute.hierarchy, excluded, reference
                )
            )
        held = {
            f"{name}.{column}": _held(rows.persons[name], tables[name][column])
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
        labels, first, sizes = _labels(classes)
        groups = Groups(labels, sizes, first, np.zeros((len(sizes), 0), np.int32))
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


SLACK = 1e-12
"""Shares are quotients of integers: what is as large as alpha is not above it."""


def _labels(
    classes: Codes,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the class of each person, its first person, and its size."""
    _, first, labels, sizes = np.unique(
        classes, return_index=True, return_inverse=True, return_counts=True
    )
    return labels.astype(np.int32), first.astype(np.int64), sizes.astype(np.int64)


def _held(persons: Codes, values: pl.Series) -> HeldValues:
    """Return who has which value; null is none."""
    present = values.is_not_null().to_numpy()
    codes = value_codes(values)[0].astype(np.int64)
    pairs = np.unique(np.stack([persons[present], codes[present]], axis=1), axis=0)
    return HeldValues(pairs[:, 0], pairs[:, 1])
