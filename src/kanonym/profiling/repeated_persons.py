"""Whether records are several of each person, though no column says whose they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from kanonym.data.errors import Message
from kanonym.kernels.arrays import Floats, Ints
from kanonym.kernels.classes.grouping import Groups, label_rows
from kanonym.profiling.groupings import UNIQUE, CodedColumn, Grouping, coded_columns, some_rows
from kanonym.profiling.persons import (
    NAMED,
    TIED,
    Evidence,
    are_likely_groups,
    groupings_of_one,
    groupings_of_two,
    jointly_determined,
    untied,
)

EXPLAINED = 0.5
"""Share of the other columns that are constant, alike or different in each record of a group."""
EXPLAINED_BY_MORE = 0.25
"""The same where three or more of the constant columns are independent."""
LARGEST = 0.05
"""Share of the records in the largest group, at most: others are values such as 0."""
DERIVED = 0.5
"""Combinations of the independent columns for each group, from which on these may make up the
values that form the groups: a score follows from the answers, a survey weight from its cell."""
MOST_ANSWERS = 12
"""Values of such a column, at most."""
MOST_PAIRED = 10
"""Columns of which pairs are looked at."""
MOST_TOGETHER = 12
"""Sets of columns of which it is counted how many records are alone."""
AGREEING = 0.6
"""Constancy from which on a column is counted together with the ones that form groups."""
LEAST_EXPECTED = 50
"""Of fewer records expected to be alone nothing is said;"""
LEAST_SHARE = 0.1
"""nor of a smaller share: where most values are common, persons agree by chance."""
MOST_ALONE = 1 / 3
"""Of the records expected to be alone, the share that may be."""
SURELY_ALONE = 0.7
"""Share of records alone from which on nothing more is looked at."""
INDEPENDENT = 3
"""Columns of such a set that do not tell of each other, at least: two may have one cause, as a tax
and a price have the state."""
ONE_EACH = 0.9
"""A column with values for this share of the combinations of two determines the other one."""
DETERMINED = 0.95
"""A column without which this share of the combinations is left is determined by the others."""


@dataclass(frozen=True, slots=True)
class RepeatedPersons:
    """Columns in which records agree as those of one person do."""

    columns: tuple[str, ...]
    constant: tuple[str, ...]
    values: int
    records: int
    largest: int
    alone: int
    expected_alone: int | None = None
    digits: float = 0.0

    @property
    def reason(self) -> Message:
        """The evidence and what to do, in a sentence without a value of the table."""
        facts: dict[str, Any] = {
            "columns": ", ".join(self.columns),
            "values": self.values,
            "records": self.records,
            "alone": self.alone,
            "expected": self.expected_alone,
            "constant": ", ".join(self.constant[:NAMED]),
        }
        if self.expected_alone is None:
            return Message(
                "{records:,} records have {values:,} different values of {columns}, and records "
                "that agree in them agree in {constant}: they look like several records of each "
                "person; name the column that tells persons apart as entity, or set rows: persons "
                "if each row is a person",
                **facts,
            )
        return Message(
            "{alone:,} of {records:,} records are alone with their values of {columns}, where "
            "about {expected:,} would be if each were another person: they look like several "
            "records of each person; name the column that tells persons apart as entity, or set "
            "rows: persons if each row is a person",
            **facts,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; no value of the table."""
        return asdict(self) | {"digits": round(self.digits, 1), "reason": self.reason}


