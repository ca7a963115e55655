"""Membership attacks on a model, and their results."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kanonym.data.errors import DataError, Message, PolicyError
from kanonym.data.results import ShortRepr
from kanonym.evaluation.attacks.models import roc
from kanonym.evaluation.attacks.result import CONFIDENCE
from kanonym.kernels.arrays import Bools, Floats, Ints

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


FEWEST = 20
"""Fewest members, and fewest others, of whom anything is said."""

LEAST = 1e-9
"""What a probability counts at least, so that the loss is finite."""

LABELS_ONLY = Message(
    "the estimator predicts no probabilities: there is only right or wrong to attack by"
)


@dataclass(frozen=True, slots=True, repr=False)
class TrainingData(ShortRepr):
    """Records that a model learns from.

    features: (n_records, n_features) float64.
    target: (n_records,) float64: numbers, or codes of categories from 0.
    person: (n_records,) int64: which of the `Persons` each record is; None where nobody knows.
    """

    features: Floats
    target: Floats
    person: Ints | None


@dataclass(frozen=True, slots=True, repr=False)
class Persons(ShortRepr):
    """Persons whose values the intruder knows. Who is no member and no control is not attacked.

    features: (n_persons, n_features) float64, true values.
    target: (n_persons,) float64, as in `TrainingData`; only persons who are not attacked may have
    NaN.
    member: (n_persons,) bool: the model may have learned from them; where lessons say whose they
    are, those of them count who are among these.
    control: (n_persons,) bool: it has not.
    first: (n_persons,) bool: the half on which an attack is prepared; the other half judges it.
    """

    features: Floats
    target: Floats
    member: Bools
    control: Bools
    first: Bools


@dataclass(frozen=True, slots=True, repr=False)
class _Answers(ShortRepr):
    """What a model says of persons.

    right: (n,) bool, None of numbers. error: (n,) squared errors, None of categories. loss:
    (n,), None without probabilities. hints: (n, n_hints), what a shadow attack looks at; none
    without a loss.
    """

    right: Bools | None
    error: Floats | None
    loss: Floats | None
    hints: Floats


def classifies(estimator: Any) -> bool:
    """Tell whether an estimator of scikit-learn predicts categories."""
    from sklearn.base import is_classifier  # noqa: PLC0415

    return bool(is_classifier(estimator))


def fresh_estimator(estimator: Any, *, categorical: bool, seed: int) -> Any:
    """Return an estimator that has learned nothing, and learns the same each time."""
    from sklearn.base import clone, is_regressor  # noqa: PLC0415

    if estimator is None:
        estimator = _boosted_trees(categorical=categorical)
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise PolicyError(
            "estimator is an object of scikit-learn's kind, as RandomForestClassifier(); this is "
            f"{estimator!r}"
        )
    if not (classifies(estimator) if categorical else is_regressor(estimator)):
        kind, wanted = ("categories", "classifier") if categorical else ("numbers", "regressor")
        raise PolicyError(
            f"estimator {type(estimator).__name__} is no {wanted}, and the target holds {kind}"
        )
    model = clone(estimator)
    states = {
        name: seed
        for name, value in model.get_params(deep=True).items()
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    }
    return model.set_params(**states)


def attack_model(
    estimator: Any, lessons: TrainingData, persons: Persons, *, shadows: int, seed: int
) -> ModelAttackResult:
    """Train a model, and tell from its answers whom it has learned from.

    Notes
    -----
    - `correctness`: who is predicted right is taken for a member. There is no threshold to
      choose: everybody is counted, and the advantage is the accuracy on members less that on
      others, exactly (Yeom, Giacomelli, Fredrikson, Jha 2018, CSF, adversary 1 with the loss
      of right or wrong, theorem 2). Not of numbers.
    - `loss`: who has a small loss is; it is −log of the probability of the true category, of
      numbers the squared error (Yeom et al., adversary 2). The threshold is the best one for
      the first half of the persons, theirs comes of the errors of training; the advantage is
      that of the other half. The area needs no threshold, and takes everybody.
    - `shadow`: models of the same kind learn from random halves of the first half's members.
      From their answers about persons in these halves and out of them a logistic regression
      learns to tell the two apart. It is judged, threshold included, on the second half of all
      persons, from whom nothing was learned here (Shokri, Stronati, Song, Shmatikov 2017, S&P,
      section V). It sees probabilities from the largest to the smallest, the loss, and right
      or wrong; of numbers the prediction, and the error, plain and squared. Theirs has a
      model for each category and shadows of the target's size; here they learn from a quarter
      as many members. Where nobody knows which record is whose, they learn from true values.

    `true_positive_rate` at a false positive rate of 1 % is that of Carlini, Chien, Nasr, Song,
    Terzis, Tramèr (2022, S&P, section III), read off the same persons as the area. A category that
    a model has not learned has probability 0. Probabilities are rounded to nine digits: the order
    in which threads add up must not decide.
    """
    if lessons.person is not None:
        learned = np.zeros(len(persons.target), np.bool_)
        learned[lessons.person] = True
        persons = replace(persons, member=persons.member & learned)
    asked = np.flatnonzero(persons.member | persons.control)
    member, first = persons.member[asked], persons.first[asked]
    _require_enough(member)
    n_classes = 0
    if classifies(estimator):
        n_classes = 1 + int(max(lessons.target.max(), persons.target[asked].max()))
    answers = _answers(estimator, lessons, persons, asked, n_classes)
    attacks = []
    if answers.right is not None:
        attacks.append(_correctness_attack(answers.right, member))
    if answers.loss is not None:
        attacks.append(_score_attack("loss", -answers.loss, member, first, first | ~first))
        shadow = _shadow_attack(estimator, lessons, persons, n_classes, (shadows, seed))
        score = shadow.decision_function(answers.hints).round(9)
        attacks.append(_score_attack("shadow", score, member, first, ~first))
    target = persons.target[asked]
    on_members, on_control = (_score(answers, target, mask) for mask in (member, ~member))
    return ModelAttackResult(
        records=len(lessons.target),
        score="R²" if answers.right is None else "accuracy",
        on_members=on_members,
        on_control=on_control,
        members=int(member.sum()),
        control=int((~member).sum()),
        attacks=tuple(attacks),
        reason=LABELS_ONLY if answers.loss is None else None,
    )


def _boosted_trees(*, categorical: bool) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor  # noqa: PLC0415

    kind = HistGradientBoostingClassifier if categorical else HistGradientBoostingRegressor
    return kind(early_stopping=False)


def _require_enough(member: Bools) -> None:
    """Refuse (n_attacked,) persons of whom too few are members, or others."""
    for name, count in (("members", member.sum()), ("persons of the control", (~member).sum())):
        if count < FEWEST:
            raise DataError(
                f"there are {count} {name} to attack, whose target is known and whose record was "
                f"not suppressed; at least {FEWEST} are needed"
            )


def _answers(
    estimator: Any, lessons: TrainingData, persons: Persons, asked: Ints, n_classes: int
) -> _Answers:
    """Return what a model that has learned the lessons says of some persons.

    n_classes: 0 of numbers.
    """
    truth, features = persons.target[asked], persons.features[asked]
    if not n_classes:
        predicted = np.asarray(
            _fit_and_predict(estimator, lessons, features)[0], np.float64
        ).reshape(-1)
        miss = predicted - truth
        return _Answers(None, miss**2, miss**2, np.column_stack([predicted, np.abs(miss), miss**2]))
    predicted, known = _fit_and_predict(estimator, lessons, features)
    right = np.asarray(predicted == truth)
    if known is None:
        return _Answers(right, None, None, np.zeros((len(asked), 0)))
    probabilities = np.zeros((len(asked), n_classes))
    probabilities[:, np.unique(lessons.target).astype(np.int64)] = known.round(9)
    own = probabilities[np.arange(len(asked)), truth.astype(np.int64)]
    loss = -np.log(np.maximum(own, LEAST))
    return _Answers(
        right, None, loss, np.column_stack([-np.sort(-probabilities, axis=1), loss, right])
    )


def _fit_and_predict(
    estimator: Any, lessons: TrainingData, features: Floats
) -> tuple[Floats, Floats | None]:
    """Return what a model predicts, and its probabilities where it has them."""
    from sklearn.base import clone  # noqa: PLC0415
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    model = clone(estimator)
    likely = classifies(model) and hasattr(model, "predict_proba")
    if classifies(model) and len(np.unique(lessons.target)) == 1:  # not every classifier takes it
        certain = np.full(len(features), lessons.target[0])
        return certain, np.ones((len(features), 1)) if likely else None
    # One thread: the order in which several add up would show in the last digits.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(lessons.features, lessons.target)
        predicted = model.predict(features)
        return predicted, model.predict_proba(features) if likely else None


def _shadow_attack(
    estimator: Any, lessons: TrainingData, persons: Persons, n_classes: int, drawn: tuple[int, int]
) -> Any:
    """Return what has learned to tell persons in shadow models from persons out of them.

    drawn: the number of shadow models, and the seed.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.pipeline import make_pipeline  # noqa: PLC0415
    from sklearn.preprocessing import StandardScaler  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    shadows, seed = drawn
    random = np.random.default_rng([seed, *b"shadow models"])
    pool = np.flatnonzero(persons.member & persons.first)
    own = TrainingData(persons.features, persons.target, np.arange(len(persons.target)))
    source = own if lessons.person is None else lessons
    hints, labels = [], []
    for _ in range(shadows):
        inside = np.zeros(len(persons.target), np.bool_)
        inside[random.permutation(pool)[: len(pool) // 2]] = True
        rows = np.flatnonzero(inside[source.person])
        taught = TrainingData(source.features[rows], source.target[rows], None)
        hints.append(_answers(estimator, taught, persons, pool, n_classes).hints)
        labels.append(inside[pool])
    attack = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    with threadpool_limits(1):
        return attack.fit(np.concatenate(hints), np.concatenate(labels))


def _correctness_attack(right: Bools, member: Bools) -> MembershipAttack:
    """Return the attack that takes for members who is predicted right."""
    score = right.astype(np.float64)
    return _measure_attack(
        "correctness",
        score[member],
        score[~member],
        roc.advantage(score[member], score[~member], 1.0),
    )


def _score_attack(
    name: str, score: Floats, member: Bools, first: Bools, measured: Bools
) -> MembershipAttack:
    """Return the attack that takes for members who scores high.

    The threshold is that of the first half, its advantage that of the other; everything else is
    of the persons that are `measured`.
    """
    threshold = roc.best_threshold(score[member & first], score[~member & first])
    advantage = roc.advantage(score[member & ~first], score[~member & ~first], threshold)
    return _measure_attack(name, score[member & measured], score[~member & measured], advantage)


def _measure_attack(
    name: str, members: Floats, others: Floats, advantage: float
) -> MembershipAttack:
    return MembershipAttack(
        type=name,
        auc=roc.area(members, others),
        interval=roc.area_interval(members, others),
        advantage=advantage,
        true_positive_rate=roc.true_positive_rate(members, others, FALSE_POSITIVES),
        members=len(members),
        control=len(others),
    )


def _score(answers: _Answers, target: Floats, of: Bools) -> float:
    """Return the accuracy on some persons, or R² of numbers; 0 where their numbers are equal."""
    if answers.right is not None:
        return float(answers.right[of].mean())
    assert answers.error is not None  # noqa: S101 - of numbers it is
    variance = float(target[of].var())
    return 1 - float(answers.error[of].mean()) / variance if variance else 0.0
