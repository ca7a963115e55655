"""What an attack is: frozen parameters, traits that the flow reads, and a way to carry it out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np

from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.result import AttackResult

Aim = Literal["singling-out", "linkability", "inference"]
"""The questions of Opinion 05/2014 (WP 216, §3)."""

Assumed = Literal["never", "always", "without a sensitive attribute"]


class Attack(ABC):
    """An attack on a release. Subclasses are frozen dataclasses.

    They have `attempts`, unless they attack everybody.

    Attributes
    ----------
    type
        Its name.
    question
        What the intruder wants, in plain words.
    method
        What the intruder does, in a few words.
    source
        Who described it; may be empty.
    aim
        The question of data protection that it answers.
    record_per_person
        When it treats every record as a different person. Where persons have several records, its
        rate then says nothing of persons, and it is not carried out.

    """

    __slots__ = ()

    type: ClassVar[str]
    question: ClassVar[str]
    method: ClassVar[str]
    source: ClassVar[str] = ""
    aim: ClassVar[Aim]
    record_per_person: ClassVar[Assumed] = "never"

    @abstractmethod
    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Attack; where the tables leave nothing to attack, say why in the result."""
        ...

    def counts_records(self, scene: AttackContext) -> bool:
        """Whether the attack takes every record of these tables for another person."""
        if self.record_per_person == "without a sensitive attribute":
            return not scene.sensitive
        return self.record_per_person == "always"
