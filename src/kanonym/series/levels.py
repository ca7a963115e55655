"""A recoding by levels: every value is generalized to the level of its attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data.partition import BLANK, Partition
from kanonym.data.results.short_repr import ShortRepr
from kanonym.data.table import EncodedTable
from kanonym.kernels.classes.grouping import group_rows
from kanonym.recoding.generalization import generalize
from kanonym.recoding.recode import join_equal
from kanonym.series.decision import BatchDecision
from kanonym.series.known_attribute import KnownAttribute, PlacedColumn


@dataclass(frozen=True, repr=False)
class Levels(ShortRepr):
    """One level an attribute, as full-domain recoding finds them.

    Attributes
    ----------
    known
        What is known of each quasi-identifier: all of them have hierarchies.
    levels
        The level of each.

    A value that the hierarchy does not place becomes the root; at level 0, where values keep
    their type, null.

    """

    form: ClassVar[str] = "levels"

    known: tuple[KnownAttribute, ...]
    levels: tuple[int, ...]

    @property
    def named_values(self) -> list[pl.Series]:
        """The values by attribute that must have codes in every batch: none."""
        return [pl.Series(one.name, [], dtype=one.dtype) for one in self.known]

    def decide(self, table: EncodedTable, placed: Sequence[PlacedColumn]) -> BatchDecision:
        """Return the classes of a batch.

        table: its frequency set, with the domains of `placed`. Cost O(n_tuples · d).
        """
        n, d = table.codes.shape
        levels = np.empty((n, d), np.int32)
        strange = np.empty((n, d), np.bool_)
        labels, sizes = [], []
        for a, (one, level) in enumerate(zip(placed, self.levels, strict=True)):
            own = np.ascontiguousarray(table.codes[:, a])
            # Level 0 releases values themselves: no rule makes one of the fit's out of a new one.
            strange[:, a] = (one.strange if level else one.new)[own]
            at, otherwise = one.levels[level], one.levels[-1] if level else BLANK
            levels[:, a] = np.where(strange[:, a], otherwise, at)
            hierarchy = one.domain.hierarchy
            assert hierarchy is not None  # noqa: S101 - all known ones have one
            top = len(hierarchy.labels[at])
            root = 0 if level == len(one.levels) - 1 else top
            labels.append(np.where(strange[:, a], root, hierarchy.codes[at, own]).astype(np.int32))
            sizes.append(top + 1)
        groups = group_rows(labels, sizes)
        partition = Partition(
            groups.labels,
            len(groups.sizes),
            levels=np.ascontiguousarray(levels[groups.first]),
            account={"fitted_levels": self.by_name},
        )
        dtypes = [one.dtype for one in placed]
        recoded = _recode(table, partition, dtypes)
        joined = join_equal(table, partition, recoded)
        while joined is not partition:
            partition, recoded = joined, _recode(table, joined, dtypes)
            joined = join_equal(table, partition, recoded)
        return BatchDecision(table, partition, recoded, strange, np.zeros(n, np.bool_))

    @property
    def by_name(self) -> dict[str, int]:
        """The level of each attribute."""
        return {one.name: level for one, level in zip(self.known, self.levels, strict=True)}

    def describe(self) -> dict[str, Any]:
        """Return the level and the highest one of each attribute."""
        attributes: dict[str, Any] = {}
        for one, level in zip(self.known, self.levels, strict=True):
            highest = 0 if one.hierarchy is None else one.hierarchy.n_levels - 1
            attributes[one.name] = {"type": str(one.dtype), "level": level, "highest": highest}
        return {"form": self.form, "attributes": attributes}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        attributes = {
            one.name: {"level": level, **one.to_dict()}
            for one, level in zip(self.known, self.levels, strict=True)
        }
        return {"form": self.form, "attributes": attributes}

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> Levels:
        """Return what `to_dict` wrote."""
        attributes = form["attributes"].items()
        return cls(
            tuple(KnownAttribute.from_dict(name, one) for name, one in attributes),
            tuple(int(one["level"]) for _, one in attributes),
        )


def _recode(table: EncodedTable, partition: Partition, dtypes: Sequence[pl.DataType]) -> Any:
    levels = partition.levels
    assert levels is not None  # noqa: S101 - made above
    return generalize(table.domains, levels, table.codes, partition.labels, dtypes)
