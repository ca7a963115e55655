"""Laws of the exponential mechanism: probabilities, and no candidate that cannot be drawn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from kanonym.differential_privacy.noise import SeededBits, SystemBits, _bounds, draw_candidate

UNLIKELY = 1e-4


@pytest.mark.parametrize("monotone", [False, True])
def test_candidates_are_drawn_by_the_exponential_of_their_score(monotone):
    """P ∝ exp(ε·s/(2Δ)), without the 2 for monotone scores; equal scores are equally frequent."""
    scores = np.array([3, 0, 7, 3, -20], np.int64)
    epsilon, sensitivity, draws = Fraction(3, 2), 4, 600
    bits = SeededBits(0)
    drawn = [
        draw_candidate(scores, epsilon, sensitivity, bits, monotone=monotone) for _ in range(draws)
    ]
    shares = np.exp(1.5 * scores / (sensitivity * (1 if monotone else 2)))
    expected = draws * shares / shares.sum()
    counts = np.bincount(drawn, minlength=5)
    assert stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), 4) > UNLIKELY


def test_the_shares_of_candidates_are_enclosed():
    """The bounds of cumulative shares hold the exact ones, and lie one unit apart."""
    gaps, sizes, x = [0, 1, 5, 4000], [2, 1, 7, 3], Fraction(1, 7)
    low, high = _bounds(x, gaps, sizes, 63)
    weights = np.exp(-float(x) * np.array(gaps, float)) * sizes
    shares = np.cumsum(weights)[:-1] / weights.sum()
    np.testing.assert_allclose(np.array(low, float) / 2**63, shares, rtol=1e-14)
    assert [b - a for a, b in zip(low, high, strict=True)] == [1, 1, 1]


def test_candidates_too_improbable_for_the_first_bits_are_reached_by_more():
    """Scores far below the best one are no certain losers: finer shares give them a place."""
    gaps, sizes = [0, 1000, 2000], [1, 1, 1]
    low, high = _bounds(Fraction(1), gaps, sizes, 63)
    assert (low, high) == ([2**63 - 1] * 2, [2**63] * 2)
    fine_low, _ = _bounds(Fraction(1), gaps, sizes, 2_000)
    assert fine_low[0] < 2**2_000 - 1


def test_one_candidate_is_always_drawn():
    """A choice of one takes the same path."""
    assert draw_candidate(np.array([-(2**62)], np.int64), Fraction(1), 1, SystemBits()) == 0


def test_the_whole_range_of_whole_numbers_is_no_overflow():
    """Distances between scores may exceed 64 bits."""
    ends = np.iinfo(np.int64)
    scores = np.array([ends.min, ends.max], np.int64)
    assert draw_candidate(scores, Fraction(1), 1, SystemBits()) == 1


def test_a_tiny_epsilon_draws_nearly_evenly():
    """With an ε near 0 the scores do not matter."""
    bits = SeededBits(2)
    scores = np.array([0, 10**6], np.int64)
    drawn = [draw_candidate(scores, Fraction(1, 10**12), 1, bits) for _ in range(400)]
    assert 140 < sum(drawn) < 260


@pytest.mark.parametrize(
    ("scores", "epsilon", "sensitivity"),
    [([], Fraction(1), 1), ([1], Fraction(0), 1), ([1], 1.0, 1), ([1], Fraction(1), 0)],
)
def test_a_draw_without_candidates_or_guarantee_is_refused(scores, epsilon, sensitivity):
    """No candidates, an ε that is no Fraction above 0, and a sensitivity of 0 are errors."""
    with pytest.raises(ValueError, match="a draw needs"):
        draw_candidate(np.array(scores, np.int64), epsilon, sensitivity, SystemBits())
