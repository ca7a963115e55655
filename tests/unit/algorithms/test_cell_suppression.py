"""Laws of cell suppression: k-anonymity in the reading of null that was asked for."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import twins.cells as naive
from effort import examples
from kanonym.algorithms.base import Algorithm, Problem
from kanonym.algorithms.cell_suppression import CellSuppression, patterns
from kanonym.algorithms.cell_suppression import patterns as cell_patterns
from kanonym.algorithms.cell_suppression.patterns import blank_subsets, unblank
from kanonym.data.errors import InfeasibleError, PolicyError
from kanonym.data.partition import BLANK
from kanonym.data.table import encode
from kanonym.metrics.certainty import certainty_costs
from kanonym.models import KAnonymity, LDiversity

NO_COSTS = certainty_costs([], [])
NAMES = "abcdefgh"


@st.composite
def tables(draw, max_rows=25, max_columns=5):
    """Draw rows, nulls among them, and a k that they have."""
    d = draw(st.integers(1, max_columns))
    values = st.integers(0, draw(st.integers(1, 3)))
    cell = st.one_of(values, st.none()) if draw(st.booleans()) else values
    rows = draw(st.lists(st.tuples(*[cell] * d), min_size=1, max_size=max_rows))
    return rows, draw(st.integers(1, min(5, len(rows))))


def encoded(rows, sensitive=None):
    """Encode rows whose columns are called a, b, c ..."""
    columns = [
        pl.Series(NAMES[a], [row[a] for row in rows], dtype=pl.Int64) for a in range(len(rows[0]))
    ]
    secrets = [] if sensitive is None else [(pl.Series("secret", sensitive), None, False)]
    return encode([(column, None) for column in columns], secrets, len(rows))


def release(rows, k, algorithm, sensitive=None):
    """Blank cells; return the released rows in the order of the input, and the account."""
    table = encoded(rows, sensitive)
    found = algorithm.partition(Problem(table, NO_COSTS, [KAnonymity(k)]))
    labels = found.labels if found.by_row else found.labels[table.tuple_of_row]
    assert len(labels) == len(rows)
    assert set(labels.tolist()) == set(range(found.n_classes))
    assert set(np.unique(found.levels)) <= {0, BLANK}
    released = [
        naive.blanked(row, np.flatnonzero(found.levels[label] == BLANK).tolist())
        for row, label in zip(rows, labels.tolist(), strict=True)
    ]
    assert len(set(zip(labels.tolist(), released, strict=True))) == found.n_classes
    assert len(set(released)) == found.n_classes
    return released, found.account


def n_blanked(rows, released):
    """Return how many cells are null that were not."""
    return sum(
        a is not None and b is None
        for row, other in zip(rows, released, strict=True)
        for a, b in zip(row, other, strict=True)
    )


@given(drawn=tables())
def test_every_released_class_has_k_records(drawn):
    """With null as a value, every class of equal released records has at least k."""
    rows, k = drawn
    released, _ = release(rows, k, CellSuppression())
    assert naive.k_value(released) >= k


@given(drawn=tables())
def test_every_released_record_agrees_with_k(drawn):
    """With null as a wildcard, every released record agrees with at least k."""
    rows, k = drawn
    released, _ = release(rows, k, CellSuppression(nulls="wildcard"))
    assert naive.k_wildcard(released) >= k


@given(drawn=tables(max_columns=4))
def test_wildcards_blank_the_fewest_cells_after_which_each_record_fits_k(drawn):
    """What each record shows, k records of the table have, and no fewer blanks would do."""
    rows, k = drawn
    released, account = release(rows, k, CellSuppression(nulls="wildcard"))
    assert all(naive.fits(row, rows, k) for row in released)
    costs = [1] * len(rows[0])
    assert account["suppressed_cells"] == naive.least_cost_wildcard(rows, k, costs)


@pytest.mark.parametrize("nulls", ["value", "wildcard"])
@given(drawn=tables(max_columns=4), size=st.integers(1, 4))
@settings(max_examples=examples(40))
def test_every_few_keys_have_k_records(nulls, drawn, size):
    """With subsets of n, every n quasi-identifiers hold by themselves, in either reading."""
    rows, k = drawn
    assume(size <= len(rows[0]))
    released, account = release(rows, k, CellSuppression(subsets=size, nulls=nulls))
    held = {"value": naive.k_value, "wildcard": naive.k_wildcard}
    reached = {name: min(held[name](part) for part in naive.parts(released, size)) for name in held}
    assert reached[nulls] >= k
    assert account["subsets"] == {
        "size": size,
        "k": reached["value"],
        "k_wildcard": reached["wildcard"],
    }


@given(drawn=tables(max_columns=4), size=st.integers(1, 3))
def test_wildcard_subsets_blank_the_fewest_cells(drawn, size):
    """Of all blanks after which every n cells that a record shows fit k records, the fewest."""
    rows, k = drawn
    assume(size <= len(rows[0]))
    _, account = release(rows, k, CellSuppression(subsets=size, nulls="wildcard"))
    costs = [1] * len(rows[0])
    assert account["suppressed_cells"] == naive.least_cost_wildcard(rows, k, costs, size)
    assert (account["lower_bound"], account["gap"]) == (account["suppressed_cells"], 0)


@given(drawn=tables(max_columns=4), size=st.integers(1, 3), seed=st.integers(0, 9))
@settings(max_examples=examples(60))
def test_cells_are_shown_again_until_none_can_be(drawn, size, seed):
    """Every n attributes keep their k records, and no piece can show another cell.

    Nulls of the input stay.
    """
    rows, k = drawn
    d = len(rows[0])
    assume(size < d)
    keys = cell_patterns.distinct_keys(encoded(rows), ())
    pieces = blank_subsets(keys, k, size)
    more = pieces.blanks | np.isin(np.arange(d), seed % d)
    if all(naive.k_value(part) >= k for part in naive.parts(shown(keys, pieces, more), size)):
        pieces = pieces._replace(blanks=more)
    blanks = unblank(keys, pieces, k, size).blanks
    assert (blanks <= pieces.blanks).all()
    assert (blanks >= keys.is_null[pieces.keys]).all()
    for i, a in [(-1, -1), *np.argwhere(blanks & ~keys.is_null[pieces.keys]).tolist()]:
        one = blanks.copy()
        if i >= 0:
            one[i, a] = False
        reached = min(naive.k_value(part) for part in naive.parts(shown(keys, pieces, one), size))
        assert (reached >= k) == (i < 0)


def shown(keys, pieces, blanks):
    """Return the rows that pieces are released as."""
    codes = cell_patterns.released_codes(keys, pieces._replace(blanks=blanks)).tolist()
    return [
        tuple(row) for row, n in zip(codes, pieces.weights.tolist(), strict=True) for _ in range(n)
    ]


@pytest.mark.parametrize("most", [0, 1 << 24])
@given(drawn=tables(max_columns=4), size=st.integers(1, 4))
@settings(max_examples=examples(30))
def test_no_suppression_blanks_fewer_cells_than_the_bound(most, drawn, size):
    """Neither the exact count of few attributes nor that of disjoint rare combinations is above."""
    rows, k = drawn
    assume(size <= len(rows[0]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "ENTRIES", most)
        _, account = release(rows, k, CellSuppression(subsets=size))
    if not most and size == len(rows[0]):
        assert "lower_bound" not in account
        return
    assert account["gap"] == account["suppressed_cells"] - account["lower_bound"]
    least = naive.least_cost_wildcard(rows, k, [1] * len(rows[0]), size)
    assert account["lower_bound"] <= least <= account["suppressed_cells"]
    assert not most or account["lower_bound"] == least


@pytest.mark.parametrize("nulls", ["value", "wildcard"])
@given(drawn=tables())
def test_the_account_is_counted_from_the_release(nulls, drawn):
    """Blanked cells by attribute, their sum, and k in both readings are those of the release."""
    rows, k = drawn
    released, account = release(rows, k, CellSuppression(nulls=nulls))
    assert account["suppressed_cells"] == n_blanked(rows, released)
    assert account["cells"] == {
        NAMES[a]: n_blanked([row[a : a + 1] for row in rows], [row[a : a + 1] for row in released])
        for a in range(len(rows[0]))
    }
    assert account["k"] == naive.k_value(released)
    assert account["k_wildcard"] == naive.k_wildcard(released)


@pytest.mark.parametrize("nulls", ["value", "wildcard"])
@pytest.mark.parametrize("subsets", [None, 1])
@given(drawn=tables(max_rows=8))
@settings(max_examples=examples(40))
def test_a_table_that_holds_is_left_alone(nulls, subsets, drawn):
    """Where every record is there k times, no cell is blanked."""
    rows, k = drawn
    algorithm = CellSuppression(nulls=nulls, subsets=subsets)
    released, account = release(rows * k, k, algorithm)
    assert released == rows * k
    assert account["suppressed_cells"] == 0


@pytest.mark.parametrize("nulls", ["value", "wildcard"])
@pytest.mark.parametrize("subsets", [None, 2])
@given(drawn=tables(), seed=st.integers(0, 5))
@settings(max_examples=examples(40))
def test_the_order_of_the_records_does_not_matter(nulls, subsets, drawn, seed):
    """In any order, the same cells are blanked, and the same records released."""
    rows, k = drawn
    assume(subsets is None or subsets <= len(rows[0]))
    algorithm = CellSuppression(nulls=nulls, subsets=subsets)
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    first, one = release(rows, k, algorithm)
    second, other = release(shuffled, k, algorithm)
    assert Counter(first) == Counter(second)
    assert one == other


@given(drawn=tables(), seed=st.integers(0, 5))
def test_sensitive_values_do_not_matter(drawn, seed):
    """Records that differ in a sensitive value alone are one key: the same cells are blanked."""
    rows, k = drawn
    secrets = np.random.default_rng(seed).integers(0, 3, len(rows))
    with_secrets, one = release(rows, k, CellSuppression(), secrets)
    without, other = release(rows, k, CellSuppression())
    assert Counter(with_secrets) == Counter(without)
    assert one == other


@given(drawn=tables(max_rows=5, max_columns=2))
@settings(max_examples=examples(60))
def test_value_mode_is_near_the_optimum_of_tiny_tables(drawn):
    """On tables small enough to try everything, no more than k cells over the fewest possible."""
    rows, k = drawn
    _, account = release(rows, k, CellSuppression())
    fewest = naive.least_cost_value(rows, k, [1] * len(rows[0]))
    assert fewest <= account["suppressed_cells"] <= fewest + k


@pytest.mark.parametrize(
    ("rows", "k", "fewest"),
    [
        ([(0, 0), (0, 1), (1, 1), (1, 0)], 2, 4),
        ([(0, 0), (0, 0), (0, 0), (1, 0)], 2, 2),
        ([(0, 0), (0, 1), (0, 2), (1, 2), (1, 2)], 2, 3),
        ([(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 1, 0)], 2, 8),
        ([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)], 3, 6),
    ],
)
def test_the_optimum_is_reached(rows, k, fewest):
    """On these tables the fewest blanks, found by trying everything, are found."""
    assert naive.least_cost_value(rows, k, [1] * len(rows[0])) == fewest
    _, account = release(rows, k, CellSuppression())
    assert account["suppressed_cells"] == fewest


def test_a_large_class_lends_records():
    """A record that agrees with nobody is blanked with one of a class that can spare it."""
    rows = [(0,), (0,), (0,), (1,)]
    released, account = release(rows, 2, CellSuppression())
    assert Counter(released) == {(0,): 2, (None,): 2}
    assert account["cells"] == {"a": 2}


def test_a_class_that_can_spare_none_is_joined_whole():
    """Where every class has exactly k records, a single one takes a whole class with it."""
    rows = [(0, 0), (0, 0), (1, 1), (1, 1), (1, 0)]
    released, account = release(rows, 2, CellSuppression())
    assert naive.k_value(released) >= 2
    assert account["suppressed_cells"] == naive.least_cost_value(rows, 2, [1, 1]) == 3


def test_nulls_of_the_input_count_as_blanks():
    """A record may be blanked into a class of records that had nulls there: that costs it alone."""
    rows = [(None, 0), (None, 0), (1, 0)]
    released, account = release(rows, 2, CellSuppression())
    assert released == [(None, 0)] * 3
    assert account["cells"] == {"a": 1, "b": 0}


def test_a_null_is_a_wildcard_for_others():
    """With wildcards a record that agrees with records that have nulls needs no blank."""
    rows = [(None, 0), (None, 0), (1, 0)]
    assert release(rows, 3, CellSuppression(nulls="wildcard"))[0] == rows


CROSS = [(a, b) for a in range(4) for b in range(4)]


@pytest.mark.parametrize("nulls", ["value", "wildcard"])
@pytest.mark.parametrize("subsets", [None, 2])
@pytest.mark.parametrize("kept", ["a", "b"])
def test_the_important_attribute_is_kept(nulls, subsets, kept):
    """Where blanking either attribute would do, the one that is named keeps every cell."""
    algorithm = CellSuppression(importance=[kept], nulls=nulls, subsets=subsets)
    _, account = release(CROSS, 4, algorithm)
    assert account["cells"] == {kept: 0, ({"a", "b"} - {kept}).pop(): 16}


@pytest.mark.parametrize("nulls", ["value", "wildcard"])
def test_of_attributes_that_are_not_named_the_one_of_more_values_is_blanked(nulls):
    """Where nothing is named, ties go against the attribute of more distinct values."""
    rows = [(a, b) for a in range(2) for b in range(3)] * 2
    _, account = release(rows, 4, CellSuppression(nulls=nulls))
    assert account["cells"] == {"a": 0, "b": 12}


@given(drawn=tables(max_columns=4), seed=st.integers(0, 20))
def test_importance_is_an_order_of_costs(drawn, seed):
    """A cell of a named attribute costs more than all less important ones; the sum is the least."""
    rows, k = drawn
    d = len(rows[0])
    rng = np.random.default_rng(seed)
    named = rng.permutation(d)[: rng.integers(0, d + 1)].tolist()
    costs = [1] * d
    total = d - len(named)
    for a in reversed(named):
        costs[a] = total + 1
        total += costs[a]
    algorithm = CellSuppression(importance=[NAMES[a] for a in named], nulls="wildcard")
    _, account = release(rows, k, algorithm)
    spent = sum(costs[NAMES.index(name)] * n for name, n in account["cells"].items())
    assert spent == naive.least_cost_wildcard(rows, k, costs)


@pytest.mark.parametrize("nulls", ["value", "wildcard"])
@given(seed=st.integers(0, 200))
@settings(max_examples=examples(40))
def test_many_attributes_are_searched_without_trying_every_pattern(nulls, seed):
    """Tables of too many patterns hold as well, and stay as they are where they held before."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(3, 9))
    rows = [tuple(row) for row in rng.integers(0, 3, (30, d)).tolist()]
    if seed % 2:
        rows = [tuple(None if value == 2 else value for value in row) for row in rows]
    k = int(rng.integers(1, 6))
    algorithm = CellSuppression(nulls=nulls)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_patterns, "ENTRIES", 1)
        patch.setattr(cell_patterns, "FEWEST", 6)
        released, _ = release(rows, k, algorithm)
        same, _ = release(rows * k, k, algorithm)
    reached = naive.k_value(released) if nulls == "value" else naive.k_wildcard(released)
    assert reached >= k
    assert same == rows * k


