"""Attribute inference by a model that has learned from the release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from kanonym.evaluation.attacks.attacked_persons import draw_persons
from kanonym.evaluation.attacks.base import Aim, Attack
from kanonym.evaluation.attacks.inference import (
    NO_VALUE,
    guess_most_frequent,
    guessing_obstacle,
)
from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.matching.guessing import reach_of, secret_of
from kanonym.evaluation.attacks.matching.joined_persons import join_persons
from kanonym.evaluation.attacks.matching.nearest import TIE
from kanonym.evaluation.attacks.membership import NO_CONTROL
from kanonym.evaluation.attacks.models.learned_values import (
    learn_values,
    learning_obstacle,
    true_values,
)
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount, worst_of
from kanonym.evaluation.pair.tables import CategoricalColumn, TablePair
from kanonym.models.base import check_attribute, check_integer, check_number


@dataclass(frozen=True, slots=True)
class ModelInference(Attack):
    """Guess a person's secret by a model that was trained on the released records.

    The intruder trains a random forest to predict the secret from the quasi-identifiers, and
    asks it about real persons. A category is guessed right if it is the person's, a number
    within 5 % of the range of the middle 90 % of the original's, as in `Inference`. Persons
    without a value are not attacked.

    Attributes
    ----------
    secret
        The column that is guessed; None for each sensitive attribute in turn.
    threshold
        Of RAPID: how much more likely than in the release a person's category must be, as a share
        of what is possible; in [0, 1].
    attempts
        Persons who are attacked at most, and as many of the control.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    Needs a control: what a model learns of people in general is true of everybody, and only
    what it says better about those in the table comes from their records. The risk is
    (member - control) / (1 - control), the baseline the most frequent released value.
    `parts` has, of a secret of categories, RAPID: the share of persons with
    (p - b) / (1 - b) above the threshold, where p is the probability that the model gives the
    true category and b its share in the release; and beside it that of the control. Alone it says
    nothing of a leak: two thirds of Adult's persons are at risk by `salary-class`, in the table
    or not.

    Full success: of an original published unchanged nearly everybody's value is guessed whose
    known values nobody shares. So trees grow to leaves of one record (`learned_values`); a model
    that only generalizes, as boosted trees of few leaves, finds hardly anything there.

    Cost: 40 trees for each secret, some seconds at 25,000 records.

    References
    ----------
    Templ, Thees, Müller (2026). RAPID: risk of attribute prediction-induced disclosure in
    synthetic microdata. arXiv 2602.09235. There without a control, and numbers within a share of
    the value itself.

    """

    type: ClassVar[str] = "model-inference"
    question: ClassVar[str] = (
        "Can someone who knows other values of a person predict the secret one by a model that "
        "has learned from the release?"
    )
    method: ClassVar[str] = "predicts a secret by a model trained on the release; needs a control"
    source: ClassVar[str] = "RAPID: Templ, Thees and Müller 2026"
    aim: ClassVar[Aim] = "inference"
    secret: str | None = None
    threshold: float = 0.3
    attempts: int = 2000

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        if self.secret is not None:
            check_attribute(self.type, self.secret)
        check_number(self.type, "threshold", self.threshold, minimum=0, maximum=1)
        check_integer(self.type, "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Predict secrets of persons of the original and of the control; see the class."""
        pair, control = scene.pair, scene.control
        if control is None or not control.n_original:
            return self._refusal(NO_CONTROL)
        asked = scene.sensitive if self.secret is None else (self.secret,)
        secrets = [name for name in asked if name in {column.name for column in pair.columns}]
        if not secrets or not pair.n_original or not pair.n_released:
            return self._refusal(guessing_obstacle(pair, self.secret))
        joined = join_persons(pair, control)
        obstacles = {
            name: learning_obstacle(joined, name, scene.quasi_identifiers) for name in secrets
        }
        secrets = [name for name in secrets if obstacles[name] is None]
        outcomes, parts = [], dict[str, float]()
        for done, name in enumerate(secrets):
            told = partial(_report_share, scene, done, len(secrets))
            outcome = self._predict(scene, joined, name, random, parts, told)
            outcomes += [] if outcome is None else [outcome]
        if not outcomes:
            reasons = [reason for reason in obstacles.values() if reason is not None]
            return self._refusal(reasons[0] if reasons else NO_VALUE)
        return replace(worst_of(outcomes), parts=parts)

    def _predict(
        self,
        scene: AttackContext,
        joined: TablePair,
        name: str,
        random: np.random.Generator,
        parts: dict[str, float],
        told: Callable[[float], None],
    ) -> AttackResult | None:
        """Count right predictions of one secret, and note parts; None where nobody has a value."""
        pair, control = scene.pair, scene.control
        assert control is not None  # noqa: S101 - `run` refuses before
        reach = reach_of(pair.column(name)) * (1 + TIE)
        truth = true_values(joined, name)
        n = pair.n_original
        both = [
            draw_persons(table, self.attempts, random, np.flatnonzero(~np.isnan(own)))
            for table, own in ((pair, truth[:n]), (control, truth[n:]))
        ]
        if not all(persons.number for persons in both):
            return None
        asked = np.concatenate([both[0].records, n + both[1].records])
        found = learn_values(
            joined, name, scene.quasi_identifiers, asked, random, told, reach=reach
        )
        ends = [len(both[0].records)]
        targets, others = (
            persons.count(right)
            for persons, right in zip(
                both, np.split(np.abs(found.guesses - truth[asked]) <= reach, ends), strict=True
            )
        )
        baseline = guess_most_frequent(secret_of(pair.column(name), reach), pair)
        parts |= {name: targets.rate, f"{name}: baseline": baseline.rate}
        parts[f"{name}: control"] = others.rate
        if isinstance(pair.column(name), CategoricalColumn):
            # A category that all have is predicted with certainty, and gains nothing.
            gained = found.likely - found.usual > self.threshold * (1 - found.usual)
            for kind, persons, exposed in zip(
                ("RAPID", "RAPID of the control"), both, np.split(gained, ends), strict=True
            ):
                parts[f"{name}: {kind}"] = persons.count(exposed).rate
        return AttackResult(self.type, self.question, targets, baseline, others, other_attack=True)

    def _refusal(self, reason: str) -> AttackResult:
        nobody = SuccessCount(0, 0, exact=True)
        return AttackResult(self.type, self.question, SuccessCount(0, 0), nobody, reason=reason)


def _report_share(scene: AttackContext, done: int, secrets: int, share: float) -> None:
    """Tell which share of all secrets is done."""
    scene.told(round(100 * (done + share)), 100 * secrets)
