"""Laws of cuts that suppress one side, against their slow twin."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins.mondrian as naive
from effort import examples
from kanonym.algorithms.base import compile_criteria
from kanonym.algorithms.mondrian import _records
from kanonym.kernels.partitioning.mondrian import suppressing_cuts
from kanonym.kernels.partitioning.workspace import workspace
from tables import tables


def ask(table, starts, stops, budget):
    """Run the kernel on slices of the sorted rows."""
    encoded = table.encoded()
    costs = table.costs
    return suppressing_cuts(
        _records(encoded, by_row=False),
        np.array(starts, np.int64),
        np.array(stops, np.int64),
        costs,
        compile_criteria(table.models, encoded),
        workspace(len(table.rows), costs),
        budget,
    )


@pytest.mark.parametrize("sizes", [(), (60,)], ids=["small", "large"])
@settings(max_examples=examples(300))
@given(data=st.data(), budget=st.sampled_from([1, 2, 3, 5, 100]))
def test_suppressing_cut_is_its_twin(sizes, data, budget):
    """The chosen cut saves most for each suppressed record, and what stays satisfies the models."""
    table = data.draw(tables(*sizes))
    gains, cuts = ask(table, [0], [len(table.rows)], budget)
    expected = naive.suppressing_cut(table.rows, table.attributes, table.satisfies, budget)
    if expected is None:
        assert gains.tolist() == [0]
    else:
        gain, (a, code), side, lost = expected
        assert gains[0] == pytest.approx(float(gain))
        assert cuts.tolist() == [[a, code, side, lost]]


@given(table=tables(), data=st.data())
def test_nodes_are_asked_on_their_own(table, data):
    """Many nodes in one call get the answers that each gets alone."""
    inner = data.draw(st.sets(st.integers(1, len(table.rows))))
    bounds = sorted({0, len(table.rows)} | inner)
    pairs = list(itertools.pairwise(bounds))
    together = ask(table, bounds[:-1], bounds[1:], 5)
    single = [ask(table, [start], [stop], 5) for start, stop in pairs]
    assert together[0].tolist() == [gains[0] for gains, _ in single]
    assert together[1].tolist() == [cuts[0].tolist() for _, cuts in single]
