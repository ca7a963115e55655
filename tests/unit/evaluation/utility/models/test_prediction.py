"""Tests: how well models that learned from a release predict, beside the original."""

from __future__ import annotations

import numpy as np
import pytest

import utility_pairs as pairs
from kanonym.evaluation.utility.models.learning import DRAWN, MIDDLE, accuracy, accuracy_measure
from kanonym.evaluation.utility.models.prediction import (
    SMOOTHING,
    TrainingData,
    accuracies,
    category_means,
)
from kanonym.evaluation.utility.table_utility import measure_of, target_of

TOWNS = np.array([0, 0, 1, 2, 2, 1, 0])
PAY = np.array([10.0, 30.0, 50.0, 0.0, 20.0, np.nan, 900.0])
LEARNED = np.array([True] * 5 + [False] * 2)


def lessons(target=PAY):
    """Return records with an age and a town; the last but one has no target."""
    features = np.column_stack([np.arange(7.0), np.eye(3)[TOWNS]])
    return TrainingData(features, target, np.zeros(7, np.int64), [(1, 4)])


def test_a_category_is_encoded_by_the_mean_target_of_what_is_learned_from():
    """Means are drawn towards that of all; other features stay, records held out teach nothing."""
    found = category_means(lessons(), LEARNED)(lessons().features)
    sums, counts = np.array([40.0, 50.0, 20.0]), np.array([2, 1, 2])
    means = (sums + SMOOTHING * 22.0) / (counts + SMOOTHING)
    assert np.allclose(found, np.column_stack([np.arange(7.0), means[TOWNS]]))


def test_a_label_is_encoded_by_the_mean_of_what_it_leaves_open():
    """A record with equal shares of two towns lies halfway between them."""
    encode = category_means(lessons(), LEARNED)
    one, two, open_ = encode(np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0.5, 0.5, 0]]))[:, 1]
    assert np.isclose(open_, (one + two) / 2)


def test_two_categories_of_the_target_make_one_mean():
    """The share of the second one says that of the first."""
    target = np.array([0.0, 1, 1, 0, 0, 1, 1])
    encode = category_means(lessons(target), LEARNED, np.array([0.0, 1.0]))
    assert encode(lessons().features).shape == (7, 2)


def test_a_column_of_few_categories_keeps_its_features():
    """Of a target of three categories, three means would say no more than three towns."""
    target = np.array([0.0, 1, 2, 0, 1, 2, 1])
    encode = category_means(lessons(target), LEARNED, np.array([0.0, 1.0, 2.0]))
    assert np.array_equal(encode(lessons().features), lessons().features)


def taught(tables, target="job", seed=0, folds=3):
    """Return the accuracy of what a release teaches about a column."""
    return accuracy(tables, target, np.random.default_rng(seed), folds)


@pytest.mark.parametrize("target", ["job", "pay"])
def test_the_original_as_a_release_predicts_as_the_original(target):
    """Where nothing is left open, both ways to learn are the same."""
    found = taught(pairs.same(), target)
    assert found.value == found.parts["original"] == found.parts[MIDDLE] == found.parts[DRAWN]
    assert found.value > found.parts["guess"]
    assert found.parts["copies kept out"] == 1


@pytest.mark.parametrize("target", ["job", "pay"])
def test_nobody_chooses_the_way_to_learn_by_who_is_predicted(target):
    """What drawn values teach counts, also where middles happen to teach more."""

    def middle_is_better(seed):
        found = taught(pairs.coarse(width=30), target, seed)
        assert found.value == found.parts[DRAWN]
        assert found.parts["guess"] < found.value < found.parts["original"] + 0.02
        return found.parts[MIDDLE] > found.value

    assert any(middle_is_better(seed) for seed in range(30))  # ends with the first one


def test_who_has_learned_nothing_is_right_as_often_as_a_guess():
    """A release without records gives the first category, or the mean."""
    assert taught(pairs.kept(pairs.same(), []), "pay").value == pytest.approx(0, abs=1e-12)
    found = taught(pairs.kept(pairs.same(), []))
    assert found.value in (found.parts["guess"], pytest.approx(1 - found.parts["guess"]))


def test_a_seed_is_an_accuracy():
    """The same seed gives the same, another one other folds and other draws."""
    tables = pairs.coarse()
    assert taught(tables) == taught(tables)
    assert taught(tables).parts != taught(tables, seed=1).parts


def test_what_cannot_be_predicted_has_no_accuracy():
    """The reason is that of `learning`."""
    found = taught(pairs.same(), "height")
    assert found.value is None
    assert "no column 'height'" in found.reason


def test_models_are_asked_about_the_folds_alone():
    """Records of other folds teach, and are not asked about: a held-out part is one fold."""
    lesson = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0] * 40)
    features, fold = lesson[:, None], (np.arange(240) >= 120).astype(np.int64)
    asked = TrainingData(features, np.where(fold == 0, lesson, 1 - lesson), fold)
    # Who learns from fold 1 alone is wrong about all of fold 0, and nobody asks about fold 1.
    found = accuracies({"other part": asked}, asked, 1, 0, categorical=True)
    assert found == {"other part": 0.0}


def test_measures_of_a_model_are_named_with_their_column():
    """`accuracy-` and `learning-` and any column; nothing else is a measure by that."""
    named = measure_of("accuracy-marital-status")
    assert named is not None
    assert named.meaning.name == accuracy_measure("marital-status").meaning.name
    assert target_of("accuracy-marital-status") == "marital-status"
    assert measure_of("learning-pay").meaning.name == "learning-pay"
    for name in ("accuracy", "accuracy-", "precision-pay", "gcp"):
        assert target_of(name) is None
    assert measure_of("accuracy-") is None
    assert measure_of("gcp").meaning.name == "gcp"
