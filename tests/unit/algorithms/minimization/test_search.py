"""Laws of the search: it goes at least as far as whole levels do, and exempts in a fixed order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import twins.minimization as naive
from effort import examples
from kanonym.algorithms.minimization import search
from kanonym.algorithms.minimization.losses import Scale, exempt_features
from kanonym.algorithms.minimization.nodes import Feature
from kanonym.data.errors import InfeasibleError


def searched(rows, predict, target, tree, *, k=1, seed=0):
    """Minimize all columns, and return what was found with the split."""
    order = np.random.default_rng(seed).permutation(len(rows))
    split = search.Split(
        np.sort(order[: int(0.6 * len(rows))]), np.sort(order[int(0.6 * len(rows)) :])
    )
    features = [
        Feature(c, low=float(rows[:, c].min()), high=float(rows[:, c].max()))
        for c in range(rows.shape[1])
    ]

    def ask(records, others, exempted):
        return np.array([predict(np.where(one, rows[records], rows[others])) for one in exempted])

    found = search.minimize(rows, features, predict(rows), split, tree, ask, target=target, k=k)
    return found, split


def classifier(rows, seed):
    """Return a forest's predictions of classes that hang on two columns."""
    labels = ((rows[:, 0] + rows[:, 1]) > np.median(rows[:, 0] + rows[:, 1])).astype(int)
    noisy = np.where(np.random.default_rng(seed).random(len(rows)) < 0.1, 1 - labels, labels)
    forest = RandomForestClassifier(5, random_state=seed).fit(rows, noisy)
    return lambda given: forest.predict(given).astype(np.int64)


@given(st.integers(0, 10**6), st.sampled_from([0.6, 0.8, 0.9]))
@settings(max_examples=examples(12), deadline=None)
def test_pruning_goes_at_least_as_far_as_whole_levels_do(seed, target):
    """At the same target, GCP is at least that of the twin that prunes level by level."""
    rows = np.random.default_rng(seed).normal(size=(80, 3))
    predict = classifier(rows, seed)
    tree = DecisionTreeClassifier(random_state=0)
    found, split = searched(rows, predict, target, tree)
    levels = naive.levels(tree, rows, split.grown, split.validation, predict)
    stepped = naive.level_by_level(levels, target)
    if stepped is not None:
        assert found.relative_accuracy >= target
        assert found.gcp >= stepped["gcp"] - 1e-12


@pytest.mark.parametrize("target", [0.2, 0.4, 0.6])
def test_pruning_for_numbers_goes_at_least_as_far_as_whole_levels_do(target):
    """For a regressor too, and so where weakest links and levels take the knapsack's place."""
    rows, answers = load_diabetes(return_X_y=True)
    rows = np.ascontiguousarray(rows[:200, 2:6])
    model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(rows, answers[:200])
    tree = DecisionTreeRegressor(random_state=0)
    found, split = searched(rows, model.predict, target, tree)
    levels = naive.levels(tree, rows, split.grown, split.validation, model.predict)
    stepped = naive.level_by_level(levels, target)
    assert stepped is not None
    assert found.relative_accuracy >= target
    assert found.gcp >= stepped["gcp"] - 1e-12


def test_levels_are_among_what_the_search_can_reach():
    """The whole tree and its root have the twin's accuracy and GCP at the ends of the path."""
    rows, labels = load_breast_cancer(return_X_y=True)
    rows = np.ascontiguousarray(rows[:150, :4])
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(rows, labels[:150])
    tree = DecisionTreeClassifier(random_state=0)
    found, split = searched(rows, model.predict, 0.5, tree)
    levels = naive.levels(tree, rows, split.grown, split.validation, model.predict)
    for end, level in ((0, levels[0]), (-1, levels[-1])):
        assert found.path.cells[end] == level["cells"]
        assert found.path.relative_accuracy[end] == pytest.approx(level["accuracy"])
        assert found.path.gcp[end] == pytest.approx(level["gcp"])


def test_greedy_filling_takes_over_where_the_exact_search_costs_too_much(monkeypatch):
    """Past the limit the target is still kept, and the exact search goes at least as far."""
    rows = np.random.default_rng(3).normal(size=(120, 3))
    predict = classifier(rows, 3)
    exact, _ = searched(rows, predict, 0.8, DecisionTreeClassifier(random_state=0))
    monkeypatch.setattr(search, "EXACT", 0)
    greedy, _ = searched(rows, predict, 0.8, DecisionTreeClassifier(random_state=0))
    assert greedy.relative_accuracy >= 0.8
    assert exact.gcp >= greedy.gcp - 1e-12


@pytest.mark.parametrize("k", [2, 5, 20])
def test_cells_hold_k_records(k):
    """With k, every cell holds at least k records, though leaves hold fewer."""
    rows = np.random.default_rng(1).normal(size=(100, 3))
    predict, tree = classifier(rows, 1), DecisionTreeClassifier(random_state=0)
    best = searched(rows, predict, 0.1, tree, k=k)[0].path.relative_accuracy.max()
    found, _ = searched(rows, predict, best, tree, k=k)
    assert len(found.counts) > 1
    assert found.counts.min() >= k
    assert found.counts.sum() == 100
    assert found.exempted == ()


