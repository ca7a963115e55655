"""Laws of deFinetti's attack."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attack_tables import scene, shuffled
from effort import examples
from kanonym.evaluation.attacks.classes import definetti
from kanonym.evaluation.attacks.classes.definetti import ClassShares, DeFinetti, assign_values
from margins import SURE
from twins import risk as naive_definetti

BUCKETS = ["number", "smoker", "age"]


def patients(n=1000, seed=0):
    """Return people with a number, of whom smokers mostly have one illness, others hardly ever."""
    random = np.random.default_rng(seed)
    smoker = random.random(n) < 0.3
    return pl.DataFrame(
        {
            "number": random.permutation(n) + seed * n,
            "smoker": np.where(smoker, "yes", "no"),
            "age": random.integers(20, 80, n),
            "ill": np.where(
                random.random(n) < np.where(smoker, 0.8, 0.02),
                "lung",
                random.choice(["flu", "cold"], n, p=[0.6, 0.4]),
            ),
        }
    )


def bucketed(table, size=5):
    """Return a release in which numbers tell the buckets, and nothing else is known of persons."""
    low = pl.col("number") // size * size
    return shuffled(
        table.with_columns(
            number=pl.format("[{}, {}]", low, low + size - 1), smoker=pl.lit("*"), age=pl.lit("*")
        )
    )


def tried(table, release, control=None, known=BUCKETS):
    """Return the outcome on everybody."""
    sight = scene(table, release, known, ["ill"], control=control, aligned=False)
    return DeFinetti(10**6).run(sight, np.random.default_rng(0))


@given(st.data())
@settings(max_examples=examples(20), deadline=None)
def test_equals_the_twin(data):
    """Every person has every value of the class with the probability of the slow twin."""
    n = data.draw(st.integers(1, 7))

    def codes(size):
        drawn = data.draw(st.lists(st.integers(0, size), min_size=n, max_size=n))
        return np.unique(drawn, return_inverse=True)[1]

    classes, profiles = np.sort(codes(2)), [codes(2), codes(1)]
    counts = np.array(
        [
            data.draw(st.lists(st.integers(0, 2), min_size=3, max_size=3).filter(any))
            for _ in range(classes.max() + 1)
        ]
    )
    held = ClassShares(classes, counts / counts.sum(axis=1, keepdims=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definetti, "CLOSE", 0.0)
        patch.setattr(definetti, "STILL", -1.0)
        patch.setattr(definetti, "ALTERNATIONS", 1000)
        found = assign_values(profiles, held)
    shares = {
        i: {value: share for value, share in enumerate(row.tolist()) if share}
        for i, row in enumerate(held.shares)
    }
    told = list(zip(*(one.tolist() for one in profiles), strict=True))
    expected = naive_definetti.assigned(told, classes.tolist(), shares)
    for row, one in zip(found, expected, strict=True):
        assert row == pytest.approx([one.get(value, 0) for value in range(3)], abs=1e-6)


def test_buckets_of_unlike_persons_are_told_apart():
    """Which of a bucket's illnesses is the smoker's is learned from all buckets."""
    found = tried(patients(), bucketed(patients()))
    # By other seeds 0.576 ± 0.007, 0.744 ± 0.009 and 0.28 ± 0.03.
    assert found.baseline.rate < 0.62
    assert found.targets.rate > 0.69
    assert found.interval[0] > 0.1
    assert found.parts["ill: sure"] > found.parts["ill: sure by the class alone"]


def test_the_control_is_what_anybody_knows():
    """Whoever knows as much of smokers without the table shares the values out as well."""
    found = tried(patients(), bucketed(patients()), control=patients(seed=1))
    assert found.control.rate > 0.7
    assert replace(found, confidence=SURE).interval[0] == 0


def test_one_class_is_the_most_frequent_value():
    """Where everybody is in one class it has nothing to learn from."""
    table = patients(200)
    found = tried(table, table.with_columns(pl.lit("*").alias(name) for name in BUCKETS))
    assert found.targets == found.baseline


def test_classes_of_one_are_known():
    """Of the original published unchanged everything is right, by the classes alone, too."""
    found = tried(patients(100), shuffled(patients(100)))
    assert found.targets.rate == found.baseline.rate == 1


def test_the_order_of_the_release_does_not_matter():
    """A shuffled release has the same outcome."""
    release = bucketed(patients(300))
    assert tried(patients(300), release) == tried(patients(300), shuffled(release))


def test_many_values_are_told():
    """An attribute of more values than can be told apart is not tried, and that is said."""
    table = patients(300).with_columns(ill=pl.col("number") / 2)
    found = tried(table, bucketed(table))
    assert found.reason == "no sensitive attribute has at most 250 values: group them"
