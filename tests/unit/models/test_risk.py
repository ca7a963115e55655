"""Laws of the models of the whole table: average risk, uniqueness in sample and population."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data.errors import DataError
from kanonym.models import AverageRisk, PopulationUniqueness, SampleUniqueness
from model_classes import classes

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=30)


def test_average_risk_is_classes_per_record():
    """Three classes of ten records: an average risk of 0.3, which 0.3 allows."""
    table = classes("aabbbbbbbc")
    assert AverageRisk(0.3).achieved(table) == 0.3
    assert AverageRisk(0.3).satisfied(table).tolist() == [True] * 3
    assert AverageRisk(0.29).satisfied(table).tolist() == [False] * 3


@given(sizes=SIZES)
def test_average_risk_is_the_mean_of_the_records_risks(sizes):
    """The average over records of 1 / the size of their class."""
    risks = [1 / size for size in sizes for _ in range(size)]
    assert AverageRisk(1).measure_sizes(np.array(sizes)) == pytest.approx(np.mean(risks))


def test_sample_uniqueness_is_the_share_of_lone_records():
    """Two of ten records are alone in their class."""
    table = classes("abbbbbbbbc")
    assert SampleUniqueness(0.2).achieved(table) == 0.2
    assert SampleUniqueness(0.2).satisfied(table).all()
    assert not SampleUniqueness(0.19).satisfied(table).any()


def test_no_unique_at_all_is_two_anonymity():
    """A threshold of 0 wants every class to have two records."""
    assert SampleUniqueness(0).holds(np.array([2, 5]))
    assert not SampleUniqueness(0).holds(np.array([2, 5, 1]))


def test_population_uniqueness_is_a_share_of_the_population():
    """The estimated number of uniques is divided by the persons of the population."""
    sizes = np.array([1, 1, 2, 6])
    exact = PopulationUniqueness(0.2, 10)
    assert exact.measure_sizes(sizes) == 0.2
    assert exact.holds(sizes)
    assert not PopulationUniqueness(0.19, 10).holds(sizes)


def test_without_an_estimate_population_uniqueness_does_not_hold():
    """Classes more equal than by chance leave Pitman's model without an estimate."""
    model = PopulationUniqueness(1, 1000, "pitman")
    table = classes("aabbccd")
    assert model.achieved(table) == math.inf
    assert not model.satisfied(table).any()


def test_a_population_below_the_table_is_refused():
    """A sample cannot have more records than the population that it is taken from."""
    with pytest.raises(DataError, match="has 10 records, but the population only 9 persons"):
        PopulationUniqueness(0.1, 9).holds(np.array([5, 5]))


@given(sizes=SIZES, threshold=st.floats(0.01, 1))
def test_a_sufficient_class_size_suffices(sizes, threshold):
    """A table whose classes all have the sufficient size satisfies the model."""
    for model in (
        AverageRisk(threshold),
        SampleUniqueness(threshold),
        PopulationUniqueness(threshold, 10**6),
    ):
        assert model.holds(np.array(sizes) + model.sufficient_size - 1)


@pytest.mark.parametrize(
    ("model", "size"),
    [
        (AverageRisk(0.2), 5),
        (AverageRisk(0.3), 4),
        (AverageRisk(1), 1),
        (SampleUniqueness(0.5), 2),
        (SampleUniqueness(1), 1),
        (PopulationUniqueness(0, 9), 2),
    ],
)
def test_the_sufficient_class_size_is_the_smallest(model, size):
    """Of classes all of one size, smaller ones do not satisfy the model."""
    assert model.sufficient_size == size
    if size > 1:
        assert not model.holds(np.full(3, size - 1))


@pytest.mark.parametrize(
    "model", [AverageRisk(0.1), SampleUniqueness(0), PopulationUniqueness(0, 1)]
)
def test_a_release_without_a_record_holds(model):
    """Nothing released, nothing found out."""
    assert model.holds(np.zeros(0, np.int64))
    assert model.holds(np.zeros(2, np.int64))
