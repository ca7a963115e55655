"""Models that learn from one table and predict the records of the other, by scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kanonym.data.results import ShortRepr
from kanonym.kernels.arrays import Bools, Floats, Ints
from kanonym.kernels.parallel import parallel

BOOSTING: dict[str, Any] = {"max_iter": 50, "max_leaf_nodes": 15, "early_stopping": False}
"""Of both kinds of boosted trees."""

BINS = 64
"""Different values of a feature that trees tell apart where they learn from `category_means`."""

SMOOTHING = 20
"""Records at the mean of all that are added to those of a category: a leaf's least."""

COEFFICIENTS = 500
"""With more, the Hessian of logistic regression costs more than many steps without it."""


@dataclass(frozen=True, slots=True, repr=False)
class TrainingData(ShortRepr):
    """Records of one table that models learn from.

    features: (n, d) float64.
    target: (n,) float64: a number, or the code of a category; NaN where there is none.
    fold: (n,) integers: with which records of the original each is held out.
    """

    features: Floats
    target: Floats
    fold: Ints
    attributes: Sequence[tuple[int, int]] = ()


Encoding = Callable[[Floats], Any]
"""Features as a model takes them."""

Compared = tuple[float, list[tuple[float, float]], dict[str, float]]
"""The score of a guess; of each model by original and by release; all scores by name."""


def _as_they_are(lessons: TrainingData, learned: Bools) -> Encoding:  # noqa: ARG001
    return lambda features: features


def _as_sparse(lessons: TrainingData, learned: Bools) -> Encoding:  # noqa: ARG001
    """Most features are zeros."""
    from scipy.sparse import csr_array  # noqa: PLC0415

    encode: Encoding = csr_array
    return encode


def category_means(
    lessons: TrainingData, learned: Bools, classes: Floats | None = None
) -> Encoding:
    """Return an encoding with the mean target of its categories for each column of categories.

    A tree that splits by it parts the categories into those of low and of high mean: the best
    division of them in two (Fisher 1958), which features of one category each take many
    splits to make. Means are those of the records that are learned from.
    """
    target = lessons.target[learned]
    if classes is None:
        asked = target[:, None]
    else:
        asked = (target[:, None] == (classes if len(classes) > 2 else classes[1:])).astype(float)
    middle = asked.mean(axis=0)
    weights: list[tuple[int, int, Floats]] = []
    for start, end in lessons.attributes:
        if end - start > asked.shape[1]:
            shares = lessons.features[learned, start:end]
            held = shares.sum(axis=0)[:, None] + SMOOTHING
            weights.append((start, end, (shares.T @ asked + SMOOTHING * middle) / held))
    other = np.ones(lessons.features.shape[1], np.bool_)
    for start, end, _ in weights:
        other[start:end] = False

    def encode(features: Floats) -> Floats:
        means = [features[:, start:end] @ weight for start, end, weight in weights]
        # What is equal must stay so, whatever the order in which shares are added up.
        return np.hstack([features[:, other], *means]).round(9)

    return encode


@dataclass(frozen=True, slots=True, repr=False)
class Learner(ShortRepr):
    """A model of scikit-learn, and how features are encoded for it."""

    model: Any
    encoding: Callable[[TrainingData, Bools], Encoding] = _as_they_are

    def fit(self, lessons: TrainingData, learned: Bools) -> tuple[Any, Encoding]:
        """Return a copy of the model that has learned from some records, and its encoding."""
        from sklearn.base import clone  # noqa: PLC0415

        encoding = self.encoding(lessons, learned)
        fitted = clone(self.model)
        fitted.fit(encoding(lessons.features[learned]), lessons.target[learned])
        return fitted, encoding


