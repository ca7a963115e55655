"""Attacks as the report takes them, with their parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import isclose
from typing import NamedTuple, get_args

from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks import ATTACKS
from kanonym.evaluation.attacks.base import Aim
from kanonym.evaluation.attacks.result import AttackResult

UNITS = {
    "rate": "share-of-attempts",
    "named": "share-of-cells",
    "claimed": "share-of-attempts",
    "baseline": "share-of-attempts",
    "control": "share-of-control",
    "risk": "share-of-chance",
    "attempts": "attempts",
    "first release alone": "share-of-persons",
    "second release alone": "share-of-persons",
    "values left": "values-per-person",
    "fewer than l values": "share-of-persons",
    "claimed from dissolved classes": "share-of-persons",
    "right of the claimed": "share-of-claims",
    "right by the class alone": "share-of-claims",
    "one record known": "share-of-persons",
    "two records known": "share-of-persons",
    "three records known": "share-of-persons",
    "alone": "share-of-persons",
    "other values that agree": "share-of-cells",
    "in the original": "share-of-persons",
    "control_compatible": "share-of-control",
    "generalized": "share-of-cells",
    "minimal": "share-of-cells",
    "sure": "share-of-attempts",
    "sure by the class alone": "share-of-attempts",
    "labels present": "share-of-cells",
    "counts known": "share-of-cells",
    "bits told": "share-of-bits",
    "advantage": "share-difference",
    "auc": "area",
    "with sensitive values": "share-of-attempts",
    "advantage with sensitive values": "share-difference",
    "auc with sensitive values": "area",
}
"""The unit of each kind of part: a key of `UNIT_NAMES`."""

_OF_MODES = ("baseline", "control", "risk", "attempts")
_OF_ATTACK = {
    "linkage": ("alone", "control_compatible"),
    "known-items": ("alone", "control_compatible"),
    "known-records": ("one record known", "two records known", "three records known"),
    "apparent-matches": ("other values that agree",),
    "downcoding": ("generalized", "minimal", "labels present", "counts known", "bits told"),
    "minimality": (
        "fewer than l values",
        "claimed from dissolved classes",
        "right of the claimed",
        "right by the class alone",
    ),
    "membership": tuple(kind for kind in UNITS if kind.startswith(("advantage", "auc", "with"))),
}


PART_NAMES = {
    "rate": _("{subject}"),
    "named": _("{subject}: named correctly"),
    "claimed": _("{subject}: a value was claimed"),
    "baseline": _("{subject}: without the release"),
    "control": _("{subject}: on people who are not in the table"),
    "risk": _("{subject}: beyond chance"),
    "attempts": _("{subject}: descriptions tried"),
    "first release alone": _("{subject}: with the first release alone"),
    "second release alone": _("{subject}: with the second release alone"),
    "values left": _("{subject}: values that remain possible, on average"),
    "alone": _("found with no other record equally close"),
    "one record known": _("identified, if one record is known"),
    "two records known": _("identified, if two records are known"),
    "three records known": _("identified, if three records are known"),
    "other values that agree": _("other values of matches that agree"),
    "in the original": _("{subject}: if the original were published"),
    "control_compatible": _("people of the control who fit a class"),
    "generalized": _("generalized cells"),
    "minimal": _("named cells with a minimal generalization"),
    "labels present": _("cells of which all labels one level below are known to occur"),
    "counts known": _("cells of which all numbers one level below are known"),
    "bits told": _("what the algorithm tells of the labels one level below"),
    "fewer than l values": _("persons with fewer than l values left"),
    "claimed from dissolved classes": _(
        "persons whose class for size alone was not released, and whose value is claimed"
    ),
    "right of the claimed": _("claims that are right"),
    "right by the class alone": _("claims that would be right by the class alone"),
    "sure": _("{subject}: surer than 90 %"),
    "sure by the class alone": _("{subject}: surer than 90 % by the class alone"),
    "advantage": _("true positive rate minus false positive rate"),
    "auc": _("area under the ROC curve"),
    "with sensitive values": _("right, if sensitive values are also known"),
    "advantage with sensitive values": _(
        "true positive rate minus false positive rate, if sensitive values are also known"
    ),
    "auc with sensitive values": _("area under the ROC curve, if sensitive values are also known"),
}
"""What each kind of part is called."""


class Part(NamedTuple):
    """What one detail is."""

    kind: str
    subject: str

    @property
    def unit(self) -> str:
        """The key of its unit."""
        return UNITS[self.kind]

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
    if name in _OF_ATTACK.get(attack, ()):
        return Part(name, "")
    subject, _, kind = name.rpartition(" " if attack == "singling-out" else ": ")
    if subject and kind in (_OF_MODES if attack == "singling-out" else UNITS):
        return Part(kind, subject)
    return Part("named" if attack == "downcoding" else "rate", name)


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
        attacks,
        key=lambda one: (not one.attempts, -one.interval[0], -one.risk, -one.targets.rate),
    )


def aim_of(one: AttackResult) -> Aim | None:
    """Return the question that an attack answers; None for an attack that is not known."""
    return ATTACKS[one.type].aim if one.type in ATTACKS else None


def guessed_column(one: AttackResult, names: Collection[str]) -> str | None:
    """Return the one of some columns whose values were guessed with the rate told, if any."""
    rate = one.targets.rate
    return next((name for name in names if isclose(one.parts.get(name, -1), rate)), None)
