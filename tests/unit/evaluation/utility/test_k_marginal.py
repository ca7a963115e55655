"""Laws of the K-marginal score."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import utility_pairs as pairs
from kanonym.evaluation.utility.k_marginal import (
    CATEGORIES,
    DRAWN_PAIRS,
    k_marginal,
    k_marginal_by,
    marginal_cells,
    table_sides,
    two_way_table,
)
from kanonym.evaluation.utility.table_utility import measure_of

RECORD = st.tuples(*[st.sampled_from(["a", "b", None])] * 3)
RECORDS = st.lists(RECORD, min_size=1, max_size=8)


def score(original, released):
    """Return the score of two lists of records, by its formula."""
    differences = []
    for i, j in combinations(range(len(original[0])), 2):
        before, after = (
            Counter((row[i], row[j]) for row in table) for table in (original, released)
        )
        differences.append(
            sum(
                abs(before[cell] / len(original) - after[cell] / len(released))
                for cell in before | after
            )
        )
    return (2 - np.mean(differences)) * 500


def pair_of(original, released):
    """Return a pair of tables of categories from two lists of records."""
    both = zip(zip(*original, strict=True), zip(*released, strict=True), strict=True)
    return pairs.pair(*(pairs.categorical(f"x{i}", *one) for i, one in enumerate(both)))


def taken(tables, column=None):
    """Return the measured value, within the values of a column if one is named."""
    random = np.random.default_rng(0)
    return k_marginal(tables, random) if column is None else k_marginal_by(tables, random, column)


@given(original=RECORDS, released=RECORDS)
def test_the_score_is_that_of_its_formula(original, released):
    """Of single values it is (2 - D) · 500, null being a value."""
    assert taken(pair_of(original, released)).value == pytest.approx(score(original, released))


@given(original=RECORDS, released=RECORDS)
def test_three_way_tables_are_two_way_tables_of_joined_values(original, released):
    """With a column in every table, each other column counts together with its values."""
    found = taken(pair_of(original, released), "x0")
    joined = [[((a, b), (a, c)) for a, b, c in table] for table in (original, released)]
    assert found.value == pytest.approx(score(*joined))
    assert found.parts["lowest"] <= found.parts["mean"]


def test_a_label_spreads_its_record_evenly():
    """A cell of two values is half a record in each, with each half of the other column's."""
    tables = pairs.pair(
        pairs.categorical("a", ["x", "y"], [("x", "y")] * 2),
        pairs.numeric("b", [1, 2], [(1, 2), 2]),
    )
    first, second = (table_sides(column)[1] for column in tables.columns)
    assert two_way_table(first, second)[:2, :2] == pytest.approx(np.array([[0.25, 0.75]] * 2))
    assert taken(tables).value == pytest.approx(500)


def test_bins_end_at_percentiles_and_hold_their_upper_end():
    """Of 100 numbers each bin has five, and a number between two values is in the upper bin."""
    cells = marginal_cells(pairs.numeric("x", range(1, 101), [5, 5.5, 10, 100]))
    assert cells.size == 21  # one for null
    assert np.bincount(cells.original).tolist() == [6, 5] + [5] * 17 + [4]
    assert np.searchsorted(cells.borders, cells.low, side="right").tolist() == [0, 0, 1, 19]


@pytest.mark.parametrize(("released", "most"), [([500], 54), ([0], 56), ([0, 2000], 59)])
def test_null_and_numbers_beyond_the_original_cost_a_bin_each(released, most):
    """Of 1,000 numbers and a null 19 bins are left, and 18 or 17 beside released extremes."""
    cells = marginal_cells(pairs.numeric("x", [*range(1, 1001), None], released))
    assert np.bincount(cells.original).max() == most
    assert cells.size == 20


def test_rare_categories_are_one_cell():
    """Of many categories, the most frequent count for themselves."""
    column = pairs.categorical("a", [f"c{i}" for i in range(2 * CATEGORIES)])
    assert marginal_cells(column).size == CATEGORIES + 1


def test_of_many_columns_pairs_are_drawn(monkeypatch):
    """Above 29 columns 200 pairs are compared."""
    seen = []
    monkeypatch.setattr(
        "kanonym.evaluation.utility.k_marginal.table_differences",
        lambda *given: seen.append(len(set(given[2]))) or np.zeros(1),
    )
    taken(pairs.pair(*(pairs.numeric(f"x{i}", [1, 2]) for i in range(30))))
    assert set(seen) == {DRAWN_PAIRS}


def test_a_release_is_as_good_as_a_sample_of_its_size():
    """A third of the records, drawn, scores like the sample of 30 percent."""
    random = np.random.default_rng(1)
    values = [random.integers(0, 9, 9000) for _ in range(4)]
    tables = pairs.pair(*(pairs.numeric(f"x{i}", one, one[:2700]) for i, one in enumerate(values)))
    assert 0.2 <= taken(tables).parts["as good as a sample of"] <= 0.4


def test_what_has_no_score_says_why():
    """One column has no pair; three-way tables need the column, with single values."""
    one = pairs.pair(pairs.numeric("x", [1, 2]))
    assert taken(one).reason == "the tables have no two columns in common"
    plain = pair_of([("a", "b", "c")] * 2, [("a", "b", "c")] * 2)
    assert "'town'" in taken(plain, "town").reason
    label = pair_of([("a", "b", "c")] * 2, [(("a", "z"), "b", "c")] * 2)
    assert taken(label, "x0").reason == "released cells of 'x0' leave several values open"


def test_the_column_of_three_way_tables_is_part_of_the_name():
    """`k-marginal-` and a column is a measure; without a column it is none."""
    assert measure_of("k-marginal-home-town").meaning.name == "k-marginal-home-town"
    assert measure_of("k_marginal").meaning.name == "k-marginal"
    assert measure_of("k-marginal-") is None