@pytest.fixture(scope="module")
def twenty():
    """Return 200 records of twenty attributes, which have a million patterns of blanks."""
    rng = np.random.default_rng(1)
    return np.minimum(rng.geometric(0.6, (200, 20)), 5)


def test_twenty_attributes_take_little_more_than_the_fewest_cells(twenty):
    """Where not every pattern is tried, wildcards cost at most a tenth more than they must."""
    columns = [pl.Series(f"q{a}", twenty[:, a]) for a in range(20)]
    table = encode([(column, None) for column in columns], [], len(twenty))
    found = CellSuppression(nulls="wildcard").partition(Problem(table, NO_COSTS, [KAnonymity(3)]))
    assert found.account["k_wildcard"] >= 3
    fewest = 0
    for i in range(len(twenty)):
        equal = (twenty == twenty[i]) @ (1 << np.arange(20))
        pairs = equal[:, None] & equal  # what is shown by a record and two others
        pairs[i], pairs[:, i] = 0, 0
        np.fill_diagonal(pairs, 0)
        fewest += 20 - int(np.bitwise_count(pairs).max())
    assert fewest <= found.account["suppressed_cells"] <= 1.1 * fewest


def test_twenty_attributes_hold_with_null_as_a_value(twenty):
    """So many attributes are searched for classes, too, and keep a good part of their cells."""
    columns = [pl.Series(f"q{a}", twenty[:, a]) for a in range(20)]
    table = encode([(column, None) for column in columns], [], len(twenty))
    found = CellSuppression().partition(Problem(table, NO_COSTS, [KAnonymity(3)]))
    assert found.account["k"] >= 3
    assert found.account["suppressed_cells"] < 0.6 * twenty.size


