"""Discernibility: the records that each record cannot be told from."""

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
from kanonym.metrics.information_loss.class_size import most_classes
from kanonym.metrics.information_loss.labels import LabelTables


@dataclass(frozen=True, slots=True)
class Discernibility(PlainForm):
    """The sum of squared class sizes, plus N for each suppressed record.

    Attribute weights do not matter.

    Notes
    -----
    Score from N (every record a class) to N²; cost O(n_classes). Exact in integers
    below 2^63.

    Bayardo and Agrawal 2005, "Data privacy through optimal k-anonymization", §2.

    Examples
    --------
    >>> Discernibility().to_dict()
    {'type': 'discernibility'}

    """

    type: ClassVar[str] = "discernibility"
    unit: ClassVar[str] = "pairs of records"
    source: ClassVar[str] = "Bayardo and Agrawal 2005"
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = float("inf")

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundDiscernibility:
        """Prepare for a table: see `Metric.bind`."""
        del weights
        return BoundDiscernibility(LabelTables.of(table))


@dataclass(frozen=True, slots=True)
class BoundDiscernibility:
    """Discernibility over one table."""

    tables: LabelTables

    lost_alike: ClassVar[bool] = True
    n_floors: ClassVar[int] = 1

    def score(self, classes: Generalized) -> float:
        """Return the loss of a node: see `BoundMetric.score`."""
        n_rows = self.tables.n_rows
        kept = classes.sizes * classes.kept
        return float(int(kept @ kept) + n_rows * (n_rows - int(kept.sum())))

    def floor(self, levels: NDArray[np.int64]) -> float:
        """Return a lower bound: see `BoundMetric.floor`.

        Joining classes adds 2 · a · b, suppressing one of n <= N adds (N - n) · n. C
        classes of N records have squares of N² / C at the least, when all are equal.
        """
        n_rows = self.tables.n_rows
        return float(n_rows**2 // max(most_classes(self.tables, levels), 1))

    def class_floors(self, classes: FinestClasses) -> NDArray[np.float64]:
        """Return records times the least size of their class: kept or not, they lose no less."""
        sizes = classes.sizes
        return (sizes * np.maximum(sizes, classes.least)).astype(np.float64)[:, None]

    def branch_floor(
        self, levels: NDArray[np.int64], sums: NDArray[np.float64], lost: int
    ) -> float:
        """Return a lower bound: see `BoundMetric.branch_floor`."""
        del levels
        return (float(sums.sum()) + float(lost) * self.tables.n_rows) * (1 - SLACK)

    def class_losses(self, classes: Generalized) -> NDArray[np.float64]:
        """Return the sizes of the classes: those of a size lose the same."""
        return classes.sizes.astype(np.float64)

    def terms(self) -> Terms | None:
        """Return None: it is no sum over records."""
        return None
