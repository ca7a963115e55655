"""Laws of measuring every privacy model at once."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data.partition import Classes
from kanonym.metrics.disclosure import LARGEST_L, measure_table
from kanonym.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    LDiversity,
    TCloseness,
)
from model_classes import classes

TREE = {"s": {value: (value // 2, "all") for value in range(6)}}
RECORDS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=40)
FIELDS = {
    "rows",
    "classes",
    "k",
    "k_wildcard",
    "uniques",
    "average_class_size",
    "anonymity_set",
    "attributes",
}
ATTRIBUTE_FIELDS = {
    "alpha",
    "l_distinct",
    "l_entropy",
    "l_recursive_c",
    "diversity_percent",
    "t_equal",
    "t_ordered",
    "t_hierarchical",
    "basic_beta",
    "enhanced_beta",
    "delta_disclosure",
    "kl_divergence",
    "total_variation",
}


@given(records=RECORDS)
def test_measures_are_what_the_models_achieve(records):
    """Every number is the value that the model of its name achieves on the same classes."""
    labels, values = zip(*records, strict=True)
    table = classes(labels, TREE, s=values)
    measured = measure_table(table)
    one = measured.attributes["s"]
    assert measured.k == KAnonymity(1).achieved(table)
    assert one.alpha == AlphaKAnonymity(1, 1, "s").achieved(table)
    assert one.l_distinct == LDiversity("s", 1).achieved(table)
    assert one.l_entropy == LDiversity("s", 1, "entropy").achieved(table)
    assert one.t_equal == TCloseness("s", 1).achieved(table)
    assert one.t_ordered == TCloseness("s", 1, "ordered").achieved(table)
    assert one.t_hierarchical == TCloseness("s", 1, "hierarchical").achieved(table)
    assert one.basic_beta == BetaLikeness("s", 1).achieved(table)
    delta = DeltaDisclosure("s", 1).achieved(table)
    assert one.delta_disclosure == pytest.approx(delta * np.log(2))
    for l, c in one.l_recursive_c.items():
        achieved = LDiversity("s", l, "recursive", 1).achieved(table)
        assert achieved == (np.inf if c is None else c)


@given(records=RECORDS)
def test_enhanced_beta_bounds_what_rare_values_gain(records):
    """It is at most basic beta, and equal where enhanced likeness holds for some beta."""
    labels, values = zip(*records, strict=True)
    table = classes(labels, s=values)
    one = measure_table(table).attributes["s"]
    assert one.enhanced_beta <= one.basic_beta
    achieved = BetaLikeness("s", 1, "enhanced").achieved(table)
    assert (one.enhanced_excess <= 1 + 1e-12) == np.isfinite(achieved)
    if np.isfinite(achieved):
        assert one.enhanced_beta == pytest.approx(achieved)


@given(records=RECORDS)
def test_json_has_the_contracts_fields(records):
    """The JSON form has the documented names and only numbers that JSON knows."""
    labels, values = zip(*records, strict=True)
    measured = measure_table(classes(labels, s=values)).to_dict()
    assert measured == json.loads(json.dumps(measured, allow_nan=False))
    assert set(measured) == FIELDS
    assert set(measured["attributes"]["s"]) >= ATTRIBUTE_FIELDS
    assert measured["attributes"]["s"]["t_hierarchical"] is None


@given(records=RECORDS)
def test_sizes_fit_together(records):
    """Rows, classes, k, uniques and the anonymity set tell the same story."""
    labels, values = zip(*records, strict=True)
    measured = measure_table(classes(labels, s=values))
    sizes = [labels.count(label) for label in set(labels)]
    assert measured.rows == len(records)
    assert measured.classes == len(sizes)
    assert measured.k == measured.k_wildcard == measured.anonymity_set.min == min(sizes)
    assert measured.anonymity_set.max == max(sizes)
    assert measured.uniques == sizes.count(1)
    assert measured.average_class_size == pytest.approx(len(records) / len(sizes))


def test_recursive_goes_as_far_as_classes_have_values():
    """C is given for l = 2 up to the fewest values of a class, at least to 3, at most to 20."""
    one = measure_table(classes("aa", s=[1, 2])).attributes["s"]
    assert one.l_recursive_c == {2: 1.0, 3: None}
    many = measure_table(classes("a" * 30, s=range(30))).attributes["s"]
    assert list(many.l_recursive_c) == list(range(2, LARGEST_L + 1))


def test_wildcard_k_is_the_callers():
    """K with nulls as wildcards is passed on where a quasi-identifier has nulls."""
    assert measure_table(classes("aab"), k_wildcard=3).k_wildcard == 3


def test_empty_table_has_zeros():
    """A table without records measures 0 everywhere, and nothing fails."""
    one = classes("a", s=[0]).distributions["s"]
    nothing = np.zeros(0, np.int64)
    empty = dataclasses.replace(
        one,
        offsets=np.zeros(1, np.int64),
        values=nothing.astype(np.int32),
        counts=nothing,
        table=np.zeros(1, np.int64),
    )
    measured = measure_table(Classes(nothing, {"s": empty})).to_dict()
    assert measured["k"] == measured["rows"] == measured["average_class_size"] == 0
    attribute = measured["attributes"]["s"]
    assert attribute.pop("l_recursive_c") == {"2": None, "3": None}
    assert attribute.pop("t_hierarchical") is None
    assert attribute.pop("diversity_percent") == {"min": 0, "mean": 0, "max": 0}
    assert set(attribute.values()) == {0}
