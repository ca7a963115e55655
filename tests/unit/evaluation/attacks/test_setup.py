"""Laws of setting a scene from tables."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from attack_tables import scene
from kanonym.data.errors import SchemaError
from kanonym.evaluation.attacks.matching.lookup import find_candidates

TABLE = {"age": [20, 30, 40], "town": ["Ulm", "Bonn", "Ulm"], "disease": ["flu", "cold", "flu"]}
CONTROL = {"age": [25, 99], "town": ["Ulm", "Kiel"], "disease": ["flu", "gout"]}
RELEASE = {"age": ["[20, 30]", "[20, 30]", "40"], "town": ["{Bonn, Ulm}"] * 2 + ["Ulm"]}


def test_the_control_sees_the_same_release():
    """Persons who are not in the original are put beside the same records and classes."""
    sight = scene(TABLE, RELEASE, ["age", "town"], control=CONTROL)
    assert sight.control.n_original == 2
    assert sight.control.n_released == 3
    assert sight.control.classes.tolist() == sight.pair.classes.tolist()
    assert find_candidates(sight.control, np.arange(2)).numbers.tolist() == [1, 0]


def test_the_control_need_not_have_the_released_values():
    """A released set is read though nobody in the control has its values."""
    alone = {"age": [99], "town": ["Kiel"], "disease": ["gout"]}
    control = scene(TABLE, RELEASE, ["age", "town"], control=alone).control
    assert find_candidates(control, np.arange(1)).numbers.tolist() == [0]


def test_the_control_has_the_columns_of_the_original():
    """A control without a column, or with one of another type, is refused."""
    with pytest.raises(SchemaError, match="the control has no column 'town'"):
        scene(TABLE, RELEASE, ["age", "town"], control={"age": [1]})
    with pytest.raises(SchemaError, match="column 'age' is String in the control and Int64"):
        scene(TABLE, RELEASE, ["age", "town"], control=CONTROL | {"age": ["x", "y"]})


def test_categories_of_the_control_may_be_new():
    """Categories of the original and the control are joined as texts."""
    kind = pl.Categorical
    original = pl.DataFrame(TABLE, schema_overrides={"town": kind})
    control = pl.DataFrame(CONTROL, schema_overrides={"town": kind})
    sight = scene(original, RELEASE, ["age", "town"], control=control)
    assert "Kiel" in sight.control.column("town").categories.to_list()


def test_ordered_categories_of_the_control_are_of_the_same_order():
    """Texts are taken as members of the original's enumeration; strangers are refused."""
    sizes = pl.Enum(["small", "medium", "large"])
    original = pl.DataFrame({"size": ["small", "medium", "large"]}, schema={"size": sizes})
    release = {"size": ["[small, medium]", "[small, medium]", "large"]}
    sight = scene(original, release, ["size"], control={"size": ["medium", "large"]})
    assert find_candidates(sight.control, np.arange(2)).numbers.tolist() == [1, 1]
    with pytest.raises(SchemaError, match="column 'size' is String in the control"):
        scene(original, release, ["size"], control={"size": ["huge"]})


def test_only_sensitive_columns_of_both_tables_are_wanted():
    """What is not released cannot be learned from the release."""
    sight = scene(TABLE, RELEASE, ["age"], ["disease"])
    assert sight.sensitive == ()


def test_a_second_release_may_have_fewer_quasi_identifiers():
    """It has some of them, and the same persons; with none of them it is refused."""
    sight = scene(TABLE, RELEASE, ["age", "town"], second={"age": ["*"] * 2})
    assert sight.second.quasi_identifiers == ("age",)
    assert (sight.second.n_original, sight.second.n_released) == (3, 2)
    with pytest.raises(SchemaError, match="none of the quasi-identifiers age, town"):
        scene(TABLE, RELEASE, ["age", "town"], second={"disease": ["flu"]})


def test_hierarchies_of_sensitive_columns_are_bound_to_the_original():
    """A scene has the hierarchies of what the intruder wants, with every value."""
    tree = ka.hierarchy.from_mapping({"flu": "airway", "cold": "airway"})
    sight = scene(TABLE, TABLE, ["age"], ["disease"], hierarchies={"disease": tree})
    assert set(sight.trees["disease"].values.to_list()) == {"flu", "cold"}
