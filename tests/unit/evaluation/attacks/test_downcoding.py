"""Laws of downcoding."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from attack_tables import KNOWN, banded, people, released, scene, shuffled, starred
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks import downcoding
from kanonym.evaluation.attacks.downcoding import Downcoding
from margins import assert_covered

EVERYBODY = Downcoding(attempts=10**6)


def carried_out(sight, attack=EVERYBODY, seed=0):
    """Return the outcome of an attack."""
    return attack.run(sight, np.random.default_rng(seed))


def test_ends_of_an_interval_are_values_of_two_records():
    """Of a class of four, minimal intervals give two values away; a drawn one may be none."""
    table = {"age": [20, 21, 28, 30, 25, 26, 27, 29]}
    release = {"age": ["[20, 30]"] * 4 + ["[25, 29]"] * 4}
    found = carried_out(scene(table, release, ["age"], aligned=True))
    assert found.targets.rate == 0.5
    assert found.parts == {"age": 0.5, "generalized": 1, "minimal": 1}
    # Of the eight values in [20, 30] four are of the first class, of the five in [25, 29] the
    # four others are of the second. Five persons could be in either.
    first, second = 0.5 * 4 / 8, 0.5 * 4 / 5
    assert found.baseline.rate == pytest.approx((3 * first + 5 * (first + second) / 2) / 8)
    assert found.risk > 0


def test_without_an_order_members_are_those_who_fit():
    """Classes that lie apart have the same members, whether their order is known or not."""
    table = {"age": [20, 21, 28, 30, 40, 41, 45, 49], "job": list("aabbccdd")}
    release = {"age": ["[20, 30]"] * 4 + ["[40, 49]"] * 4, "job": table["job"]}
    outcomes = [
        carried_out(scene(table, one, ["age"], aligned=aligned))
        for one, aligned in ((release, True), (release, False), (shuffled(release), None))
    ]
    assert outcomes[0].targets.rate == 0.5
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_intervals_that_are_wider_than_needed_give_nothing_away():
    """Bands of fixed width end at values by chance alone, so minimality adds no risk."""
    table = people(60)
    tight = carried_out(scene(table, released(table, 5), KNOWN))
    wide = carried_out(scene(table, banded(table, 20), KNOWN))
    assert tight.parts["minimal"] == 1
    assert wide.parts["minimal"] < 0.5
    assert tight.risk > 0 == wide.risk
    loose = {"age": ["[10, 99]"] * 60}
    nothing = carried_out(scene({"age": table["age"]}, loose, ["age"]))
    assert nothing.targets.rate == nothing.risk == 0


def test_the_original_has_nothing_left_to_refine():
    """Published unchanged, every value is named, and minimality adds no risk."""
    table = people(60)
    found = carried_out(scene(table, shuffled(table), KNOWN))
    assert found.targets.rate == found.baseline.rate == 1
    assert found.parts["generalized"] == found.risk == 0


def test_one_class_gives_the_baseline():
    """Suppressed cells name nothing; one interval of all names two values that anyone hits."""
    table = people(60)
    found = carried_out(scene(table, starred(table, KNOWN), KNOWN))
    assert found.targets.rate == found.baseline.rate == 0
    low, high = table["age"].min(), table["age"].max()
    whole = {"age": [f"[{low}, {high}]"] * 60}
    found = carried_out(scene({"age": table["age"]}, whole, ["age"]))
    assert found.targets.rate == pytest.approx(2 / 60)
    assert found.baseline.rate == pytest.approx(2 / 60)
    assert found.risk == pytest.approx(0)


def test_it_falls_as_k_grows():
    """On Mondrian fewer cells are named at each larger k."""
    table = people()
    rates = [
        carried_out(scene(table, released(table, k), KNOWN)).targets.rate for k in (2, 5, 15, 60)
    ]
    assert rates == sorted(rates, reverse=True)


def test_sets_name_their_members_and_labels_of_two_both():
    """A set has a record for each member; a label of more values than two names none."""
    table = {"town": ["Ulm", "Bonn", "Kiel", "Ulm", "Jena"], "job": ["a", "b", "c", "d", "e"]}
    release = {"town": ["{Bonn, Kiel, Ulm}"] * 4 + ["Jena"], "job": ["ab"] * 2 + ["cde"] * 3}
    tree = ka.hierarchy.from_mapping({"a": "ab", "b": "ab", "c": "cde", "d": "cde", "e": "cde"})
    sets = carried_out(scene(table, {"town": release["town"]}, ["town"]))
    assert sets.parts == {"town": 0.75, "generalized": 0.8, "minimal": 1}
    labels = carried_out(scene(table, release, ["job"], hierarchies={"job": tree}))
    assert labels.parts == {"job": 0.4, "generalized": 1, "minimal": 1}


def test_means_are_not_refined():
    """A mean is no value of a record, and leaves no other open: nothing is attempted."""
    table = {"age": [20.0, 22.0, 40.0, 43.0]}
    found = carried_out(scene(table, {"age": [21.0, 21.0, 41.5, 41.5]}, ["age"]))
    assert found.targets.attempts == 0
    assert found.reason == "released values are changed, not generalized"


def test_nulls_are_values():
    """A null released as a value is one, and a null in a set is one of its members."""
    table = {"age": [None, None, 20, 30], "town": [None, "Ulm", "Bonn", "Bonn"]}
    release = {"age": [None, None, "[20, 30]", "[20, 30]"], "town": ["{Ulm, null}"] * 2}
    release["town"] += ["Bonn"] * 2
    found = carried_out(scene(table, release, ["age", "town"]))
    assert found.targets.rate == 1
    assert found.targets.attempts == 4
    assert found.parts == {"age": 1, "town": 1, "generalized": 0.5, "minimal": 1}


def test_the_interval_covers_the_truth():
    """Of many samples of 60 persons, as many as promised have the rate of all in the interval."""
    table = people()
    sight = scene(table, released(table, 5), KNOWN)
    truth = carried_out(sight).targets.rate
    assert_covered(
        truth, lambda seed: carried_out(sight, Downcoding(attempts=60), seed).targets.interval()
    )


def test_the_order_of_records_does_not_matter(monkeypatch):
    """A shuffled release has the same outcome, however few classes are looked at together."""
    table = people()
    release = released(table, 3)
    few = Downcoding(attempts=100)
    one = carried_out(scene(table, release, KNOWN, aligned=False), few)
    monkeypatch.setattr(downcoding, "AT_ONCE", 7)
    other = carried_out(scene(table, shuffled(release), KNOWN), few)
    assert one.targets.rate == pytest.approx(other.targets.rate)
    assert one.baseline.rate == pytest.approx(other.baseline.rate)
    assert one.parts == pytest.approx(other.parts)


def test_without_a_person_nothing_is_attempted():
    """The outcome says why."""
    empty = pl.DataFrame({"age": []}, schema={"age": pl.Int64})
    found = carried_out(scene(empty, empty, ["age"]))
    assert found.targets.attempts == 0
    assert "no person" in found.reason


def test_a_release_without_records_names_nothing():
    """Nobody is in it."""
    empty = pl.DataFrame({"age": []}, schema={"age": pl.Int64})
    found = carried_out(scene({"age": [1, 2]}, empty, ["age"]))
    assert found.targets.attempts == 0
    assert found.reason == "no released record is consistent with a person's values"


def test_attempts_are_at_least_one():
    """Fewer are refused."""
    with pytest.raises(PolicyError, match="downcoding: attempts"):
        Downcoding(attempts=0)


def test_local_recoding_tells_labels_one_level_below():
    """Two towns of one record each would have been two classes of two: each is there once.

    Without the policy nobody knows that.
    """
    towns = ka.hierarchy.from_mapping({town: [town in "ab", "*"] for town in "abcd"})
    table = pl.DataFrame({"town": list("abcd" * 3)})
    policy = ka.Policy(
        attributes={"town": ka.QuasiIdentifier(towns)},
        models=[ka.KAnonymity(4)],
        algorithm=ka.LocalRecoding(),
    )
    release = ka.anonymize(table, policy)
    known = ka.attack(table, release, attacks=[EVERYBODY])["downcoding"].parts
    assert known["labels present"] == 1
    assert known["counts known"] == 1
    assert known["bits told"] > 0.2
    unknown = ka.attack(
        table, release.frame, quasi_identifiers=["town"], hierarchies={"town": towns},
        attacks=[EVERYBODY],
    )  # fmt: skip
    assert "bits told" not in unknown["downcoding"].parts
