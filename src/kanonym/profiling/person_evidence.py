"""What groups of records say about the other columns, so that persons are told from codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from kanonym.profiling.groupings import UNIQUE, CodedColumn, Dependence, Grouping

CONSTANT = 0.95
"""Constancy of a column that a person determines; the rest are typing errors."""
PARTLY = 0.4
"""Constancy of a column that a person determines in part."""
DIGITS = 6
"""A column is constant by more than chance, if that is less likely than one in a million."""
OCCASION = -0.3
"""Constancy of a column that hardly ever has a value twice within a group, and often elsewhere."""
ONCE = 0.9
"""Share of the repeats that have a new value of such a column."""
ALIKE = 0.25
"""Intraclass correlation from which on the records of one group are alike in a column. In tables
of schools, villages and states it is mostly below 0.1, in tables of persons above 0.3."""
FOLLOWS = 0.3
"""A column that follows the order of the groups so far is a code of it: an age group of the age."""
ALONE = 0.8
"""Constancy of a column that one of two columns determines nearly alone."""
MONOTONE = 0.9
"""Rank correlation from which on one of two columns is a function of the other."""
TIED = 0.45
"""Constancy from which on one column tells of another one. Of two indicators that exclude each
other it is 0.5, of independent ones about 0."""
FEWEST = 10
"""Groups are at least so many."""
FEWEST_BEYOND_CHANCE = 20
"""Repeats that are constant beyond chance, of a column that is determined in part."""
LEAST_PER_GROUP = 1.05
MOST_PER_GROUP = 100
"""Records of a group on average."""
LARGEST = 0.15
"""Share of the records that are in the largest group, at most: others are codes such as 0."""
LEAST_REPEATED = 0.15
"""Share of the records that are in a group of several, at least;"""
LEAST_REPEATED_PAIR = 0.5
"""and in one by two columns, of which many pairs repeat by chance;"""
LEAST_PER_PAIR = 1.5
"""as records of such a group."""


class Evidence:
    """What groups of records say about the other columns; places of columns."""

    def __init__(self, grouping: Grouping) -> None:
        self.grouping = grouping
        self.constant, self.occasions = list[int](), list[int]()
        self.matched, self.rest = list[int](), list[int]()
        for place, dependence in self._told.items():
            if dependence.constancy >= CONSTANT:
                # Constant by chance is no evidence, and none against: it counts nowhere.
                if dependence.digits >= DIGITS:
                    self.constant.append(place)
                continue
            repeats = dependence.constancy <= OCCASION and 3 * self._size(place) <= grouping.records
            if repeats and dependence.new >= ONCE:
                self.occasions.append(place)
                continue
            if repeats:
                self.matched.append(place)
            self.rest.append(place)

    def _size(self, place: int) -> int:
        return self.grouping.columns[place].size

    @cached_property
    def _told(self) -> dict[int, Dependence]:
        grouping = self.grouping
        others = (place for place in range(len(grouping.columns)) if place not in grouping.by)
        return {place: grouping.dependence(place) for place in others}

    @cached_property
    def _free(self) -> list[int]:
        """Constant columns that do not follow the order of the groups."""
        return [one for one in self.constant if not self._is_code(one)]

    def _is_code(self, place: int) -> bool:
        """Whether a column is a function of the groups' order: an age group, a tax of a wage."""
        grouping = self.grouping
        if grouping.follows_order(place) > FOLLOWS:
            return True
        return len(grouping.by) == 1 and grouping.ordered_alike(grouping.by[0], place) > MONOTONE

    @cached_property
    def same(self) -> list[int]:
        """Of the constant columns, those that differ in each group, and are no function of it."""
        grouping, free = self.grouping, self._free
        unique = [one for one in free if self._differs_in_each(one)]
        return untied(unique, lambda one, other: grouping.ordered_alike(one, other) < MONOTONE)

    def _differs_in_each(self, place: int) -> bool:
        return self.grouping.values_of_groups(place) >= UNIQUE * len(self.grouping.sizes)

    @cached_property
    def independent(self) -> list[int]:
        """Of the constant columns, those that are no code of the groups or of each other."""
        grouping = self.grouping
        coarse = [one for one in self._free if not self._differs_in_each(one)]
        coarse.sort(key=grouping.values_of_groups)
        return max(
            (
                untied(order, lambda one, other: grouping.tie(one, other) < TIED)
                for order in (coarse, coarse[::-1])
            ),
            key=len,
        )

    @cached_property
    def partly(self) -> list[int]:
        """Further columns that are determined in part, none of which tells of another one."""
        grouping, kept = self.grouping, list[int]()
        for place in sorted(self.rest, key=lambda one: (-self._told[one].constancy, one)):
            dependence = self._told[place]
            if (
                dependence.constancy >= PARTLY
                and dependence.repeats * dependence.by_chance > FEWEST_BEYOND_CHANCE
                and not self._is_code(place)
                and all(grouping.tie(place, one) < TIED for one in (*self.independent, *kept))
            ):
                kept.append(place)
        return kept

    @cached_property
    def alike(self) -> list[int]:
        """Columns in which the records of a group are alike, but not the same."""
        return [one for one in self.rest if self.grouping.likeness(one) >= ALIKE]

    @property
    def varying(self) -> list[int]:
        """Columns that are not even determined in part."""
        return [one for one in self.rest if self._told[one].constancy < PARTLY]

    @property
    def strength(self) -> float:
        """Number of independent columns, and constancies of those determined in part."""
        return len(self.independent) + sum(self._told[one].constancy for one in self.partly)

    @property
    def digits(self) -> float:
        """-log10 of the chance that random groups leave the independent columns constant."""
        return sum(self._told[one].digits for one in self.independent)

    @property
    def n_explained(self) -> int:
        """Number of columns that are constant, alike, or different in each record of a group."""
        return len(self.constant) + len(self.occasions) + len(self.alike)

    @property
    def explained(self) -> float:
        """The same as a share."""
        return self.n_explained / max(len(self.constant) + len(self.occasions) + len(self.rest), 1)

    @property
    def share_alike(self) -> float:
        """Share of the columns that are neither constant nor an occasion, which are alike."""
        return len(self.alike) / max(len(self.rest), 1)


