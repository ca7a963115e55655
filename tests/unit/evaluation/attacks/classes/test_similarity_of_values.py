"""Laws of the attack on similar sensitive values."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from attack_tables import ILLNESS, KNOWN, people, released, scene, shuffled, starred
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.classes.homogeneity import Homogeneity
from kanonym.evaluation.attacks.classes.skewness import SimilarityOfValues
from margins import assert_covered

EVERYBODY = SimilarityOfValues(attempts=10**6)
TREE = ka.hierarchy.from_mapping(ILLNESS)


def carried_out(sight, attack=EVERYBODY):
    """Return the outcome of an attack."""
    return attack.run(sight, np.random.default_rng(0))


def seen(table, release, name="disease"):
    """Return a scene with the hierarchy of diseases."""
    return scene(table, release, KNOWN, [name], hierarchies={"disease": TREE})


def test_a_class_of_one_group_discloses_it():
    """Two diseases of one group disclose the group, two of different ones nothing."""
    original = {"age": [1, 1, 2, 2], "disease": ["flu", "cold", "flu", "gout"]}
    sight = scene(original, original, ["age"], ["disease"], hierarchies={"disease": TREE})
    assert carried_out(sight).targets.rate == 0.5
    assert Homogeneity().run(sight, np.random.default_rng(0)).targets.rate == 0


def test_a_class_of_near_numbers_discloses_them():
    """Costs within a twentieth of the range are as good as the same; a null is near nothing."""
    original = {"age": [1, 1, 2, 2, 3, 3], "cost": [0.0, 5.0, 40.0, 46.0, 100.0, None]}
    sight = scene(original, original, ["age"], ["cost"])
    assert carried_out(sight).targets.successes == 2
    assert carried_out(sight, SimilarityOfValues(share=0.06)).targets.successes == 4
    assert carried_out(sight, SimilarityOfValues(share=0)).targets.successes == 0


def test_a_hierarchy_of_numbers_decides():
    """Where there is one, its labels of the level that is asked for are compared."""
    tree = ka.hierarchy.intervals(width=[10, 50], origin=0)
    original = {"age": [1, 1, 2, 2, 3, 3], "cost": [1, 8, 12, 48, 40, 60]}
    sight = scene(original, original, ["age"], ["cost"], hierarchies={"cost": tree})
    assert carried_out(sight).targets.successes == 2
    assert carried_out(sight, SimilarityOfValues(level=2)).targets.successes == 4
    assert carried_out(sight, SimilarityOfValues(level=9)).targets.successes == 4


def test_dates_are_numbers_and_may_have_a_hierarchy():
    """Dates lie near each other or in one month, as numbers in one interval."""
    days = [date(2024, 1, 1), date(2024, 1, 31), date(2024, 5, 1), date(2024, 12, 31)]
    original = {"age": [1, 1, 2, 2], "born": days}
    months = ka.hierarchy.dates(["month", "year"])
    near = SimilarityOfValues(share=0.1)
    plain = scene(original, original, ["age"], ["born"])
    sight = scene(original, original, ["age"], ["born"], hierarchies={"born": months})
    assert carried_out(plain, near).targets.successes == 2
    assert carried_out(sight).targets.successes == 2


@pytest.mark.parametrize("name", ["disease", "cost"])
def test_the_original_gives_full_success(name):
    """Published unchanged, all are disclosed where nobody has an equal."""
    table = people(60).with_columns(age=pl.Series(range(60)))
    assert carried_out(seen(table, shuffled(table), name)).targets.rate == 1


@pytest.mark.parametrize("name", ["disease", "cost"])
def test_one_class_gives_the_baseline(name):
    """A release of one class discloses what the table does: nothing, where it differs."""
    table = people(60)
    found = carried_out(seen(table, starred(table, KNOWN), name))
    assert found.targets.rate == found.baseline.rate == found.risk == 0
    same = table.with_columns(disease=pl.lit("flu"), cost=pl.lit(7.0))
    found = carried_out(seen(same, starred(same, KNOWN), name))
    assert found.targets.rate == found.baseline.rate == 1
    assert found.risk == 0


@pytest.mark.parametrize("name", ["disease", "cost"])
def test_it_falls_as_k_grows(name):
    """On Mondrian fewer persons are disclosed at each larger k."""
    table = people()
    rates = [
        carried_out(seen(table, released(table, k), name)).targets.rate for k in (2, 5, 15, 60)
    ]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.05
    assert rates[-1] == 0


def test_it_achieves_at_least_what_homogeneity_does():
    """Values that are the same are similar."""
    table = people()
    for name in ("disease", "cost"):
        sight = seen(table, released(table, 3), name)
        plain = Homogeneity(10**6).run(sight, np.random.default_rng(0))
        assert carried_out(sight).targets.rate >= plain.targets.rate


def test_the_interval_covers_the_truth():
    """Of many samples of 60 persons, as many as promised have the rate of all in the interval."""
    table = people()
    sight = seen(table, released(table, 3))
    truth = carried_out(sight).targets.rate
    attack = SimilarityOfValues(attempts=60)
    assert_covered(
        truth, lambda seed: attack.run(sight, np.random.default_rng(seed)).targets.interval()
    )


def test_the_order_of_records_does_not_matter():
    """A shuffled release has the same outcome."""
    table = people()
    release = released(table, 3)
    outcomes = [
        carried_out(seen(table, one, name), SimilarityOfValues(attempts=100))
        for name in ("disease", "cost")
        for one in (release, shuffled(release))
    ]
    assert outcomes[0] == outcomes[1]
    assert outcomes[2] == outcomes[3]


def test_values_that_the_hierarchy_does_not_know_are_groups_of_their_own():
    """A new released value is like no other."""
    original = {"age": [1, 1, 2], "disease": ["flu", "cold", "flu"]}
    release = {"age": [1, 1, 2], "disease": ["flu", "fever", "flu"]}
    sight = scene(original, release, ["age"], ["disease"], hierarchies={"disease": TREE})
    assert carried_out(sight).targets.rate == pytest.approx(1 / 3)


def test_categories_without_a_hierarchy_are_left_out():
    """Nothing says which of them are similar."""
    table = people(20)
    found = carried_out(scene(table, table, KNOWN, ["disease"]))
    assert found.targets.attempts == 0
    assert "has a hierarchy" in found.reason


@pytest.mark.parametrize("arguments", [{"level": 0}, {"share": 1.5}, {"attempts": 0}])
def test_parameters_are_checked(arguments):
    """Numbers out of range are refused."""
    with pytest.raises(PolicyError, match="similarity: "):
        SimilarityOfValues(**arguments)
