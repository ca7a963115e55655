"""Laws of the intersection attack."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from attack_tables import HIDDEN, KNOWN, banded, people, released, scene, shuffled, starred
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.classes.homogeneity import Homogeneity
from kanonym.evaluation.attacks.linking.intersection import Intersection
from kanonym.evaluation.attacks.matching import disclosure
from margins import assert_covered

EVERYBODY = Intersection(attempts=10**6)


def carried_out(sight, attack=EVERYBODY, seed=0):
    """Return the outcome of an attack."""
    return attack.run(sight, np.random.default_rng(seed))


def seen(table, first, second, sensitive=("disease",)):
    """Return the scene of two releases."""
    return scene(table, first, KNOWN, sensitive, second=second)


def test_two_bands_together_disclose_what_neither_does():
    """Of two values in each class of either release, one is left to a person who is in both."""
    table = {"town": ["Ulm", "Bonn", "Kiel", "Jena"], "disease": ["flu", "cold", "flu", "gout"]}
    first = table | {"town": ["{Bonn, Ulm}"] * 2 + ["{Jena, Kiel}"] * 2}
    # The second one parts them crosswise.
    second = table | {"town": ["{Kiel, Ulm}", "{Bonn, Jena}"] * 2}
    found = carried_out(scene(table, first, ["town"], ["disease"], second=second))
    assert found.targets.rate == 1
    assert found.parts == {
        "disease": 1,
        "disease: first release alone": 0,
        "disease: second release alone": 0.5,
        "disease: values left": 1,
    }
    assert found.baseline.rate == 0.5
    assert found.risk == 1


def test_the_same_release_twice_adds_nothing():
    """Who has a release twice achieves what homogeneity does with one."""
    table = people()
    release = released(table, 3)
    sight = seen(table, release, shuffled(release))
    plain = Homogeneity(10**6).run(sight, np.random.default_rng(0))
    found = carried_out(sight)
    assert found.targets.rate == found.baseline.rate == plain.targets.rate > 0
    assert found.risk == 0


def test_it_is_at_least_as_good_as_either_release():
    """Of releases of everybody, two say no less than one, and fewer values are left."""
    table = people()
    found = carried_out(seen(table, released(table, 3), released(table, 4)))
    alone = [found.parts[f"disease: {place} release alone"] for place in ("first", "second")]
    assert found.targets.rate >= max(alone)
    assert found.baseline.rate == max(alone)
    one = carried_out(seen(table, released(table, 3), released(table, 3)))
    assert found.parts["disease: values left"] < one.parts["disease: values left"]


def test_the_original_gives_full_success():
    """Published unchanged twice, everybody is disclosed where nobody has an equal."""
    table = people(60).with_columns(age=pl.Series(range(60)))
    assert carried_out(seen(table, table, shuffled(table))).targets.rate == 1


def test_one_class_gives_the_baseline():
    """Two releases of one class disclose nothing together."""
    table = people(60)
    found = carried_out(seen(table, starred(table, KNOWN), starred(table, KNOWN)))
    assert found.targets.rate == found.baseline.rate == 0
    assert found.parts["disease: values left"] == table["disease"].n_unique()


def test_it_falls_as_k_grows():
    """On two releases by Mondrian fewer persons are disclosed at each larger k."""
    table = people()
    rates = [
        carried_out(seen(table, released(table, k), released(table, k + 3))).targets.rate
        for k in (2, 6, 20, 80)
    ]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > rates[-1] == 0


def test_who_is_in_one_release_alone_is_attacked_by_it():
    """A release in which nobody could be the person, or whose cell is empty, says nothing."""
    table = {"age": [20, 30, 40], "disease": ["flu", "cold", "gout"]}
    second = {"age": [20, 30], "disease": ["flu", None]}
    found = carried_out(scene(table, table, ["age"], ["disease"], second=second))
    assert found.targets.rate == 1
    assert found.parts["disease: second release alone"] == pytest.approx(1 / 3)


def test_releases_that_contradict_each_other_disclose_nothing():
    """Where no value is in both, none is left."""
    table = {"age": [20, 30], "disease": ["flu", "cold"]}
    second = {"age": [20, 30], "disease": ["cold", "flu"]}
    found = carried_out(scene(table, table, ["age"], ["disease"], second=second))
    assert found.targets.rate == found.parts["disease: values left"] == 0


def test_the_interval_covers_the_truth():
    """Of many samples of 60 persons, as many as promised have the rate of all in the interval."""
    table = people()
    sight = seen(table, released(table, 4), released(table, 6))
    truth = carried_out(sight).targets.rate
    assert_covered(
        truth, lambda seed: carried_out(sight, Intersection(attempts=60), seed).targets.interval()
    )


def test_the_order_of_records_does_not_matter():
    """Shuffled releases have the same outcome."""
    table = people()
    first, second = released(table, 3), banded(table, 9)
    few = Intersection(attempts=100)
    outcomes = [
        carried_out(seen(table, one, other, HIDDEN), few)
        for one, other in ((first, second), (shuffled(first), shuffled(second, 1)))
    ]
    assert outcomes[0] == outcomes[1]


def test_memory_does_not_change_what_is_found(monkeypatch):
    """However few values are counted together, the outcome is the same."""
    table = people()
    sight = seen(table, released(table, 3), banded(table, 9), HIDDEN)
    whole = carried_out(sight)
    monkeypatch.setattr(disclosure, "CELLS", 50)
    monkeypatch.setattr(disclosure, "AT_ONCE", 30)
    assert carried_out(sight) == whole


def test_it_needs_a_second_release():
    """Without one, or with one that hides nothing of the same kind, nobody is attacked."""
    table = people(20)
    alone = carried_out(scene(table, table, KNOWN, ["disease"]))
    assert alone.reason.startswith("there is no second release")
    assert alone.targets.attempts == 0
    without = carried_out(seen(table, table, table.drop("disease")))
    assert without.reason.startswith("the second release has no sensitive attribute")
    assert carried_out(seen(table, table, table, ())).reason.startswith("no sensitive attribute")


def test_attempts_are_at_least_one():
    """Fewer are refused."""
    with pytest.raises(PolicyError, match="intersection: attempts"):
        Intersection(attempts=0)
