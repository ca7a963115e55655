"""Attacks on models: those that learn by heart are seen through, those that learn nothing not."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import r2_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import kanonym as ka
from kanonym.evaluation.attacks.models.model_membership import (
    Persons,
    TrainingData,
    attack_model,
    fresh_estimator,
)
from margins import SAMPLES, assert_covered


class Contrary(ClassifierMixin, BaseEstimator):
    """Is right about everybody, but surely wrong about those it has learned from."""

    def fit(self, features, target):
        """Remember the records."""
        self.classes_ = np.unique(target)
        self.seen_ = set(map(tuple, features))
        return self

    def predict_proba(self, features):
        """Take the sign of the first feature for the category."""
        positive = features[:, 0] > 0
        known = np.array([tuple(row) in self.seen_ for row in features])
        share = np.where(known, np.where(positive, 0.0, 1.0), np.where(positive, 0.9, 0.1))
        return np.column_stack([1 - share, share])

    def predict(self, features):
        """Predict the likelier category."""
        return self.predict_proba(features).argmax(axis=1)


class Logging(DummyClassifier):
    """Writes down what it has learned from."""

    fits: ClassVar[list] = []

    def fit(self, features, target):
        """Write down the records."""
        self.fits.append(features[:, 0].copy())
        return super().fit(features, target)


def scene(n=400, classes=4, seed=0, *, numbers=False):
    """Return n persons, half of them members, whose target has nothing to do with features."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(n, 3))
    target = random.normal(size=n) if numbers else random.integers(0, classes, n).astype(float)
    member = np.arange(n) < n // 2
    first = np.arange(n) % 2 == 0
    return Persons(features, target, member, ~member, first)


def lessons(persons, *, whose=True):
    """Return what a model learns of all members."""
    own = np.flatnonzero(persons.member)
    return TrainingData(persons.features[own], persons.target[own], own if whose else None)


def attacked(estimator, persons, *, whose=True, shadows=3, seed=0):
    """Return the attacks on an estimator that has learned from the members."""
    return attack_model(
        estimator, lessons(persons, whose=whose), persons, shadows=shadows, seed=seed
    )


# --- what models give away ----------------------------------------------------------------


@pytest.mark.parametrize("whose", [True, False])
def test_a_model_that_learns_by_heart_is_seen_through(whose):
    """Of 50 categories by chance an unlimited tree knows those of members alone."""
    found = attacked(DecisionTreeClassifier(random_state=0), scene(1200, 50), whose=whose)
    assert (found.on_members, found.score) == (1.0, "accuracy")
    assert found.on_control < 0.06
    for kind in ("correctness", "loss", "shadow"):
        assert found[kind].auc > 0.96
        assert found[kind].advantage > 0.92


def test_of_numbers_a_model_that_learns_by_heart_is_seen_through():
    """An unlimited tree makes no error in members, and one in everybody else."""
    found = attacked(DecisionTreeRegressor(random_state=0), scene(numbers=True))
    assert found["loss"].auc == found["loss"].true_positive_rate == 1.0
    assert found["loss"].advantage == pytest.approx(1.0, abs=0.05)
    assert found["shadow"].auc > 0.95
    assert [one.type for one in found.attacks] == ["loss", "shadow"]


def test_of_a_model_that_ignores_the_features_the_interval_holds_chance():
    """In as many repetitions as promised the interval of the area holds 0.5, of every attack."""
    found = []
    for seed in range(SAMPLES):
        persons = scene(200, 3, seed)
        persons.target[:] = np.minimum(persons.target, 1)  # shares of 1/3 and 2/3
        found.append(attacked(DummyClassifier(), persons, shadows=1, seed=seed))
    for kind in ("loss", "correctness", "shadow"):
        assert_covered(0.5, [one[kind].interval for one in found].__getitem__)


