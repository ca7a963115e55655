"""Laws of cells: every record is spread whole, and evenly over what its value leaves open."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import utility_pairs as pairs
from effort import examples
from kanonym.evaluation.pair.tables import CategoricalColumn
from kanonym.evaluation.utility.cells import (
    below,
    borders,
    category_cells,
    distributions,
    nothing_to_compare,
    numeric_cells,
    one_hot,
)

NUMBERS = st.integers(-50, 50)
SPANS = st.one_of(
    NUMBERS, st.tuples(NUMBERS, NUMBERS).map(lambda ends: (min(ends), max(ends))), st.just("*")
)


@given(
    original=st.lists(st.one_of(NUMBERS, st.none()), min_size=1, max_size=60),
    released=st.lists(st.one_of(SPANS, st.none()), min_size=1, max_size=20),
)
@settings(max_examples=examples(100))
def test_a_record_of_numbers_is_spread_whole(original, released):
    """Shares of a record are at least 0 and add up to 1, whatever its interval."""
    cells = numeric_cells(pairs.numeric("age", original, released))
    shares = cells.released(slice(None))
    assert shares.min() >= 0
    assert shares.sum(axis=1) == pytest.approx(1)


@given(original=st.lists(st.one_of(NUMBERS, st.none()), min_size=1, max_size=200))
@settings(max_examples=examples(100))
def test_equal_numbers_fall_in_the_same_cell_of_both_tables(original):
    """A number that is released as it is falls in the cell of the original."""
    cells = numeric_cells(pairs.numeric("age", original))
    assert cells.size <= 21
    assert (cells.released(slice(None)) == one_hot(cells, slice(None))).all()


def test_bins_have_about_equally_many_records():
    """A hundred distinct numbers make twenty bins of five."""
    cells = numeric_cells(pairs.numeric("age", range(100)))
    assert np.bincount(cells.original).tolist() == [5] * 20


def test_few_values_have_a_bin_each():
    """With at most twenty distinct numbers each has its own bin, however often it occurs."""
    cells = numeric_cells(pairs.numeric("age", [1] * 50 + [2, 3, None]))
    assert np.bincount(cells.original).tolist() == [50, 1, 1, 1]


def test_an_interval_is_spread_by_length():
    """Of [0, 10] a quarter lies below 2.5, the border between 1 and 4."""
    cells = numeric_cells(pairs.numeric("age", [1, 4], [(0, 10), (3, 3), None]))
    assert cells.released(slice(None)).tolist() == [[0.25, 0.75, 0], [0, 1, 0], [0, 0, 1]]


def test_borders_part_numbers_that_have_no_middle():
    """Between neighbours in float64 the border belongs to the upper one."""
    pair = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert below(pair, pair, borders(pair)).tolist() == [[1.0], [0.0]]


def test_a_label_is_spread_evenly():
    """A label of two categories has half of each, a suppressed cell as much of all."""
    column = pairs.categorical("town", ["a", "b", "c", None], ["a", ("a", "c"), "*", None])
    assert category_cells(column, 20).released(slice(None)).tolist() == [
        [1, 0, 0, 0],
        [0.5, 0, 0.5, 0],
        [0.25, 0.25, 0.25, 0.25],
        [0, 0, 0, 1],
    ]


def test_rare_categories_share_a_cell():
    """The most frequent categories of the original keep their cells, all others have one."""
    column = pairs.categorical("town", list("aabccccd"), [("a", "b", "d")] * 3)
    cells = category_cells(column, 2)
    assert cells.original.tolist() == [0, 0, 2, 1, 1, 1, 1, 2]
    assert cells.released(slice(1))[0] == pytest.approx([1 / 3, 0, 2 / 3])


@pytest.mark.parametrize("tables", [pairs.same(), pairs.coarse(), pairs.starred()])
def test_distributions_are_those_of_spread_records(tables):
    """Shares of cells are means of the records' shares, and add up to 1."""
    for column in tables.columns:
        cells = (
            numeric_cells(column) if column.name in ("age", "pay") else category_cells(column, 9)
        )
        original, released = distributions(column)
        assert original == pytest.approx(one_hot(cells, slice(None)).mean(axis=0))
        assert released == pytest.approx(cells.released(slice(None)).mean(axis=0))
        assert released.sum() == pytest.approx(1)


def test_tables_without_records_or_columns_have_nothing_to_compare():
    """Which of both has no records is said."""
    tables = pairs.same(20)
    assert nothing_to_compare(tables) is None
    assert nothing_to_compare(pairs.kept(tables, [])) == "the release has no records"
    empty = pairs.pair(pairs.numeric("age", [], [1]))
    assert nothing_to_compare(empty) == "the original has no records"


def test_a_column_without_categories_has_one_cell():
    """Where no record of the original has a value, every released one is in the same cell."""
    empty = CategoricalColumn(
        name="c",
        categories=pl.Series([], dtype=pl.String),
        original=np.zeros(0, np.int32),
        labels=np.zeros(2, np.int32),
        offsets=np.array([0, 1]),
        members=np.zeros(1, np.int32),
        suppressed=np.ones(2, np.bool_),
    )
    assert category_cells(empty, 3).released(slice(None)).tolist() == [[1], [1]]
