"""Laws of learning from a release: as well as from the original, or no better than a guess."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import utility_pairs as pairs
from kanonym.evaluation.utility.models import learning as room
from kanonym.evaluation.utility.models.learning import learning, learning_measure


def taught(tables, target="job", seed=0, folds=3):
    """Return what a release teaches about a column."""
    return learning(tables, target, np.random.default_rng(seed), folds)


def chance(n=300, seed=0):
    """Return a pair with a number, a town, and a job that nothing predicts."""
    random = np.random.default_rng(seed)
    return pairs.pair(
        pairs.numeric("age", random.integers(18, 90, n).tolist()),
        pairs.categorical("job", random.choice(["manager", "clerk"], n).tolist()),
        rows=range(n),
    )


@pytest.mark.parametrize("target", ["job", "pay"])
def test_identical_tables_teach_the_same(target):
    """Models learn from the same records, so they say the same: exactly 1."""
    found = taught(pairs.same(), target)
    assert found.value == 1
    assert found.parts["copies kept out"] == 1
    for name, number in found.parts.items():
        if "original" in name:
            assert found.parts[name.replace("original", "released")] == number


@pytest.mark.parametrize("target", ["job", "pay"])
def test_suppressed_features_teach_nothing(target):
    """Where only the target is released, nothing predicts it better than a guess."""
    found = taught(pairs.starred(unchanged=(target,)), target)
    assert found.value == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("target", ["job", "pay"])
def test_a_release_without_records_teaches_nothing(target):
    """Who has learned nothing guesses."""
    found = taught(pairs.kept(pairs.same(), []), target)
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.parts["suppressed"] == 600


def test_a_target_that_is_left_open_teaches_nothing():
    """Released records whose label leaves several categories open are not learned from."""
    columns = pairs.people()
    tables = pairs.pair(
        pairs.numeric("pay", columns["pay"]),
        pairs.categorical("job", columns["job"], ["*"] * 600),
        rows=range(600),
    )
    found = taught(tables)
    assert found.parts["released without target"] == 600
    assert found.value == 0


def test_generalization_teaches_less_than_the_original_and_more_than_nothing():
    """Very wide intervals of pay teach less about the job than pay itself."""
    found = taught(pairs.coarse(width=40))
    assert 0.05 < found.value < 0.95


def test_the_value_is_of_the_model_that_predicts_best_from_the_original():
    """It is the release's advantage over a guess, as a share of the original's."""
    found = taught(pairs.coarse(width=25))
    parts = found.parts
    models = ("logistic regression", "boosted trees")
    best = max(models, key=lambda name: parts[f"{name}, original: balanced accuracy"])
    guess = parts["guess: balanced accuracy"]
    assert guess == 0.5
    advantage = parts[f"{best}, released: balanced accuracy"] - guess
    could = parts[f"{best}, original: balanced accuracy"] - guess
    assert found.value == pytest.approx(advantage / could)
    assert 0.5 < parts[f"{best}, released: ROC AUC"] <= 1


def test_copies_of_held_out_records_are_kept_out():
    """A release whose every record gives itself away teaches nothing once copies are kept out."""
    random = np.random.default_rng(0)
    n = 400
    number = random.permutation(n).tolist()
    job = random.choice(["manager", "clerk"], n).tolist()
    half = pairs.pair(
        pairs.numeric("number", number),
        pairs.numeric("hint", [float(one == "clerk") + random.normal(0, 2) for one in job]),
        pairs.categorical("job", job),
        rows=range(n),
    )
    known, unknown = taught(half), taught(replace(half, rows=None))
    name = "boosted trees, released: balanced accuracy"
    assert unknown.parts["copies kept out"] == 0
    assert unknown.parts[name] > known.parts[name] + 0.1


def test_wrong_labels_mislead():
    """A release with the jobs exchanged predicts worse than a guess."""
    columns = pairs.people()
    swapped = ["clerk" if one == "manager" else "manager" for one in columns["job"]]
    tables = pairs.pair(
        pairs.numeric("pay", columns["pay"]),
        pairs.categorical("job", columns["job"], swapped),
        rows=range(600),
    )
    assert taught(tables).value == pytest.approx(-1, abs=0.1)


def test_the_order_of_released_records_hardly_counts():
    """Where the records are known, a shuffled release teaches the same but for rounding."""
    tables = pairs.coarse()
    shuffled = pairs.kept(tables, np.random.default_rng(1).permutation(600))
    assert taught(shuffled).value == pytest.approx(taught(tables).value, abs=0.02)


def test_a_seed_is_a_result():
    """The same seed gives the same, another one other folds."""
    tables = pairs.coarse()
    found = taught(tables)
    assert found == taught(tables)
    assert found.parts != taught(tables, seed=1).parts


def test_large_tables_are_drawn_from(monkeypatch):
    """Of known records, copies of those that were drawn are learned from."""
    monkeypatch.setattr(room, "RECORDS", 300)
    found = taught(pairs.same())
    assert found.value == 1
    unknown = taught(replace(pairs.same(), rows=None))
    assert unknown.value == pytest.approx(1, abs=0.3)


def test_nulls_of_the_target_are_not_predicted():
    """A null is no category to learn, so the towns are three."""
    random = np.random.default_rng(0)
    town = random.choice(["Ulm", "Bonn", "Kiel", None], 300).tolist()
    hint = [len(one or "") + random.normal(0, 0.1) + (one == "Bonn") * 3 for one in town]
    tables = pairs.pair(
        pairs.categorical("town", town), pairs.numeric("hint", hint), rows=range(300)
    )
    found = taught(tables, "town")
    assert found.parts["guess: balanced accuracy"] == pytest.approx(1 / 3)
    assert found.parts["logistic regression, original: balanced accuracy"] > 0.95
    assert found.parts["released without target"] == town.count(None)


def test_what_cannot_be_learned_is_said():
    """Each obstacle gives no value, and its reason."""
    n = 30
    many = pairs.pair(
        pairs.numeric("x", range(n)), pairs.categorical("y", [f"{i:02}" for i in range(n)])
    )
    constant = pairs.pair(pairs.numeric("x", range(n)), pairs.categorical("y", ["a"] * n))
    alone = pairs.pair(many.columns[0])
    reasons = [
        (many, "y", "'y' has 30 categories, more than 25"),
        (many, "z", "the tables have no column 'z' in common"),
        (constant, "y", "'y' has the same value everywhere"),
        (pairs.same(4), "job", "'job' has 4 values: too few for 3 folds"),
        (alone, "x", "the tables have no column besides 'x' to learn from"),
        (chance(), "job", "the original's other columns do not predict 'job'"),
    ]
    for tables, target, reason in reasons:
        found = taught(tables, target)
        assert (found.value, found.reason) == (None, reason)


def test_a_measure_is_named_after_its_column():
    """It is slow, and takes what `learning` gives."""
    measure = learning_measure("job")
    assert measure.slow
    assert measure.meaning.name == "learning-job"
    tables = pairs.same(120)
    found = measure.take(tables, np.random.default_rng(0))
    assert found == learning(tables, "job", np.random.default_rng(0))
    assert found.meaning == measure.meaning
