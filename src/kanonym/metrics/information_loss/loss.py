"""Loss of information by spans, also weighted, and of the labels that a release has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.errors import HierarchyError, PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.table import EncodedTable
from kanonym.metrics.information_loss.base import (
    DIGITS,
    BoundMetric,
    FactorMetric,
    FinestClasses,
    Generalized,
    LevelBounds,
    Metric,
    Terms,
    aggregate,
    attribute_weights,
    is_number,
    metric_from,
    parts_of_factor,
)
from kanonym.metrics.information_loss.labels import LabelTables


@dataclass(frozen=True, slots=True)
class ReleasedValues:
    """What one quasi-identifier is released as.

    values: (n,) distinct released values: labels as text, or leaves in the column's type.
    counts: (n,) int64, released records with each value. Cells that are suppressed are not counted,
    even where null is a value of the hierarchy and stands for them.
    """

    name: str
    hierarchy: Hierarchy
    values: pl.Series
    counts: NDArray[np.int64]


def released_loss(attributes: Sequence[ReleasedValues], n_rows: int) -> tuple[float, float]:
    """Return the `Loss` and the `LossArithmetic` of a released table, factor 0.5, no weights.

    Notes
    -----
    Equal to the last bit to the score of a node of the lattice that released these
    values. Cost O(labels of all hierarchies).

    """
    sums = np.zeros(len(attributes))
    for j, attribute in enumerate(attributes):
        lost = n_rows - int(attribute.counts.sum())
        leaves = leaves_below(attribute.hierarchy, attribute.values)
        # Whole numbers below 2^53: exact in any order.
        sums[j] = float(attribute.counts @ leaves) + lost * attribute.hierarchy.size
    sizes = np.array([attribute.hierarchy.size for attribute in attributes], np.float64)
    x = scale_sums(sums, *bounds(n_rows, sizes)).tolist()
    d = len(attributes)
    return aggregate(x, [1.0] * d, geometric=True), aggregate(x, [1.0 / d] * d, geometric=False)


def leaves_below(hierarchy: Hierarchy, values: pl.Series) -> NDArray[np.int64]:
    """Return (n,) int64: how many leaves each released value leaves open.

    A text may be the label of several levels. Where one level has all of the texts, it is
    taken to be theirs; of several such levels, and where there is none, the widest label
    counts. Null is one leaf where the hierarchy has it, else a suppressed cell: all of
    them.
    """
    found = np.full(len(values), 1 if hierarchy.has_null else hierarchy.size, np.int64)
    named = values.is_not_null().to_numpy()
    if values.dtype == pl.String:
        found[named] = _leaves_of_texts(hierarchy, values.drop_nulls())
    elif (missing := values.filter(pl.Series(named & (hierarchy.leaf_of(values) < 0)))).len():
        raise _unknown_label_error(hierarchy, missing)
    else:
        found[named] = 1
    return found


def _leaves_of_texts(hierarchy: Hierarchy, values: pl.Series) -> NDArray[np.int64]:
    texts = values.to_list()
    covered = np.zeros((hierarchy.n_levels, len(texts)), np.int64)  # 0: no label of that level
    for level, labels in enumerate(hierarchy.labels):
        counts = dict(zip(labels, hierarchy.leaf_counts(level).tolist(), strict=True))
        covered[level] = [counts.get(text, 0) for text in texts]
    if not covered.any(axis=0).all():
        raise _unknown_label_error(hierarchy, values.filter(pl.Series(~covered.any(axis=0))))
    whole = np.flatnonzero((covered > 0).all(axis=1))
    return np.asarray(covered[whole[-1]] if len(whole) else covered.max(axis=0))


def _unknown_label_error(hierarchy: Hierarchy, missing: pl.Series) -> HierarchyError:
    return HierarchyError(
        f"column {hierarchy.values.name!r}: the released value {str(missing[0])!r} is not a label "
        f"of its hierarchy; without one its loss cannot be measured"
    )


@dataclass(frozen=True, slots=True)
class Loss(FactorMetric):
    """The share of its domain that each label leaves open, as a geometric mean.

    With N records, attribute j loses

        A_j = sum over kept records of g · share + sum over suppressed records of
              share + s · (1 - share),

    where the share of a label is the leaves below it over the D_j leaves of the
    hierarchy (each row of a hierarchy is a leaf, whether the data holds it or not, and
    so is the branch of null). Normalised, x_j = (A_j - g · N / D_j) / (N - g · N / D_j),
    at least 0 and cut off after ten digits: 0 at level 0, 1 at the root. The score is
    the product of (x_j · w_j + 1) to the power 1 / d, less 1.

    Parameters
    ----------
    factor
        In [0, 1], what counts more: s = min(1, 2 · factor) and g = min(1, 2 - 2 · factor).
        0: suppression is free, 0.5: both count in full, 1: generalization is free.

    Raises
    ------
    PolicyError
        The factor is out of its range.

    Notes
    -----
    Score in [0, 1]; cost O(n_classes · d).

    Iyengar 2002, "Transforming data to satisfy privacy constraints", §3.1, whose loss
    of a label is (leaves - 1) / (D - 1) and whose mean is arithmetic. Deviation: shares,
    factor, rounding and the geometric mean are those of ARX.

    Examples
    --------
    >>> Loss().to_dict()
    {'type': 'loss', 'factor': 0.5}
    >>> Loss(2)
    Traceback (most recent call last):
        ...
    kanonym.data.errors.PolicyError: loss: factor is 2; it must be a number from 0 to 1

    """

    type: ClassVar[str] = "loss"
    title: ClassVar[str] = _("Loss, geometric mean")
    counted: ClassVar[str] = _("share of the domain")
    unit: ClassVar[str] = "share of the domain"
    source: ClassVar[str] = "Iyengar 2002"
    high: ClassVar[float] = 1.0

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundLoss:
        """Prepare for a table: see `Metric.bind`."""
        return _bound(table, attribute_weights(table, weights), self.factor, geometric=True)


@dataclass(frozen=True, slots=True)
class LossArithmetic(FactorMetric):
    """The share of its domain that each label leaves open, as an arithmetic mean.

    The x_j are those of `Loss`; the score is the sum of x_j · w_j / d. With equal
    weights it is the granularity of local recoding, turned round: the mean over cells
    of (share - 1 / D_j) / (1 - 1 / D_j).

    Parameters
    ----------
    factor
        In [0, 1], as in `Loss`.

    Raises
    ------
    PolicyError
        The factor is out of its range.

    Notes
    -----
    Score in [0, 1]; cost O(n_classes · d). Iyengar 2002, §3.1, with the deviations
    of `Loss`.

    Examples
    --------
    >>> LossArithmetic(0.25)
    LossArithmetic(factor=0.25)

    """

    type: ClassVar[str] = "loss-arithmetic"
    title: ClassVar[str] = _("Loss, arithmetic mean")
    counted: ClassVar[str] = _("share of the domain")
    unit: ClassVar[str] = "share of the domain"
    source: ClassVar[str] = "Iyengar 2002"
    high: ClassVar[float] = 1.0

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundLoss:
        """Prepare for a table: see `Metric.bind`."""
        shares = attribute_weights(table, weights) / max(len(table.domains), 1)
        return _bound(table, shares, self.factor, geometric=False)


@dataclass(frozen=True, slots=True)
class BoundLoss(LevelBounds):
    """Loss over one table, counted in leaves instead of shares: in whole numbers.

    totals: (d, n_levels) float64, leaves below the labels of all records of the table.
    least: (d, n_levels) float64, x of an attribute at a level where nothing is suppressed.
    low, high: (d,) float64, the leaves at which x is 0 and 1.
    weights: (d,) float64.
    """

    tables: LabelTables
    totals: NDArray[np.float64]
    least: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    weights: NDArray[np.float64]
    generalization: float
    suppression: float
    geometric: bool

    def score(self, classes: Generalized) -> float:
        """Return the loss of a node: see `BoundMetric.score`."""
        tables, levels = self.tables, classes.levels
        total = tables.at(self.totals, levels)
        kept = tables.kept_sums(tables.leaves, total, classes)
        n_lost = tables.n_rows - int(classes.sizes @ classes.kept)
        lost = n_lost * tables.sizes
        if self.suppression < 1:
            lost = total - kept + self.suppression * (lost - (total - kept))
        x = scale_sums(self.generalization * kept + lost, self.low, self.high)
        return aggregate(x.tolist(), self.weights.tolist(), geometric=self.geometric)

    def floor(self, levels: NDArray[np.int64]) -> float:
        """Return a lower bound: see `BoundMetric.floor`.

        A suppressed record loses share + s · (1 - share) >= g · share, as it would if
        kept, for s = 1 or g = 1; and shares grow from level to level. So no node above
        loses less than this one with every record kept, whatever its classes are.
        """
        x = self.tables.at(self.least, levels)
        return aggregate(x.tolist(), self.weights.tolist(), geometric=self.geometric)

    def class_losses(self, classes: Generalized) -> NDArray[np.float64]:
        """Return records times share, put together over attributes."""
        tables = self.tables
        d = np.arange(tables.d)
        places = classes.labels + tables.starts[d, classes.levels]
        x = classes.sizes[:, None] * (tables.leaves[places] / tables.sizes)
        if not self.geometric:
            return np.asarray((x * self.weights).sum(axis=1))
        return np.asarray((x * self.weights + 1.0).prod(axis=1) ** (1.0 / max(len(d), 1)) - 1.0)

    def terms(self) -> Terms:
        """Return the leaves that a record loses: see `Terms`."""
        tables, s = self.tables, self.suppression
        leaves = [
            [tables.own(tables.leaves, j, level) for level in range(height + 1)]
            for j, height in enumerate(tables.heights.tolist())
        ]
        return Terms(
            kept=[[self.generalization * below for below in levels] for levels in leaves],
            lost=[
                [below + s * (size - below) for below in levels]
                for levels, size in zip(leaves, tables.sizes.tolist(), strict=True)
            ],
            low=self.low,
            high=self.high,
            weights=self.weights,
            geometric=self.geometric,
            rounded=True,
        )


def scale_sums(
    sums: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the place of sums between low and high, at least 0, cut off after ten digits."""
    x: NDArray[np.float64] = np.maximum((sums - low) / (high - low), 0.0)
    return np.floor(x * DIGITS) / DIGITS