def repeated_persons(
    table: pl.DataFrame | Sequence[CodedColumn], counts: Ints | None = None
) -> RepeatedPersons | None:
    """Return columns in which the records agree as several records of one person do, if any.

    counts: (n,) records that each row stands for, or 0; None for one each.

    Notes
    -----
    Two kinds of evidence, on subsets of the columns, since others differ from visit to visit.

    *Constant columns.* Values of one column, or of two, repeat (an age in days, a date of birth
    with a postal code), and within each of these groups at least two independent columns are
    constant (`profiling.persons`), as hardly any other person's would be. At least half of the
    other columns must be constant, alike, or different in each record; and the constant ones must
    not make up the value, as answers make up a score.

    *Records alone.* Persons who agree in some columns agree in the others by chance, unless the
    columns depend on each other; records of one person agree in all. So the columns are divided
    into two parts that are paired at random, and of all divisions the one that leaves the fewest
    records alone is taken: dependent columns are then in one part. It is evidence if a third of
    these records are alone, or fewer, and three of the columns are independent. A record that
    agrees with n_a records in one part, and with n_b in the other, is alone among n records with
    probability exp(-(n_a - 1)(n_b - 1) / (n - 1)), nearly. Columns that others determine are left
    out first, once those of few values and once those of many, and both must be evidence.

    Cost O(n · d) for each column, of at most 100 others if there are more than 200 (`Grouping`),
    and O(d³) tests on 8,000 records for d ≤ 10 columns of most values.
    """
    columns = list(coded_columns(table) if isinstance(table, pl.DataFrame) else table)
    columns = [column for column in columns if column.size > 1]
    if len(columns) < 2 or not len(columns[0].codes):
        return None
    weights = np.ones(len(columns[0].codes), np.int64) if counts is None else counts
    columns, weights = some_rows(columns, weights)
    places = range(len(columns))
    together = [tuple(places)]
    for grouping in groupings_of_one(columns, places, weights):
        evidence = Evidence(grouping)
        if _is_evidence(grouping, evidence, evidence.independent):
            return _by_constant(grouping, evidence)
        together.append(_agreeing(grouping))
    widest = sorted(places, key=lambda one: -columns[one].size)[:MOST_PAIRED]
    for grouping in groupings_of_two(columns, widest, weights):
        evidence = Evidence(grouping)
        own = jointly_determined(grouping, evidence.independent)
        if len(own) > 1 and _is_evidence(grouping, evidence, own):
            return _by_constant(grouping, evidence)
        together.append(_agreeing(grouping))
    sets = sorted(set(together), key=lambda one: (-len(one), one))[:MOST_TOGETHER]
    found = (_by_lone_records(columns, one, weights) for one in sets)
    return next((persons for persons in found if persons is not None), None)


def _is_evidence(grouping: Grouping, told: Evidence, independent: Sequence[int]) -> bool:
    """Whether constant columns show that groups are persons."""
    n_columns = len(independent) + len(told.same)
    least = EXPLAINED if n_columns < INDEPENDENT else EXPLAINED_BY_MORE
    if not independent or n_columns < 2 or told.explained < least or grouping.largest > LARGEST:
        return False
    if are_likely_groups(told):
        return False
    parts = [grouping.of_groups(place) for place in told.independent]
    few = [codes for codes in parts if codes.max() < MOST_ANSWERS]
    return bool(few) and len(np.unique(np.stack(few), axis=1).T) < DERIVED * len(grouping.sizes)


def _agreeing(grouping: Grouping) -> tuple[int, ...]:
    """Return the columns that form groups, and those that are mostly constant in them."""
    told = grouping.dependences(grouping.witnesses)
    agreeing = [place for place, dependence in told.items() if dependence.constancy >= AGREEING]
    return tuple(sorted([*grouping.by, *agreeing]))


def _by_constant(grouping: Grouping, told: Evidence) -> RepeatedPersons:
    """Return groups in which columns are constant."""
    names = [column.name for column in grouping.columns]
    return RepeatedPersons(
        tuple(names[place] for place in grouping.by),
        tuple(names[place] for place in told.constant),
        len(grouping.sizes),
        grouping.records,
        int(grouping.sizes.max()),
        int((grouping.sizes == 1).sum()),
        digits=told.digits,
    )


def _by_lone_records(
    columns: Sequence[CodedColumn], chosen: Sequence[int], weights: Ints
) -> RepeatedPersons | None:
    """Return some columns where suspiciously few records are alone with their values."""
    if len(chosen) < INDEPENDENT:
        return None
    lead = max(chosen, key=lambda one: columns[one].size)
    rows = Grouping(columns, [lead], weights).rows
    table = _Combinations([columns[one] for one in chosen], rows, weights[rows])
    records, alone = int(table.weights.sum()), int((table.weights == 1).sum())
    least = max(LEAST_EXPECTED, LEAST_SHARE * records, alone / MOST_ALONE)
    if alone > SURELY_ALONE * records or least > records:
        return None
    if table.expected_if_independent() < least or table.n_independent() < INDEPENDENT:
        return None
    expected = min(
        _Combinations.least_expected(table.without_determined(most_first=order), least)
        for order in (False, True)
    )
    if expected < least:
        return None
    evidence = Evidence(Grouping(columns, chosen, weights))
    own = len(chosen) - 1
    if own + evidence.n_explained < EXPLAINED * (own + len(evidence.grouping.witnesses)):
        return None
    return RepeatedPersons(
        tuple(columns[one].name for one in chosen),
        (),
        len(table.weights),
        records,
        int(table.weights.max()),
        alone,
        round(expected),
    )


