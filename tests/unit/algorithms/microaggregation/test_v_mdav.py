"""Laws of V-MDAV on tables: its classes are the kernel's, what it releases, what it refuses."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
import naive_v_mdav
from effort import examples
from kanonym.algorithms.base import Problem
from kanonym.algorithms.microaggregation.records import kinds_of, record_space
from kanonym.algorithms.microaggregation.v_mdav import VMDAV
from kanonym.data.errors import DataError, InfeasibleError, PolicyError
from kanonym.data.table import encode
from kanonym.models import KAnonymity, LDiversity


@st.composite
def tables(draw):
    """Draw numbers and towns, and a k that the table has."""
    n = draw(st.integers(1, 30))
    top = draw(st.sampled_from([0, 3, 1000]))
    ages = draw(st.lists(st.integers(0, top), min_size=n, max_size=n))
    towns = draw(st.lists(st.sampled_from(["a", "b", None]), min_size=n, max_size=n))
    frame = pl.DataFrame({"age": ages, "town": pl.Series(towns, dtype=pl.String)})
    return frame.select(draw(st.sampled_from([["age"], ["age", "town"]]))), draw(st.integers(1, n))


def released(frame, k, **parameters):
    """Return the release of a table all of whose columns are quasi-identifiers."""
    return ka.anonymize(
        frame,
        quasi_identifiers=frame.columns,
        k=k,
        algorithm=ka.algorithms.VMDAV(**parameters),
        keep_order=True,
    )


@given(drawn=tables(), gamma=st.sampled_from([0, 0.2, 1.1]), standardize=st.booleans())
@settings(max_examples=examples(100))
def test_classes_are_the_twins(drawn, gamma, standardize):
    """Classes are those of comparing every distance, rows numbered as they sort."""
    frame, k = drawn
    encoded = encode([(column, None) for column in frame], [], len(frame))
    found = VMDAV(gamma, standardize).partition(Problem(encoded, None, [KAnonymity(k)]))
    order = np.argsort(encoded.tuple_of_row, kind="stable")
    rows, weights = record_space(encoded, encoded.tuple_of_row[order], standardize=standardize)
    kinds = kinds_of(encoded).tolist()
    twin = naive_v_mdav.v_mdav(rows.tolist(), weights.tolist(), k, kinds, gamma)
    groups = [np.flatnonzero(found.labels == label).tolist() for label in range(found.n_classes)]
    assert groups == [sorted(order[group].tolist()) for group in twin]


@given(drawn=tables(), gamma=st.sampled_from([0.0, 0.2, 1.1]))
@settings(max_examples=examples(50))
def test_a_release_is_k_anonymous_and_keeps_every_record(drawn, gamma):
    """Every row of centroids is there k times, and nobody is left out."""
    frame, k = drawn
    release = released(frame, k, gamma=gamma)
    assert release.verification.satisfied
    assert min(Counter(release.frame.rows()).values()) >= k
    assert len(release.frame) == len(frame)


def test_classes_follow_clusters():
    """Of clusters of four, three and four records, k = 3 parts none; MDAV does."""
    values = [0.0, 0.1, 0.2, 0.3, 5.0, 5.1, 5.2, 9.7, 9.8, 9.9, 10.0]
    frame = pl.DataFrame({"x": values})
    means = released(frame, 3, gamma=1.1).frame["x"].to_list()
    assert means == pytest.approx([0.15] * 4 + [5.1] * 3 + [9.85] * 4)
    fixed = ka.anonymize(frame, quasi_identifiers=["x"], k=3, algorithm="mdav", keep_order=True)
    assert fixed.frame["x"].n_unique() == 3
    assert fixed.frame["x"].to_list() != pytest.approx(means)


def test_a_policy_names_it():
    """Its YAML form is read, and written back with both parameters."""
    policy = ka.Policy(
        attributes={"x": ka.QuasiIdentifier()},
        models=[KAnonymity(2)],
        algorithm={"type": "v-mdav", "gamma": 0.5},
    )
    assert policy.algorithm == ka.algorithms.VMDAV(gamma=0.5)
    assert policy.to_dict()["algorithm"] == {"type": "v-mdav", "gamma": 0.5, "standardize": True}


@pytest.mark.parametrize("gamma", [-0.1, math.inf, math.nan, "0.2", True, None])
def test_gamma_is_a_number_of_at_least_0(gamma):
    """Anything else is a fault of the policy."""
    with pytest.raises(PolicyError, match=r"v-mdav: gamma is .*; it must be a number of at least"):
        VMDAV(gamma=gamma)


@pytest.mark.parametrize("standardize", ["yes", 1, None])
def test_standardize_is_true_or_false(standardize):
    """Anything else is a fault of the policy."""
    with pytest.raises(PolicyError, match=r"v-mdav: standardize is .*; it must be true or false"):
        VMDAV(standardize=standardize)


def test_refusals_are_those_of_microaggregation():
    """Fewer than k records, missing numbers, and models of sensitive values are errors."""
    frame = pl.DataFrame({"x": [1.0, 2.0, None], "s": ["a", "b", "c"]})
    with pytest.raises(InfeasibleError, match="required 4, the best possible is 3"):
        released(frame.select("s"), 4)
    with pytest.raises(DataError, match=r"column 'x', row 3: no value, and v-mdav"):
        released(frame.select("x"), 2)
    table = encode([(pl.Series("x", [1, 2]), None)], [(pl.Series("s", [1, 2]), None, False)], 2)
    with pytest.raises(PolicyError, match="v-mdav only forms classes of k records"):
        VMDAV().partition(Problem(table, None, [LDiversity("s", 2)]))
