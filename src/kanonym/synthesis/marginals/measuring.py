"""Marginals that are measured with noise, and which: MST and AIM."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from math import comb, isqrt, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.differential_privacy.ledger import Budget, rho_of_exponential, rho_of_gaussian
from kanonym.differential_privacy.noise import Bits, discrete_gaussian, draw_candidate
from kanonym.kernels.arrays import Bools, Floats, Int32s, Ints
from kanonym.synthesis.marginals.fitting import Measurement, Potentials, estimate_total, fit_model
from kanonym.synthesis.marginals.graphical_model import Attributes, GraphicalModel, cells_of


def pool_rare(noisy: Floats, least: float) -> Int32s:
    """Return (cells,) int32, a new cell for each: one for all that have fewer records than `least`.

    It comes last; the others keep their order.
    """
    rare = noisy < least
    kept = np.cumsum(~rare) - 1
    return np.where(rare, (~rare).sum(), kept).astype(np.int32)


def pool_neighbours(noisy: Floats, least: float) -> Int32s:
    """Return (cells,) int32, a new cell for each: neighbours, until they have `least` records."""
    found = np.zeros(len(noisy), np.int32)
    at, together = 0, 0.0
    for place, count in enumerate(noisy):
        found[place] = at
        together += count
        if together >= least:
            at, together = at + 1, 0.0
    if at and together < least:
        found[found == at] = at - 1  # what is left over at the end
    return found


def shares_within(noisy: Floats, pooled: Int32s) -> Floats:
    """Return (new cells, cells) float64, how records of each new cell are spread over its cells.

    The nearest counts to the noisy ones that are not negative and have the same sum; evenly, where
    the sum is not positive.
    """
    table = np.zeros((int(pooled.max()) + 1, len(pooled)))
    for new, row in enumerate(table):
        within = np.flatnonzero(pooled == new)
        row[within] = _nearest_shares(noisy[within])
    return table


def _nearest_shares(noisy: Floats) -> Floats:
    total = noisy.sum()
    if total <= 0:
        return np.full(len(noisy), 1 / len(noisy))
    falling = np.sort(noisy)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(noisy) + 1)
    cut = excess[np.flatnonzero(falling > excess)[-1]]
    shares: Floats = np.maximum(noisy - cut, 0) / total
    return shares


def draw_records(
    model: GraphicalModel, sizes: tuple[int, ...], n: int, random: np.random.Generator
) -> Int32s:
    """Return (attributes, n) int32, the cells of n records in random order.

    From the root outwards: the records of each value of a separator are shared out over the cells
    of the next clique, as nearly as whole numbers can to what the model expects.
    """
    codes = np.zeros((len(sizes), n), np.int32)
    for place, clique in enumerate(model.tree.cliques):
        separator = model.tree.separators[place]
        new = [one for one in clique if one not in separator]
        axes = [clique.index(one) for one in (*separator, *new)]
        table = model.tables[place].transpose(axes).reshape(cells_of(separator, sizes), -1)
        given = np.zeros(n, np.int64)
        for one in separator:
            given = given * sizes[one] + codes[one]
        cells = share_out(table, given, random)
        for one in reversed(new):
            cells, codes[one] = np.divmod(cells, sizes[one])
    return codes[:, random.permutation(n)]


def share_out(table: Floats, given: Ints, random: np.random.Generator) -> Ints:
    """Return (n,) int64, a column of the table for each record, whose row is given.

    Each row's records are distributed as its cells are: cumulative expected counts are rounded
    with one random shift a row, so a cell gets its expected count rounded down or up.
    """
    rows = np.bincount(given, minlength=len(table))
    occurring = np.flatnonzero(rows)
    shares = table[occurring]
    sums = shares.sum(axis=1, keepdims=True)
    shares = np.where(sums > 0, shares, 1.0)
    ends = np.cumsum(shares, axis=1)
    counts = rows[occurring][:, None]
    ends *= counts / ends[:, -1:]
    shifted = np.floor(ends + random.random((len(occurring), 1))).astype(np.int64)
    shifted[:, -1] = counts[:, 0]  # all of them, whatever was rounded
    np.minimum(shifted, counts, out=shifted)
    times = np.diff(shifted, axis=1, prepend=0)
    chosen = np.repeat(np.tile(np.arange(table.shape[1]), len(occurring)), times.ravel())
    order = np.argsort(given + random.random(len(given)))
    cells = np.empty(len(given), np.int64)
    cells[order] = chosen
    return cells


Pooling = Callable[[Floats, float], Int32s]
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
        self._counts: dict[Attributes, Ints] = {}
        self._pooling = dict(pooling)
        self._spread: dict[int, Floats] = {}

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

    def unpool(self, cells: Int32s, random: np.random.Generator) -> Int32s:
        """Return records with the cells that attributes had before, shared out by noisy counts."""
        for one, table in self._spread.items():
            cells[one] = share_out(table, cells[one].astype(np.int64), random)
        return cells

    def choose(
        self,
        expected: Mapping[Attributes, Floats],
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

    def _count(self, attributes: Attributes) -> Ints:
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


STEPS, LAST_STEPS = 60, 400
"""Of the fit of attributes alone, and of the tree."""
RARE = 3.0
"""Cells with fewer records, in σ, are counted together."""


def fit_mst(records: PrivateRecords, impossible: Mapping[Attributes, Bools]) -> GraphicalModel:
    """Spend a budget on a model of the records that is a tree; see `fit_aim`."""
    d = len(records.sizes)
    third = records.budget.rest / (3 if d > 1 else 1)
    for one in range(d):
        records.measure((one,), records.variance_for(third / d), "one attribute")
    records.pool(RARE * sqrt(records.variance_for(third / d)))
    sizes = records.sizes
    start = Potentials({})
    model = fit_model(sizes, records.measured, start, STEPS, impossible)
    total = estimate_total(records.measured)
    pairs: list[Attributes] = list(combinations(range(d), 2))
    expected = {one: model.marginal(one) * total for one in pairs}
    weights = dict.fromkeys(pairs, 1)
    joined = list(range(d))
    chosen = []
    for _ in range(d - 1):
        open_pairs = {one: expected[one] for one in pairs if joined[one[0]] != joined[one[1]]}
        pair = records.choose(open_pairs, weights, 0.0, epsilon_for(third / (d - 1)))
        chosen.append(pair)
        a, b = (joined[one] for one in pair)
        joined = [a if one == b else one for one in joined]
    for pair in chosen:
        records.measure(pair, records.variance_for(third / (d - 1)), "chosen attributes")
    return fit_model(sizes, records.measured, start, LAST_STEPS, impossible)


MOST_CELLS = 20_000
"""Of a marginal that is measured."""
MOST_TRIPLES = 1_500
"""Where there are more sets of three attributes, the workload are the sets of two."""
MODEL_CELLS = 262_144
"""Of all cliques together: 2 MB."""
ROUNDS_PER_ATTRIBUTE = 16
MEASURING = Fraction(9, 10)
"""Share of a round's budget that is measured with; the rest chooses."""
AIM_STEPS, LAST_AIM_STEPS = 50, 300
"""Of the fit of a round, and of the last one."""
LARGE_NOISE = 500
"""Rare cells are pooled where σ of the first counts is more than this part of all records. With
less noise, later rounds count each of them well enough."""
NOISE_PER_CELL = sqrt(2 / pi)
"""Mean size of Gaussian noise, in σ."""