@given(seed=st.integers(0, 30))
@settings(max_examples=examples(20))
def test_larger_tables_hold(seed):
    """A few hundred records of skewed values: classes of k or more, whatever is lent and moved."""
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(2, 6)), int(rng.integers(2, 12))
    values = np.minimum(rng.geometric(0.4, (300, d)), 8)
    rows = [tuple(row) for row in values.tolist()]
    released, account = release(rows, k, CellSuppression())
    assert naive.k_value(released) >= k
    least = release(rows, k, CellSuppression(nulls="wildcard"))[1]["suppressed_cells"]
    assert least <= account["suppressed_cells"]


def test_it_is_an_algorithm():
    """It has the parts that the engine asks for."""
    assert isinstance(CellSuppression(), Algorithm)
    assert CellSuppression.recodes == "cells"


def test_an_empty_table_stays_empty():
    """Without a record there is no class, and nothing to count."""
    table = encode([(pl.Series("a", [], dtype=pl.Int64), None)], [], 0)
    found = CellSuppression().partition(Problem(table, NO_COSTS, [KAnonymity(2)]))
    assert found.n_classes == 0
    assert len(found.labels) == 0
    assert found.account == {"cells": {"a": 0}, "suppressed_cells": 0}


def test_without_a_quasi_identifier_all_records_are_one_class():
    """There is nothing to blank, and k is the number of records."""
    table = encode([], [], 7)
    found = CellSuppression().partition(Problem(table, NO_COSTS, [KAnonymity(2)]))
    assert found.n_classes == 1
    assert found.account["k"] == found.account["k_wildcard"] == 7


