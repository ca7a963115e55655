"""Every attack by its name."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from kanonym.attacks.background import BackgroundKnowledge
from kanonym.attacks.downcoding import Downcoding
from kanonym.attacks.homogeneity import Homogeneity
from kanonym.attacks.inference import Inference
from kanonym.attacks.intersection import Intersection
from kanonym.attacks.linkability import Linkability
from kanonym.attacks.linkage import Linkage
from kanonym.attacks.membership import Membership
from kanonym.attacks.optimal_linkage import OptimalLinkage
from kanonym.attacks.outcome import AttackOutcome
from kanonym.attacks.scene import Scene
from kanonym.attacks.similar_records import SimilarRecords
from kanonym.attacks.similarity_of_values import SimilarityOfValues
from kanonym.attacks.singling_out import SinglingOut
from kanonym.attacks.skewness import Skewness


class Attack(Protocol):
    """An attack on a release: frozen parameters, and a way to carry it out.

    Attributes
    ----------
    type
        Its name.
    question
        What the intruder wants, in plain words.
    attempts
        Persons attacked at most.

    """

    type: ClassVar[str]
    question: ClassVar[str]

    def carry_out(self, scene: Scene, random: np.random.Generator) -> AttackOutcome:
        """Attack; where the tables leave nothing to attack, say why in the outcome."""
        ...


ALL: tuple[type[Attack], ...] = (
    SinglingOut,
    Linkage,
    OptimalLinkage,
    SimilarRecords,
    Linkability,
    Inference,
    Homogeneity,
    BackgroundKnowledge,
    Skewness,
    SimilarityOfValues,
    Membership,
    Intersection,
    Downcoding,
)
"""Every attack, in the order in which they are carried out and told."""

ATTACKS: dict[str, type[Attack]] = {attack.type: attack for attack in ALL}
"""Every attack by name."""
