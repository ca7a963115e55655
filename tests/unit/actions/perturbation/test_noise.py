"""Laws of additive noise, and of noise within classes as SIGO adds it."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.actions import GaussianNoise, LaplaceNoise
from kanonym.data.errors import DataError, PolicyError, SchemaError

KINDS = [LaplaceNoise, GaussianNoise]
N = 200_000


def added(action, values, context):
    """Return what an action adds to each value."""
    return (action.apply(values, context) - values).to_numpy()


def test_laplace_noise_of_a_scale_has_twice_its_square_as_variance(context):
    """The variance is 2 b², the mean 0, and the mean size of the noise b."""
    noise = added(LaplaceNoise(scale=3), pl.Series("x", np.zeros(N)), context())
    assert abs(noise.mean()) < 5 * math.sqrt(18 / N)
    # The fourth moment of a Laplace distribution is 24 b^4.
    assert abs(noise.var() - 18) < 5 * math.sqrt((24 * 81 - 18**2) / N)
    assert abs(np.abs(noise).mean() - 3) < 5 * 3 / math.sqrt(N)


def test_gaussian_noise_of_a_scale_has_its_square_as_variance(context):
    """The variance is the square of the scale, the mean 0, the fourth moment that of a normal."""
    noise = added(GaussianNoise(scale=3), pl.Series("x", np.zeros(N)), context())
    assert abs(noise.mean()) < 5 * 3 / math.sqrt(N)
    assert abs(noise.var() - 9) < 5 * 9 * math.sqrt(2 / N)
    assert abs((noise**4).mean() - 3 * 81) < 5 * 81 * math.sqrt(96 / N)


@pytest.mark.parametrize("kind", KINDS)
def test_relative_noise_is_a_share_of_the_columns_spread(kind, context):
    """The standard deviation of the noise is the share of the column's, in both distributions."""
    values = pl.Series("x", np.random.default_rng(1).gamma(2, 1000, N))
    noise = added(kind(relative=0.25), values, context())
    assert noise.std() == pytest.approx(0.25 * values.std(), rel=0.02)
    assert abs(np.corrcoef(noise, values.to_numpy())[0, 1]) < 5 / math.sqrt(N)


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_without_spread_gets_no_relative_noise(kind, context):
    """A share of nothing is nothing."""
    values = pl.Series("x", [7.0, 7.0, None])
    assert kind(relative=1).apply(values, context()).to_list() == [7, 7, None]


@given(
    st.lists(
        st.tuples(st.floats(-1e6, 1e6, width=32), st.integers(-1, 3)), min_size=1, max_size=30
    ),
    st.sampled_from(KINDS),
)
@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_noise_of_a_class_stays_strictly_within_its_range(context, rows, kind):
    """No noisy value is the smallest or largest of its class, or beyond; equal ones stay."""
    values = pl.Series("x", [value for value, _ in rows], pl.Float64)
    classes = [label for _, label in rows]
    noisy = kind(per_class=True).apply(values, context(classes=classes)).to_list()
    for label in set(classes):
        own = [value for value, other in rows if other == label]
        low, high = min(own), max(own)
        for value, (before, other) in zip(noisy, rows, strict=True):
            if other == label:
                assert value == before if low == high else low < value < high


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("low", "steps"), [(0.0, 1), (0.0, 2), (1.0, 1), (1.0, 2), (-1e100, 2), (5e-324, 3)]
)
def test_a_range_of_a_few_numbers_comes_to_an_end(kind, low, steps, context):
    """Where nothing lies between two numbers they stay; where one number does, it is released."""
    high = low
    for _ in range(steps):
        high = math.nextafter(high, math.inf)
    action = kind(per_class=True)
    noisy = action.apply(pl.Series("x", [low, high]), context(classes=[0, 0])).to_list()
    assert noisy == [low, high] if steps == 1 else all(low < value < high for value in noisy)


