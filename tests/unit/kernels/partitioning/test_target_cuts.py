"""Laws of cuts that are guided by a target, against their slow twins."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins.mondrian as naive
import twins.workload as twins
from effort import examples
from kanonym.algorithms.base import compile_criteria
from kanonym.algorithms.mondrian import _records
from kanonym.algorithms.workload import guiding_target
from kanonym.data.table import encode
from kanonym.kernels.partitioning import target_cuts as workload
from kanonym.models import KAnonymity
from target_tables import guided

SMALL = guided()
LARGE = guided(60, 120)


class Node:
    """One table as the kernels take it."""

    def __init__(self, case, apart=1):
        """Lay out the records, codes so far apart, and measure them as one node."""
        self.case = case
        self.records = _records(case.encoded, by_row=False, aim=case.aim)
        self.records[:, : case.d] *= apart
        self.n = len(self.records)
        self.criteria = compile_criteria(case.table.models, case.encoded)
        self.work = workload.gain_workspace(self.n, case.d)
        self.total = int(self.records[:, -2].sum())

    def cut(self):
        """Return the chosen cut as a twin puts it."""
        target = self.case.aim.target
        tally = workload.count_node(self.records, self.case.d, target)
        whole = self.records, 0, self.n, self.total
        a, code = workload.gain_cut(*whole, self.criteria, target, tally, self.work)
        return None if a < 0 else (a, code)

    def refine(self, *, only_once=False):
        """Return what is left as sets of tuple numbers, and the first cut."""
        is_start = np.zeros(self.n, np.bool_)
        asked = self.criteria, self.case.aim.target, self.work, is_start, only_once
        middle = workload.refine_by_gain(self.records, 0, self.n, *asked)
        bounds = [*np.flatnonzero(is_start).tolist(), self.n]
        numbers = self.records[:, -1].tolist()
        return {frozenset(numbers[a:b]) for a, b in itertools.pairwise(bounds)}, middle


@pytest.mark.parametrize("strategy", [SMALL, LARGE], ids=["small", "large"])
@settings(max_examples=examples(150))
@given(data=st.data())
def test_the_cut_of_largest_gain_is_its_twin(strategy, data):
    """Of all cuts that satisfy the models the one of largest gain is chosen, ties as documented."""
    case = data.draw(strategy)
    expected = twins.gain_cut(case.rows, case.d, case.table.satisfies, case.twin)
    assert Node(case).cut() == expected


@settings(max_examples=examples(50))
@given(case=guided(5, 12, 60, 120))
def test_codes_too_far_apart_to_be_counted_are_sorted(case):
    """Codes a million apart are cut where they would be side by side."""
    found = Node(case, 10**6).cut()
    assert Node(case).cut() == (found and (found[0], found[1] // 10**6))


@settings(max_examples=examples(150))
@given(case=guided(5, 12, 60), apart=st.sampled_from([1, 30, 10**6]))
def test_what_is_left_is_what_the_recursion_leaves(case, apart):
    """Cuts are made until none gains, in nodes with few codes or many; each record stays once."""
    place = {row: i for i, row in enumerate(case.rows)}
    left = twins.by_gain(case.rows, case.d, case.table.satisfies, case.twin)
    expected = {frozenset(place[row] for row in rows) for rows in left}
    assert Node(case, apart).refine()[0] == expected


@settings(max_examples=examples(100))
@given(case=guided())
def test_only_once_makes_the_first_cut(case):
    """Both sides of the first cut are marked, and where the right one begins is returned."""
    cut = twins.gain_cut(case.rows, case.d, case.table.satisfies, case.twin)
    found, middle = Node(case).refine(only_once=True)
    assert len(found) == (1 if cut is None else 2)
    assert middle == (-1 if cut is None else len(naive.divide(case.rows, cut)[0]))


@settings(max_examples=examples(200))
@given(case=guided(3, 8, 16))
def test_the_gain_is_the_impurity_that_falls(case):
    """What the integers say is the entropy, or the squared error, of node less both sides."""
    for cut in naive.cuts(case.rows, case.d):
        sides = naive.divide(case.rows, cut)
        before = twins.impurity(case.rows, case.numbers)
        fallen = before - sum(twins.impurity(side, case.numbers) for side in sides)
        gain = case.twin.gain(case.rows, cut) / case.unit
        assert gain == pytest.approx(fallen, rel=1e-9, abs=1e-4 + 1e-9 * before)
        assert gain >= -case.twin.least / case.unit - 1e-9 * before


def test_of_large_nodes_the_best_cut_is_found_too():
    """Where a node has more records than places, the cut of largest gain is still there."""
    n = 3 * workload.PLACES
    numbers = [*range(n)]
    groups = ["low" if number < 1777 else "high" for number in numbers]
    table = encode([(pl.Series("q", numbers), None)], [], n, target=pl.Series("t", groups))
    aim = guiding_target(table, "t")
    records = _records(table, by_row=False, aim=aim)
    tally = workload.count_node(records, 1, aim.target)
    asked = compile_criteria([KAnonymity(2)], table), aim.target, tally
    cut = workload.gain_cut(records, 0, n, n, *asked, workload.gain_workspace(n, 1))
    assert cut == (0, 1776)
