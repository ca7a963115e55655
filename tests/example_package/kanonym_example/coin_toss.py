"""An attack: a guess for every record that is never right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanonym.evaluation.attacks.base import Aim, Attack, AttackContext
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount


@dataclass(frozen=True, slots=True)
class CoinToss(Attack):
    """Guess by a coin, and lose."""

    type: ClassVar[str] = "coin-toss"
    title: ClassVar[str] = "Coin toss"
    question: ClassVar[str] = "What does a coin know?"
    method: ClassVar[str] = "tosses a coin"
    aim: ClassVar[Aim] = "inference"

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return that no guess was right."""
        del random
        none = SuccessCount(0, scene.pair.n_original)
        return AttackResult(self.type, self.question, none, none)
