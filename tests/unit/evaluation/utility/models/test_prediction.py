"""Laws of the features that models learn from."""

from __future__ import annotations

import numpy as np

from kanonym.evaluation.utility.models.prediction import SMOOTHING, TrainingData, category_means

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
