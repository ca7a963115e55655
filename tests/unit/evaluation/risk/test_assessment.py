"""All measures of risk together: what is asked for has a value, the rest has none."""

from __future__ import annotations

import json

import numpy as np
import pytest

from kanonym.data.errors import DataError, PolicyError
from kanonym.evaluation.risk import (
    ENTRIES,
    PRESETS,
    individual_risk,
    measure_risk,
    population_uniques,
)
from kanonym.evaluation.risk.individual import ItemCandidates
from kanonym.metrics.record_risk import person_risk

LABELS = np.array([0, 1, 1, 2, 2, 2, -1], np.int32)
HOMES = np.array([0, 0, 1, 1, -1, 2, 2], np.int32)
WEIGHTS = np.array([4.0, 3.0, 5.0, 2.0, 2.0, 2.0, 9.0])


def values(found):
    """Return the entries that have a value."""
    listed = found.to_dict()
    del listed["presets"]
    return {name: one["value"] for name, one in listed.items() if one["value"] is not None}


def test_class_sizes_alone_give_the_intruders():
    """Without anything else there are prosecutor, journalist, marketer and uniques."""
    found = values(measure_risk(LABELS, 3, threshold=0.4))
    assert found == {
        "prosecutor_highest": 1.0,
        "prosecutor_average": 0.5,
        "prosecutor_expected": 3.0,
        "prosecutor_at_risk": 0.5,
        "prosecutor_number_at_risk": 3,
        "journalist_highest": 1.0,
        "journalist_average": 0.5,
        "journalist_expected": 3.0,
        "journalist_at_risk": 0.5,
        "journalist_number_at_risk": 3,
        "marketer": 0.5,
        "uniques": 1,
        "unique_share": 1 / 6,
    }


def test_every_entry_has_a_value_when_everything_is_given():
    """With arrays for all of them, no entry is left out."""
    sizes = [1] * 20 + [2] * 10 + [3] * 10 + [10] * 3
    labels = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    rows = np.arange(len(labels), dtype=np.int32)
    found = measure_risk(
        labels,
        len(sizes),
        persons_of_class=np.array(sizes) * 9,
        entities=rows,
        weights=np.full(len(rows), 9.0),
        households=rows // 2,
        population=9 * len(rows),
    )
    sets = measure_risk(labels, len(sizes), items=ItemCandidates(2, 1))
    assert set(values(found)) | set(values(sets)) == set(ENTRIES)
    assert not found.reasons


def test_the_json_form_is_that_of_the_contract():
    """Each entry has value, low, high, better, unit and source, and is JSON."""
    labels = np.repeat(np.arange(6, dtype=np.int32), [1, 1, 1, 2, 2, 9])
    found = measure_risk(labels, 6, weights=np.full(16, 2.0), population=1000).to_dict()
    assert list(found) == [*ENTRIES, "presets"]
    entry = json.loads(json.dumps(found))["individual_at_risk"]
    assert {"value", "low", "high", "better", "unit", "source"} <= set(entry)
    assert (entry["low"], entry["high"], entry["better"]) == (0, 1, "lower")
    assert entry["parts"]["threshold"] == 0.05
    assert found["population_uniques_dankar"]["chosen"] == "pitman"


def test_measures_are_those_of_their_modules():
    """Weights, entities and population go to the functions of their names."""
    persons = np.array([0, 1, 2, 3, 3, 3, 3], np.int32)
    found = measure_risk(LABELS, 3, weights=WEIGHTS, entities=persons)
    sizes, estimated = np.array([1, 2, 3]), np.array([4.0, 8.0, 6.0])
    assert found.individual.expected == individual_risk(sizes, estimated).expected
    exact = individual_risk(sizes, estimated, form="exact").expected
    assert found.entries()["individual_expected"].parts["exact"] == exact
    by_person = person_risk(LABELS, 3, persons)
    assert found.persons.by_person.tolist() == by_person.by_person.tolist()
    uniques = measure_risk(LABELS, 3, population=90).population
    assert uniques.estimates == population_uniques(sizes, 90).estimates


def test_households_follow_the_individual_risk_or_else_the_prosecutors():
    """Without weights, members are found with one over their class size."""
    found = measure_risk(LABELS, 3, households=HOMES).households
    assert found.by_record.tolist() == pytest.approx([1, 1, 2 / 3, 2 / 3, 1 / 3, 1 / 3])
    weighted = measure_risk(LABELS, 3, households=HOMES, weights=WEIGHTS).households
    assert weighted.expected < found.expected


