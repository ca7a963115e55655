"""Tests: mondrian, strict and relaxed."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twins.mondrian as naive
from effort import examples
from kanonym.algorithms.base import compile_criteria
from kanonym.algorithms.mondrian import _records
from kanonym.data.table import encode
from kanonym.kernels.partitioning import mondrian, quantile_cuts
from kanonym.kernels.partitioning.mondrian import refine_relaxed
from kanonym.kernels.partitioning.workspace import measure_node, workspace
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import AlphaKAnonymity, KAnonymity
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


SMALL = tables()
LARGE = tables(60, 120)


class Node:
    """One table as the kernels take it."""

    def __init__(self, table, exact=None, medians=0):
        """Lay out the records, and measure them as one node."""
        encoded = table.encoded()
        self.records = _records(encoded, by_row=False)
        self.n = len(self.records)
        self.costs = table.costs
        self.criteria = compile_criteria(table.models, encoded)
        self.work = workspace(self.n if exact is None else exact, self.costs, medians)
        self.box = np.empty((2, len(table.domains)), np.int64)
        self.total = measure_node(self.records, 0, self.n, self.box)
        self.whole = self.records, 0, self.n, self.total, self.box, self.costs, self.criteria

    def refine(self, *, only_once=False):
        """Refine the whole; return the classes as sets of row numbers, and the first cut."""
        is_start = np.zeros(self.n, np.bool_)
        middle = mondrian.refine(
            self.records, 0, self.n, self.costs, self.criteria, self.work, is_start, only_once
        )
        bounds = [*np.flatnonzero(is_start).tolist(), self.n]
        numbers = self.records[:, -1].tolist()
        return {frozenset(numbers[a:b]) for a, b in itertools.pairwise(bounds)}, middle


def numbered(table, classes):
    """Return classes of rows as sets of row numbers."""
    place = {row: i for i, row in enumerate(table.rows)}
    return {frozenset(place[row] for row in rows) for rows in classes}


def found(cut):
    """Return a kernel's answer as a twin puts it."""
    a, code = cut
    return None if a < 0 else (a, code)


@given(table=SMALL)
def test_a_node_is_measured_as_its_rows(table):
    """The box of a node holds its outer codes, the total its records."""
    node = Node(table)
    columns = list(zip(*(row.codes for row in table.rows), strict=True))
    assert node.box.tolist() == [[min(c) for c in columns], [max(c) for c in columns]]
    assert node.total == naive.records(table.rows)


@pytest.mark.parametrize("strategy", [SMALL, LARGE], ids=["small", "large"])
@settings(max_examples=examples(300))
@given(data=st.data())
def test_least_loss_cut_is_its_twin(strategy, data):
    """Of all cuts that satisfy the models the one of least loss is chosen, ties as documented."""
    table = data.draw(strategy)
    node = Node(table)
    expected = naive.least_loss_cut(table.rows, table.attributes, table.satisfies)
    assert found(mondrian.least_loss_cut(*node.whole, node.work)) == expected


@pytest.mark.parametrize("strategy", [SMALL, LARGE], ids=["small", "large"])
@settings(max_examples=examples(300))
@given(data=st.data())
def test_wide_cut_is_its_twin(strategy, data):
    """The widest attribute is cut beside its median, or what comes next where that fails."""
    table = data.draw(strategy)
    expected = naive.beside_quantile_cut(
        table.rows, table.attributes, table.satisfies, only_sizes=table.only_sizes
    )
    node = Node(table)
    a, code = quantile_cuts.wide_cut(*node.whole, node.work)
    if a >= 0:  # a code that no row has cuts like the next lower one
        code = max(row.codes[a] for row in table.rows if row.codes[a] <= code)
    assert found((a, code)) == expected


@pytest.mark.parametrize("strategy", [SMALL, LARGE], ids=["small", "large"])
@settings(max_examples=examples(300))
@given(data=st.data())
def test_median_cut_is_its_twin(strategy, data):
    """Of the cuts beside medians that satisfy the models the one of least loss is chosen."""
    table = data.draw(strategy)
    node = Node(table, 0)
    a, code = quantile_cuts.median_cut(*node.whole, node.work)
    if a >= 0:  # a code that no row has cuts like the next lower one
        code = max(row.codes[a] for row in table.rows if row.codes[a] <= code)
    assert found((a, code)) == naive.median_cut(table.rows, table.attributes, table.satisfies)


