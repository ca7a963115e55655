"""Laws of the exchange of records between classes, against a slow twin."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kanonym as ka
import twins.mondrian as naive
from effort import examples
from kanonym.algorithms import record_exchange
from kanonym.algorithms.record_exchange import exchange_nearby
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.parallel import cores
from kanonym.kernels.partitioning.record_exchange import exchange_records
from tables import tables
from twins.mondrian import Row


@st.composite
def divided(draw):
    """Draw a table, a k and classes of k to 2 k - 1 of its records, in the order of their codes."""
    table = draw(tables(2, 12))
    encoded = table.encoded()
    codes = encoded.codes[encoded.tuple_of_row]
    k = draw(st.integers(1, 4))
    assume(len(codes) >= k)
    labels = np.minimum(np.arange(len(codes)) // k, len(codes) // k - 1).astype(np.int32)
    return table, codes, labels, k


def lost(table, codes, labels):
    """Return what classes lose, as an exact fraction."""
    classes = [[] for _ in range(labels.max() + 1)]
    for one, label in zip(codes.tolist(), labels.tolist(), strict=True):
        classes[label].append(Row(tuple(one), (), 1))
    return sum(naive.loss(rows, table.attributes) for rows in classes)


def steps(labels, k):
    """Yield the labels after every step there is: a record moves, or two change places."""
    sizes = np.bincount(labels)
    for i, label in itertools.product(range(len(labels)), range(len(sizes))):
        if label != labels[i] and sizes[labels[i]] > k and sizes[label] < 2 * k - 1:
            moved = labels.copy()
            moved[i] = label
            yield moved
    for i, j in itertools.combinations(range(len(labels)), 2):
        if labels[i] != labels[j]:
            exchanged = labels.copy()
            exchanged[[i, j]] = labels[[j, i]]
            yield exchanged


def everybody(n_classes):
    """Return the pairs of all classes, as the kernel takes them."""
    others = [np.arange(c + 1, n_classes) for c in range(n_classes)]
    return np.cumsum([0, *map(len, others)]), np.concatenate(others)


@settings(max_examples=examples(60), deadline=None)
@given(drawn=divided())
def test_no_step_is_left(drawn):
    """Where all classes meet, no record that moves and no two that change places lower the loss."""
    table, codes, labels, k = drawn
    before = lost(table, codes, labels)
    near = everybody(labels.max() + 1)
    n_steps, left = exchange_records(codes, labels, near, k, 1 << 40, table.costs)
    after = lost(table, codes, labels)
    assert left > 0
    assert after <= before
    assert (after < before) == (n_steps > 0)
    sizes = np.bincount(labels)
    assert k <= sizes.min() <= sizes.max() <= 2 * k - 1
    assert all(lost(table, codes, other) > after - 1e-6 for other in steps(labels, k))


@settings(max_examples=examples(60), deadline=None)
@given(drawn=divided())
def test_classes_keep_their_size_and_lose_no_more(drawn):
    """Classes nearby have k to 2 k - 1 records after their exchanges, and lose no more."""
    table, codes, labels, k = drawn
    found, n_steps = exchange_nearby(codes, labels.copy(), k, table.costs)
    sizes = np.bincount(found)
    assert k <= sizes.min() <= sizes.max() <= 2 * k - 1
    before, after = lost(table, codes, labels), lost(table, codes, found)
    assert after < before if n_steps else after == before


@pytest.fixture
def people():
    """Four columns of 3,000 records."""
    rng = np.random.default_rng(0)
    return {name: rng.integers(0, 20, 3000) for name in "abcd"}


@pytest.mark.parametrize("algorithm", ["segmentation", "k-member", "auto"])
def test_a_release_depends_on_records_alone(algorithm, people, monkeypatch):
    """In blocks, too, the release is the same for any order of records and number of threads."""
    monkeypatch.setattr(record_exchange, "BLOCK", 500)
    frame = pl.DataFrame(people)
    asked = {"quasi_identifiers": frame.columns, "k": 5, "algorithm": algorithm, "seed": 0}
    one = ka.anonymize(frame, **asked).frame
    monkeypatch.setenv("KANONYM_THREADS", "1")
    assert cores() == 1
    other = ka.anonymize(frame.sample(fraction=1, shuffle=True, seed=1), **asked).frame
    assert one.sort(one.columns).equals(other.sort(one.columns))


def test_the_effort_is_bounded(people):
    """With hardly any effort classes stay as they were; with more of it they lose less."""
    codes = np.column_stack([column.astype(np.int32) for column in people.values()])
    labels = (np.arange(len(codes)) // 5).astype(np.int32)
    near = everybody(labels.max() + 1)
    axis = np.tile(np.arange(20) / 20, 4)
    costs = Costs(
        np.array([[0, 20 * a, 20, 0] for a in range(4)]),
        axis,
        np.zeros((0, 80), np.int32),
        np.zeros((0, 80)),
        np.ones(4),
    )
    assert exchange_records(codes, labels, near, 5, 40, costs)[1] == 0
    n_steps, left = exchange_records(codes, labels, near, 5, 100_000, costs)
    assert (n_steps > 0, left) == (True, 0)
