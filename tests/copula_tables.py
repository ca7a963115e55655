"""Tables drawn from a Gaussian copula, to be imitated."""

from __future__ import annotations

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
    """Return (n, d) correlated normal numbers."""
    return np.random.default_rng(seed).multivariate_normal(
        np.zeros(len(correlation)), correlation, n, method="cholesky"
    )


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


def total_variation(first, second):
    """Return half the sum of absolute differences of two columns' shares of values."""
    shares = [column.value_counts(normalize=True) for column in (first, second)]
    name = first.name
    both = shares[0].join(shares[1], on=name, how="full", suffix="_2", nulls_equal=True)
    left, right = (both[one].fill_null(0.0) for one in ("proportion", "proportion_2"))
    return float((left - right).abs().sum() / 2)


def cramers_v(first, second):
    """Return Cramér's V of two columns."""
    codes = [column.rank("dense").to_numpy().astype(int) - 1 for column in (first, second)]
    table = np.zeros([code.max() + 1 for code in codes])
    np.add.at(table, tuple(codes), 1)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi = ((table - expected) ** 2 / expected).sum()
    return float(np.sqrt(chi / table.sum() / (min(table.shape) - 1)))
