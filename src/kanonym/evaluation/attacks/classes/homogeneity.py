"""The homogeneity attack: all records that could be a person's share their sensitive value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from kanonym.data.message import Message
from kanonym.data.message import gettext as _
from kanonym.evaluation.attacks.base import Aim, Attack
from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.matching.disclosure import Judgement, PossibleValues, run_disclosure
from kanonym.evaluation.attacks.matching.values import values_of
from kanonym.evaluation.attacks.result import AttackResult
from kanonym.models.base import check_integer

NO_SENSITIVE = Message("no sensitive attribute is in both tables")


@dataclass(frozen=True, slots=True)
class Homogeneity(Attack):
    """Learn a person's sensitive value for certain, from records that all have it.

    The intruder knows the quasi-identifiers of a person and that the person is in the
    release, finds the records that leave these values open, and learns the sensitive value
    where all of them share it. A null is a value. Records that are suppressed altogether, and
    suppressed sensitive cells, count only where nothing else is there: a claim may be wrong.
    Success: there is one value, and it is the person's own.

    Attributes
    ----------
    attempts
        How many persons are looked up at most.

    Raises
    ------
    PolicyError
        `attempts` is no integer of at least 1.

    Notes
    -----
    The original published unchanged discloses every person whose equals (by
    quasi-identifiers) share the value: all where nobody has an equal. The baseline sees the
    released values without the classes, and succeeds where all of them are the same.
    Distinct l-diversity with l of at least 2 leaves 0. Where released values are means or
    otherwise changed, the intruder takes the nearest records. With several sensitive
    attributes the outcome is that of the largest risk; `parts` has each one's rate.
    Cost: `evaluation.attacks.matching.disclosure.run_disclosure`.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007). l-Diversity: privacy beyond
    k-anonymity. ACM TKDD 1(1), section 2.1. There the class is the person's own; here it is
    every class that the intruder cannot tell from it.

    """

    type: ClassVar[str] = "homogeneity"
    title: ClassVar[str] = _("Homogeneity")
    asks: ClassVar[str] = _(
        "What is a person’s sensitive value, where all records of the class have the same one?"
    )
    told: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, the value of {right} is certain; by "
        "chance, of {chance}."
    )
    question: ClassVar[str] = (
        "Can someone who knows a person's quasi-identifiers learn the sensitive value for "
        "certain, because all records that could be the person's share it?"
    )
    method: ClassVar[str] = (
        "learns a value for certain, because all records that could be the person's have it"
    )
    source: ClassVar[str] = "Machanavajjhala et al. 2007"
    aim: ClassVar[Aim] = "inference"

    attempts: int = 2000

    def __post_init__(self) -> None:
        check_integer("homogeneity", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        judges = {
            name: (partial(values_of, name=name), partial(judge_few_values, most=1))
            for name in scene.sensitive
        }
        return run_disclosure(self, scene, random, judges, NO_SENSITIVE)


def judge_few_values(learned: PossibleValues, most: int) -> Judgement:
    """Judge whether at most some values could be each person's, the true one among them."""
    distinct = learned.distinct
    claims = (distinct > 0) & (distinct <= most)
    everything = 0 < _distinct_of_table(learned) <= most
    return Judgement(
        claims & learned.includes_own,
        (everything & (learned.table[learned.own] > 0)).astype(np.float64),
        claims,
    )


def _distinct_of_table(learned: PossibleValues) -> int:
    """Return the number of released values; more than there are where no cell says anything."""
    return learned.size + 1 if learned.table[-1] else int((learned.table > 0).sum())
