"""What an algorithm refused for sensitive values, where class sizes would have allowed it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanonym.data.partition import Partition
from kanonym.data.results import ShortRepr
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows


@dataclass(frozen=True, slots=True, repr=False)
class Units(ShortRepr):
    """The records of each class by their quasi-identifiers: those of a unit are alike.

    of_row: (n_rows,) int32, the unit of each record; -1 for suppressed ones.
    sizes: (n_units,) int64 records.
    classes: (n_units,) int32, ascending.
    profiles: (n_units,) int32: units of equal quasi-identifiers have equal numbers.
    codes: (n_units, d) int32, their quasi-identifiers.
    """

    _shown: ClassVar[tuple[str, ...]] = ("n_units",)

    of_row: Int32s
    sizes: Ints
    classes: Int32s
    profiles: Int32s
    codes: Int32s

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.sizes)

    @classmethod
    def of(cls, table: EncodedTable, partition: Partition) -> Units:
        """Return the units of a division of a table."""
        d = len(table.domains)
        alike = group_rows(
            [np.ascontiguousarray(table.codes[:, a]) for a in range(d)],
            [domain.size for domain in table.domains],
        )
        profile = alike.labels[table.tuple_of_row]
        label = partition.labels if partition.by_row else partition.labels[table.tuple_of_row]
        kept = np.flatnonzero(label >= 0)
        groups = group_rows(
            [np.ascontiguousarray(label[kept]), np.ascontiguousarray(profile[kept])],
            [partition.n_classes, len(alike.sizes)],
        )
        of_row = np.full(len(label), -1, np.int32)
        of_row[kept] = groups.labels
        profiles = np.ascontiguousarray(groups.codes[:, 1])
        classes = np.ascontiguousarray(groups.codes[:, 0])
        return cls(of_row, groups.sizes, classes, profiles, alike.codes[profiles])

    def by_class(self) -> list[Ints]:
        """Return the units of each class."""
        n_classes = int(self.classes.max(initial=-1)) + 1
        bounds = np.searchsorted(self.classes, np.arange(n_classes + 1))
        return np.split(np.arange(self.n_units), bounds[1:-1]) if n_classes else []


@dataclass(frozen=True, slots=True, repr=False)
class Refusals(ShortRepr):
    """Groups of records that were large enough, and of which some failed a model.

    offsets: (n_refusals + 1,) int64: of the groups offsets[i] to offsets[i + 1] (exclusive), at
    least one fails the models.
    """

    _shown: ClassVar[tuple[str, ...]] = ("n_refusals",)

    units: Units
    groups: tuple[Int32s, ...]
    offsets: Ints

    @property
    def n_refusals(self) -> int:
        """Number of refusals."""
        return len(self.offsets) - 1

    @classmethod
    def of(cls, units: Units, refused: Iterable[Sequence[Ints]]) -> Refusals:
        """Return refusals, each the groups of units of which one fails; equal ones once."""
        groups: list[Int32s] = []
        ends = [0]
        seen: set[tuple[bytes, ...]] = set()
        for one in refused:
            some = sorted((np.sort(group).astype(np.int32) for group in one), key=bytes)
            key = tuple(group.tobytes() for group in some)
            if key in seen:
                continue
            seen.add(key)
            groups += some
            ends.append(len(groups))
        return cls(units, tuple(groups), np.array(ends, np.int64))

    def groups_of(self, refusal: int) -> tuple[Int32s, ...]:
        """Return the groups of one refusal."""
        return self.groups[self.offsets[refusal] : self.offsets[refusal + 1]]


def cut_in_two(units: Ints, sizes: Ints, keys: Int32s, least: int) -> Iterable[tuple[Ints, Ints]]:
    """Yield the two sides of every cut between different keys that size allows.

    units: (n,) units of a class, keys: (n,) int32 by unit; units of equal keys stay together.
    sizes: (n_units,) records of every unit. least: records of each side, at least.
    """
    order = units[np.argsort(keys, kind="stable")]
    upto = np.cumsum(sizes[order])
    apart = np.diff(np.sort(keys)) != 0
    allowed = apart & (upto[:-1] >= least) & (upto[-1] - upto[:-1] >= least)
    for at in np.flatnonzero(allowed).tolist():
        yield order[: at + 1], order[at + 1 :]


@dataclass(frozen=True, slots=True, repr=False)
class Replay(ShortRepr):
    """What somebody finds who carries out an algorithm again, beside the truth.

    secrets: (n_rows,) int32, the true value of each record; -1 for one that does not count as a
    distinct one. by_size: (n_rows,) int32, the class that quasi-identifiers alone lead to, -1 for
    none; None where that is not known of the algorithm.
    """

    _shown: ClassVar[tuple[str, ...]] = ("refusals", "least")

    refusals: Refusals
    attribute: str
    least: int
    values: tuple[str, ...]
    secrets: Int32s
    by_size: Int32s | None = None
