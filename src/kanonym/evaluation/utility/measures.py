"""Every measure of utility of a pair of tables, by name."""

from __future__ import annotations

from kanonym.evaluation.utility import (
    associations,
    generalization,
    intervals,
    items,
    k_marginal,
    marginals,
    queries,
    records,
)
from kanonym.evaluation.utility.measure import Measure
from kanonym.evaluation.utility.models import propensity
from kanonym.evaluation.utility.models.accuracy import accuracy_measure
from kanonym.evaluation.utility.models.learning import learning_measure

ALL: tuple[Measure, ...] = (
    *generalization.MEASURES,
    *records.MEASURES,
    *marginals.MEASURES,
    *associations.MEASURES,
    *k_marginal.MEASURES,
    *intervals.MEASURES,
    *queries.MEASURES,
    *propensity.MEASURES,
)
"""Every measure but those of a column that is named: `OF_A_COLUMN`."""

MEASURES: dict[str, Measure] = {measure.meaning.name: measure for measure in ALL}

EVERY = MEASURES | {measure.meaning.name: measure for measure in items.ITEM_MEASURES}
"""Those of sets of items, too, which are taken where there are sets."""

OF_A_TARGET = {"learning": learning_measure, "accuracy": accuracy_measure}
"""Measures of how well a model predicts a column, by what stands before the column's name."""

OF_A_COLUMN = OF_A_TARGET | {"k-marginal": k_marginal.k_marginal_measure}
"""Measures of a column that their name tells: those of a target, and three-way tables."""


def target_of(name: str) -> str | None:
    """Return the column that a name such as `accuracy-salary` has; None of other measures."""
    kind, _, target = name.partition("-")
    return target if kind in OF_A_TARGET and target else None


def measure_of(name: str) -> Measure | None:
    """Return the measure of a name, with `-` or, as in JSON, `_`; None where there is none."""
    plain = name.replace("_", "-")
    if plain in EVERY:
        return EVERY[plain]
    for kind, measure in OF_A_COLUMN.items():
        column = name.removeprefix(f"{kind}-")
        if column not in ("", name):
            return measure(column)
    return None
