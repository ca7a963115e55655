"""Laws of exact noise: probabilities against the formula, against Decimal, against OpenDP."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from kanonym.differential_privacy.noise import (
    InverseTable,
    SeededBits,
    SystemBits,
    _size_thresholds,
    bernoulli,
    discrete_gaussian,
    exp_below,
)

DRAWS = 100_000
UNLIKELY = 1e-4


class GivenBits:
    """Words in a given order; one more is an error."""

    private = False

    def __init__(self, *words):
        self._words = list(words)

    def words(self, count):
        """Return the next words."""
        taken, self._words = self._words[:count], self._words[count:]
        assert len(taken) == count
        return np.array(taken, np.uint64)


def weights_of(x, most=400):
    """Return shares of the sizes 0, 1, … by their formula, with 60 digits."""
    with localcontext(Context(prec=60)):
        rate = Decimal(x.numerator) / Decimal(x.denominator)
        sizes = [(-rate * m * m).exp() * (2 if m else 1) for m in range(most)]
        total = sum(sizes)
        return [one / total for one in sizes]


def is_likely(drawn, shares):
    """Tell whether signed draws have sizes by these shares, by χ²; rare sizes count together."""
    expected = np.array([float(one) for one in shares]) * len(drawn)
    kept = int((expected >= 10).sum())
    counts = np.bincount(np.minimum(np.abs(drawn), kept - 1), minlength=kept)
    hoped = np.append(expected[: kept - 1], expected[kept - 1 :].sum())
    return stats.chi2.sf(((counts - hoped) ** 2 / hoped).sum(), kept - 1) > UNLIKELY


@pytest.mark.parametrize(
    "x", [Fraction(2), Fraction(1, 2), 1 / (2 * Fraction(289, 50) ** 2)], ids=str
)
@pytest.mark.parametrize("known", [63, 127])
def test_thresholds_enclose_the_distribution_function(x, known):
    """Each exact value of the distribution function lies between its bounds, which are near."""
    low, high = _size_thresholds(x, known)
    with localcontext(Context(prec=60)):
        below = Decimal(0)
        for a, b, share in zip(low, high, weights_of(x), strict=False):
            below += share
            assert a <= below * 2**known <= b
            assert b - a <= 1
        assert high[-1] == 2**known


@pytest.mark.parametrize(
    "x", [Fraction(0), Fraction(1, 10**9), Fraction(1), Fraction(355, 113), Fraction(90)]
)
def test_a_power_of_e_is_within_two_units(x):
    """The fixed-point number encloses exp(-x) from below."""
    with localcontext(Context(prec=120)):
        exact = (-Decimal(x.numerator) / Decimal(x.denominator)).exp() * 2**191
        assert exp_below(x, 191) <= exact < exp_below(x, 191) + 2


@pytest.mark.parametrize("sigma", [Fraction(1, 2), Fraction(1), Fraction(289, 50), Fraction(73)])
def test_gaussian_noise_has_the_exact_probabilities(sigma):
    """Sizes of discrete Gaussian draws are as frequent as P(x) ∝ exp(-x²/(2σ²)) says."""
    drawn = discrete_gaussian(sigma**2, DRAWS, SeededBits(1))
    assert drawn.dtype == np.int64
    assert is_likely(drawn, weights_of(1 / (2 * sigma**2)))


def test_both_signs_are_equally_frequent():
    """Of draws that are not 0, half are negative."""
    drawn = discrete_gaussian(Fraction(100), DRAWS, SeededBits(3))
    assert stats.binomtest(int((drawn < 0).sum()), int((drawn != 0).sum())).pvalue > UNLIKELY


def test_draws_of_the_system_differ():
    """No two runs over the system's bits give the same noise."""
    one, two = (discrete_gaussian(Fraction(10_000), 50, SystemBits()) for _ in range(2))
    assert (one != two).any()


@pytest.mark.parametrize("further", [0, 2**64 - 1])
def test_a_draw_that_meets_a_threshold_is_refined(further):
    """Where 63 bits do not decide a cell, the next ones do, as the exact value says."""
    x = Fraction(1, 2)
    low, high = _size_thresholds(x, 63)
    assert high[0] == low[0] + 1
    finer, _ = _size_thresholds(x, 127)
    table = InverseTable(lambda known: _size_thresholds(x, known))
    drawn = table.draw(1, GivenBits(low[0] << 1, further))
    assert drawn[0] == int((low[0] << 64 | further) >= finer[0])


def test_the_largest_draw_is_refined_beyond_the_table():
    """A draw of ones only is beyond every size of the first table, and gets a larger one."""
    low, _ = _size_thresholds(Fraction(1, 2), 63)
    table = InverseTable(lambda known: _size_thresholds(Fraction(1, 2), known))
    drawn = table.draw(1, GivenBits(2**64 - 1, 2**64 - 1, 0))
    assert drawn[0] > len(low)


@pytest.mark.parametrize("probability", [Fraction(1, 3), Fraction(1, 2), Fraction(1, 1000)])
def test_a_coin_has_its_probability(probability):
    """Coins fall as often as their probability says."""
    heads = int(bernoulli(probability, DRAWS, SeededBits(4)).sum())
    assert stats.binomtest(heads, DRAWS, float(probability)).pvalue > UNLIKELY


def test_certain_coins_are_certain():
    """Probabilities 0 and 1 leave nothing to chance."""
    assert not bernoulli(Fraction(0), 1000, SeededBits(0)).any()
    assert bernoulli(Fraction(1), 1000, SeededBits(0)).all()


@pytest.mark.parametrize("further", [0, 2**63, 2**64 - 1])
def test_a_coin_of_a_third_is_decided_by_further_bits(further):
    """A draw equal to the first 63 bits of 1/3 goes on, and is compared with 1/3 itself."""
    first = 2**63 // 3
    coin = bernoulli(Fraction(1, 3), 1, GivenBits(first << 1, further))
    assert coin[0] == (3 * (first << 64 | further) < 2**127)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: discrete_gaussian(2.0, 1, SeededBits(0)),
        lambda: discrete_gaussian(Fraction(0), 1, SeededBits(0)),
        lambda: discrete_gaussian(Fraction(10**11), 1, SeededBits(0)),
        lambda: bernoulli(Fraction(3, 2), 1, SeededBits(0)),
    ],
)
def test_parameters_that_are_no_exact_scale_are_refused(draw):
    """Floats, scales of 0 or beyond the largest table, and impossible probabilities are errors."""
    with pytest.raises(ValueError, match=r"Fraction|too large|probability"):
        draw()


def test_draws_are_distributed_as_those_of_opendp():
    """OpenDP's exact sampler and ours give the same distribution, by χ² of two samples."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    theirs = np.array(dp.m.make_gaussian(*space, scale=3.0)([0] * 20_000))
    ours = discrete_gaussian(Fraction(9), DRAWS, SystemBits())
    edge = 7
    counts = [np.bincount(np.clip(draws, -edge, edge) + edge) for draws in (ours, theirs)]
    assert stats.chi2_contingency(np.array(counts)).pvalue > UNLIKELY
