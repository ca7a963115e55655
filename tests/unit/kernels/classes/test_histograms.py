"""Tests: histograms of classes, and their penalties."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twins.mondrian as naive
from kanonym.algorithms.mondrian import _records
from kanonym.kernels.classes.histograms import (
    RANGE,
    SLOTS,
    Costs,
    class_bounds,
    class_histograms,
    distinct_histograms,
    key_histograms,
    span_losses,
)
from kanonym.kernels.partitioning.mondrian import node_loss
from kanonym.kernels.partitioning.workspace import measure_node, workspace
from tables import tables
from twins import classes as naive_histograms


@given(table=tables(), data=st.data())
def test_spans_lose_what_the_twins_say(table, data):
    """A span of codes of each kind of attribute loses what its definition says, in [0, 1]."""
    for a, attribute in enumerate(table.attributes):
        pairs = st.tuples(*[st.integers(0, table.domains[a].size - 1)] * 2)
        spans = [sorted(pair) for pair in data.draw(st.lists(pairs, min_size=1, max_size=9))]
        low, high = np.array(spans, np.int32).T.copy()
        found = span_losses(a, low, high, table.costs)
        expected = [float(attribute.loss({*range(one, end + 1)})) for one, end in spans]
        assert found == pytest.approx(expected, abs=1e-12)
        assert ((found >= 0) & (found <= 1)).all()


@given(table=tables())
def test_a_node_loses_what_its_twin_says(table):
    """What a class loses in all attributes is the sum of what its values lose in each."""
    costs = table.costs
    records = _records(table.encoded(), by_row=False)
    n = len(records)
    box = np.empty((2, len(table.domains)), np.int64)
    total = measure_node(records, 0, n, box)
    found = node_loss(records, 0, n, box, costs, workspace(n, costs))
    assert total * found == pytest.approx(float(naive.loss(table.rows, table.attributes)))


@given(table=tables(), data=st.data())
def test_a_wider_class_never_loses_less(table, data):
    """Loss is monotonic: a span inside another loses at most as much."""
    for a, domain in enumerate(table.domains):
        codes = st.lists(st.integers(0, domain.size - 1), min_size=4, max_size=4).map(sorted)
        outer_low, low, high, outer_high = (np.array([c], np.int32) for c in data.draw(codes))
        inner = span_losses(a, low, high, table.costs)
        assert inner <= span_losses(a, outer_low, outer_high, table.costs)


def test_null_costs_everything_unless_it_is_alone():
    """In a numeric attribute a class of nulls loses nothing, null among values loses all."""
    costs = Costs(
        np.array([[RANGE, 0, 3, 0]]),
        np.array([0.0, 0.25, 1.0, 1.0]),
        np.zeros((0, 4), np.int32),
        np.zeros((0, 4)),
        np.ones(1),
    )
    low, high = np.array([[3, 3], [2, 3], [1, 2]], np.int32).T.copy()
    assert span_losses(0, low, high, costs).tolist() == [0, 1, 0.75]


@given(
    rows=st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 9), st.integers(0, 9)), max_size=40)
)
def test_bounds_are_the_outer_codes_of_each_class(rows):
    """Each class has the smallest and the largest code of its rows; suppressed rows have none."""
    table = np.array(rows, np.int32).reshape(-1, 3)
    labels, codes = table[:, 0].copy(), np.ascontiguousarray(table[:, 1:])
    low, high = class_bounds(labels, codes, 4)
    for label in set(labels.tolist()) - {-1}:
        own = [row[1:] for row in rows if row[0] == label]
        assert low[label].tolist() == [min(column) for column in zip(*own, strict=True)]
        assert high[label].tolist() == [max(column) for column in zip(*own, strict=True)]


ROWS = st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 7), st.integers(0, 9)), max_size=60)


def count(rows, n_classes=6, n_values=8):
    """Run the kernel on (label, code, weight) rows."""
    labels, codes, weights = np.array(rows, np.int64).reshape(-1, 3).T
    return class_histograms(
        labels.astype(np.int32), codes.astype(np.int32), weights.copy(), n_classes, n_values
    )


@given(rows=ROWS)
def test_histograms_are_their_twin(rows):
    """Each class has exactly the values that its records have, ascending, with their weights."""
    offsets, values, counts = count(rows)
    expected = naive_histograms.class_histograms(
        *([row[i] for row in rows] for i in range(3)), n_classes=6
    )
    found = [
        dict(zip(values[a:b].tolist(), counts[a:b].tolist(), strict=True))
        for a, b in itertools.pairwise(offsets)
    ]
    assert found == expected
    assert [list(one) for one in found] == [list(one) for one in expected]
    assert offsets[-1] == len(values) == len(counts)


@given(rows=ROWS, seed=st.integers(0, 100))
def test_order_of_rows_does_not_matter(rows, seed):
    """Shuffled rows give the same histograms."""
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    for one, other in zip(count(rows), count(shuffled), strict=True):
        assert one.tolist() == other.tolist()


@given(rows=ROWS)
def test_no_weights_are_one_record_each(rows):
    """Without weights every tuple counts as one record."""
    one = count([(label, code, 1) for label, code, _ in rows])
    labels, codes, _ = np.array(rows, np.int64).reshape(-1, 3).T.astype(np.int32).copy()
    other = class_histograms(labels, codes, np.empty(0, np.int64), 6, 8)
    assert [part.tolist() for part in one] == [part.tolist() for part in other]


@given(records=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7)), max_size=60))
def test_sorted_keys_have_the_histograms_of_their_classes(records):
    """Keys of class and value give the sizes and histograms of the classes that there are."""
    keys = np.array(sorted(8 * label + value for label, value in records), np.uint64)
    sizes, offsets, values, counts = key_histograms(keys, 3)
    present = sorted({label for label, _ in records})
    labels = [present.index(label) for label, _ in records]
    expected = count(
        [(label, value, 1) for label, (_, value) in zip(labels, records, strict=True)], len(present)
    )
    assert [one.tolist() for one in (offsets, values, counts)] == [one.tolist() for one in expected]
    assert sizes.tolist() == [labels.count(label) for label in range(len(present))]
    assert (sizes.dtype, offsets.dtype, values.dtype) == (np.int64, np.int64, np.int32)


# --- different histograms -----------------------------------------------------

HISTOGRAMS = st.dictionaries(st.integers(0, 3), st.integers(1, 2), max_size=3)


def distinct(histograms):
    """Run the kernel on {value: records} of every class."""
    entries = [sorted(histogram.items()) for histogram in histograms]
    offsets = np.cumsum([0, *map(len, entries)], dtype=np.int64)
    values = np.array([value for own in entries for value, _ in own], np.int32)
    counts = np.array([number for own in entries for _, number in own], np.int64)
    return tuple(part.tolist() for part in distinct_histograms(offsets, values, counts))


@given(histograms=st.lists(HISTOGRAMS, max_size=60))
def test_classes_of_one_histogram_are_represented_by_the_first(histograms):
    """Each different histogram is named once, by its first class, with the number of its classes.

    The empty one, of a class without a value, is a histogram as any other.
    """
    assert distinct(histograms) == naive_histograms.distinct_histograms(histograms, SLOTS // 2)


def test_more_histograms_than_are_remembered_stand_for_themselves():
    """Beyond the table's size every class is kept that is not remembered, none is lost."""
    histograms = [{i % SLOTS: 1 + i % 3, SLOTS: 1} for i in range(3 * SLOTS)]
    classes, numbers = distinct(histograms)
    assert (classes, numbers) == naive_histograms.distinct_histograms(histograms, SLOTS // 2)
    assert sum(numbers) == len(histograms)
    assert len(classes) > SLOTS


def test_no_rows_have_empty_histograms():
    """A table without records has classes without entries."""
    offsets, values, counts = count([], n_classes=0, n_values=0)
    assert offsets.tolist() == [0]
    assert len(values) == len(counts) == 0
