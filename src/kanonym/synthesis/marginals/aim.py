"""AIM: measure the marginal that the model explains worst, again and again, as the budget lasts.

McKenna, Mullins, Sheldon, Miklau 2022, algorithm 4 with annealing, in zCDP. Deviations: discrete
noise and exact draws; scores on a grid of whole numbers; candidates of at most `MOST_CELLS` cells;
a fixed number of steps for each fit; rare cells are pooled where noise is large; the room that a
candidate takes is estimated. Adding or removing a record is what the guarantee is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from math import comb, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from kanonym.synthesis.marginals.fitting import Potentials, estimate_total, fit_model
from kanonym.synthesis.marginals.graphical_model import GraphicalModel
from kanonym.synthesis.marginals.junction_tree import Attributes, cells_of
from kanonym.synthesis.marginals.measuring import PrivateRecords, epsilon_for

MOST_CELLS = 20_000
"""Of a marginal that is measured."""
MOST_TRIPLES = 1_500
"""Where there are more sets of three attributes, the workload are the sets of two."""
MODEL_CELLS = 262_144
"""Of all cliques together: 2 MB."""
ROUNDS_PER_ATTRIBUTE = 16
MEASURING = Fraction(9, 10)
"""Share of a round's budget that is measured with; the rest chooses."""
STEPS, LAST_STEPS = 50, 300
"""Of the fit of a round, and of the last one."""
LARGE_NOISE = 500
"""Rare cells are pooled where σ of the first counts is more than this part of all records. With
less noise, later rounds count each of them well enough."""
NOISE_PER_CELL = sqrt(2 / pi)
"""Mean size of Gaussian noise, in σ."""


def fit_aim(
    records: PrivateRecords, impossible: Mapping[Attributes, NDArray[np.bool_]]
) -> GraphicalModel:
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
    model = fit_model(sizes, records.measured, start, STEPS, impossible)
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
        steps = LAST_STEPS if last else STEPS
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
