"""Tests: risk of single records, in the table and in the population."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
import twins.risk as naive
from effort import examples
from kanonym.data.errors import DataError
from kanonym.evaluation.risk import (
    estimated_population,
    household_risk,
    individual_risk,
    population_uniques,
)
from kanonym.kernels.risk.population import ESTIMATORS, histogram
from kanonym.models import KKmAnonymity


@settings(max_examples=examples(60))
@given(st.lists(st.integers(1, 9), min_size=1, max_size=25), st.integers(0, 3000))
def test_every_estimator_is_asked_and_the_chosen_one_is_dankars(sizes, more):
    """Estimates are those of the kernels, None for none, and Dankar's is that of the chosen."""
    population = sum(sizes) + more
    found = population_uniques(np.array(sizes), population)
    for name, estimate in ESTIMATORS.items():
        expected = estimate(*histogram(np.array(sizes)), population)
        if found.estimates[name] is None:
            assert np.isnan(expected)
            assert found.share(name) is found.expected_in_table(name) is None
        else:
            assert found.estimates[name] == expected
            assert found.share(name) == expected / population
    assert found.estimates["dankar"] == found.estimates[found.chosen]


@pytest.mark.parametrize(
    ("population", "chosen"), [(10**6, "pitman"), (1000, "pitman"), (999, "snb")]
)
def test_the_rule_goes_by_the_sampling_fraction(population, chosen):
    """Up to a tenth of the population it is Pitman's; above, the smaller of the other two."""
    sizes = np.array([1] * 20 + [2] * 10 + [3] * 10 + [10] * 3)
    assert population_uniques(sizes, population).chosen == chosen


def test_in_a_whole_population_the_uniques_of_the_table_are_counted():
    """A table of everybody has all population uniques in it."""
    found = population_uniques(np.array([1, 1, 3]), 5)
    assert (found.estimates["dankar"], found.expected_in_table("dankar")) == (2, 2)


def test_uniques_expected_in_the_table_are_no_more_than_its_own():
    """Of the sample uniques, those unique in the population are a part, by Zayatz' estimate."""
    sizes = np.array([1] * 8 + [2] * 5 + [7])
    assert 0 < population_uniques(sizes, 500).expected_in_table("zayatz") <= 8


def test_a_population_smaller_than_the_table_is_refused():
    """The message has both numbers."""
    with pytest.raises(DataError, match="10 records, but the population only 9 persons"):
        population_uniques(np.array([10]), 9)


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


SIZES = st.integers(1, 120)


def risk(f, population, form="exact"):
    """Return the risk of one class."""
    return individual_risk(np.array([f]), np.array([float(population)]), form=form).by_class[0]


@settings(max_examples=examples(200))
@given(SIZES, st.floats(1e-12, 1))
def test_the_exact_form_is_that_of_decimals(f, fraction):
    """Fourteen digits agree with the recurrence in decimals, for any share of the population."""
    population = max(f / fraction, float(f))
    expected = naive.individual(f, Fraction(population))
    assert risk(f, population) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("f", [1, 2, 3, 29, 30, 100])
@pytest.mark.parametrize("gap", [1e-15, 1e-12, 1e-9, 1e-6, 0.499999999, 0.5, 0.500000001])
def test_nothing_is_lost_near_the_ends_and_where_methods_meet(f, gap):
    """Neither as p goes to 1 nor at p = 1/2 are digits lost."""
    population = f / (1 - gap)
    expected = naive.individual(f, Fraction(population))
    assert risk(f, population) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("f", [1, 2, 3, 40])
def test_tiny_fractions_have_their_limits(f):
    """As p goes to 0 the risk goes to p / (f - 1), and to p ln(1 / p) in a class of one."""
    population = f * 1e200
    expected = 1e-200 * (200 * math.log(10) if f == 1 else 1 / (f - 1))
    for form in ("exact", "approximate"):
        assert risk(f, population, form) == pytest.approx(expected, rel=1e-12)


@given(SIZES)
def test_a_whole_population_is_a_prosecutors_risk(f):
    """Where the sample has the whole class, the risk is one over its size, in both forms."""
    for form in ("exact", "approximate"):
        assert risk(f, f, form) == pytest.approx(1 / f, rel=1e-15)
        assert risk(f, f / 2, form) == pytest.approx(1 / f, rel=1e-15)


@given(SIZES, st.floats(1, 1e6))
def test_the_approximate_form_is_never_below_the_exact_one(f, weight):
    """It equals it for classes of one and two, and exceeds it by less than 4 % above."""
    exact, approximate = risk(f, f * weight), risk(f, f * weight, "approximate")
    assert exact * (1 - 1e-13) <= approximate <= exact * 1.04
    if f <= 2:
        assert approximate == exact


@given(SIZES, st.floats(1, 1e6))
def test_risk_is_between_that_of_the_population_and_of_the_sample(f, weight):
    """E(1 / F) is at least 1 / E(F), by Jensen, and at most 1 / f."""
    assert 1 / (f * weight) * (1 - 1e-12) <= risk(f, f * weight) <= 1 / f * (1 + 1e-12)


def test_the_expected_number_sums_over_records():
    """Each record of a class counts, and classes without a record do not."""
    found = individual_risk(np.array([2, 0, 1]), np.array([20.0, 0.0, 5.0]), 0.2)
    two, one = risk(2, 20, "approximate"), risk(1, 5, "approximate")
    assert found.expected == pytest.approx(2 * two + one)
    assert (found.records, found.highest, found.at_risk) == (3, one, 1)
    assert found.average == found.expected / 3


# --- weights -------------------------------------------------------------------------


def test_weights_add_up_to_the_population():
    """The persons of a class are the sum of its records' weights; suppressed ones are left out."""
    labels = np.array([1, 0, 1, -1], np.int32)
    found = estimated_population(labels, 3, np.array([2.5, 1.0, 4.0, 9.0]))
    assert found.tolist() == [1.0, 6.5, 0.0]


@pytest.mark.parametrize(
    ("weight", "shown"), [(0, "0"), (-3, "-3"), (math.inf, "inf"), (math.nan, "missing")]
)
def test_weights_that_count_nobody_are_refused(weight, shown):
    """The message names the row, counted from 1, and what stands there."""
    labels = np.zeros(3, np.int32)
    with pytest.raises(DataError, match=rf"row 2: the sampling weight is {shown};"):
        estimated_population(labels, 1, np.array([1.0, weight, weight]))


# --- households ----------------------------------------------------------------------


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(-1, 4)), max_size=20))
def test_a_household_is_found_by_any_of_its_members(members):
    """One minus the product of the chances to be missed; a record without a household is alone."""
    risks = np.array([r for r, _ in members])
    households = np.array([home for _, home in members], np.int32)
    found = household_risk(risks, households)
    expected = naive.household(risks.tolist(), households.tolist())
    assert found.by_record.tolist() == pytest.approx(expected, abs=1e-14)
    assert found.expected == pytest.approx(sum(expected))
    assert found.households == len(set(households[households >= 0])) + (households < 0).sum()


def test_small_risks_keep_their_digits():
    """The risk of two members of 1e-18 each is 2e-18, which 1 - (1 - 1e-18)² would lose."""
    found = household_risk(np.full(2, 1e-18), np.zeros(2, np.int32))
    assert found.highest == pytest.approx(2e-18, rel=1e-12)
