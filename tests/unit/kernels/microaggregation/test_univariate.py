"""The compiled cut of sorted numbers against every cut there is, and its laws."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from effort import examples
from kanonym.kernels.microaggregation.univariate import optimal_cut
from twins import microaggregation as naive_univariate


@st.composite
def cases(draw):
    """Draw sorted numbers, often equal or with an outlier, and a k that they have.

    They are whole, and their squares are: what is summed is exact to both.
    """
    n = draw(st.integers(1, 13))
    top = draw(st.sampled_from([0, 1, 5, 100]))
    values = draw(st.lists(st.integers(-top, top), min_size=n, max_size=n))
    if draw(st.booleans()):
        values[0] = draw(st.sampled_from([-(10**6), 10**6]))
    k = draw(st.one_of(st.integers(1, n), st.sampled_from([n, max(1, n - 1), max(1, n // 2)])))
    return np.sort(np.array(values, float)), k


def sizes_of(labels):
    """Return the sizes of groups in their order."""
    counted = Counter(labels.tolist())
    return [counted[label] for label in range(len(counted))]


@given(cases())
@settings(max_examples=examples(300))
def test_no_other_cut_has_a_smaller_error(case):
    """The squared error is that of the best of all cuts; where one alone has it, that is found."""
    values, k = case
    sizes = sizes_of(optimal_cut(values, k))
    least, best = naive_univariate.best_cuts(values.tolist(), k)
    event(f"best cuts: {min(len(best), 3)}")
    assert naive_univariate.error_of(values.tolist(), sizes) == least
    if len(best) == 1:
        assert sizes == best[0]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.integers(1, 8))
@settings(max_examples=examples(200))
def test_groups_are_runs_of_k_to_twice_k_less_one(values, k):
    """Groups stand in the order of values, and each has k to 2 k - 1 of them."""
    k = min(k, len(values))
    labels = optimal_cut(np.sort(values), k)
    assert all(after - before in (0, 1) for before, after in pairwise([0, *labels.tolist()]))
    assert all(k <= size <= 2 * k - 1 for size in sizes_of(labels))


def slow_error(values, k):
    """Return the least squared error of sorted numbers, exactly: every last group is tried."""
    exact = [Fraction(value) for value in values]
    sums = [Fraction(0), *accumulate(exact)]
    squares = [Fraction(0), *accumulate(value * value for value in exact)]
    least = [Fraction(0)] + [None] * len(exact)
    for j in range(k, len(exact) + 1):
        least[j] = min(
            least[i] + squares[j] - squares[i] - (sums[j] - sums[i]) ** 2 / (j - i)
            for i in range(max(0, j - 2 * k + 1), j - k + 1)
            if least[i] is not None
        )
    return least[-1]


@given(st.integers(0, 2**32), st.integers(1, 12), st.sampled_from(["whole", "real", "skewed"]))
@settings(max_examples=examples(60))
def test_large_k_are_cut_as_well_as_small_ones(seed, k, kind):
    """Where last groups are not tried one by one, the error is the least there is, too."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(k, 90))
    drawn = {"whole": rng.integers(0, 30, n), "real": rng.normal(size=n)}
    values = np.sort(drawn.get(kind, rng.exponential(size=n) ** 6)).astype(float)
    found = optimal_cut(values, k, 1)
    sizes = sizes_of(found)
    assert all(k <= size <= 2 * k - 1 for size in sizes)
    error, least = naive_univariate.error_of(values.tolist(), sizes), slow_error(values, k)
    assert float(error) == pytest.approx(float(least), rel=1e-13, abs=1e-300)
    if kind == "whole":
        assert found.tolist() == optimal_cut(values, k, k + 1).tolist()


@pytest.mark.parametrize("shift", [0.0, 1e9])
def test_large_k_keep_their_precision(shift):
    """An outlier and numbers far from zero change no cut of large groups, either."""
    values = np.sort(np.random.default_rng(3).integers(0, 1000, 2000)).astype(float)
    labels = optimal_cut(values, 70)
    assert optimal_cut(values + shift, 70).tolist() == labels.tolist()
    others = optimal_cut(np.append(values, np.full(70, 1e12)), 70)
    assert others.tolist() == [*labels.tolist(), *[labels[-1] + 1] * 70]


def test_the_published_example():
    """Seven numbers in groups of 3: Stamm and Schaub 2024, "Faster optimal univariate ..."."""
    values = np.sort([6, 2, 0.7, 1.1, 5, 1, 5.1])
    assert optimal_cut(values, 3).tolist() == [0, 0, 0, 0, 1, 1, 1]


def test_groups_of_fixed_size_lose_more():
    """Two clumps of 4 and 5 are left whole, where groups of 3 would part them."""
    values = np.array([0.0, 1, 2, 3, 100, 101, 102, 103, 104])
    assert optimal_cut(values, 3).tolist() == [0] * 4 + [1] * 5


@pytest.mark.parametrize("outlier", [-1e12, -1e100])
def test_an_outlier_at_the_beginning_does_not_drown_the_rest(outlier):
    """What follows an outlier is cut as if it were not there."""
    values = np.array([0.0, 0, 5, 6, 6, 11, 12, 20, 20.5, 21])
    alone = sizes_of(optimal_cut(values[1:], 2))
    first, *others = sizes_of(optimal_cut(np.array([outlier, *values]), 2))
    assert first == 2
    assert others == alone


@pytest.mark.parametrize("shift", [1e9, -1e12])
def test_where_the_numbers_lie_does_not_matter(shift):
    """Numbers far from zero are cut as they are around it."""
    values = np.sort(np.random.default_rng(3).integers(0, 1000, 200)).astype(float)
    assert optimal_cut(values + shift, 4).tolist() == optimal_cut(values, 4).tolist()


def test_of_equal_cuts_the_last_group_is_the_smallest():
    """Among equal values nothing is lost by any cut, and groups are of k from the end."""
    assert sizes_of(optimal_cut(np.full(11, 7.0), 3)) == [5, 3, 3]


def test_k_of_1_leaves_every_number_alone():
    """With k = 1 nothing is lost."""
    assert optimal_cut(np.array([1.0, 1.0, 4.0]), 1).tolist() == [0, 1, 2]