def truncated(kind, position):
    """Return the mean of noisy values of one in a class from 0 to 1, by its density."""
    grid = (np.arange(200_000) + 0.5) / 200_000
    width = 4 if kind is LaplaceNoise else 2
    distance = width * (grid - position)
    density = np.exp(-np.abs(distance) if kind is LaplaceNoise else -(distance**2) / 2)
    return float((grid * density).sum() / density.sum())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("position", [0.0, 0.3, 1.0])
def test_noise_of_a_class_has_the_published_scale(kind, position, context):
    """A quarter of the range is the Laplace scale, half of it the deviation, then truncated."""
    n = 50_000
    values = pl.Series("x", [0.0, 1.0] + [position] * n)
    noisy = kind(per_class=True).apply(values, context(classes=[0] * (n + 2)))
    assert noisy[2:].mean() == pytest.approx(truncated(kind, position), abs=5 * 0.3 / math.sqrt(n))


@pytest.mark.parametrize("kind", KINDS)
def test_noise_is_that_of_its_seed(kind, context):
    """One seed gives one release, another seed another."""
    values = pl.Series("x", range(20))
    first, again, other = (
        kind(scale=1).apply(values, context(seed=seed)).to_list() for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize("kind", KINDS)
def test_nulls_stay_null_and_take_no_part(kind, context):
    """A missing value stays missing, and bounds no class."""
    values = pl.Series("x", [None, 1, 5, None, 2], pl.Int64)
    for action in (kind(scale=1), kind(relative=1), kind(per_class=True)):
        released = action.apply(values, context(classes=[0] * 5))
        assert released.is_null().to_list() == values.is_null().to_list()
        assert (released.name, released.dtype) == ("x", pl.Float64)
    empty = pl.Series("x", [None, None], pl.Int64)
    assert kind(per_class=True).apply(empty, context(classes=[0, 1])).to_list() == [None, None]


@pytest.mark.parametrize("kind", KINDS)
def test_whole_numbers_may_stay_whole(kind, context):
    """With keep_integers noise is rounded, also beyond the column's own small type."""
    values = pl.Series("x", [250, 0, None] * 50, pl.UInt8)
    released = kind(scale=20, keep_integers=True).apply(values, context())
    assert released.dtype == pl.Int64
    assert released.max() > 255
    assert released.min() < 0
    plain = kind(scale=20).apply(values, context())
    assert released.to_list() == plain.round(mode="half_to_even").cast(pl.Int64).to_list()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "needs one of scale, relative and per_class"),
        ({"scale": 1, "relative": 1}, "needs one of scale, relative and per_class"),
        ({"scale": 0}, "scale is 0; it must be a number above 0"),
        ({"scale": math.inf}, "scale is inf; it must be a number above 0"),
        ({"relative": -1}, "relative is -1; it must be a number above 0"),
        ({"per_class": True, "keep_integers": True}, "remove keep_integers"),
    ],
)
def test_parameters_are_refused(kind, parameters, message):
    """How much noise must be said once, and be more than none."""
    with pytest.raises(PolicyError, match=f"^{kind.type}.*{message}"):
        kind(**parameters)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_refused(kind, context):
    """Text has no noise, nor have infinite numbers, nor a class where there are none."""
    text = pl.Series("city", ["Rome"])
    with pytest.raises(SchemaError, match=r"column 'city' holds String, and .* needs numbers"):
        kind(scale=1).apply(text, context())
    with pytest.raises(SchemaError, match="column 'sick' holds Boolean"):
        kind(scale=1).apply(pl.Series("sick", [True]), context())
    infinite = pl.Series("x", [None, 1.0, math.inf])
    with pytest.raises(DataError, match=r"column 'x', row 3: .* cannot process inf"):
        kind(scale=1).apply(infinite, context())
    with pytest.raises(PolicyError, match="column 'x': per_class needs equivalence classes"):
        kind(per_class=True).apply(pl.Series("x", [1.0]), context())
    with pytest.raises(SchemaError, match=r"keep_integers of .* is for columns of whole numbers"):
        kind(scale=1, keep_integers=True).apply(pl.Series("x", [1.0]), context())
    with pytest.raises(DataError, match="exceeds 64-bit integers"):
        kind(scale=1e30, keep_integers=True).apply(pl.Series("x", [1]), context())
