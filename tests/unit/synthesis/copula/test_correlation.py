"""Laws of the correlations of a copula, and of orders for values that have none."""

from __future__ import annotations

import numpy as np
import pytest

from copula_tables import cut, latent
from kanonym.evaluation.risk.normal import rectangle_probabilities
from kanonym.synthesis.copula.axes import bin_axis
from kanonym.synthesis.copula.correlation import fit_correlation, pair_correlation
from kanonym.synthesis.copula.nominal import Attribute, order_nominal

N = 40_000


def axis(codes, **how):
    """Return an axis of codes from 0."""
    shares = np.bincount(codes) / len(codes)
    return bin_axis(
        codes.astype(np.int32), np.concatenate([[0], np.cumsum(shares)[:-1], [1]]), **how
    )


def two(strength, seed=0, n=N):
    """Return (n, 2) normal numbers of one correlation."""
    return latent(n, seed, np.array([[1.0, strength], [strength, 1.0]]))


HALVES, UNEVEN, FEW, FINE = (
    ((0.0,), (0.0,)),
    ((1.2,), (-0.5,)),
    ((-1, 1), (0, 0.5, 2)),
    ((0.3,), np.arange(-3, 3, 0.02)),
)


@pytest.mark.parametrize(
    ("lines", "strength"),
    # Two lines far apart cannot tell strong correlations from each other.
    [(lines, one) for lines in (HALVES, FEW, FINE) for one in (-0.95, -0.5, 0, 0.2, 0.7, 0.99)]
    + [(UNEVEN, one) for one in (-0.4, 0, 0.2, 0.5)],
)
def test_the_correlation_before_the_cut_is_found(lines, strength):
    """However coarsely a normal pair is cut, its own correlation is found, of either sign."""
    z = two(strength)
    first, second = (axis(cut(z[:, i], *lines[i])) for i in (0, 1))
    assert pair_correlation(first, second, 0.0) == pytest.approx(strength, abs=0.03)


def test_equal_columns_have_nearly_one():
    """Columns that determine each other have a correlation just below 1."""
    codes = cut(two(0)[:, 0], -1, 0, 1)
    assert 0.9999 < pair_correlation(axis(codes), axis(codes), 0.0) < 1
    assert -1 < pair_correlation(axis(codes), axis(3 - codes), 0.0) < -0.9999


def test_rare_values_that_never_met_say_little():
    """Two values of 30 records among 1,000 that share none are not taken to exclude each other."""
    first, second = np.zeros(1000, int), np.zeros(1000, int)
    first[:30] = second[-30:] = 1
    assert abs(pair_correlation(axis(first), axis(second), 0.0)) < 0.1


def test_records_without_a_value_do_not_count():
    """A pair is judged by the records that have both values."""
    z = two(0.6)
    codes = [cut(z[:, i], -1, 0, 1) for i in (0, 1)]
    there = np.random.default_rng(0).random(N) < 0.5
    full = axis(codes[0])
    some = full._replace(codes=np.where(there, full.codes, full.size))
    assert pair_correlation(some, axis(codes[1]), 0.0) == pytest.approx(0.6, abs=0.03)
    nobody = full._replace(codes=np.full(N, full.size))
    assert pair_correlation(nobody, axis(codes[1]), 0.0) == 0.0


def test_nominal_pairs_keep_their_information():
    """Columns that agree but for one record in ten are tied as closely as that says."""
    random = np.random.default_rng(0)
    first = random.integers(0, 8, N)
    second = np.where(random.random(N) < 0.1, random.integers(0, 8, N), first)
    ordered = pair_correlation(axis(first), axis(second), 0.0)
    nominal = pair_correlation(axis(first, is_nominal=True), axis(second, is_nominal=True), 0.0)
    assert 0.85 < ordered < 0.95
    assert 0.95 < nominal < 1


def test_the_matrix_is_symmetric():
    """Each pair has one correlation, each axis 1 with itself."""
    z = latent(5000, 1)
    found = fit_correlation([axis(cut(z[:, i], -0.5, 0.5)) for i in range(6)], [0.0] * 6)
    assert (found == found.T).all()
    assert (np.diag(found) == 1).all()


def nominal(codes):
    """Return an attribute without an order."""
    return Attribute(codes.astype(np.int64), np.bincount(codes) / len(codes), is_nominal=True)


@pytest.mark.parametrize("seed", range(4))
def test_a_hidden_order_is_found_again(seed):
    """Values named at random are put into the order, or its reverse, in which they were cut."""
    z = two(0.6, seed)
    hidden = np.random.default_rng(seed).permutation(6)
    codes = hidden[cut(z[:, 0], -1.3, -0.6, 0.0, 0.6, 1.3)]
    bins = axis(cut(z[:, 1], *np.arange(-2, 2, 0.2)))
    number = Attribute(bins.codes, np.diff(bins.lines), is_nominal=False)
    found = order_nominal([nominal(codes), number])[0].order.tolist()
    assert found in (hidden.tolist(), hidden[::-1].tolist())


def test_two_nominal_attributes_find_each_other():
    """Of two attributes cut from one pair, both orders are found, and they agree."""
    z = two(0.8)
    hidden = [np.random.default_rng(i).permutation(5) for i in (0, 1)]
    codes = [hidden[i][cut(z[:, i], -1, -0.3, 0.3, 1)] for i in (0, 1)]
    found = order_nominal([nominal(one) for one in codes])
    for turn in (1, -1):
        if found[0].order.tolist() == hidden[0][::turn].tolist():
            assert found[1].order.tolist() == hidden[1][::turn].tolist()
            return
    pytest.fail("no order is the hidden one")


def test_an_order_by_chance_says_so():
    """Where nothing goes with anything, an order explains no more than chance does."""
    random = np.random.default_rng(0)
    one = nominal(random.integers(0, 50, 2000))
    other = nominal(random.integers(0, 3, 2000))
    assert order_nominal([one, other])[0].chance > 0.6
    alone = order_nominal([one])[0]
    assert sorted(alone.order.tolist()) == list(range(50))


@pytest.mark.parametrize("correlation", [-0.9, -0.5, 0.01, 0.3, 0.75, 0.9])
@pytest.mark.parametrize("sizes", [(1, 3), (2, 2), (5, 32), (32, 32)])
def test_a_covariance_is_the_same_as_a_series_and_as_a_sum_over_cells(correlation, sizes):
    """Up to a correlation of 0.9 the series in it leaves out less than 1e-6."""
    random = np.random.default_rng(sizes[1])
    first, second = (
        bin_axis(np.zeros(1, np.int32), np.append(np.cumsum(shares) - shares, 1.0))
        for shares in (random.dirichlet(np.ones(size)) for size in sizes)
    )
    cells = rectangle_probabilities(first.lines, second.lines, correlation)
    powers = correlation ** np.arange(1, len(first.coefficients) + 1)
    series = first.coefficients * second.coefficients @ powers
    assert series == pytest.approx(first.scores @ cells @ second.scores, abs=1e-6)
