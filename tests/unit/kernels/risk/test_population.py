"""Laws of the estimators of population uniques: slow twins, limits, simulated populations."""

from __future__ import annotations

import math
from bisect import bisect
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kanonym.kernels.risk.population import (
    ESTIMATORS,
    dankar,
    harmonic,
    histogram,
    pitman,
    pitman_parameters,
    snb,
    zayatz,
)

CLASSES = st.lists(st.integers(1, 9), min_size=1, max_size=25)
MIXED = st.builds(
    lambda ones, others: [1] * ones + others,
    st.integers(1, 12),
    st.lists(st.integers(2, 9), min_size=1, max_size=12),
)
"""Sizes of classes, some of one record and some of more."""


def asked(estimator, sizes, population):
    """Estimate from a list of class sizes."""
    return estimator(*histogram(np.array(sizes, np.int64)), population)


def sample_of(population, fraction, seed=0):
    """Draw persons without replacement from (n_classes,) class sizes; return the class sizes."""
    rng = np.random.default_rng(seed)
    drawn = rng.multivariate_hypergeometric(population, int(fraction * population.sum()))
    return drawn[drawn > 0]


# --- what needs no estimate ----------------------------------------------------------


@pytest.mark.parametrize("name", ESTIMATORS)
def test_no_sample_unique_means_no_population_unique(name):
    """A sample without a class of one has an estimate of 0."""
    assert asked(ESTIMATORS[name], [2, 2, 7], 1000) == 0
    assert asked(ESTIMATORS[name], [], 1000) == 0


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_whole_population_is_counted(name):
    """Where the sample is the population, the uniques are those of the sample."""
    assert asked(ESTIMATORS[name], [1, 1, 3, 4], 9) == 2


@pytest.mark.parametrize("name", ESTIMATORS)
def test_all_unique_in_the_sample_means_everybody(name):
    """Where no two records of the sample agree, every person of the population is unique."""
    assert asked(ESTIMATORS[name], [1] * 50, 1000) == 1000


@pytest.mark.parametrize("name", ESTIMATORS)
@given(sizes=CLASSES, more=st.integers(0, 10**6))
def test_estimates_are_numbers_of_persons(name, sizes, more):
    """Every estimate lies between no person and all of them; Zayatz and Dankar always have one."""
    population = sum(sizes) + more
    estimate = asked(ESTIMATORS[name], sizes, population)
    if name in ("zayatz", "dankar"):
        assert not math.isnan(estimate)
    assert math.isnan(estimate) or 0 <= estimate <= population * (1 + 1e-9)


@pytest.mark.parametrize("estimator", [zayatz, snb, dankar])
def test_nearly_everybody_sampled_is_nearly_counted(estimator):
    """As the sampling fraction goes to 1, the estimate goes to the uniques of the sample."""
    population = 1 + np.random.default_rng(3).negative_binomial(0.5, 0.2, 3000)
    sizes = sample_of(population, 0.9999)
    uniques = int((sizes == 1).sum())
    assert asked(estimator, sizes, int(population.sum())) == pytest.approx(uniques, rel=0.01)


# --- twins ---------------------------------------------------------------------------


def naive_zayatz(sizes, population):
    """Apply Bayes' rule with exact hypergeometric probabilities."""
    n, u = sum(sizes), len(sizes)
    draws = math.comb(population, n)

    def once(j):  # one of j persons is drawn
        return Fraction(j * math.comb(population - j, n - 1), draws)

    s_1 = sizes.count(1)
    share = Fraction(s_1, u) * once(1) / sum(Fraction(1, u) * once(j) for j in sizes)
    return s_1 * share * Fraction(population, n)


@given(sizes=MIXED, more=st.integers(1, 300))
def test_zayatz_is_bayes_rule(sizes, more):
    """The estimate is that of exact hypergeometric probabilities, in fractions."""
    population = sum(sizes) + more
    expected = float(naive_zayatz(sizes, population))
    assert asked(zayatz, sizes, population) == pytest.approx(expected, rel=1e-10)


def log_likelihood(sizes, theta, alpha):
    """Return the logarithm of Pitman's formula, but for what does not depend on the parameters."""
    u, n = len(sizes), sum(sizes)
    classes = sum(math.log(theta + i * alpha) for i in range(1, u))
    within = sum(math.log(i - alpha) for size in sizes for i in range(1, size))
    return classes + within - sum(math.log(theta + i) for i in range(1, n))


@given(sizes=MIXED.map(lambda sizes: [*sizes, 2 + max(sizes)]))
def test_pitman_parameters_are_the_most_likely(sizes):
    """No other alpha and theta nearby or on a coarse grid make the sample more likely."""
    theta, alpha = pitman_parameters(*histogram(np.array(sizes)))
    assume(not math.isnan(alpha))
    best = log_likelihood(sizes, theta, alpha)
    smallest = theta + alpha if alpha > 0 else theta + (len(sizes) - 1) * alpha
    assert smallest > 0
    assert alpha < 1
    others = [
        (theta + sign * step * smallest, alpha) for sign in (-1, 1) for step in (1e-4, 0.1, 0.5)
    ]
    others += [(theta, alpha + step) for step in (-1e-4, 1e-4)]
    others += [(t, a) for t in (0.01, 0.5, 3, 30, 500) for a in (0.0, 0.1, 0.5, 0.9)]
    for t, a in others:
        if a < 1 and min(t + a, t + (len(sizes) - 1) * a) > 0:
            assert log_likelihood(sizes, t, a) <= best + 1e-9 * max(1, abs(best))