def test_estimates_of_persons_with_several_records_are_refused_with_a_reason():
    """A person's second record is no other person of the sample."""
    persons = np.array([0, 1, 2, 3, 3, 3, 3], np.int32)
    listed = measure_risk(LABELS, 3, entities=persons, population=90).to_dict()
    assert listed["population_uniques_pitman"]["value"] is None
    assert "several records" in listed["population_uniques_pitman"]["reason"]


def test_an_estimator_without_an_estimate_says_so():
    """The slide negative binomial model needs a class of two."""
    labels = np.array([0, 1, 2, 2, 2], np.int32)
    listed = measure_risk(labels, 3, population=20).to_dict()
    assert listed["population_uniques_snb"]["value"] is None
    assert "no estimate" in listed["population_uniques_snb"]["reason"]
    assert "reason" not in listed["person_highest"]


@pytest.mark.parametrize(
    ("given", "noun", "fewest"),
    [
        ({}, "records", 3),
        ({"entities": np.array([0, 0, 1, 2, 3, 4], np.int32)}, "persons", 2),
        ({"persons_of_class": np.array([30, 11])}, "persons of the population", 11),
    ],
)
def test_presets_look_at_whom_a_record_could_be_of(given, noun, fewest):
    """Persons of the population before persons of the table before records."""
    labels = np.array([0, 0, 0, 1, 1, 1], np.int32)
    verdict = measure_risk(labels, 2, **given).verdicts["ema-0070"]
    assert f"number of {noun} in a class is {fewest}," in verdict.reason
    assert verdict.met == (fewest >= 11)


def test_only_the_presets_asked_for_are_judged():
    """All of them if nothing is said."""
    assert set(measure_risk(LABELS, 3).verdicts) == set(PRESETS)
    assert list(measure_risk(LABELS, 3, presets=["ema-0070"]).to_dict()["presets"]) == ["ema-0070"]


def test_a_release_without_records_has_no_risk():
    """All suppressed: every share is 0 and every preset met."""
    empty = np.full(3, -1, np.int32)
    found = measure_risk(empty, 0, entities=empty + 1, weights=np.ones(3), households=empty)
    assert set(values(found).values()) == {0}
    assert all(verdict.met for verdict in found.verdicts.values())


def test_what_does_not_exist_is_refused():
    """A threshold beyond 1, an unknown preset and a bad weight each have their message."""
    with pytest.raises(PolicyError, match=r"risk threshold is 1\.5; it must be from 0 to 1"):
        measure_risk(LABELS, 3, threshold=1.5)
    with pytest.raises(PolicyError, match="no preset 'hipaa'; presets are ema-0070, "):
        measure_risk(LABELS, 3, presets=["hipaa"])
    with pytest.raises(DataError, match="row 7"):
        measure_risk(LABELS, 3, weights=np.array([1.0] * 6 + [0.0]))


def test_without_word_of_whose_the_records_are_no_preset_judges_by_records():
    """Nothing about persons has a value; a population table still says how many there are."""
    found = measure_risk(LABELS, 3, untold="who is not said", population=90)
    for name, entry in found.entries().items():
        if name.startswith(("person_", "population_uniques_")):
            assert (entry.value, entry.reason) == (None, "who is not said")
    assert {one.met for one in found.verdicts.values()} == {None}
    assert {one.reason for one in found.verdicts.values()} == {"who is not said"}
    beside = measure_risk(LABELS, 3, untold="who is not said", persons_of_class=np.full(3, 30))
    assert beside.verdicts["ema-0070"].met
    assert beside.verdicts["hipaa-population-uniques"].met is None


def test_why_there_are_no_population_uniques_is_the_reason_of_their_preset():
    """Persons with several records have no estimate, and the preset says so."""
    persons = np.zeros(len(LABELS), np.int32)
    found = measure_risk(LABELS, 3, entities=persons, population=90)
    assert "several records" in found.verdicts["hipaa-population-uniques"].reason


@pytest.mark.parametrize("threshold", ["a", None, True])
def test_a_threshold_is_a_number(threshold):
    """What is no number is refused as a threshold, with what it is."""
    with pytest.raises(PolicyError, match="it must be a number from 0 to 1"):
        measure_risk(LABELS, 3, threshold=threshold)
