"""Risk by person, where one person may have several records."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kanonym.metrics.person_risk import person_risk
from kanonym.metrics.record_risk import prosecutor

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
