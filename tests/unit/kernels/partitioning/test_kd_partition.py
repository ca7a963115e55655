"""Laws of the kd-tree's kernels, against the slow twin that sorts lists."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_kdtree
from effort import examples
from kanonym.algorithms.criteria import compile_criteria
from kanonym.algorithms.mondrian import _records
from kanonym.kernels.partitioning.kd_partition import accumulated_order, halve_in_turn
from tables import tables


def halved(table):
    """Run the kernel; return the class of each row of the table, and the attempts of each class."""
    encoded = table.encoded()
    records = _records(encoded, by_row=False)
    is_start, attempts = np.zeros(len(records), np.bool_), np.empty(len(records), np.int32)
    halve_in_turn(records, compile_criteria(table.models, encoded), is_start, attempts)
    labels = np.empty(len(records), np.int32)
    labels[records[:, -1]] = np.cumsum(is_start) - 1
    return labels, attempts[is_start]


@st.composite
def shuffled(draw, *sizes):
    """Draw a table, and its records one by one in any order, each as a number of its row."""
    table = draw(tables(*sizes))
    numbers = [i for i, row in enumerate(table.rows) for _ in range(row.weight)]
    draw(st.randoms(use_true_random=False)).shuffle(numbers)
    return table, numbers


@pytest.mark.parametrize("sizes", [(), (60, 120)], ids=["small", "large"])
@settings(max_examples=examples(300))
@given(data=st.data())
def test_classes_and_their_order_are_the_twins(sizes, data):
    """Classes, their numbers and the order of records in them are those of sorting each time.

    Records come in any order, equal ones apart: the classes do not depend on it.
    """
    table, numbers = data.draw(shuffled(*sizes))
    rows = [table.rows[i]._replace(weight=1) for i in numbers]
    min_size = compile_criteria(table.models, table.encoded()).min_size
    expected = naive_kdtree.kdtree(rows, table.satisfies, min_size)

    labels, attempts = halved(table)
    columns = zip(*(row.codes for row in rows), strict=True)
    order = accumulated_order(
        [np.array(column, np.int32) for column in columns],
        [domain.size for domain in table.domains],
        labels[numbers],
        attempts,
    )
    assert order.tolist() == list(itertools.chain(*expected))
    assert Counter(labels[numbers].tolist()) == dict(enumerate(map(len, expected)))
    assert (np.diff(labels[numbers][order]) >= 0).all()


def test_without_attributes_rows_stay_as_they_came():
    """Nothing to sort by leaves every class in the order of the input."""
    order = accumulated_order([], [], np.array([1, 0, 1, 0], np.int32), np.zeros(2, np.int32))
    assert order.tolist() == [1, 3, 0, 2]
