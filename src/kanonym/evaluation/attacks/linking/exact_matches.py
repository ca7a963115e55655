"""Records that equal those of a person: unique exact and apparent matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.base import Aim, Attack, AttackContext, AttackedPersons, everybody
from kanonym.evaluation.attacks.linking.linkage import linkage_obstacle
from kanonym.evaluation.attacks.matching.lookup import (
    OPEN,
    are_among,
    held_by_one,
    person_values,
    record_values,
)
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount


@dataclass(frozen=True, slots=True)
class UniqueExactMatches(Attack):
    """Find all values of a person in one released record, where no other person has them.

    Persons who are alone with their values of all columns are looked up: those whom a
    released record equals in every column are found. A released cell that leaves several
    values open equals none.

    Notes
    -----
    Full success: of the original published unchanged everybody is found who is unique. Values
    that many people could have are also met by chance, in a table of other people. The
    baseline estimates how often: the unique persons of one half of the original, drawn, are
    looked up in the other half. Success on the persons of a control whose values nobody in the
    original has says it better. A release well above chance contains copies.

    Everybody is looked up. Cost O(records) a column.

    References
    ----------
    NIST, SDNist 2.5 (2025): unique exact matches, in percent of unique records.
    """

    type: ClassVar[str] = "unique-exact-matches"
    title: ClassVar[str] = _("Unique exact matches")
    question: ClassVar[str] = _(
        "Which released record has exactly the values of a person who is the only one with them?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows everybody’s values. Of 100 people whose values nobody shares, a released record has "
        "exactly those of {right}; by chance, of {chance}."
    )
    method: ClassVar[str] = "looks for released records that equal a unique person in every column"
    source: ClassVar[str] = "NIST, SDNist 2025"
    aim: ClassVar[Aim] = "singling-out"
    of_person: ClassVar[str] = "one of the records that no other person has is released"

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        pair = scene.pair
        names = [column.name for column in pair.columns]
        if not names or not pair.n_original or not pair.n_released:
            return self.not_run("the tables have no record or no column in common")
        values, records = person_values(pair, names), record_values(pair, names)
        alone = np.flatnonzero(held_by_one(values, pair.persons))
        if not len(alone):
            return self.not_run("everybody shares all values with somebody else")
        if not len(records):
            return self.not_run(OPEN)
        control = None
        if scene.control is not None:
            others = person_values(scene.control, names)
            strangers = np.flatnonzero(~are_among(others, values))
            mask = are_among(others[strangers], records)
            control = everybody(scene.control, strangers).count(mask)
        order = random.permutation(pair.n_persons)
        first, second = (AttackedPersons.of(pair, order[half::2]).records for half in (0, 1))
        whose = None if pair.persons is None else pair.persons[first]
        half = values[first].filter(pl.Series(held_by_one(values[first], whose)))
        met = are_among(half, values[second])
        return AttackResult(
            self.type,
            self.question,
            everybody(pair, alone).count(are_among(values[alone], records), exact=True),
            SuccessCount(int(met.sum()), len(met)),
            control if control is not None and control.attempts else None,
            other_attack=True,
        )


AGREE = "other values that agree"
"""The part that tells whether matches are right."""


@dataclass(frozen=True, slots=True)
class ApparentMatches(Attack):
    """Take a released record for a person's, because both are alone with the known values.

    The intruder knows the quasi-identifiers of everybody, and matches a person whose values
    nobody shares with the one released record that has them. Whether the match is right does
    not count: it looks right. The part `other values that agree` says how right it is: the
    mean share of the other columns in which the two agree.

    Notes
    -----
    Of the original published unchanged everybody is matched who is unique by
    quasi-identifiers. A release of single values that is 2-anonymous has no apparent match.
    The baseline is 0; the control are persons whose quasi-identifiers nobody in the original
    has. Everybody is looked up. Cost O(records) a column.

    References
    ----------
    NIST, SDNist 2.5 (2025): apparent match distribution.
    """

    type: ClassVar[str] = "apparent-matches"
    title: ClassVar[str] = _("Apparent matches")
    question: ClassVar[str] = _(
        "Which person and which released record are both the only ones with the known values?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows everybody’s quasi-identifiers. Of 100 people, {right} seem to match one released "
        "record; by chance, {chance}."
    )
    method: ClassVar[str] = (
        "matches a person with a released record where both are alone with the known values"
    )
    source: ClassVar[str] = "NIST, SDNist 2025"
    aim: ClassVar[Aim] = "linkability"
    whole_parts: ClassVar[tuple[str, ...]] = ("other values that agree",)
    of_person: ClassVar[str] = "one of the records is matched"

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        del random
        pair = scene.pair
        reason = linkage_obstacle(pair)
        if reason is not None:
            return self.not_run(reason)
        names = [column.name for column in pair.columns]
        known = [name for name in names if name in pair.quasi_identifiers]
        persons, records = person_values(pair, names), record_values(pair, known)
        if not len(records):
            return self.not_run(OPEN)
        records = records.filter(records.is_unique())
        mask = held_by_one(persons.select(known), pair.persons) & are_among(persons, records)
        control = None
        if scene.control is not None and scene.control.n_original:
            others = person_values(scene.control, known)
            strange = ~are_among(others, persons.select(known)) & are_among(others, records)
            control = everybody(scene.control).count(strange)
        return AttackResult(
            self.type,
            self.question,
            everybody(pair).count(mask, exact=True),
            SuccessCount(0, pair.n_persons, exact=True),
            control,
            parts=_agreement(
                persons.filter(pl.Series(mask, dtype=pl.Boolean)), record_values(pair, names), known
            ),
        )


def _agreement(matched: pl.DataFrame, records: pl.DataFrame, known: list[str]) -> dict[str, float]:
    """Return the mean share of the other columns in which persons and their records agree."""
    others = [name for name in matched.columns if name not in known]
    both = matched.join(records, on=known, how="inner", nulls_equal=True, suffix=" released")
    if not others or not len(both):
        return {}
    agree = [pl.col(name).eq_missing(pl.col(f"{name} released")) for name in others]
    return {AGREE: float(both.select(pl.mean_horizontal(agree)).to_series().mean())}  # type: ignore[arg-type]
