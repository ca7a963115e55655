"""Attacks on models, where papers or arithmetic say what they must give."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from kanonym.evaluation.attacks.models import roc
from kanonym.evaluation.attacks.models.model_membership import Persons, TrainingData, attack_model


def attacked(estimator, features, target, member):
    """Return the attacks on a model that has learned from members."""
    own = np.flatnonzero(member)
    persons = Persons(
        features, target.astype(float), member, ~member, np.arange(len(target)) // 2 % 2 == 0
    )
    lessons = TrainingData(features[own], persons.target[own], own)
    return attack_model(estimator, lessons, persons, shadows=2, seed=0)


def test_hanley_and_mcneils_images():
    """Ratings of 58 normal and 51 abnormal CT images: area 0.893, standard error by DeLong 0.0307.

    Hanley and McNeil (1982), Radiology 143(1), table I.
    """
    normal = np.repeat([1.0, 2, 3, 4, 5], [33, 6, 6, 11, 2])
    abnormal = np.repeat([1.0, 2, 3, 4, 5], [3, 2, 2, 11, 33])
    assert roc.area(abnormal, normal) == pytest.approx(0.8932, abs=5e-5)
    area, odds = roc.area(abnormal, normal), np.array(roc.area_interval(abnormal, normal))
    odds = np.log(odds / (1 - odds))
    assert odds.mean() == pytest.approx(np.log(area / (1 - area)))
    error = np.ptp(odds) / (2 * 1.959964) * area * (1 - area)
    assert error == pytest.approx(0.0307, abs=5e-5)


@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier(random_state=0), KNeighborsClassifier(5), SVC()]
)
def test_yeoms_first_adversary_gains_the_generalization_error(estimator):
    """Yeom et al. (2018), theorem 2: of the loss right or wrong the advantage is the gap."""
    features, target = load_breast_cancer(return_X_y=True)
    member = np.random.default_rng(0).permutation(len(target)) < 300
    found = attacked(estimator, features, target, member)
    model = estimator.fit(features[member], target[member])
    gap = model.score(features[member], target[member])
    gap -= model.score(features[~member], target[~member])
    assert found["correctness"].advantage == pytest.approx(gap, abs=1e-12)


@pytest.mark.parametrize("categories", [2, 5, 20])
def test_what_is_learned_by_heart_of_noise_gives_its_share(categories):
    """The nearest neighbour is right about members, and about 1/m of others, of m categories.

    Then the area is 1 - 1/(2m) and the advantage 1 - 1/m.
    """
    random = np.random.default_rng(categories)
    n = 4000
    target = random.integers(0, categories, n)
    found = attacked(
        KNeighborsClassifier(1), random.normal(size=(n, 2)), target, np.arange(n) % 2 == 0
    )
    for kind in ("correctness", "loss", "shadow"):
        low, high = found[kind].interval
        assert low - 0.01 < 1 - 1 / (2 * categories) < high + 0.01
        assert found[kind].advantage == pytest.approx(1 - 1 / categories, abs=0.04)