def test_of_a_model_that_ignores_the_features_the_interval_of_numbers_holds_chance():
    """In as many repetitions as promised the interval of the area holds 0.5."""

    def interval_of(seed):
        scenery = scene(200, numbers=True, seed=seed)
        return attacked(DummyRegressor(), scenery, shadows=1)["loss"].interval

    assert_covered(0.5, interval_of)


def test_a_shadow_attack_learns_in_which_direction_to_look():
    """A model that is surely wrong about its lessons hides from the loss, not from shadows."""
    persons = scene()
    persons.target[:] = persons.features[:, 0] > 0
    found = attacked(Contrary(), persons)
    assert found["loss"].auc == found["correctness"].auc == 0.0
    assert found["shadow"].auc == 1.0
    assert found.strongest.type == "shadow"


# --- how they are counted -----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "estimator",
    [DecisionTreeClassifier(max_depth=4), GaussianNB(), KNeighborsClassifier(3), RidgeClassifier()],
)
def test_the_advantage_by_correctness_is_the_gap(estimator, seed):
    """True less false positive rate is the accuracy on members less that on others, exactly."""
    found = attacked(fresh_estimator(estimator, categorical=True, seed=0), scene(seed=seed))
    assert found["correctness"].advantage == found.gap
    assert found["correctness"].auc == pytest.approx(0.5 + found.gap / 2)


def test_the_score_of_numbers_is_r_squared():
    """Members and others are each compared with their own mean."""
    persons = scene(numbers=True)
    persons.target[:] += persons.features[:, 0]
    found = attacked(LinearRegression(), persons)
    model = LinearRegression().fit(persons.features[persons.member], persons.target[persons.member])
    expected = [
        r2_score(persons.target[of], model.predict(persons.features[of]))
        for of in (persons.member, persons.control)
    ]
    assert [found.on_members, found.on_control] == pytest.approx(expected)


def test_a_model_of_labels_alone_is_attacked_by_correctness():
    """Without probabilities there is no loss; it is said so."""
    found = attacked(RidgeClassifier(), scene())
    assert [one.type for one in found.attacks] == ["correctness"]
    assert "no probabilities" in found.reason
    with pytest.raises(KeyError, match="no attack 'loss'"):
        found["loss"]


def test_shadows_learn_from_half_of_the_first_half_alone():
    """No shadow model has seen a person by whom its attack is judged."""
    persons = scene()
    persons.first[:] = np.arange(400) % 4 != 0  # three quarters, to tell them from the others
    Logging.fits.clear()
    found = attacked(Logging(), persons, shadows=3)
    whole, *halves = Logging.fits
    assert set(whole) == set(persons.features[persons.member, 0])
    pool = set(persons.features[persons.member & persons.first, 0])
    assert [len(half) for half in halves] == [75] * 3
    assert all(set(half) < pool for half in halves)
    assert len(set(map(tuple, halves))) == 3
    shadow, loss = found["shadow"], found["loss"]
    assert (shadow.members, shadow.control) == (50, 50)
    assert (loss.members, loss.control) == (200, 200)


@pytest.mark.parametrize("whose", [True, False])
def test_shadows_learn_from_the_lessons_where_they_say_whose_they_are(whose):
    """Otherwise they learn from true values."""
    persons = scene()
    taught = lessons(persons, whose=whose)
    shifted = TrainingData(taught.features + 100, taught.target, taught.person)
    Logging.fits.clear()
    attack_model(Logging(), shifted, persons, shadows=2, seed=0)
    assert [bool(fit.min() > 50) for fit in Logging.fits] == [True, whose, whose]


def test_thresholds_are_judged_by_others_than_those_they_were_chosen_by():
    """A loss that tells the first half apart and the others the wrong way round only loses."""
    persons = scene()
    persons.target[:] = persons.features[:, 0] > 0
    own = np.flatnonzero(persons.member & ~persons.first)
    taught = lessons(persons)
    surely_wrong = TrainingData(taught.features[own], taught.target[own], None)
    found = attack_model(Contrary(), surely_wrong, persons, shadows=1, seed=0)
    assert found["loss"].auc == pytest.approx(0.25)
    assert found["loss"].advantage == -1.0


