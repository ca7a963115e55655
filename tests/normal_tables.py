"""Tables of correlated normal numbers, cut and scaled, to be imitated."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

CORRELATION = np.array(
    [
        [1.0, 0.6, 0.3, -0.4, 0.2, 0.0],
        [0.6, 1.0, 0.2, 0.1, 0.3, 0.4],
        [0.3, 0.2, 1.0, -0.5, 0.0, 0.3],
        [-0.4, 0.1, -0.5, 1.0, 0.2, 0.0],
        [0.2, 0.3, 0.0, 0.2, 1.0, 0.0],
        [0.0, 0.4, 0.3, 0.0, 0.0, 1.0],
    ]
)


def latent(n, seed, correlation=CORRELATION):
    """Return (n, d) correlated normal numbers, the same on every processor: by sums alone."""
    drawn = np.random.default_rng(seed).standard_normal((len(correlation), n))
    rows = triangle(np.asarray(correlation).tolist())
    return np.stack([sum(a * z for a, z in zip(row, drawn, strict=False)) for row in rows], axis=1)


def triangle(correlation):
    """Return the rows of the lower triangle whose square a correlation is (Cholesky)."""
    rows = []
    for i, wanted in enumerate(correlation):
        row = []
        for other in rows:
            rest = wanted[len(row)] - sum(a * b for a, b in zip(row, other, strict=False))
            row.append(rest / other[-1])
        rows.append([*row, math.sqrt(wanted[i] - sum(a * a for a in row))])
    return rows


def cut(column, *lines):
    """Return the number of lines below each normal number."""
    return np.digitize(column, lines)


def people(n, seed):
    """Return six columns of numbers, whole numbers and categories whose order is no secret here.

    Income with two decimals, weight with none told, age in years, children, town and consent.
    """
    z = latent(n, seed)
    towns = np.array(["Delft", "Aalst", "Ghent", "Breda"])
    return [
        pl.Series("income", np.round(1000 * np.exp(z[:, 0] / 2), 2)),
        pl.Series("weight", 70 + 12 * z[:, 1]),
        pl.Series("age", np.clip(np.rint(40 + 7 * z[:, 2]), 25, 55).astype(np.int64)),
        pl.Series("children", cut(z[:, 3], 0.0, 0.6, 1.4)),
        pl.Series("town", towns[cut(z[:, 4], -0.7, 0.2, 1.0)]),
        pl.Series("consent", z[:, 5] > 0.5),
    ]
