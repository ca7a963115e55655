"""Laws of ONA and MONA on tables: their classes are the kernels', what they release and refuse."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import kanonym as ka
from effort import examples
from kanonym.algorithms.base import Problem
from kanonym.algorithms.microaggregation import mdav as mona_module
from kanonym.algorithms.microaggregation.mdav import MONA, ONA
from kanonym.algorithms.microaggregation.records import record_space
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.data.table import encode
from kanonym.kernels import parallel
from kanonym.kernels.microaggregation.mdav import blocks, mdav
from kanonym.kernels.microaggregation.ona import ona
from kanonym.models import KAnonymity, LDiversity

BOTH = st.sampled_from([ONA, MONA])
SEARCHES = st.sampled_from([ONA(), ONA(standardize=False), MONA(), MONA(4), MONA(10)])


@st.composite
def tables(draw):
    """Draw whole numbers in columns, often equal or constant, and a k that the table has."""
    n = draw(st.integers(1, 40))
    top = draw(st.sampled_from([0, 1, 3, 1000]))
    cells = st.lists(st.integers(-top, top), min_size=n, max_size=n)
    columns = draw(st.lists(cells, min_size=1, max_size=3))
    k = draw(st.one_of(st.integers(1, min(n, 5)), st.integers(1, n), st.just(n)))
    return pl.DataFrame({f"c{a}": column for a, column in enumerate(columns)}), k


def partition(frame, k, algorithm):
    """Return the class of each record."""
    table = encode([(column, None) for column in frame], [], len(frame))
    found = algorithm.partition(Problem(table, None, [KAnonymity(k)]))
    labels = found.labels if found.by_row else found.labels[table.tuple_of_row]
    assert set(labels.tolist()) == set(range(found.n_classes))
    return labels


def loss(frame, labels, *, standardize=True):
    """Return the squared error of releasing means."""
    total = 0.0
    for column in frame:
        values = column.to_numpy().astype(float)
        errors = values - (np.bincount(labels, values) / np.bincount(labels))[labels]
        scale = values.var() if standardize and values.var() else 1.0
        total += (errors**2).sum() / scale
    return total


@given(drawn=tables(), algorithm=SEARCHES)
@settings(max_examples=examples(200))
def test_classes_have_k_to_2k_minus_1_records(drawn, algorithm):
    """Every record is in one class, and no class is as large as two."""
    frame, k = drawn
    sizes = np.bincount(partition(frame, k, algorithm))
    assert sizes.sum() == len(frame)
    assert k <= sizes.min() <= sizes.max() <= max(2 * k - 1, 1)


@given(drawn=tables(), standardize=st.booleans())
@settings(max_examples=examples(100))
def test_ona_loses_no_more_than_mdav(drawn, standardize):
    """The search begins with the classes of MDAV, and its loss never rises."""
    frame, k = drawn
    before, after = (
        loss(
            frame, partition(frame, k, algorithm(standardize=standardize)), standardize=standardize
        )
        for algorithm in (ka.MDAV, ONA)
    )
    assert after <= before * (1 + 1e-9)


@given(drawn=tables(), algorithm=SEARCHES, randoms=st.randoms(use_true_random=False))
@settings(max_examples=examples(100))
def test_released_values_do_not_depend_on_the_order_of_records(drawn, algorithm, randoms):
    """The same records in another order give the same rows, ties and duplicates included."""
    frame, k = drawn
    order = list(range(len(frame)))
    randoms.shuffle(order)
    one, other = (
        ka.anonymize(table, quasi_identifiers=frame.columns, k=k, algorithm=algorithm).frame
        for table in (frame, frame[order])
    )
    assert one.rows() == other.rows()


@given(drawn=tables(), algorithm=SEARCHES)
@settings(max_examples=examples(50))
def test_a_release_is_k_anonymous_and_keeps_the_totals(drawn, algorithm):
    """Every row of means is there k times, nobody is left out, and no column's mean moves."""
    frame, k = drawn
    release = ka.anonymize(frame, quasi_identifiers=frame.columns, k=k, algorithm=algorithm)
    assert release.verification.satisfied
    assert min(Counter(release.frame.rows()).values()) >= k
    assert len(release.frame) == len(frame)
    for name in frame.columns:
        assert release.frame[name].mean() == pytest.approx(frame[name].mean(), abs=1e-9)


@pytest.mark.parametrize("k", [2, 5])
def test_mona_is_a_search_in_each_block(k):
    """A class lies in one block, and is what the search with little effort finds there."""
    frame = pl.DataFrame(np.random.default_rng(k).standard_normal((300, 3)))
    table = encode([(column, None) for column in frame], [], len(frame))
    order = np.argsort(table.tuple_of_row, kind="stable")
    labels = partition(frame, k, MONA(50))[order]
    rows, weights = record_space(table, table.tuple_of_row[order], standardize=True)
    records, bounds = blocks(rows, weights, 50)
    assert len(bounds) == 9
    seen = 0
    for start, stop in pairwise(bounds):
        inside = np.sort(records[start:stop])
        first, _ = mdav(rows[inside], weights, k, np.zeros(3, np.int8))
        expected, count = ona(rows[inside], weights, first, k, 12, 1, 2.0)
        assert labels[inside].tolist() == (expected + seen).tolist()
        seen += count


