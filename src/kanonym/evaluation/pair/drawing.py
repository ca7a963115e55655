"""One value for each released cell, drawn from those that its label leaves open."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanonym.evaluation.pair.tables import CategoricalColumn, NumericColumn

Numbers = NDArray[np.float64]


def draw_numbers(
    column: NumericColumn,
    records: NDArray[np.int64],
    random: np.random.Generator,
    step: float | None = None,
) -> Numbers:
    """Return (n_records,) float64 numbers, uniform between the ends of each label; NaN for null.

    Of a set each member is equally likely. step: of the grid on which all ends lie, and so the
    numbers; None for no grid.
    """
    low, high = column.low[records], column.high[records]
    share = random.random(len(records))
    if step is None:
        drawn = np.asarray(low + share * (high - low))
    else:
        places = np.floor(share * (np.rint((high - low) / step) + 1))
        drawn = np.asarray(np.minimum(low + places * step, high))
    if column.sets is not None:
        labels = column.sets.labels[records]
        mask = labels >= 0
        first, last = column.sets.offsets[labels[mask]], column.sets.offsets[labels[mask] + 1]
        members = first + (share[mask] * (last - first)).astype(np.int64)
        drawn[mask] = column.sets.members[members]
    return drawn


def draw_categories(
    column: CategoricalColumn, records: NDArray[np.int64], random: np.random.Generator
) -> NDArray[np.int32]:
    """Return (n_records,) int32 codes, each of the categories of a label equally likely."""
    labels = column.labels[records]
    first, last = column.offsets[labels], column.offsets[labels + 1]
    places = first + (random.random(len(records)) * (last - first)).astype(np.int64)
    drawn: NDArray[np.int32] = column.members[places]
    return drawn
