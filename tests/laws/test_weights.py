"""What the weights of quasi-identifiers do to a release, whatever the algorithm."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.data.errors import PolicyError
from kanonym.policy.algorithms import ALGORITHMS

WEIGHTED = [name for name, kind in ALGORITHMS.items() if not kind.unweighted]
BY_LEVELS = ("full-domain", "local-recoding")
MERGING = "kmeans"
"""Its clusters have any size: what is lost does not fall with a weight alone."""
PARAMETERS = {"kmeans": {"clusters": 12}, "mona": {"block": 90}}
COLUMNS = ["a", "b", "c"]
SECRET = {"env": "WEIGHTS_SECRET"}
WEIGHTS = {"b": 0.2, "c": 3}


def people(seed, n=240):
    """Return n persons with three numbers, of which the last takes few values, and an illness."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "a": rng.integers(0, 64, n),
            "b": np.round(rng.gamma(2, 9, n)),
            "c": rng.integers(0, 12, n),
            "illness": rng.choice(["flu", "cold", "none"], n),
        }
    )


def released(frame, name, weights, **asked):
    """Release a table with these weights."""
    trees = {}
    if name in BY_LEVELS:
        trees = {one: ka.hierarchy.intervals(width=[4, 16, 64], origin=0) for one in COLUMNS}
    return ka.anonymize(
        frame,
        quasi_identifiers=COLUMNS,
        sensitive=["illness"],
        hierarchies=trees,
        algorithm={"type": name, **PARAMETERS.get(name, {}), "weights": weights},
        seed=1,
        **{"k": 5, "keep_order": True, **asked},
    )


def loss_of(release, column):
    """Return what a release loses in one column, in the measure that its algorithm makes small."""
    centroids = ALGORITHMS[release.algorithm["type"]].recoding == "mean"
    return (release.utility.rmse if centroids else release.utility.ncp)[column]


@pytest.mark.parametrize("name", WEIGHTED)
@given(seed=st.integers(0, 2**32 - 1), weight=st.sampled_from([0.1, 3, 1e6]))
@settings(max_examples=examples(20), deadline=None)
def test_equal_weights_change_nothing(name, seed, weight):
    """Only ratios of weights matter: a release with equal ones is that without any."""
    frame = people(seed)
    plain = released(frame, name, {})
    assert released(frame, name, dict.fromkeys(COLUMNS, weight)).frame.equals(plain.frame)


@pytest.mark.parametrize("limit", [0.0, 0.05])
@pytest.mark.parametrize("name", ["mondrian", "segmentation", "auto"])
def test_equal_weights_change_nothing_where_models_look_at_values(name, limit, monkeypatch):
    """Nor do they where records are suppressed, and where refusals are hidden by chance."""
    monkeypatch.setenv("WEIGHTS_SECRET", "w" * 40)
    asked = {"l": 2, "suppression_limit": limit, "private_seed": SECRET}
    plain = released(people(5), name, {}, **asked)
    assert released(people(5), name, dict.fromkeys(COLUMNS, 7), **asked).frame.equals(plain.frame)


@pytest.mark.parametrize("name", [name for name in WEIGHTED if name != MERGING])
@given(seed=st.integers(0, 2**32 - 1), column=st.sampled_from(COLUMNS))
@settings(max_examples=examples(30), deadline=None)
def test_a_column_loses_less_the_more_it_weighs(name, seed, column):
    """By the figures of the release: with a large weight no more than with a small one."""
    frame = people(seed)
    small, large = (released(frame, name, {column: weight}) for weight in (0.125, 8))
    assert small.verification.satisfied
    assert large.verification.satisfied
    assert loss_of(large, column) <= loss_of(small, column)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weight_0_is_not_looked_at(name):
    """The column is still recoded, and the release is checked with it."""
    release = released(people(3), name, {"a": 0})
    assert release.verification.satisfied
    assert release.frame.select(COLUMNS).group_by(COLUMNS).len()["len"].min() >= 5


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in WEIGHTED])
def test_weights_are_refused_where_they_mean_nothing(name):
    """The reason says what the algorithm does instead."""
    reason = rf"weights.*has no meaning: {name} {ALGORITHMS[name].unweighted}"
    with pytest.raises(PolicyError, match=reason):
        released(people(0), name, {"a": 2})


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        ({"a": -1}, "a is -1; it must be a number of at least 0"),
        ({"a": float("inf")}, "must be a number of at least 0"),
        (dict.fromkeys(COLUMNS, 0), "all are 0"),
        ({"illness": 2}, "'illness' is sensitive; it must be a quasi-identifier"),
        ({"age": 2}, "'age' is an unknown quasi-identifier"),
    ],
)
def test_wrong_weights_are_refused(name, weights, reason):
    """Numbers of at least 0, of which one is above it, of quasi-identifiers."""
    with pytest.raises(PolicyError, match=reason):
        released(people(0), name, weights)


@pytest.mark.parametrize("name", ["mondrian", "segmentation"])
@pytest.mark.parametrize("most_tuples", [None, 150])
def test_a_database_cuts_by_the_same_weights(name, most_tuples):
    """DuckDB has the release of this process; divided there, Mondrian has the same classes."""
    frame = people(7, 600)

    def of_engine(weights):
        source = ka.engines.scan_duckdb(frame, most_tuples=most_tuples)
        release = released(source, name, weights, keep_order=False)
        return sorted(release.frame.pl().select(COLUMNS).rows())

    found = of_engine(WEIGHTS)
    assert found != of_engine({})
    if most_tuples is None or name == "mondrian":
        assert found == sorted(released(frame, name, WEIGHTS).frame.select(COLUMNS).rows())