@pytest.mark.parametrize("sizes", [[1, 1, 1], [5], [2, 2, 2, 1], [1]])
def test_pitman_has_no_estimate_without_a_maximum(sizes):
    """All unique, one class, or classes more equal than by chance: no parameters are best."""
    assert all(math.isnan(one) for one in pitman_parameters(*histogram(np.array(sizes))))


def test_pitman_is_the_expected_number_of_classes_of_one():
    """The estimate is the mean of simulated populations with the sample's parameters."""
    sizes = [1] * 6 + [2, 2, 3, 5, 8]
    population = 60
    theta, alpha = pitman_parameters(*histogram(np.array(sizes)))
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2000):
        classes = [1]
        for i in range(1, population):
            if rng.random() < (theta + alpha * len(classes)) / (theta + i):
                classes.append(1)
            else:
                ends = list(accumulate(size - alpha for size in classes))
                classes[bisect(ends, rng.random() * ends[-1])] += 1
        found.append(classes.count(1))
    error = np.std(found) / math.sqrt(len(found))
    assert asked(pitman, sizes, population) == pytest.approx(np.mean(found), abs=4 * error)


@given(a=st.floats(1e-6, 1e9), m=st.integers(0, 300))
def test_harmonic_is_a_sum_of_reciprocals(a, m):
    """The series is the sum, added up term by term."""
    expected = math.fsum(1 / (a + i) for i in range(m))
    assert harmonic(a, float(m)) == pytest.approx(expected, rel=1e-12)


def generated(alpha, beta, fraction, n=4000):
    """Return P(1) and P(2) of a thinned 1 + negative binomial, by summing over its values."""
    one = two = 0.0
    weight = beta**alpha
    for x in range(n):
        size = x + 1
        one += weight * size * fraction * (1 - fraction) ** (size - 1)
        two += weight * math.comb(size, 2) * fraction**2 * (1 - fraction) ** (size - 2)
        weight *= (alpha + x) / (x + 1) * (1 - beta)
    return one, two


@pytest.mark.parametrize(("alpha", "beta"), [(0.3, 0.2), (1.0, 0.5), (2.5, 0.8)])
@pytest.mark.parametrize("fraction", [0.15, 0.5, 0.9])
def test_snb_solves_its_equations(alpha, beta, fraction):
    """From the expected classes of one and of two, the model's own parameters are found again."""
    from kanonym.kernels.risk.population import _expected_ratio

    one, two = generated(alpha, beta, fraction)
    drawn, unique = _expected_ratio(math.log(beta / (1 - beta)), fraction, two / one)
    assert drawn == pytest.approx(one, rel=1e-9)
    assert unique == pytest.approx(beta**alpha, rel=1e-9)


def test_snb_needs_classes_of_two():
    """Without a class of two records its equations have no solution."""
    assert math.isnan(asked(snb, [1, 1, 3, 3], 100))


def test_dankar_takes_pitman_for_small_samples_and_the_smaller_of_two_for_large():
    """The rule looks at the sampling fraction, and falls back on Zayatz."""
    sizes = [1] * 40 + [2] * 12 + [3] * 5 + [9, 20, 30]
    n = sum(sizes)
    small, large = n * 10, n * 5
    assert asked(dankar, sizes, small) == asked(pitman, sizes, small)
    both = asked(snb, sizes, large), asked(zayatz, sizes, large)
    assert asked(dankar, sizes, large) == min(both)
    equal = [2] * 30 + [1]
    assert math.isnan(asked(pitman, equal, 10**6))
    assert asked(dankar, equal, 10**6) == asked(zayatz, equal, 10**6)


# --- simulated populations -----------------------------------------------------------

SKEWED = np.minimum(np.random.default_rng(5).zipf(1.6, 4000), 10_000)
MIXED = 1 + np.random.default_rng(6).negative_binomial(0.5, 0.2, 3000)


@pytest.mark.parametrize(
    ("population", "estimator", "fraction", "factor"),
    [
        (SKEWED, pitman, 0.05, 2),
        (SKEWED, pitman, 0.5, 1.2),
        (SKEWED, zayatz, 0.5, 1.2),
        (SKEWED, dankar, 0.01, 2),
        (SKEWED, dankar, 0.2, 1.2),
        (MIXED, snb, 0.2, 1.5),
        (MIXED, snb, 0.5, 1.25),
        (MIXED, zayatz, 0.9, 1.1),
        (MIXED, dankar, 0.2, 1.5),
        (MIXED, dankar, 0.9, 1.1),
    ],
)
def test_estimates_are_near_the_truth(population, estimator, fraction, factor):
    """Of a sample from a known population, the estimate is within a factor of its uniques."""
    truth = int((population == 1).sum())
    for seed in range(3):
        estimate = asked(estimator, sample_of(population, fraction, seed), int(population.sum()))
        assert truth / factor <= estimate <= truth * factor


def test_one_histogram_gives_one_number():
    """Estimates depend on the sizes alone, not on their order."""
    sizes = sample_of(SKEWED, 0.05)
    for estimator in ESTIMATORS.values():
        assert asked(estimator, sizes, 10**6) == asked(estimator, sizes[::-1], 10**6)