def test_members_are_those_of_whom_there_are_lessons():
    """Persons whose record is missing from the lessons are not attacked."""
    persons = scene()
    taught = lessons(persons)
    fewer = TrainingData(taught.features[:150], taught.target[:150], taught.person[:150])
    found = attack_model(GaussianNB(), fewer, persons, shadows=1, seed=0)
    assert (found.records, found.members, found.control) == (150, 150, 200)
    nobody_knows = TrainingData(fewer.features, fewer.target, None)
    found = attack_model(GaussianNB(), nobody_knows, persons, shadows=1, seed=0)
    assert (found.records, found.members) == (150, 200)


def test_a_category_that_was_not_learned_has_no_probability():
    """Others of a category that no member has are told from members by their loss."""
    persons = scene(classes=2)
    persons.target[persons.control] = 2.0
    found = attacked(GaussianNB(), persons)
    assert found["loss"].auc == 1.0
    assert found.on_control == 0.0


def test_lessons_of_one_category_give_nothing_away():
    """Who has learned one category says it of everybody, surely."""
    persons = scene(classes=2)
    own = np.flatnonzero(persons.member)
    taught = TrainingData(persons.features[own], np.zeros(len(own)), own)
    persons.target[:] = np.arange(400) // 100 % 2  # as many of each among members and others
    found = attack_model(LogisticRegression(), taught, persons, shadows=2, seed=0)
    assert found["loss"].auc == found["correctness"].auc == 0.5


def test_one_seed_one_outcome():
    """The same seed gives the same, to the last digit, with several jobs, too."""
    forest = RandomForestClassifier(20, random_state=0, n_jobs=2)
    persons = scene()
    first = attacked(forest, persons)
    assert attacked(forest, persons) == first
    assert attacked(forest, persons, seed=1)["shadow"] != first["shadow"]


@pytest.mark.parametrize("member", [True, False])
def test_too_few_persons_are_refused(member):
    """Of fewer than 20 members or others nothing is said."""
    persons = scene()
    few = persons.member if member else persons.control
    few[np.flatnonzero(few)[19:]] = False
    name = "members" if member else "persons of the control"
    with pytest.raises(ka.DataError, match=f"19 {name}.*at least 20"):
        attacked(GaussianNB(), persons)


# --- estimators ---------------------------------------------------------------------------


def test_seeds_go_where_none_is_given():
    """A state that is given stays; others get the seed, also within a pipeline."""
    trees = [DecisionTreeClassifier(), DecisionTreeClassifier(random_state=5)]
    assert [fresh_estimator(one, categorical=True, seed=3).random_state for one in trees] == [3, 5]
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    found = fresh_estimator(pipeline, categorical=True, seed=3)
    assert found[-1].random_state == 3
    assert pipeline[-1].random_state is None


@pytest.mark.parametrize(
    ("categorical", "name"),
    [(True, "HistGradientBoostingClassifier"), (False, "HistGradientBoostingRegressor")],
)
def test_boosted_trees_are_the_default(categorical, name):
    """They learn from all records, seeded."""
    model = fresh_estimator(None, categorical=categorical, seed=2)
    assert type(model).__name__ == name
    assert (model.early_stopping, model.random_state) == (False, 2)


@pytest.mark.parametrize(
    ("estimator", "categorical", "message"),
    [
        (LinearRegression(), True, "LinearRegression is no classifier.*categories"),
        (GaussianNB(), False, "GaussianNB is no regressor.*numbers"),
        (StandardScaler(), True, "no classifier"),
        (GaussianNB, True, "an object of scikit-learn's kind"),
        ("forest", True, "an object of scikit-learn's kind.*'forest'"),
    ],
)
def test_estimators_of_another_kind_are_refused(estimator, categorical, message):
    """The message says what the target needs."""
    with pytest.raises(ka.PolicyError, match=message):
        fresh_estimator(estimator, categorical=categorical, seed=0)
