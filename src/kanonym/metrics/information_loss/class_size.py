"""Losses by the size of classes: average class size, discernibility, ambiguity."""

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
    ClassFloors,
    FactorMetric,
    FinestClasses,
    Generalized,
    Metric,
    parts_of_factor,
)
from kanonym.metrics.information_loss.labels import LabelTables, ordered_sum

ROUNDING = 1e-9
"""Sums of shares within so much of a whole number are taken for it."""


@dataclass(frozen=True, slots=True)
class AverageClassSize(FactorMetric):
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

    type: ClassVar[str] = "average-class-size"
    title: ClassVar[str] = _("Average class size")
    counted: ClassVar[str] = _("records per class")
    unit: ClassVar[str] = "records"
    source: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2006"

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundClassSize:
        """Prepare for a table: see `Metric.bind`."""
        del weights
        return BoundClassSize(LabelTables.of(table), *parts_of_factor(self.factor))


@dataclass(frozen=True, slots=True)
class BoundClassSize(ClassFloors):
    """Average class size over one table."""

    tables: LabelTables
    generalization: float
    suppression: float

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


@dataclass(frozen=True, slots=True)
class Discernibility(Metric):
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
    title: ClassVar[str] = _("Discernibility")
    counted: ClassVar[str] = _("pairs of records")
    unit: ClassVar[str] = "pairs of records"
    source: ClassVar[str] = "Bayardo and Agrawal 2005"

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundDiscernibility:
        """Prepare for a table: see `Metric.bind`."""
        del weights
        return BoundDiscernibility(LabelTables.of(table))


@dataclass(frozen=True, slots=True)
class BoundDiscernibility(ClassFloors):
    """Discernibility over one table."""

    tables: LabelTables

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


@dataclass(frozen=True, slots=True)
class Ambiguity(Metric):
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
    title: ClassVar[str] = _("Ambiguity")
    counted: ClassVar[str] = _("combinations of values")
    unit: ClassVar[str] = "combinations of values"
    source: ClassVar[str] = "Goldberger and Tassa 2010"

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundAmbiguity:
        """Prepare for a table: see `Metric.bind`."""
        del weights
        tables = LabelTables.of(table)
        logs = np.log(np.maximum(tables.leaves, 1))  # a column without values has no leaf
        return BoundAmbiguity(tables, tables.totals(logs), float(tables.sizes.prod()))


@dataclass(frozen=True, slots=True)
class BoundAmbiguity(ClassFloors):
    """Ambiguity over one table.

    logs: (d, n_levels) float64, sums over all records of the natural logarithm of the leaves below
    their label.
    """

    tables: LabelTables
    logs: NDArray[np.float64]
    domain: float

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
