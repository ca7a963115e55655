"""What attacks on a model achieved: told apart, or not, are members and other persons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanonym.evaluation.attacks.result import CONFIDENCE

FALSE_POSITIVES = 0.01
"""False positive rate at which the true one is told."""


@dataclass(frozen=True, slots=True)
class MembershipAttack:
    """What one attack on a model achieved."""

    type: str
    auc: float
    interval: tuple[float, float]
    advantage: float
    true_positive_rate: float
    members: int
    control: int
    confidence: float = CONFIDENCE

    def to_dict(self) -> dict[str, Any]:
        """Return the attack as JSON."""
        return {
            "type": self.type,
            "auc": self.auc,
            "interval": list(self.interval),
            "confidence": self.confidence,
            "advantage": self.advantage,
            "true_positive_rate": self.true_positive_rate,
            "false_positive_rate": FALSE_POSITIVES,
            "members": self.members,
            "control": self.control,
        }


@dataclass(frozen=True, slots=True)
class ModelAttackResult:
    """A model, and what attacks on it achieved."""

    records: int
    score: str
    on_members: float
    on_control: float
    members: int
    control: int
    attacks: tuple[MembershipAttack, ...]
    reason: str | None = None

    @property
    def gap(self) -> float:
        """How much better the model does on members: how far it is overfitted."""
        return self.on_members - self.on_control

    @property
    def strongest(self) -> MembershipAttack:
        """The attack with the largest area; of equal ones the first."""
        return max(self.attacks, key=lambda one: one.auc)

    def __getitem__(self, name: str) -> MembershipAttack:
        """Return one attack by its type."""
        for attack in self.attacks:
            if attack.type == name:
                return attack
        made = ", ".join(one.type for one in self.attacks)
        raise KeyError(f"there is no attack {name!r} on this model; there are: {made}")

    def to_dict(self) -> dict[str, Any]:
        """Return the model as JSON."""
        return {
            "records": self.records,
            "score": self.score,
            "on_members": self.on_members,
            "on_control": self.on_control,
            "gap": self.gap,
            "members": self.members,
            "control": self.control,
            "attacks": [attack.to_dict() for attack in self.attacks],
            **({"reason": self.reason} if self.reason else {}),
        }
