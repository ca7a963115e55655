"""The only place where synthesis looks at records: counts, noisy counts, and draws by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.differential_privacy.accounting import Budget, rho_of_exponential, rho_of_gaussian
from kanonym.differential_privacy.bits import Bits
from kanonym.differential_privacy.noise import discrete_gaussian
from kanonym.differential_privacy.selection import draw_candidate
from kanonym.synthesis.marginals.fitting import Measurement
from kanonym.synthesis.marginals.graphical_model import Table
from kanonym.synthesis.marginals.junction_tree import Attributes, cells_of
from kanonym.synthesis.marginals.rare_cells import shares_within
from kanonym.synthesis.marginals.records import share_out

Pooling = Callable[[Table, float], NDArray[np.int32]]
"""From the noisy counts of an attribute's cells, and the least count of one, to fewer cells."""

GRID = 1 << 10
"""Scores are whole numbers of 1/1024 of a record."""
FINE = 1 << 40
"""Variances and ε are multiples of 1/FINE, moved to the side that costs less privacy."""


class PrivateRecords:
    """Records that are only seen through mechanisms that are paid for.

    codes: (attributes, n) integers, the cell of each record in each attribute; the records' own
    from now on.
    """

    def __init__(
        self,
        codes: NDArray[Any],
        sizes: Sequence[int],
        per_person: int,
        budget: Budget,
        bits: Bits,
        pooling: Mapping[int, Pooling],
    ) -> None:
        self._codes = codes
        self.sizes = tuple(sizes)
        self._per_person = per_person
        self.budget = budget
        self.bits = bits
        self.measured: dict[Attributes, Measurement] = {}
        self._counts: dict[Attributes, NDArray[np.int64]] = {}
        self._pooling = dict(pooling)
        self._spread: dict[int, Table] = {}

    def variance_for(self, rho: Fraction) -> Fraction:
        """Return the least variance with which a measurement costs at most ρ."""
        exact = Fraction(self._per_person**2) / (2 * rho)
        return Fraction(-(-exact.numerator * FINE // exact.denominator), FINE)

    def cost_of(self, variance: Fraction, epsilon: Fraction) -> Fraction:
        """Return ρ of one measurement and one choice."""
        return rho_of_gaussian(variance, self._per_person**2) + rho_of_exponential(epsilon)

    def measure(self, attributes: Attributes, variance: Fraction, name: str) -> None:
        """Count a marginal, add discrete Gaussian noise, and keep the sum."""
        self.budget.spend(name, rho_of_gaussian(variance, self._per_person**2))
        counts = self._count(attributes)
        noisy = counts + discrete_gaussian(variance, counts.size, self.bits)
        values = noisy.reshape([self.sizes[attribute] for attribute in attributes])
        precision = np.full(values.shape, float(1 / variance))
        if attributes in self.measured:
            self.measured[attributes].add(values, precision)
        else:
            self.measured[attributes] = Measurement(values.astype(np.float64), precision)

    def pool(self, least: float) -> None:
        """Count cells together that have fewer records than `least` by what was measured so far.

        Only attributes alone may have been measured.
        """
        sizes = list(self.sizes)
        for one, pooling in self._pooling.items():
            measurement = self.measured[one,]
            pooled = pooling(measurement.values, least)
            if pooled.max() + 1 == sizes[one]:
                continue
            self._spread[one] = shares_within(measurement.values, pooled)
            self._codes[one] = pooled[self._codes[one]]
            sizes[one] = int(pooled.max()) + 1
            values = np.bincount(pooled, measurement.values).astype(np.float64)
            precision = 1 / np.bincount(pooled, 1 / measurement.precision).astype(np.float64)
            self.measured[one,] = Measurement(values, precision)
        self.sizes, self._counts = tuple(sizes), {}

    def unpool(self, cells: NDArray[np.int32], random: np.random.Generator) -> NDArray[np.int32]:
        """Return records with the cells that attributes had before, shared out by noisy counts."""
        for one, table in self._spread.items():
            cells[one] = share_out(table, cells[one].astype(np.int64), random)
        return cells

    def choose(
        self,
        expected: Mapping[Attributes, Table],
        weights: Mapping[Attributes, int],
        allowance: float,
        epsilon: Fraction,
    ) -> Attributes:
        """Draw the set whose counts differ most from what a model expects.

        The score is weight·(‖counts - expected‖₁ - allowance·cells). A record changes it by at
        most the weight, times the records of a person. What is expected is rounded to the grid
        before, so a score is a whole number and its sensitivity holds exactly.
        """
        self.budget.spend("choice of attributes", rho_of_exponential(epsilon))
        candidates = list(expected)
        scores = np.empty(len(candidates), np.int64)
        per_cell = round(allowance * GRID)
        for place, one in enumerate(candidates):
            rounded = np.rint(expected[one].ravel() * GRID).astype(np.int64)
            apart = int(np.abs(self._count(one) * GRID - rounded).sum())
            scores[place] = weights[one] * (apart - per_cell * rounded.size)
        sensitivity = GRID * self._per_person * max(weights[candidate] for candidate in candidates)
        return candidates[draw_candidate(scores, epsilon, sensitivity, self.bits)]

    def _count(self, attributes: Attributes) -> NDArray[np.int64]:
        """Return the counts of a marginal, in C order."""
        if attributes not in self._counts:
            cells = cells_of(attributes, self.sizes)
            place = np.zeros(self._codes.shape[1], np.int64)
            for attribute in attributes:
                place *= self.sizes[attribute]
                place += self._codes[attribute]
            self._counts[attributes] = np.bincount(place, minlength=cells).astype(np.int64)
        return self._counts[attributes]


def epsilon_for(rho: Fraction) -> Fraction:
    """Return the largest ε, on a grid, with which a draw costs at most ρ = ε²/8."""
    return Fraction(isqrt(8 * rho.numerator * FINE**2 // rho.denominator), FINE)