def untied(places: Iterable[int], untied: Callable[[int, int], bool]) -> list[int]:
    """Return the first of some columns, and each further one that is not tied to one before."""
    kept = list[int]()
    for place in places:
        if all(untied(place, other) for other in kept):
            kept.append(place)
    return kept


def groupings_of_one(
    columns: Sequence[CodedColumn], places: Sequence[int], weights: NDArray[np.int64]
) -> Iterator[Grouping]:
    """Yield the groupings by single columns, as many and as large as persons are."""
    for place in places:
        column = columns[place]
        counts = np.bincount(column.codes, weights, column.size)
        if column.null >= 0:
            counts[column.null] = 0
        counts = counts[counts > 0]
        n = counts.sum()
        if (
            len(counts) >= FEWEST
            and LEAST_PER_GROUP * len(counts) <= n <= MOST_PER_GROUP * len(counts)
            and counts.max() <= LARGEST * n
            and counts[counts > 1].sum() >= LEAST_REPEATED * n
        ):
            grouping = Grouping(columns, [place], weights)
            if len(grouping.sizes) >= FEWEST:
                yield grouping


def groupings_of_two(
    columns: Sequence[CodedColumn], places: Sequence[int], weights: NDArray[np.int64]
) -> Iterator[Grouping]:
    """Yield the groupings by two columns, as many and as large as persons are."""
    n = int(weights.sum())
    for pair in combinations(sorted(places, key=lambda one: -columns[one].size), 2):
        if n > MOST_PER_GROUP * columns[pair[0]].size * columns[pair[1]].size:
            continue
        grouping = Grouping(columns, pair, weights)
        if (
            len(grouping.sizes) >= FEWEST
            and LEAST_PER_PAIR <= grouping.per_group <= MOST_PER_GROUP
            and grouping.largest <= LARGEST
            and grouping.repeated >= LEAST_REPEATED_PAIR
        ):
            yield grouping


def jointly_determined(grouping: Grouping, columns: Sequence[int]) -> list[int]:
    """Return those of some columns that no single column of the groups determines."""
    return [
        place
        for place in columns
        if all(grouping.dependence_on(one, place).constancy < ALONE for one in grouping.by)
    ]
