"""Suppression for models of the whole table: the smallest classes go first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanonym.kernels.arrays import Bools, Floats, Ints
from kanonym.kernels.classes.disclosure import TOLERANCE
from kanonym.models import AverageRisk, SampleUniqueness, WholeTable


def suppress_prefix(
    models: Sequence[WholeTable], sizes: Ints, kept: Bools, losses: Floats, budget: int
) -> Bools | None:
    """Suppress the smallest kept classes, until every model of the whole table holds.

    The kept classes stand in a fixed order: by size, then by what they lose, then as given. The
    shortest prefix goes with which all models hold. Of the average risk and of sample uniqueness
    every prefix is looked at in one pass: both fall along the order. Population uniqueness need not
    fall, and is sought by bisection between no suppression and all that the budget allows, so that
    a shorter prefix may exist. The order is that of ARX (RiskBasedCriterion), which reads "what a
    class loses" as the metric of its size times its shares. Deviation: ARX bisects over all
    classes.

    sizes: (n_classes,) int64 numbers of records. Classes of none stay as they are.
    kept: (n_classes,) bool, the classes that are not suppressed yet; not changed.
    losses: (n_classes,) float64, what each class loses as a whole (`class_losses` of a metric): of
        equal classes the one that loses least goes first.
    Returns: (n_classes,) bool, the classes that are kept now; None where the budget is too small.
    """
    live = np.flatnonzero(kept & (sizes > 0))
    if all(model.holds(sizes[live]) for model in models):
        return kept.copy()
    order = live[np.lexsort((losses[live], sizes[live]))]
    ascending = sizes[order]
    gone = np.concatenate([[0], np.cumsum(ascending)])
    longest = int(np.searchsorted(gone, budget, side="right")) - 1
    shortest = 0
    searched = []
    for model in models:
        values = _values_by_prefix(model, ascending, gone)
        if values is None:
            searched.append(model)
        else:
            shortest = max(shortest, int(np.argmax(values <= model.required + TOLERANCE)))
    if shortest > longest:
        return None

    def hold(length: int) -> bool:
        return all(model.holds(ascending[length:]) for model in searched)

    if not hold(shortest):
        if shortest == longest or not hold(longest):
            return None
        too_short, shortest = shortest, longest
        while shortest - too_short > 1:
            middle = (too_short + shortest) // 2
            if hold(middle):
                shortest = middle
            else:
                too_short = middle
    result = kept.copy()
    result[order[:shortest]] = False
    return result


def _values_by_prefix(model: WholeTable, ascending: Ints, gone: Ints) -> Floats | None:
    """Return (n_classes + 1,) float64: the model's value without the first 0, 1, ... classes."""
    lengths = np.arange(len(gone))
    if isinstance(model, AverageRisk):
        counted = len(ascending) - lengths
    elif isinstance(model, SampleUniqueness):
        counted = np.maximum(int((ascending == 1).sum()) - lengths, 0)
    else:
        return None
    values: Floats = counted / np.maximum(gone[-1] - gone, 1)
    return values
