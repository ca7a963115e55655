"""Laws of the background-knowledge attack."""

from __future__ import annotations

import numpy as np
import pytest

from attack_tables import KNOWN, people, released, scene, shuffled, starred
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.classes.homogeneity import BackgroundKnowledge, Homogeneity
from margins import assert_covered

EVERYBODY = 10**6


def rate(sight, m):
    """Return the share of all persons who are disclosed once m values are ruled out."""
    attack = BackgroundKnowledge(m, attempts=EVERYBODY)
    return attack.run(sight, np.random.default_rng(0)).targets.rate


def test_ruling_out_nothing_is_homogeneity():
    """With m = 0 it achieves what homogeneity does."""
    table = people()
    sight = scene(table, released(table, 2), KNOWN, ["disease"])
    plain = Homogeneity(EVERYBODY).run(sight, np.random.default_rng(0))
    assert rate(sight, 0) == plain.targets.rate > 0


def test_who_knows_more_learns_more():
    """The rate grows with m, to 1 where all values but one are ruled out."""
    table = people()
    sight = scene(table, released(table, 10), KNOWN, ["disease"])
    rates = [rate(sight, m) for m in range(6)]
    assert rates == sorted(rates)
    assert rates[0] < rates[3] < rates[5] == 1


@pytest.mark.parametrize("m", [1, 2])
def test_l_diversity_of_two_more_values_leaves_nothing(m):
    """Distinct l-diversity with l = m + 2 withstands who rules out m values."""
    table = people()
    release = released(table, 2, sensitive=["disease"], l=m + 2)
    sight = scene(table, release, KNOWN, ["disease"])
    assert rate(sight, m) == 0 < rate(sight, m + 1)


def test_it_falls_as_k_grows():
    """On Mondrian fewer persons are disclosed at each larger k."""
    table = people()
    rates = [rate(scene(table, released(table, k), KNOWN, ["disease"]), 1) for k in (2, 5, 15, 60)]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.1
    assert rates[-1] == 0


def test_the_original_gives_full_success():
    """Published unchanged, all are disclosed who have at most m + 1 values among equals."""
    table = people(60)
    assert rate(scene(table, shuffled(table), ["age", "cost"], ["disease"]), 1) == 1


def test_the_interval_covers_the_truth():
    """Of many samples of 60 persons, as many as promised have the rate of all in the interval."""
    table = people()
    sight = scene(table, released(table, 4), KNOWN, ["disease"])
    truth = rate(sight, 1)
    attack = BackgroundKnowledge(attempts=60)
    assert_covered(
        truth, lambda seed: attack.run(sight, np.random.default_rng(seed)).targets.interval()
    )


def test_the_order_of_records_does_not_matter():
    """A shuffled release has the same outcome."""
    table = people()
    release, attack = released(table, 3), BackgroundKnowledge(attempts=100)
    outcomes = [
        attack.run(scene(table, one, KNOWN, ["disease"]), np.random.default_rng(0))
        for one in (release, shuffled(release))
    ]
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(("m", "expected"), [(1, 0), (2, 1)])
def test_one_class_gives_the_baseline(m, expected):
    """Of three values in all, who rules out two needs no release."""
    table = {"age": list(range(6)), "disease": ["flu", "cold", "gout"] * 2}
    attack = BackgroundKnowledge(m)
    sight = scene(table, starred(table, ["age"]), ["age"], ["disease"])
    found = attack.run(sight, np.random.default_rng(0))
    assert found.targets.rate == found.baseline.rate == expected
    assert found.risk == 0


def test_a_suppressed_sensitive_cell_says_nothing():
    """Beside other values it is ignored: who has one of two values that are seen is disclosed."""
    original = {"age": [20, 20, 20, 30], "disease": ["flu", "cold", "gout", "flu"]}
    release = {"age": ["20", "20", "20", "30"], "disease": ["flu", "cold", None, "flu"]}
    # Of age 20 flu and cold are left, and gout is not seen.
    assert rate(scene(original, release, ["age"], ["disease"]), 1) == 3 / 4


@pytest.mark.parametrize("arguments", [{"m": -1}, {"m": 0.5}, {"attempts": 0}])
def test_parameters_are_checked(arguments):
    """Numbers out of range are refused."""
    with pytest.raises(PolicyError, match="background-knowledge: "):
        BackgroundKnowledge(**arguments)