def test_several_k_mean_the_largest():
    """Two models of k-anonymity are satisfied by the stricter one."""
    table = encoded(CROSS)
    found = CellSuppression().partition(Problem(table, NO_COSTS, [KAnonymity(2), KAnonymity(4)]))
    assert found.account["k"] >= 4


def test_fewer_records_than_k_are_refused():
    """No blank makes a class of k out of fewer records, and the error says how many there are."""
    with pytest.raises(InfeasibleError, match="the best possible is 3"):
        release([(0,), (1,), (2,)], 4, CellSuppression())


def test_other_models_are_refused():
    """Models of sensitive values are not supported, and the error says which one was asked."""
    table = encoded(CROSS, list(range(16)))
    with pytest.raises(PolicyError, match="only k-anonymity, not l-diversity of 'secret'"):
        CellSuppression().partition(
            Problem(table, NO_COSTS, [KAnonymity(2), LDiversity("secret", 2)])
        )


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"importance": "age"}, "importance is 'age'; it must be a list of names"),
        ({"importance": ["a", 1]}, "it must be a list of names"),
        ({"importance": 5}, "importance is 5; it must be a list of names"),
        ({"importance": ["a", "b", "a"]}, "names an attribute twice"),
        ({"subsets": 0}, "subsets is 0; it must be an integer of at least 1"),
        ({"subsets": True}, "subsets is True"),
        ({"subsets": 1.5}, "subsets is 1.5"),
        ({"nulls": "any"}, "nulls is 'any'; it must be value or wildcard"),
    ],
)
def test_parameters_out_of_range_are_refused(given_, message):
    """Each parameter is checked when it is given."""
    with pytest.raises(PolicyError, match=message):
        CellSuppression(**given_)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"importance": ["a", "z"]}, r"importance names \['z'\], which are no quasi-identifiers"),
        ({"subsets": 3}, "subsets is 3, but there are 2 quasi-identifiers"),
    ],
)
def test_parameters_that_do_not_fit_the_table_are_refused(given_, message):
    """What depends on the quasi-identifiers is checked against them."""
    with pytest.raises(PolicyError, match=message):
        release(CROSS, 2, CellSuppression(**given_))


@pytest.fixture(scope="module")
def adult(shared_data):
    """Return Adult with the five keys that sdcMicro was measured on."""
    frame = pl.read_csv(shared_data / "adult" / "adult.csv", separator=";")
    keys = ["age", "education", "marital-status", "race", "sex"]
    return encode([(frame[name], None) for name in keys], [], len(frame))


def test_adult_takes_fewer_cells_than_sdcmicro(adult):
    """With wildcards, Adult loses fewer than the 7,883 cells of sdcMicro's kAnon."""
    found = CellSuppression(nulls="wildcard").partition(Problem(adult, NO_COSTS, [KAnonymity(5)]))
    assert found.account["k_wildcard"] >= 5
    assert found.account["suppressed_cells"] == 7828


def test_adult_holds_with_null_as_a_value(adult):
    """With null as a value, no record of Adult is below k, for a few cells more."""
    found = CellSuppression().partition(Problem(adult, NO_COSTS, [KAnonymity(5)]))
    assert found.account["k"] >= 5
    assert found.account["suppressed_cells"] <= 8000
