"""Precision and height of levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import gettext as _
from kanonym.data.table import EncodedTable
from kanonym.metrics.information_loss.base import (
    SLACK,
    FactorMetric,
    Generalized,
    LevelBounds,
    Metric,
    Terms,
    aggregate,
    attribute_weights,
    parts_of_factor,
)
from kanonym.metrics.information_loss.labels import LabelTables


@dataclass(frozen=True, slots=True)
class Precision(FactorMetric):
    """How far up its hierarchy each value went, as a mean over cells.

    With S of N records suppressed and attribute j at level l_j of a hierarchy whose
    root is level h_j,

        x_j = ((N - S) · g · l_j / h_j + S · s) / N,

    and the score is the sum of x_j · w_j / d.

    Parameters
    ----------
    factor
        In [0, 1]; s and g as in `Loss`.

    Raises
    ------
    PolicyError
        The factor is out of its range.

    Notes
    -----
    Score in [0, 1]; cost O(n_classes) to count the suppressed records.

    Sweeney 2002, "Achieving k-anonymity privacy protection using generalization and
    suppression", §4.4. Deviation: hers is 1 minus this, so that lower is better here;
    suppressed records, weights and the factor are as in ARX.

    Examples
    --------
    >>> Precision(0.25).to_dict()
    {'type': 'precision', 'factor': 0.25}

    """

    type: ClassVar[str] = "precision"
    title: ClassVar[str] = _("Height of the hierarchies used (precision)")
    counted: ClassVar[str] = _("share of the hierarchy’s height")
    unit: ClassVar[str] = "share of the hierarchy's height"
    source: ClassVar[str] = "Sweeney 2002"
    high: ClassVar[float] = 1.0

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundPrecision:
        """Prepare for a table: see `Metric.bind`."""
        shares = attribute_weights(table, weights) / max(len(table.domains), 1)
        return BoundPrecision(LabelTables.of(table), shares, *parts_of_factor(self.factor))


@dataclass(frozen=True, slots=True)
class BoundPrecision(LevelBounds):
    """Precision over one table.

    weights: (d,) float64, each divided by d.
    """

    tables: LabelTables
    weights: NDArray[np.float64]
    generalization: float
    suppression: float

    def score(self, classes: Generalized) -> float:
        """Return the loss of a node: see `BoundMetric.score`."""
        return self._score_of(classes.levels, int(classes.sizes @ classes.kept))

    def floor(self, levels: NDArray[np.int64]) -> float:
        """Return a lower bound: see `BoundMetric.floor`.

        Between none and all suppressed the score is linear, so one of the two ends is
        the least; that of none grows with the levels, the other does not depend on them.
        """
        ends = self._score_of(levels, self.tables.n_rows), self._score_of(levels, 0)
        return min(ends) * (1 - SLACK) if self.suppression < 1 else ends[0]

    def terms(self) -> Terms:
        """Return the levels that a record loses: see `Terms`."""
        tables = self.tables
        d, n_rows = tables.d, max(tables.n_rows, 1)
        heights = tables.heights.tolist()
        widths = tables.widths.tolist()
        return Terms(
            kept=[
                [np.full(widths[j][level], self.generalization * level) for level in range(h + 1)]
                for j, h in enumerate(heights)
            ],
            lost=[
                [np.full(widths[j][level], self.suppression * h) for level in range(h + 1)]
                for j, h in enumerate(heights)
            ],
            low=np.zeros(d),
            high=n_rows * tables.heights.astype(np.float64),
            weights=self.weights,
            geometric=False,
            rounded=False,
        )

    def _score_of(self, levels: NDArray[np.int64], n_kept: int) -> float:
        n_rows, heights = self.tables.n_rows, self.tables.heights
        climbed = n_kept * (self.generalization * levels)
        lost = (n_rows - n_kept) * (self.suppression * heights)
        x = (climbed + lost) / (max(n_rows, 1) * heights)
        return aggregate(x.tolist(), self.weights.tolist(), geometric=False)


@dataclass(frozen=True, slots=True)
class Height(Metric):
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
    title: ClassVar[str] = _("Levels used (height)")
    counted: ClassVar[str] = _("levels")
    unit: ClassVar[str] = "levels"
    source: ClassVar[str] = "Samarati 2001"

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
