"""Probabilities of boxes: against scipy, the independent case and the whole space."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from kanonym.evaluation.risk.normal import (
    Sides,
    box_probabilities,
    lattice,
    rectangle_probabilities,
)


def correlation_of(rng, d):
    """Return a random correlation matrix of d dimensions."""
    factor = rng.normal(size=(d, d)) + np.eye(d)
    covariance = factor @ factor.T
    scale = np.sqrt(np.diag(covariance))
    return covariance / np.outer(scale, scale)


def grid(rng, d, n_values):
    """Return d dimensions that are cut into cells at random quantiles."""
    sides = []
    for _ in range(d):
        shares = rng.dirichlet(np.ones(n_values))
        lines = ndtri(np.append(np.cumsum(np.append(0.0, shares))[:-1], 1.0))[:, None]
        sides.append(Sides(lines[:-1], lines[1:]))
    return sides


def of_one_factor(sides, code, loadings):
    """Return a box's probability where only one common factor correlates the dimensions.

    Given the factor they are independent; the trapezoidal rule over it is exact to rounding.
    """
    factor = np.linspace(-9, 9, 2001)
    product = np.exp(-(factor**2) / 2) / np.sqrt(2 * np.pi)
    for side, value, loading in zip(sides, code, loadings, strict=True):
        lines = side.lower[value], side.upper[value]
        below, above = ((line - loading * factor) / np.sqrt(1 - loading**2) for line in lines)
        product = product * (ndtr(above) - ndtr(below))
    return product.sum() * (factor[1] - factor[0])


@pytest.mark.parametrize("d", [2, 3, 4])
def test_boxes_have_the_integral_over_a_common_factor(d):
    """The mean over 16 lattices is the integral, as far as their own spread tells.

    A lattice's shift is random, so its mean has no bias: by Student's t of 15 degrees, one mean
    in five million is off by more than nine of its standard errors.
    """
    rng = np.random.default_rng(d)
    loadings = rng.integers(-8, 9, d) / 10
    correlation = np.where(np.eye(d), 1.0, np.outer(loadings, loadings))
    sides = grid(rng, d, 3)
    codes = rng.integers(0, 3, (5, d)).astype(np.int32)
    points = [lattice(1024, d - 1, seed) for seed in range(16)]
    found = np.array([box_probabilities(codes, sides, correlation, one) for one in points])
    expected = np.array([of_one_factor(sides, code, loadings) for code in codes])
    errors = found.std(axis=0, ddof=1) / 4
    assert (np.abs(found.mean(axis=0) - expected) <= 9 * errors + 1e-12).all()
    assert errors.max() < 1e-4


def test_independent_boxes_are_products():
    """Without correlation, a box's probability is the product of its sides', exactly."""
    rng = np.random.default_rng(1)
    sides = grid(rng, 7, 5)
    codes = rng.integers(0, 5, (200, 7)).astype(np.int32)
    found = box_probabilities(codes, sides, np.eye(7), lattice(16, 6, 0))
    widths = [(ndtr(s.upper) - ndtr(s.lower))[codes[:, a], 0] for a, s in enumerate(sides)]
    assert found == pytest.approx(np.prod(widths, axis=0), rel=1e-12)


def test_cells_of_a_grid_sum_to_one():
    """The cells of a grid over the whole space have probability one together."""
    rng = np.random.default_rng(2)
    codes = np.array(list(itertools.product(range(3), repeat=5)), np.int32)
    correlation = correlation_of(rng, 5)
    found = box_probabilities(codes, grid(rng, 5, 3), correlation, lattice(64, 4, 0))
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


def test_order_of_boxes_does_not_count():
    """Boxes have the same probability in any order, also across chunks."""
    rng = np.random.default_rng(3)
    sides, correlation = grid(rng, 3, 4), correlation_of(rng, 3)
    codes = rng.integers(0, 4, (300, 3)).astype(np.int32)
    order = rng.permutation(300)
    points = lattice(512, 2, 0)
    there = box_probabilities(codes, sides, correlation, points)
    shuffled = box_probabilities(codes[order], sides, correlation, points)
    assert np.array_equal(there[order], shuffled)


def test_sides_may_differ_from_point_to_point():
    """Sides of each point give the mean over the points of what each side gives alone."""
    lower = ndtri(np.array([[0.1, 0.2, 0.6]]))
    upper = ndtri(np.array([[0.3, 0.9, 0.7]]))
    zero = np.zeros((1, 1), np.int32)
    found = box_probabilities(zero, [Sides(lower, upper)], np.eye(1), np.empty((3, 0)))
    assert found == pytest.approx([(0.2 + 0.7 + 0.1) / 3])


@pytest.mark.parametrize("correlation", [-0.7, 0.0, 0.3, 0.999])
def test_rectangles_agree_with_scipy(correlation):
    """The cells of a grid in two dimensions are differences of scipy's function."""
    lines = np.array([0.0, 0.15, 0.5, 0.8, 1.0])
    found = rectangle_probabilities(lines, lines[[0, 2, 3, 4]], correlation)
    normal = multivariate_normal(cov=[[1.0, correlation], [correlation, 1.0]])
    at = np.clip(ndtri(lines), -9.0, 9.0)
    below = np.array([[normal.cdf([x, y]) for y in at[[0, 2, 3, 4]]] for x in at])
    assert found == pytest.approx(np.diff(np.diff(below, axis=0), axis=1), abs=1e-7)
    assert found.sum() == pytest.approx(1.0, abs=1e-14)


def test_rectangles_without_correlation_are_products():
    """Without correlation, cells are products of the shares, to the last digits."""
    first, second = np.array([0.0, 0.5, 1.0]), np.array([0.0, 1e-6, 0.3, 1.0])
    found = rectangle_probabilities(first, second, 0.0)
    assert found == pytest.approx(np.outer(np.diff(first), np.diff(second)), abs=1e-15)


def test_lattice_is_open_and_fixed_by_its_seed():
    """Points lie inside the unit cube; one seed gives one lattice, another another."""
    points = lattice(1000, 30, 5)
    assert points.shape == (1000, 30)
    assert 0.0 < points.min() < points.max() < 1.0
    assert np.array_equal(points, lattice(1000, 30, 5))
    assert not np.array_equal(points, lattice(1000, 30, 6))
    assert points.mean(axis=0) == pytest.approx(np.full(30, 0.5), abs=0.01)
