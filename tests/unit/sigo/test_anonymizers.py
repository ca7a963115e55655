"""Laws of the anonymizers, over clusters of any sizes, against plain twins."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data.errors import PolicyError, SchemaError
from kanonym.sigo.anonymizers import (
    METHODS,
    OF_TEXTS,
    Clusters,
    check_method,
    clusters_of,
    models_of,
    replace_values,
)
from kanonym.sigo.attributes import Attribute

GROUPS = st.lists(
    st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 3)), min_size=1, max_size=9),
    min_size=1,
    max_size=6,
)
NOISES = ["laplaceNoise", "gaussianNoise"]


def clusters(groups):
    """Return an attribute and clusters that hold these values in this order."""
    values = np.array([value for group in groups for value in group], np.float64)
    starts = np.cumsum([0, *map(len, groups)])
    none = np.zeros((len(values), 1), np.int32)
    return Attribute("x", "number", values), Clusters(np.arange(len(values)), starts, none, ())


def ran(method, groups, seed=0):
    """Return what a method makes of groups of values."""
    one, made = clusters(groups)
    texts = replace_values(method, [one], made, np.random.default_rng(seed))["x"]
    values = iter([float(text) for text in texts])
    return [[next(values) for _ in group] for group in groups]


def half_away(value, digits=2):
    """Round as Go's `math.Round` of the scaled value."""
    scaled = value * 10**digits
    whole = math.trunc(scaled)
    return (whole + math.copysign(abs(scaled - whole) >= 0.5, scaled)) / 10**digits


@given(GROUPS)
def test_means_are_summed_in_order_and_rounded(groups):
    """Every record of a cluster gets its mean, half away from zero to two decimals."""
    expected = []
    for group in groups:
        total = 0.0
        for value in group:
            total += value
        expected.append([half_away(total / len(group))] * len(group))
    assert ran("meanAggregation", groups) == expected


@given(GROUPS)
def test_medians_are_not_rounded(groups):
    """Every record of a cluster gets its median."""
    expected = [[statistics.median(group)] * len(group) for group in groups]
    assert ran("medianAggregation", groups) == expected


@given(GROUPS)
def test_outliers_are_clipped_to_the_quartiles(groups):
    """Values go no further than the medians of the two halves, the middle one in neither."""
    expected = []
    for group in groups:
        half = len(group) // 2
        low, high = group[0], group[0]
        if half:
            low = statistics.median(sorted(group)[:half])
            high = statistics.median(sorted(group)[-half:])
        expected.append([min(max(value, low), high) for value in group])
    assert ran("outlier", groups) == expected


@given(GROUPS, st.integers(0, 5))
def test_swapping_keeps_the_values_of_each_cluster(groups, seed):
    """Swapping permutes: every cluster keeps its multiset of values."""
    assert list(map(sorted, ran("swapping", groups, seed))) == list(map(sorted, groups))


def test_swapping_draws_all_permutations_alike():
    """Each of the six permutations of three values comes about as often as the others."""
    found = [tuple(group) for group in ran("swapping", [[1.0, 2.0, 3.0]] * 6000)]
    counts = [found.count(one) for one in sorted(set(found))]
    assert len(counts) == 6
    assert max(abs(count - 1000) for count in counts) < 4 * math.sqrt(6000 / 6 * 5 / 6)


@pytest.mark.parametrize("method", NOISES)
@given(groups=GROUPS, seed=st.integers(0, 5))
def test_noise_stays_strictly_inside(method, groups, seed):
    """Noise lies strictly between a cluster's bounds; where they are one value, it stays."""
    for before, after in zip(groups, ran(method, groups, seed), strict=True):
        low, high = min(before), max(before)
        if low == high:
            assert after == before
        else:
            assert all(low < value < high for value in after)


def test_noise_ends_where_no_number_lies_between():
    """Neighbouring floats leave no room for noise: the cluster stays as it is."""
    group = [1.0, math.nextafter(1.0, 2.0)]
    assert ran("laplaceNoise", [group]) == [group]


@pytest.mark.parametrize(
    ("method", "variance"),
    [
        # Of the noise in units of the range, truncated to the range around its middle:
        # Laplace(1/4) on [-1/2, 1/2] and N(0, 1/2) on [-1/2, 1/2].
        ("laplaceNoise", (2 - math.exp(-2) * (2**2 + 2 * 2 + 2)) / (1 - math.exp(-2)) / 16),
        ("gaussianNoise", 0.25 * (1 - 2 * 0.24197072451914337 / 0.6826894921370859)),
    ],
)
def test_noise_has_its_scale(method, variance):
    """The noise of a value in the middle has the variance of its truncated distribution."""
    found = [group[1] for group in ran(method, [[0.0, 0.5, 1.0]] * 20_000, seed=3)]
    assert statistics.fmean(found) == pytest.approx(0.5, abs=4 * math.sqrt(variance / 20_000))
    assert statistics.variance(found) == pytest.approx(variance, rel=0.05)


def test_a_seed_repeats():
    """One seed gives one noise; another one another."""
    groups = [[1.0, 2.0, 3.0, 4.0]] * 3
    assert ran("laplaceNoise", groups, 7) == ran("laplaceNoise", groups, 7)
    assert ran("laplaceNoise", groups, 7) != ran("laplaceNoise", groups, 8)


def test_dates_are_calculated_with_to_the_day():
    """The mean of dates is the nearest day."""
    one = Attribute("d", "date", np.array([0.0, 1.0, 3.0]))
    made = clusters_of([one], [], models_of(3, 1, [], entropy=False))
    for method, day in (("meanAggregation", "1970-01-02"), ("medianAggregation", "1970-01-02")):
        found = replace_values(method, [one], made, np.random.default_rng(0))
        assert found["d"].to_list() == [f'"{day}"'] * 3


def test_generalization_prints_cells_or_ranges():
    """`cell` is what the cuts leave, `range` what a cluster holds; one cluster has both alike."""
    values = [Attribute("x", "number", np.array([1.0, 2, 8, 9])),
              Attribute("y", "number", np.array([5.0, 1, 2, 3]))]  # fmt: skip
    made = clusters_of(values, [], models_of(2, 1, [], entropy=False))
    random = np.random.default_rng(0)
    cell = replace_values("general", values, made, random)
    held = replace_values("general", values, made, random, "range")
    assert cell["x"].to_list() == held["x"].to_list() == ["[1,2]", "[1,2]", "[8,9]", "[8,9]"]
    assert cell["y"].to_list() == ["[1,5]"] * 4
    assert held["y"].to_list() == ["[1,5]", "[1,5]", "[2,3]", "[2,3]"]


@pytest.mark.parametrize("method", [one for one in METHODS if one not in OF_TEXTS])
def test_calculating_with_texts_is_refused(method):
    """A method that calculates refuses texts, and says which methods do not."""
    if method == "reidentification":
        return
    one, made = clusters([[0.0, 1.0]])
    words = Attribute("w", "text", one.values)
    with pytest.raises(SchemaError, match=r"'w' holds texts, .* NoAnonymizer, general, swapping"):
        replace_values(method, [words], made, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("given", "meant"),
    [("mean", "meanAggregation"), ("General", "general"), ("laplacenoize", "laplaceNoise")],
)
def test_unknown_methods_are_told_the_nearest(given, meant):
    """A method that does not exist is refused with the nearest name and all of them."""
    with pytest.raises(PolicyError, match=f"did you mean '{meant}'.*swapping"):
        check_method(given)
