"""Intruders who know a person and some of the person's rows, on the worked hospital."""

from __future__ import annotations

import pytest

from kanonym.data.errors import PolicyError
from kanonym.linked import LinkedPolicy, attack

from .conftest import hospital_form
from .test_person_counts import released


def test_known_rows_leave_those_who_have_them(tables, policy):
    """Known rows leave the released persons who have them all, and all rows those with no other."""
    found = attack(tables, tables, policy)
    rates = {one.type: one.targets.rate for one in found}
    assert rates["known-rows-0"] == pytest.approx(3 / 8)
    # p1 and p2 one of two, p3 one of three, p4 and p5 one of three, p6 alone, p7 and p8 one of two
    assert rates["known-rows-2"] == pytest.approx(4 / 8)
    assert found["known-rows-2"].parts["alone"] == 1 / 8
    # beyond that p3, who never came back, is alone, and p4 and p5 are two
    assert rates["all-rows"] == pytest.approx(5 / 8)
    assert {one.baseline.rate for one in found} == {1 / 8}


def test_one_who_never_came_back_is_found(tables, policy):
    """A release whose tables and join are 2-anonymous gives p3 away to who knows all rows."""
    found = attack(tables, released("a10 dropped"), policy)
    assert found["all-rows"].parts["alone"] == 1 / 8
    assert found["known-rows-2"].parts["alone"] == 0


def test_merged_rows_are_sought_as_they_were_released(tables):
    """Where equal rows are merged, the intruder expects each once, under its released label."""
    year = {"role": "quasi-identifier", "hierarchy": {"mapping": {}}}
    year["hierarchy"] = {"mapping": {f"202{i}": ["2021-2023"] for i in (1, 2, 3)}}
    attributes = {"year": year, "ward": {"role": "quasi-identifier"}}
    form = hospital_form(admissions={"merge": True, "attributes": attributes})
    found = attack(tables, released("merged"), LinkedPolicy.from_dict(form))
    assert not found.notes
    assert found["all-rows"].targets.rate == pytest.approx(3 / 8)


def test_columns_that_cannot_be_compared_are_named(tables, policy):
    """Released values that are no labels of a hierarchy are not used, and a note says so."""
    found = attack(tables, released("years"), policy)
    assert "admissions.year" in found.notes[0]
    with pytest.raises(PolicyError, match="at least"):
        attack(tables, tables, policy, rows=-1)


def test_columns_of_others_are_known_too(tables):
    """Quasi-identifiers that only `others` names are what the intruder knows."""
    form = hospital_form(others="quasi-identifier")
    del form["tables"]["patients"]["attributes"]["zip"]
    del form["tables"]["patients"]["attributes"]["born"]
    del form["tables"]["patients"]["attributes"]["sex"]
    found = attack(tables, tables, LinkedPolicy.from_dict(form), rows=0).to_dict()
    named = attack(tables, tables, LinkedPolicy.from_dict(hospital_form()), rows=0).to_dict()
    assert found["attacks"][0]["rate"] == named["attacks"][0]["rate"]
