"""Rounding, top and bottom coding, and binning."""

from __future__ import annotations

import statistics
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from action_context import applied, context
from effort import examples
from kanonym import DataError, PolicyError, SchemaError
from kanonym.actions import Bin, Round, TopBottom

# --- round ----------------------------------------------------------------------------


def test_integers_round_half_to_even_and_stay_integers():
    """500 lies between 0 and 1000, of which 0 is the even thousand."""
    numbers = pl.Series("x", [499, 500, 501, 1500, -500, -1500, None])
    rounded = Round(to=1000).apply(numbers, context())
    assert rounded.to_list() == [0, 0, 1000, 2000, 0, -2000, None]
    assert rounded.dtype == pl.Int64


@given(st.integers(-(10**6), 10**6), st.integers(1, 5000))
@settings(max_examples=examples(100), deadline=None)
def test_integers_round_as_exact_decimals_do(number, step):
    """Nothing is computed in floating point."""
    quotient = (Decimal(number) / step).quantize(Decimal(1), ROUND_HALF_EVEN)
    assert applied(Round(to=step), [number]) == [int(quotient) * step]


def test_a_rounded_integer_that_its_type_cannot_hold_gets_a_wider_one():
    """127 rounds to 130, which is no 8-bit integer; where all fit, the type stays."""
    small = pl.Series("x", [127, 1], dtype=pl.Int8)
    assert Round(to=10).apply(small, context()).to_list() == [130, 0]
    assert Round(to=2).apply(small, context()).dtype == pl.Int64
    assert Round(to=3).apply(small, context()).dtype == pl.Int8


def test_floating_point_numbers_round_to_the_nearest_decimal():
    """Three tenths are 0.3, no negative zero comes out, and NaN is null."""
    assert applied(Round(to=0.1), [0.31, -0.04, float("nan")]) == [0.3, 0.0, None]
    assert str(applied(Round(to=0.1), [-0.04])[0]) == "0.0"
    assert applied(Round(digits=1), [0.25, 0.35, 2.0]) == [0.2, 0.4, 2.0]
    assert applied(Round(to=2.5), [3.0, 3.75, 6.2]) == [2.5, 5.0, 5.0]
    assert applied(Round(to=1000), [24_500.0]) == [24_000.0]


def test_decimals_stay_decimals():
    """The type of the column is kept where every number fits."""
    assert applied(Round(digits=1), [Decimal("1.25"), None]) == [Decimal("1.20"), None]


def test_integers_have_no_decimals_to_round():
    """`digits` leaves them as they are, a fraction as step is refused."""
    assert applied(Round(digits=2), [17, None]) == [17, None]
    with pytest.raises(SchemaError, match=r"do not round to 0\.5; give a whole"):
        applied(Round(to=0.5), [17])


def test_numbers_that_cannot_be_rounded_exactly_are_refused():
    """Beyond half of the 64-bit integers, and at infinity."""
    with pytest.raises(DataError, match="column 'x' holds integers too large for round to 10"):
        applied(Round(to=10), [2**63 - 1])
    with pytest.raises(DataError, match="column 'x', row 2: round cannot process inf"):
        applied(Round(to=10), [1.0, float("inf")])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "round: give one of to and digits"),
        ({"to": 1, "digits": 1}, "round: give one of to and digits"),
        ({"to": 0}, "round: to is 0; it must be a number above 0"),
        ({"digits": -1}, "round: digits is -1; it must be an integer of at least 0"),
    ],
)
def test_round_refuses_parameters_that_make_no_sense(parameters, message):
    """The message names the parameter."""
    with pytest.raises(PolicyError, match=message):
        Round(**parameters)


# --- top and bottom coding ------------------------------------------------------------


def test_fixed_bounds_replace_what_lies_outside():
    """Each bound on its own, or both; integers stay integers while bounds are whole."""
    ages = pl.Series("x", [3, 40, 101, None], dtype=pl.Int8)
    assert applied(TopBottom(lower=18), ages) == [18, 40, 101, None]
    assert applied(TopBottom(upper=90), ages) == [3, 40, 90, None]
    assert TopBottom(lower=18, upper=90).apply(ages, context()).dtype == pl.Int8
    assert applied(TopBottom(lower=18.5, upper=90), ages) == [18.5, 40.0, 90.0, None]
    assert applied(TopBottom(lower=0, upper=1000), ages) == [3, 40, 101, None]
    assert applied(TopBottom(lower=1000), ages) == [1000, 1000, 1000, None]


def test_quantiles_are_numbers_of_the_column():
    """Of 20 numbers, 5 % are one and 95 % are 19; both bounds occur in the data."""
    coded = applied(TopBottom(quantiles=[0.05, 0.95]), list(range(20, 0, -1)))
    assert coded == [19, *range(19, 0, -1)]
    coded = applied(TopBottom(quantiles=[0.1, 0.9]), [*range(1, 21), None])
    assert (min(coded[:-1]), max(coded[:-1])) == (2, 18)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=15), st.floats(0, 0.5), st.floats(0.51, 1))