def bounds(
    n_rows: int, sizes: NDArray[np.float64], generalization: float = 1.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (d,) and (d,) float64: the leaves at which x is 0 and 1.

    sizes: (d,) leaves of each hierarchy. Where no record or one leaf leaves nothing to
    lose, x is 0.
    """
    low = np.full(len(sizes), generalization * n_rows)
    high = n_rows * sizes
    return low, np.where(high > low, high, low + 1.0)


def _bound(
    table: EncodedTable, weights: NDArray[np.float64], factor: float, *, geometric: bool
) -> BoundLoss:
    tables = LabelTables.of(table)
    g, s = parts_of_factor(factor)
    totals = tables.totals(tables.leaves)
    low, high = bounds(tables.n_rows, tables.sizes, g)
    least = scale_sums(g * totals.T, low, high).T
    return BoundLoss(tables, totals, least, low, high, weights, g, s, geometric)


Part = tuple[Any, float] | Mapping[str, Any]
"""A metric (or its name, or its YAML form) and its weight, as a pair or by name."""


@dataclass(frozen=True, slots=True)
class Weighted(Metric):
    """The sum of other metrics, each times a weight.

    Metrics have different units and ranges: a weight is a price, such as one precision
    against a thousand records of average class size.

    Parameters
    ----------
    parts
        Pairs of a metric (or its name, or its YAML form) and a weight of at least 0, or
        mappings `{metric: …, weight: …}`; a weight that is left out is 1.

    Raises
    ------
    PolicyError
        There is no part, a metric is unknown, a weight is negative, or all are 0.

    Notes
    -----
    Score from 0; cost: that of the parts.

    Examples
    --------
    >>> both = Weighted([("loss", 1), ({"type": "precision", "factor": 0.5}, 2)])
    >>> [(metric.type, weight) for metric, weight in both.parts]
    [('loss', 1.0), ('precision', 2.0)]
    >>> both.to_dict()["parts"][0]
    {'metric': {'type': 'loss', 'factor': 0.5}, 'weight': 1.0}

    """

    parts: Sequence[Part]

    type: ClassVar[str] = "weighted"
    unit: ClassVar[str] = "weighted units of its parts"
    source: ClassVar[str] = "the sources of its parts"

    def __post_init__(self) -> None:
        """Build every part, and refuse weights that are none."""
        if isinstance(self.parts, str | Mapping) or not isinstance(self.parts, Iterable):
            raise PolicyError(
                f"weighted: parts is {self.parts!r}; it must be a list of {{metric: …, weight: …}}"
            )
        built = tuple(_part(part) for part in self.parts)
        if not any(weight for _, weight in built):
            raise PolicyError("weighted: parts has no part with a weight above 0")
        object.__setattr__(self, "parts", built)

    def bind(self, table: EncodedTable, weights: Mapping[str, float]) -> BoundWeighted:
        """Prepare for a table: see `Metric.bind`; each part weighs the attributes."""
        return BoundWeighted(
            tuple((metric.bind(table, weights), weight) for metric, weight in self._metrics)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the form that a policy file gives it."""
        parts = [{"metric": metric.to_dict(), "weight": weight} for metric, weight in self._metrics]
        return {"type": self.type, "parts": parts}

    @property
    def _metrics(self) -> tuple[tuple[Metric, float], ...]:
        return tuple(self.parts)  # type: ignore[arg-type]  # what `__post_init__` made of them


@dataclass(frozen=True, slots=True)
class BoundWeighted:
    """A weighted sum over one table."""

    parts: tuple[tuple[BoundMetric, float], ...]

    @property
    def lost_alike(self) -> bool:
        """Whether that is so in every part: see `BoundMetric.lost_alike`."""
        return all(metric.lost_alike for metric, _ in self.parts)

    @property
    def n_floors(self) -> int:
        """So many as all parts have: see `BoundMetric.n_floors`."""
        return sum(metric.n_floors for metric, _ in self.parts)

    def score(self, classes: Generalized) -> float:
        """Return the loss of a node: see `BoundMetric.score`."""
        return sum(weight * metric.score(classes) for metric, weight in self.parts if weight)

    def floor(self, levels: NDArray[np.int64]) -> float:
        """Return a lower bound: see `BoundMetric.floor`.

        A sum is at least the sum of the bounds of its parts, as no weight is negative.
        """
        return sum(weight * metric.floor(levels) for metric, weight in self.parts if weight)

    def class_floors(self, classes: FinestClasses) -> NDArray[np.float64]:
        """Return those of the parts, side by side."""
        return np.hstack([metric.class_floors(classes) for metric, _ in self.parts])

    def branch_floor(
        self, levels: NDArray[np.int64], sums: NDArray[np.float64], lost: int
    ) -> float:
        """Return a lower bound: see `BoundMetric.branch_floor`; a sum as that of `floor`."""
        found, first = 0.0, 0
        for metric, weight in self.parts:
            part = sums[:, first : first + metric.n_floors]
            first += metric.n_floors
            found += weight * metric.branch_floor(levels, part, lost) if weight else 0.0
        return found

    def class_losses(self, classes: Generalized) -> NDArray[np.float64]:
        """Return the weighted sum of what the parts say."""
        found = np.zeros(len(classes.sizes))
        for metric, weight in self.parts:
            found += weight * metric.class_losses(classes)
        return found

    def terms(self) -> Terms | None:
        """Return None: the parts normalise differently."""
        return None


def _part(given: object) -> tuple[Metric, float]:
    """Return a part: a built metric and its weight."""
    weight: Any = 1.0
    if isinstance(given, Mapping) and "metric" in given:
        stray = [key for key in given if key not in ("metric", "weight")]
        if stray:
            raise PolicyError(f"weighted: a part has a metric and a weight, no {stray[0]!r}")
        metric, weight = given["metric"], given.get("weight", 1.0)
    elif isinstance(given, tuple | list) and len(given) == 2:
        metric, weight = given
    else:
        raise PolicyError(f"weighted: a part is {{metric: …, weight: …}}, not {given!r}")
    if not is_number(weight) or weight < 0:
        raise PolicyError(f"weighted: weight is {weight!r}; it must be a number of at least 0")
    return metric_from(metric), float(weight)
