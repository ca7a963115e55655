"""What attacks achieved, and which question of data protection each of them answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import isclose
from typing import get_args

from kanonym.evaluation.attacks.base import Aim
from kanonym.evaluation.attacks.registry import ATTACKS
from kanonym.evaluation.attacks.result import AttackResult

AIMS: tuple[Aim, ...] = get_args(Aim)
"""The questions of data protection that attacks answer."""


@dataclass(frozen=True, slots=True)
class Attacked:
    """What one attack achieved.

    Attributes
    ----------
    type, question, aim
        Its name, what the intruder wants, and the question of data protection that it answers.
    rate, rate_interval
        Share of the attempts that were right, in [0, 1].
    baseline, control
        What is right without the release, and of persons who are not in the table (None
        without such).
    risk, interval
        What the release adds: the share of what chance leaves, in [0, 1].
    confidence
        Of the intervals.
    attempts, seed
        How it was tried; without an attempt, `reason` says why.
    parts
        Details by name.
    hidden_by
        As of `AttackResult`: what keeps a risk of 0 from showing that nothing is given away.

    """

    type: str
    question: str
    aim: Aim | None
    rate: float
    rate_interval: tuple[float, float]
    baseline: float
    control: float | None
    risk: float
    interval: tuple[float, float]
    confidence: float
    attempts: int
    seed: int
    parts: dict[str, float]
    reason: str | None
    hidden_by: str | None = None

    @property
    def chance(self) -> float:
        """What the rate is compared with: the control where there is one, else the baseline."""
        return self.baseline if self.control is None else self.control

    def column(self, names: Collection[str]) -> str | None:
        """Return the one of some columns whose values were guessed with the rate told, if any."""
        return next((name for name in names if isclose(self.parts.get(name, -1), self.rate)), None)


def attacks_of(outcomes: Iterable[AttackResult]) -> tuple[Attacked, ...]:
    """Take over the outcomes of attacks, in their order."""
    return tuple(
        Attacked(
            type=one.type,
            question=one.question,
            aim=ATTACKS[one.type].aim if one.type in ATTACKS else None,
            rate=one.targets.rate,
            rate_interval=one.targets.interval(one.confidence),
            baseline=one.baseline.rate,
            control=one.control.rate if one.control and one.control.attempts else None,
            risk=one.risk,
            interval=one.interval,
            confidence=one.confidence,
            attempts=one.targets.attempts,
            seed=one.seed,
            parts=dict(one.parts),
            reason=one.reason,
            hidden_by=one.hidden_by,
        )
        for one in outcomes
    )


def asking(attacks: Sequence[Attacked], aim: Aim) -> list[Attacked]:
    """Return the attacks that answer a question and were tried, most gain first."""
    return ranked(one for one in attacks if one.aim == aim and one.attempts)


def foremost(attacks: Sequence[Attacked], most: int) -> list[Attacked]:
    """Return at most so many of those tried, by their gain; the best for each question is in."""
    best = [asking(attacks, aim)[:1] for aim in AIMS]
    first = ranked(one for several in best for one in several)
    rest = [one for one in ranked(attacks) if one.attempts and one not in first]
    return ranked([*first, *rest][:most])


def ranked(attacks: Iterable[Attacked]) -> list[Attacked]:
    """Return attacks by what the release adds, most first; untried ones last."""
    return sorted(attacks, key=lambda one: (not one.attempts, -one.risk, -one.rate))
