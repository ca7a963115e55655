"""Tests: risk of records and persons."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.data.errors import DataError
from kanonym.metrics.record_risk import (
    ProsecutorRisk,
    journalist,
    marketer,
    person_risk,
    prosecutor,
)

ROWS = st.lists(st.tuples(st.integers(-1, 5), st.integers(0, 7)), max_size=40)


def measured(rows, threshold=0.4):
    """Measure (class, person) pairs, with six classes."""
    labels = np.array([label for label, _ in rows], np.int32)
    entities = np.array([entity for _, entity in rows], np.int32)
    return person_risk(labels, 6, entities, threshold)


@given(ROWS)
def test_persons_are_counted_by_hand(rows):
    """Persons per class, each person's highest risk, and what is made of these: sets in a loop."""
    members = [{entity for label, entity in rows if label == c} for c in range(6)]
    persons = set().union(*members)
    risks = {p: max(1 / len(m) for m in members if p in m) for p in persons}
    found = measured(rows)
    assert found.by_class.tolist() == [len(m) for m in members]
    assert {p: found.by_person[p] for p in persons} == risks
    assert found.persons == len(persons)
    assert found.highest == max(risks.values(), default=0)
    assert found.at_risk == sum(risk > 0.4 for risk in risks.values())
    assert found.uniques == sum(risk == 1 for risk in risks.values())
    assert found.fewest == min((len(m) for m in members if m), default=0)


@given(ROWS)
def test_the_order_of_rows_does_not_matter(rows):
    """Records of a person need not stand together."""
    one, other = measured(rows), measured(rows[::-1])
    assert one.by_person.tolist() == other.by_person.tolist()
    assert (one.average, one.share_at_risk) == (other.average, other.share_at_risk)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_one_record_each_is_the_prosecutors_risk(sizes):
    """Where every person has one record, persons are records."""
    labels = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    found = person_risk(labels, len(sizes), np.arange(len(labels), dtype=np.int32), 0.2)
    by_record = prosecutor(np.array(sizes), 0.2)
    assert found.by_person.tolist() == by_record.per_record(labels).tolist()
    assert (found.highest, found.at_risk) == (by_record.highest, by_record.at_risk)


def test_many_records_of_one_person_hide_nobody():
    """A class of five records of one person is a class of one, which records do not tell."""
    found = measured([(0, 3)] * 5)
    assert (found.highest, found.uniques, found.records) == (1.0, 1, 5)
    assert prosecutor(np.array([5])).highest == 0.2


def test_a_person_without_a_released_record_is_not_counted():
    """Whose records are all suppressed is no person of the release, with a risk of 0."""
    found = measured([(-1, 0), (2, 1), (2, 2)])
    assert (found.persons, found.average) == (2, 0.5)
    assert found.by_person[0] == 0


CLASSES = st.lists(st.integers(1, 50), min_size=1, max_size=30)


def records_of(sizes):
    """Return the class label of each record."""
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


def test_risk_is_one_over_the_class_size():
    """Classes of 2, 4 and 4: at most 1/2, and three classes over ten records on average."""
    found = ProsecutorRisk.from_sizes(np.array([2, 4, 4]))
    assert (found.highest, found.average, found.uniques) == (0.5, 0.3, 0)


def test_uniques_are_classes_of_one_record():
    """A record that is alone is found for certain."""
    found = ProsecutorRisk.from_sizes(np.array([1, 1, 3]))
    assert (found.highest, found.uniques) == (1.0, 2)


def test_nobody_is_at_risk_in_a_release_without_records():
    """Every measure is zero."""
    assert ProsecutorRisk.from_sizes(np.empty(0, np.int64)) == ProsecutorRisk(0.0, 0.0, 0)


def test_the_json_form():
    """The names of the JSON contract."""
    assert ProsecutorRisk.from_sizes(np.array([2, 2])).to_dict() == {
        "prosecutor": {"highest": 0.5, "average": 0.5},
        "uniques": 0,
    }


@given(st.lists(st.integers(1, 50), min_size=1))
def test_average_risk_is_the_mean_over_records(sizes):
    """Each record's risk is 1 / its class size; the average counts records, not classes."""
    of_records = [1 / size for size in sizes for _ in range(size)]
    found = ProsecutorRisk.from_sizes(np.array(sizes))
    assert found.average == pytest.approx(sum(of_records) / len(of_records))
    assert found.highest == max(of_records)


def test_the_risk_of_a_release_is_that_of_its_released_classes():
    """A k-anonymous release puts nobody above 1/k, and its average is classes over records."""
    table = pl.DataFrame({"age": [i * i % 37 for i in range(100)]})
    release = ka.anonymize(table, quasi_identifiers=["age"], k=4)
    sizes = release.frame.group_by("age").len()["len"]
    assert release.risk.highest == 1 / sizes.min() <= 1 / 4
    assert release.risk.average == len(sizes) / 100
    assert release.risk.uniques == 0


