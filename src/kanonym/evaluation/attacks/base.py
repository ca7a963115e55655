"""What an attack is: frozen parameters, traits that the flow reads, and a way to carry it out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np

from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.result import AttackResult

Aim = Literal["singling-out", "linkability", "inference"]
"""The questions of Opinion 05/2014 (WP 216, §3)."""


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
    needs_sets
        Whether it is about sets of items: asked for by name only where there are none.
    unit
        What an attempt is about, a noun of the catalogues: a `person` (a `record` where nothing
        says that records are persons), the cells of one, a `description` or a `decision`.
    of_person
        What has to succeed of a person who has several records. Where the policy counts persons by
        an identifier, attempts are persons, and chance is that of the same success.

    """

    __slots__ = ()

    type: ClassVar[str]
    question: ClassVar[str]
    method: ClassVar[str]
    source: ClassVar[str] = ""
    aim: ClassVar[Aim]
    needs_sets: ClassVar[bool] = False
    unit: ClassVar[str] = "person"
    of_person: ClassVar[str] = "one of the records succeeds"

    @abstractmethod
    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Attack; where the tables leave nothing to attack, say why in the result."""
        ...
