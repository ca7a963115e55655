"""Risk of re-identification from class sizes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanonym as ka
from kanonym.metrics.risk import Risk


def test_risk_is_one_over_the_class_size():
    """Classes of 2, 4 and 4: at most 1/2, and three classes over ten records on average."""
    found = Risk.of_sizes(np.array([2, 4, 4]))
    assert (found.highest, found.average, found.uniques) == (0.5, 0.3, 0)


def test_uniques_are_classes_of_one_record():
    """A record that is alone is found for certain."""
    found = Risk.of_sizes(np.array([1, 1, 3]))
    assert (found.highest, found.uniques) == (1.0, 2)


def test_nobody_is_at_risk_in_a_release_without_records():
    """Every measure is zero."""
    assert Risk.of_sizes(np.empty(0, np.int64)) == Risk(0.0, 0.0, 0)


def test_the_json_form():
    """The names of the JSON contract."""
    assert Risk.of_sizes(np.array([2, 2])).to_dict() == {
        "prosecutor": {"highest": 0.5, "average": 0.5},
        "uniques": 0,
    }


@given(st.lists(st.integers(1, 50), min_size=1))
def test_average_risk_is_the_mean_over_records(sizes):
    """Each record's risk is 1 / its class size; the average counts records, not classes."""
    of_records = [1 / size for size in sizes for _ in range(size)]
    found = Risk.of_sizes(np.array(sizes))
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
