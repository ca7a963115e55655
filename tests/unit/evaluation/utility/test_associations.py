"""Laws of differences of associations: numpy's and scipy's numbers where values are plain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import contingency

import utility_pairs as pairs
from effort import examples
from kanonym.evaluation.utility.associations import MEASURES, cramers_v

NAMES = [
    "pairwise-total-variation",
    "correlation-difference",
    "cramers-v-difference",
    "correlation-ratio-difference",
]


def taken(tables):
    """Return each measure's result by name."""
    random = np.random.default_rng(0)
    return {one.meaning.name: one.take(tables, random) for one in MEASURES}


def test_names():
    """Each has its own name and says where it comes from."""
    assert [one.meaning.name for one in MEASURES] == NAMES
    assert all(one.meaning.source for one in MEASURES)


@given(
    x=st.lists(st.integers(0, 9), min_size=8, max_size=8),
    y=st.lists(st.integers(0, 9), min_size=8, max_size=8),
    released=st.lists(st.integers(0, 9), min_size=8, max_size=8),
)
@settings(max_examples=examples(100))
def test_correlations_are_numpys(x, y, released):
    """The difference is that of numpy's correlations, 0 for a column that is constant."""

    def correlation(first, second):
        constant = len(set(first)) == 1 or len(set(second)) == 1
        return 0 if constant else np.corrcoef(first, second)[0, 1]

    tables = pairs.pair(pairs.numeric("x", x, released), pairs.numeric("y", y))
    found = taken(tables)["correlation-difference"]
    expected = abs(correlation(x, y) - correlation(released, y))
    assert found.parts == {"x × y": pytest.approx(expected, abs=1e-9)}


def test_correlations_count_records_that_have_both():
    """Nulls leave their record out of a pair, as pandas does."""
    x, y = [1, 2, None, 4, 9], [2, 1, 7, None, 5]
    tables = pairs.pair(pairs.numeric("x", x, [3] * 5), pairs.numeric("y", y))
    expected = abs(np.corrcoef([1, 2, 9], [2, 1, 5])[0, 1])
    assert taken(tables)["correlation-difference"].value == pytest.approx(expected)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=2, max_size=40))
@settings(max_examples=examples(100))
def test_cramers_v_is_scipys(records):
    """Cramér's V without correction is scipy's where the table has two rows and columns."""
    counts = np.array([[records.count((a, b)) for b in "xyz"] for a in "abc"])
    held = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    expected = contingency.association(held, method="cramer") if min(held.shape) > 1 else 0
    assert cramers_v(counts / len(records)) == pytest.approx(expected, abs=1e-9)


def test_cramers_v_by_hand():
    """Columns that were the same and are released independent lose the whole association."""
    tables = pairs.pair(
        pairs.categorical("a", list("xxyy")), pairs.categorical("b", list("xxyy"), list("xyxy"))
    )
    found = taken(tables)
    assert found["cramers-v-difference"].parts == {"a × b": pytest.approx(1)}
    assert found["pairwise-total-variation"].parts == {"a × b": pytest.approx(0.5)}


def test_open_labels_take_part_evenly():
    """A column of which every cell is suppressed is independent of all others."""
    tables = pairs.pair(
        pairs.categorical("a", list("xxyy")), pairs.categorical("b", list("xxyy"), ["*"] * 4)
    )
    assert taken(tables)["cramers-v-difference"].value == pytest.approx(1)


def test_the_correlation_ratio_by_hand():
    """Of 1, 3 and 5, 7 in two categories 16 of 20 is between them, and none when suppressed."""
    tables = pairs.pair(
        pairs.categorical("a", list("xxyy"), ["*"] * 4), pairs.numeric("b", [1, 3, 5, 7])
    )
    found = taken(tables)["correlation-ratio-difference"]
    assert found.parts == {"a × b": pytest.approx(np.sqrt(16 / 20))}


def test_identical_tables_have_the_same_associations():
    """All differences of a table and itself are 0."""
    for one in taken(pairs.same()).values():
        assert one.value == pytest.approx(0, abs=1e-9)


def test_suppression_loses_more_than_generalization():
    """Every measure finds a suppressed table farther than one with intervals."""
    coarse, starred = taken(pairs.coarse()), taken(pairs.starred())
    for name in NAMES:
        assert coarse[name].value < starred[name].value


def test_the_order_of_released_records_does_not_count():
    """A shuffled release has the same associations."""
    tables = pairs.coarse()
    shuffled = pairs.kept(tables, np.random.default_rng(1).permutation(tables.n_released))
    for name, one in taken(shuffled).items():
        assert one.value == pytest.approx(taken(tables)[name].value, abs=1e-9)


def test_parts_are_pairs_of_the_right_kinds():
    """Correlation has pairs of numbers, Cramér's V of categories, the ratio mixed ones."""
    found = taken(pairs.same())
    assert list(found["correlation-difference"].parts) == ["age × pay"]
    assert list(found["cramers-v-difference"].parts) == ["town × job"]
    assert list(found["correlation-ratio-difference"].parts) == [
        "town × age",
        "town × pay",
        "job × age",
        "job × pay",
    ]
    assert len(found["pairwise-total-variation"].parts) == 6


def test_of_many_columns_quasi_identifiers_are_compared_first():
    """Twenty columns are compared; a quasi-identifier among them, wherever it stands."""
    columns = [pairs.numeric(f"c{i}", [i, 2, 3]) for i in range(30)]
    found = taken(pairs.pair(*columns, quasi_identifiers=("c29",)))["correlation-difference"]
    assert len(found.parts) == 190
    assert "c29 × c0" in found.parts
    assert not any("c19" in name for name in found.parts)


def test_one_column_has_no_pairs():
    """There is no value then, and why is said."""
    found = taken(pairs.pair(pairs.numeric("x", [1, 2])))
    assert {one.value for one in found.values()} == {None}
    assert {one.reason.removeprefix("the tables have no ") for one in found.values()} == {
        "two columns in common",
        "two columns of numbers or times in common",
        "two columns of categories in common",
        "column of categories and column of numbers or times in common",
    }


def test_a_release_far_beyond_the_original_does_not_overflow():
    """Each table's numbers have a unit of their own: 1 is far from numbers around 1e-80."""
    columns = [
        pairs.numeric("x", [1.8e-80, 0.0, 0.9e-80], [1.0, 3.0, 2.0]),
        pairs.numeric("y", [2.0, 0.0, 1.0], [1.0, 3.0, 2.0]),
    ]
    found = taken(pairs.pair(*columns))["correlation-difference"]
    assert found.value == pytest.approx(0.0, abs=1e-12)
