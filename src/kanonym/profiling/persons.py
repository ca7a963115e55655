"""Who the persons of a table may be, by its structure: columns that repeat and determine others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.message import Message
from kanonym.data.schema import Role
from kanonym.kernels.classes.grouping import label_rows
from kanonym.profiling.groupings import UNIQUE, CodedColumn, Grouping, coded_columns, some_rows
from kanonym.profiling.words import Hint, name_hints

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
EXPLAINED = 0.3
"""Share of the other columns that are constant, alike or different in each record of a group. In
tables with one row per person a number of a state or team explains a twentieth of them."""
MOSTLY = 0.5
"""Share of the other columns from which on it is rather a person that explains them."""
FEWEST = 10
"""Groups are at least so many."""
FEWEST_BEYOND_CHANCE = 20
"""Repeats that are constant beyond chance, of a column that is determined in part."""
FEWEST_PARTLY = 100
"""Groups that determine others in part are at least so many: ages in years are fewer."""
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
MOST_OF_A_PERSON = 40
"""Records of a person on average, at most, if there are no occasions: others are groups."""
LASTING = frozenset({"sex", "date of birth", "race or ethnicity"})
"""What a person has one of, as names of columns say it."""
NAMED = 4
"""Columns that a sentence names."""
MOST_PAIRED = 12
"""Columns of which pairs are looked at."""


class Evidence(NamedTuple):
    """What groups of records say about the other columns; places of columns.

    Attributes
    ----------
    constant
        Columns that have one value in each group, far beyond chance.
    independent
        Of these, columns that are no code of the groups or of each other.
    same
        Constant columns that differ in each group, and no monotone function of it.
    partly
        Further columns that are determined in part, none of which tells of another one.
    occasions
        Columns that have each value about once in a group: a day, the number of a visit.
    matched
        Columns that vary within groups more than by chance, and repeat there: case and control.
    alike
        Columns in which the records of a group are alike.
    varying
        Columns that are neither constant, nor determined in part, nor an occasion.
    others
        Number of the columns that do not form the groups.
    strength
        Number of independent columns, and constancies of those that are determined in part.
    digits
        -log10 of the chance of the independent columns.

    """

    constant: list[int]
    independent: list[int]
    same: list[int]
    partly: list[int]
    occasions: list[int]
    matched: list[int]
    alike: list[int]
    varying: list[int]
    others: int
    strength: float
    digits: float

    @property
    def explained(self) -> float:
        """Share of the other columns that are constant, alike or different in each record."""
        said = len(self.constant) + len(self.occasions) + len(self.alike)
        return said / max(self.others, 1)

    @property
    def share_alike(self) -> float:
        """Share of the columns that are neither constant nor an occasion, which are alike."""
        rest = self.others - len(self.constant) - len(self.occasions)
        return len(self.alike) / max(rest, 1)


@dataclass(frozen=True, slots=True)
class ProposedPersons:
    """Columns whose values may be the persons of a table.

    Attributes
    ----------
    columns
        One column, or two that together tell persons apart.
    values, records, largest
        How many values they have, in how many records, and the records of the most frequent one.
    constant
        Columns that have one value for each of these values.
    occasions
        Columns that have each value about once for each of them, such as the day of a visit.
    alike
        Other columns in which the records of one value are alike.
    looked_at
        Of how many records this is known: a large table is looked at in part.
    digits
        A random grouping of the records is as constant with a probability of 10^-digits, at most.
    likely_groups
        Whether the values look like groups of persons rather than persons: matched sets, or
        schools, whose records are hardly alike in what they do not share.

    """

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
            "constant": ", ".join((self.constant or self.occasions or self.alike)[:NAMED]),
        }
        if self.likely_groups:
            return Message(
                "{columns} has {values:,} values in {records:,} records and determines other "
                "columns ({constant}): probably groups of persons, such as households, schools or "
                "matched sets; if they are persons, set entity in k-anonymity, and if each row is "
                "a person, rows: persons",
                **facts,
            )
        return Message(
            "{columns} has {values:,} values in {records:,} records and determines other columns "
            "({constant}), as persons with several records do, or groups such as households: if "
            "these are persons, it is the entity of k-anonymity; if each row is a person, set "
            "rows: persons instead",
            **facts,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; no value of the table."""
        return asdict(self) | {"digits": round(self.digits, 1), "reason": self.reason}


@dataclass(frozen=True)
class _Candidate:
    """Columns that group a table, with what this says."""

    grouping: Grouping
    evidence: Evidence

    @classmethod
    def of(cls, grouping: Grouping) -> Self:
        return cls(grouping, evidence_of(grouping))

    @property
    def by(self) -> tuple[int, ...]:
        return self.grouping.by


