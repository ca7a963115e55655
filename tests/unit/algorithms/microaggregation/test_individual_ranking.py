"""Laws of individual ranking: each column alone, combinations only where they are asked for."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.algorithms.base import Problem
from kanonym.algorithms.microaggregation.mdav import IndividualRanking
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.data.table import encode
from kanonym.kernels.microaggregation.univariate import optimal_cut
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import KAnonymity, LDiversity

NO_COSTS = certainty_costs([], [])


@st.composite
def tables(draw):
    """Draw whole numbers in columns, often equal or constant, and a k of the groups."""
    n = draw(st.integers(2, 25))
    top = draw(st.sampled_from([0, 2, 1000]))
    cells = st.lists(st.integers(-top, top), min_size=n, max_size=n)
    columns = draw(st.lists(cells, min_size=1, max_size=3))
    frame = pl.DataFrame({f"c{a}": column for a, column in enumerate(columns)})
    return frame, draw(st.integers(2, min(n, 6)))


def partition(frame, k, models=()):
    """Return the decision on a table of quasi-identifiers."""
    table = encode([(column, None) for column in frame], [], len(frame))
    found = IndividualRanking(k).partition(Problem(table, NO_COSTS, models))
    assert set(found.labels.tolist()) == set(range(found.n_classes))
    return found


@given(tables())
@settings(max_examples=examples(100))
def test_each_column_is_cut_alone(drawn):
    """In every column the sorted values are in the groups of the best cut of that column."""
    frame, k = drawn
    found = partition(frame, k)
    for a, column in enumerate(frame):
        own = found.groups[found.labels, a]
        order = np.lexsort((own, column.to_numpy()))
        assert own[order].tolist() == optimal_cut(np.sort(column.to_numpy()) * 1.0, k).tolist()


@given(tables())
@settings(max_examples=examples(60))
def test_a_released_value_is_the_mean_of_k_records_or_more(drawn):
    """Without a model, columns have groups of k, and no column's total moves."""
    frame, k = drawn
    release = ka.anonymize(
        frame, quasi_identifiers=frame.columns, algorithm=IndividualRanking(k), keep_order=True
    )
    assert release.verification.satisfied is None
    for name in frame.columns:
        assert min(Counter(release.frame[name]).values()) >= k
        assert release.frame[name].sum() == pytest.approx(frame[name].sum(), abs=1e-6)


def test_combinations_are_not_protected():
    """Every value is there three times, and every record is alone all the same."""
    frame = pl.DataFrame({"a": [1, 2, 3, 4, 5, 6, 7, 8, 9], "b": [1, 4, 7, 2, 5, 8, 3, 6, 9]})
    release = ka.anonymize(
        frame, quasi_identifiers=["a", "b"], algorithm="individual-ranking", keep_order=True
    )
    assert release.frame["a"].to_list() == [2.0] * 3 + [5.0] * 3 + [8.0] * 3
    assert release.frame["b"].to_list() == [2.0, 5.0, 8.0] * 3
    assert release.verification.k == 1
    assert release.risk.uniques == 9


@given(drawn=tables(), data=st.data())
@settings(max_examples=examples(60))
def test_a_release_has_the_k_that_the_policy_asks_for(drawn, data):
    """Rare combinations are merged: verified from the released rows, nobody left out."""
    frame, k = drawn
    asked = data.draw(st.integers(1, len(frame)))
    release = ka.anonymize(
        frame, quasi_identifiers=frame.columns, k=asked, algorithm=IndividualRanking(k)
    )
    assert release.verification.satisfied
    assert min(Counter(release.frame.rows()).values()) >= asked
    assert len(release.frame) == len(frame)


@given(drawn=tables(), randoms=st.randoms(use_true_random=False), enforce=st.booleans())
@settings(max_examples=examples(60))
def test_released_values_do_not_depend_on_the_order_of_records(drawn, randoms, enforce):
    """The same records in another order give the same rows, ties and duplicates included."""
    frame, k = drawn
    order = list(range(len(frame)))
    randoms.shuffle(order)
    models = {"k": k} if enforce else {}
    one, other = (
        ka.anonymize(
            table, quasi_identifiers=frame.columns, algorithm=IndividualRanking(k), **models
        ).frame
        for table in (frame, frame[order])
    )
    assert one.rows() == other.rows()


def test_the_yaml_form_names_k():
    """The k of the groups is the algorithm's, and apart from that of a model."""
    policy = ka.Policy(
        attributes={"a": ka.QuasiIdentifier()},
        models=[],
        algorithm={"type": "individual-ranking", "k": 4},
    )
    assert policy.algorithm == IndividualRanking(4)
    assert policy.to_dict()["algorithm"] == {"type": "individual-ranking", "k": 4}
    assert policy.to_dict()["models"] == []


@pytest.mark.parametrize("k", [1, 0, 2.5, True])
def test_a_k_that_changes_nothing_is_refused(k):
    """Groups of one record are the table as it is."""
    with pytest.raises(PolicyError, match=r"k is .*; it must be an integer of at least 2"):
        IndividualRanking(k)


def test_fewer_than_k_records_are_refused():
    """Of k records there is one group, of fewer none; the policy's k is another matter."""
    frame = pl.DataFrame({"a": [1, 2, 3]})
    assert partition(frame, 3).labels.tolist() == partition(frame, 2).labels.tolist() == [0, 0, 0]
    with pytest.raises(InfeasibleError, match="k is 4, but the table has 3 records"):
        partition(frame, 4)
    with pytest.raises(InfeasibleError, match="required 4, the best possible is 3"):
        partition(frame, 2, [KAnonymity(4)])


def test_what_is_no_number_is_refused():
    """Text and rows without a value are errors that name the column, and the row."""
    with pytest.raises(
        SchemaError, match="'x' is nominal, but individual-ranking takes only numbers"
    ):
        partition(pl.DataFrame({"x": ["a", "b"]}), 2)
    with pytest.raises(DataError, match="column 'x', row 2: no value"):
        partition(pl.DataFrame({"x": [1.5, None]}), 2)


def test_models_of_sensitive_values_are_refused():
    """Sizes are all that there is to ask."""
    table = encode([(pl.Series("a", [1, 2]), None)], [(pl.Series("s", [1, 2]), None, False)], 2)
    with pytest.raises(PolicyError, match=r"l-diversity of 's' .*choose k-anonymity"):
        IndividualRanking(2).partition(Problem(table, NO_COSTS, [LDiversity("s", 2)]))


def test_tables_without_records_or_quasi_identifiers():
    """No records are no classes, and records without quasi-identifiers one."""
    assert partition(pl.DataFrame({"x": []}, schema={"x": pl.Int64}), 3).n_classes == 0
    whole = IndividualRanking().partition(Problem(encode([], [], 4), NO_COSTS, []))
    assert (whole.labels.tolist(), whole.n_classes) == ([0], 1)
