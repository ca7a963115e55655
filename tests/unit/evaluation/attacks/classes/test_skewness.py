"""Laws of the skewness attack."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from attack_tables import KNOWN, people, released, scene, shuffled, starred
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.classes.skewness import Skewness
from margins import assert_covered

EVERYBODY = Skewness(attempts=10**6)


def carried_out(sight, attack=EVERYBODY, seed=0):
    """Return the outcome of an attack."""
    return attack.run(sight, np.random.default_rng(seed))


def test_claims_are_counted_by_hand():
    """Of two classes one has twice the table's share of a value: its persons are claimed."""
    table = {
        "age": [1] * 4 + [2] * 12,
        "disease": ["flu"] * 3 + ["cold"] + ["flu"] * 3 + ["cold"] * 9,
    }
    found = carried_out(scene(table, shuffled(table), ["age"], ["disease"]))
    # Flu has 6 of 16, and 3 of 4 in the first class: exactly twice.
    assert found.targets.rate == 3 / 16
    assert found.parts == {"disease": 3 / 16, "disease: claimed": 4 / 16}
    assert found.baseline.rate == pytest.approx(4 / 16 * 6 / 16)
    higher = Skewness(lift=2.1)
    assert carried_out(scene(table, table, ["age"], ["disease"]), higher).targets.rate == 0


def test_the_original_makes_every_claim_right():
    """Published unchanged without equals, all are right whose value has at most half."""
    table = people(80)
    found = carried_out(scene(table, shuffled(table), ["age", "cost"], ["disease"]))
    common = [value for value, n in Counter(table["disease"]).items() if n / 80 > 0.5]
    assert common == []
    assert found.targets.rate == 1


def test_one_class_gives_the_baseline():
    """Nothing is over-represented in the whole table: nothing is claimed."""
    table = people(80)
    found = carried_out(scene(table, starred(table, KNOWN), KNOWN, ["disease"]))
    assert found.targets.rate == found.baseline.rate == found.risk == 0


def test_it_falls_as_k_grows():
    """On Mondrian fewer persons are rightly claimed at each larger k."""
    table = people()
    rates = [
        carried_out(scene(table, released(table, k), KNOWN, ["disease"])).targets.rate
        for k in (2, 5, 15, 60)
    ]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.4


@pytest.mark.parametrize("t", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("lift", [1.5, 2, 3])
def test_t_closeness_bounds_it(t, lift):
    """With equal distances the rate is at most t · lift / (lift - 1), and t above chance."""
    table = people()
    release = released(table, 2, sensitive=["disease"], t=t)
    found = carried_out(scene(table, release, KNOWN, ["disease"]), Skewness(lift, 10**6))
    assert found.targets.rate <= t * lift / (lift - 1)
    assert found.targets.rate - found.baseline.rate <= t
    plain = carried_out(scene(table, released(table, 2), KNOWN, ["disease"]), Skewness(lift))
    assert found.targets.rate < plain.targets.rate


def test_the_interval_covers_the_truth():
    """Of many samples of 60 persons, as many as promised have the rate of all in the interval."""
    table = people()
    sight = scene(table, released(table, 5), KNOWN, ["disease"])
    truth = carried_out(sight).targets.rate
    assert_covered(
        truth, lambda seed: carried_out(sight, Skewness(attempts=60), seed).targets.interval()
    )


def test_the_order_of_records_does_not_matter():
    """A shuffled release has the same outcome."""
    table = people()
    release = released(table, 3)
    outcomes = [
        carried_out(scene(table, one, KNOWN, ["disease", "cost"]), Skewness(attempts=100))
        for one in (release, shuffled(release))
    ]
    assert outcomes[0] == outcomes[1]


def test_suppressed_sensitive_cells_do_not_count():
    """Shares are those among the cells that say something."""
    original = {"age": [1, 1, 1, 2, 2, 2], "disease": ["flu", "flu", "flu", "cold", "cold", "cold"]}
    release = {"age": [1, 1, 1, 2, 2, 2], "disease": ["flu", "flu", None, "cold", "cold", None]}
    found = carried_out(scene(original, release, ["age"], ["disease"]))
    assert found.targets.rate == 1
    assert found.baseline.rate == 0.5


@pytest.mark.parametrize("arguments", [{"lift": 1}, {"lift": float("nan")}, {"attempts": 0}])
def test_parameters_are_checked(arguments):
    """Numbers out of range are refused."""
    with pytest.raises(PolicyError, match="skewness: "):
        Skewness(**arguments)
