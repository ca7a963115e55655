"""Laws of the models of the population table: k-map and delta-presence."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kanonym.data.errors import PolicyError
from kanonym.data.partition import Classes
from kanonym.models import DeltaPresence, KMap


def table(sizes, persons):
    """Return classes of so many records and so many persons."""
    return Classes(np.array(sizes, np.int64), {}, np.array(persons, np.int64))


def test_k_map_counts_persons_not_records():
    """A class of one record may be that of any of its persons."""
    found = table([1, 1, 4], [5, 4, 4])
    assert KMap(5, "r.csv").satisfied(found).tolist() == [True, False, False]
    assert KMap(5, "r.csv").achieved(found) == 4


def test_k_map_with_the_release_as_population_is_k_anonymity():
    """Where the population is the release, a class has as many persons as records."""
    assert KMap(3, "r.csv").satisfied(table([2, 3], [2, 3])).tolist() == [False, True]


def test_k_map_leaves_out_classes_without_a_record():
    """Nobody is found in a class that the release does not have."""
    found = table([1, 0], [5, 1])
    assert KMap(5, "r.csv").satisfied(found).all()
    assert KMap(5, "r.csv").achieved(found) == 5


def test_delta_presence_bounds_the_share_from_both_sides():
    """Shares of 1/4, 1/2 and 1 stand against a minimum of 0.3 and a maximum of 0.5."""
    found = table([1, 2, 3], [4, 4, 3])
    assert DeltaPresence(0.3, 0.5, "r.csv").satisfied(found).tolist() == [False, True, False]
    assert DeltaPresence(0.25, 1, "r.csv").satisfied(found).all()
    assert DeltaPresence(0, 1, "r.csv").achieved(found) == 1
    assert DeltaPresence(0.3, 1, "r.csv").achieved(found) == math.inf


def test_a_minimum_fails_where_nobody_is_released():
    """A class of the population without a record has a share of 0; no suppression helps."""
    found = table([2, 0], [4, 3])
    assert DeltaPresence(0, 0.5, "r.csv").satisfied(found).all()
    assert DeltaPresence(0.1, 0.5, "r.csv").satisfied(found).tolist() == [True, False]
    assert DeltaPresence(0, 0.5, "r.csv").suppressible
    assert not DeltaPresence(0.1, 0.5, "r.csv").suppressible


def test_more_records_than_persons_fail():
    """A population that does not contain the release satisfies no delta-presence."""
    found = table([3, 1], [2, 0])
    assert not DeltaPresence(0, 1, "r.csv").satisfied(found).any()


@pytest.mark.parametrize("model", [KMap(2, "r.csv"), DeltaPresence(0, 0.5, "r.csv")])
def test_classes_without_persons_are_refused(model):
    """An algorithm that does not count the population cannot ask these models."""
    with pytest.raises(PolicyError, match=rf"{model.type} needs the records of the population"):
        model.satisfied(Classes(np.array([2]), {}))


def test_models_are_equal_where_parameters_and_populations_are():
    """One path, or one table in memory, is one population."""
    frame, copy = pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]})
    assert KMap(2, "r.csv") == KMap(2, Path("r.csv"))
    assert KMap(2, frame) == KMap(2, frame)
    assert KMap(2, frame) != KMap(2, copy)
    assert KMap(2, "r.csv") != KMap(3, "r.csv")
    assert KMap(2, "r.csv") != DeltaPresence(0, 1, "r.csv")
    assert len({KMap(2, "r.csv"), KMap(2, "r.csv"), KMap(2, "s.csv")}) == 2


def test_a_table_in_memory_has_no_plain_form():
    """The parameters as plain values have a path, and no table."""
    assert DeltaPresence(0, 0.5, Path("r.csv")).to_dict() == {
        "minimum": 0,
        "maximum": 0.5,
        "population": "r.csv",
    }
    assert KMap(2, pl.DataFrame({"a": [1]})).to_dict() == {"k": 2}


def test_no_value_of_a_population_is_printed():
    """A model's text does not hold the table that it was given."""
    assert repr(KMap(2, pl.DataFrame({"a": ["secret"]}))) == "KMap(k=2)"