def fit_aim(records: PrivateRecords, impossible: Mapping[Attributes, Bools]) -> GraphicalModel:
    """Spend a budget on a model of the records."""
    budget, d = records.budget, len(records.sizes)
    variance, epsilon = scales_for(records, budget.rest / (ROUNDS_PER_ATTRIBUTE * d))
    for one in range(d):
        records.measure((one,), variance, "one attribute")
    sigma = sqrt(variance)
    if sigma * LARGE_NOISE > estimate_total(records.measured):
        records.pool(sigma)
    sizes = records.sizes
    weights = candidate_weights(sizes)
    start = Potentials({})
    model = fit_model(sizes, records.measured, start, AIM_STEPS, impossible)
    last = False
    while not last:
        last = budget.rest < 2 * records.cost_of(variance, epsilon)
        if last:
            variance, epsilon = scales_for(records, budget.rest)
        noise = NOISE_PER_CELL * sqrt(variance)
        total = estimate_total(records.measured)
        limit = MODEL_CELLS * float(budget.spent / budget.total)
        expected = {
            one: model.marginal(one) * total
            for one in model.tree.fitting(weights, [*impossible, *records.measured], sizes, limit)
        }
        chosen = records.choose(expected, weights, noise, epsilon)
        records.measure(chosen, variance, "chosen attributes")
        steps = LAST_AIM_STEPS if last else AIM_STEPS
        model = fit_model(sizes, records.measured, start, steps, impossible)
        moved = np.abs(model.marginal(chosen) * total - expected[chosen])
        if moved.sum() <= noise * moved.size:
            variance, epsilon = variance / 4, epsilon * 2
    return model


def first_variance(rho: Fraction, attributes: int, per_person: int) -> Fraction:
    """Return the variance of the first counts, the largest of all; that of MST is below it."""
    return per_person**2 * ROUNDS_PER_ATTRIBUTE * attributes / (2 * MEASURING * rho)


def candidate_weights(sizes: Sequence[int]) -> dict[Attributes, int]:
    """Return the sets that may be measured, and how much of the workload each one shares.

    The workload are all sets of three attributes, or of two where there are too many. A candidate
    is any part of one; its weight is the sum of what it has in common with each.
    """
    d = len(sizes)
    width = min(d, 3 if comb(d, 3) <= MOST_TRIPLES else 2)
    workload = [
        combination
        for combination in combinations(range(d), width)
        if cells_of(combination, sizes) <= MOST_CELLS
    ]
    frequency = Counter(chain.from_iterable(workload))
    within = {part for one in workload for part in _parts(one)}
    every = sorted({*within, *((one,) for one in range(d))})
    return {one: max(1, sum(frequency[each] for each in one)) for one in every}


def _parts(attributes: Attributes) -> Iterator[Attributes]:
    for width in range(1, len(attributes) + 1):
        yield from combinations(attributes, width)


def scales_for(records: PrivateRecords, rho: Fraction) -> tuple[Fraction, Fraction]:
    """Return the variance and the ε of a round that costs at most ρ."""
    return records.variance_for(MEASURING * rho), epsilon_for((1 - MEASURING) * rho)
