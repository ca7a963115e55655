"""Verification of models of the whole table and of a population, from the released values."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.data import hierarchy
from kanonym.verification.checked_classes import PopulationColumn, check_models

AGE = hierarchy.from_mapping({str(i): [f"{i // 2 * 2} or so", "*"] for i in range(6)})
JOB = hierarchy.from_mapping({"a": ["x", "*"], "b": ["x", "*"], "c": ["y", "*"]})
PERSONS = [
    PopulationColumn(pl.Series("age", [0, 0, 1, 1, 2, 3, 4, 5]), AGE),
    PopulationColumn(pl.Series("job", ["a", "b", "a", "c", "a", "c", "c", "c"]), JOB),
]
RELEASED = [
    pl.Series("age", ["0 or so", "0 or so", "0 or so", "4 or so"]),
    pl.Series("job", ["x", "x", "y", "y"]),
]


def verified(*models, released=RELEASED, population=PERSONS, counts=None):
    """Verify a release of a few rows."""
    return check_models(released, [], models, len(released[0]), counts, population)


def satisfied(checked):
    """Return whether all models hold."""
    return all(one.satisfied for one in checked.checks)


def test_a_class_is_compared_with_its_persons():
    """Three persons are `0 or so` and `x`, one is `0 or so` and `y`, two are `4 or so` and `y`."""
    found = verified(ka.models.KMap(2, "r.csv"))
    assert [(one.achieved, one.satisfied) for one in found.checks] == [(1, False)]
    assert found.violating == (
        {"class": {"age": "0 or so", "job": "y"}, "size": 1, "row": 3, "model": "k-map"},
    )
    assert satisfied(verified(ka.models.KMap(1, "r.csv")))


def test_presence_is_records_per_person():
    """Two of three, one of one and one of two persons are released; two in no class are not."""
    found = verified(ka.models.DeltaPresence(0, 0.9, "r.csv"))
    assert [(one.achieved, one.satisfied) for one in found.checks] == [(1, False)]
    assert found.violating[0]["class"] == {"age": "0 or so", "job": "y"}
    assert satisfied(verified(ka.models.DeltaPresence(0, 1, "r.csv")))


def test_persons_without_a_class_fail_a_minimum():
    """Who is in no class of the release is known to be absent; no released class is to blame."""
    found = verified(ka.models.DeltaPresence(0.4, 1, "r.csv"))
    assert not satisfied(found)
    assert (found.n_violating, found.violating) == (0, ())
    assert found.checks[0].to_dict()["achieved"] is None
    everybody = [pl.Series("age", ["*"] * 3), pl.Series("job", ["x", "x", "y"])]
    assert satisfied(verified(ka.models.DeltaPresence(0.25, 0.5, "r.csv"), released=everybody))


def test_aggregated_rows_count_their_records():
    """A row that stands for three records is three of the class's persons."""
    rows = [column.gather([0, 2, 3]) for column in RELEASED]
    one = verified(
        ka.models.DeltaPresence(0, 1, "r.csv"), released=rows, counts=np.array([3, 1, 2], np.int64)
    )
    assert satisfied(one)
    more = np.array([4, 1, 2], np.int64)
    assert not satisfied(
        verified(ka.models.DeltaPresence(0, 1, "r.csv"), released=rows, counts=more)
    )


def test_a_changed_label_is_found():
    """One value changed in a release that is 2-map makes a class of too few persons."""
    kept = [column.gather([0, 1, 3]) for column in RELEASED]
    assert satisfied(verified(ka.models.KMap(2, "r.csv"), released=kept))
    tampered = [kept[0], pl.Series("job", ["x", "y", "y"])]
    assert not satisfied(verified(ka.models.KMap(2, "r.csv"), released=tampered))


def test_without_the_population_nothing_can_be_said():
    """K-map cannot be checked from the release alone."""
    with pytest.raises(ka.SchemaError, match="k-map cannot be checked without the population"):
        verified(ka.models.KMap(2, "r.csv"), population=None)


def test_intervals_are_no_labels():
    """A release by another recoding than levels of a hierarchy cannot be compared."""
    released = [pl.Series("age", ["[0, 1]"] * 4), RELEASED[1]]
    with pytest.raises(ka.SchemaError, match="need recoding 'hierarchy'"):
        verified(ka.models.KMap(2, "r.csv"), released=released)


@pytest.mark.parametrize(
    ("model", "achieved", "holds"),
    [
        (ka.models.AverageRisk(0.75), 0.75, True),
        (ka.models.AverageRisk(0.7), 0.75, False),
        (ka.models.SampleUniqueness(0.5), 0.5, True),
        (ka.models.SampleUniqueness(0.4), 0.5, False),
        (ka.models.PopulationUniqueness(0.5, 4), 0.5, True),
        (ka.models.PopulationUniqueness(0.4, 4), 0.5, False),
    ],
)
def test_a_model_of_the_whole_table_is_one_check(model, achieved, holds):
    """It has one answer for all classes, and names none of them."""
    found = verified(model, population=None)
    assert [(one.achieved, one.satisfied) for one in found.checks] == [(achieved, holds)]
    assert satisfied(found) == holds
    assert (found.n_violating, found.violating) == (0, ())


def test_an_empty_release_satisfies_them_all():
    """Without a record no risk is left, and nobody is present; a minimum is not met."""
    empty = [column.clear() for column in RELEASED]
    models = [
        ka.models.AverageRisk(0.1),
        ka.models.PopulationUniqueness(0, 9),
        ka.models.KMap(9, "r.csv"),
    ]
    assert satisfied(verified(*models, ka.models.DeltaPresence(0, 0, "r.csv"), released=empty))
    assert not satisfied(verified(ka.models.DeltaPresence(0.1, 1, "r.csv"), released=empty))
