"""Who the persons of a table are, and the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from kanonym.data.errors import Message
from kanonym.data.schema import Role
from kanonym.kernels.arrays import Ints
from kanonym.kernels.classes.grouping import label_rows
from kanonym.profiling import groupings
from kanonym.profiling.words import name_hints

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

    def __init__(self, grouping: groupings.Grouping) -> None:
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
    def _told(self) -> dict[int, groupings.Dependence]:
        return self.grouping.dependences(self.grouping.witnesses)

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
        return self.grouping.values_of_groups(place) >= groupings.UNIQUE * len(self.grouping.sizes)

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
    columns: Sequence[groupings.CodedColumn], places: Sequence[int], weights: Ints
) -> Iterator[groupings.Grouping]:
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
            grouping = groupings.Grouping(columns, [place], weights)
            if len(grouping.sizes) >= FEWEST:
                yield grouping


def groupings_of_two(
    columns: Sequence[groupings.CodedColumn], places: Sequence[int], weights: Ints
) -> Iterator[groupings.Grouping]:
    """Yield the groupings by two columns, as many and as large as persons are."""
    n = int(weights.sum())
    for pair in combinations(sorted(places, key=lambda one: -columns[one].size), 2):
        if n > MOST_PER_GROUP * columns[pair[0]].size * columns[pair[1]].size:
            continue
        grouping = groupings.Grouping(columns, pair, weights)
        if (
            len(grouping.sizes) >= FEWEST
            and LEAST_PER_PAIR <= grouping.per_group <= MOST_PER_GROUP
            and grouping.largest <= LARGEST
            and grouping.repeated >= LEAST_REPEATED_PAIR
        ):
            yield grouping


def jointly_determined(grouping: groupings.Grouping, columns: Sequence[int]) -> list[int]:
    """Return those of some columns that no single column of the groups determines."""
    return [
        place
        for place in columns
        if all(grouping.dependence_on(one, place).constancy < ALONE for one in grouping.by)
    ]


EXPLAINED = 0.3
"""Share of the other columns that are constant, alike or different in each record of a group. In
tables with one row per person a number of a state or team explains a twentieth of them."""
LARGEST_PARTLY = 0.05
"""Share of the records in the largest group of those that determine others in part, at most."""
FEWEST_PARTLY = 100
"""Groups that determine others in part are at least so many: ages in years are fewer."""
LEAST_ALIKE = 1 / 3
"""Share of the columns that vary, in which records are alike, of a person with one constant."""
NEARLY_ALL = 0.8
"""Share of the other columns that a person explains, who determines them in part alone;"""
RARE = 0.5
"""or two are determined in part, of which chance would give so many repeats a new value."""
MOST_PAIRED = 12
"""Columns of which pairs are looked at."""
NAMED = 4
"""Columns that a sentence names."""
MOSTLY = 0.5
"""Share of the other columns from which on it is rather a person that explains them."""
MOST_OF_A_PERSON = 40
"""Records of a person on average, at most, if there are no occasions: others are groups."""
LASTING = frozenset({"sex", "date of birth", "race or ethnicity"})
"""What a person has one of, as names of columns say it."""


@dataclass(frozen=True, slots=True)
class ProposedPersons:
    """Columns whose values may be the persons of a table."""

    columns: tuple[str, ...]
    values: int
    records: int
    largest: int
    constant: tuple[str, ...]
    occasions: tuple[str, ...]
    alike: tuple[str, ...]
    looked_at: int
    digits: float
    likely_groups: bool

    @property
    def reason(self) -> Message:
        """The evidence and what to do, in a sentence without a value of the table."""
        facts: dict[str, Any] = {
            "columns": " + ".join(self.columns),
            "values": self.values,
            "records": self.records,
            "others": ", ".join((self.constant or self.occasions or self.alike)[:NAMED]),
        }
        if self.likely_groups:
            return Message(
                "{columns} has {values:,} values in {records:,} records, and other columns depend "
                "on it ({others}): probably groups of persons, such as households, schools or "
                "matched sets; if they are persons, set entity in k-anonymity, and if each row is "
                "a person, rows: persons",
                **facts,
            )
        return Message(
            "{columns} has {values:,} values in {records:,} records, and other columns depend on "
            "it ({others}), as they do on persons with several records, or on groups such as "
            "households: if these are persons, it is the entity of k-anonymity; if each row is a "
            "person, set rows: persons instead",
            **facts,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; no value of the table."""
        return asdict(self) | {"digits": round(self.digits, 1), "reason": self.reason}