def test_mona_does_not_depend_on_the_number_of_threads(monkeypatch):
    """Blocks one by one and four at a time give the same classes."""
    frame = pl.DataFrame(np.random.default_rng(0).standard_normal((500, 2)))
    found = []
    for count in (1, 4):
        monkeypatch.setattr(parallel, "cores", lambda count=count: count)
        found.append(partition(frame, 3, MONA(40)).tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize(("n", "block", "largest"), [(9, 2, 8), (8, 2, 8), (100, 3, 8), (9, 9, 9)])
def test_blocks_are_large_enough_for_two_classes(monkeypatch, n, block, largest):
    """A block that is asked to be smaller than 2 k has up to 2 k records, so none has too few."""
    asked = []

    def watched(rows, weights, size):
        asked.append(size)
        return blocks(rows, weights, size)

    monkeypatch.setattr(mona_module, "blocks", watched)
    assert min(np.bincount(partition(pl.DataFrame({"x": range(n)}), 4, MONA(block)))) >= 4
    assert asked == [largest]


def test_larger_blocks_lose_less():
    """Where blocks meet classes cannot follow the records, so fewer seams are better."""
    frame = pl.DataFrame(np.random.default_rng(1).standard_normal((4000, 3)))
    small, large, whole = (
        loss(frame, partition(frame, 5, algorithm)) for algorithm in (MONA(100), MONA(1000), ONA())
    )
    assert whole < large < small


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("ona", ONA()),
        ({"type": "ona", "standardize": False}, ONA(standardize=False)),
        ("mona", MONA()),
        ({"type": "mona", "block": 500}, MONA(500)),
    ],
)
def test_a_policy_names_them(form, expected):
    """Their forms are read, and written back with their parameters."""
    policy = ka.Policy(
        attributes={"x": ka.QuasiIdentifier()}, models=[KAnonymity(2)], algorithm=form
    )
    assert policy.algorithm == expected
    assert ka.Policy.from_text(json.dumps(policy.to_dict())) == policy
    assert ka.Policy.from_text(yaml.safe_dump(policy.to_dict())) == policy


@pytest.mark.parametrize("standardize", ["yes", 1, None])
@pytest.mark.parametrize("algorithm", [ONA, MONA])
def test_standardize_is_true_or_false(algorithm, standardize):
    """Anything else is a fault of the policy."""
    with pytest.raises(PolicyError, match=r"ona: standardize is .*; it must be true or false"):
        algorithm(standardize=standardize)


@pytest.mark.parametrize("block", [1, 0, -5, 2.5, "many", True, None])
def test_a_block_is_an_integer_of_at_least_2(block):
    """Anything else is a fault of the policy."""
    with pytest.raises(PolicyError, match=r"mona: block is .*; it must be an integer of at least"):
        MONA(block=block)


@pytest.mark.parametrize("algorithm", [ONA(), MONA()])
def test_refusals_are_those_of_microaggregation(algorithm):
    """Fewer than k records, missing values, text, and models of sensitive values are errors."""
    name = algorithm.type
    frame = pl.DataFrame({"x": [1.0, 2.0, None], "y": [1, 2, 3], "s": ["a", "b", "c"]})

    def released(columns, k):
        return ka.anonymize(
            frame.select(columns), quasi_identifiers=columns, k=k, algorithm=algorithm
        )

    with pytest.raises(InfeasibleError, match="required 4, the best possible is 3"):
        released(["y"], 4)
    with pytest.raises(DataError, match=rf"column 'x', row 3: no value, and {name}"):
        released(["y", "x"], 2)
    with pytest.raises(
        SchemaError, match=rf"attribute 's' is nominal, but {name} takes only numbers"
    ):
        released(["y", "s"], 2)
    table = encode([(pl.Series("x", [1, 2]), None)], [(pl.Series("s", [1, 2]), None, False)], 2)
    with pytest.raises(PolicyError, match=rf"^{name} only forms classes of k records"):
        algorithm.partition(Problem(table, None, [LDiversity("s", 2)]))
    assert partition(frame.select("y"), 3, algorithm).tolist() == [0, 0, 0]
    assert partition(frame.select("y"), 2, algorithm).tolist() == [0, 0, 0]


@given(algorithm=BOTH)
def test_tables_without_records_or_quasi_identifiers(algorithm):
    """No records are no classes, and records without quasi-identifiers one."""
    assert partition(pl.DataFrame({"x": [1.0]}).clear(), 3, algorithm()).tolist() == []
    whole = algorithm().partition(Problem(encode([], [], 4), None, [KAnonymity(3)]))
    assert (whole.labels.tolist(), whole.n_classes) == ([0], 1)
