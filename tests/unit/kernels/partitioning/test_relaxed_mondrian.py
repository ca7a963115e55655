"""Laws of relaxed Mondrian's kernel, against its slow twin."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_mondrian as naive
from effort import examples
from kanonym.algorithms.criteria import compile_criteria
from kanonym.algorithms.mondrian import _records
from kanonym.kernels.partitioning.relaxed_mondrian import refine_relaxed
from kanonym.kernels.partitioning.workspace import workspace
from tables import tables


def classes_of(table, *, by_loss):
    """Run the kernel; return the classes as sorted lists of rows of weight 1."""
    encoded = table.encoded()
    records = _records(encoded, by_row=True)
    costs = table.costs
    is_start = np.zeros(len(records), np.bool_)
    refine_relaxed(
        records,
        costs,
        compile_criteria(table.models, encoded),
        workspace(len(records), costs),
        by_loss,
        is_start,
    )
    d = len(table.domains)
    codes = np.delete(records, d, axis=1).tolist()
    bounds = [*np.flatnonzero(is_start).tolist(), len(records)]
    assert sorted(records[:, -1].tolist()) == list(range(len(records)))
    return [
        sorted(naive.Row(tuple(row[:d]), tuple(row[d:-2]), row[-2]) for row in codes[a:b])
        for a, b in itertools.pairwise(bounds)
    ]


def alone(table):
    """Return the rows of a table, one for each record."""
    return [row._replace(weight=1) for row in table.rows for _ in range(row.weight)]


@pytest.mark.parametrize("sizes", [(), (60,)], ids=["small", "large"])
@settings(max_examples=examples(300))
@given(data=st.data(), by_loss=st.booleans())
def test_halving_is_its_twin(sizes, data, by_loss):
    """The classes are those of the recursion: best attribute first, ties divided by code."""
    table = data.draw(tables(*sizes))
    expected = naive.relaxed(alone(table), table.attributes, table.satisfies, by_loss=by_loss)
    assert sorted(classes_of(table, by_loss=by_loss)) == sorted(map(sorted, expected))


@given(table=tables(), by_loss=st.booleans())
def test_every_record_is_in_one_class(table, by_loss):
    """Classes share the records out: none is lost, none is doubled."""
    parts = classes_of(table, by_loss=by_loss)
    assert Counter(itertools.chain(*parts)) == Counter(alone(table))
    assert all(parts)
