"""The trial's own checkers: each refuses what does not hold, and knows its formula."""

from __future__ import annotations

import math

import numpy as np
import pytest

from adversary.independent import fits, satisfied
from adversary.populations import (
    persons_hold,
    pitman,
    population_holds,
    slide_negative_binomial,
    uniqueness_holds,
    zayatz,
)
from adversary.requirements import MODELS
from kanonym.kernels.risk.population import ESTIMATORS, histogram
from kanonym.models import MODELS as ALL_MODELS

TABLE = ["hiv"] * 2 + ["flu"] * 8 + ["none"] * 10
JUDGED = [name for name, models in MODELS.items() if any("attribute" in one for one in models)]


def test_every_model_is_asked_for_in_the_trial():
    """A model of a policy that the trial does not know would never be judged."""
    asked = {one["type"] for models in MODELS.values() for one in models}
    apart = ("itemsets", "mechanism")
    assert asked == {name for name, one in ALL_MODELS.items() if one.guarantee not in apart}


@pytest.mark.parametrize("name", JUDGED)
def test_a_class_of_one_value_fails_every_model_of_sensitive_values(name):
    """The whole table as one class satisfies each of them; a class of two equal values none."""
    models = MODELS[name]
    assert all(satisfied(one, [TABLE], TABLE) for one in models)
    divided = [["hiv"] * 2, TABLE[2:]]
    assert not all(satisfied(one, divided, TABLE) for one in models)


@pytest.mark.parametrize("name", ["k-anonymity", "average-risk", "sample-uniqueness"])
def test_records_on_their_own_fail_every_model_of_sizes(name):
    """Ten classes of one record satisfy no model of class sizes."""
    (model,) = MODELS[name]
    assert satisfied(model, [["x"] * 10], TABLE)
    assert not satisfied(model, [["x"]] * 10, TABLE)


def test_the_hierarchical_distance_is_that_of_its_paper():
    """A class of one leaf moves a level for its sibling, and two for the other branch."""
    model = {"type": "t-closeness", "attribute": "s", "distance": "hierarchical"}
    apart = 0.4 * 1 / 2 + 0.5 * 2 / 2  # flu and none to hiv, of which the table has 0.1
    assert satisfied({**model, "t": apart}, [["hiv"] * 4], TABLE)
    assert not satisfied({**model, "t": apart - 0.01}, [["hiv"] * 4], TABLE)


def test_persons_are_counted_and_not_records():
    """Three records of one person are no class of two."""
    rows = [{"id": one, "age": "*"} for one in range(3)]
    assert persons_hold(2, rows, ["age"], ["a", "a", "b"])
    assert not persons_hold(2, rows, ["age"], ["a", "a", "a"])


@pytest.mark.parametrize(
    ("model", "ages", "holds"),
    [
        ({"type": "k-map", "k": 3}, [20, 21, 30, 30, 30], False),
        ({"type": "k-map", "k": 2}, [20, 21, 30, 30, 30], True),
        ({"type": "delta-presence", "minimum": 0, "maximum": 0.5}, [20, 21, 30, 30], False),
        ({"type": "delta-presence", "minimum": 0.5, "maximum": 1}, [20, 21, 30, 30, 30], False),
        ({"type": "delta-presence", "minimum": 0.5, "maximum": 1}, [20, 21, 30, 30], True),
    ],
)
def test_persons_of_a_population_are_counted_by_the_labels_of_the_release(model, ages, holds):
    """k-map asks for persons per class, delta-presence for the share of them that is released."""
    rows = [{"id": 0, "age": "20s"}, {"id": 1, "age": "20s"}, {"id": 2, "age": "30s"}]
    table = {"age": [20, 21, 30]}
    assert population_holds(model, rows, ["age"], table, {"age": ages}) is holds


def test_a_blank_cell_fits_any():
    """Cell suppression leaves k records that each record could be."""
    assert fits([{"a": 1, "b": None}, {"a": 1, "b": 2}], ["a", "b"], 2)
    assert not fits([{"a": 1, "b": 3}, {"a": 1, "b": 2}], ["a", "b"], 2)


@pytest.mark.parametrize("seed", range(2))
def test_estimates_of_uniqueness_agree(seed):
    """Two programs of one paper find one number, and the verdict turns there."""
    rng = np.random.default_rng(seed)
    sizes = np.sort(1 + rng.negative_binomial(0.7, 0.3, 15))
    for name, own, persons in (
        ("zayatz", zayatz, 200),
        ("snb", slide_negative_binomial, 200),
        ("pitman", pitman, 1000),
    ):
        known = ESTIMATORS[name](*histogram(sizes), persons)
        found = own(sizes.tolist(), persons)
        assert found == pytest.approx(math.inf if math.isnan(known) else known, rel=1e-4), name
        if math.isfinite(found):
            model = {"population": persons, "estimator": name}
            share = found / persons
            assert uniqueness_holds({**model, "threshold": share}, sizes.tolist())
            assert not uniqueness_holds({**model, "threshold": 0.9 * share}, sizes.tolist())
