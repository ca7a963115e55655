"""Laws of optimal univariate microaggregation on tables."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
import naive_univariate
from effort import examples
from kanonym.algorithms.base import Problem
from kanonym.algorithms.microaggregation.univariate import Univariate
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.data.table import encode
from kanonym.kernels.classes.penalty import Costs
from kanonym.models import AverageRisk, KAnonymity, TCloseness

NO_COSTS = Costs(
    np.empty((0, 4), np.int64), np.empty(0), np.empty((0, 0), np.int32), np.empty((0, 0))
)


@st.composite
def columns(draw):
    """Draw whole numbers in any order, often equal, and a k that they have."""
    top = draw(st.sampled_from([0, 2, 1000]))
    values = draw(st.lists(st.integers(-top, top), min_size=1, max_size=12))
    return values, draw(st.integers(1, len(values)))


def partition(frame, models):
    """Return the class of each record."""
    table = encode([(column, None) for column in frame], [], len(frame))
    found = Univariate().partition(Problem(table, NO_COSTS, models))
    assert set(found.labels.tolist()) == set(range(found.n_classes))
    return found.labels.tolist()


def released(values, k, **options):
    """Return the released column, in the order of the input."""
    frame = pl.DataFrame({"x": values})
    release = ka.anonymize(
        frame, quasi_identifiers=["x"], k=k, algorithm="univariate", keep_order=True, **options
    )
    assert release.verification.satisfied
    return release.frame["x"].to_list()


@given(columns())
@settings(max_examples=examples(100))
def test_no_classes_of_k_lose_less(drawn):
    """The squared error of the release is the least of all cuts of the sorted column."""
    values, k = drawn
    least, _ = naive_univariate.best_cuts(sorted(values), k)
    means = released(values, k)
    assert sum((a - b) ** 2 for a, b in zip(values, means, strict=True)) == pytest.approx(
        float(least), rel=1e-9, abs=1e-9
    )


@given(columns())
@settings(max_examples=examples(100))
def test_classes_have_k_to_twice_k_less_one_records(drawn):
    """Every class is an interval of the sorted column of that many records."""
    values, k = drawn
    labels = partition(pl.DataFrame({"x": values}), [KAnonymity(k)])
    assert all(k <= size <= 2 * k - 1 for size in Counter(labels).values())
    by_value = [label for _, label in sorted(zip(values, labels, strict=True))]
    assert by_value == sorted(by_value)


@given(columns(), st.randoms(use_true_random=False))
@settings(max_examples=examples(50))
def test_the_order_of_records_does_not_matter(drawn, randoms):
    """The same values in another order release the same values."""
    values, k = drawn
    mixed = values.copy()
    randoms.shuffle(mixed)
    assert sorted(released(mixed, k)) == sorted(released(values, k))


def test_a_hierarchy_in_another_order_changes_nothing():
    """Records are sorted by their numbers, in whatever order a hierarchy has them."""
    tree = ka.hierarchy.from_mapping({"*": {"odd": [1, 3, 101], "even": [2, 100, 102]}})
    table = encode([(pl.Series("x", [1, 100, 2, 101, 3, 102]), tree)], [], 6)
    found = Univariate().partition(Problem(table, NO_COSTS, [KAnonymity(3)]))
    assert found.labels.tolist() == [0, 1, 0, 1, 0, 1]


def test_a_model_of_the_whole_table_is_met():
    """Classes are as large as is sufficient for it."""
    labels = partition(pl.DataFrame({"x": range(20)}), [AverageRisk(0.2)])
    assert min(Counter(labels).values()) >= 5


def test_several_quasi_identifiers_are_refused():
    """The message names them, and the algorithms that take several."""
    frame = pl.DataFrame({"a": [1, 2], "b": [3, 4]})
    with pytest.raises(
        SchemaError, match=r"one quasi-identifier, not 2 \(a, b\): choose mdav.*individual-ranking"
    ):
        partition(frame, [KAnonymity(2)])


def test_what_is_no_number_is_refused():
    """Text and rows without a value are errors that name the column, and the row."""
    with pytest.raises(
        SchemaError, match="attribute 'x' is nominal, but univariate takes only numbers"
    ):
        partition(pl.DataFrame({"x": ["a", "b"]}), [KAnonymity(2)])
    with pytest.raises(DataError, match="column 'x', row 2: no value"):
        partition(pl.DataFrame({"x": [1.5, None]}), [KAnonymity(2)])


def test_models_of_sensitive_values_are_refused():
    """Sizes are all that there is to ask."""
    table = encode([(pl.Series("a", [1, 2]), None)], [(pl.Series("s", [1, 2]), None, False)], 2)
    with pytest.raises(PolicyError, match=r"t-closeness of 's' .*choose k-anonymity"):
        Univariate().partition(Problem(table, NO_COSTS, [TCloseness("s", 0.2)]))


def test_fewer_than_k_records_are_refused():
    """Of k records there is one class, of fewer none."""
    frame = pl.DataFrame({"x": [3, 1, 2]})
    assert partition(frame, [KAnonymity(3)]) == partition(frame, [KAnonymity(2)]) == [0, 0, 0]
    with pytest.raises(InfeasibleError, match="required 4, the best possible is 3"):
        partition(frame, [KAnonymity(4)])


def test_tables_without_records_or_quasi_identifiers():
    """No records are no classes, and records without quasi-identifiers one."""
    assert partition(pl.DataFrame({"x": []}, schema={"x": pl.Int64}), [KAnonymity(3)]) == []
    whole = Univariate().partition(Problem(encode([], [], 4), NO_COSTS, [KAnonymity(3)]))
    assert (whole.labels.tolist(), whole.n_classes) == ([0], 1)


def test_a_policy_without_a_model_is_refused():
    """How large classes are is up to the models."""
    with pytest.raises(PolicyError, match="nothing is required"):
        ka.Policy.from_columns(quasi_identifiers=["x"], algorithm="univariate")
