"""What an algorithm decides about a table: equivalence classes, and what it refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl

from kanonym.data.results import ShortRepr
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.kernels.classes.grouping import group_rows

if TYPE_CHECKING:
    from kanonym.data.schema import Recoding


@dataclass(frozen=True, slots=True, repr=False)
class RecodedAttribute(ShortRepr):
    """One quasi-identifier after recoding, kept by class.

    label_of_class: (n_classes,) int32, the entry of `columns` that each class gets.
    low, high: (n_classes,) int32, the smallest and largest code in each class; where the algorithm
    chose levels, in the subtree of the class's label.
    loss: (n_classes,) float64 in [0, 1], the normalized certainty penalty of the class.
    """

    _shown: ClassVar[tuple[str, ...]] = ("name", "recoding")

    name: str
    recoding: Recoding | Literal["value"]
    columns: tuple[pl.Series, ...]
    label_of_class: Int32s
    low: Int32s
    high: Int32s
    loss: Floats


SUPPRESSED = -1
BLANK = -1
"""The level of a suppressed cell: it is released as null."""


@dataclass(frozen=True, slots=True, repr=False)
class Partition(ShortRepr):
    """Equivalence classes of a table: what an algorithm decides.

    labels: (n_tuples,) int32, the class of each tuple of the `EncodedTable`, or of each record
    where `by_row`; `SUPPRESSED` (-1) for suppressed records.
    levels: (n_classes, d) int32, the hierarchy level at which each class releases each
    quasi-identifier, `BLANK` for a suppressed cell; None where the recoding follows from what the
    class holds. All rows are equal after full-domain generalization.
    groups: (n_classes, d) int32, by class and quasi-identifier the group of classes whose records
    give the class its released value there; None where each class gives its own. The groups of an
    attribute run from 0, none empty. Algorithms that go column by column have them: their classes
    are the combinations of the columns' groups.
    chosen: (n_classes, d) int32, by class and quasi-identifier the code that is released where the
    recoding is `balanced`, -1 elsewhere; None where none is.
    """

    _shown: ClassVar[tuple[str, ...]] = ("n_classes",)

    labels: Int32s
    n_classes: int
    by_row: bool = False
    levels: Int32s | None = None
    groups: Int32s | None = None
    chosen: Int32s | None = None
    account: Mapping[str, Any] = field(default_factory=dict)

    def value_groups(self, a: int) -> tuple[Int32s, int]:
        """Return whose records give quasi-identifier a its released values: labels and number."""
        if self.groups is None:
            return self.labels, self.n_classes
        # The label of the suppressed, -1, reads the entry that is appended.
        group_of_class = np.append(self.groups[:, a], np.int32(SUPPRESSED))
        return group_of_class[self.labels], int(group_of_class.max()) + 1

    def without(self, classes: Bools) -> Partition:
        """Return the partition, which has no groups, without some classes: (n_classes,) bool."""
        kept = ~classes
        place = np.full(len(kept) + 1, SUPPRESSED, np.int32)  # the last for the suppressed
        place[:-1][kept] = np.arange(kept.sum(), dtype=np.int32)
        return replace(
            self,
            labels=place[self.labels],
            n_classes=int(kept.sum()),
            levels=None if self.levels is None else self.levels[kept],
            chosen=None if self.chosen is None else self.chosen[kept],
        )


@dataclass(frozen=True, slots=True, repr=False)
class Distribution(ShortRepr):
    """How one sensitive attribute is distributed: over the table and over each class.

    Counts are kept for present values only (CSR): class i owns the entries
    offsets[i] to offsets[i + 1] (exclusive) of `values` and `counts`.

    offsets: (n_classes + 1,) int64.
    values: (n_entries,) int32 codes of sensitive values, ascending within a class.
    counts: (n_entries,) int64 numbers of records, each at least 1.
    table: (n_values,) int64 counts over the table that classes are compared with.
    ancestors: (n_levels, n_values) int32 label of each value at each level of its hierarchy, level
    0 the values themselves; shape (0, 0) without one.
    numbers: (n_values,) float64: the values themselves, of numbers and of dates (days or smaller
    units since 1970), NaN for null; None of other attributes, and where nobody asks.
    totals: (n_classes,) int64 records of each class, where a record may have several values, so
    that counts do not add up to them; else None.
    """

    offsets: Ints
    values: Int32s
    counts: Ints
    table: Ints
    ancestors: Int32s
    numbers: Floats | None = None
    beginnings: Int32s | None = None
    totals: Ints | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Classes(ShortRepr):
    """Equivalence classes as a privacy model sees them: sizes and distributions.

    sizes: (n_classes,) int64 numbers of records.
    population: (n_classes,) int64 numbers of records of the population table in each class, None
    without such a table. With one, a class may have no record of its own (size 0).
    """

    sizes: Ints
    distributions: dict[str, Distribution]
    population: Ints | None = None


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
