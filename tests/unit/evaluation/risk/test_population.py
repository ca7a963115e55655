"""Population uniques by every estimator, and which one Dankar's rule takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.data.errors import DataError
from kanonym.evaluation.risk import population_uniques
from kanonym.kernels.risk.population import ESTIMATORS, histogram


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
