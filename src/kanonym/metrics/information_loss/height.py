"""Height: the levels of a node, added up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.table import EncodedTable
from kanonym.metrics.information_loss.base import (
    Generalized,
    LevelBounds,
    PlainForm,
    Terms,
    aggregate,
    attribute_weights,
)
from kanonym.metrics.information_loss.labels import LabelTables


@dataclass(frozen=True, slots=True)
class Height(PlainForm):
    """The sum over attributes of level times weight; suppression is not charged.

    Notes
    -----
    Score from 0 to the sum of the hierarchies' heights; cost O(d).

    Samarati 2001, "Protecting respondents' identities in microdata release", §4.1:
    the height of a node in the lattice. Deviation: weights.

    Examples
    --------
    >>> Height().to_dict()
    {'type': 'height'}

    """

    type: ClassVar[str] = "height"
    unit: ClassVar[str] = "levels"
    source: ClassVar[str] = "Samarati 2001"
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = float("inf")

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundHeight:
        """Prepare for a table: see `Metric.bind`."""
        return BoundHeight(LabelTables.of(table), attribute_weights(table, weights))


@dataclass(frozen=True, slots=True)
class BoundHeight(LevelBounds):
    """Height over one table.

    weights: (d,) float64.
    """

    tables: LabelTables
    weights: NDArray[np.float64]

    def score(self, classes: Generalized) -> float:
        """Return the loss of a node: see `BoundMetric.score`."""
        return self.floor(classes.levels)

    def floor(self, levels: NDArray[np.int64]) -> float:
        """Return the height of the node itself: every node above is at least as high."""
        return aggregate(levels.tolist(), self.weights.tolist(), geometric=False)

    def class_losses(self, classes: Generalized) -> NDArray[np.float64]:
        """Return the sizes of the classes: those of a size lose the same."""
        return classes.sizes.astype(np.float64)

    def terms(self) -> Terms:
        """Return the level of every record, kept or suppressed: see `Terms`."""
        tables = self.tables
        same = [
            [np.full(int(tables.widths[j, level]), float(level)) for level in range(height + 1)]
            for j, height in enumerate(tables.heights.tolist())
        ]
        return Terms(
            kept=same,
            lost=same,
            low=np.zeros(tables.d),
            high=np.full(tables.d, max(float(tables.n_rows), 1.0)),
            weights=self.weights,
            geometric=False,
            rounded=False,
        )
