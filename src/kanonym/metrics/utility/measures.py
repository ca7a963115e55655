"""Every measure of utility of a pair of tables, by name."""

from __future__ import annotations

from kanonym.metrics.utility import (
    associations,
    generalization,
    intervals,
    marginals,
    propensity,
    queries,
    records,
)
from kanonym.metrics.utility.measure import Measure

ALL: tuple[Measure, ...] = (
    *generalization.MEASURES,
    *records.MEASURES,
    *marginals.MEASURES,
    *associations.MEASURES,
    *intervals.MEASURES,
    *queries.MEASURES,
    *propensity.MEASURES,
)
"""Every measure but that of a model, which needs a target: `learning.learning_measure`."""

MEASURES: dict[str, Measure] = {measure.meaning.name: measure for measure in ALL}