def proposed_persons(
    table: pl.DataFrame | Sequence[groupings.CodedColumn], counts: Ints | None = None
) -> tuple[ProposedPersons, ...]:
    """Return the columns, or pairs of columns, that may say who the persons of a table are.

    Nothing is known about names. A column is proposed where its values, texts or whole numbers,
    repeat and determine other columns far beyond chance, as a person's number determines sex and
    date of birth.

    counts: (n,) records that each row stands for, or 0; None for one each.

    Notes
    -----
    Columns that others determine are everywhere: a city determines its region, an age its age
    group, a state its taxes. So evidence are *independent* columns (`Evidence.independent`): not
    nested, as county and state are, and not in the order of the values, as age groups are. One
    column is proposed with at least two independent columns; or with one, if records are alike in a
    third of the other columns or other columns are partly determined; or with a column
    that has each value once, as a panel has each year. Columns that take part in a stronger
    proposal, and determine no more, are left out.

    No structure distinguishes a person from a household, a school or a matched set with numbers of
    their own: `likely_groups` says what speaks for them. The thresholds, and on which public tables
    they were found, stand in decision 43.

    Cost O(n · d) to group by each column, and for each a test of the other columns, of at most 100
    if there are more than 200, on 8,000 records; where no single column is proposed, O(d³) for
    pairs of at most 12 columns.
    """
    columns = list(groupings.coded_columns(table) if isinstance(table, pl.DataFrame) else table)
    columns = [column for column in columns if column.size > 1]
    if not columns or not len(columns[0].codes):
        return ()
    weights = np.ones(len(columns[0].codes), np.int64) if counts is None else counts
    full, full_weights = columns, weights
    columns, weights = groupings.some_rows(columns, weights)
    numbers = [place for place, one in enumerate(columns) if one.may_number]
    singles = [Evidence(one) for one in groupings_of_one(columns, numbers, weights)]
    evidences = [single for single in singles if _is_person(single)]
    if not evidences:
        widest = sorted(numbers, key=lambda one: -columns[one].size)[:MOST_PAIRED]
        pairs = groupings_of_two(columns, widest, weights)
        evidences = [one for one in map(Evidence, pairs) if _is_pair(one)]
    evidences = evidences or [single for single in singles if _is_partly_person(single)]
    ranked = sorted(evidences, key=_rank)
    return tuple(
        _proposal(evidence, full, full_weights)
        for place, evidence in enumerate(ranked)
        if not any(_covers(other, evidence) for other in ranked[:place])
    )


def _is_person(told: Evidence) -> bool:
    """Whether groups look like persons, or like groups of persons."""
    if not (told.constant or told.occasions) or told.explained < EXPLAINED:
        return False
    if told.independent:
        return (
            len(told.independent) > 1
            or bool(told.occasions)
            or told.share_alike >= LEAST_ALIKE
            or told.strength >= 1 + PARTLY
        )
    columns, n_groups = told.grouping.columns, len(told.grouping.sizes)
    fewer = any(columns[place].size < n_groups for place in told.occasions)
    return bool(told.constant and told.occasions) or (fewer and told.share_alike >= ALIKE)


def _is_partly_person(told: Evidence) -> bool:
    """Whether groups determine much in part, and nothing in whole: a person's laboratory values."""
    surprising = [one for one in told.partly if told.grouping.dependence(one).by_chance >= RARE]
    return (
        told.strength >= 1
        and len(told.grouping.sizes) >= FEWEST_PARTLY
        and told.grouping.largest <= LARGEST_PARTLY
        and told.share_alike >= MOSTLY
        and (len(surprising) > 1 or told.explained >= NEARLY_ALL)
    )


def _is_pair(told: Evidence) -> bool:
    """Whether groups by two columns look like persons, by columns that neither determines alone."""
    return (
        len(told.independent) > 1
        and len(jointly_determined(told.grouping, told.independent)) > 1
        and told.explained >= EXPLAINED
    )


def _rank(told: Evidence) -> tuple[Any, ...]:
    """Return what sorts proposals: persons before groups, few records a value before many."""
    grouping = told.grouping
    size = round(float(np.log2(grouping.per_group)))
    named = tuple(
        not any(hint.role is Role.IDENTIFIER for hint in name_hints(grouping.columns[place].name))
        for place in grouping.by
    )
    most = -len(grouping.sizes)
    strength = -round(told.strength, 2)
    return are_likely_groups(told), size, strength, -told.explained, most, named, grouping.by


def _covers(told: Evidence, other: Evidence) -> bool:
    """Whether the groups of a better proposal determine the columns of another one."""
    return {*other.grouping.by} <= {*told.constant, *told.grouping.by}


def are_likely_groups(told: Evidence) -> bool:
    """Whether something speaks for groups of persons; only here names count.

    Persons have one sex, date of birth and ethnicity. A sampling weight is that of many.
    """
    names = [column.name for column in told.grouping.columns]
    varying = (hint for place in told.varying for hint in name_hints(names[place]) if hint.sure)
    own = (hint for place in told.grouping.by for hint in name_hints(names[place]) if hint.sure)
    if any(hint.what in LASTING for hint in varying):
        return True
    if any(hint.role is Role.INSENSITIVE for hint in own):
        return True
    if told.occasions:
        return False
    if told.matched or told.grouping.per_group > MOST_OF_A_PERSON:
        return True
    constant = {
        hint.what for place in told.constant for hint in name_hints(names[place]) if hint.sure
    }
    if len(constant & LASTING) > 1:  # nobody else has the sex and the birthday of a person
        return False
    return bool(told.rest) and told.share_alike < ALIKE and told.explained < MOSTLY


def _proposal(
    told: Evidence, columns: Sequence[groupings.CodedColumn], weights: Ints
) -> ProposedPersons:
    """Return a proposal, with sizes of the whole table."""
    names = [column.name for column in columns]
    values, records, largest = _sizes([columns[place] for place in told.grouping.by], weights)
    return ProposedPersons(
        columns=tuple(names[place] for place in told.grouping.by),
        values=values,
        records=records,
        largest=largest,
        constant=tuple(names[place] for place in told.constant),
        occasions=tuple(names[place] for place in told.occasions),
        alike=tuple(names[place] for place in told.alike),
        looked_at=told.grouping.records,
        digits=told.digits,
        likely_groups=are_likely_groups(told),
    )


def _sizes(columns: Sequence[groupings.CodedColumn], weights: Ints) -> tuple[int, int, int]:
    """Return numbers of groups, of records in them, and of records of the largest."""
    there = weights > 0
    for column in columns:
        there &= column.codes != column.null
    keys = [one.codes[there] for one in columns]
    groups = label_rows(keys, [one.size for one in columns])
    sizes = np.bincount(groups.labels, weights[there])
    return len(sizes), int(sizes.sum()), int(sizes.max(initial=0))
