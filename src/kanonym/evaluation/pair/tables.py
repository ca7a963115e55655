"""Two tables with columns coded alike, also of sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data import frames, item_sets
from kanonym.data.results import ShortRepr
from kanonym.data.schema import ItemSet
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.policy import Policy


@dataclass(frozen=True, slots=True, repr=False)
class PairedSets(ShortRepr):
    """The sets of items of both tables, of all attributes side by side."""

    _shown: ClassVar[tuple[str, ...]] = ("m",)

    original: item_sets.EncodedSets
    released: item_sets.EncodedSets
    control: item_sets.EncodedSets | None = None
    m: int = 2

    @property
    def tree(self) -> item_sets.ItemTree:
        """The items and their labels."""
        return self.original.tree

    @property
    def used(self) -> Bools:
        """(n_nodes,) bool: which labels the release has."""
        found = np.zeros(self.tree.n_nodes, np.bool_)
        found[self.released.nodes] = True
        return found


def pair_sets(original: Any, released: Any, policy: Policy | None) -> PairedSets | None:
    """Return the sets of both tables, where the policy has any and both tables have them.

    original, released: tables of this process.
    """
    attributes = {} if policy is None else item_sets.names_of_sets(policy.attributes)
    both = set(frames.column_names(original)) & set(frames.column_names(released))
    if policy is None or not attributes or not set(attributes) <= both:
        return None
    items = _lists(original, attributes)
    tree = item_sets.tree_of(attributes, items)
    asked = [model.known_items for model in policy.models if model.known_items is not None]
    labels = _lists(released, attributes)
    return PairedSets(
        item_sets.encode_sets(tree, items, frames.n_rows(original)),
        item_sets.encode_sets(tree, labels, frames.n_rows(released), any_level=True),
        m=asked[0].m if asked else 2,
    )


def with_control(sets: PairedSets, control: Any, policy: Policy | None) -> PairedSets:
    """Return the same with the sets of persons who are not in the original.

    control: a table of this process, or None. Items that the original lacks are not known.
    """
    attributes = {} if policy is None else item_sets.names_of_sets(policy.attributes)
    if control is None or not set(attributes) <= set(frames.column_names(control)):
        return sets
    known = sets.tree.labels[: sets.tree.n_items]
    lists = {
        name: item_sets.with_known_items(column, known)
        for name, column in _lists(control, attributes).items()
    }
    return replace(sets, control=item_sets.encode_sets(sets.tree, lists, frames.n_rows(control)))


def _lists(table: Any, attributes: Mapping[str, ItemSet]) -> dict[str, pl.Series]:
    return {
        name: item_sets.read_sets(frames.raw_column(table, name), one)
        for name, one in attributes.items()
    }


@dataclass(frozen=True, slots=True, repr=False)
class NumberSets(ShortRepr):
    """The released cells of a column of numbers that are sets.

    labels: (n_released,) int32, the set of each cell, -1 for others.
    """

    labels: Int32s
    offsets: Ints
    members: Floats

    @classmethod
    def of(cls, labels: Int32s, listed: Mapping[int, Int32s], line: Floats) -> NumberSets | None:
        """Return the sets of a column, None where no cell is one.

        labels: (n_released,) int32, -1 for suppressed cells. listed: codes by label. line: the
        number of each code; null is the code behind them.
        """
        if not np.isin(labels, list(listed)).any():
            return None
        numbers = np.append(line, np.inf)
        keys = {label: tuple(np.sort(numbers[codes]).tolist()) for label, codes in listed.items()}
        sets = sorted(set(keys.values()))
        ranks = {key: rank for rank, key in enumerate(sets)}
        # The last place is that of -1.
        place = np.full(max(int(labels.max()), *listed) + 2, -1, np.int32)
        place[list(keys)] = [ranks[key] for key in keys.values()]
        members = np.concatenate([np.array(one) for one in sets])
        return cls(
            place[labels],
            np.cumsum([0, *map(len, sets)], dtype=np.int64),
            np.where(np.isinf(members), np.nan, members),
        )

    def values(self, one: int) -> Floats:
        """Return the numbers of a set, null left out."""
        members = self.members[self.offsets[one] : self.offsets[one + 1]]
        return members[~np.isnan(members)]

    def has_null(self, one: int) -> bool:
        """Whether null is a member of a set."""
        return bool(np.isnan(self.members[self.offsets[one + 1] - 1]))

    def gaps(self, values: Floats, rows: Ints) -> Floats:
        """Return (n_values, n_rows) float64: how far each value is from the next number of a set.

        0 for cells that are no set; NaN where the value or all of the set is null.
        """
        apart = np.zeros((len(values), len(self.offsets)))
        for one in np.unique(self.labels[rows]).tolist():
            if one < 0:
                continue
            numbers = self.values(one)
            if not len(numbers):
                apart[:, one] = np.nan
                continue
            at = np.searchsorted(numbers, values)
            below, above = numbers[np.maximum(at - 1, 0)], numbers[np.minimum(at, len(numbers) - 1)]
            apart[:, one] = np.minimum(np.abs(values - below), np.abs(values - above))
        return np.asarray(apart[:, self.labels[rows]])


@dataclass(frozen=True, slots=True, repr=False)
class NumericColumn(ShortRepr):
    """A column of numbers or times in both tables.

    original: (n_original,) float64, NaN for null; times in their physical unit.
    low, high: (n_released,) float64: what each released record leaves open, both ends included;
    equal where it says one number (a mean may be no original value). NaN both for a null that is
    released as a value.
    suppressed: (n_released,) bool, cells that say nothing; low and high are then the smallest and
    largest number of the original.
    """

    name: str
    original: Floats
    low: Floats
    high: Floats
    suppressed: Bools
    sets: NumberSets | None = None

    @property
    def released(self) -> Floats:
        """(n_released,) float64: the middle of what is left open, NaN for null."""
        return (self.low + self.high) / 2

    def as_categories(self) -> CategoricalColumn:
        """Return the column with each number of the original as a category.

        A cell leaves open the numbers of its set, or those within its interval, and where there
        is none a category that no person has. Cost: a sort of the numbers, and of the cells.
        """
        line, own = np.unique(self.original, return_inverse=True)
        numbers = line[~np.isnan(line)]
        of_set = np.full(len(self.low), -1) if self.sets is None else self.sets.labels
        ends = (np.where(np.isnan(one), np.inf, one) for one in (self.low, self.high))
        cells = np.column_stack([*ends, self.suppressed, of_set])
        distinct, labels = np.unique(cells, axis=0, return_inverse=True)
        opened = []
        for low, high, suppressed, one in distinct.tolist():
            if suppressed:
                codes = np.arange(len(line))
            elif one >= 0 and self.sets is not None:
                codes = np.flatnonzero(np.isin(line, self.sets.values(int(one))))
                if self.sets.has_null(int(one)):
                    codes = np.append(codes, np.arange(len(numbers), len(line)))
            elif np.isinf(low):
                codes = np.arange(len(numbers), len(line))
            else:
                codes = np.arange(
                    np.searchsorted(numbers, low), np.searchsorted(numbers, high, side="right")
                )
            opened.append(codes if len(codes) else np.array([len(line)]))
        texts = pl.Series(self.name, numbers).cast(pl.String)
        return CategoricalColumn(
            self.name,
            texts.extend_constant(None, len(line) - len(numbers)),
            own.astype(np.int32),
            labels.reshape(-1).astype(np.int32),
            np.cumsum([0, *map(len, opened)], dtype=np.int64),
            np.concatenate([np.zeros(0, np.int64), *opened]).astype(np.int32),
            self.suppressed,
        )


@dataclass(frozen=True, slots=True, repr=False)
class CategoricalColumn(ShortRepr):
    """A column of categories in both tables.

    categories: (n_categories,) distinct values as text, null (where there is one) last; every value
    of the original, and every one that a released label leaves open.
    original: (n_original,) int32 codes of categories.
    labels: (n_released,) int32, the released label of each record.
    suppressed: (n_released,) bool, cells that say nothing: their label leaves all categories open.
    """

    name: str
    categories: pl.Series
    original: Int32s
    labels: Int32s
    offsets: Ints
    members: Int32s
    suppressed: Bools


Column = NumericColumn | CategoricalColumn


@dataclass(frozen=True, slots=True, repr=False)
class Generalization(ShortRepr):
    """How much the released values of one quasi-identifier leave open.

    It is counted in values of the attribute's domain: the leaves of its hierarchy, without
    one the distinct values of the original; null is one of them where it occurs. A label here
    is whatever leaves the same values open: an interval, a set, a label of the hierarchy.

    original: (n_original,) int32 code of each record's value, from 0 to `size` - 1.
    labels: (n_released,) int32, what each released record leaves open.
    values: (n_labels,) int64, how many values of the domain; all for a suppressed cell. 0 for a
    value that no record of the original has, as a mean may be, where nobody knows which records it
    stands for.
    records: (n_labels,) int64, records of the original that have one of these values.
    penalties: (n_labels,) float64 in [0, 1], the normalized certainty penalty.
    spans: (n_labels,) float64 in [0, 1], the span loss (`metrics.certainty`).
    levels: (n_labels,) int32, the level of the hierarchy; that of the root for a suppressed cell.
    None without a hierarchy.
    below: (n_labels,) int64, the labels one level below each; 0 for values themselves. None without
    a hierarchy.
    """

    name: str
    original: Int32s
    size: int
    height: int | None
    labels: Int32s
    values: Ints
    records: Ints
    penalties: Floats
    spans: Floats
    levels: Int32s | None = None
    below: Ints | None = None
    expected: Ints | None = None
    missing: Ints | None = None
    unknown: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class TablePair(ShortRepr):
    """An original table and a release of it.

    rows: (n_released,) int64, the original record of each released one; None where nobody knows, as
    after a shuffle.
    classes: (n_released,) int32 equivalence class of each released record, numbered from 0: equal
    released quasi-identifiers. None where nobody grouped them.
    persons: (n_original,) int64, whose each record of the original is, from 0 without a gap; None
    where each is another person's.
    """

    columns: tuple[Column, ...]
    quasi_identifiers: tuple[str, ...]
    n_original: int
    n_released: int
    rows: Ints | None
    generalizations: tuple[Generalization, ...] = ()
    classes: Int32s | None = None
    new: Mapping[str, int] = field(default_factory=dict)
    persons: Ints | None = None
    sets: PairedSets | None = None
    suppressed: int = 0

    @property
    def n_persons(self) -> int:
        """Persons of the original."""
        if self.persons is None:
            return self.n_original
        return int(self.persons.max(initial=-1)) + 1

    @property
    def released_persons(self) -> Ints | None:
        """(n_released,) int64, whose each released record is; None where that is not known."""
        if self.rows is None:
            return None
        return self.rows if self.persons is None else self.persons[self.rows]

    def column(self, name: str) -> Column:
        """Return one column by name."""
        return next(column for column in self.columns if column.name == name)


def draw_numbers(
    column: NumericColumn, records: Ints, random: np.random.Generator, step: float | None = None
) -> Floats:
    """Return (n_records,) float64 numbers, uniform between the ends of each label; NaN for null.

    Of a set each member is equally likely. step: of the grid on which all ends lie, and so the
    numbers; None for no grid.
    """
    low, high = column.low[records], column.high[records]
    share = random.random(len(records))
    if step is None:
        drawn = np.asarray(low + share * (high - low))
    else:
        places = np.floor(share * (np.rint((high - low) / step) + 1))
        drawn = np.asarray(np.minimum(low + places * step, high))
    if column.sets is not None:
        labels = column.sets.labels[records]
        mask = labels >= 0
        first, last = column.sets.offsets[labels[mask]], column.sets.offsets[labels[mask] + 1]
        members = first + (share[mask] * (last - first)).astype(np.int64)
        drawn[mask] = column.sets.members[members]
    return drawn


def draw_categories(
    column: CategoricalColumn, records: Ints, random: np.random.Generator
) -> Int32s:
    """Return (n_records,) int32 codes, each of the categories of a label equally likely."""
    labels = column.labels[records]
    first, last = column.offsets[labels], column.offsets[labels + 1]
    places = first + (random.random(len(records)) * (last - first)).astype(np.int64)
    drawn: Int32s = column.members[places]
    return drawn