def proposed_persons(
    table: pl.DataFrame | Sequence[CodedColumn], counts: NDArray[np.int64] | None = None
) -> tuple[ProposedPersons, ...]:
    """Return the columns, or pairs of columns, that may say who the persons of a table are.

    Nothing is known about names. A column is proposed where its values, texts or whole numbers,
    repeat and determine other columns far beyond chance, as a person's number determines sex and
    date of birth.

    Parameters
    ----------
    table
        A polars DataFrame, or its columns as codes.
    counts
        (n,) records that each row stands for, or 0; None for one each.

    Returns
    -------
    The proposals, best first; empty for most tables of one row per person. Several, if there are
    several kinds of units, such as students and lecturers.

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

    Cost O(n · d) to group by each column, and O(d²) tests on 8,000 records; where no single column
    is proposed, O(d³) for pairs of at most 12 columns.

    """
    columns = list(coded_columns(table) if isinstance(table, pl.DataFrame) else table)
    columns = [one for one in columns if one.size > 1]
    if not columns or not len(columns[0].codes):
        return ()
    weights = np.ones(len(columns[0].codes), np.int64) if counts is None else counts
    full, full_weights = columns, weights
    columns, weights = some_rows(columns, weights)
    numbers = [place for place, one in enumerate(columns) if one.may_number]
    singles = [_Candidate.of(one) for one in groupings_of_one(columns, numbers, weights)]
    found = [one for one in singles if _is_person(one)]
    if not found:
        widest = sorted(numbers, key=lambda one: -columns[one].size)[:MOST_PAIRED]
        pairs = groupings_of_two(columns, widest, weights)
        found = [one for one in map(_Candidate.of, pairs) if _is_pair(one)]
    found = found or [one for one in singles if _is_partly_person(one)]
    ranked = sorted(found, key=_rank)
    return tuple(
        _proposal(one, full, full_weights)
        for place, one in enumerate(ranked)
        if not any(_covers(other, one) for other in ranked[:place])
    )


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


def evidence_of(grouping: Grouping) -> Evidence:
    """Return what groups say about the other columns."""
    columns = grouping.columns
    others = [place for place in range(len(columns)) if place not in grouping.by]
    told = {place: grouping.dependence(place) for place in others}
    constant, occasions, matched, rest = [], [], [], []
    for place, one in told.items():
        if one.constancy >= CONSTANT:
            # Constant by chance is no evidence, and none against: it counts nowhere.
            if one.digits >= DIGITS:
                constant.append(place)
            continue
        few = 3 * columns[place].size <= grouping.records
        if one.new >= ONCE and one.constancy <= OCCASION and few:
            occasions.append(place)
            continue
        if one.constancy <= OCCASION and few:
            matched.append(place)
        rest.append(place)
    free = [place for place in constant if grouping.follows_order(place) <= FOLLOWS]
    unique = [
        place for place in free if grouping.values_of_groups(place) >= UNIQUE * len(grouping.sizes)
    ]
    same = untied(unique, lambda one, other: grouping.ordered_alike(one, other) < MONOTONE)
    coarse = sorted(set(free) - set(unique), key=grouping.values_of_groups)
    independent = max(
        (
            untied(order, lambda one, other: grouping.tie(one, other) < TIED)
            for order in (coarse, coarse[::-1])
        ),
        key=len,
    )
    partly = list[int]()
    for place in sorted(rest, key=lambda one: (-told[one].constancy, one)):
        one = told[place]
        if (
            one.constancy >= PARTLY
            and one.repeats * one.by_chance > FEWEST_BEYOND_CHANCE
            and grouping.follows_order(place) <= FOLLOWS
            and all(grouping.tie(place, other) < TIED for other in (*independent, *partly))
        ):
            partly.append(place)
    return Evidence(
        constant=constant,
        independent=independent,
        same=same,
        partly=partly,
        occasions=occasions,
        matched=matched,
        alike=[place for place in rest if grouping.likeness(place) >= ALIKE],
        varying=[place for place in rest if told[place].constancy < PARTLY],
        others=len(constant) + len(occasions) + len(rest),
        strength=len(independent) + sum(told[one].constancy for one in partly),
        digits=sum(told[one].digits for one in independent),
    )


def untied(places: Iterable[int], untied: Callable[[int, int], bool]) -> list[int]:
    """Return the first of some columns, and each further one that is not tied to one before."""
    kept = list[int]()
    for place in places:
        if all(untied(place, other) for other in kept):
            kept.append(place)
    return kept