def test_target_that_cells_of_k_cannot_keep_is_refused_with_what_was_reached():
    """With k no feature is exempted: the error says the best relative accuracy there is."""
    rows = np.random.default_rng(1).normal(size=(60, 2))
    predict = lambda given: (np.floor(given[:, 0] * 9) % 2).astype(np.int64)  # noqa: E731
    with pytest.raises(InfeasibleError, match=r"0\.\d+ was reached, with \d+ cell"):
        searched(rows, predict, 1.0, DecisionTreeClassifier(random_state=0), k=10)


def test_more_records_asked_than_there_are_is_refused():
    """A k above the number of records is refused with that number."""
    rows = np.random.default_rng(1).normal(size=(30, 2))
    with pytest.raises(InfeasibleError, match="there are 30 records"):
        searched(rows, classifier(rows, 1), 0.5, DecisionTreeClassifier(random_state=0), k=31)


def accuracies(table):
    """Return a function from sets of exempted features to accuracies that a table has."""
    return lambda sets: np.array([table[tuple(np.flatnonzero(one).tolist())] for one in sets])


def test_feature_of_least_loss_for_its_gain_is_exempted_first():
    """The one that loses least per accuracy gained goes first, until the target is met."""
    table = {(0,): 0.6, (1,): 0.9, (2,): 0.7, (0, 1): 0.95, (1, 2): 0.97}
    steps = exempt_features(accuracies(table), np.array([0.2, 0.2, 0.15]), np.ones(3), 0.97, 0.5)
    assert steps == [((1,), 0.9), ((1, 2), 0.97)]


def test_feature_without_gain_counts_as_what_it_loses():
    """One that gains nothing alone competes with its loss, not with an infinite price."""
    table = {(0,): 0.5, (1,): 0.6, (0, 1): 1.0}
    prices = np.array([0.3, 0.2])
    steps = exempt_features(accuracies(table), prices, np.zeros(2), 0.9, 0.5)
    assert steps == [((0,), 0.5), ((0, 1), 1.0)]


def test_all_features_are_exempted_where_nothing_else_helps():
    """Features run out last: then the records are as they were."""
    table = {(0,): 0.5, (1,): 0.5, (0, 1): 1.0}
    assert exempt_features(accuracies(table), np.ones(2), np.ones(2), 1.0, 0.5)[-1] == ((0, 1), 1.0)


def test_features_that_were_not_needed_are_taken_back_where_several_gained_nothing():
    """Of three exempted, two without gain, one returns: the target holds without it."""
    without_gain = [(0,), (1,), (2,), (3,), (0, 1), (0, 2), (0, 3), (0, 1, 3)]
    table = dict.fromkeys(without_gain, 0.5) | {(0, 1, 2): 0.95, (1, 2): 0.92}
    prices, regained = np.array([0.1, 0.2, 0.3, 0.9]), np.array([0.2, 0.3, 0.4, 0.5])
    steps = exempt_features(accuracies(table), prices, regained, 0.9, 0.5)
    assert [exempted for exempted, _ in steps] == [(0,), (0, 1), (0, 1, 2), (1, 2)]
    assert steps[-1][1] == 0.92


def test_nothing_is_taken_back_where_one_gained_nothing():
    """One without gain may be half of a pair: the order stands."""
    table = dict.fromkeys([(0,), (2,), (0, 2)], 0.5) | {(1,): 0.9, (0, 1): 0.9}
    steps = exempt_features(accuracies(table), np.array([0.1, 1.0, 9.0]), np.ones(3), 0.9, 0.5)
    assert [exempted for exempted, _ in steps] == [(0,), (0, 1)]


@given(st.integers(1, 500), st.floats(0.001, 1.0))
@settings(max_examples=examples(200), deadline=None)
def test_budget_of_classes_is_the_largest_that_keeps_the_target(n, target):
    """So many changed records keep the target, one more does not."""
    scale = Scale.of(np.zeros(n, np.int64), np.arange(n))
    budget = scale.budget(target)
    assert scale.accuracy(budget) >= target
    assert budget == n or scale.accuracy(budget + 1) < target


def test_constant_numbers_are_kept_or_not():
    """Where the model predicts one number, R² is 1 if it stays and 0 if it does not."""
    scale = Scale.of(np.full(4, 2.5), np.arange(4))
    assert (scale.accuracy(0.0), scale.accuracy(0.1)) == (1.0, 0.0)


def test_features_are_tried_in_growing_batches():
    """Of fifteen features of one price none is asked about alone: four batches find the best."""
    asked = []

    def accuracies_of(sets):
        asked.append(len(sets))
        return np.where(sets[:, 7], 1.0, 0.6)

    assert exempt_features(accuracies_of, np.ones(15), np.ones(15), 1.0, 0.5) == [((7,), 1.0)]
    assert asked == [2, 4, 8, 1]
