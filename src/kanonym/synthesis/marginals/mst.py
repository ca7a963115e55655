"""MST: a tree of pairs. Simple to explain; its error stops falling where pairs do not suffice.

McKenna, Miklau, Sheldon 2021, in zCDP: a third of the budget for the attributes alone, a third to
draw d - 1 pairs that form a tree, each by how far its counts are from an independent model's, a
third to measure them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from kanonym.synthesis.marginals.fitting import Potentials, estimate_total, fit_model
from kanonym.synthesis.marginals.graphical_model import GraphicalModel
from kanonym.synthesis.marginals.junction_tree import Attributes
from kanonym.synthesis.marginals.measuring import PrivateRecords, epsilon_for

STEPS, LAST_STEPS = 60, 400
"""Of the fit of attributes alone, and of the tree."""
RARE = 3.0
"""Cells with fewer records, in σ, are counted together."""


def fit_mst(
    records: PrivateRecords, impossible: Mapping[Attributes, NDArray[np.bool_]]
) -> GraphicalModel:
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
