"""Correlations of a Gaussian copula from mutual information."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from copula_tables import latent
from effort import examples
from kanonym.evaluation.risk.dependence import (
    correlation_of,
    expected_mutual_information,
    fit_correlation,
    mutual_information,
    positive_definite,
)
from kanonym.evaluation.risk.normal import rectangle_probabilities

counts = st.lists(st.integers(1, 6), min_size=1, max_size=5)


def information_of(table):
    """Return the mutual information of a table of counts or probabilities."""
    row, column = np.nonzero(table)
    return mutual_information(
        table[row, column].astype(float), table.sum(axis=1)[row], table.sum(axis=0)[column]
    )


def drawn(rng, n, correlation, shares):
    """Draw (n, d) codes from a copula whose attributes have these falling shares."""
    normal = ndtr(latent(n, rng, correlation))
    cells = [np.searchsorted(np.cumsum(s)[:-1], u) for s, u in zip(shares, normal.T, strict=True)]
    return np.stack(cells, axis=1).astype(np.int32)


def counted(codes):
    """Return distinct records, their weights, and the counts of the values."""
    distinct, weights = np.unique(codes, axis=0, return_counts=True)
    return distinct, weights, [np.bincount(column) for column in codes.T]


def test_information_of_known_tables():
    """Independence has no information; one value that tells the other has its entropy."""
    assert information_of(np.outer([1, 2, 3], [4, 5])) == pytest.approx(0.0, abs=1e-15)
    assert information_of(np.diag([1, 1, 2])) == pytest.approx(1.5 * math.log(2))


@given(counts, st.data())
@settings(max_examples=examples(60), deadline=None)
def test_expectation_of_small_tables(first, data):
    """The expected information is the sum over all hypergeometric cell counts."""
    n = sum(first)
    second = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    second = [*second, n - sum(second)] if sum(second) < n else [n]
    expected = 0.0
    for x in first:
        for y in second:
            for k in range(max(1, x + y - n), min(x, y) + 1):
                chance = math.comb(x, k) * math.comb(n - x, y - k) / math.comb(n, y)
                expected += chance * k / n * math.log(n * k / (x * y))
    found = expected_mutual_information(np.array(first), np.array(second))
    assert found == pytest.approx(expected, abs=1e-12)


def test_expectation_of_wide_cells():
    """Expanded cells give what a thousand shuffles give, within their error.

    2 n times the information is nearly chi-squared of 4 degrees, whose standard deviation is
    1/sqrt(2) of its mean.
    """
    first, second = np.array([9000, 7000, 4000]), np.array([12000, 5000, 3000])
    found = expected_mutual_information(first, second)
    shuffled = [information_of(table) for table in _shuffled(first, second, 1000)]
    assert found == pytest.approx(np.mean(shuffled), rel=5 / math.sqrt(2 * 1000))
    assert found == pytest.approx(4 / (2 * 20000), rel=1e-3)  # the chi-squared limit


def _shuffled(first, second, times):
    """Yield random tables that have these counts of rows and columns."""
    rng = np.random.default_rng(0)
    for _ in range(times):
        left, columns = first.copy(), []
        for y in second:
            columns.append(rng.multivariate_hypergeometric(left, y))
            left = left - columns[-1]
        yield np.stack(columns, axis=1)


@given(st.floats(0.02, 0.99), st.lists(st.integers(1, 50), min_size=2, max_size=8))
@settings(max_examples=examples(40), deadline=None)
def test_correlation_is_found_again(correlation, sizes):
    """The information of a copula's table gives back the copula's correlation."""
    falling = np.array(sorted(sizes, reverse=True))
    lines = np.append(0.0, np.cumsum(falling)) / falling.sum()
    table = rectangle_probabilities(lines, lines, correlation)
    found = correlation_of(information_of(table), falling, falling)
    assert found == pytest.approx(correlation, abs=2e-4)


def test_no_information_is_no_correlation():
    """Attributes that share less than chance gives are not correlated."""
    assert correlation_of(-0.01, np.array([3, 2]), np.array([4, 1])) == 0.0


def test_too_much_information_is_the_strongest_correlation():
    """Where no copula has so much information, the correlation stays just below one."""
    found = correlation_of(5.0, np.array([3, 2]), np.array([4, 1]))
    assert 0.9999 < found < 1.0


def test_many_rare_values_are_merged():
    """Thousands of rare values cost no accuracy that a sample would notice."""
    many = np.ones(3000, np.int64)
    correlation = 0.6
    information = -math.log(1 - correlation**2) / 2  # of the normal distribution itself
    assert correlation_of(information, many, many) == pytest.approx(correlation, abs=0.01)


def test_copula_of_a_sample():
    """The correlations of a copula are found from a sample of it."""
    correlation = np.array([[1.0, 0.6, 0.3], [0.6, 1.0, 0.5], [0.3, 0.5, 1.0]])
    shares = [np.array([0.5, 0.3, 0.2]), np.full(20, 0.05), np.array([0.6, 0.2, 0.1, 0.1])]
    codes = drawn(np.random.default_rng(0), 20_000, correlation, shares)
    found = fit_correlation(*counted(codes))
    assert found == pytest.approx(correlation, abs=0.03)


def test_chance_is_taken_out():
    """Independent attributes look dependent in a small sample, and the fit is not fooled.

    2 n times the information is nearly chi-squared of 19² = 361 degrees, mean 361 ± 27. Five
    standard deviations below, the plain correlation is 0.45; as far above the mean, what is
    left is 0.37.
    """
    codes = np.random.default_rng(0).integers(0, 20, (1000, 2)).astype(np.int32)
    raw = information_of(np.histogram2d(*codes.T, bins=20)[0])
    plain = correlation_of(raw, np.full(20, 50), np.full(20, 50))
    ours = fit_correlation(*counted(codes))[0, 1]
    assert ours < 0.4 < plain


def test_constant_attributes_are_not_correlated():
    """An attribute of one value depends on nothing."""
    codes = np.array([[0, 0], [0, 1], [0, 1]], np.int32)
    assert np.array_equal(fit_correlation(*counted(codes)), np.eye(2))


def test_indefinite_matrices_become_correlations():
    """An indefinite matrix becomes positive definite and keeps ones on its diagonal."""
    indefinite = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.9], [0.0, 0.9, 1.0]])
    found = positive_definite(indefinite)
    assert np.linalg.eigvalsh(found).min() > 0.0
    assert np.array_equal(np.diag(found), np.ones(3))
    assert found == pytest.approx(found.T)
    assert found == pytest.approx(indefinite, abs=0.25)
