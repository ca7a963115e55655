"""Laws of pMSE: what cannot be told apart is at 0, what can at its largest."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import utility_pairs as pairs
from kanonym.evaluation.utility.models import propensity
from kanonym.evaluation.utility.models.learning import features_of
from kanonym.evaluation.utility.models.propensity import propensity_error


def error(tables, seed=0):
    """Return pMSE with its parts."""
    return propensity_error(tables, np.random.default_rng(seed))


def test_identical_tables_cannot_be_told_apart():
    """Every record is as likely released as original."""
    found = error(pairs.same())
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.parts["ratio"] == pytest.approx(0, abs=1e-9)


def test_tables_without_anything_in_common_are_told_apart():
    """Where a column gives every record away, pMSE is c (1 - c), 1/4 for as many records."""
    town = pairs.pair(pairs.categorical("town", ["a"] * 300, ["b"] * 300))
    assert error(town).value == pytest.approx(0.25, abs=1e-3)
    fewer = pairs.pair(pairs.categorical("town", ["a"] * 300, ["b"] * 100))
    assert error(fewer).value == pytest.approx(0.25 * 0.75, abs=1e-3)


def test_samples_of_the_original_are_at_the_expected_value():
    """Of many samples with replacement the mean ratio is 1 (Snoke et al. 2018)."""
    random = np.random.default_rng(0)
    one = pairs.people(300)
    tables = pairs.pair(pairs.numeric("age", one["age"]), pairs.categorical("job", one["job"]))
    ratios = [
        error(pairs.kept(tables, random.integers(300, size=300))).parts["ratio"] for _ in range(60)
    ]
    assert np.mean(ratios) == pytest.approx(1, abs=0.35)


def test_the_expected_value_by_hand():
    """Number, square and one of two categories are three parameters and the intercept."""
    columns = pairs.people(200)
    tables = pairs.pair(
        pairs.numeric("age", columns["age"]), pairs.categorical("job", columns["job"])
    )
    parts = error(tables).parts
    assert parts["parameters"] == 4
    assert parts["expected"] == pytest.approx(3 / (8 * 400))


def test_suppression_is_easier_to_tell_than_generalization():
    """Intervals are harder to tell from the original than suppressed cells."""
    assert 0 < error(pairs.coarse()).value < error(pairs.starred()).value <= 0.25


def test_spread_numbers_are_told_by_their_squares():
    """Numbers that keep their mean but not their variance are told apart."""
    tables = pairs.pair(pairs.numeric("x", [-1.0, 1.0] * 100, [-3.0, 3.0] * 100))
    assert error(tables).value > 0.2


def test_a_table_of_constants_has_no_ratio():
    """Nothing tells such tables apart, and nothing could."""
    found = error(pairs.pair(pairs.numeric("x", [5.0] * 9)))
    assert found.value == 0
    assert "ratio" not in found.parts


def test_the_order_of_released_records_hardly_counts():
    """A shuffled release is as easy to tell, but for the values drawn."""
    tables = pairs.coarse(3000)
    shuffled = pairs.kept(tables, np.random.default_rng(1).permutation(3000))
    assert error(shuffled).value == pytest.approx(error(tables).value, abs=0.002)


def test_records_of_large_tables_are_drawn(monkeypatch):
    """With fewer records to look at the result is near, and the seed decides."""
    tables = pairs.coarse(3000)
    whole = error(tables).value
    monkeypatch.setattr(propensity, "RECORDS", 1500)
    assert error(tables).value == error(tables).value
    assert error(tables).value != error(tables, seed=1).value
    assert error(tables).value == pytest.approx(whole, abs=0.02)


def test_no_records_are_no_error():
    """There is no value then, and why is said."""
    found = error(pairs.kept(pairs.same(), []))
    assert (found.value, found.reason) == (None, "the release has no records")


def test_features_of_plain_values_are_the_same_in_both_tables():
    """A record released as it is has the features of its original; nulls have a flag."""
    tables = pairs.same(50)
    features = features_of(tables.columns)
    records = np.arange(50)
    assert (features.original(records) == features.released(records)).all()
    assert features.size == 2 + 1 + 4 + 2


def test_features_of_open_values_are_means():
    """An interval has its middle, a label an equal share in each of its categories."""
    tables = pairs.pair(
        pairs.numeric("x", [0.0, 2.0], [(0, 2), (2, 4)]),
        pairs.categorical("y", ["a", "b"], [("a", "b"), "b"]),
    )
    released = features_of(tables.columns).released(np.arange(2))
    assert released.tolist() == [[0, 0.5, 0.5], [2, 0, 1]]


def test_labels_do_not_give_their_records_away():
    """A label that holds all categories as often as the original has them is hard to tell."""
    towns = ["a", "b"] * 500
    label = pairs.pair(pairs.categorical("town", towns, [("a", "b")] * 1000))
    assert error(label).value < 0.002


@pytest.mark.parametrize("seed", range(3))
def test_values_are_drawn_from_what_is_left_open(seed):
    """Of an interval any number, of a label either category, of a plain value itself."""
    tables = pairs.pair(
        pairs.numeric("x", [0.0, 2.0], [(0, 2)] * 500 + [2] * 500),
        pairs.categorical("y", ["a", "b", "c"], [("a", "c")] * 500 + ["b"] * 500),
    )
    features = features_of(tables.columns)
    x, *y = features.sample(np.arange(1000), np.random.default_rng(seed)).T
    assert x[:500].min() >= -1
    assert x[:500].mean() == pytest.approx(0, abs=0.1)
    assert (x[500:] == 1).all()
    a, b, c = (one[:500].mean() for one in y)
    assert (a + c, b) == (1, 0)
    assert a == pytest.approx(0.5, abs=0.08)
    assert np.stack(y)[:, 500:].T.tolist() == [[0, 1, 0]] * 500


def test_of_many_columns_of_numbers_those_that_moved_are_multiplied():
    """A wide table has products of twenty columns, and a change in any one of them shows."""
    random = np.random.default_rng(0)
    before = [random.normal(size=400) for _ in range(40)]
    same = pairs.pair(*(pairs.numeric(f"n{i}", one) for i, one in enumerate(before)))
    wider = [one * (3 if i == 33 else 1) for i, one in enumerate(before)]
    moved = pairs.pair(
        *(pairs.numeric(f"n{i}", *both) for i, both in enumerate(zip(before, wider, strict=True)))
    )
    assert error(moved).parts["parameters"] <= 1 + 40 + 20 * 21 / 2
    assert error(moved).value > error(same).value + 0.01


@pytest.mark.parametrize("apart", [0.0, 0.5, 20.0])
def test_probabilities_are_those_of_scikit_learn(apart):
    """Its logistic regression with the same penalty is the twin, also of tables that are parted."""
    released = np.arange(120) >= 50
    records = np.random.default_rng(2).normal(size=(120, 4))
    records[released] += apart
    records[:, 3] = records[:, 0]
    model = LogisticRegression(C=1 / propensity.PENALTY, solver="newton-cholesky", tol=1e-10)
    twin = model.fit(records, released).predict_proba(records)[:, 1]
    assert propensity._probabilities(records, released) == pytest.approx(twin, abs=1e-6)  # noqa: SLF001
