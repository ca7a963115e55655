"""What attacks achieved, and which question of data protection each of them answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import isclose
from typing import get_args

from kanonym.evaluation.attacks.base import Aim
from kanonym.evaluation.attacks.registry import ATTACKS
from kanonym.evaluation.attacks.result import AttackResult

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
