"""Laws of the homogeneity attack."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from attack_tables import HIDDEN, KNOWN, banded, people, released, scene, shuffled, starred
from kanonym.data.errors import PolicyError
from kanonym.evaluation.attacks.classes.homogeneity import Homogeneity
from margins import assert_covered

EVERYBODY = Homogeneity(attempts=10**6)


def carried_out(sight, attack=EVERYBODY, seed=0):
    """Return the outcome of an attack."""
    return attack.run(sight, np.random.default_rng(seed))


def test_the_original_discloses_all_whose_equals_agree():
    """Published unchanged, every person is disclosed who shares the value with all equals."""
    table = people()
    groups = defaultdict(list)
    for row in table.select([*KNOWN, "disease"]).rows():
        groups[row[:-1]].append(row[-1])
    expected = sum(len(own) for own in groups.values() if len(set(own)) == 1) / len(table)
    found = carried_out(scene(table, shuffled(table), KNOWN, ["disease"]))
    assert found.targets.rate == pytest.approx(expected)
    assert 0.3 < found.risk < 1  # by other seeds 0.52 ± 0.04


def test_everybody_is_disclosed_where_nobody_has_an_equal():
    """With unique quasi-identifiers the original unchanged discloses every value."""
    table = pl.DataFrame({"age": list(range(50)), "disease": ["flu", "cold"] * 25})
    found = carried_out(scene(table, table, ["age"], ["disease"]))
    assert found.targets.rate == found.risk == 1


@pytest.mark.parametrize("disease", [["flu"] * 6, ["flu", "cold"] * 3])
def test_one_class_gives_the_baseline(disease):
    """A release of one class discloses a value exactly where the table has no other."""
    table = pl.DataFrame({"age": list(range(6)), "disease": disease})
    found = carried_out(scene(table, starred(table, ["age"]), ["age"], ["disease"]))
    assert found.targets.rate == found.baseline.rate == (len(set(disease)) == 1)
    assert found.risk == 0


def test_it_falls_as_k_grows():
    """On Mondrian fewer persons are disclosed at each larger k, at last none."""
    table = people()
    rates = [
        carried_out(scene(table, released(table, k), KNOWN, ["disease"])).targets.rate
        for k in (2, 5, 15, 60)
    ]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.02
    assert rates[-1] == 0


def test_l_diversity_leaves_nothing():
    """Where each class has two values of an attribute, nobody's is disclosed for certain."""
    table = people()
    release = released(table, 2, sensitive=["disease"], l=2)
    assert carried_out(scene(table, release, KNOWN, ["disease"])).targets.rate == 0


def test_the_interval_covers_the_truth():
    """Of many samples of 60 persons, as many as promised have the rate of all in the interval."""
    table = people()
    sight = scene(table, released(table, 2), KNOWN, ["disease"])
    truth = carried_out(sight).targets.rate
    assert_covered(
        truth, lambda seed: carried_out(sight, Homogeneity(attempts=60), seed).targets.interval()
    )


def test_the_interval_of_the_risk_covers_the_truth():
    """It does too beside a control of which a sample is attacked."""
    table = people(800)
    original, control = table[:400], table[400:]
    sight = scene(original, released(original, 2), KNOWN, ["disease"], control)
    truth = carried_out(sight).risk
    assert truth > 0
    assert_covered(truth, lambda seed: carried_out(sight, Homogeneity(attempts=60), seed).interval)


def test_the_order_of_records_does_not_matter():
    """A shuffled release has the same outcome, whoever is drawn."""
    table = people()
    release = released(table, 3)
    outcomes = [
        carried_out(scene(table, one, KNOWN, HIDDEN), Homogeneity(attempts=100))
        for one in (release, shuffled(release))
    ]
    assert outcomes[0] == outcomes[1]


def test_the_library_of_the_frames_does_not_matter(frame):
    """The same tables have the same outcome in every library."""
    columns = {"age": [20, 21, 40, None], "disease": ["flu", "flu", "cold", None]}
    release = {"age": ["[20, 21]", "[20, 21]", "40", None], "disease": columns["disease"]}
    found = carried_out(scene(frame(columns), frame(release), ["age"], ["disease"]))
    assert found.targets.rate == 1


def test_released_forms_are_understood():
    """Intervals, sets, labels, suppressed cells and nulls leave open what they stand for."""
    original = {
        "age": [20, 25, 40, 45, None, 60],
        "town": ["Ulm", "Bonn", "Kiel", "Kiel", "Ulm", "Jena"],
        "job": ["cook", "baker", "nurse", "cook", "nurse", "nurse"],
        "disease": ["flu", "flu", "cold", "gout", "gout", "cold"],
    }
    release = {
        "age": ["[20, 25]", "[20, 25]", "[40, 50)", "[40, 50)", None, "*"],
        "town": ["{Bonn, Ulm}", "{Bonn, Ulm}", "Kiel", "Kiel", "Ulm", "Jena"],
        "job": ["kitchen", "kitchen", "*", "*", "nurse", "nurse"],
        "disease": original["disease"],
    }
    tree = ka.hierarchy.from_mapping({"cook": "kitchen", "baker": "kitchen", "nurse": "ward"})
    known = ["age", "town", "job"]
    sight = scene(original, release, known, ["disease"], hierarchies={"job": tree})
    # All but the two of Kiel, whose class has cold and gout.
    assert carried_out(sight).targets.successes == 4


