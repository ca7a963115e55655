"""Laws of t-closeness-first microaggregation on tables: bounds, ties, joining, refusals."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
import naive
from effort import examples
from kanonym.algorithms.base import Problem
from kanonym.algorithms.microaggregation.t_closeness_first import (
    TClosenessFirst,
    _join,
    class_size_for,
)
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.data.table import encode
from kanonym.kernels.classes.penalty import Costs
from kanonym.models import AverageRisk, KAnonymity, KMap, LDiversity, TCloseness

NO_COSTS = Costs(
    np.empty((0, 4), np.int64), np.empty(0), np.empty((0, 0), np.int32), np.empty((0, 0))
)
SMALL = pl.DataFrame({"a": [1, 2, 8, 9], "s": [10, 20, 30, 40]})


def ordered(t):
    """Return the model that the algorithm is for."""
    return TCloseness("s", t, "ordered")


def partition(frame, models, algorithm=None, *, exclude=False):
    """Return the partition of a table whose column `s` is sensitive."""
    known = [(column, None) for column in frame if column.name != "s"]
    table = encode(known, [(frame["s"], None, exclude)], len(frame))
    found = (algorithm or TClosenessFirst()).partition(Problem(table, NO_COSTS, models))
    assert set(found.labels.tolist()) == set(range(found.n_classes))
    return found


def distances(frame, labels):
    """Return the distance of every class from the table."""
    values = frame["s"].to_list()
    members = {label: [] for label in labels}
    for label, value in zip(labels, values, strict=True):
        members[label].append(value)
    return [naive.t_ordered(one, values) for one in members.values()]


@st.composite
def tables(draw, *, distinct=False):
    """Draw numbers and a sensitive value, k and t."""
    n = draw(st.integers(1, 30))
    numbers = st.lists(st.integers(-4, 4), min_size=n, max_size=n)
    values = draw(st.permutations(range(n)) if distinct else numbers)
    frame = pl.DataFrame({"a": draw(numbers), "b": draw(numbers), "s": values})
    t = draw(st.sampled_from([0.0, 0.03, 0.1, 0.2, 0.35, 1.0]))
    return frame, draw(st.integers(1, min(n, 6))), t


@given(drawn=tables())
@settings(max_examples=examples(200))
def test_every_class_is_t_close_and_has_k_records(drawn):
    """Whatever repeats, every class is as large and as close to the table as asked."""
    frame, k, t = drawn
    found = partition(frame, [KAnonymity(k), ordered(t)])
    assert min(Counter(found.labels.tolist()).values()) >= k
    assert max(distances(frame, found.labels.tolist())) <= t + 1e-9


@given(drawn=tables(distinct=True))
@settings(max_examples=examples(200))
def test_different_values_need_no_joining(drawn):
    """Where sensitive values differ and nothing is left over, classes are t-close as made."""
    frame, k, t = drawn
    found = partition(frame, [KAnonymity(k), ordered(t)])
    size, joined = found.account["class_size"], found.account["joined"]
    if len(frame) % size == 0:
        assert joined == 0
        assert set(Counter(found.labels.tolist()).values()) == {size}
    assert found.n_classes == len(frame) // size - joined


@given(n=st.integers(1, 500), k=st.integers(1, 500), t=st.floats(0, 1))
def test_the_class_size_keeps_the_bound(n, k, t):
    """The size is at least k, its bound at most t, and each record left over has a class."""
    k = min(k, n)
    size = class_size_for(t, k, n)
    assert k <= size <= n
    assert n % size < n // size
    assert n == 1 or (n - size) / (2 * (n - 1) * size) <= t + 1e-6
    if size > k and (n - k) % k == 0:
        assert (n - size + 1) / (2 * (n - 1) * (size - 1)) > t - 1e-6


@pytest.mark.parametrize(
    ("n", "k", "t", "size"),
    [
        *((1080, 2, t, size) for t, size in ((0.01, 49), (0.05, 10), (0.09, 6), (0.13, 4))),
        *((1080, 2, t, size) for t, size in ((0.17, 3), (0.21, 3), (0.25, 2))),
        (1080, 30, 0.25, 30),
        (1000, 3, 0.1, 5),
        (10, 4, 1.0, 5),
        (7, 2, 0.0, 7),
    ],
)
def test_class_sizes_by_hand(n, k, t, size):
    """What t asks for is rounded up: 1080 / 22.58 is 48, and 24 left over by 22 classes make 49."""
    assert class_size_for(t, k, n) == size


def test_the_worst_choice_of_records_is_as_far_as_the_bound():
    """The lowest record of every subset makes a class of distance (n - k) / (2 (n - 1) k)."""
    values = list(range(20))
    assert naive.t_ordered(values[::5], values) == pytest.approx((20 - 4) / (2 * 19 * 4))


def test_a_class_spreads_over_the_sensitive_values():
    """MDAV pairs neighbours, and t-closeness-first a low value with a high one."""
    found = partition(SMALL, [KAnonymity(2), ordered(0.2)])
    assert found.labels.tolist() in ([0, 1, 0, 1], [1, 0, 1, 0])
    assert distances(SMALL, found.labels.tolist()) == pytest.approx([1 / 6, 1 / 6])


def test_classes_that_ties_keep_apart_are_joined():
    """With 3 of 20 values high, a pair that has one is 0.35 off, and joins the nearest pair."""
    values = [1 if i in {2, 10, 17} else 0 for i in range(20)]
    frame = pl.DataFrame({"a": [10.0 * i for i in range(20)], "s": values})
    found = partition(frame, [KAnonymity(2), ordered(0.35)])
    assert (found.account["class_size"], found.account["joined"]) == (2, 0)
    apart = partition(frame, [KAnonymity(2), ordered(0.25)])
    assert (apart.account["class_size"], apart.account["joined"]) == (2, 3)
    joined = dict(zip(found.labels.tolist(), apart.labels.tolist(), strict=True))
    assert [joined[label] for label in found.labels.tolist()] == apart.labels.tolist()
    assert max(distances(frame, apart.labels.tolist())) <= 0.25


def test_a_class_follows_the_one_that_it_joins():
    """Of classes at 5, 4, 6.5 and 20 the first joins the second, and the third goes with both."""
    rows, labels = np.array([[5.0], [4.0], [6.5], [20.0]]), np.arange(4, dtype=np.int32)
    failing = np.array([True, True, True, False])
    joined, n_classes = _join(rows, np.ones(1), labels, failing)
    assert joined.tolist() == [0, 0, 0, 1]
    assert n_classes == 2


@given(drawn=tables(), randoms=st.randoms(use_true_random=False))
@settings(max_examples=examples(40))
def test_released_values_do_not_depend_on_the_order_of_records(drawn, randoms):
    """The same records in another order give the same rows, verified from the release."""
    frame, k, t = drawn
    policy = ka.Policy(
        attributes={"a": ka.QuasiIdentifier(), "b": ka.QuasiIdentifier(), "s": ka.Sensitive()},
        models=[KAnonymity(k), ordered(t)],
        algorithm="t-closeness-first",
    )
    order = list(range(len(frame)))
    randoms.shuffle(order)
    one, other = (ka.anonymize(table, policy) for table in (frame, frame[order]))
    assert one.verification.satisfied
    assert len(one.frame) == len(frame)
    assert one.frame.rows() == other.frame.rows()
    for name in ("a", "b"):
        assert one.frame[name].mean() == pytest.approx(frame[name].mean(), abs=1e-9)


def test_nulls_of_the_sensitive_attribute_count_as_the_highest_value():
    """A null takes part in the order, behind all values."""
    frame = pl.DataFrame({"a": [1, 2, 8, 9], "s": [10, None, 20, None]})
    found = partition(frame, [KAnonymity(2), ordered(0.0)])
    assert found.n_classes == 1
    found = partition(frame, [KAnonymity(2), ordered(0.3)])
    assert sorted(Counter(found.labels.tolist()).values()) == [2, 2]


def test_standardizing_lets_small_columns_count():
    """A column of thousands decides alone, unless differences count in standard deviations."""
    frame = pl.DataFrame({"a": [0, 1, 0, 1], "b": [1000, 1900, 1950, 1050], "s": [1, 2, 3, 4]})
    asked = [KAnonymity(2), ordered(0.5)]
    raw = partition(frame, asked, TClosenessFirst(standardize=False)).labels
    assert raw[0] == raw[3]
    assert raw[1] == raw[2]


@pytest.mark.parametrize(
    "models",
    [
        [ordered(0.2), LDiversity("s", 2)],
        [TCloseness("s", 0.2)],
        [ordered(0.2), TCloseness("s", 0.2, "equal")],
        [ordered(0.2), TCloseness("u", 0.3, "ordered")],
    ],
)
def test_other_models_of_sensitive_values_are_refused(models):
    """What is not the one ordered t-closeness is an error that says what can be asked."""
    with pytest.raises(PolicyError, match=r"takes one t-closeness .*needs another algorithm"):
        partition(SMALL, models)


def test_a_policy_without_t_closeness_is_refused():
    """Without it, mdav does better."""
    with pytest.raises(PolicyError, match="none is required; choose mdav"):
        partition(SMALL, [KAnonymity(2)])


def test_models_of_class_sizes_stand_beside_it():
    """Average risk asks for a class size, and a population table for another algorithm."""
    found = partition(SMALL, [AverageRisk(0.3), ordered(1.0)])
    assert found.n_classes == 1
    with pytest.raises(PolicyError, match="k-map needs an algorithm"):
        partition(SMALL, [KMap(2, "people.csv"), ordered(1.0)])


def test_text_and_missing_values_are_refused():
    """So are quasi-identifiers that are no numbers, and cells without a value, with a way out."""
    asked = [KAnonymity(2), ordered(0.5)]
    with pytest.raises(SchemaError, match="attribute 'a' is nominal"):
        partition(SMALL.with_columns(a=pl.Series(["x", "y", "x", "y"])), asked)
    with pytest.raises(DataError, match="column 'a', row 2: no value"):
        partition(SMALL.with_columns(a=pl.Series([1, None, 2, 3])), asked)
    missing = SMALL.with_columns(s=pl.Series([1, 2, None, 4]))
    with pytest.raises(DataError, match=r"column 's', row 3: no value.*nulls: value"):
        partition(missing, asked, exclude=True)


def test_fewer_than_k_records_are_refused():
    """A table of fewer than k records cannot be released; one of k is one class."""
    with pytest.raises(InfeasibleError, match="required 5, the best possible is 4"):
        partition(SMALL, [KAnonymity(5), ordered(0.5)])
    assert partition(SMALL, [KAnonymity(4), ordered(0.0)]).labels.tolist() == [0] * 4


def test_tables_without_records_or_quasi_identifiers():
    """No records are no classes, and records without quasi-identifiers one."""
    asked = [KAnonymity(3), ordered(0.5)]
    assert partition(SMALL.clear(), asked).n_classes == 0
    whole = partition(SMALL.select("s"), asked)
    assert (whole.n_classes, whole.by_row) == (1, False)


@pytest.mark.parametrize("standardize", ["yes", 1, None])
def test_standardize_is_true_or_false(standardize):
    """Anything else is a fault of the policy."""
    with pytest.raises(PolicyError, match=r"standardize is .*; it must be true or false"):
        TClosenessFirst(standardize=standardize)