@settings(max_examples=examples(60), deadline=None)
def test_quantiles_are_the_inverse_of_the_distribution_function(numbers, low, high):
    """The bound is the least number that the asked share of records does not exceed."""
    bounds = np.quantile(numbers, [low, high], method="inverted_cdf")
    expected = np.clip(numbers, *bounds).tolist()
    assert applied(TopBottom(quantiles=[low, high]), numbers) == expected


def tukey(numbers):
    """Return the medians of the lower and the upper half, the middle one in neither."""
    ordered = sorted(numbers)
    half = len(ordered) // 2
    if not half:
        return ordered[0], ordered[0]
    return statistics.median(ordered[:half]), statistics.median(ordered[-half:])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-20, 20)), min_size=1, max_size=20))
@settings(max_examples=examples(80), deadline=None)
def test_quartiles_of_each_class_are_those_of_sigo(records):
    """Clipped to the medians of the halves of the record's own class; one record stays."""
    classes = [label for label, _ in records]
    numbers = [number for _, number in records]
    expected = []
    for label, number in records:
        low, high = tukey([other for own, other in records if own == label])
        expected.append(min(max(number, low), high))
    action = TopBottom(quartiles=True, per_class=True)
    assert applied(action, numbers, classes=classes) == expected


def test_quartiles_of_the_column_need_no_classes():
    """Of an odd number of records, the middle one belongs to neither half; null to no class."""
    assert applied(TopBottom(quartiles=True), [1, 2, 3, 4, 99]) == [1.5, 2, 3, 4, 51.5]
    assert applied(TopBottom(quartiles=True), [1, 3, 5, 7]) == [2, 3, 5, 6]
    classes = [0, 0, 0, 1]
    per_class = TopBottom(quartiles=True, per_class=True)
    assert applied(per_class, [1, None, 5, 9], classes=classes) == [1, None, 5, 9]


def test_quartiles_per_class_need_classes():
    """Before the algorithm there are none."""
    with pytest.raises(PolicyError, match="column 'x': per_class needs equivalence classes"):
        applied(TopBottom(quartiles=True, per_class=True), [1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "give lower and upper"),
        ({"lower": 1, "quartiles": True}, "give lower and upper"),
        ({"quantiles": [0.1, 0.9], "quartiles": True}, "give lower and upper"),
        ({"lower": 5, "upper": 1}, "lower is 5, above upper 1"),
        ({"lower": float("nan")}, "lower is nan; it must be a number"),
        ({"lower": 1, "per_class": True}, "per_class needs quantiles or quartiles"),
        ({"quantiles": [0.9, 0.1]}, "must be two ascending shares"),
        ({"quantiles": [0.1]}, "must be two ascending shares"),
        ({"quantiles": [5, 95]}, "quantiles is 5; it must be a number of at least 0 and at most 1"),
    ],
)
def test_top_bottom_refuses_parameters_that_make_no_sense(parameters, message):
    """The message names the parameter."""
    with pytest.raises(PolicyError, match=message):
        TopBottom(**parameters)


# --- bin ------------------------------------------------------------------------------


def test_numbers_become_the_interval_that_holds_them():
    """A lower end belongs to its interval, an upper end to the next one, below zero too."""
    action = Bin(width=10)
    assert applied(action, [20, 29, 30, -3]) == ["[20, 30)", "[20, 30)", "[30, 40)", "[-10, 0)"]
    assert applied(Bin(width=10, origin=5), [20]) == ["[15, 25)"]
    assert applied(Bin(width=0.1), [0.3, float("nan")]) == ["[0.3, 0.4)", None]


def test_intervals_of_one_number_are_intervals_all_the_same():
    """Binning does not depend on what else the column holds."""
    assert applied(Bin(width=10), [25]) == ["[20, 30)"]
    assert applied(Bin(width=1), [25, 26]) == ["[25, 26)", "[26, 27)"]


def test_bounds_leave_two_open_ends():
    """Below the first bound and from the last one on."""
    assert applied(Bin(bounds=[18, 65]), [17, 18, 65]) == ["<18", "[18, 65)", ">=65"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "bin: give one of width and bounds"),
        ({"width": 5, "bounds": [1]}, "bin: give one of width and bounds"),
        ({"width": 0}, "bin: width must be positive"),
        ({"bounds": [5, 1]}, "bin: bounds must be ascending"),
        ({"bounds": [1], "origin": 2}, "bin: origin is where"),
    ],
)
def test_bin_refuses_parameters_that_make_no_sense(parameters, message):
    """The message names the parameter."""
    with pytest.raises(PolicyError, match=message):
        Bin(**parameters)
