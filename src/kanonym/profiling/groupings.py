"""Rows grouped by some columns, and how far these groups determine the other columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data import frames
from kanonym.data.errors import DataError
from kanonym.data.hierarchy.labels import parse_times
from kanonym.data.table import Domain, encode_column
from kanonym.kernels.arrays import Int32s, Ints
from kanonym.kernels.classes.dependence import values_of_groups
from kanonym.kernels.classes.grouping import label_rows

LOOKED_AT = 8_000
"""Records of a large table that are looked at: all records of some groups."""
MOST_ROWS = 400_000
"""Rows of a larger table are first reduced to those of some values of the column with most."""
ORDERED = ("number", "temporal", "ordered")
"""Kinds of domains whose codes have an order."""
TEXTS = 100
"""Texts of a column that are tried as dates."""
MOST_COLUMNS = 200
"""Up to so many columns of a table are all looked at beside each grouping;"""
WITNESSES = 100
"""of more, so many, evenly spaced."""
UNIQUE = 0.95
"""A column with values for more than this share of the groups differs in each."""
_MIXING = np.uint32(0x9E3779B1)
"""Odd, near 2^32 divided by the golden ratio: multiples of it spread over all numbers."""


class CodedColumn(NamedTuple):
    """A column as codes.

    codes, size: (n,) int32 codes from 0, and their number.
    """

    name: str
    codes: Int32s
    size: int
    null: int
    is_ordered: bool
    may_number: bool

    @classmethod
    def of(cls, domain: Domain, codes: Int32s) -> Self:
        """Return a column from its domain and (n,) codes."""
        ordered = domain.kind in ORDERED
        return cls(domain.name, codes, domain.size, domain.null_code, ordered, _may_number(domain))


def coded_columns(frame: pl.DataFrame) -> list[CodedColumn]:
    """Return the columns of a table as codes, without those that cannot be encoded."""
    coded = []
    for name in frame.columns:
        try:
            coded.append(CodedColumn.of(*encode_column(frames.column(frame, name))))
        except DataError:  # lists, bytes, or infinite numbers
            continue
    return coded


def _may_number(domain: Domain) -> bool:
    """Whether values are texts but dates, or whole numbers from 0."""
    values = domain.values
    if not len(values):
        return False
    if domain.kind == "nominal":
        if values.dtype not in (pl.String, pl.Categorical):
            return False
        return bool(parse_times(values.head(TEXTS).cast(pl.String)).null_count())
    if domain.kind != "number":
        return False
    if values.dtype.is_integer():
        return int(values.min()) >= 0  # type: ignore[arg-type]
    numbers = values.cast(pl.Float64).to_numpy()
    return bool((numbers >= 0).all() and (numbers == np.round(numbers)).all())


def some_rows(columns: Sequence[CodedColumn], weights: Ints) -> tuple[list[CodedColumn], Ints]:
    """Return a large table's rows of some values of the column that has most, and their weights."""
    n = len(weights)
    if n <= MOST_ROWS or not columns:
        return list(columns), weights
    widest = max(columns, key=lambda one: one.size)
    chosen = _mixed(np.arange(widest.size)) < np.uint32((1 << 32) * MOST_ROWS // n)
    rows = np.flatnonzero(chosen[widest.codes])
    return [column._replace(codes=column.codes[rows]) for column in columns], weights[rows]


def _mixed(numbers: NDArray[np.integer]) -> NDArray[np.uint32]:
    """Return (n,) numbers in an order that looks like none."""
    mixed = numbers.astype(np.uint32) * _MIXING
    return (mixed ^ mixed >> np.uint32(15)) * _MIXING


class Dependence(NamedTuple):
    """How far groups determine a column."""

    constancy: float
    new: float
    by_chance: float
    repeats: int

    @property
    def digits(self) -> float:
        """-log10 of the chance that groups formed at random would have one value each."""
        return -self.repeats * float(np.log10(max(1 - self.by_chance, 1e-9)))


class Grouping:
    """The records of a table grouped by some columns; of a large one all records of some groups.

    Records without a value in one of the columns are left out.

    weights: (n,) records that each row stands for.
    """

    def __init__(self, columns: Sequence[CodedColumn], by: Sequence[int], weights: Ints) -> None:
        self.columns = columns
        self.by = tuple(by)
        self.rows = self._chosen_rows(weights)
        self.weights = weights[self.rows]
        keys = [columns[one].codes[self.rows] for one in self.by]
        groups = label_rows(keys, [columns[one].size for one in self.by])
        self.labels, self.first = groups.labels, self.rows[groups.first]
        self.sizes = np.bincount(groups.labels, self.weights, len(groups.first))
        self.records = int(self.weights.sum())
        self._dependences: dict[int, Dependence] = {}
        self._of_groups: dict[int, Int32s] = {}

    def _chosen_rows(self, weights: Ints) -> Ints:
        """Return the rows of some groups, of at most about `LOOKED_AT` records."""
        there = weights > 0
        for one in self.by:
            if self.columns[one].null >= 0:
                there &= self.columns[one].codes != self.columns[one].null
        n = int(weights[there].sum())
        if n > LOOKED_AT:
            mixed = np.zeros(1, np.uint32)
            for one in self.by:
                column = self.columns[one]
                mixed = _mixed(mixed + np.arange(column.size).astype(np.uint32)[column.codes])
            there &= mixed < np.uint32((1 << 32) * LOOKED_AT // n)
        return np.flatnonzero(there)

    @property
    def witnesses(self) -> list[int]:
        """The columns in which groups are looked at: all others, or some of many."""
        n = len(self.columns)
        places = range(n) if n <= MOST_COLUMNS else (i * n // WITNESSES for i in range(WITNESSES))
        return [place for place in places if place not in self.by]

    @property
    def per_group(self) -> float:
        """Records of a group on average; 0 without a group."""
        return self.records / max(len(self.sizes), 1)

    @property
    def repeated(self) -> float:
        """Share of the records that are in a group of several."""
        return float(self.sizes[self.sizes > 1].sum()) / max(self.records, 1)

    @property
    def largest(self) -> float:
        """Share of the records that are in the largest group."""
        return float(self.sizes.max(initial=0)) / max(self.records, 1)

    def dependence(self, column: int) -> Dependence:
        """Return how far the groups determine a column."""
        return self.dependences([column])[column]

    def dependences(self, columns: Sequence[int]) -> dict[int, Dependence]:
        """Return how far the groups determine some columns."""
        known = self._dependences
        new = [column for column in columns if column not in known]
        if new:
            chosen = [self.columns[column] for column in new]
            codes = np.stack([one.codes[self.rows] for one in chosen])
            widths = [one.size for one in chosen]
            told = _dependences(self.labels, len(self.sizes), codes, widths, self.weights)
            known.update(zip(new, told, strict=True))
        return {column: known[column] for column in columns}

    def dependence_on(self, key: int, column: int) -> Dependence:
        """Return how far one column determines another one, in the records looked at."""
        codes = self.columns[key].codes[self.rows]
        one = self.columns[column]
        return _dependence(codes, one.codes[self.rows], one.size, self.weights)

    def likeness(self, column: int) -> float:
        """Return the intraclass correlation of a column: 1 where groups differ and records do not.

        Of ordered columns that of the ranks, of others that of the indicators of their values.
        """
        one, n, n_groups = self.columns[column], self.records, len(self.sizes)
        if n_groups < 2 or n <= n_groups:
            return 0.0
        codes = one.codes[self.rows]
        counts = np.bincount(codes, self.weights, one.size)
        if one.is_ordered:
            centred = (np.cumsum(counts) - (counts + n) / 2)[codes]
            weighted = centred * self.weights
            sums = np.bincount(self.labels, weighted, n_groups)
            total = float((centred * weighted).sum())
            within = total - float((sums**2 / self.sizes).sum())
        else:
            cells = label_rows([self.labels, codes], [n_groups, one.size])
            inside = np.bincount(cells.labels, self.weights)
            total = n - float((counts**2).sum()) / n
            within = n - float((inside**2 / self.sizes[self.labels[cells.first]]).sum())
        per_group = (n - float((self.sizes**2).sum()) / n) / (n_groups - 1)
        between = (total - within) / (n_groups - 1)
        inner = max(within, 0.0) / (n - n_groups)
        whole = between + (per_group - 1) * inner
        return float((between - inner) / whole) if whole > 0 else 0.0

    def of_groups(self, column: int) -> Int32s:
        """Return the (n_groups,) ranks of a column's values in the first records of the groups."""
        if column not in self._of_groups:
            codes = self.columns[column].codes[self.first]
            self._of_groups[column] = np.unique_inverse(codes).inverse_indices.astype(np.int32)
        return self._of_groups[column]

    def values_of_groups(self, column: int) -> int:
        """Return the number of values that a column has in the first records of the groups."""
        return int(self.of_groups(column).max(initial=-1)) + 1

    def follows_order(self, column: int) -> float:
        """Return how far the values of a column lie together along the order of the groups.

        1 where each value has one interval of groups, or where ordered values ascend or descend
        with the groups; 0 where they are spread as by chance, where the groups have no order, and
        where several columns form them.
        """
        lead = self.columns[self.by[0]]
        if len(self.by) > 1 or not lead.is_ordered:
            return 0.0
        codes = self.of_groups(column)[np.argsort(lead.codes[self.first])]
        counts = np.bincount(codes)
        if len(counts) >= UNIQUE * len(codes):
            return self.ordered_alike(self.by[0], column)
        most = len(codes) - len(counts)
        chance = float(counts @ (counts - 1)) / len(codes)
        together = int((np.diff(codes) == 0).sum())
        return (together - chance) / (most - chance) if most > chance else 0.0

    def ordered_alike(self, column: int, other: int) -> float:
        """Return the unsigned rank correlation of two columns of the groups; 0 without an order."""
        if not (self.columns[column].is_ordered and self.columns[other].is_ordered):
            return 0.0
        ranks = np.stack([self.of_groups(column), self.of_groups(other)])
        if len(self.sizes) < 2 or not ranks.max(axis=1).all():
            return 0.0
        return abs(float(np.asarray(np.corrcoef(ranks))[0, 1]))

    def tie(self, column: int, other: int) -> float:
        """Return how far, among groups, one of two columns determines the other; the larger one."""
        both = self.of_groups(column), self.of_groups(other)
        ones = np.ones(len(self.first), np.int64)
        most = 0.0
        for key, told in (both, both[::-1]):
            if int(key.max()) + 1 < UNIQUE * len(key):
                dependence = _dependence(key, told, int(told.max()) + 1, ones)
                most = max(most, dependence.constancy)
        return most


def _dependence(key: Int32s, codes: Int32s, size: int, weights: Ints) -> Dependence:
    """Return how far one column determines another one; key, codes and weights of (n,) rows."""
    labels = np.unique_inverse(key).inverse_indices.astype(np.int32)
    n_groups = int(labels.max(initial=-1)) + 1
    return _dependences(labels, n_groups, codes[np.newaxis], [size], weights)[0]


def _dependences(
    labels: Int32s, n_groups: int, codes: Int32s, widths: Sequence[int], weights: Ints
) -> list[Dependence]:
    """Return how far groups determine columns; labels and weights of (n,) rows."""
    repeats = int(weights.sum()) - n_groups
    if repeats <= 0:
        return [Dependence(0.0, 0.0, 0.0, 0)] * len(codes)
    values = values_of_groups(labels, weights, n_groups, codes, np.array(widths, np.int64))
    told = []
    for new, by_chance in ((values - n_groups) / repeats).tolist():
        constancy = 1 - new / by_chance if by_chance > 0 else 0.0
        told.append(Dependence(constancy, new, by_chance, repeats))
    return told
