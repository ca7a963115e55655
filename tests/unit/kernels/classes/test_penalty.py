"""Laws of what a class loses, against the slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_mondrian as naive
from kanonym.algorithms.mondrian import _records
from kanonym.kernels.classes.penalty import RANGE, Costs, class_bounds, span_losses
from kanonym.kernels.partitioning.one_sided_cuts import node_loss
from kanonym.kernels.partitioning.workspace import measure_node, workspace
from tables import tables


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
