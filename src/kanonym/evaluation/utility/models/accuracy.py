"""Accuracy: how many held-out persons a model that has learned from the release predicts right.

Where `learning` compares with the original, this is the number itself.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from kanonym.evaluation.pair.tables import TablePair
from kanonym.evaluation.utility.measure import Measure
from kanonym.evaluation.utility.models.learning import LearningTask, learning_task
from kanonym.evaluation.utility.models.prediction import TrainingData, accuracies
from kanonym.metrics.measured_value import Meaning, MeasuredValue

MIDDLE, DRAWN = "released, middles", "released, drawn"


def accuracy(
    pair: TablePair, target: str, random: np.random.Generator, folds: int = 5
) -> MeasuredValue:
    """Measure how well boosted trees that learn from a release predict held-out originals.

    Notes
    -----
    A label teaches a value drawn from what it leaves open, so that what is learned from looks
    like what is predicted. What it means on average (the middle of an interval, equal shares of
    the categories) may teach a little more where classes are small in space, and much less where
    they are cut by the target; that is told beside, and does not count: whoever has the release
    alone cannot tell which of both is better.

    Folds, and which copies are kept out, are those of `learning`. Where the algorithm was guided
    by the target, it has seen the targets of all persons; to know what a release says of others,
    release one part of the table and ask about the other (`prediction.accuracies`). Cost
    3 · folds fits.

    """
    meaning = replace(ACCURACY, name=f"{ACCURACY.name}-{target}")
    course = learning_task(pair, target, random, folds)
    if isinstance(course, str):
        return MeasuredValue(meaning, None, reason=course)
    lessons = {"original": course.original, **training_sets(course, random)}
    seed = int(random.integers(1 << 31))
    parts = accuracies(lessons, course.original, folds, seed, categorical=course.categorical)
    truth = course.original.target[~np.isnan(course.original.target)]
    guess = np.unique(truth, return_counts=True)[1].max() / len(truth)
    parts["guess"] = float(guess) if course.categorical else 0.0
    return MeasuredValue(meaning, parts[DRAWN], parts | course.counts, guess=parts["guess"])


def training_sets(course: LearningTask, random: np.random.Generator) -> dict[str, TrainingData]:
    """Return both ways to learn from what a release says."""
    features = course.features
    return {
        MIDDLE: TrainingData(features.released(course.copies), course.taught, course.fold),
        DRAWN: TrainingData(features.sample(course.copies, random), course.taught, course.fold),
    }


def accuracy_measure(target: str) -> Measure:
    """Return the measure of how well one column is predicted (see `accuracy`)."""
    take = partial(_take_accuracy, target)
    return Measure(replace(ACCURACY, name=f"{ACCURACY.name}-{target}"), take, slow=True)


def _take_accuracy(target: str, pair: TablePair, random: np.random.Generator) -> MeasuredValue:
    return accuracy(pair, target, random)


ACCURACY = Meaning(
    name="accuracy",
    low=float("-inf"),
    high=1.0,
    better="higher",
    unit="share of held-out original records whose category is predicted right; R² of numbers",
    source="LeFevre, DeWitt and Ramakrishnan (2006), KDD: workload-aware anonymization; there by "
    "the error of decision trees",
)
"""Its name goes with the name of the column, as `accuracy-salary`."""
