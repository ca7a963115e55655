"""Unique exact matches: persons whose combination of values nobody shares, found as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.evaluation.attacks.base import Aim, Assumed, Attack
from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.linking.linkage import unattempted_outcome
from kanonym.evaluation.attacks.matching.single_values import OPEN, person_values, record_values
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount

HALF = "half of the persons in the other half"
"""The part that tells what chance gives."""


@dataclass(frozen=True, slots=True)
class UniqueExactMatches(Attack):
    """Find all values of a person in one released record, where no other person has them.

    Persons who are alone with their values of all columns are looked up: those whom a
    released record equals in every column are found. A released cell that leaves several
    values open equals none.

    Notes
    -----
    Full success: of the original published unchanged everybody is found who is unique. The
    baseline is 0: without a release there is nothing to be found. Values that many people
    could have are also met by chance, by a release of other people: success on the persons of
    a control whose values nobody in the original has says how often, and the part
    `half of the persons in the other half` how often it happens between two halves of the
    original. A release well above it contains copies.

    Everybody is looked up. Cost O(records) a column.

    References
    ----------
    NIST, SDNist 2.5 (2025): unique exact matches, in percent of unique records.

    """

    type: ClassVar[str] = "unique-exact-matches"
    question: ClassVar[str] = (
        "Does the release contain all values of a person whose combination nobody else has?"
    )
    method: ClassVar[str] = "looks for released records that equal a unique person in every column"
    source: ClassVar[str] = "NIST, SDNist 2025"
    aim: ClassVar[Aim] = "singling-out"
    record_per_person: ClassVar[Assumed] = "always"

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        pair = scene.pair
        names = [column.name for column in pair.columns]
        if not names or not pair.n_original or not pair.n_released:
            return unattempted_outcome(self, "the tables have no record or no column in common")
        persons, records = person_values(pair, names), record_values(pair, names)
        alone = persons.filter(persons.is_unique())
        if not len(alone):
            return unattempted_outcome(self, "everybody shares all values with somebody else")
        if not len(records):
            return unattempted_outcome(self, OPEN)
        control = None
        if scene.control is not None:
            others = person_values(scene.control, names)
            control = _count_found(_without(others, persons), records)
        order = random.permutation(len(persons))
        first, second = persons[order[::2]], persons[order[1::2]]
        half = _count_found(first.filter(first.is_unique()), second)
        return AttackResult(
            self.type,
            self.question,
            _count_found(alone, records, exact=True),
            SuccessCount(0, len(alone), exact=True),
            control if control is not None and control.attempts else None,
            parts={HALF: half.rate} if half.attempts else {},
        )


def _count_found(
    persons: pl.DataFrame, records: pl.DataFrame, *, exact: bool = False
) -> SuccessCount:
    """Count the persons whom a record equals."""
    found = persons.join(records.unique(), on=records.columns, how="semi", nulls_equal=True)
    return SuccessCount(len(found), len(persons), exact=exact)


def _without(persons: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Return the persons whose values none of the others has."""
    return persons.join(others.unique(), on=others.columns, how="anti", nulls_equal=True)
