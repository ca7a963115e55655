"""Slow twin of `kernels.risk.boxes`: one box and one point at a time, from the standard library."""

from __future__ import annotations

from statistics import NormalDist

NORMAL = NormalDist()


def naive_mean_products(codes, lower, upper, factor, points):
    """Return the list of means over the points of the products of conditional probabilities."""
    return [
        sum(
            _product(box, _at(lower, j), _at(upper, j), factor, point)
            for j, point in enumerate(points)
        )
        / len(points)
        for box in codes
    ]


def _at(sides, j):
    """Return every side at one point."""
    return [row[j] if len(row) > 1 else row[0] for row in sides]


def _product(box, lower, upper, factor, point):
    """Return the product of the conditional probabilities of one box at one point."""
    product, latent = 1.0, []
    for a, side in enumerate(box):
        mean = sum(factor[a][b] * latent[b] for b in range(a))
        low = NORMAL.cdf((lower[side] - mean) / factor[a][a])
        within = NORMAL.cdf((upper[side] - mean) / factor[a][a]) - low
        product *= within
        if a < len(box) - 1:
            at = low + point[a] * within
            latent.append(NORMAL.inv_cdf(min(max(at, 2.0**-53), 1.0 - 2.0**-53)))
    return product
