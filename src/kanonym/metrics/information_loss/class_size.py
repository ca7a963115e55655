"""Average equivalence class size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from kanonym.data.table import EncodedTable
from kanonym.metrics.information_loss.base import (
    FinestClasses,
    Generalized,
    PlainForm,
    Terms,
    check_factor,
    parts_of_factor,
)
from kanonym.metrics.information_loss.labels import LabelTables

ROUNDING = 1e-9
"""Sums of shares within so much of a whole number are taken for it."""


@dataclass(frozen=True, slots=True)
class AverageClassSize(PlainForm):
    """Records per class, the suppressed records together being one more class.

    With N records and c kept classes the score is N / (c · s + g) where records are
    suppressed, else N / (c · s). Attribute weights do not matter.

    Parameters
    ----------
    factor
        In [0, 1]; s and g as in `Loss`. At 0 kept classes do not count at all.

    Raises
    ------
    PolicyError
        The factor is out of its range.

    Notes
    -----
    Score at least 1 with factor 0.5; infinite where nothing that counts is left; 0 for
    a table without records. Cost O(n_classes).

    LeFevre, DeWitt and Ramakrishnan 2006, "Mondrian multidimensional k-anonymity",
    §2.3. Deviations: not divided by k; the suppressed and the factor are as in ARX,
    where s weighs kept classes and g the suppressed one.

    Examples
    --------
    >>> AverageClassSize().to_dict()
    {'type': 'average-class-size', 'factor': 0.5}

    """

    factor: float = 0.5

    type: ClassVar[str] = "average-class-size"
    unit: ClassVar[str] = "records"
    source: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2006"
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = float("inf")

    def __post_init__(self) -> None:
        """Refuse a factor out of its range."""
        check_factor(self.type, self.factor)

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundClassSize:
        """Prepare for a table: see `Metric.bind`."""
        del weights
        return BoundClassSize(LabelTables.of(table), *parts_of_factor(self.factor))


@dataclass(frozen=True, slots=True)
class BoundClassSize:
    """Average class size over one table."""

    tables: LabelTables
    generalization: float
    suppression: float

    lost_alike: ClassVar[bool] = True
    n_floors: ClassVar[int] = 1

    def score(self, classes: Generalized) -> float:
        """Return the loss of a node: see `BoundMetric.score`."""
        kept = classes.sizes * classes.kept
        n_kept = int(np.count_nonzero(kept))
        some_lost = int(kept.sum()) < self.tables.n_rows
        return self._score_of(n_kept * self.suppression + some_lost * self.generalization)

    def floor(self, levels: NDArray[np.int64]) -> float:
        """Return a lower bound: see `BoundMetric.floor`.

        A node above has at most as many classes, C; kept, they count C · s; with one
        suppressed at the least, (C - 1) · s + g at the most.
        """
        return self._floor_of(most_classes(self.tables, levels), at_most_one_less=True)

    def class_floors(self, classes: FinestClasses) -> NDArray[np.float64]:
        """Return each class as a share of the smallest one that it can be a part of.

        The shares of a class that is kept add up to 1 at the least.
        """
        sizes = classes.sizes
        return (sizes / np.maximum(sizes, max(classes.least, 1)))[:, None]

    def branch_floor(
        self, levels: NDArray[np.int64], sums: NDArray[np.float64], lost: int
    ) -> float:
        """Return a lower bound: see `BoundMetric.branch_floor`.

        A class of the coarsest node is kept as so many classes at the most as its shares
        add up to. Where these are whole numbers, any suppression takes one away.
        """
        del levels
        shares = sums[:, 0]
        most = np.floor(shares * (1 + ROUNDING) + ROUNDING)
        if lost:
            return self._score_of(float(most.sum()) * self.suppression + self.generalization)
        whole = bool((np.abs(shares - most) <= ROUNDING).all())
        return self._floor_of(int(most.sum()), at_most_one_less=whole)

    def class_losses(self, classes: Generalized) -> NDArray[np.float64]:
        """Return the sizes of the classes: those of a size lose the same."""
        return classes.sizes.astype(np.float64)

    def terms(self) -> Terms | None:
        """Return None: it is no sum over records."""
        return None

    def _floor_of(self, most: int, *, at_most_one_less: bool) -> float:
        """Return the score of the most classes, with all records kept or some suppressed."""
        some_lost = max(most - 1, 0) if at_most_one_less else most
        return self._score_of(
            max(most * self.suppression, some_lost * self.suppression + self.generalization)
        )

    def _score_of(self, n_classes: float) -> float:
        if not self.tables.n_rows:
            return 0.0
        return self.tables.n_rows / n_classes if n_classes else float("inf")


def most_classes(tables: LabelTables, levels: NDArray[np.int64]) -> int:
    """Return how many classes there can be: combinations of labels that the data holds."""
    most = 1
    for j, level in enumerate(levels.tolist()):
        most = min(most * int(tables.held[j, level]), tables.n_rows)
    return most
