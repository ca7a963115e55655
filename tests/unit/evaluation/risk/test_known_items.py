"""Risk of tables with sets of items: whoever knows items finds fewer records."""

from __future__ import annotations

import polars as pl

import kanonym as ka
from kanonym.models import KKmAnonymity

SETS = pl.DataFrame(
    {
        "age": [30] * 4 + [50] * 4,
        "items": [["a", "b"], ["a", "b"], ["a"], ["b"], ["a"], ["a"], ["a"], ["c"]],
    }
)


def sets_policy(*models, hierarchy=None):
    """Return a policy about ages and sets of items."""
    attributes = {"age": ka.QuasiIdentifier(), "items": ka.ItemSet(hierarchy)}
    return ka.Policy(attributes=attributes, models=models)


def test_known_items_decide_presets():
    """Of whoever knows a class and items fewer records could be than the class has."""
    policy = sets_policy(KKmAnonymity(2, m=2))
    for table, fewest in ((SETS.head(4), 2), (SETS, 1)):
        found = ka.risk(table, policy, presets=["health-canada-trusted"])
        highest = found.entries()["known_items_highest"]
        assert (highest.value, highest.parts) == (1 / fewest, {"m": 2})
        verdict = found.assessment.verdicts["health-canada-trusted"]
        assert not verdict.met
        assert f"known items in a class is {fewest}" in verdict.reason
        assert f"fewest with up to 2 known items {fewest}" in str(found)


def test_items_that_cannot_be_counted_leave_presets_open():
    """No preset is met by quasi-identifiers alone where items are known, too."""
    hierarchy = ka.hierarchy.from_mapping({"a": ["x", "*"]})
    found = ka.risk(SETS, sets_policy(KKmAnonymity(1, m=1), hierarchy=hierarchy), population=90)
    assert {one.met for one in found.assessment.verdicts.values()} == {None}
    entries = found.entries()
    assert "'items' could not be counted" in entries["known_items_highest"].reason
    assert "estimators see the quasi" in entries["population_uniques_dankar"].reason


def test_a_population_table_knows_no_items():
    """Persons of a class elsewhere may lack the items that are known."""
    policy = sets_policy(KKmAnonymity(2, m=1))
    everybody = pl.DataFrame({"age": [30] * 40 + [50] * 40})
    found = ka.risk(SETS, policy, population=everybody)
    assert {one.met for one in found.assessment.verdicts.values()} == {None}


def test_measure_says_that_items_are_not_counted(frame):
    """A column of lists is named, in every library; k is that of the quasi-identifiers."""
    found = ka.measure(frame({"age": [30, 30], "items": [["a"], ["b"]]}), quasi_identifiers=["age"])
    assert (found.k, found.uncounted_sets) == (2, ("items",))
    assert found.to_dict()["uncounted_sets"] == ["items"]
    assert "the items of items: whoever knows some" in str(found)
