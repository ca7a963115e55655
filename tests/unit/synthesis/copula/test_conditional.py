"""Laws of normal draws within boxes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import truncnorm

from copula_tables import latent
from kanonym.synthesis.copula.conditional import draw_between, draw_in_boxes

R = np.array([[1.0, 0.8, -0.5], [0.8, 1.0, -0.2], [-0.5, -0.2, 1.0]])


def boxes(n, lower, upper):
    """Return the same box n times."""
    return np.tile(lower, (n, 1)).astype(float), np.tile(upper, (n, 1)).astype(float)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ([0.5, -np.inf, -np.inf], [np.inf, 0.0, np.inf]),
        ([-1.0, 0.3, -0.5], [0.0, 1.0, 0.5]),
        ([-np.inf] * 3, [np.inf] * 3),
        ([1.0, -np.inf, -np.inf], [np.inf, np.inf, np.inf]),
    ],
    ids=str,
)
def test_draws_are_those_of_the_whole_that_lie_in_the_box(lower, upper):
    """Means and covariances are those of many free draws of which the ones in the box are kept."""
    random = np.random.default_rng(1)
    free = latent(1_000_000, random, R)
    kept = free[((free > lower) & (free < upper)).all(axis=1)]
    found = draw_in_boxes(*boxes(40_000, lower, upper), R, random)
    assert ((found >= lower) & (found <= upper)).all()
    assert found.mean(axis=0) == pytest.approx(kept.mean(axis=0), abs=0.03)
    assert np.cov(found.T) == pytest.approx(np.cov(kept.T), abs=0.03)


def test_a_point_is_a_box():
    """Where both bounds are one number, the coordinate is that, and the others go with it."""
    lower, upper = boxes(50_000, [1.5, -np.inf, -np.inf], [1.5, np.inf, np.inf])
    found = draw_in_boxes(lower, upper, R, np.random.default_rng(0))
    assert (found[:, 0] == 1.5).all()
    assert found[:, 1:].mean(axis=0) == pytest.approx(1.5 * R[0, 1:], abs=0.02)
    assert found[:, 1:].var(axis=0) == pytest.approx(1 - R[0, 1:] ** 2, abs=0.02)


@pytest.mark.parametrize("ends", [(-1, 2), (3, 4), (8, 9), (-30, -28), (30, np.inf)], ids=str)
def test_tails_are_drawn_to_the_last_digit(ends):
    """Bounds far from the mean give draws within them, of the right mean on either side."""
    n = 20_000
    low, high = np.full(n, float(ends[0])), np.full(n, float(ends[1]))
    found = draw_between(np.zeros(n), 1.0, low, high, np.random.default_rng(0))
    assert ((found >= low) & (found <= high)).all()
    expected = truncnorm.mean(*map(float, ends))
    assert found.mean() == pytest.approx(expected, abs=0.02)
    other = draw_between(np.zeros(n), 1.0, -high, -low, np.random.default_rng(0))
    assert other.mean() == pytest.approx(-expected, abs=0.02)


def test_bounds_beyond_all_probabilities_are_kept():
    """A box where a normal number never lies gives its nearest end, without a warning."""
    one = np.array([50.0])
    found = draw_between(np.zeros(1), 1e-4, one, one + 1, np.random.default_rng(0))
    assert found[0] == pytest.approx(50.0)
