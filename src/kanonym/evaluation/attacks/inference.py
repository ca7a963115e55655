"""Attribute inference: guessing what is secret about a person from what is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.base import Aim, Attack, AttackContext, draw_persons, everybody
from kanonym.evaluation.attacks.classes.homogeneity import NO_SENSITIVE
from kanonym.evaluation.attacks.linking.linkage import NO_ORIGINAL, NO_RELEASED
from kanonym.evaluation.attacks.matching.guessing import Secret, guess_values, reach_of, secret_of
from kanonym.evaluation.attacks.matching.lookup import find_candidates
from kanonym.evaluation.attacks.matching.predicates import regroup_records
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount, worst_of
from kanonym.evaluation.pair.tables import TablePair
from kanonym.kernels.arrays import Floats
from kanonym.models.base import check_attribute, check_choice, check_integer

Known = Literal["quasi-identifiers", "all"]

NO_VALUE = Message("no person has a value of the secret")


@dataclass(frozen=True, slots=True)
class Inference(Attack):
    """Guess a person's secret from the released records that may be the person's.

    The intruder knows other values of the person, looks up the records that leave all of them
    open, or the nearest where there are none, and guesses the value that most of them have.
    A record that leaves m combinations of the known values open counts 1/m: that is how
    likely it has the person's, if all are alike. A number is guessed right within 5 % of the
    range of the middle 90 % of the original's. Persons without a value are not attacked.
    A person with several records is guessed right where one of the guesses is right for its
    record; the baseline guesses the same value for all of them.

    Attributes
    ----------
    secret
        The column that is guessed; None for each sensitive attribute in turn.
    known
        What the intruder knows of a person: the `quasi-identifiers`, or `all` columns; never
        the secret.
    attempts
        Persons who are attacked at most.

    Notes
    -----
    Full success: of an original published unchanged everybody's value is guessed whose known values
    nobody shares, or only persons with the same secret. The baseline is exact: the most frequent
    value of the release, guessed for all persons of the original. A release in which all that is
    known is suppressed gives the baseline. Success on persons of the control is what the release
    says about people in general, so the risk beside a control is what it says about those in it.

    With several secrets the outcome is that of the largest risk; `parts` has each one's rate,
    and its baseline and control.

    Anonymeter (Giomi et al. 2023, PoPETs 2023/2, section 5.3) takes the one nearest record,
    the value itself for the unit of the tolerance, and uniform guesses for a baseline. Here
    all records that fit vote, as classes of k records ask for, and the baseline is the best
    that is possible without knowing anybody.

    Cost: a lookup (`find_candidates`), and the records of each distinct set of classes found.
    """

    type: ClassVar[str] = "inference"
    title: ClassVar[str] = _("Attribute inference")
    question: ClassVar[str] = _(
        "Which value does a person have in a column that the intruder does not know?"
    )
    question_about: ClassVar[str] = _("What is the {name} of a known person?")
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, {right} are guessed right; by chance, "
        "{chance}."
    )
    method: ClassVar[str] = "guesses a secret from the records that match the known values"
    source: ClassVar[str] = "Giomi et al. 2023"
    aim: ClassVar[Aim] = "inference"
    secret: str | None = None
    known: Known = "quasi-identifiers"
    attempts: int = 2000

    def __post_init__(self) -> None:
        if self.secret is not None:
            check_attribute(self.type, self.secret)
        check_choice(self.type, "known", self.known, get_args(Known))
        check_integer(self.type, "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Guess the secrets of persons of the original and of the control; see the class."""
        pair = scene.pair
        asked = scene.sensitive if self.secret is None else (self.secret,)
        held = {column.name for column in pair.columns}
        secrets = {name: self._known_columns(pair, name) for name in asked if name in held}
        if not secrets or not pair.n_original or not pair.n_released:
            return self.not_run(guessing_obstacle(pair, self.secret))
        outcomes, parts = [], dict[str, float]()
        for done, (name, known) in enumerate(secrets.items()):
            scene.told(2 * done, 2 * len(secrets))
            reach = reach_of(pair.column(name))
            targets = self._attack_persons(pair, pair, name, known, reach, random)
            scene.told(2 * done + 1, 2 * len(secrets))
            if not targets.attempts:
                continue
            control = None
            if scene.control is not None and scene.control.n_original:
                control = self._attack_persons(scene.control, pair, name, known, reach, random)
            baseline = guess_most_frequent(secret_of(pair.column(name), reach), pair)
            parts |= {name: targets.rate, f"{name}: baseline": baseline.rate}
            if control is not None and control.attempts:
                parts[f"{name}: control"] = control.rate
            else:
                control = None
            outcomes.append(
                AttackResult(
                    self.type, self.question, targets, baseline, control, other_attack=True
                )
            )
        if not outcomes:
            return self.not_run(NO_VALUE)
        worst = worst_of(outcomes)
        return replace(worst, parts=parts)

    def _known_columns(self, pair: TablePair, secret: str) -> tuple[str, ...]:
        """Return the columns whose values the intruder knows."""
        names = pair.quasi_identifiers
        if self.known == "all":
            names = tuple(column.name for column in pair.columns)
        return tuple(name for name in names if name != secret)

    def _attack_persons(
        self,
        pair: TablePair,
        release: TablePair,
        name: str,
        known: tuple[str, ...],
        reach: float,
        random: np.random.Generator,
    ) -> SuccessCount:
        """Attack persons of a pair; `release` says what the cells leave open."""
        secret = secret_of(pair.column(name), reach)
        having = np.flatnonzero(secret.has_value)
        persons = draw_persons(pair, self.attempts, random, having)
        classes = regroup_records(pair, known)
        found = find_candidates(
            replace(pair, classes=classes), persons.records, known, nearest=True
        )
        guessed = guess_values(secret, found, classes, _weights(release, known))
        return persons.count(secret.are_right(guessed, persons.records))


def _weights(pair: TablePair, known: tuple[str, ...]) -> Floats:
    """Return (n_released,) float64: one through the combinations that a record leaves open."""
    logarithms = np.zeros(pair.n_released)
    for generalization in pair.generalizations:
        if generalization.name in known:
            logarithms -= np.log(np.maximum(generalization.values, 1))[generalization.labels]
    return np.asarray(np.exp(logarithms - logarithms.max(initial=-np.inf)))


def guess_most_frequent(secret: Secret, pair: TablePair) -> SuccessCount:
    """Return for how many persons the most frequent value of the release is right."""
    guess = secret.guess(np.arange(pair.n_released), np.ones(pair.n_released))
    persons = everybody(pair, np.flatnonzero(secret.has_value))
    right = secret.are_right(np.full(len(persons.records), guess), persons.records)
    return persons.count(right, exact=True)


def guessing_obstacle(pair: TablePair, secret: str | None) -> str:
    """Say why nothing can be guessed."""
    if not pair.n_original or not pair.n_released:
        return NO_RELEASED if pair.n_original else NO_ORIGINAL
    if secret is None:
        return NO_SENSITIVE
    return Message("column {secret!r} is not in both tables", secret=secret)