class _Combinations:
    """Distinct combinations of values of some columns, with their numbers of records."""

    def __init__(self, columns: Sequence[CodedColumn], rows: Ints, weights: Ints) -> None:
        self.columns = [column._replace(codes=column.codes[rows]) for column in columns]
        groups = self._grouped(range(len(columns)))
        self.weights = np.bincount(groups.labels, weights).astype(np.int64)
        self.columns = [
            column._replace(codes=column.codes[groups.first]) for column in self.columns
        ]

    def _grouped(self, chosen: Iterable[int]) -> Groups:
        """Group the combinations by some of the columns."""
        which = [self.columns[one] for one in chosen]
        return label_rows([one.codes for one in which], [one.size for one in which])

    def expected_if_independent(self) -> float:
        """Return about how many records would be alone if no column told of another one."""
        records = self.weights.sum()
        agreeing = np.full(len(self.weights), float(records))
        for column in self.columns:
            agreeing *= np.bincount(column.codes, self.weights)[column.codes] / records
        return float(self.weights @ np.exp(-agreeing))

    def n_independent(self) -> int:
        """Return how many columns do not tell of each other; those that tell all count as one."""
        ones = np.ones(len(self.weights), np.int64)
        all_ = Grouping(self.columns, range(len(self.columns)), ones)
        values = [all_.values_of_groups(place) for place in range(len(self.columns))]
        telling = [one for one, n in enumerate(values) if n >= UNIQUE * len(all_.sizes)]
        rest = sorted(set(range(len(values))) - set(telling), key=lambda one: -values[one])
        kept = untied(rest, lambda one, other: all_.tie(one, other) < TIED)
        return len(kept) + bool(telling)

    def without_determined(self, *, most_first: bool) -> _Combinations:
        """Leave out columns that the others determine, but two."""
        kept = list(range(len(self.columns)))
        values = [len(np.unique(one.codes)) for one in self.columns]
        for column in sorted(kept, key=values.__getitem__, reverse=most_first):
            rest = [one for one in kept if one != column]
            if len(rest) < 2:
                break
            if len(self._grouped(rest).sizes) >= DETERMINED * len(self.weights):
                kept = rest
        rows = np.arange(len(self.weights))
        return _Combinations([self.columns[one] for one in kept], rows, self.weights)

    def least_expected(self, enough: float) -> float:
        """Return the fewest records that are expected to be alone, over divisions in two parts.

        A number below `enough` may be larger than the fewest. 0 of two columns, one of which
        determines the other: nothing says how they would be paired.
        """
        if len(self.columns) == 2 and self._is_one_determined():
            return 0.0
        part: list[int] = []
        fewest = np.inf
        while len(part) < len(self.columns) - 1:
            rest = [one for one in range(len(self.columns)) if one not in part]
            expected, column = min((self._expected([*part, one]), one) for one in rest)
            if expected >= fewest:
                break
            fewest, part = expected, [*part, column]
            if fewest < enough:
                break
        return fewest

    def _is_one_determined(self) -> bool:
        """Whether one of two columns determines the other, or nearly."""
        return max(len(np.unique(column.codes)) for column in self.columns) >= ONE_EACH * len(
            self.weights
        )

    def _expected(self, part: Sequence[int]) -> float:
        """Return how many records are expected to be alone if two parts are paired at random."""
        rest = [one for one in range(len(self.columns)) if one not in part]
        records = int(self.weights.sum())
        left, left_share = self._agreeing(part)
        right, right_share = self._agreeing(rest)
        pairs = np.outer(left - 1, right - 1) / (records - 1)
        return float(records * (left_share @ np.exp(-pairs) @ right_share))

    def _agreeing(self, part: Sequence[int]) -> tuple[Ints, Floats]:
        """Return how many records agree in some columns, and with what share of them."""
        counted = np.bincount(self._grouped(part).labels, self.weights).astype(np.int64)
        numbers, where = np.unique_inverse(counted)
        return numbers, np.bincount(where, counted) / counted.sum()
