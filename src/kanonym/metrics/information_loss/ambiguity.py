"""Ambiguity: the original tuples that a released record could have been."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.table import EncodedTable
from kanonym.metrics.information_loss.base import (
    SLACK,
    FinestClasses,
    Generalized,
    PlainForm,
    Terms,
)
from kanonym.metrics.information_loss.labels import LabelTables, ordered_sum


@dataclass(frozen=True, slots=True)
class Ambiguity(PlainForm):
    """The combinations of values that the released records could stand for, added up.

    The sum over records of the product of the leaves below their labels; a suppressed
    record could be anything, and counts the product of all leaves. Attribute weights do
    not matter.

    Notes
    -----
    Score from N to N times the combinations of all leaves; cost O(n_classes · d +
    n_classes log n_classes).

    Goldberger and Tassa 2010, "Efficient anonymizations with enhanced utility",
    Transactions on Data Privacy 3, §2. Deviation: a sum over records as in ARX, where
    the paper takes the mean.

    Examples
    --------
    >>> Ambiguity().to_dict()
    {'type': 'ambiguity'}

    """

    type: ClassVar[str] = "ambiguity"
    unit: ClassVar[str] = "combinations of values"
    source: ClassVar[str] = "Goldberger and Tassa 2010"
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = float("inf")

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundAmbiguity:
        """Prepare for a table: see `Metric.bind`."""
        del weights
        tables = LabelTables.of(table)
        logs = np.log(np.maximum(tables.leaves, 1))  # a column without values has no leaf
        return BoundAmbiguity(tables, tables.totals(logs), float(tables.sizes.prod()))


@dataclass(frozen=True, slots=True)
class BoundAmbiguity:
    """Ambiguity over one table.

    logs: (d, n_levels) float64, sums over all records of the natural logarithm of the leaves below
    their label.
    """

    tables: LabelTables
    logs: NDArray[np.float64]
    domain: float

    lost_alike: ClassVar[bool] = True
    n_floors: ClassVar[int] = 1

    def score(self, classes: Generalized) -> float:
        """Return the loss of a node: see `BoundMetric.score`."""
        kept = np.flatnonzero(classes.kept)
        sizes, labels = classes.sizes.take(kept), classes.labels.take(kept, axis=0)
        n_lost = self.tables.n_rows - int(sizes.sum())
        boxes = self.tables.boxes(classes.levels, labels.T)
        return ordered_sum(sizes * boxes) + n_lost * self.domain

    def floor(self, levels: NDArray[np.int64]) -> float:
        """Return a lower bound: see `BoundMetric.floor`.

        Leaves below a label grow from level to level and are at most all leaves, so no
        node above is below this one with every class kept. And a mean is at least the
        geometric one (Jensen), whose logarithm is a sum over attributes.
        """
        n_rows = self.tables.n_rows
        if not n_rows:
            return 0.0
        mean = float(np.exp(self.tables.at(self.logs, levels).sum() / n_rows))
        return n_rows * mean * (1 - SLACK)

    def class_floors(self, classes: FinestClasses) -> NDArray[np.float64]:
        """Return records times combinations of each class: kept or not, they are no less."""
        boxes = self.tables.boxes(classes.levels, map(classes.column, range(self.tables.d)))
        return np.asarray(classes.sizes * boxes)[:, None]

    def branch_floor(
        self, levels: NDArray[np.int64], sums: NDArray[np.float64], lost: int
    ) -> float:
        """Return a lower bound: see `BoundMetric.branch_floor`."""
        del levels
        return (float(sums.sum()) + lost * self.domain) * (1 - SLACK)

    def class_losses(self, classes: Generalized) -> NDArray[np.float64]:
        """Return records times combinations of each class."""
        return classes.sizes * self.tables.boxes(classes.levels, classes.labels.T)

    def terms(self) -> Terms | None:
        """Return None: it multiplies over attributes."""
        return None