def compare_categories(
    original: TrainingData, released: TrainingData, folds: int, seed: int
) -> Compared:
    """Compare what two tables teach about a category, by logistic regression and boosted trees.

    original, released: what to learn from; the original is what is predicted, too. Balanced
    accuracy ranks.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415

    classes = np.unique(original.target[~np.isnan(original.target)])
    coefficients = original.features.shape[1] * len(classes)
    solver = "newton-cholesky" if coefficients <= COEFFICIENTS else "lbfgs"
    models = {
        "logistic regression": Learner(
            LogisticRegression(class_weight="balanced", max_iter=300, solver=solver), _as_sparse
        ),
        "boosted trees": Learner(
            HistGradientBoostingClassifier(
                class_weight="balanced", random_state=seed, max_bins=BINS, **BOOSTING
            ),
            partial(category_means, classes=classes),
        ),
    }
    truth = original.target[:, None] == classes
    known = truth.any(axis=1)
    ranked, parts = [], {}
    for name, model in models.items():
        accuracies = []
        for table, lessons in (("original", original), ("released", released)):
            found = _held_out_categories(model, lessons, original, folds, classes)
            right = truth & (np.arange(len(classes)) == found.argmax(axis=1)[:, None])
            accuracies.append(float(np.mean(right.sum(axis=0) / truth.sum(axis=0))))
            parts[f"{name}, {table}: balanced accuracy"] = accuracies[-1]
            areas = [roc_auc_score(truth[known, c], found[known, c]) for c in range(len(classes))]
            parts[f"{name}, {table}: ROC AUC"] = float(np.mean(areas))
        ranked.append((accuracies[0], accuracies[1]))
    guess = 1 / len(classes)
    return guess, ranked, parts | {"guess: balanced accuracy": guess}


def compare_numbers(
    original: TrainingData, released: TrainingData, folds: int, seed: int
) -> Compared:
    """Compare what two tables teach about a number, by ridge regression and boosted trees."""
    from sklearn.ensemble import HistGradientBoostingRegressor  # noqa: PLC0415
    from sklearn.linear_model import Ridge  # noqa: PLC0415

    models = {
        "ridge regression": Learner(Ridge()),
        "boosted trees": Learner(
            HistGradientBoostingRegressor(random_state=seed, max_bins=BINS, **BOOSTING),
            category_means,
        ),
    }
    known = ~np.isnan(original.target)
    truth = original.target[known]
    ranked, parts = [], {}
    for name, model in models.items():
        scores = []
        for table, lessons in (("original", original), ("released", released)):
            found = _held_out_numbers(model, lessons, original, folds)[known]
            unexplained = ((truth - found) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
            scores.append(float(1 - unexplained))
            parts[f"{name}, {table}: R²"] = scores[-1]
        ranked.append((scores[0], scores[1]))
    return 0.0, ranked, parts | {"guess: R²": 0.0}


def accuracies(
    lessons: Mapping[str, TrainingData],
    asked: TrainingData,
    folds: int,
    seed: int,
    *,
    categorical: bool,
) -> dict[str, float]:
    """Return how well boosted trees predict records they have not learned from."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor  # noqa: PLC0415

    known = ~np.isnan(asked.target)
    classes = np.unique(asked.target[known])
    known &= asked.fold < folds
    truth = asked.target[known]
    found = {}
    for name, data in lessons.items():
        if categorical:
            classifier = HistGradientBoostingClassifier(random_state=seed, **BOOSTING)
            likely = _held_out_categories(Learner(classifier), data, asked, folds, classes)[known]
            found[name] = float(np.mean(classes[likely.argmax(axis=1)] == truth))
        else:
            regressor = HistGradientBoostingRegressor(random_state=seed, **BOOSTING)
            errors = truth - _held_out_numbers(Learner(regressor), data, asked, folds)[known]
            found[name] = float(1 - (errors**2).sum() / ((truth - truth.mean()) ** 2).sum())
    return found


def _held_out_categories(
    learner: Learner, lessons: TrainingData, original: TrainingData, folds: int, classes: Floats
) -> Floats:
    """Return (n_original, n_classes) float64 probabilities, each fold's learned from the others."""
    found = np.full((len(original.target), len(classes)), 1 / len(classes))

    def predict(held: int) -> None:
        learned = (lessons.fold != held) & ~np.isnan(lessons.target)
        seen = np.unique(lessons.target[learned])
        asked = np.flatnonzero(original.fold == held)
        if not len(seen):
            return
        if len(seen) == 1:
            found[asked] = classes == seen[0]
            return
        fitted, encoding = learner.fit(lessons, learned)
        probabilities = fitted.predict_proba(encoding(original.features[asked]))
        # Where nothing was learned, rounding must not decide between categories.
        probabilities = probabilities.round(9)
        found[asked] = 0.0
        # Categories that only one of both tables has teach nothing about the other's.
        _, ours, theirs = np.intersect1d(classes, fitted.classes_, return_indices=True)
        found[np.ix_(asked, ours)] = probabilities[:, theirs]

    _each_fold(predict, folds)
    return found


def _held_out_numbers(
    learner: Learner, lessons: TrainingData, original: TrainingData, folds: int
) -> Floats:
    """Return (n_original,) float64 predictions, each fold's learned from the others."""
    found = np.full(len(original.target), np.nanmean(original.target))

    def predict(held: int) -> None:
        learned = (lessons.fold != held) & ~np.isnan(lessons.target)
        asked = original.fold == held
        if learned.any() and asked.any():
            fitted, encoding = learner.fit(lessons, learned)
            found[asked] = fitted.predict(encoding(original.features[asked]))

    _each_fold(predict, folds)
    return found


def _each_fold(predict: Callable[[int], None], folds: int) -> None:
    """Predict the folds side by side, each on one thread."""
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    def alone(held: int) -> None:
        with threadpool_limits(1):  # of OpenMP, each thread has a limit of its own
            predict(held)

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        parallel(alone, range(folds))