def test_where_the_median_fails_lower_quantiles_come_first():
    """Of two quartiles that would do, the lower one is cut; k-anonymity alone tries the median."""
    ages, values = pl.Series("age", range(16)), pl.Series("s", [*"aabbaaaabbbbaabb"])
    table = encode([(ages, None)], [(values, None, False)], 16)
    costs = certainty_costs(table.domains, ["interval"])
    box, work = np.array([[0], [15]]), workspace(0, costs)
    for models, expected in (
        ([AlphaKAnonymity(0.5, 1, "s")], (0, 3)),
        ([AlphaKAnonymity(0.5, 5, "s")], (-1, 0)),
        ([KAnonymity(5)], (0, 7)),
    ):
        records = _records(table, by_row=False)
        assert (
            quantile_cuts.wide_cut(
                records, 0, 16, 16, box, costs, compile_criteria(models, table), work
            )
            == expected
        )


@given(
    codes=st.lists(st.one_of(st.integers(0, 9), st.integers(0, 10**9)), min_size=1, max_size=40),
    weights=st.lists(st.integers(1, 9), min_size=40, max_size=40),
    sixteenths=st.integers(1, 16),
)
def test_a_quantile_is_a_record_of_the_sorted_node(codes, weights, sixteenths):
    """The quantile is the code of the record at that rank, however wide the codes range."""
    records = np.array([[c, w, 0] for c, w in zip(codes, weights, strict=False)], np.int32)
    values = sorted(c for c, w in zip(codes, weights, strict=False) for _ in range(w))
    target = -(-len(values) * sixteenths // 16)
    code, upto, under = quantile_cuts.quantile_cut(
        records, 0, len(codes), 0, min(codes), max(codes), target
    )
    assert code == values[target - 1]
    assert upto == sum(value <= code for value in values)
    assert under == sum(value < code for value in values)


@given(codes=st.lists(st.integers(0, 5), min_size=1, max_size=30), cut=st.integers(-1, 5))
def test_records_are_moved_as_they_are(codes, cut):
    """A cut permutes whole records: low codes first, the others from the returned place on."""
    records = np.array([[7, c, 1, i] for i, c in enumerate(codes)], np.int32)
    before = records.tolist()
    middle = mondrian.separate(records, 0, len(codes), 1, cut)
    assert sorted(records.tolist(), key=lambda record: record[-1]) == before
    assert (records[:middle, 1] <= cut).all()
    assert (records[middle:, 1] > cut).all()


@settings(max_examples=examples(300))
@given(table=SMALL, exact=st.integers(0, 14), medians=st.integers(0, 14))
def test_refining_is_its_twin(table, exact, medians):
    """A table ends in the classes of the recursion, wherever it turns from median to least loss."""
    classes, _ = Node(table, exact, medians).refine()
    expected = naive.strict(
        table.rows,
        table.attributes,
        table.satisfies,
        exact=exact,
        only_sizes=table.only_sizes,
        medians=medians,
    )
    assert classes == numbered(table, expected)


@given(table=LARGE, exact=st.sampled_from([0, 32, 120]), medians=st.sampled_from([0, 40, 120]))
def test_refining_a_larger_table_is_its_twin(table, exact, medians):
    """The law of small tables holds where nodes are sorted by counting and cut many times."""
    classes, _ = Node(table, exact, medians).refine()
    expected = naive.strict(
        table.rows,
        table.attributes,
        table.satisfies,
        exact=exact,
        only_sizes=table.only_sizes,
        medians=medians,
    )
    assert classes == numbered(table, expected)


@given(table=SMALL, exact=st.sampled_from([0, 14]))
def test_refining_once_stops_after_the_first_cut(table, exact):
    """`only_once` leaves the two sides of the first cut, or the whole where there is none."""
    classes, middle = Node(table, exact).refine(only_once=True)
    assert len(classes) == (1 if middle < 0 else 2)
    if middle >= 0:
        assert middle in map(len, classes)
        full, _ = Node(table, exact).refine()
        assert all(any(small <= big for big in classes) for small in full)
