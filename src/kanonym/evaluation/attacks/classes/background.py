"""The background-knowledge attack: homogeneity once some values are ruled out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from kanonym.data.message import gettext as _
from kanonym.evaluation.attacks.base import Aim, Attack
from kanonym.evaluation.attacks.classes.homogeneity import NO_SENSITIVE, judge_few_values
from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.matching.disclosure import run_disclosure
from kanonym.evaluation.attacks.matching.values import values_of
from kanonym.evaluation.attacks.result import AttackResult
from kanonym.models.base import check_integer


@dataclass(frozen=True, slots=True)
class BackgroundKnowledge(Attack):
    """Learn a person's sensitive value where some values are known not to be the person's.

    As `Homogeneity`, and for each person the intruder can rule out m values: those that help
    most, which is the worst case. Success: the person's value is the only one left. It is
    so where the records that could be the person's have at most m + 1 values, the true one
    among them.

    Attributes
    ----------
    m
        Values that the intruder rules out for each person; 0 is homogeneity.
    attempts
        How many persons are looked up at most.

    Raises
    ------
    PolicyError
        `m` or `attempts` is no integer in its range.

    Notes
    -----
    The baseline knows as much, and the released values without the classes: it succeeds
    where the table has at most m + 1 values. Distinct l-diversity with l of at least m + 2
    leaves 0. Full success, nulls and cost as of homogeneity.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007). l-Diversity: privacy beyond
    k-anonymity. ACM TKDD 1(1), sections 2.2 and 4.1. Ruling out is the only background
    knowledge here; likelihoods of values are not.

    """

    type: ClassVar[str] = "background-knowledge"
    title: ClassVar[str] = _("Background knowledge")
    asks: ClassVar[str] = _("What is a person’s sensitive value, if some values can be ruled out?")
    told: ClassVar[str] = _(
        "Knows the quasi-identifiers, and some values that the person does not have. Of 100 known "
        "people, the value of {right} is certain; by chance, of {chance}."
    )
    question: ClassVar[str] = (
        "Can someone who knows a person's quasi-identifiers, and some sensitive values that "
        "the person does not have, learn the value for certain?"
    )
    method: ClassVar[str] = "the same after ruling out `m` values"
    source: ClassVar[str] = "Machanavajjhala et al. 2007"
    aim: ClassVar[Aim] = "inference"

    m: int = 1
    attempts: int = 2000

    def __post_init__(self) -> None:
        check_integer("background-knowledge", "m", self.m, 0)
        check_integer("background-knowledge", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        judges = {
            name: (partial(values_of, name=name), partial(judge_few_values, most=self.m + 1))
            for name in scene.sensitive
        }
        return run_disclosure(self, scene, random, judges, NO_SENSITIVE)