def test_who_could_be_in_several_classes_is_not_disclosed():
    """Where an interval leaves a person open, that record's value may be the person's."""
    original = {"age": [20, 20, 30], "disease": ["flu", "flu", "cold"]}
    release = {"age": ["20", "20", "[20, 30]"], "disease": ["flu", "flu", "cold"]}
    assert carried_out(scene(original, release, ["age"], ["disease"])).targets.rate == 1 / 3


@pytest.mark.parametrize("hidden", ["*", None])
def test_a_suppressed_record_protects_nobody_else(hidden):
    """One record of 200 that is suppressed in place leaves the others as disclosed as before."""
    original = {"age": [i // 5 for i in range(200)], "disease": [f"d{i // 5}" for i in range(200)]}
    release = {**original, "age": [hidden, *map(str, original["age"][1:])]}
    found = carried_out(scene(original, release, ["age"], ["disease"]))
    assert found.targets.rate >= 0.99


def test_cell_suppression_is_as_open_as_mondrian():
    """Persons in homogeneous classes are disclosed, though odd ones are suppressed in place."""
    table = pl.DataFrame(
        {
            "age": [20 + i // 5 for i in range(200)] + [90 + i for i in range(6)],
            "disease": [f"d{i // 5}" for i in range(200)] + ["a", "b", "c", "d", "e", "f"],
        }
    )
    policy = ka.Policy(
        attributes={"age": ka.QuasiIdentifier(), "disease": ka.Sensitive()},
        models=[ka.KAnonymity(5)],
        algorithm="cell-suppression",
    )
    release = ka.anonymize(table, policy).frame
    found = carried_out(scene(table, release, ["age"], ["disease"]))
    assert found.targets.rate >= 0.97


def test_a_suppressed_sensitive_cell_hides_its_own_value_alone():
    """A cell that says nothing is ignored beside others; a wrong claim is no success."""
    original = {"age": [20, 20, 30, 30], "disease": ["flu", "gout", "cold", "cold"]}
    release = {"age": ["20", "20", "30", "30"], "disease": ["flu", None, "cold", "cold"]}
    found = carried_out(scene(original, release, ["age"], ["disease"]))
    assert found.targets.rate == 3 / 4
    assert found.parts == {"disease": 3 / 4, "disease: claimed": 1}


def test_means_are_attacked_by_the_nearest_class():
    """After microaggregation each person has the class with the nearest mean."""
    original = {"age": [20.0, 22.0, 40.0, 43.0], "disease": ["flu", "flu", "cold", "cold"]}
    release = {"age": [21.0, 21.0, 41.5, 41.5], "disease": original["disease"]}
    assert carried_out(scene(original, release, ["age"], ["disease"])).targets.rate == 1


def test_a_suppressed_record_does_not_hide_that_values_are_means():
    """Beside a record that is suppressed in place persons still have the nearest mean."""
    original = {"age": [20.0, 22.0, 40.0, 43.0, 90.0], "disease": ["a", "a", "b", "b", "c"]}
    release = {"age": ["21", "21", "41.5", "41.5", "*"], "disease": original["disease"]}
    assert carried_out(scene(original, release, ["age"], ["disease"])).targets.successes == 4


def test_the_control_is_who_was_not_in_the_original():
    """Bands that disclose all persons of one original say nothing certain of others."""
    original = {"age": list(range(20, 60)), "disease": ["flu"] * 20 + ["cold"] * 20}
    control = {"age": list(range(20, 60)), "disease": ["gout"] * 30 + ["cold"] * 10}
    found = carried_out(scene(original, banded(original, 10), ["age"], ["disease"], control))
    assert (found.targets.rate, found.control.rate) == (1, 0.25)
    assert found.risk == 1


def test_the_worst_attribute_stands_for_all():
    """The outcome is that of the attribute at the largest risk; parts have each."""
    table = pl.DataFrame(
        {"age": list(range(20)), "same": ["x"] * 20, "disease": ["flu", "cold"] * 10}
    )
    found = carried_out(scene(table, table, ["age"], ["same", "disease"]))
    assert found.parts == {"same": 1, "disease": 1}
    assert (found.baseline.rate, found.risk) == (0, 1)


def test_without_a_sensitive_attribute_nobody_is_attacked():
    """The outcome has no attempt and says why; so it does without a person."""
    table = pl.DataFrame({"age": [1, 2], "disease": ["flu", "cold"]})
    assert carried_out(scene(table, table, ["age"])).reason.startswith("no sensitive attribute")
    empty = carried_out(scene(table[:0], table[:0], ["age"], ["disease"]))
    assert empty.targets.attempts == 0
    assert empty.reason == "the original has no person"


def test_attempts_are_at_least_one():
    """Fewer are refused."""
    with pytest.raises(PolicyError, match="homogeneity: attempts"):
        Homogeneity(attempts=0)
