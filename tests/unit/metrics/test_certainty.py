"""Laws of the tabulated certainty penalty."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data.hierarchy import from_mapping
from kanonym.data.table import encode_column
from kanonym.kernels.classes.histograms import RANGE, SET, TREE, span_losses
from kanonym.metrics.certainty import certainty_costs, kind_of, numeric_values

CITIES = {
    "Paris": ["France", "Europe"],
    "Lyon": ["France", "Europe"],
    "Rome": ["Italy", "Europe"],
    "Oslo": ["Norway", "Europe"],
    "Bergen": ["Norway", "Europe"],
}


def costs_of(*columns):
    """Return costs of (values, recoding, hierarchy) columns and their domains."""
    domains = [encode_column(values, source)[0] for values, _, source in columns]
    return certainty_costs(domains, [recoding for _, recoding, _ in columns]), domains


def loss(costs, domains, a, *values):
    """Return what releasing the span of some values of attribute a loses."""
    known = [*domains[a].values.to_list(), *([None] if domains[a].has_null else [])]
    codes = sorted(known.index(value) for value in values)
    low, high = np.array([codes[0]], np.int32), np.array([codes[-1]], np.int32)
    return span_losses(a, low, high, costs).item()


def test_numbers_lose_their_distance():
    """A numeric span costs its width as a share of the width of the table's values."""
    costs, domains = costs_of((pl.Series("age", [20, 30, 60, 30]), "interval", None))
    assert loss(costs, domains, 0, 30, 60) == 0.75
    assert loss(costs, domains, 0, 30) == 0
    assert loss(costs, domains, 0, 20, 60) == 1


@pytest.mark.parametrize("recoding", ["interval", "range", "mean", "median", "mode"])
def test_recodings_to_a_place_on_the_line_lose_distances(recoding):
    """Whatever is released for a numeric span costs as the span does."""
    assert kind_of(recoding) == RANGE


def test_sets_and_hierarchies_have_their_own_kinds():
    """Sets are counted, hierarchies climbed."""
    assert (kind_of("set"), kind_of("hierarchy")) == (SET, TREE)


@pytest.mark.parametrize(
    "values",
    [
        [date(2020, 1, 1), date(2020, 1, 3), date(2020, 1, 2)],
        [datetime(2020, 1, 1), datetime(2020, 1, 3), datetime(2020, 1, 2)],
        [timedelta(1), timedelta(3), timedelta(2)],
        [Decimal("0.10"), Decimal("0.30"), Decimal("0.20")],
        [-1e150, 1e150, 0.0],
        [-(2**63), 2**63 - 1, 0],
    ],
)
def test_every_kind_of_number_and_time_has_a_distance(values):
    """From the first to the middle value it is half of the whole, to the last all of it."""
    costs, domains = costs_of((pl.Series("x", values), "interval", None))
    assert loss(costs, domains, 0, values[0], values[2]) == pytest.approx(0.5)
    assert loss(costs, domains, 0, values[0], values[1]) == 1


def test_ordered_categories_lose_ranks():
    """Ordered categories stand one apart, those that the table holds."""
    grades = pl.Series(
        "grade", ["low", "mid", "top"], dtype=pl.Enum(["low", "unseen", "mid", "top"])
    )
    costs, domains = costs_of((grades, "interval", None))
    assert loss(costs, domains, 0, "low", "mid") == 0.5


def test_null_among_numbers_costs_everything():
    """Null alone costs nothing, with any number all, and it does not stretch the others."""
    costs, domains = costs_of((pl.Series("age", [20, None, 40, 30]), "interval", None))
    assert loss(costs, domains, 0, None) == 0
    assert loss(costs, domains, 0, 40, None) == 1
    assert loss(costs, domains, 0, 20, 30) == 0.5


@pytest.mark.parametrize("values", [[7, 7], [None, None], [7, None], []])
def test_one_number_or_none_is_no_division_by_zero(values):
    """A column of one value, of nulls or of nothing has finite costs."""
    costs, domains = costs_of((pl.Series("x", values, dtype=pl.Int64), "interval", None))
    assert np.isfinite(costs.positions).all()
    if len(set(values)) == 2:
        assert loss(costs, domains, 0, 7, None) == 1


def test_a_set_costs_its_further_values():
    """Each further value of a set costs its share of the further values of the table."""
    costs, _ = costs_of((pl.Series("city", ["Rome", "Oslo", None, "Rome"]), "set", None))
    assert costs.positions[1] == 0.5  # two further values, null among them


def test_values_that_only_the_hierarchy_knows_do_not_cheapen_a_set():
    """A set counts against the values of the table, whatever else its hierarchy holds."""
    costs, domains = costs_of((pl.Series("city", ["Rome", "Oslo"]), "set", from_mapping(CITIES)))
    assert domains[0].size == 5
    assert costs.positions[1] == 1


def test_a_hierarchy_costs_its_further_leaves():
    """A label costs the leaves below it but one, as a share of all leaves but one."""
    values = pl.Series("city", ["Paris", "Lyon", "Rome", "Oslo"])
    costs, domains = costs_of((values, "hierarchy", from_mapping(CITIES)))
    assert loss(costs, domains, 0, "Paris", "Lyon") == 0.25
    assert loss(costs, domains, 0, "Lyon", "Rome") == 1
    assert loss(costs, domains, 0, "Rome") == 0


def test_null_is_a_branch_below_the_root():
    """Null with any other value climbs to the root and costs all."""
    values = pl.Series("city", ["Paris", None, "Lyon"])
    costs, domains = costs_of((values, "hierarchy", from_mapping(CITIES)))
    assert loss(costs, domains, 0, None) == 0
    assert loss(costs, domains, 0, "Oslo", None) == 1
    assert loss(costs, domains, 0, "Paris", "Lyon") == 0.2


def test_attributes_side_by_side_cost_as_alone():
    """Trees of different heights and columns of other kinds share arrays and change nothing."""
    flat = from_mapping(dict.fromkeys("abc", "*"))
    columns = [
        (pl.Series("age", [20, 30, 60, None]), "interval", None),
        (pl.Series("flat", [*"abca"]), "hierarchy", flat),
        (pl.Series("sex", ["f", "m", "f", None]), "set", None),
        (pl.Series("city", [*CITIES][:4]), "hierarchy", from_mapping(CITIES)),
    ]
    together, domains = costs_of(*columns)
    for a, column in enumerate(columns):
        alone, _ = costs_of(column)
        size = domains[a].size
        low, high = np.divmod(np.arange(size * size, dtype=np.int32), size)
        spans = low[low <= high], high[low <= high]
        assert span_losses(a, *spans, together).tolist() == span_losses(0, *spans, alone).tolist()


def test_without_quasi_identifiers_nothing_costs():
    """A table without a quasi-identifier has costs of no attribute."""
    costs = certainty_costs([], [])
    assert costs.attributes.shape == (0, 4)
    assert len(costs.positions) == 0


@given(values=st.lists(st.floats(-1e150, 1e150), min_size=1, max_size=20))
def test_positions_ascend_from_0_to_1(values):
    """Any numbers that `encode` takes find their place in [0, 1], in their order."""
    costs, domains = costs_of((pl.Series("x", values), "interval", None))
    assert (np.diff(costs.positions) >= 0).all()
    assert costs.positions[0] == 0
    if len(domains[0].values) > 1:
        assert costs.positions[-1] == 1


def test_nominal_values_stand_at_their_rank():
    """Values that are no numbers stand one apart in the order of their codes."""
    domain, _ = encode_column(pl.Series("x", ["b", "a", "b"]))
    assert numeric_values(domain).tolist() == [0, 1]