def _is_person(one: _Candidate) -> bool:
    """Whether groups look like persons, or like groups of persons."""
    told, columns = one.evidence, one.grouping.columns
    if told.explained < EXPLAINED:
        return False
    if told.independent:
        return (
            len(told.independent) > 1
            or bool(told.occasions)
            or told.share_alike >= 1 / 3
            or told.strength >= 1 + PARTLY
        )
    fewer = any(columns[place].size < len(one.grouping.sizes) for place in told.occasions)
    return bool(told.constant and told.occasions) or (fewer and told.share_alike >= ALIKE)


def _is_partly_person(one: _Candidate) -> bool:
    """Whether groups determine much in part, and nothing in whole: a person's laboratory values."""
    told, grouping = one.evidence, one.grouping
    surprising = sum(grouping.dependence(place).by_chance >= 0.5 for place in told.partly)
    return (
        told.strength >= 1
        and told.share_alike >= 0.5
        and len(grouping.sizes) >= FEWEST_PARTLY
        and (surprising >= 2 or told.explained >= 0.8)
    )


def _is_pair(one: _Candidate) -> bool:
    """Whether groups by two columns look like persons, by columns that neither determines alone."""
    return (
        one.evidence.explained >= EXPLAINED
        and len(one.evidence.independent) > 1
        and len(jointly_determined(one.grouping, one.evidence.independent)) > 1
    )


def jointly_determined(grouping: Grouping, columns: Sequence[int]) -> list[int]:
    """Return those of some columns that no single column of the groups determines."""
    return [
        place
        for place in columns
        if all(grouping.dependence_on(one, place).constancy < ALONE for one in grouping.by)
    ]


def _rank(one: _Candidate) -> tuple[Any, ...]:
    """Return what sorts proposals: persons before groups, few records a value before many."""
    named = tuple(not _is_named(one.grouping.columns[place]) for place in one.by)
    told, per_group = one.evidence, one.grouping.per_group
    size = round(float(np.log2(per_group)))
    many = -len(one.grouping.sizes)
    return _likely_groups(one), size, -round(told.strength, 2), -told.explained, many, named, one.by


def _is_named(column: CodedColumn) -> bool:
    """Whether a name says that the column identifies: it decides between equals alone."""
    return any(hint.role is Role.IDENTIFIER for hint in name_hints(column.name))


def _covers(one: _Candidate, other: _Candidate) -> bool:
    """Whether the groups of a better proposal determine the columns of another one."""
    return all(place in one.evidence.constant or place in one.by for place in other.by)


def _likely_groups(one: _Candidate) -> bool:
    """Whether something speaks for groups of persons; only here names count, and only for groups.

    Persons have one sex, date of birth and ethnicity. A sampling weight is that of many.
    """
    told, columns = one.evidence, one.grouping.columns
    if any(hint.what in LASTING for place in told.varying for hint in _hints(columns[place])):
        return True
    if any(hint.role is Role.INSENSITIVE for place in one.by for hint in _hints(columns[place])):
        return True
    if told.occasions:
        return False
    if told.matched or one.grouping.per_group > MOST_OF_A_PERSON:
        return True
    return told.share_alike < ALIKE and told.explained < MOSTLY


def _hints(column: CodedColumn) -> list[Hint]:
    return [hint for hint in name_hints(column.name) if hint.sure]


def _proposal(
    one: _Candidate, columns: Sequence[CodedColumn], weights: NDArray[np.int64]
) -> ProposedPersons:
    """Return a proposal, with sizes of the whole table."""
    names = [column.name for column in columns]
    values, records, largest = _sizes([columns[place] for place in one.by], weights)
    told = one.evidence
    return ProposedPersons(
        columns=tuple(names[place] for place in one.by),
        values=values,
        records=records,
        largest=largest,
        constant=tuple(names[place] for place in told.constant),
        occasions=tuple(names[place] for place in told.occasions),
        alike=tuple(names[place] for place in told.alike),
        looked_at=one.grouping.records,
        digits=told.digits,
        likely_groups=_likely_groups(one),
    )


def _sizes(columns: Sequence[CodedColumn], weights: NDArray[np.int64]) -> tuple[int, int, int]:
    """Return numbers of groups, of records in them, and of records of the largest."""
    there = weights > 0
    for one in columns:
        there &= one.codes != one.null
    keys = [one.codes[there] for one in columns]
    groups = label_rows(keys, [one.size for one in columns])
    sizes = np.bincount(groups.labels, weights[there])
    return len(sizes), int(sizes.sum()), int(sizes.max(initial=0))
