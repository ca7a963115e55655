"""Laws of types and domains: what is drawn could have stood in the table."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.synthesis import SequentialTrees

N = 300
R = np.random.default_rng(0)
SPREAD = R.normal(size=N)
WHOLE = np.rint(50 + 20 * SPREAD).astype(int).tolist()
START = datetime(2024, 1, 1)

REPEATED = {
    "int8": pl.Series([one % 7 for one in WHOLE], dtype=pl.Int8),
    "uint64": pl.Series([2**63 + one % 5 for one in WHOLE], dtype=pl.UInt64),
    "boolean": pl.Series([one % 3 == 0 for one in WHOLE]),
    "string": pl.Series([f"0{one % 6}" for one in WHOLE]),
    "categorical": pl.Series([f"c{one % 6}" for one in WHOLE], dtype=pl.Categorical),
    "enum": pl.Series(["mid", "low", "mid", "high"] * 75, dtype=pl.Enum(["low", "mid", "high"])),
    "time": pl.Series([time(one % 24) for one in WHOLE]),
    "price": pl.Series([one % 8 + 0.99 for one in WHOLE]),
    "date": pl.Series([date(2024, 1, 1 + one % 28) for one in WHOLE]),
    "decimal": pl.Series([Decimal(one % 9) / 4 for one in WHOLE], dtype=pl.Decimal(8, 2)),
}
MEASURED = {
    "int64": pl.Series([int(one) for one in 1e5 * SPREAD]),
    "hundreds": pl.Series([100 * int(one) for one in 1e5 * SPREAD], dtype=pl.Int32),
    "float64": pl.Series(SPREAD),
    "two decimals": pl.Series(np.round(1e4 * SPREAD, 2)),
    "float32": pl.Series(np.round(100 * SPREAD, 3), dtype=pl.Float32),
    "decimal": pl.Series(np.round(1e4 * SPREAD, 2)).cast(pl.Decimal(12, 2)),
    "date": pl.Series([date(1990, 1, 1) + timedelta(days=int(1e4 * abs(x))) for x in SPREAD]),
    "mondays": pl.Series([date(1990, 1, 1) + timedelta(weeks=int(9e3 * abs(x))) for x in SPREAD]),
    "datetime": pl.Series(
        [START + timedelta(hours=int(1e4 * x)) for x in SPREAD], dtype=pl.Datetime("ms")
    ).dt.replace_time_zone("Europe/Brussels", ambiguous="earliest", non_existent="null"),
    "nanoseconds": pl.Series(
        [START + timedelta(seconds=float(1e7 * x)) for x in SPREAD], dtype=pl.Datetime("ns")
    ),
    "duration": pl.Series([timedelta(minutes=int(1e4 * x)) for x in SPREAD]),
}


def fit(columns, constraints=(), order=()):
    """Return what trees learn of some columns."""
    return SequentialTrees(order=order).fit(columns, constraints, np.random.default_rng(0))


def drawn(column, n=1000):
    """Return values drawn from the model of one column."""
    return fit([column.alias("x")]).sample(n, np.random.default_rng(1))[0]


@pytest.mark.parametrize("column", REPEATED.values(), ids=REPEATED)
def test_values_that_repeat_are_drawn_as_they_are(column):
    """A column of few values has these and no others, in its type."""
    found = drawn(column)
    assert found.dtype == column.dtype
    assert set(found.to_list()) <= set(column.to_list())
    assert fit([column.alias("x")]).reach("x") == column.n_unique()


@pytest.mark.parametrize("column", MEASURED.values(), ids=MEASURED)
def test_measured_values_are_drawn_within_their_range(column):
    """A column measured finely has new values, in its type and range, hardly one of them old."""
    found = drawn(column)
    assert found.dtype == column.dtype
    assert found.null_count() < 10
    assert column.min() <= found.min()
    assert found.max() <= column.max()
    assert found.n_unique() > N
    assert found.is_in(column.drop_nulls().unique().to_list()).mean() < 0.2


def test_units_and_decimals_stay():
    """Hundreds stay hundreds, Mondays Mondays, full hours full hours, cents cents."""
    assert (drawn(MEASURED["hundreds"]) % 100 == 0).all()
    assert (drawn(MEASURED["mondays"]).dt.weekday() == 1).all()
    assert (drawn(MEASURED["duration"]).dt.total_seconds() % 60 == 0).all()
    cents = drawn(MEASURED["two decimals"])
    assert (cents == cents.round(2)).all()


RANDOM = np.random.default_rng(5)
FINE = RANDOM.random(1500) < 0.2
ROUND = {
    "thousands": (
        np.where(
            FINE, RANDOM.integers(10**4, 10**7, 1500), RANDOM.integers(10, 10**4, 1500) * 1000
        ),
        pl.Int64,
        lambda column: column % 1000 == 0,
    ),
    "whole and cents": (
        np.where(FINE, RANDOM.normal(0, 900, 1500).round(2), RANDOM.normal(0, 900, 1500).round(0)),
        pl.Float64,
        lambda column: column == column.round(0),
    ),
    "days and seconds": (
        RANDOM.integers(0, 9000, 1500) * 86_400 * 10**6
        + FINE * RANDOM.integers(0, 86_400, 1500) * 10**6,
        pl.Datetime("us"),
        lambda column: column.dt.truncate("1d") == column,
    ),
    "sums": (
        RANDOM.normal(0, 20, 1500).round(1) + RANDOM.normal(0, 20, 1500).round(2),
        pl.Float64,
        lambda column: column == column.round(2),
    ),
}


@pytest.mark.parametrize(("numbers", "dtype", "is_round"), ROUND.values(), ids=ROUND)
def test_as_many_numbers_are_round_as_in_the_table(numbers, dtype, is_round):
    """Digits tell nobody who was drawn: thousands, midnights and sums are as frequent as before."""
    column = pl.Series(numbers).cast(dtype)
    found = drawn(column, 4000)
    share = is_round(column.unique()).mean()
    assert 0.2 < share < 0.95
    assert is_round(found).mean() == pytest.approx(share, abs=0.05)
    assert found.is_between(column.min(), column.max()).all()


def test_a_sum_is_off_its_decimals_by_the_last_digit_only():
    """What looks like 3.5799999999999996 is drawn as such a number, not with digits of its own."""
    column = pl.Series(ROUND["sums"][0])
    for one in (column, drawn(column, 4000)):
        assert ((one - one.round(2)).abs() < 1e-12).all()


def test_a_heap_stays_a_heap():
    """Zeros among measured numbers come as often as they are, and nothing lies next to them."""
    random = np.random.default_rng(0)
    column = pl.Series(np.where(random.random(2000) < 0.6, 0.0, random.uniform(500, 900, 2000)))
    found = drawn(column, 10_000)
    assert (found == 0).mean() == pytest.approx((column == 0).mean(), abs=0.02)
    assert found.filter(found != 0).min() >= column.filter(column != 0).min()


def test_nothing_is_drawn_in_a_wide_gap():
    """Between two clouds of numbers there is none."""
    random = np.random.default_rng(0)
    column = pl.Series(np.concatenate([random.normal(0, 1, 500), random.normal(100, 1, 300)]))
    found = drawn(column, 10_000)
    assert (found < 50).mean() == pytest.approx(5 / 8, abs=0.02)
    assert not found.is_between(10, 90).any()


def test_not_a_number_is_null():
    """NaN is a missing value: it is drawn as null."""
    column = pl.Series([1.0, float("nan"), 2.0, 2.0] * 100)
    found = drawn(column)
    assert not found.is_nan().any()
    assert found.null_count() / 1000 == pytest.approx(0.25, abs=0.05)


@given(
    values=st.lists(
        st.one_of(st.none(), st.floats(-1e300, 1e300), st.integers(-5, 5).map(float)),
        min_size=1,
        max_size=30,
    ),
    seed=st.integers(0, 9),
)
@settings(max_examples=examples(80), deadline=None)
def test_any_column_of_numbers_is_imitated(values, seed):
    """Whatever finite numbers a column holds, what is drawn lies in their range."""
    column = pl.Series("x", values, pl.Float64)
    found = fit([column]).sample(20, np.random.default_rng(seed))[0]
    held = column.drop_nulls()
    assert found.dtype == pl.Float64
    assert found.is_finite().all()
    if len(held):
        assert found.drop_nulls().is_between(held.min(), held.max()).all()
    if not column.null_count():
        assert not found.null_count()


@given(
    values=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=19),
    seed=st.integers(0, 9),
)
@settings(max_examples=examples(60), deadline=None)
def test_any_column_of_integers_is_imitated(values, seed):
    """Whole numbers up to the ends of 64 bits are drawn within their range."""
    column = pl.Series("x", values, pl.Int64)
    found = fit([column]).sample(20, np.random.default_rng(seed))[0]
    assert found.dtype == pl.Int64
    assert found.is_between(column.min(), column.max()).all()
