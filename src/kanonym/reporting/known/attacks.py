"""Attacks as the report takes them, with their parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isclose
from typing import NamedTuple, get_args

from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.attacks.base import Aim, Attack
from kanonym.evaluation.attacks.result import AttackResult

PARTS = {
    "rate": ("share-of-attempts", _("{subject}")),
    "named": ("share-of-cells", _("{subject}: named correctly")),
    "claimed": ("share-of-attempts", _("{subject}: a value was claimed")),
    "baseline": ("share-of-attempts", _("{subject}: without the release")),
    "control": ("share-of-control", _("{subject}: on people who are not in the table")),
    "risk": ("share-of-chance", _("{subject}: beyond chance")),
    "attempts": ("attempts", _("{subject}: descriptions tried")),
    "first release alone": ("share-of-persons", _("{subject}: with the first release alone")),
    "second release alone": ("share-of-persons", _("{subject}: with the second release alone")),
    "values left": ("values-per-person", _("{subject}: values that remain possible, on average")),
    "fewer than l values": ("share-of-persons", _("persons with fewer than l values left")),
    "claimed from dissolved classes": (
        "share-of-persons",
        _("persons whose class for size alone was not released, and whose value is claimed"),
    ),
    "right of the claimed": ("share-of-claims", _("claims that are right")),
    "right by the class alone": (
        "share-of-claims",
        _("claims that would be right by the class alone"),
    ),
    "one record known": ("share-of-persons", _("identified, if one record is known")),
    "two records known": ("share-of-persons", _("identified, if two records are known")),
    "three records known": ("share-of-persons", _("identified, if three records are known")),
    "alone": ("share-of-persons", _("found with no other record equally close")),
    "other values that agree": ("share-of-cells", _("other values of matches that agree")),
    "in the original": ("share-of-persons", _("{subject}: if the original were published")),
    "control_compatible": ("share-of-control", _("people of the control who fit a class")),
    "generalized": ("share-of-cells", _("generalized cells")),
    "minimal": ("share-of-cells", _("named cells with a minimal generalization")),
    "sure": ("share-of-attempts", _("{subject}: surer than 90 %")),
    "sure by the class alone": (
        "share-of-attempts",
        _("{subject}: surer than 90 % by the class alone"),
    ),
    "labels present": (
        "share-of-cells",
        _("cells of which all labels one level below are known to occur"),
    ),
    "counts known": ("share-of-cells", _("cells of which all numbers one level below are known")),
    "bits told": ("share-of-bits", _("what the algorithm tells of the labels one level below")),
    "advantage": ("share-difference", _("true positive rate minus false positive rate")),
    "auc": ("area", _("area under the ROC curve")),
    "with sensitive values": ("share-of-attempts", _("right, if sensitive values are also known")),
    "advantage with sensitive values": (
        "share-difference",
        _("true positive rate minus false positive rate, if sensitive values are also known"),
    ),
    "auc with sensitive values": (
        "area",
        _("area under the ROC curve, if sensitive values are also known"),
    ),
}
"""The unit of each kind of part, a key of `UNIT_NAMES`, and what it is called."""


UNIT_NAMES: Mapping[str, str] = {
    "attempts": _("attempts"),
    "values-per-person": _("values per person"),
    "area": _("from 0 to 1; 0.5 is chance"),
    "share-of-persons": _("share of the individuals"),
    "share-of-control": _("share of the control"),
    "share-of-attempts": _("share of the attempts"),
    "share-of-claims": _("share of the claims"),
    "share-of-chance": _("share of what fails by chance"),
    "share-of-cells": _("share of the cells"),
    "share-of-bits": _("share of the bits"),
    "share-difference": _("difference of shares"),
}
"""The unit of parts of attacks."""


class Part(NamedTuple):
    """What one detail is."""

    kind: str
    subject: str

    @property
    def unit(self) -> str:
        """The key of its unit."""
        return PARTS[self.kind][0]

    @property
    def share(self) -> bool:
        """Whether it is written in percent."""
        return self.unit.startswith("share-")


def part_of(attack: str, name: str) -> Part:
    """Return what a part of an attack's outcome is, by its name in the JSON contract.

    Examples
    --------
    >>> part_of("inference", "diagnosis: baseline")
    Part(kind='baseline', subject='diagnosis')
    >>> part_of("membership", "auc"), part_of("homogeneity", "auc").kind
    (Part(kind='auc', subject=''), 'rate')

    """
    traits = ATTACKS.get(attack, Attack)
    if name in traits.whole_parts:
        return Part(name, "")
    subject, _, kind = name.rpartition(traits.part_mark)
    return Part(kind, subject) if subject and kind in PARTS else Part(traits.part_kind, name)


AIMS: tuple[Aim, ...] = get_args(Aim)
"""The questions of data protection that attacks answer."""


def attacks_on_question(attacks: Sequence[AttackResult], aim: Aim) -> list[AttackResult]:
    """Return the attacks that answer a question and were tried, most successful first."""
    return rank_attacks(attack for attack in attacks if aim_of(attack) == aim and attack.attempts)


def top_attacks(attacks: Sequence[AttackResult], most: int) -> list[AttackResult]:
    """Return at most so many of those tried; the most successful for each question is in."""
    best = [attacks_on_question(attacks, aim)[:1] for aim in AIMS]
    first = rank_attacks(result for results in best for result in results)
    rest = [attack for attack in rank_attacks(attacks) if attack.attempts and attack not in first]
    return rank_attacks([*first, *rest][:most])


def rank_attacks(attacks: Iterable[AttackResult]) -> list[AttackResult]:
    """Return attacks by what the release adds surely, then likely, most first; untried last."""
    return sorted(
        attacks, key=lambda one: (not one.attempts, -one.interval[0], -one.risk, -one.targets.rate)
    )


def aim_of(one: AttackResult) -> Aim | None:
    """Return the question that an attack answers; None for an attack that is not known."""
    return ATTACKS[one.type].aim if one.type in ATTACKS else None


def guessed_column(one: AttackResult, names: Collection[str]) -> str | None:
    """Return the one of some columns whose values were guessed with the rate told, if any."""
    rate = one.targets.rate
    return next((name for name in names if isclose(one.parts.get(name, -1), rate)), None)