# --- by intruder ---------------------------------------------------------------------


@given(CLASSES, st.sampled_from([0.0, 0.05, 0.09, 0.2, 1 / 3, 0.5, 1.0]))
def test_a_prosecutor_finds_a_record_with_one_over_its_class_size(sizes, threshold):
    """Highest, average, expected and at risk are those of the records one by one."""
    of_records = [1 / size for size in sizes for _ in range(size)]
    found = prosecutor(np.array(sizes), threshold)
    assert found.per_record(records_of(sizes)).tolist() == of_records
    assert found.highest == max(of_records)
    assert found.average == pytest.approx(sum(of_records) / len(of_records))
    assert found.expected == len(sizes)
    assert found.at_risk == sum(risk > threshold for risk in of_records)
    assert found.share_at_risk == found.at_risk / found.records


@pytest.mark.parametrize("size", [2, 3, 5, 6, 7, 10, 11, 20, 49, 100, 1000])
def test_a_risk_equal_to_the_threshold_is_not_at_risk(size):
    """A threshold of 1/f allows a class of f and not one of f - 1: at risk is strictly above."""
    assert prosecutor(np.array([size]), 1 / size).at_risk == 0
    assert prosecutor(np.array([size - 1]), 1 / size).at_risk == size - 1


@pytest.mark.parametrize(
    ("written", "size"), [("0.05", 20), ("0.2", 5), ("0.1", 10), ("0.04", 25), ("0.001", 1000)]
)
def test_thresholds_in_decimals_are_the_fractions_that_they_mean(written, size):
    """0.05 as it is read from text allows a class of 20, and none smaller."""
    assert prosecutor(np.array([size, size - 1]), float(written)).at_risk == size - 1


def test_suppressed_records_have_no_risk():
    """The label -1 reads 0, not the risk of the last class."""
    risks = prosecutor(np.array([1, 2])).per_record(np.array([-1, 0, 1, 1], np.int32))
    assert risks.tolist() == [0.0, 1.0, 0.5, 0.5]


@given(CLASSES, st.data())
def test_a_journalist_looks_among_the_population(sizes, data):
    """The risk of a record is one over the persons of its class in the population."""
    more = data.draw(st.lists(st.integers(0, 99), min_size=len(sizes), max_size=len(sizes)))
    population = np.add(sizes, more)
    of_records = [1 / n for size, n in zip(sizes, population, strict=True) for _ in range(size)]
    found = journalist(np.array(sizes), population, 0.1)
    assert found.highest == max(of_records)
    assert found.average == pytest.approx(sum(of_records) / len(of_records))
    assert found.at_risk == sum(risk > 0.1 for risk in of_records)
    assert marketer(np.array(sizes), population) == found.average
    assert found.average <= prosecutor(np.array(sizes)).average * (1 + 1e-12)


@given(CLASSES)
def test_without_a_population_a_journalist_is_a_prosecutor(sizes):
    """Nothing is known but the table, and the marketer's share is classes over records."""
    one, other = journalist(np.array(sizes)), prosecutor(np.array(sizes))
    assert (one.highest, one.average, one.at_risk) == (other.highest, other.average, other.at_risk)
    assert marketer(np.array(sizes)) == len(sizes) / sum(sizes)


def test_classes_of_the_population_without_a_record_do_not_count():
    """A class that only the population has is no record's risk."""
    found = journalist(np.array([2, 0]), np.array([4, 1]))
    assert (found.highest, found.average, found.records) == (0.25, 0.25, 2)


def test_a_population_that_lacks_records_is_refused():
    """The message counts classes, records and persons, and shows no value."""
    with pytest.raises(DataError, match=r"in 1 of 2 classes .* records \(3\) than persons \(2\)"):
        journalist(np.array([3, 4]), np.array([2, 4]))


def test_persons_of_the_table_are_looked_for_among_persons():
    """Of 41 records of two persons in a class, three persons of the population are enough."""
    sizes, population = np.array([41]), np.array([3])
    found = journalist(sizes, population, persons=np.array([2]))
    assert (found.highest, found.records) == (1 / 3, 41)
    with pytest.raises(DataError, match=r"persons of the table \(4\) than persons \(3\)"):
        journalist(sizes, population, persons=np.array([4]))


def test_no_record_no_risk():
    """Without a class, every measure of every intruder is 0."""
    nothing = np.empty(0, np.int64)
    for found in (prosecutor(nothing), journalist(nothing, nothing)):
        assert (found.highest, found.average, found.expected, found.share_at_risk) == (0, 0, 0, 0)
    assert marketer(nothing) == 0
